/* Single precision on devices without libm, with the same bits as their counterparts in numpy. Compile without
 * contraction of products and sums and without fast-math. */
#ifndef TINYML_F32_H
#define TINYML_F32_H
#include <stdint.h>

static __attribute__((__unused__)) float tm_expf(float x)
{
    union { uint32_t bits; float value; } power;
    float clamped = x >= 88.0f ? 88.0f : x;
    clamped = clamped >= -87.0f ? clamped : -87.0f;
    float scaled = clamped * 1.44269504f;
    int16_t exponent = (int16_t)(scaled + (scaled >= 0.0f ? 0.5f : -0.5f));
    float r = clamped - (float)exponent * 0.693359375f;
    r = r - (float)exponent * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 0.5f;
    p = p * (r * r) + r + 1.0f;
    power.bits = (uint32_t)(exponent + 127) << 23;
    return x >= -87.0f ? p * power.value : 0.0f;
}

#define tm_inversef(x) (1.0f / (x))

/* A first guess by halving the exponent, then three steps of Newton's method; x is limited to normal numbers whose half
 * is normal, too. */
static __attribute__((__unused__)) float tm_inverse_rootf(float x)
{
    union { uint32_t bits; float value; } y;
    y.value = x >= 3.40282347e38f ? 3.40282347e38f : x >= 0x1p-125f ? x : 0x1p-125f;
    const float half = 0.5f * y.value;
    y.bits = 0x5F3759DFUL - (y.bits >> 1);
    for (uint8_t i = 0; i < 3; i++)
        y.value = y.value * (1.5f - half * y.value * y.value);
    return y.value;
}

static inline __attribute__((__unused__)) float tm_tanhf(float x)
{
    return 1.0f - 2.0f / (tm_expf(x * 2.0f) + 1.0f);
}

static inline __attribute__((__unused__)) float tm_sigmoidf(float x)
{
    return 1.0f / (1.0f + tm_expf(-x));
}

static inline __attribute__((__unused__)) int32_t tm_f32_to_nearest(float x, int32_t low, int32_t high)
{
    if (x >= (float)high)
        return high;
    if (!(x > (float)low))
        return low;
    int32_t whole = (int32_t)x;
    float rest = x - (float)whole;
    return whole + (rest >= 0.5f) - (rest <= -0.5f);
}

static inline int32_t tm_f32_to_even(float x, int32_t low, int32_t high)
{
    if (x >= (float)high)
        return high;
    if (!(x > (float)low))
        return low;
    int32_t whole = (int32_t)x;
    float rest = x - (float)whole;
    if (rest > 0.5f || (rest == 0.5f && (whole & 1)))
        return whole + 1;
    return whole - (rest < -0.5f || (rest == -0.5f && (whole & 1)));
}

/* The factor is passed as its bits, so that tables of integers can hold factors. */
static inline __attribute__((__unused__)) int32_t tm_scale_to_even(int32_t x, int32_t factor, int32_t low, int32_t high)
{
    union { int32_t bits; float value; } y;
    y.bits = factor;
    return tm_f32_to_even((float)x * y.value, low, high);
}

#define tm_dividef(a, b) ((a) / (b))

/* Integers unchanged; otherwise the odd one of the two neighbouring integers. */
static inline __attribute__((__unused__)) int32_t tm_f32_to_odd(float x, int32_t low, int32_t high)
{
    if (x >= (float)high)
        return high;
    if (!(x > (float)low))
        return low;
    int32_t whole = (int32_t)x;
    float rest = x - (float)whole;
    return (whole - (rest < 0.0f)) | (rest != 0.0f);
}

#define tm_int_to_f32(x) ((float)(x))
#endif
