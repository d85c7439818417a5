/* Sums in a quire: posits of the standard are taken apart into significands and exponents, with the bits of their
 * counterparts in numpy. */
#ifndef TINYML_POSIT_PARTS_H
#define TINYML_POSIT_PARTS_H
#include <stdint.h>

#ifdef __AVR__
#define TM_POSIT_SHORT __attribute__((__noinline__, __unused__, __optimize__("O2")))
#else
#define TM_POSIT_SHORT inline __attribute__((__unused__))
#endif
#define TM_POSIT_INLINE __attribute__((__always_inline__, __unused__))

/* The upper one of two bytes; avr-gcc multiplies 16 bits unless it is pinned to 8. */
static inline TM_POSIT_INLINE int8_t tm_posit_upper_s16(int16_t parts)
{
    int8_t high = (int8_t)(parts >> 8);
#ifdef __AVR__
    __asm__("" : "+r"(high));
#endif
    return high;
}

/* The upper one of two words; avr-gcc calls a function to shift 64 bits. */
static inline TM_POSIT_INLINE int32_t tm_posit_upper_s64(int64_t parts)
{
#ifdef __AVR__
    union { int64_t whole; int32_t halves[2]; } both;
    both.whole = parts;
    return both.halves[1];
#else
    return (int32_t)(parts >> 32);
#endif
}

/* The words of a product. */
static inline TM_POSIT_INLINE int32_t tm_posit_lower_word(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * (uint32_t)b);
}

static TM_POSIT_SHORT int32_t tm_posit_upper_word(int32_t a, int32_t b)
{
#ifdef __AVR__
    uint16_t a_low = (uint16_t)a, b_low = (uint16_t)b;
    int16_t a_high = (int16_t)(a >> 16), b_high = (int16_t)(b >> 16);
    /* Pinned to 16 bits: otherwise avr-gcc multiplies words. */
    __asm__("" : "+r"(a_low), "+r"(b_low), "+r"(a_high), "+r"(b_high));
    const int32_t inner = (int32_t)a_high * b_low + (int32_t)((uint32_t)a_low * b_low >> 16);
    const int32_t outer = (int32_t)b_high * a_low + (inner & 0xFFFF);
    return (int32_t)a_high * b_high + (inner >> 16) + (outer >> 16);
#else
    return (int32_t)((int64_t)a * b >> 32);
#endif
}

/* A flag that is negative if it was or if the place is, which that of NaR alone is. */
static inline TM_POSIT_INLINE int8_t tm_posit_mark(int8_t flag, int8_t place)
{
#ifdef __AVR__
    /* avr-gcc may keep the flag in memory, which takes no time where it seldom changes. */
    return place < 0 ? -1 : flag;
#else
    return (int8_t)(flag | place);
#endif
}

/* The significand of a posit of at most 16 bits above its exponent plus `bias`, each in 16 bits; 0 for zero, and the
 * least exponent for NaR. Exponents are multiples of 2^step, to which significands are moved, and counted in these. */
#ifdef __AVR__
static TM_POSIT_SHORT int32_t tm_posit_parts_s16(int16_t raw, int8_t n, int8_t es, int8_t step, int16_t bias)
{
    const int8_t fraction = (int8_t)(n - 3 - es > 0 ? n - 3 - es : 0);
    const uint16_t size_of_raw = (uint16_t)(raw < 0 ? 0u - (uint16_t)raw : (uint16_t)raw);
    uint16_t body = (uint16_t)(size_of_raw << (16 - n) << 1);
    if (body == 0)
        return raw ? 0x8000 : 0;
    /* Shifts by one bit count the regime, which is short near 1. */
    int8_t regime = -1;
    if (body & 0x8000) {
        for (body = (uint16_t)(body << 1), regime = 0; body & 0x8000; body = (uint16_t)(body << 1))
            regime++;
    } else {
        for (body = (uint16_t)(body << 1); !(body & 0x8000); body = (uint16_t)(body << 1))
            regime--;
    }
    body = (uint16_t)(body << 1);
    int16_t exponent = (int16_t)(bias + regime * (1 << es));
    if (es) {
        exponent = (int16_t)(exponent + (int16_t)(body >> (16 - es)));
        body = (uint16_t)(body << es);
    }
    uint16_t size = (uint16_t)((uint16_t)1 << fraction | (uint16_t)(body >> 1 >> (15 - fraction)));
    size = (uint16_t)(size << (exponent & ((1 << step) - 1)));
    const int16_t significand = (int16_t)(raw < 0 ? 0u - size : size);
    union { int16_t halves[2]; int32_t whole; } parts;
    parts.halves[0] = (int16_t)(exponent >> step);
    parts.halves[1] = significand;
    return parts.whole;
}

/* As tm_posit_parts_s16 for posits of 32 bits, each in 32 bits. */
static TM_POSIT_SHORT int64_t tm_posit_parts_s32(int32_t raw, int8_t n, int8_t es, int8_t step, int16_t bias)
{
    const int8_t fraction = (int8_t)(n - 3 - es > 0 ? n - 3 - es : 0);
    uint32_t body = (raw < 0 ? 0u - (uint32_t)raw : (uint32_t)raw) << (32 - n) << 1;
    if (body == 0)
        return raw ? 0x8000 : 0;
    int16_t exponent = bias;
    int8_t regime = -1;
    if (body >> 31) {
        for (body <<= 1, regime = 0; body >> 31; body <<= 1)
            regime++;
    } else {
        for (body <<= 1; !(body >> 31); body <<= 1)
            regime--;
    }
    body <<= 1;
    exponent = (int16_t)(exponent + regime * (1 << es));
    if (es) {
        exponent = (int16_t)(exponent + (int16_t)((uint8_t)(body >> 24) >> (8 - es)));
        body <<= es;
    }
    uint32_t size = (uint32_t)1 << fraction | body >> 1 >> (31 - fraction);
    size <<= exponent & ((1 << step) - 1);
    size = raw < 0 ? 0u - size : size;
    union { uint32_t halves[2]; int64_t whole; } parts;
    parts.halves[0] = (uint16_t)(exponent >> step);
    parts.halves[1] = size;
    return parts.whole;
}
#else
/* As tm_posit_parts_s16 for posits of 32 bits, each in 32 bits. */
static TM_POSIT_SHORT int64_t tm_posit_parts_s32(int32_t raw, int8_t n, int8_t es, int8_t step, int16_t bias)
{
    const int8_t fraction = (int8_t)(n - 3 - es > 0 ? n - 3 - es : 0);
    const uint32_t sign = raw < 0 ? UINT32_MAX : 0;
    uint32_t body = (((uint32_t)raw ^ sign) - sign) << (32 - n) << 1;
    if (body == 0)
        return raw ? 0x8000 : 0;
    const uint32_t ones = body >> 31 ? UINT32_MAX : 0;
    const int run = __builtin_clzl((unsigned long)(body ^ ones)) - (int)(8 * sizeof(long) - 32);
    const int32_t regime = (run - 1) ^ (int32_t)~ones;
    body = body << run << 1;
    int32_t exponent = bias + regime * (1 << es);
    if (es) {
        exponent += (int32_t)(body >> (32 - es));
        body <<= es;
    }
    const uint32_t size = (body >> 1 | (uint32_t)1 << 31) >> (31 - fraction) << (exponent & ((1 << step) - 1));
    return (int64_t)((uint64_t)((size ^ sign) - sign) << 32 | (uint16_t)(exponent >> step));
}

static TM_POSIT_SHORT int32_t tm_posit_parts_s16(int16_t raw, int8_t n, int8_t es, int8_t step, int16_t bias)
{
    const int64_t parts = tm_posit_parts_s32(raw, n, es, step, bias);
    return (int32_t)((uint32_t)(parts >> 32) << 16 | (uint16_t)parts);
}
#endif

/* x * 2^left cut off to an integer between two others, which is odd if anything is cut off. */
static __attribute__((__unused__)) int32_t tm_posit_to_odd_s32(int32_t x, int16_t left, int32_t low, int32_t high)
{
    if (left > 0) {
        const uint8_t by = (uint8_t)(left < 32 ? left : 31);
        if (x > high >> by)
            return high;
        if (x < low >> by)
            return low;
        x = (int32_t)((uint32_t)x << by);
    } else if (left < 0) {
        const uint8_t right = (uint8_t)(left > -32 ? -left : 31);
        const int32_t kept = x >> right;
        x = (int32_t)((uint32_t)kept << right) == x ? kept : kept | 1;
    }
    return x < low ? low : x > high ? high : x;
}

static __attribute__((__unused__)) int64_t tm_posit_to_odd_s64(int64_t x, int16_t left, int64_t low, int64_t high)
{
    if (left > 0) {
        const uint8_t by = (uint8_t)(left < 64 ? left : 63);
        if (x > high >> by)
            return high;
        if (x < low >> by)
            return low;
        x = (int64_t)((uint64_t)x << by);
    } else if (left < 0) {
        const uint8_t right = (uint8_t)(left > -64 ? -left : 63);
        const int64_t kept = x >> right;
        x = (int64_t)((uint64_t)kept << right) == x ? kept : kept | 1;
    }
    return x < low ? low : x > high ? high : x;
}
#endif
