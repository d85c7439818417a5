/* Natural logarithms of integers, in units of 2^-15: those of powers of two are multiples of one number, and a table of 65
 * entries in flash has those from 1 to 2, entry i at 1 + i / 64. */
#ifndef TINYML_LOGARITHM_H
#define TINYML_LOGARITHM_H
#include "interpolate.h"
#include <stdint.h>

/* Of x > 0. */
static __attribute__((__noinline__, __unused__)) int32_t tm_log_s32(const int16_t *table, int32_t x)
{
    uint32_t bits = (uint32_t)x;
    uint8_t power = 31;
    if (bits < 0x10000UL) {
        bits <<= 16;
        power = 15;
    }
    if (bits < 0x1000000UL) {
        bits <<= 8;
        power = (uint8_t)(power - 8);
    }
    for (; bits < 0x80000000UL; bits <<= 1)
        power--;
    /* 6 bits behind the highest are the segment, 8 more the position in it. */
    return (int32_t)22713 * power
        + tm_interpolate_s16(table, (int16_t)(0x3fff - (int16_t)((bits >> 17) & 0x3fff)), 0x3fff, 1);
}
#endif
