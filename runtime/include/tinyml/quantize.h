/* tm_divide_to_nearest_sN(x, scale, reciprocal, low, high), tm_divide_to_even_s9, and tm_multiply_to_even_s9 by a factor:
 * the quotient or the product in single precision, rounded to the nearest integer, halves away from zero or to even, and
 * limited to [low, high], which holds 0; low for NaN. Scales and factors are from 2^-100 to 2^100. For s9, limits are at
 * most 255, and `reciprocal` is 2^39 over the 24 bits of the scale's mantissa, or the upper 16 bits of the factor's, rounded
 * to 16 bits; for s16, it is 2^47 over the mantissa, rounded to 24 bits. */
#ifndef TINYML_QUANTIZE_H
#define TINYML_QUANTIZE_H
#include <stdint.h>
#include "f32.h"

/* Compilers say where there is hardware for floats. */
#if defined(__riscv_flen) || (defined(__ARM_FP) && (__ARM_FP & 4))
#define tm_divide_to_nearest_s9(x, scale, reciprocal, low, high) \
    ((int16_t)tm_f32_to_nearest((x) / (scale), low, high))
#define tm_divide_to_nearest_s16(x, scale, reciprocal, low, high) \
    ((int16_t)tm_f32_to_nearest((x) / (scale), low, high))
#define tm_divide_to_even_s9(x, scale, reciprocal, low, high) ((int16_t)tm_f32_to_even((x) / (scale), low, high))
#define tm_multiply_to_even_s9(x, factor, reciprocal, low, high) ((int16_t)tm_f32_to_even((x) * (factor), low, high))
#else
#define TMR_INLINE inline __attribute__((__always_inline__, __unused__))
#define TMR_SHARED __attribute__((__noinline__, __unused__))
/* The byte at a time, which takes no shifts on machines of 8 bits. */
#define TMR_EXPONENT(bits) ((uint8_t)((uint8_t)((bits) >> 24) << 1 | (uint8_t)((bits) >> 16) >> 7))
#define TMR_MANTISSA(bits) (((bits) & (uint32_t)0x7FFFFF) | (uint32_t)0x800000)
#define TMR_IS_NEGATIVE(bits) ((uint8_t)((uint8_t)((bits) >> 24) >> 7))
/* Of a number beyond the limits, or of NaN. */
#define TMR_IS_LOW(bits) ((bits) > (uint32_t)0x7F800000)
/* Of a size in units of 1/128, which is at most 1/2 above and less than 5/2 below the exact quotient: within these errors
 * of a half. */
#define TMR_IS_NEAR(size) ((uint8_t)(((uint8_t)(size) & 127) - 62) <= 2)

static inline uint32_t tm_bits_of(float x)
{
    union { float value; uint32_t bits; } y;
    y.value = x;
    return y.bits;
}

/* Whether |x| / scale, rounded to single precision, is at least whole + 1/2, or above that if `even` and whole is even. Its
 * double is m * 2^places over the scale's mantissa; so near a half, the lower words of products tell. */
static TMR_SHARED uint8_t tm_quotient_rounds_up(uint32_t x, uint32_t scale, uint16_t whole, uint8_t places, uint8_t even)
{
    const uint32_t twice = 2 * (uint32_t)whole + 1, unit = TMR_MANTISSA(scale);
    const int32_t over = (int32_t)((TMR_MANTISSA(x) << places) - unit * twice);
    const int32_t error = (int32_t)(unit >> (25 - places - (twice >> places != 0)));
    return even && (whole & 1) == 0 ? over > error : over >= -error;
}

/* Whether |x| * factor, rounded to single precision, is rounded up to whole + 1, halves to even. */
static TMR_SHARED uint8_t tm_product_rounds_up(uint32_t x, uint32_t factor, uint16_t whole, uint8_t right)
{
    const uint32_t m = TMR_MANTISSA(x), n = TMR_MANTISSA(factor), twice = 2 * (uint32_t)whole + 1;
    const uint16_t m_high = (uint16_t)(m >> 8), m_low = (uint16_t)(m & 255);
    const uint16_t n_high = (uint16_t)(n >> 8), n_low = (uint16_t)(n & 255);
    const uint16_t low = (uint16_t)(m_low * n_low);
    const uint32_t cross = (uint32_t)m_high * n_low + (uint32_t)n_high * m_low + (low >> 8);
    const uint32_t high = (uint32_t)m_high * n_high + (cross >> 8);
    const int32_t over = (int32_t)(high - (twice << (22 + right)));
    const int32_t error = (int32_t)64 << (twice >> (9 - right) != 0);
    return (whole & 1) == 0 ? over + ((uint16_t)(m * n) != 0) > error : over >= -error;
}

#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
/* A product of two bytes, added from the byte below the fraction or from the fraction on. */
#define TMR_AVR_ADD2(A, B) "mul " A "," B "\n\tadd %[fraction],r0\n\tadc %A[whole],r1\n\tadc %B[whole],%[zero]\n\t"
#define TMR_AVR_ADD(A, B) "mul " A "," B "\n\tadd %[byte],r0\n\tadc %[fraction],r1\n\tadc %A[whole],%[zero]\n\t"
#define TMR_AVR_ADD3(A, B) TMR_AVR_ADD(A, B) "adc %B[whole],%[zero]\n\t"
#define TMR_AVR_RESULTS [whole] "=&d"(whole), [fraction] "=&d"(fraction), [byte] "=&r"(byte), [zero] "=&r"(zero), \
    [upper] "=&d"(upper), [right] "+d"(exponent)
#endif

#define TMR_DIVIDE 0
#define TMR_DIVIDE_EVEN 1
#define TMR_MULTIPLY_EVEN 2
#define TMR_DIVIDE_WIDE 3

/* The product of the mantissa and the reciprocal is shifted to the right by `base` minus the exponent, from units of 1/128
 * in its upper half or, for TMR_DIVIDE_WIDE, from units of 1/256 in its upper 24 of 48 bits. */
static TMR_INLINE int16_t tm_quantize(
    float x, float scale, uint32_t reciprocal, uint8_t base, uint8_t kind, int16_t low, int16_t high)
{
    const uint32_t bits = tm_bits_of(x), unit = tm_bits_of(scale);
    const uint8_t most = kind == TMR_DIVIDE_WIDE ? 16 : 9;
    uint8_t exponent, up, is_near;
    uint16_t whole;
#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
    __asm__("mov %0,%C1\n\tlsl %0\n\tmov %0,%D1\n\trol %0" : "=&r"(exponent) : "r"(bits));
#else
    exponent = TMR_EXPONENT(bits);
#endif
    if (exponent > base)
        return TMR_IS_LOW(bits) ? low : high;
    const uint8_t right = (uint8_t)(base - exponent);
    if (right > most)
        return 0;
#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
    /* The integer and 1/256; for s9, products beyond 8 bits become 255 and 255/256. Integers of 16 bits are no longer
     * rounded up, since they exceed all limits. */
    uint8_t zero, byte, upper, fraction;
    exponent = right;
    if (kind == TMR_DIVIDE_WIDE)
        __asm__("mov %[upper],%C[x]\n\tori %[upper],128\n\tclr %[zero]\n\t"
                "mul %[upper],%C[r]\n\tmovw %[whole],r0\n\tmul %B[x],%B[r]\n\tmov %[byte],r0\n\tmov %[fraction],r1\n\t"
                TMR_AVR_ADD3("%[upper]", "%A[r]") TMR_AVR_ADD3("%A[x]", "%C[r]")
                TMR_AVR_ADD2("%[upper]", "%B[r]") TMR_AVR_ADD2("%B[x]", "%C[r]") "clr r1\n\trjmp 2f\n"
                "1:\tmov %[fraction],%A[whole]\n\tmov %A[whole],%B[whole]\n\tclr %B[whole]\n"
                "2:\tsubi %[right],8\n\tbrcc 1b\n\tsubi %[right],248\n\trjmp 4f\n"
                "3:\tlsr %B[whole]\n\tror %A[whole]\n\tror %[fraction]\n4:\tdec %[right]\n\tbrpl 3b\n\t"
                "sbrc %B[whole],7\n\tclr %[fraction]"
                : TMR_AVR_RESULTS : [x] "r"(bits), [r] "r"(reciprocal) : "r0");
    else
        __asm__("mov %[upper],%C[x]\n\tori %[upper],128\n\tclr %[zero]\n\t"
                "mul %B[x],%A[r]\n\tmov %[byte],r1\n\tmul %[upper],%B[r]\n\tmov %[fraction],r0\n\tmov %A[whole],r1\n\t"
                TMR_AVR_ADD("%[upper]", "%A[r]") TMR_AVR_ADD("%B[x]", "%B[r]") "clr r1\n\tclr %B[whole]\n\trjmp 2f\n"
                "1:\tlsr %A[whole]\n\tror %[fraction]\n2:\tdec %[right]\n\tbrpl 1b\n\t"
                "lsl %[fraction]\n\trol %A[whole]\n\tbrcc 3f\n\tldi %[fraction],255\n\tldi %A[whole],255\n3:"
                : TMR_AVR_RESULTS : [x] "r"(bits), [r] "r"((uint16_t)reciprocal) : "r0");
    is_near = (uint8_t)(fraction - 124) <= 4;
    up = fraction >> 7;
#else
    uint8_t fraction;
    if (kind == TMR_DIVIDE_WIDE) {
        const uint32_t m = TMR_MANTISSA(bits), middle = (m >> 8) * (reciprocal & 255) + (m & 255) * (reciprocal >> 8);
        const uint32_t product = ((m >> 8) * (reciprocal >> 8) + (middle >> 8)) >> 9 >> right;
        whole = (uint16_t)(product >> 7);
        fraction = (uint8_t)product;
    } else {
        const uint16_t upper = (uint16_t)((uint16_t)(bits >> 8) | 0x8000u);
        const uint16_t product = (uint16_t)((uint16_t)((uint32_t)upper * (uint16_t)reciprocal >> 16) >> right);
        whole = (uint16_t)(product >> 7);
        fraction = (uint8_t)product;
    }
    is_near = TMR_IS_NEAR(fraction);
    up = fraction >> 6 & 1;
#endif
    if (__builtin_expect(is_near, 0)) {
        if (kind == TMR_MULTIPLY_EVEN)
            up = tm_product_rounds_up(bits, unit, whole, right);
        else
            up = tm_quotient_rounds_up(bits, unit, whole, (uint8_t)(most - right), kind == TMR_DIVIDE_EVEN);
    }
    const unsigned int size = (unsigned int)(whole + up);
    if (TMR_IS_NEGATIVE(bits))
        return size > (uint16_t)(0u - (uint16_t)low) ? low : (int16_t)(0u - size);
    return size > (uint16_t)high ? high : (int16_t)size;
}

static TMR_INLINE int16_t tm_divide_to_nearest_s9(float x, float scale, int32_t reciprocal, int16_t low, int16_t high)
{
    const uint8_t base = (uint8_t)(TMR_EXPONENT(tm_bits_of(scale)) + 8);
    return tm_quantize(x, scale, (uint32_t)reciprocal, base, TMR_DIVIDE, low, high);
}

static TMR_INLINE int16_t tm_divide_to_nearest_s16(float x, float scale, int32_t reciprocal, int16_t low, int16_t high)
{
    const uint8_t base = (uint8_t)(TMR_EXPONENT(tm_bits_of(scale)) + 15);
    return tm_quantize(x, scale, (uint32_t)reciprocal, base, TMR_DIVIDE_WIDE, low, high);
}

static TMR_INLINE int16_t tm_divide_to_even_s9(float x, float scale, int32_t reciprocal, int16_t low, int16_t high)
{
    const uint8_t base = (uint8_t)(TMR_EXPONENT(tm_bits_of(scale)) + 8);
    return tm_quantize(x, scale, (uint32_t)reciprocal, base, TMR_DIVIDE_EVEN, low, high);
}

static TMR_INLINE int16_t tm_multiply_to_even_s9(float x, float factor, int32_t reciprocal, int16_t low, int16_t high)
{
    const uint8_t base = (uint8_t)(261 - TMR_EXPONENT(tm_bits_of(factor)));
    return tm_quantize(x, factor, (uint32_t)reciprocal, base, TMR_MULTIPLY_EVEN, low, high);
}
#endif
#endif
