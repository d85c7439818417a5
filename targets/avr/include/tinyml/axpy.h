/* Multiples of a vector, added to sums: y[k] += x[k] * factor for n elements, `x` in flash, `y` in RAM. The caller has
 * proven that no sum leaves the width that the name ends in; the name begins with the widths of x and factor. */
#ifndef TINYML_AXPY_H
#define TINYML_AXPY_H
#include <stdint.h>

#ifdef __AVR__
#define TM_SHARED __attribute__((__noinline__, __noclone__, __unused__))

/* Two steps an iteration; an odd count, in r19:r18, enters in the middle. X reads sums, Y, a step behind, writes them. */
#define TM_AXPY(TYPE, STEP, ...) \
    register TYPE f __asm__("r20") = factor; \
    register uint16_t k __asm__("r18") = n; \
    __asm__ volatile("movw r28,r26\n\tclr r15\n\tlsr r19\n\tror r18\n\tbrcc 2f\n\trjmp 1f\n" \
        "0:\t" STEP "1:\t" STEP "2:\tsubi r18,1\n\tsbci r19,0\n\tbrcc 0b\n\tclr r1" \
        : "+r"(k), "+z"(x), "+x"(y) : "r"(f) : "r15", __VA_ARGS__, "r24", "r25", "r28", "r29", "memory");
#define TM_AXPY_SUM(S0, S1, S2, S3) \
    "ld " S0 ",X+\n\tld " S1 ",X+\n\tld " S2 ",X+\n\tld " S3 ",X+\n\t"
#define TM_AXPY_STORE(S0, S1, S2, S3) \
    "st Y+," S0 "\n\tst Y+," S1 "\n\tst Y+," S2 "\n\tst Y+," S3 "\n\t"
/* Products of a low and a high byte; the multiplication left the sign in the carry. */
#define TM_AXPY_MIDDLE(S1, S2, S3) \
    "sbc " S3 ",r15\n\tadd " S1 ",r0\n\tadc " S2 ",r1\n\tadc " S3 ",r15\n\t"

#define TM_AXPY_S16_S16 \
    "lpm r16,Z+\n\tlpm r17,Z+\n\t" TM_AXPY_SUM("r22", "r23", "r24", "r25") \
    "muls r17,r21\n\tmovw r12,r0\n\tmul r16,r20\n\t" \
    "add r22,r0\n\tadc r23,r1\n\tadc r24,r12\n\tadc r25,r13\n\t" \
    "mulsu r17,r20\n\t" TM_AXPY_MIDDLE("r23", "r24", "r25") \
    "mulsu r21,r16\n\t" TM_AXPY_MIDDLE("r23", "r24", "r25") TM_AXPY_STORE("r22", "r23", "r24", "r25")
#define TM_AXPY_S8_S16 \
    "lpm r16,Z+\n\t" TM_AXPY_SUM("r22", "r23", "r24", "r25") \
    "mulsu r16,r20\n\tsbc r24,r15\n\tsbc r25,r15\n\tadd r22,r0\n\tadc r23,r1\n\tadc r24,r15\n\tadc r25,r15\n\t" \
    "muls r16,r21\n\t" TM_AXPY_MIDDLE("r23", "r24", "r25") TM_AXPY_STORE("r22", "r23", "r24", "r25")
#define TM_AXPY_S8_S8 \
    "lpm r16,Z+\n\t" TM_AXPY_SUM("r22", "r23", "r24", "r25") \
    "muls r16,r20\n\tsbc r24,r15\n\tsbc r25,r15\n\tadd r22,r0\n\tadc r23,r1\n\tadc r24,r15\n\tadc r25,r15\n\t" \
    TM_AXPY_STORE("r22", "r23", "r24", "r25")

static TM_SHARED void tm_axpy_s16_s16_s32(int32_t *y, const int16_t *x, int16_t factor, uint16_t n)
{
    TM_AXPY(int16_t, TM_AXPY_S16_S16, "r12", "r13", "r16", "r17", "r22", "r23")
}

static TM_SHARED void tm_axpy_s8_s16_s32(int32_t *y, const int8_t *x, int16_t factor, uint16_t n)
{
    TM_AXPY(int16_t, TM_AXPY_S8_S16, "r16", "r22", "r23")
}

static TM_SHARED void tm_axpy_s8_s8_s32(int32_t *y, const int8_t *x, int8_t factor, uint16_t n)
{
    TM_AXPY(int8_t, TM_AXPY_S8_S8, "r16", "r22", "r23")
}
#else
#define TM_AXPY \
    for (; n > 0; n--) \
        *y++ += (int32_t)*x++ * factor;

static __attribute__((__unused__)) void tm_axpy_s16_s16_s32(int32_t *y, const int16_t *x, int16_t factor, uint16_t n)
{
    TM_AXPY
}

static __attribute__((__unused__)) void tm_axpy_s8_s16_s32(int32_t *y, const int8_t *x, int16_t factor, uint16_t n)
{
    TM_AXPY
}

static __attribute__((__unused__)) void tm_axpy_s8_s8_s32(int32_t *y, const int8_t *x, int8_t factor, uint16_t n)
{
    TM_AXPY
}
#endif
#endif
