/* tm_multiply_i16: a * b / 2^right, rounded to nearest (half up), proven to fit by the caller. `right` is a constant of
 * 9 to 16. */
#ifndef TINYML_MULTIPLY_H
#define TINYML_MULTIPLY_H
#include <stdint.h>

#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
/* The lowest byte of the product has no effect; the next one is shifted left until its top bit rounds. */
static inline __attribute__((__always_inline__, __unused__)) int16_t tm_multiply_i16(int16_t a, int16_t b, uint8_t right)
{
    int16_t y;
    uint8_t low, zero;
    __asm__("clr %2\n\tmuls %B3,%B4\n\tmovw %A0,r0\n\tmul %A3,%A4\n\tmov %1,r1\n\t"
            "mulsu %B3,%A4\n\tsbc %B0,%2\n\tadd %1,r0\n\tadc %A0,r1\n\tadc %B0,%2\n\t"
            "mulsu %B4,%A3\n\tsbc %B0,%2\n\tadd %1,r0\n\tadc %A0,r1\n\tadc %B0,%2\n\t"
            ".rept %5\n\tlsl %1\n\trol %A0\n\trol %B0\n\t.endr\n\tlsl %1\n\tadc %A0,%2\n\tadc %B0,%2\n\tclr r1"
            : "=&r"(y), "=&r"(low), "=&r"(zero) : "a"(a), "a"(b), "n"(16 - right) : "r0");
    return y;
}
#else
static inline __attribute__((__unused__)) int16_t tm_multiply_i16(int16_t a, int16_t b, uint8_t right)
{
    return (int16_t)(((int32_t)a * b + ((int32_t)1 << (right - 1))) >> right);
}
#endif
#endif
