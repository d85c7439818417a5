/* Floats of half precision (IEEE 754 binary16). The raw of a negative number is minus the raw of its magnitude. */
#include <stdint.h>

static inline float half_to_f32(int16_t raw)
{
    union { float value; uint32_t bits; } f;
    uint16_t size = raw < 0 ? (uint16_t)-raw : (uint16_t)raw;
    f.bits = ((uint32_t)size << 13) + ((uint32_t)112 << 23);
    if (size < 0x0400)
        f.value = (float)size * 5.9604644775390625e-8f;
    return raw < 0 ? -f.value : f.value;
}

/* Rounds to nearest, ties to even. Magnitudes beyond the range become the greatest number, and so does NaN. */
static inline int16_t half_from_f32(float value)
{
    union { float value; uint32_t bits; } f;
    uint32_t size;
    int16_t raw;
    f.value = value;
    size = f.bits & 0x7fffffff;
    if (size >= 0x477ff000)
        raw = 0x7bff;
    else if (size < 0x38800000) {
        /* The sum with 0.5 is rounded to a multiple of 2^-24, ties to even. The fraction bits contain this multiple. */
        f.value = (value < 0 ? -value : value) + 0.5f;
        raw = (int16_t)(f.bits - 0x3f000000);
    } else
        raw = (int16_t)((size + 0x0fff + ((size >> 13) & 1) - ((uint32_t)112 << 23)) >> 13);
    return value < 0 ? (int16_t)-raw : raw;
}
