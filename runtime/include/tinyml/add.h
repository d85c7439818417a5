/* tm_add_i16: (a * 2^left + b) / 2^right, rounded down and limited to [1 - 2^(bits - 1), 2^(bits - 1) - 1]. `left`,
 * `right` and `bits` are constants, `left` and `right` up to 8, `bits` up to 16 - (right - left) and 16. */
#ifndef TINYML_ADD_H
#define TINYML_ADD_H
#include <stdint.h>

#ifdef __AVR__
/* In 16 bits: b is shifted right instead of a left. The bits that b loses are kept in `rest`, unless they would be lost
 * anyway, and shifted back into the sum. A sum that overflows is beyond the limits, whatever these bits are. */
static inline __attribute__((__always_inline__, __unused__)) int16_t tm_add_i16(
    int16_t a, int16_t b, uint8_t left, uint8_t right, uint8_t bits)
{
    int16_t y;
    uint8_t rest;
    __asm__(".rept %[lost]\n\tasr %B[b]\n\tror %A[b]\n\t.endr\n\t"
            ".rept %[up]\n\tasr %B[b]\n\tror %A[b]\n\tror %[rest]\n\t.endr\n\t"
            "add %A0,%A[b]\n\tadc %B0,%B[b]\n\tbrvs 1f\n\t"
            ".rept %[up]\n\tlsl %[rest]\n\trol %A0\n\trol %B0\n\tbrvs 1f\n\t.endr\n\t"
            ".if %[spare]\n\tmov %[rest],%B0\n\t.rept %[spare]\n\tlsl %[rest]\n\tbrvs 1f\n\t.endr\n\t.endif\n\t"
            ".rept %[down]\n\tasr %B0\n\tror %A0\n\t.endr\n\t"
            "cpi %B0,hi8(%[least])\n\tbrne 2f\n\ttst %A0\n\tbrne 2f\n\ttst %B0\n"
            "1:\tldi %A0,0xff\n\tldi %B0,hi8(-1-(%[least]))\n\tbrge 2f\n\tldi %A0,1\n\tldi %B0,hi8(%[least])\n2:"
            : "=d"(y), [b] "+r"(b), [rest] "=&r"(rest)
            : "0"(a), [lost] "n"(left < right ? left : right), [up] "n"(left > right ? left - right : 0),
            [down] "n"(right > left ? right - left : 0), [spare] "n"(16 - (right > left ? right - left : 0) - bits),
            [least] "n"(-1L << (bits - 1)));
    return y;
}
#else
static inline __attribute__((__unused__)) int16_t tm_add_i16(
    int16_t a, int16_t b, uint8_t left, uint8_t right, uint8_t bits)
{
    const int32_t most = ((int32_t)1 << (bits - 1)) - 1;
    const int32_t y = (a * ((int32_t)1 << left) + b) >> right;
    return (int16_t)(y < -most ? -most : y > most ? most : y);
}
#endif
#endif
