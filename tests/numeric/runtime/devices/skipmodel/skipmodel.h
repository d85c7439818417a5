#ifndef SKIPMODEL_H
#define SKIPMODEL_H
#include <stdint.h>
#define skipmodel_INPUT_LENGTH 1
#define skipmodel_OUTPUT_LENGTH 5
int16_t skipmodel_predict(const int16_t *X);
const int16_t *skipmodel_scores(void);
#endif
