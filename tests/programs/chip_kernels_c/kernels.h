#include <stdint.h>
#define kernels_INPUT_LENGTH 3360
#define kernels_OUTPUT_LENGTH 8
void kernels_predict(const int8_t *X);
const int32_t *kernels_scores(void);
