/* Images transposed in place: rows * columns pixels of some elements each, which become columns * rows. Each cycle of
 * the permutation of pixels is rotated once, from its first pixel on (Gural and Murmann 2019, section 4.1), until all
 * pixels have moved: most cycles begin with one of the first pixels. */
#ifndef TINYML_TRANSPOSE_H
#define TINYML_TRANSPOSE_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#define TM_TRANSPOSE __attribute__((__noinline__, __noclone__, __unused__))
#else
#define TM_TRANSPOSE __attribute__((__noinline__, __unused__))
#endif

/* Where pixel i moves. A few rows, such as the planes of an image, take no division. */
static inline __attribute__((__always_inline__)) size_t tm_transposed(size_t i, size_t rows, size_t columns)
{
    size_t row = 0;
    if (rows > 4) {
        row = i / columns;
        i -= row * columns;
    } else {
        for (; i >= columns; i -= columns)
            row++;
    }
    return i * rows + row;
}

/* True if pixel i is the first one of its cycle. */
static inline __attribute__((__always_inline__)) int tm_begins_cycle(size_t i, size_t rows, size_t columns)
{
    size_t at = i;
    do
        at = tm_transposed(at, rows, columns);
    while (at > i);
    return at == i;
}

/* Pixels of `bytes` bytes, from byte `first` on. */
static TM_TRANSPOSE void tm_transpose(void *image, int first, int rows, int columns, int bytes)
{
    uint8_t *const x = (uint8_t *)image + first;
    const size_t r = (size_t)rows, c = (size_t)columns, n = (size_t)bytes;
    for (size_t i = 1, left = r * c; left > 2; i++) {
        if (!tm_begins_cycle(i, r, c))
            continue;
        left--;
        for (size_t to = tm_transposed(i, r, c); to != i; to = tm_transposed(to, r, c), left--) {
            uint8_t *p = x + i * n, *q = x + to * n;
            for (size_t k = n; k > 0; k--) {
                const uint8_t held = *p;
                *p++ = *q;
                *q++ = held;
            }
        }
    }
}

/* Pixels of `elements` elements of 4 bits, two per byte, the first in the low bits; from element `first` on. */
static TM_TRANSPOSE void tm_transpose_s4(void *image, int first, int rows, int columns, int elements)
{
    uint8_t *const x = (uint8_t *)image;
    const size_t r = (size_t)rows, c = (size_t)columns, n = (size_t)elements;
    for (size_t i = 1, left = r * c; left > 2; i++) {
        if (!tm_begins_cycle(i, r, c))
            continue;
        left--;
        for (size_t to = tm_transposed(i, r, c); to != i; to = tm_transposed(to, r, c), left--) {
            size_t a = (size_t)first + i * n, b = (size_t)first + to * n;
            for (size_t k = n; k > 0; k--, a++, b++) {
                uint8_t *const p = x + (a >> 1), *const q = x + (b >> 1);
                const uint8_t one = a & 1 ? *p >> 4 : *p & 15, two = b & 1 ? *q >> 4 : *q & 15;
                *p = (uint8_t)(a & 1 ? (*p & 15) | two << 4 : (*p & 240) | two);
                *q = (uint8_t)(b & 1 ? (*q & 15) | one << 4 : (*q & 240) | one);
            }
        }
    }
}
#endif
