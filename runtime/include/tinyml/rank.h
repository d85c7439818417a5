/* The place of a number among others that rise: how many of a table's 2^steps - 1 entries, in flash, are not above x. */
#ifndef TINYML_RANK_H
#define TINYML_RANK_H
#include <stdint.h>

#define TM_RANK __attribute__((__noinline__, __noclone__, __unused__))
#ifdef __AVR__
#define TM_RANK_LOAD16(entry, p) __asm__("lpm %A0,Z+\n\tlpm %B0,Z" : "=r"(entry), "+z"(p))
#define TM_RANK_LOAD32(entry, p) \
    __asm__("lpm %A0,Z+\n\tlpm %B0,Z+\n\tlpm %C0,Z+\n\tlpm %D0,Z" : "=r"(entry), "+z"(p))
#else
#define TM_RANK_LOAD16(entry, p) ((entry) = *(p))
#define TM_RANK_LOAD32(entry, p) ((entry) = *(p))
#endif
#define TM_RANK_SEARCH(TYPE, LOAD) \
    uint16_t rank = 0; \
    for (uint16_t step = (uint16_t)(1u << (steps - 1)); step; step >>= 1) { \
        const TYPE *p = table + rank + step - 1; \
        TYPE entry; \
        LOAD(entry, p); \
        if (entry <= x) \
            rank = (uint16_t)(rank + step); \
    } \
    return (int16_t)rank;

static TM_RANK int16_t tm_rank_s16(const int16_t *table, int16_t x, int8_t steps)
{
    TM_RANK_SEARCH(int16_t, TM_RANK_LOAD16)
}

static TM_RANK int16_t tm_rank_s32(const int32_t *table, int32_t x, int8_t steps)
{
    TM_RANK_SEARCH(int32_t, TM_RANK_LOAD32)
}
#endif
