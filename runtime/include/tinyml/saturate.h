/* tm_saturate_s32: x, limited to [-2^(bits - 1), 2^(bits - 1) - 1]. tm_saturate_u32: x, limited to [0, 2^bits - 1]. `bits`,
 * at most 31, is a constant. */
#ifndef TINYML_SATURATE_H
#define TINYML_SATURATE_H
#include <stdint.h>

#if defined(__ARM_FEATURE_SAT) && defined(__OPTIMIZE__)
static inline __attribute__((__always_inline__, __unused__)) int32_t tm_saturate_s32(int32_t x, int8_t bits)
{
    __asm__("ssat %0, %1, %0" : "+r"(x) : "n"(bits));
    return x;
}

static inline __attribute__((__always_inline__, __unused__)) int32_t tm_saturate_u32(int32_t x, int8_t bits)
{
    __asm__("usat %0, %1, %0" : "+r"(x) : "n"(bits));
    return x;
}
#else
static inline int32_t tm_between(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : x > high ? high : x;
}

static inline __attribute__((__always_inline__, __unused__)) int32_t tm_saturate_s32(int32_t x, int8_t bits)
{
    const int32_t most = (int32_t)(((uint32_t)1 << (bits - 1)) - 1);
    return tm_between(x, -most - 1, most);
}

static inline __attribute__((__always_inline__, __unused__)) int32_t tm_saturate_u32(int32_t x, int8_t bits)
{
    return tm_between(x, 0, (int32_t)(((uint32_t)1 << bits) - 1));
}
#endif
#endif
