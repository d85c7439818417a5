/* Channels of sound with noise reduction and gain control, in the integers of TensorFlow Lite Micro's audio front end.
 * dialects/tdsl/signals/channels.py states what each function computes, and its tables. */
#ifndef TINYML_CHANNELS_H
#define TINYML_CHANNELS_H
#include "butterflies.h"
#include "butterflies_dsp.h"
#include <stdint.h>

#if defined(__ARM_FEATURE_DSP)
#define TM_IN_PARTS __attribute__((__noinline__, __unused__, __optimize__("O2")))
#else
#define TM_IN_PARTS __attribute__((__noinline__, __unused__))
#endif

/* y = x * w / 2^12, rounded down, then zeros up to `length`. */
static TM_IN_PARTS void tm_taper_i16(
    int16_t *y, const int16_t *x, const int16_t *w, uint16_t count, uint16_t length)
{
    uint16_t i;
    for (i = 0; i < count; i++) {
        y[i] = (int16_t)(((int32_t)x[i] * tm_rotation(w + i)) >> 12);
    }
    for (; i < length; i++) {
        y[i] = 0;
    }
}

/* The position of the highest bit, from 1; 0 for 0. */
static inline __attribute__((__always_inline__, __unused__)) uint8_t tm_bit_length(uint32_t x)
{
#if defined(__AVR__)
    uint8_t bits = 0;
    for (; x > 255; x >>= 8) {
        bits = (uint8_t)(bits + 8);
    }
    for (; x; x >>= 1) {
        bits++;
    }
    return bits;
#else
    return (uint8_t)(x ? (int)(8 * sizeof(long)) - __builtin_clzl(x) : 0);
#endif
}

/* x / 4 or x / 2, by the factors 8191 and 16383. */
static inline __attribute__((__always_inline__, __unused__)) int16_t tm_part_of(int16_t x, int16_t factor)
{
    return (int16_t)(((int32_t)x * factor + 16384) >> 15);
}

/* t = z * w / 2^15, rounded to nearest, of real and imaginary parts. */
static inline __attribute__((__always_inline__, __unused__)) void tm_turn(
    int16_t *t, int16_t re, int16_t im, const int16_t *w)
{
    const int16_t c = tm_rotation(w), s = tm_rotation(w + 1);
    t[0] = (int16_t)(((int32_t)re * c - (int32_t)im * s + 16384) >> 15);
    t[1] = (int16_t)(((int32_t)re * s + (int32_t)im * c + 16384) >> 15);
}

#if defined(__ARM_FEATURE_DSP)
/* z / 4 or z / 2 of a complex number in a word, by the factors 16382 and 32766. */
static inline __attribute__((__always_inline__, __unused__)) int32_t tm_part_of_word(int32_t z, int32_t factor)
{
    int32_t re, im, y;
    __asm__("smlabb %0,%1,%2,%3" : "=r"(re) : "r"(z), "r"(factor), "r"(32768));
    __asm__("smlatb %0,%1,%2,%3" : "=r"(im) : "r"(z), "r"(factor), "r"(32768));
    __asm__("pkhtb %0,%1,%2,asr #16" : "=r"(y) : "r"(im), "r"(re));
    return y;
}

static inline __attribute__((__always_inline__, __unused__)) int32_t tm_turn_word(int32_t z, const int16_t *w)
{
    int32_t re, im, y;
    const int32_t turn = tm_complex(w);
    __asm__("smlsd %0,%1,%2,%3" : "=r"(re) : "r"(z), "r"(turn), "r"(16384));
    __asm__("smladx %0,%1,%2,%3" : "=r"(im) : "r"(z), "r"(turn), "r"(16384));
    __asm__("pkhtb %0,%1,%2,asr #15" : "=r"(y) : "r"((uint32_t)im << 1), "r"(re));
    return y;
}

TM_PAIRED(tm_turned_plus, "ssax")
TM_PAIRED(tm_turned_minus, "sasx")

/* One of radix 4 in place, of numbers `step` elements apart; `turned` is 0 if no number is rotated. */
static inline __attribute__((__always_inline__, __unused__)) void tm_radix4_in_parts(
    int16_t *x, const int16_t *w, uint16_t step, uint8_t turned)
{
    int32_t a = tm_part_of_word(tm_complex(x), 16382), b = tm_part_of_word(tm_complex(x + step), 16382);
    int32_t c = tm_part_of_word(tm_complex(x + 2 * step), 16382), d = tm_part_of_word(tm_complex(x + 3 * step), 16382);
    if (turned) {
        b = tm_turn_word(b, w);
        c = tm_turn_word(c, w + 2);
        d = tm_turn_word(d, w + 4);
    }
    const int32_t even = tm_plus(a, c), odd = tm_minus(a, c), sum = tm_plus(b, d), difference = tm_minus(b, d);
    tm_put(x, tm_plus(even, sum));
    tm_put(x + step, tm_turned_plus(odd, difference));
    tm_put(x + 2 * step, tm_minus(even, sum));
    tm_put(x + 3 * step, tm_turned_minus(odd, difference));
}
#else
/* One of radix 4 in place, of numbers `step` elements apart; `turned` is 0 if no number is rotated. */
static inline __attribute__((__always_inline__, __unused__)) void tm_radix4_in_parts(
    int16_t *x, const int16_t *w, uint16_t step, uint8_t turned)
{
    int16_t t[8];
    uint8_t i;
    for (i = 0; i < 2; i++) {
        t[i] = tm_part_of(x[i], 8191);
    }
    for (i = 1; i < 4; i++) {
        const int16_t *z = x + (uint16_t)i * step;
        const int16_t re = tm_part_of(z[0], 8191), im = tm_part_of(z[1], 8191);
        if (turned) {
            tm_turn(t + 2 * i, re, im, w + 2 * (i - 1));
        } else {
            t[2 * i] = re;
            t[2 * i + 1] = im;
        }
    }
    for (i = 0; i < 2; i++) {
        const int16_t even = (int16_t)(t[i] + t[4 + i]), odd = (int16_t)(t[i] - t[4 + i]);
        const int16_t sum = (int16_t)(t[2 + i] + t[6 + i]);
        /* The other part of the difference, times -j. */
        const int16_t other = (int16_t)(i ? t[6] - t[2] : t[3] - t[7]);
        x[i] = (int16_t)(even + sum);
        x[step + i] = (int16_t)(odd + other);
        x[2 * step + i] = (int16_t)(even - sum);
        x[3 * step + i] = (int16_t)(odd - other);
    }
}
#endif

/* Exchanges `points` complex numbers by the reversed base-4 digits of their indices. */
static TM_IN_PARTS void tm_reverse_digits(int16_t *x, uint16_t points)
{
    uint16_t i, j = 0;
    for (i = 0; i < points; i++) {
        uint16_t digit = (uint16_t)(3 * (points >> 2));
        if (i < j) {
            int16_t *a = x + 2 * i, *b = x + 2 * j;
            const int16_t re = a[0], im = a[1];
            a[0] = b[0];
            a[1] = b[1];
            b[0] = re;
            b[1] = im;
        }
        /* Add 1 to the digits of j from the highest. */
        for (; digit && (j & digit) == digit; digit >>= 2) {
            j = (uint16_t)(j - digit);
        }
        j = (uint16_t)(j + digit / 3);
    }
}

static TM_IN_PARTS void tm_bins_in_parts(int16_t *x, const int16_t *w, uint16_t points)
{
    int16_t *low = x + 2, *high = x + 2 * (points - 1);
    for (; low <= high; low += 2, high -= 2, w += 2) {
        const int16_t pr = tm_part_of(low[0], 16383), pi = tm_part_of(low[1], 16383);
        const int16_t qr = tm_part_of(high[0], 16383), qi = tm_part_of((int16_t)-high[1], 16383);
        const int16_t er = (int16_t)(pr + qr), ei = (int16_t)(pi + qi);
        int16_t t[2];
        tm_turn(t, (int16_t)(pr - qr), (int16_t)(pi - qi), w);
        low[0] = (int16_t)(((int32_t)er + t[0]) >> 1);
        low[1] = (int16_t)(((int32_t)ei + t[1]) >> 1);
        high[0] = (int16_t)(((int32_t)er - t[0]) >> 1);
        high[1] = (int16_t)(((int32_t)t[1] - ei) >> 1);
    }
}

/* The bins of real samples in place; the number of their doublings replaces bin 0. `w`: the rotations of the last
 * stage, then those of the bins. */
static TM_IN_PARTS void tm_scaled_spectrum_i16(int16_t *x, const int16_t *w, uint16_t points)
{
    uint16_t i, span, stride;
    int16_t peak = 0;
    uint8_t doublings;
    for (i = 0; i < 2 * points; i++) {
        const int16_t magnitude = (int16_t)(x[i] < 0 ? -(int32_t)x[i] : x[i]);
        if (magnitude > peak) {
            peak = magnitude;
        }
    }
    doublings = (uint8_t)(15 - tm_bit_length((uint32_t)peak));
    for (i = 0; i < 2 * points; i++) {
        x[i] = (int16_t)((uint16_t)x[i] << doublings);
    }
    tm_reverse_digits(x, points);
    /* Quarters are not changed by a rotation by 0, whose factor is 32767. */
    for (i = 0; i < points; i += 4) {
        tm_radix4_in_parts(x + 2 * i, w, 2, 0);
    }
    for (span = 4, stride = points >> 4; span < points; span <<= 2, stride >>= 2) {
        int16_t *group = x;
        for (; group < x + 2 * points; group += 8 * span) {
            const int16_t *turn = w;
            for (i = 0; i < span; i++, turn += 6 * stride) {
                tm_radix4_in_parts(group + 2 * i, turn, (uint16_t)(2 * span), 1);
            }
        }
    }
    tm_bins_in_parts(x, w + 6 * (points >> 2), points);
    x[0] = doublings;
    x[1] = 0;
}

/* Two bits of a square root's argument give one of the root: `rest` is the argument's part so far less root^2. */
#define TM_ROOT_STEP(root, rest, word) \
    do { \
        rest = rest << 2 | word >> 30; \
        word <<= 2; \
        root <<= 1; \
        if (rest > 2 * root) { \
            rest -= 2 * root + 1; \
            root++; \
        } \
    } while (0)

/* The square root of x < 2^58, rounded to nearest; of a 32-bit number at most 2^16 - 1. */
static TM_IN_PARTS uint32_t tm_root(uint64_t x)
{
    const uint32_t high = (uint32_t)(x >> 32);
    uint32_t low = (uint32_t)x, root = 0, rest = 0;
    uint8_t pairs = 16;
    if (high) {
        uint8_t bits = (uint8_t)((tm_bit_length(high) + 1) & ~1);
        uint32_t word = high << (32 - bits);
        for (; bits; bits = (uint8_t)(bits - 2)) {
            TM_ROOT_STEP(root, rest, word);
        }
    } else {
        pairs = (uint8_t)((tm_bit_length(low) + 1) >> 1);
        low = pairs ? low << (32 - 2 * pairs) : 0;
    }
    for (; pairs; pairs--) {
        TM_ROOT_STEP(root, rest, low);
    }
    return root + (rest > root && (high || root != 0xFFFF));
}

/* Magnitudes of channels. `bank`: for each channel and one more, the number of its bins and their weights. */
static TM_IN_PARTS void tm_channels_i32(
    int32_t *y, const int16_t *x, const int16_t *bank, uint16_t count, uint16_t first)
{
    const uint8_t doublings = (uint8_t)x[0];
    uint64_t sum = 0, next = 0;
    uint16_t i;
    for (i = 0, x += 2 * first; i <= count; i++) {
        uint16_t width = (uint16_t)tm_rotation(bank++);
        for (; width; width--, x += 2) {
            const uint32_t power = (uint32_t)((int32_t)x[0] * x[0]) + (uint32_t)((int32_t)x[1] * x[1]);
            const uint32_t weight = (uint32_t)tm_rotation(bank++);
            sum += (uint64_t)power * weight;
            next += (uint64_t)power * (4096 - weight);
        }
        if (i) {
            y[i - 1] = (int32_t)(tm_root(sum) >> doublings);
        }
        sum = next;
        next = 0;
    }
}

/* The noise, moved towards the channels x by the shares of even and odd channels. */
static __attribute__((__noinline__, __unused__)) void tm_noise_i32(
    int32_t *y, const int32_t *x, const int32_t *before, uint16_t count, uint16_t even, uint16_t odd)
{
    uint16_t i;
    for (i = 0; i < count; i++) {
        const uint32_t share = i & 1 ? odd : even;
        const uint64_t moved = (uint64_t)((uint32_t)x[i] << 10) * share + (uint64_t)(uint32_t)before[i] * (16384 - share);
        y[i] = (int32_t)(uint32_t)(moved >> 14);
    }
}

/* The gain of a noise: a parabola between powers of two. */
static __attribute__((__noinline__, __unused__)) uint32_t tm_gain(uint32_t noise, const int16_t *gains)
{
    const uint8_t bits = tm_bit_length(noise);
    if (noise < 2) {
        return (uint32_t)tm_rotation(gains + noise);
    }
    gains += 3 * bits - 4;
    const int32_t share = (int32_t)((bits < 11 ? noise << (11 - bits) : noise >> (bits - 11)) & 0x3FF);
    int32_t y = ((tm_rotation(gains + 2) * share) >> 5) + (int32_t)tm_rotation(gains + 1) * 32;
    y = (y * share + 16384) >> 15;
    return (uint32_t)(y + tm_rotation(gains));
}

/* 64 ln(x), for x of at least 2. */
static __attribute__((__noinline__, __unused__)) int16_t tm_feature_log(uint32_t x, const int16_t *logs)
{
    const uint8_t whole = (uint8_t)(tm_bit_length(x) - 1);
    uint32_t share = x - ((uint32_t)1 << whole), log;
    share = whole < 16 ? share << (16 - whole) : share >> (whole - 16);
    logs += share >> 9;
    const int32_t start = tm_rotation(logs), slope = tm_rotation(logs + 1) - start;
    log = ((uint32_t)whole << 16) + share + (uint32_t)start + (uint32_t)((slope * (int32_t)(share & 511)) >> 16);
    log = (uint32_t)(((uint64_t)log * 45426 + 32768) >> 16);
    return (int16_t)(((log << 6) + 32768) >> 16);
}

/* The feature of a channel and its noise. `tables`: 95 numbers of gains, then 129 of logarithms. */
static __attribute__((__noinline__, __unused__)) int16_t tm_channel_feature(
    uint32_t channel, uint32_t noise, const int16_t *tables, uint16_t least, uint8_t bits)
{
    const uint32_t doubled = channel << 10, floor = (uint32_t)(((uint64_t)channel * least) >> 14);
    uint32_t left = noise < doubled ? (doubled - noise) >> 10 : 0, ratio;
    if (left < floor) {
        left = floor;
    }
    ratio = (uint32_t)(((uint64_t)left * tm_gain(noise, tables)) >> (9 - bits));
    ratio = ratio < 8192 ? (ratio * ratio) >> 20 : (ratio >> 6) - 64;
    ratio <<= bits;
    return ratio > 1 ? tm_feature_log(ratio, tables + 95) : 0;
}

static __attribute__((__noinline__, __unused__)) void tm_channel_features_i16(int16_t *y, const int32_t *x,
    const int32_t *noise, const int16_t *tables, uint16_t count, uint16_t least, uint8_t bits)
{
    uint16_t i;
    for (i = 0; i < count; i++) {
        y[i] = tm_channel_feature((uint32_t)x[i], (uint32_t)noise[i], tables, least, bits);
    }
}

/* `tables`: also the factor to raws in units of 2^-31, low half first, and the raw of 0. */
static __attribute__((__noinline__, __unused__)) void tm_channel_features_i8(int8_t *y, const int32_t *x,
    const int32_t *noise, const int16_t *tables, uint16_t count, uint16_t least, uint8_t bits)
{
    const uint32_t low = (uint16_t)tm_rotation(tables + 224), factor = (uint32_t)tm_rotation(tables + 225) << 16 | low;
    const int16_t zero = tm_rotation(tables + 226);
    uint16_t i;
    for (i = 0; i < count; i++) {
        const int16_t feature = tm_channel_feature((uint32_t)x[i], (uint32_t)noise[i], tables, least, bits);
        const int16_t raw = (int16_t)(zero + (int16_t)(((uint64_t)(uint16_t)feature * factor + 0x40000000) >> 31));
        y[i] = (int8_t)(raw < 127 ? raw : 127);
    }
}
#endif
