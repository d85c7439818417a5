/* Stages of Fourier transforms of 16-bit integers, in place, with the arithmetic of butterflies.h. */
#ifndef TINYML_FOURIER_H
#define TINYML_FOURIER_H
#include "butterflies.h"
#include "butterflies_avr.h"
#include "butterflies_dsp.h"
#include <stdint.h>

/* Exchanges complex numbers by pairs of their indices, which lie in flash. */
static __attribute__((__noinline__, __unused__)) void tm_exchange_any(int16_t *x, const int8_t *pairs, uint16_t count)
{
    for (; count; count--, pairs += 2) {
        const uint16_t both = (uint16_t)tm_rotation((const int16_t *)(const void *)pairs);
        int16_t *a = x + 2 * (both & 255), *b = x + 2 * (both >> 8);
        uint8_t k;
        for (k = 0; k < 2; k++) {
            const int16_t kept = a[k];
            a[k] = b[k];
            b[k] = kept;
        }
    }
}

/* A stage of radix 4: `groups` of four transforms of `span` numbers each. */
static __attribute__((__noinline__, __unused__)) void tm_radix4(
    int16_t *x, const int16_t *w, uint16_t groups, uint16_t span, uint8_t shift)
{
    for (; groups; groups--, x += 6 * span) {
        const int16_t *turn = w;
        uint16_t k;
        for (k = 0; k < span; k++, x += 2, turn += 6) {
            tm_butterfly4(x, turn, (uint16_t)(2 * span), shift);
        }
    }
}

/* The pairs of bins from `low` up and from `high` down. */
static __attribute__((__noinline__, __unused__)) void tm_real_pairs(
    int16_t *low, int16_t *high, const int16_t *w, uint8_t shift)
{
    for (; low < high; low += 2, high -= 2, w += 2) {
        tm_real_pair(low, high, w, shift);
    }
}

#if (defined(__AVR__) && defined(__AVR_HAVE_MUL__)) || defined(__ARM_FEATURE_DSP)
#define TM_FOR_SHIFT(condition, fast, any) ((condition) ? fast : any)
#else
#define TM_FOR_SHIFT(condition, fast, any) any
#endif

static inline __attribute__((__always_inline__, __unused__)) void tm_reverse_bits_i16(
    int16_t *x, const int8_t *pairs, uint16_t count)
{
    TM_FOR_SHIFT(count < 256, tm_exchange(x, pairs, count), tm_exchange_any(x, pairs, count));
}

static inline __attribute__((__always_inline__, __unused__)) void tm_butterflies2_i16(
    int16_t *x, uint16_t count, uint8_t shift)
{
    TM_FOR_SHIFT(shift == 0, tm_radix2_0(x, count),
        TM_FOR_SHIFT(shift == 1, tm_radix2_1(x, count), tm_radix2(x, count, shift)));
}

static inline __attribute__((__always_inline__, __unused__)) void tm_butterflies4_i16(
    int16_t *x, const int16_t *w, uint16_t groups, uint16_t span, uint8_t shift)
{
    TM_FOR_SHIFT(shift == 1 && groups < 256 && span < 64, tm_radix4_1(x, w, groups, span),
        TM_FOR_SHIFT(shift == 2 && groups < 256 && span < 64, tm_radix4_2(x, w, groups, span),
            tm_radix4(x, w, groups, span, shift)));
}

/* The bins of a real signal, from those of its samples as `points` complex numbers. */
static inline __attribute__((__always_inline__, __unused__)) void tm_real_spectrum_i16(
    int16_t *x, const int16_t *w, uint16_t points, uint8_t shift)
{
    const int32_t a = x[0], b = x[1];
    int16_t *low = x + 2, *high = x + 2 * (points - 1), *middle = x + points;
    x[0] = tm_stored(a + b, shift);
    x[1] = tm_stored(a - b, shift);
    TM_FOR_SHIFT(shift == 0, tm_real_pairs_0(low, high, w),
        TM_FOR_SHIFT(shift == 1, tm_real_pairs_1(low, high, w), tm_real_pairs(low, high, w, shift)));
    middle[0] = tm_stored(middle[0], shift);
    middle[1] = tm_stored(-(int32_t)middle[1], shift);
}
#endif
