/* tm_weighted_sum_s8: (a * first + b * second + start) / 2^24, rounded down and limited to 8 bits. Weights are not negative,
 * and sums have at most 40 bits. */
#ifndef TINYML_WEIGHTED_H
#define TINYML_WEIGHTED_H
#include <stdint.h>

#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
#define TMW_ADD(X, W, S0, S1) "mul " X "," W "\n\tadd " S0 ",r0\n\tadc " S1 ",r1\n\t"
/* A number without sign times three bytes of its weight, and times the fourth byte. */
#define TMW_LOW(X, W) TMW_ADD(X, "%A" W, "%A[y]", "%B[y]") \
    "adc %C[y],%[zero]\n\tadc %D[y],%[zero]\n\tadc %[top],%[zero]\n\t" \
    TMW_ADD(X, "%B" W, "%B[y]", "%C[y]") "adc %D[y],%[zero]\n\tadc %[top],%[zero]\n\t" \
    TMW_ADD(X, "%C" W, "%C[y]", "%D[y]") "adc %[top],%[zero]\n\tclr r1"
#define TMW_HIGH(X, W) TMW_ADD(X, "%D" W, "%D[y]", "%[top]") "clr r1"

static inline __attribute__((__always_inline__, __unused__)) void tm_add_weighted(
    uint32_t *sum, uint8_t *above, uint8_t x, uint32_t weight)
{
    uint32_t y = *sum;
    uint8_t top = *above, zero;
    if (weight == 0)
        return;
    __asm__("clr %[zero]\n\t" TMW_LOW("%[x]", "[w]")
            : [y] "+r"(y), [top] "+r"(top), [zero] "=&r"(zero) : [x] "r"(x), [w] "r"(weight) : "r0");
    if (weight >= 1UL << 24)
        __asm__(TMW_HIGH("%[x]", "[w]") : [y] "+r"(y), [top] "+r"(top) : [x] "r"(x), [w] "r"(weight) : "r0");
    *sum = y;
    *above = top;
}

static inline __attribute__((__always_inline__, __unused__)) int8_t tm_weighted_sum_s8(
    int8_t a, int8_t b, int32_t first, int32_t second, int64_t start)
{
    /* Of numbers that are greater by 128, which have no sign. */
    const int64_t begin = start - ((int64_t)first + second) * 128;
    uint32_t sum = (uint32_t)begin;
    uint8_t above = (uint8_t)((uint64_t)begin >> 32), sign;
    int8_t y;
    tm_add_weighted(&sum, &above, (uint8_t)a ^ 128, (uint32_t)first);
    tm_add_weighted(&sum, &above, (uint8_t)b ^ 128, (uint32_t)second);
    y = (int8_t)(sum >> 24);
    __asm__("mov %[s],%[y]\n\tlsl %[s]\n\tsbc %[s],%[s]\n\tcp %[s],%[a]\n\tbreq 1f\n\t"
            "lsl %[a]\n\tldi %[y],127\n\tbrcc 1f\n\tldi %[y],128\n1:" : [y] "+d"(y), [a] "+r"(above), [s] "=&r"(sign));
    return y;
}
#else
static inline __attribute__((__unused__)) int8_t tm_weighted_sum_s8(
    int8_t a, int8_t b, int32_t first, int32_t second, int64_t start)
{
    const int64_t sum = ((int64_t)a * first + (int64_t)b * second + start) >> 24;
    return (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);
}
#endif
#endif
