/* The number of entries of a rising table in flash that are at most x. */
#ifndef TINYML_RANK_H
#define TINYML_RANK_H
#include <stdint.h>

static inline int32_t tm_rank_entry(const int32_t *entry)
{
#ifdef __AVR__
    int32_t value;
    __asm__("lpm %A0, Z+\n\tlpm %B0, Z+\n\tlpm %C0, Z+\n\tlpm %D0, Z" : "=r"(value), "+z"(entry));
    return value;
#else
    return *entry;
#endif
}

static __attribute__((__noinline__, __unused__)) int16_t tm_rank_s32(const int32_t *table, int32_t x, int16_t length)
{
    int16_t first = 0;
    while (length > 0) {
        const int16_t half = (int16_t)(length >> 1);
        if (tm_rank_entry(table + first + half) <= x) {
            first = (int16_t)(first + half + 1);
            length = (int16_t)(length - half - 1);
        } else {
            length = half;
        }
    }
    return first;
}
#endif
