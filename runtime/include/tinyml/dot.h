/* Exact sums of products. */
#ifndef TINYML_DOT_H
#define TINYML_DOT_H
#include <stdint.h>

static int32_t tm_dot_s16_s16_s32(const int16_t *w, const int16_t *x, int n, int32_t sum)
{
    for (int i = 0; i < n; i++)
        sum += (int32_t)w[i] * (int32_t)x[i];
    return sum;
}
#endif
