/* Images transposed in place: rows * columns pixels of some elements each, which become columns * rows. Each cycle of
 * the permutation of pixels is rotated once, from its first pixel on (Gural and Murmann 2019, section 4.1). */
#ifndef TINYML_TRANSPOSE_H
#define TINYML_TRANSPOSE_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#define TM_TRANSPOSE __attribute__((__noinline__, __noclone__, __unused__))
#else
#define TM_TRANSPOSE __attribute__((__noinline__, __unused__))
#endif

/* The pixel that moves to pixel i. */
static inline __attribute__((__always_inline__)) size_t tm_transposed(size_t i, size_t rows, size_t columns)
{
    return i % rows * columns + i / rows;
}

/* Pixels of `bytes` bytes, from byte `first` on. */
static TM_TRANSPOSE void tm_transpose(void *image, int first, int rows, int columns, int bytes)
{
    uint8_t *const x = (uint8_t *)image + first;
    const size_t r = (size_t)rows, c = (size_t)columns, n = (size_t)bytes;
    for (size_t i = 1; i + 1 < r * c; i++) {
        size_t from = tm_transposed(i, r, c), to = i;
        while (from > i)
            from = tm_transposed(from, r, c);
        if (from < i)
            continue;
        while ((from = tm_transposed(to, r, c)) != i) {
            uint8_t *p = x + to * n, *q = x + from * n;
            for (size_t k = n; k > 0; k--) {
                const uint8_t held = *p;
                *p++ = *q;
                *q++ = held;
            }
            to = from;
        }
    }
}

/* Pixels of `elements` elements of 4 bits, two per byte, the first in the low bits; from element `first` on. */
static TM_TRANSPOSE void tm_transpose_s4(void *image, int first, int rows, int columns, int elements)
{
    uint8_t *const x = (uint8_t *)image;
    const size_t r = (size_t)rows, c = (size_t)columns, n = (size_t)elements;
    for (size_t i = 1; i + 1 < r * c; i++) {
        size_t from = tm_transposed(i, r, c), to = i;
        while (from > i)
            from = tm_transposed(from, r, c);
        if (from < i)
            continue;
        while ((from = tm_transposed(to, r, c)) != i) {
            size_t a = (size_t)first + to * n, b = (size_t)first + from * n;
            for (size_t k = n; k > 0; k--, a++, b++) {
                uint8_t *const p = x + (a >> 1), *const q = x + (b >> 1);
                const uint8_t one = a & 1 ? *p >> 4 : *p & 15, two = b & 1 ? *q >> 4 : *q & 15;
                *p = (uint8_t)(a & 1 ? (*p & 15) | two << 4 : (*p & 240) | two);
                *q = (uint8_t)(b & 1 ? (*q & 15) | one << 4 : (*q & 240) | one);
            }
            to = from;
        }
    }
}
#endif
