/* Exact sums of products. */
#ifndef TINYML_DOT_H
#define TINYML_DOT_H
#include <stdint.h>

static int32_t tm_dot_s16_s16_s32(const int16_t *w, const int16_t *x, int n, int32_t sum)
{
    for (int i = 0; i < n; i++) {
        int16_t value;
#ifdef __AVR__
        __asm__("lpm %A0, Z+\n\tlpm %B0, Z+" : "=r"(value), "+z"(w));
#else
        value = *w++;
#endif
        sum += (int32_t)value * (int32_t)x[i];
    }
    return sum;
}
#endif
