/* Dot products for the chip pulse, with four products per iteration. */
#include <stdint.h>

static inline int32_t tm_pulse_dot_s8_s8_s32(const int8_t *w, const int8_t *x, int n, int32_t sum)
{
    for (; n >= 4; n -= 4, w += 4, x += 4)
        sum += (int32_t)w[0] * x[0] + (int32_t)w[1] * x[1] + (int32_t)w[2] * x[2] + (int32_t)w[3] * x[3];
    for (; n > 0; n--)
        sum += (int32_t)*w++ * *x++;
    return sum;
}

static inline int32_t tm_pulse_dot_s16_s16_s32(const int16_t *w, const int16_t *x, int n, int32_t sum)
{
    for (; n > 0; n--)
        sum += (int32_t)*w++ * *x++;
    return sum;
}
