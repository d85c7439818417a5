/* The formats binary8 of IEEE P3109 with a precision of p bits, 1 to 7: signed, with infinities.
   In bit patterns, 0x00 is the only zero, 0x80 is NaN, 0x7f and 0xff are the infinities. The raw of a negative number is
   minus the pattern of its magnitude, and the raw of NaN is -128. */
#include <stdint.h>

static inline uint8_t p3109_patterns(int8_t raw)
{
    return raw < 0 ? (uint8_t)(0x80 | (-raw & 0x7f)) : (uint8_t)raw;
}

static inline int8_t p3109_raws(uint8_t pattern)
{
    return (int8_t)(pattern & 0x80 ? (pattern == 0x80 ? -128 : 0x80 - pattern) : pattern);
}

static inline float p3109_to_f32(int8_t raw, int8_t p)
{
    union { float value; uint32_t bits; } f;
    uint8_t code = p3109_patterns(raw) & 0x7f, t = (uint8_t)(p - 1);
    int16_t bias = (int16_t)1 << (7 - p);
    uint8_t exponent = code >> t, fraction = code & (uint8_t)((1u << t) - 1);
    if (code == 0x7f)
        f.bits = (uint32_t)0x7f800000;
    else if (code == 0 && raw < 0)
        return f.bits = (uint32_t)0x7fc00000, f.value;
    else if (exponent == 0) {
        f.bits = (uint32_t)(128 - bias - t) << 23;
        f.value *= (float)fraction;
    } else
        f.bits = ((uint32_t)(exponent - bias + 127) << 23) | ((uint32_t)fraction << (23 - t));
    return raw < 0 ? -f.value : f.value;
}

/* Rounds to nearest, ties to even. A finite number beyond the range becomes the greatest finite number of its sign. */
static inline int8_t p3109_from_f32(float value, int8_t p)
{
    union { float value; uint32_t bits; } f;
    uint8_t t = (uint8_t)(p - 1);
    int16_t bias = (int16_t)1 << (7 - p), exponent, lost;
    uint32_t size, significand, code;
    f.value = value;
    size = f.bits & 0x7fffffff;
    if (size > 0x7f800000)
        return -128;
    if (size == 0x7f800000)
        code = 0x7f;
    else {
        exponent = (int16_t)(size >> 23) - 127 + bias;
        significand = (size & 0x7fffff) | 0x800000;
        lost = 23 - t;
        if (exponent < 1) {
            lost += 1 - exponent;
            exponent = 1;
        }
        if (lost > 24)
            return 0;
        code = ((uint32_t)(exponent - 1) << t) + (significand >> lost);
        code += ((significand & (((uint32_t)1 << lost) - 1)) + (code & 1)) > ((uint32_t)1 << (lost - 1));
        if (code > 0x7e)
            code = 0x7e;
    }
    return f.bits >> 31 ? (int8_t)-(int8_t)code : (int8_t)code;
}
