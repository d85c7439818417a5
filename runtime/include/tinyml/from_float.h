/* tm_f32_to_sN: x * 2^frac, rounded to the nearest integer, halves upwards, and limited to [low, high], which holds 0;
 * low for NaN; frac from -114 to 126. Of 32 bits, the ends of [low, high] are floats or next to one. */
#ifndef TINYML_FROM_FLOAT_H
#define TINYML_FROM_FLOAT_H
#include <stdint.h>

/* Compilers say where there is hardware for floats. */
#if defined(__riscv_flen) || (defined(__ARM_FP) && (__ARM_FP & 4))
static inline __attribute__((__unused__)) int32_t tm_scaled_to_int(float x, int8_t frac, int32_t low, int32_t high)
{
    union { uint32_t bits; float value; } power;
    power.bits = (uint32_t)(frac + 127) << 23;
    x *= power.value;
    if (x >= (float)high)
        return high;
    if (!(x > (float)low))
        return low;
    const int32_t whole = (int32_t)x;
    const float rest = x - (float)whole;
    return whole + (rest >= 0.5f) - !(rest >= -0.5f);
}

static inline __attribute__((__unused__)) int8_t tm_f32_to_s8(float x, int8_t frac, int8_t low, int8_t high)
{
    return (int8_t)tm_scaled_to_int(x, frac, low, high);
}

static inline __attribute__((__unused__)) int16_t tm_f32_to_s16(float x, int8_t frac, int16_t low, int16_t high)
{
    return (int16_t)tm_scaled_to_int(x, frac, low, high);
}

static inline __attribute__((__unused__)) int32_t tm_f32_to_s32(float x, int8_t frac, int32_t low, int32_t high)
{
    return tm_scaled_to_int(x, frac, low, high);
}
#else
/* By integers: the magnitude is the mantissa of 24 bits, shifted to the right by one bit less, then by that bit with 1
 * added. Halves of negative numbers go upwards because their mantissa is taken one lower. */
#define TM_F32_MANTISSA(bits) (((bits) & (uint32_t)0x7FFFFF) | (uint32_t)0x800000)
/* The byte at a time, which takes no shifts on machines of 8 bits. */
#define TM_F32_EXPONENT(bits) ((uint8_t)((uint8_t)((bits) >> 24) << 1 | (uint8_t)((bits) >> 16) >> 7))
#define TM_F32_IS_NEGATIVE(bits) ((uint8_t)((uint8_t)((bits) >> 24) >> 7))
/* Of a number beyond the limits, or of NaN. */
#define TM_F32_IS_LOW(bits) ((bits) > (uint32_t)0x7F800000)

#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
/* Exponent, mantissa and sign: the exponent to %1, the mantissa, lowered by 1 if it is negative, to the lower bytes of
 * %0, and the sign to T. */
#define TM_AVR_PARTS "mov %1,%D0\n\tlsl %C0\n\trol %1\n\tsec\n\tror %C0\n\tbst %D0,7\n\tlsl %D0\n\t" \
    "sbc %A0,__zero_reg__\n\tsbc %B0,__zero_reg__\n\tsbc %C0,__zero_reg__\n\t"
/* 128 / 2^(%2 modulo 8), so that a product shifts by any amount in the same time. */
#define TM_AVR_POWER "ldi %1,128\n\tsbrc %2,1\n\tldi %1,32\n\tsbrc %2,0\n\tlsr %1\n\tsbrc %2,2\n\tswap %1\n\t"
/* T of a number beyond all integers: NaN counts as negative. */
#define TM_AVR_NAN "inc %1\n\tbrne 2f\n\tlsl %C0\n\tor %A0,%B0\n\tor %A0,%C0\n\tbreq 2f\n\tset\n\t"

static inline __attribute__((__always_inline__, __unused__)) int8_t tm_f32_to_s8(float x, int8_t frac, int8_t low, int8_t high)
{
    union { float value; uint32_t bits; int8_t raw; } y;
    uint8_t exponent, right = (uint8_t)(133 - frac);
    y.value = x;
    __asm__(TM_AVR_PARTS "sub %2,%1\n\tbrcs 3f\n\tcpi %2,8\n\tbrcc 4f\n\t"
            TM_AVR_POWER "mul %1,%C0\n\tclr %A0\n\tlsl r0\n\tadc %A0,r1\n\tclr __zero_reg__\n\t"
            "sbrc %A0,7\n\trjmp 2f\n\tbrtc 5f\n\tneg %A0\n\trjmp 5f\n\t4:\tclr %A0\n\trjmp 5f\n\t"
            "3:\t" TM_AVR_NAN "2:\tldi %A0,127\n\tbrtc 5f\n\tcom %A0\n\t5:"
            : "+d"(y.bits), "=&d"(exponent), "+d"(right) : : "r0");
    const int8_t raw = y.raw < low ? low : y.raw;
    return raw > high ? high : raw;
}

static inline __attribute__((__always_inline__, __unused__)) int16_t tm_f32_to_s16(float x, int8_t frac, int16_t low, int16_t high)
{
    union { float value; uint32_t bits; int16_t raw; } y;
    uint8_t exponent, right = (uint8_t)(141 - frac);
    y.value = x;
    __asm__(TM_AVR_PARTS "sub %2,%1\n\tbrcs 3f\n\tcpi %2,16\n\tbrcc 4f\n\t"
            "sbrc %2,3\n\tmov %B0,%C0\n\tsbrc %2,3\n\tclr %C0\n\tclr %D0\n\t"
            TM_AVR_POWER "mul %1,%B0\n\tlsl r0\n\tmov %A0,r1\n\tadc %A0,%D0\n\tmul %1,%C0\n\tclr %B0\n\t"
            "add %A0,r0\n\tadc %B0,r1\n\tclr __zero_reg__\n\t"
            "sbrc %B0,7\n\trjmp 2f\n\tbrtc 5f\n\tcom %B0\n\tneg %A0\n\tsbci %B0,255\n\trjmp 5f\n\t"
            "4:\tclr %A0\n\tclr %B0\n\trjmp 5f\n\t"
            "3:\t" TM_AVR_NAN "2:\tldi %A0,255\n\tldi %B0,127\n\tbrtc 5f\n\tcom %A0\n\tcom %B0\n\t5:"
            : "+d"(y.bits), "=&d"(exponent), "+d"(right) : : "r0");
    const int16_t raw = y.raw < low ? low : y.raw;
    return raw > high ? high : raw;
}
#else
static inline __attribute__((__unused__)) int8_t tm_f32_to_s8(float x, int8_t frac, int8_t low, int8_t high)
{
    union { float value; uint32_t bits; } y;
    y.value = x;
    const uint32_t bits = y.bits;
    const int16_t right = (int16_t)(133 - frac - TM_F32_EXPONENT(bits));
    if (right < 0)
        return TM_F32_IS_LOW(bits) ? low : high;
    if (right > 7)
        return 0;
    const uint8_t negative = TM_F32_IS_NEGATIVE(bits);
    const uint8_t twice = (uint8_t)((uint8_t)((TM_F32_MANTISSA(bits) - negative) >> 16) >> right);
    const uint8_t size = (uint8_t)((twice >> 1) + (twice & 1));
    if (negative)
        return size > (uint8_t)-low ? low : (int8_t)-size;
    return size > (uint8_t)high ? high : (int8_t)size;
}

static inline __attribute__((__unused__)) int16_t tm_f32_to_s16(float x, int8_t frac, int16_t low, int16_t high)
{
    union { float value; uint32_t bits; } y;
    y.value = x;
    const uint32_t bits = y.bits;
    int16_t right = (int16_t)(141 - frac - TM_F32_EXPONENT(bits));
    if (right < 0)
        return TM_F32_IS_LOW(bits) ? low : high;
    if (right > 15)
        return 0;
    const uint8_t negative = TM_F32_IS_NEGATIVE(bits);
    uint16_t twice = (uint16_t)((TM_F32_MANTISSA(bits) - negative) >> 8);
    if (right > 7) {
        twice = (uint16_t)(twice >> 8);
        right = (int16_t)(right - 8);
    }
    twice = (uint16_t)(twice >> right);
    const uint16_t size = (uint16_t)((twice >> 1) + (twice & 1));
    if (negative)
        return size > (uint16_t)(0u - (uint16_t)low) ? low : (int16_t)-size;
    return size > (uint16_t)high ? high : (int16_t)size;
}
#endif

static inline __attribute__((__unused__)) int32_t tm_f32_to_s32(float x, int8_t frac, int32_t low, int32_t high)
{
    union { float value; uint32_t bits; } y;
    y.value = x;
    const uint32_t bits = y.bits;
    const int16_t right = (int16_t)(149 - frac - TM_F32_EXPONENT(bits));
    if (right < -8)
        return TM_F32_IS_LOW(bits) ? low : high;
    if (right > 23)
        return 0;
    const uint8_t negative = TM_F32_IS_NEGATIVE(bits);
    uint32_t size;
    if (right < 0) {
        size = TM_F32_MANTISSA(bits) << (-1 - right);
    } else {
        const uint32_t twice = (TM_F32_MANTISSA(bits) - negative) >> right;
        size = (twice >> 1) + (twice & 1);
    }
    if (negative)
        return size > 0 - (uint32_t)low ? low : (int32_t)(0 - size);
    return size > (uint32_t)high ? high : (int32_t)size;
}
#endif
#endif
