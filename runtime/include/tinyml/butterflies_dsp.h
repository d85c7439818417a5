/* The stages of fourier.h for the usual shifts on chips with the DSP extension of ARM, with a complex number in a word. */
#ifndef TINYML_BUTTERFLIES_DSP_H
#define TINYML_BUTTERFLIES_DSP_H
#include "butterflies.h"
#include <stdint.h>

#if defined(__ARM_FEATURE_DSP)
/* Optimised for size, these loops are 60 bytes smaller and take half as long again. */
#define TM_LOOP __attribute__((__noinline__, __unused__, __optimize__("O2")))
#define TM_PAIRED(name, instruction) \
    static inline __attribute__((__always_inline__, __unused__)) int32_t name(int32_t a, int32_t b) \
    { \
        int32_t y; \
        __asm__(instruction " %0,%1,%2" : "=r"(y) : "r"(a), "r"(b)); \
        return y; \
    }
TM_PAIRED(tm_plus, "sadd16")
TM_PAIRED(tm_minus, "ssub16")
TM_PAIRED(tm_half_plus, "shadd16")
TM_PAIRED(tm_half_minus, "shsub16")
TM_PAIRED(tm_half_turned, "shasx")
TM_PAIRED(tm_half_turned_back, "shsax")
TM_PAIRED(tm_most_plus, "qadd16")
TM_PAIRED(tm_most_minus, "qsub16")
TM_PAIRED(tm_most_turned, "qasx")
TM_PAIRED(tm_most_turned_back, "qsax")

static inline __attribute__((__always_inline__, __unused__)) int32_t tm_complex(const int16_t *x)
{
    int32_t z;
    __builtin_memcpy(&z, x, 4);
    return z;
}

static inline __attribute__((__always_inline__, __unused__)) void tm_put(int16_t *x, int32_t z)
{
    __builtin_memcpy(x, &z, 4);
}

/* -32768 becomes -32767. */
static inline __attribute__((__always_inline__, __unused__)) int32_t tm_symmetric(int32_t z)
{
    return tm_most_plus(tm_most_minus(z, 0x00010001), 0x00010001);
}

static inline __attribute__((__always_inline__, __unused__)) int32_t tm_turned(int32_t z, const int16_t *w)
{
    int32_t re, im, turn = tm_complex(w), y;
    __asm__("smlad %0,%1,%2,%3" : "=r"(re) : "r"(z), "r"(turn), "r"(32768));
    __asm__("smlsdx %0,%1,%2,%3" : "=r"(im) : "r"(turn), "r"(z), "r"(32768));
    __asm__("pkhtb %0,%1,%2,asr #16" : "=r"(y) : "r"(im), "r"(re));
    return y;
}

static TM_LOOP void tm_exchange(int16_t *x, const int8_t *pairs, uint16_t count)
{
    for (; count; count--, pairs += 2) {
        int16_t *a = x + 2 * (uint8_t)pairs[0], *b = x + 2 * (uint8_t)pairs[1];
        const int32_t kept = tm_complex(a);
        tm_put(a, tm_complex(b));
        tm_put(b, kept);
    }
}

/* Without a shift, sums have to be limited. */
static TM_LOOP void tm_radix2_0(int16_t *x, uint16_t count)
{
    tm_radix2(x, count, 0);
}

static TM_LOOP void tm_radix2_1(int16_t *x, uint16_t count)
{
    for (; count; count--, x += 4) {
        const int32_t a = tm_complex(x), b = tm_complex(x + 2);
        tm_put(x, tm_minus(a, tm_half_minus(a, b)));
        tm_put(x + 2, tm_minus(a, tm_half_plus(a, b)));
    }
}

static inline __attribute__((__always_inline__, __unused__)) void tm_radix4_dsp(
    int16_t *x, const int16_t *w, uint32_t groups, uint32_t span, uint8_t shift)
{
    for (; groups; groups--, x += 6 * span) {
        const int16_t *turn = w, *end = w + 6 * span;
        for (; turn < end; x += 2, turn += 6) {
            int16_t *xb = x + 2 * span, *xc = xb + 2 * span, *xd = xc + 2 * span;
            const int32_t a = tm_half_plus(tm_complex(x), shift == 1 ? 0x00010001 : 0x00020002);
            const int32_t b = tm_turned(tm_complex(xb), turn);
            const int32_t c = tm_turned(tm_complex(xc), turn + 2);
            const int32_t d = tm_turned(tm_complex(xd), turn + 4);
            /* Sums of two of these fit if each has 15 bits. */
            if (((a ^ a << 1) | (b ^ b << 1) | (c ^ c << 1) | (d ^ d << 1)) & (int32_t)0x80008000) {
                tm_butterfly4(x, turn, (uint16_t)(2 * span), shift);
            } else {
                const int32_t p = tm_minus(a, b), q = tm_plus(a, b), r = tm_plus(c, d), u = tm_minus(c, d);
                if (shift == 1) {
                    tm_put(x, tm_symmetric(tm_most_minus(p, r)));
                    tm_put(xb, tm_symmetric(tm_most_turned(q, u)));
                    tm_put(xc, tm_symmetric(tm_most_plus(p, r)));
                    tm_put(xd, tm_symmetric(tm_most_turned_back(q, u)));
                } else {
                    tm_put(x, tm_half_minus(p, r));
                    tm_put(xb, tm_half_turned(q, u));
                    tm_put(xc, tm_half_plus(p, r));
                    tm_put(xd, tm_half_turned_back(q, u));
                }
            }
        }
    }
}

static TM_LOOP void tm_radix4_1(int16_t *x, const int16_t *w, uint16_t groups, uint16_t span)
{
    tm_radix4_dsp(x, w, groups, span, 1);
}

static TM_LOOP void tm_radix4_2(int16_t *x, const int16_t *w, uint16_t groups, uint16_t span)
{
    tm_radix4_dsp(x, w, groups, span, 2);
}

static inline __attribute__((__always_inline__, __unused__)) void tm_real_pairs_dsp(
    int16_t *low, int16_t *high, const int16_t *w, uint8_t shift)
{
    for (; low < high; low += 2, high -= 2, w += 2) {
        const int32_t xr = low[0], xi = low[1], yr = high[0], yi = high[1], turn = tm_complex(w);
        int32_t odd, re, im;
        __asm__("pkhbt %0,%1,%2,lsl #16" : "=r"(odd) : "r"((xi + yi + 1) >> 1), "r"((yr - xr + 1) >> 1));
        __asm__("smlad %0,%1,%2,%3" : "=r"(re) : "r"(odd), "r"(turn), "r"(16384));
        __asm__("smlsdx %0,%1,%2,%3" : "=r"(im) : "r"(turn), "r"(odd), "r"(16384));
        re = 2 * tm_stored(re >> 15, 0);
        im = 2 * tm_stored(im >> 15, 0);
        low[0] = tm_stored(xr + yr - re, shift + 1);
        low[1] = tm_stored(xi - yi - im, shift + 1);
        high[0] = tm_stored(xr + yr + re, shift + 1);
        high[1] = tm_stored(yi - xi - im, shift + 1);
    }
}

static TM_LOOP void tm_real_pairs_0(int16_t *low, int16_t *high, const int16_t *w)
{
    tm_real_pairs_dsp(low, high, w, 0);
}

static TM_LOOP void tm_real_pairs_1(int16_t *low, int16_t *high, const int16_t *w)
{
    tm_real_pairs_dsp(low, high, w, 1);
}

#endif
#endif
