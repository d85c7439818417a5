#ifndef FLOATMODEL_H
#define FLOATMODEL_H
#include <stdint.h>
#define floatmodel_INPUT_LENGTH 8
#define floatmodel_OUTPUT_LENGTH 8
void floatmodel_predict(const float *X);
const float *floatmodel_scores(void);
#endif
