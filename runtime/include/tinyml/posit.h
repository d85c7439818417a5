/* Posits of n bits, up to es of them an exponent, with the bits of their counterparts in numpy: rounded as bit
 * strings to nearest, ties to even. `low`: results are multiples of 2^low; with TM_POSIT_ALL all posits are results,
 * and smaller numbers become the least one. `greatest`: the raw at which results saturate. */
#ifndef TINYML_POSIT_H
#define TINYML_POSIT_H
#include <stdint.h>

#define TM_POSIT_ALL INT16_MIN
#if defined(__GNUC__) && !defined(__clang__)
#define TM_POSIT __attribute__((__noinline__, __noclone__, __unused__))
#else
#define TM_POSIT __attribute__((__noinline__, __unused__))
#endif

/* size * 2^exponent; size has its highest bit set, except for 0. */
typedef struct {
    uint32_t size;
    int16_t exponent;
} tm_posit_parts;

/* size / 2^dropped, rounded to nearest, ties to even; 0 < dropped < 32. */
static inline uint32_t tm_posit_even(uint32_t size, int8_t dropped)
{
    uint8_t lost = 0;
    for (; dropped > 8; dropped = (int8_t)(dropped - 8), size >>= 8)
        lost |= (uint8_t)size;
    const uint32_t whole = size >> dropped;
    const uint8_t rest = (uint8_t)((uint8_t)size << (8 - dropped)), odd = whole & 1;
    return whole + (rest > 128 || (rest == 128 && (lost || odd)));
}

static TM_POSIT int32_t tm_posit_nearest(uint32_t size, int16_t e, int8_t n, int8_t es, int16_t low)
{
    int16_t k;
    int8_t length, f;
    uint32_t regime;
    if (size == 0)
        return 0;
    for (e = (int16_t)(e + 31); !(size >> 24); e = (int16_t)(e - 8))
        size <<= 8;
    for (; !(size >> 31); e--)
        size <<= 1;
    for (;;) {
        if (low == TM_POSIT_ALL && e < -((n - 2) << es))
            return 1;
        k = (int16_t)(e >> es);
        length = (int8_t)(k >= 0 ? k + 2 : 1 - k);
        f = (int8_t)(n - 1 - length - es);
        if (low == TM_POSIT_ALL || !(e < low || (f >= 0 && e - f < low)))
            break;
        /* The posits around are spaced more finely: a multiple of 2^low is one of them. */
        if (e < low - 1)
            return 0;
        size = e < low ? size > (uint32_t)1 << 31 : low + 31 > e ? tm_posit_even(size, (int8_t)(low + 31 - e)) : size;
        if (size == 0)
            return 0;
        for (e = (int16_t)(low + 31); !(size >> 31); e--)
            size <<= 1;
        low = TM_POSIT_ALL;
    }
    if (k >= n - 2)
        return (int32_t)(((uint32_t)1 << (n - 1)) - 1);
    regime = k >= 0 ? (((uint32_t)1 << (k + 1)) - 1) << 1 : 1;
    const uint32_t low_bits = (uint32_t)(e - k * (1 << es));
    if (f > 0)
        return (int32_t)(((regime << es | low_bits) << f) + tm_posit_even(size, (int8_t)(31 - f)) - ((uint32_t)1 << f));
    /* The regime's last bit, the exponent, the first bit of the fraction that is dropped, and whether a later one is set. */
    const uint32_t tail = ((regime & 1) << es | low_bits) << 2 | (size >> 30 & 1) << 1 | (size << 2 != 0);
    return (int32_t)((regime >> 1 << (es + f + 1)) + tm_posit_even(tail, (int8_t)(2 - f)));
}

static inline int32_t tm_posit_signed(int32_t raw, uint8_t negative, int32_t greatest)
{
    raw = raw < greatest ? raw : greatest;
    return negative ? -raw : raw;
}

/* x * 2^-scale as a posit. */
static TM_POSIT int32_t tm_posit_of_s32(int32_t x, int16_t scale, int8_t n, int8_t es, int16_t low, int32_t greatest)
{
    const uint32_t size = x < 0 ? 0 - (uint32_t)x : (uint32_t)x;
    return tm_posit_signed(tm_posit_nearest(size, (int16_t)-scale, n, es, low), x < 0, greatest);
}

/* x * 2^-right in units of the least posit, for es 0 and numbers below 2^16 units: posits are one unit apart up to 1, two up
 * to 2, then 8, 32 and so on beyond each power of two. */
static TM_POSIT int16_t tm_posit_linear_s32(int32_t x, int8_t right, int8_t n, int16_t greatest)
{
    uint32_t size = x < 0 ? 0 - (uint32_t)x : (uint32_t)x;
    uint8_t lost = 0;
    for (; right > 8; right = (int8_t)(right - 8), size >>= 8)
        lost |= (uint8_t)size;
    uint16_t raw = (uint16_t)greatest;
    if (!(size >> 24)) {
        size <<= 8 - right;
        const uint16_t one = (uint16_t)((uint16_t)1 << (n - 2));
        uint16_t whole = (uint16_t)(size >> 8);
        uint8_t rest = (uint8_t)size;
        if (size >> 24) {
            whole = raw;
            rest = 0;
        } else if (whole >= one) {
            uint16_t base = one, units = one;
            uint8_t step = 1;
            for (whole = (uint16_t)(whole - one); whole >= units; units = (uint16_t)(units << 1)) {
                whole = (uint16_t)(whole - units);
                /* Beyond the bits of a register nothing is left, and a shift has no meaning. */
                if (step < 16)
                    base = (uint16_t)(base + (units >> step));
                step = (uint8_t)(step + 2);
            }
            for (; step; step--) {
                lost = (uint8_t)(lost | (rest & 1));
                rest = (uint8_t)(rest >> 1 | whole << 7);
                whole >>= 1;
            }
            whole = (uint16_t)(whole + base);
        }
        whole = (uint16_t)(whole + (rest > 128 || (rest == 128 && (lost || (whole & 1)))));
        raw = whole < raw ? whole : raw;
    }
    return (int16_t)(x < 0 ? -raw : raw);
}

/* The 32 highest bits of a size, the last one set if any bit below is. */
static inline uint32_t tm_posit_sticky(uint64_t size, int16_t *exponent)
{
    for (; size >> 40; *exponent = (int16_t)(*exponent + 8))
        size = size >> 8 | ((size & 255) != 0);
    for (; size >> 32; ++*exponent)
        size = size >> 1 | (size & 1);
    return (uint32_t)size;
}

static TM_POSIT int32_t tm_posit_of_s64(int64_t x, int16_t scale, int8_t n, int8_t es, int16_t low, int32_t greatest)
{
    int16_t e = (int16_t)-scale;
    const uint32_t size = tm_posit_sticky(x < 0 ? 0 - (uint64_t)x : (uint64_t)x, &e);
    return tm_posit_signed(tm_posit_nearest(size, e, n, es, low), x < 0, greatest);
}

static TM_POSIT tm_posit_parts tm_posit_unpack(int32_t raw, int8_t n, int8_t es)
{
    tm_posit_parts parts = {0, 0};
    uint32_t body = (raw < 0 ? 0 - (uint32_t)raw : (uint32_t)raw) << (32 - n) << 1;
    int16_t k = 0;
    if (body == 0)
        return parts;
    if (body >> 31) {
        for (; body >> 31; body <<= 1)
            k++;
        k--;
    } else {
        for (; !(body >> 31); body <<= 1)
            k--;
    }
    body <<= 1;
    parts.exponent = (int16_t)(k * (1 << es) - 31);
    if (es) {
        parts.exponent = (int16_t)(parts.exponent + (int16_t)(body >> (32 - es)));
        body <<= es;
    }
    parts.size = (uint32_t)1 << 31 | body >> 1;
    return parts;
}

/* A posit times 2^scale, which is an integer; 0 for NaR. */
static TM_POSIT int32_t tm_posit_to_s32(int32_t raw, int16_t scale, int8_t n, int8_t es)
{
    const tm_posit_parts parts = tm_posit_unpack(raw, n, es);
    const int16_t right = (int16_t)(-scale - parts.exponent);
    const int32_t size = right > 31 || parts.size == 0 ? 0 : (int32_t)(parts.size >> right);
    return raw < 0 ? -size : size;
}

static inline int32_t tm_posit_nar(int8_t n)
{
    return -(int32_t)(((uint32_t)1 << (n - 1)) - 1) - 1;
}

static TM_POSIT int32_t tm_posit_of_f32(float x, int8_t n, int8_t es, int16_t low, int32_t greatest)
{
    union { float value; uint32_t bits; } f;
    f.value = x;
    const int16_t exponent = (int16_t)(f.bits >> 23 & 255);
    const uint32_t fraction = f.bits & (((uint32_t)1 << 23) - 1);
    if (exponent == 255 && (low == TM_POSIT_ALL || fraction))
        return tm_posit_nar(n);
    const uint32_t size = exponent ? (uint32_t)1 << 23 | fraction : fraction;
    const int16_t e = (int16_t)((exponent ? exponent : 1) - 150);
    return tm_posit_signed(tm_posit_nearest(size, e, n, es, low), f.bits >> 31 != 0, greatest);
}

static TM_POSIT float tm_posit_to_f32(int32_t raw, int8_t n, int8_t es)
{
    union { uint32_t bits; float value; } f;
    tm_posit_parts parts = tm_posit_unpack(raw, n, es);
    f.bits = (uint32_t)255 << 23 | (uint32_t)1 << 22;
    if (raw != 0 && parts.size == 0)
        return f.value;
    float x = (float)parts.size;
    for (; parts.exponent < -120; parts.exponent = (int16_t)(parts.exponent + 120))
        x *= 0x1p-120f;
    f.bits = (uint32_t)(parts.exponent + 127) << 23;
    for (; parts.exponent > 120; parts.exponent = (int16_t)(parts.exponent - 120)) {
        x *= 0x1p120f;
        f.bits = (uint32_t)(parts.exponent - 120 + 127) << 23;
    }
    x *= f.value;
    return raw < 0 ? -x : x;
}

static TM_POSIT int32_t tm_posit_rounded(uint64_t size, int16_t e, uint8_t negative, int8_t n, int8_t es)
{
    const uint32_t kept = tm_posit_sticky(size, &e);
    const int32_t raw = tm_posit_nearest(kept, e, n, es, TM_POSIT_ALL);
    return negative ? -raw : raw;
}

/* The standard's operations, one rounding each; NaR where an operand is. */
static TM_POSIT int32_t tm_posit_add(int32_t a, int32_t b, int8_t n, int8_t es)
{
    tm_posit_parts x = tm_posit_unpack(a, n, es), y = tm_posit_unpack(b, n, es);
    if (a == tm_posit_nar(n) || b == tm_posit_nar(n))
        return tm_posit_nar(n);
    if (a == 0 || b == 0)
        return a == 0 ? b : a;
    if (x.exponent < y.exponent || (x.exponent == y.exponent && x.size < y.size)) {
        const tm_posit_parts z = x;
        const int32_t c = a;
        x = y;
        y = z;
        a = b;
        b = c;
    }
    const int16_t distance = (int16_t)(x.exponent - y.exponent);
    const uint64_t size = (uint64_t)x.size << 31, other = (uint64_t)y.size << 31;
    uint64_t small = distance > 62 ? 0 : other >> distance;
    if (distance > 62 || small << distance != other)
        small |= 1;
    return tm_posit_rounded((a < 0) == (b < 0) ? size + small : size - small, (int16_t)(x.exponent - 31), a < 0, n, es);
}

static TM_POSIT int32_t tm_posit_sub(int32_t a, int32_t b, int8_t n, int8_t es)
{
    return tm_posit_add(a, b == tm_posit_nar(n) ? b : -b, n, es);
}

static TM_POSIT int32_t tm_posit_mul(int32_t a, int32_t b, int8_t n, int8_t es)
{
    const tm_posit_parts x = tm_posit_unpack(a, n, es), y = tm_posit_unpack(b, n, es);
    if (a == tm_posit_nar(n) || b == tm_posit_nar(n))
        return tm_posit_nar(n);
    const uint64_t size = (uint64_t)x.size * y.size;
    return tm_posit_rounded(size, (int16_t)(x.exponent + y.exponent), (a < 0) != (b < 0), n, es);
}
#endif
