/* MultiplyByQuantizedMultiplier of TensorFlow Lite: x * multiplier * 2^(shift - 31), multiplier in [0, 2^31), shift in
 * [-31, 30]. The product is rounded to nearest, halves upwards, then shifted to the right and rounded to nearest, halves
 * away from zero. What a shift to the left would lose saturates. */
#ifndef TINYML_REQUANTIZE_H
#define TINYML_REQUANTIZE_H
#include <stdint.h>

/* (x * multiplier + 2^30) / 2^31, rounded down. */
static inline int32_t tm_doubling_high_s32(int32_t x, int32_t multiplier)
{
#ifdef __AVR__
    /* Of parts of 16 bits; the lowest 16 bits of the product change nothing. */
    int16_t high = (int16_t)(x >> 16), factor_high = (int16_t)(multiplier >> 16);
    uint16_t low = (uint16_t)x, factor_low = (uint16_t)multiplier;
    uint32_t lowest = (uint32_t)low * factor_low;
    int32_t middle = (int32_t)high * factor_low + (int32_t)(lowest >> 16) + (1 << 14);
    uint32_t other = (uint32_t)low * (uint16_t)factor_high;
    int32_t sum = (int32_t)high * factor_high * 2 + (middle >> 15) + (int32_t)(other >> 15);
    return sum + (int32_t)((((uint16_t)middle & 0x7fff) + ((uint16_t)other & 0x7fff)) >> 15);
#else
    return (int32_t)(((int64_t)x * multiplier + (1L << 30)) >> 31);
#endif
}

static int32_t tm_requantize_s32(int32_t x, int32_t multiplier, int8_t shift)
{
    if (shift > 0) {
        int32_t most = INT32_MAX >> shift;
        x = x > most ? most : x < -most - 1 ? -most - 1 : x;
        return tm_doubling_high_s32((int32_t)((uint32_t)x << shift), multiplier);
    }
    x = tm_doubling_high_s32(x, multiplier);
    if (shift == 0)
        return x;
    /* By all places but one, then that one is rounded; what is exactly half of a negative number rounds away from 0. */
    x -= x < 0;
    for (shift = (int8_t)(-1 - shift); shift >= 8; shift = (int8_t)(shift - 8))
        x >>= 8;
    return ((x >> shift) + 1) >> 1;
}
#endif
