/* Less common functions in single precision, with the same bits as their counterparts in numpy. Compile without
 * contraction of products and sums and without fast-math. */
#ifndef TINYML_FUNCTIONS_H
#define TINYML_FUNCTIONS_H
#include <stdint.h>
#include "f32.h"

/* x = m * 2^e with m between the roots of 1/2 and 2, and a polynomial in m - 1. */
static __attribute__((__unused__)) float tm_logf(float x)
{
    union { uint32_t bits; float value; } m;
    m.value = x >= 3.40282347e38f ? 3.40282347e38f : x >= 0x1p-126f ? x : 0x1p-126f;
    int16_t exponent = (int16_t)(m.bits >> 23) - 127;
    m.bits = (m.bits & 0x7FFFFFUL) | 0x3F800000UL;
    if (m.value >= 1.41421356f) {
        m.value = m.value * 0.5f;
        exponent++;
    }
    float r = m.value - 1.0f;
    float p = 7.0376836292e-2f;
    p = p * r + -1.1514610310e-1f;
    p = p * r + 1.1676998740e-1f;
    p = p * r + -1.2420140846e-1f;
    p = p * r + 1.4249322787e-1f;
    p = p * r + -1.6668057665e-1f;
    p = p * r + 2.0000714765e-1f;
    p = p * r + -2.4999993993e-1f;
    p = p * r + 3.3333331174e-1f;
    float square = r * r;
    p = p * r * square + (float)exponent * -2.12194440e-4f;
    return r + (p - square * 0.5f) + (float)exponent * 0.693359375f;
}

/* A Taylor polynomial near 0; beyond, 7.1.26 of Abramowitz and Stegun, within 2e-7. */
static __attribute__((__unused__)) float tm_erff(float x)
{
    float size = x >= 0.0f ? x : -x;
    if (!(size >= 0.5f)) {
        float z = x * x;
        float q = -8.548327023e-4f;
        q = q * z + 5.223977625e-3f;
        q = q * z + -2.686617064e-2f;
        q = q * z + 1.128379167e-1f;
        q = q * z + -3.761263890e-1f;
        q = q * z + 1.128379167f;
        return x * q;
    }
    float t = 1.0f / (size * 0.3275911f + 1.0f);
    float p = 1.061405429f;
    p = p * t + -1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t + -0.284496736f;
    p = p * t + 0.254829592f;
    float y = 1.0f - p * t * tm_expf(-(size * size));
    return x >= 0.0f ? y : -y;
}

static __attribute__((__unused__)) float tm_softplusf(float x)
{
    float power = tm_expf(x >= 0.0f ? -x : x);
    float more = power >= 0x1p-11f ? tm_logf(power + 1.0f) : power - power * power * 0.5f;
    return x >= 0.0f ? x + more : more;
}
#endif
