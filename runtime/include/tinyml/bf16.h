/* bfloat16 as ordered integers: the upper half of a float's magnitude, negated for negative numbers. */
#ifndef TINYML_BF16_H
#define TINYML_BF16_H
#include <stdint.h>

static inline __attribute__((__unused__)) int16_t tm_f32_to_bf16(float x)
{
    union { float value; uint32_t bits; } f;
    f.value = x;
    uint32_t size = f.bits & 0x7fffffff;
    if (size >= 0x7f7f8000)
        size = size > 0x7f800000 ? 0x7fc0 : size == 0x7f800000 ? 0x7f80 : 0x7f7f; /* finite numbers stay finite */
    else
        size = (size + 0x7fff + (size >> 16 & 1)) >> 16;
    return (int16_t)(f.bits >> 31 ? -(int32_t)size : (int32_t)size);
}

static inline __attribute__((__unused__)) float tm_bf16_to_f32(int16_t raw)
{
    union { uint32_t bits; float value; } f;
    f.bits = raw < 0 ? (uint32_t)-(int32_t)raw << 16 | (uint32_t)1 << 31 : (uint32_t)raw << 16;
    return f.value;
}
#endif
