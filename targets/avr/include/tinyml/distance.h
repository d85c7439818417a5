/* Squares of the differences of two vectors, added to `sum`: `w` in flash, `x` in RAM. The caller has proven that each
 * difference fits 16 bits, and that `sum` and all squares together stay within the width that the name ends in. */
#ifndef TINYML_DISTANCE_H
#define TINYML_DISTANCE_H
#include <stdint.h>

#ifdef __AVR__
#define TM_KERNEL static __attribute__((__naked__, __noinline__, __noclone__, __unused__)) void
#define TM_INLINED inline __attribute__((__always_inline__))
/* Out of its register at once: gcc 5.4 lets a variable of it be the register, and other calls change that. */
#define TM_RETURN(S) \
    __typeof__(S) result = S; \
    __asm__("" : "+r"(result)); \
    return result;
#define TM_DISTANCE_INT24 __int24

/* Called by assembly, with the sum in registers. Four steps an iteration; the length, in r21:r20, modulo 4 says where
 * it is entered. */
#define TM_DISTANCE(STEP, BACK) \
    __asm__("4:\t" STEP "3:\t" STEP "2:\t" STEP "1:\t" STEP "0:\tsubi r20,4\n\t" BACK "subi r21,1\n\t" BACK "clr r1\n\tret");
#define TM_DISTANCE_NEAR "brcc 4b\n\t"
#define TM_DISTANCE_FAR "brcs 8f\n\trjmp 4b\n8:\t"
/* d = d1:d0 in r17:r16. FMULSU gives twice the product of d1 and d0, and its sign in the carry. r15 is zero. */
#define TM_DISTANCE_S16 \
    "lpm r18,Z+\n\tlpm r19,Z+\n\tld r16,X+\n\tld r17,X+\n\tsub r16,r18\n\tsbc r17,r19\n\t" \
    "muls r17,r17\n\tmovw r18,r0\n\tmul r16,r16\n\t" \
    "add r22,r0\n\tadc r23,r1\n\tadc r24,r18\n\tadc r25,r19\n\t" \
    "fmulsu r17,r16\n\tsbc r25,r15\n\tadd r23,r0\n\tadc r24,r1\n\tadc r25,r15\n\t"
/* A difference of 9 bits without its sign has 8. */
#define TM_DISTANCE_S8(CARRY) \
    "lpm r18,Z+\n\tld r16,X+\n\tsub r16,r18\n\tbrge 7f\n\tneg r16\n7:\tmul r16,r16\n\t" \
    "add r22,r0\n\tadc r23,r1\n\tadc r24,r15\n\t" CARRY

TM_KERNEL tm_squares_s16_s16_s32(void)
{
    TM_DISTANCE(TM_DISTANCE_S16, TM_DISTANCE_FAR)
}

TM_KERNEL tm_squares_s8_s8_s24(void)
{
    TM_DISTANCE(TM_DISTANCE_S8(""), TM_DISTANCE_NEAR)
}

TM_KERNEL tm_squares_s8_s8_s32(void)
{
    TM_DISTANCE(TM_DISTANCE_S8("adc r25,r15\n\t"), TM_DISTANCE_NEAR)
}

/* Enters behind 4 - n % 4 steps of so many bytes. */
#define TM_DISTANCE_OF(KERNEL, TYPE, BYTES) \
    register TYPE s __asm__("r22") = sum; \
    register uint8_t zero __asm__("r15") = 0; \
    register uint16_t k __asm__("r20") = n; \
    switch (n % 4) { \
    case 0: TM_DISTANCE_CALL(KERNEL, 4, BYTES); break; \
    case 1: TM_DISTANCE_CALL(KERNEL, 3, BYTES); break; \
    case 2: TM_DISTANCE_CALL(KERNEL, 2, BYTES); break; \
    default: TM_DISTANCE_CALL(KERNEL, 1, BYTES); break; \
    } \
    TM_RETURN(s)
#define TM_DISTANCE_CALL(KERNEL, STEPS, BYTES) \
    __asm__ volatile("%~call %x[kernel]+" #STEPS "*" #BYTES : "+r"(s), "+r"(k), "+z"(w), "+x"(x) \
        : [kernel] "i"(KERNEL), "r"(zero) : "r16", "r17", "r18", "r19", "memory")

static TM_INLINED int32_t tm_distance_s16_s16_s32(const int16_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TM_DISTANCE_OF(tm_squares_s16_s16_s32, int32_t, 36)
}

static TM_INLINED TM_DISTANCE_INT24 tm_distance_s8_s8_s24(const int8_t *w, const int8_t *x, uint16_t n,
                                                         TM_DISTANCE_INT24 sum)
{
    TM_DISTANCE_OF(tm_squares_s8_s8_s24, TM_DISTANCE_INT24, 18)
}

static TM_INLINED int32_t tm_distance_s8_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TM_DISTANCE_OF(tm_squares_s8_s8_s32, int32_t, 20)
}
#else
#define TM_SQUARES \
    for (; n > 0; n--) { \
        int32_t difference = (int32_t)*x++ - *w++; \
        sum += difference * difference; \
    } \
    return sum;

static __attribute__((__unused__)) int32_t tm_distance_s16_s16_s32(const int16_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TM_SQUARES
}

static __attribute__((__unused__)) int32_t tm_distance_s8_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TM_SQUARES
}
#define tm_distance_s8_s8_s24 tm_distance_s8_s8_s32
#endif
#endif
