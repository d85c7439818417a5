/* Single butterflies of Fourier transforms of 16-bit integers. Complex numbers are pairs of a real and an imaginary part
 * in memory; `w` are -cos and -sin of rotations in units of 2^-15, in flash. Results are x / 2^shift, rounded to nearest
 * (halves upwards) and limited to [-32767, 32767]. */
#ifndef TINYML_BUTTERFLIES_H
#define TINYML_BUTTERFLIES_H
#include <stdint.h>

#if defined(__AVR__)
static inline __attribute__((__unused__)) int16_t tm_rotation(const int16_t *w)
{
    int16_t y;
    __asm__("lpm %A0,Z+\n\tlpm %B0,Z+" : "=r"(y), "+z"(w));
    return y;
}
#else
static inline __attribute__((__unused__)) int16_t tm_rotation(const int16_t *w)
{
    return *w;
}
#endif

static inline __attribute__((__unused__)) int16_t tm_stored(int32_t x, uint8_t shift)
{
    x = (x + ((int32_t)1 << shift >> 1)) >> shift;
    return (int16_t)(x > 32767 ? 32767 : x < -32767 ? -32767 : x);
}

/* The first stage, of radix 2: `count` pairs of neighbours, neither of which is rotated. */
static __attribute__((__noinline__, __unused__)) void tm_radix2(int16_t *x, uint16_t count, uint8_t shift)
{
    for (; count; count--, x += 4) {
        uint8_t k;
        for (k = 0; k < 2; k++) {
            const int32_t a = x[k], b = x[2 + k];
            x[k] = tm_stored(a + b, shift);
            x[2 + k] = tm_stored(a - b, shift);
        }
    }
}

/* z * (w[0] - j w[1]) / 2^right, not limited. */
static inline __attribute__((__unused__)) void tm_rotate(int32_t *t, const int16_t *z, const int16_t *w, uint8_t right)
{
    const int32_t c = tm_rotation(w), s = tm_rotation(w + 1), half = (int32_t)1 << (right - 1);
    t[0] = (z[0] * c + z[1] * s + half) >> right;
    t[1] = (z[1] * c - z[0] * s + half) >> right;
}

/* One of radix 4 in place: numbers `step` elements apart, all but the first rotated by three pairs of `w`. */
static __attribute__((__noinline__, __unused__)) void tm_butterfly4(
    int16_t *a, const int16_t *w, uint16_t step, uint8_t shift)
{
    int32_t t[6];
    uint8_t i;
    for (i = 0; i < 3; i++) {
        tm_rotate(t + 2 * i, a + (uint16_t)(i + 1) * step, w + 2 * i, 16);
    }
    for (i = 0; i < 2; i++) {
        /* The other part of the third and fourth number, with the sign that -j gives it. */
        const int32_t turned = i ? t[4] - t[2] : t[3] - t[5];
        const int32_t even = a[i] - 2 * t[i], odd = a[i] + 2 * t[i], sum = 2 * (t[2 + i] + t[4 + i]);
        a[i] = tm_stored(even - sum, shift);
        a[2 * step + i] = tm_stored(even + sum, shift);
        a[step + i] = tm_stored(odd - 2 * turned, shift);
        a[3 * step + i] = tm_stored(odd + 2 * turned, shift);
    }
}

/* Bins k and N / 2 - k of a real signal, from those of its samples as N / 2 complex numbers. */
static __attribute__((__noinline__, __unused__)) void tm_real_pair(
    int16_t *x, int16_t *y, const int16_t *w, uint8_t shift)
{
    const int16_t xr = x[0], xi = x[1], yr = y[0], yi = y[1];
    const int16_t odd[2] = {(int16_t)(((int32_t)xi + yi + 1) >> 1), (int16_t)(((int32_t)yr - xr + 1) >> 1)};
    int32_t t[2];
    tm_rotate(t, odd, w, 15);
    t[0] = tm_stored(t[0], 0);
    t[1] = tm_stored(t[1], 0);
    x[0] = tm_stored((int32_t)xr + yr - 2 * t[0], (uint8_t)(shift + 1));
    x[1] = tm_stored((int32_t)xi - yi - 2 * t[1], (uint8_t)(shift + 1));
    y[0] = tm_stored((int32_t)xr + yr + 2 * t[0], (uint8_t)(shift + 1));
    y[1] = tm_stored((int32_t)yi - xi - 2 * t[1], (uint8_t)(shift + 1));
}
#endif
