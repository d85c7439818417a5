/* Exact dot products with a column of a matrix, added to `sum`: `w` in flash, n elements of `x` in RAM, each `stride`
 * elements behind the one before. The caller has proven that the magnitudes of `sum` and all products together stay
 * within the width that the name ends in. */
#ifndef TINYML_DOT_STRIDED_H
#define TINYML_DOT_STRIDED_H
#include <stdint.h>

#ifdef __AVR__
#define TM_KERNEL static __attribute__((__naked__, __noinline__, __noclone__, __unused__)) void
#define TM_INLINED inline __attribute__((__always_inline__))
/* Out of its register at once: gcc 5.4 lets a variable of it be the register, and other calls change that. */
#define TM_RETURN(S) \
    __typeof__(S) result = S; \
    __asm__("" : "+r"(result)); \
    return result;

/* Called by assembly, with the sum in registers. Four steps an iteration; the length, in N0 and N1, modulo 4 says where
 * it is entered. FLUSH runs after at most 256 steps. r13:r12 is what is left to the next element of x. */
#define TM_STRIDED(N0, N1, STEP, BACK, FLUSH) \
    __asm__("4:\t" STEP "3:\t" STEP "2:\t" STEP "1:\t" STEP "0:\tsubi " N0 ",4\n\t" BACK FLUSH \
            "subi " N1 ",1\n\tbrcs 9f\n\trjmp 4b\n9:\tclr r1\n\tret");
#define TM_STRIDED_NEAR "brcc 4b\n\t"
#define TM_STRIDED_FAR "brcs 8f\n\trjmp 4b\n8:\t"
#define TM_STRIDED_LAST(B) "ld " B ",X\n\tadd r26,r12\n\tadc r27,r13\n\t"
/* Adds r1:r0 to S2:S1:S0; the multiplication left its sign in the carry. */
#define TM_STRIDED_ADD3(S0, S1, S2, ZERO) \
    "sbc " S2 "," ZERO "\n\tadd " S0 ",r0\n\tadc " S1 ",r1\n\tadc " S2 "," ZERO "\n\t"

/* The sums stand as in the kernels for rows: parts of 24 bits, r16:r23:r22 and r17:r16:r22, are gathered by FLUSH. */
TM_KERNEL tm_products_strided_s8_s8_s32(void)
{
    TM_STRIDED("r20", "r21", "lpm r18,Z+\n\t" TM_STRIDED_LAST("r19")
        "muls r18,r19\n\t" TM_STRIDED_ADD3("r22", "r23", "r16", "r17"), TM_STRIDED_NEAR,
        "add r24,r16\n\tadc r25,r17\n\tsbrc r16,7\n\tdec r25\n\tclr r16\n\t")
}

TM_KERNEL tm_products_strided_s8_s16_s32(void)
{
    TM_STRIDED("r20", "r21", "lpm r18,Z+\n\tld r19,X+\n\tmulsu r18,r19\n\t"
        TM_STRIDED_ADD3("r22", "r16", "r17", "r15") TM_STRIDED_LAST("r19")
        "muls r18,r19\n\t" TM_STRIDED_ADD3("r23", "r24", "r25", "r15"), TM_STRIDED_NEAR,
        "mov r0,r17\n\tlsl r0\n\tsbc r0,r0\n\tadd r23,r16\n\tadc r24,r17\n\tadc r25,r0\n\tclr r16\n\tclr r17\n\t")
}

TM_KERNEL tm_products_strided_s16_s16_s32(void)
{
    TM_STRIDED("r16", "r17", "lpm r18,Z+\n\tlpm r20,Z+\n\tld r19,X+\n\t" TM_STRIDED_LAST("r21")
        "mulsu r20,r19\n\t" TM_STRIDED_ADD3("r23", "r24", "r25", "r15")
        "mulsu r21,r18\n\t" TM_STRIDED_ADD3("r23", "r24", "r25", "r15")
        "mul r18,r19\n\tmovw r18,r0\n\tmuls r20,r21\n\t"
        "add r22,r18\n\tadc r23,r19\n\tadc r24,r0\n\tadc r25,r1\n\t", TM_STRIDED_FAR, "")
}

/* Enters behind 4 - n % 4 steps of so many bytes. */
#define TM_STRIDED_CALL(KERNEL, BYTES, ...) \
    switch (n % 4) { \
    case 0: __asm__ volatile("%~call %x[kernel]+4*" #BYTES : __VA_ARGS__); break; \
    case 1: __asm__ volatile("%~call %x[kernel]+3*" #BYTES : __VA_ARGS__); break; \
    case 2: __asm__ volatile("%~call %x[kernel]+2*" #BYTES : __VA_ARGS__); break; \
    default: __asm__ volatile("%~call %x[kernel]+" #BYTES : __VA_ARGS__); break; \
    } \
    TM_RETURN(s)
#define TM_STRIDED_SUM \
    register int32_t s __asm__("r22") = sum; \
    register uint16_t left __asm__("r12") = (uint16_t)(stride * sizeof *x - sizeof *x + 1);

static TM_INLINED int32_t tm_dot_strided_s8_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, uint16_t stride,
                                                   int32_t sum)
{
    TM_STRIDED_SUM
    register uint16_t k __asm__("r20") = n;
    register uint16_t third __asm__("r16") = 0;
    TM_STRIDED_CALL(tm_products_strided_s8_s8_s32, 18, "+r"(s), "+r"(k), "+r"(third), "+z"(w), "+x"(x)
        : [kernel] "i"(tm_products_strided_s8_s8_s32), "r"(left) : "r18", "r19", "memory")
}

static TM_INLINED int32_t tm_dot_strided_s8_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, uint16_t stride,
                                                    int32_t sum)
{
    TM_STRIDED_SUM
    register uint8_t zero __asm__("r15") = 0;
    register uint16_t k __asm__("r20") = n;
    register uint16_t low __asm__("r16") = 0;
    TM_STRIDED_CALL(tm_products_strided_s8_s16_s32, 30, "+r"(s), "+r"(k), "+r"(low), "+z"(w), "+x"(x)
        : [kernel] "i"(tm_products_strided_s8_s16_s32), "r"(left), "r"(zero) : "r18", "r19", "memory")
}

static TM_INLINED int32_t tm_dot_strided_s16_s16_s32(const int16_t *w, const int16_t *x, uint16_t n, uint16_t stride,
                                                     int32_t sum)
{
    TM_STRIDED_SUM
    register uint8_t zero __asm__("r15") = 0;
    register uint16_t k __asm__("r16") = n;
    TM_STRIDED_CALL(tm_products_strided_s16_s16_s32, 46, "+r"(s), "+r"(k), "+z"(w), "+x"(x)
        : [kernel] "i"(tm_products_strided_s16_s16_s32), "r"(left), "r"(zero) : "r18", "r19", "r20", "r21", "memory")
}
#else
#define TM_STRIDED_PRODUCTS \
    for (uint16_t k = 0; k < n; k++) \
        sum += (int32_t)w[k] * x[(uint32_t)k * stride]; \
    return sum;

static __attribute__((__unused__)) int32_t tm_dot_strided_s8_s8_s32(
    const int8_t *w, const int8_t *x, uint16_t n, uint16_t stride, int32_t sum)
{
    TM_STRIDED_PRODUCTS
}

static __attribute__((__unused__)) int32_t tm_dot_strided_s8_s16_s32(
    const int8_t *w, const int16_t *x, uint16_t n, uint16_t stride, int32_t sum)
{
    TM_STRIDED_PRODUCTS
}

static __attribute__((__unused__)) int32_t tm_dot_strided_s16_s16_s32(
    const int16_t *w, const int16_t *x, uint16_t n, uint16_t stride, int32_t sum)
{
    TM_STRIDED_PRODUCTS
}
#endif
#endif
