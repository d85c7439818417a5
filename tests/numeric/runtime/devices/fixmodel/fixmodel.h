#ifndef FIXMODEL_H
#define FIXMODEL_H
#include <stdint.h>
#define fixmodel_INPUT_LENGTH 16
#define fixmodel_OUTPUT_LENGTH 4
int16_t fixmodel_predict(const int16_t *X);
const int16_t *fixmodel_scores(void);
#endif
