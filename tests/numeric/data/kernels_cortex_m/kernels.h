#include <stdint.h>
#define dotkernels_INPUT_LENGTH 3360
#define dotkernels_OUTPUT_LENGTH 8
void dotkernels_predict(const int8_t *X);
const int32_t *dotkernels_scores(void);
