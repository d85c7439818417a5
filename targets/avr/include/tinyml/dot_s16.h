/* Exact dot products with a 16-bit factor, added to `sum`: `w` in flash (`_ram`: in RAM), `x` in RAM. The caller has
 * proven that the magnitudes of `sum` and all products together stay within the width that the name ends in.
 * A sparse row in flash is its count of entries (16 bits, low byte first), then for each entry a byte `skip` and the
 * value, low byte first: skip counts the bytes of x between the element of the entry before (or the start of x) and
 * that of this one. The pointer to the row moves on to the next. */
#ifndef TINYML_DOT_S16_H
#define TINYML_DOT_S16_H
#include <stdint.h>

#ifdef __AVR__
#define TM_KERNEL static __attribute__((__naked__, __noinline__, __noclone__, __unused__)) void
#define TM_INLINED inline __attribute__((__always_inline__))
/* Out of its register at once: gcc 5.4 lets a variable of it be the register, and other calls change that. */
#define TM_RETURN(S) \
    __typeof__(S) result = S; \
    __asm__("" : "+r"(result)); \
    return result;

/* The kernels are called by assembly: a sum comes in and goes out in registers, on to the next kernel, and what they
 * change is saved once, by the function around them. Four steps an iteration; the length, in N0 and N1, modulo 4 says
 * where it is entered, which the caller of a dense row knows beforehand. FLUSH runs after at most 256 steps. */
#define TM16_LOOP(N0, N1, STEP, BACK, FLUSH) \
    "4:\t" STEP "3:\t" STEP "2:\t" STEP "1:\t" STEP "0:\tsubi " N0 ",4\n\t" BACK FLUSH \
    "subi " N1 ",1\n\tbrcs 9f\n\trjmp 4b\n9:\tclr r1\n\tret"
/* Of less than 1024 steps; r16 is one more than their number divided by 4. */
#define TM16_SHORT(STEP) \
    "4:\t" STEP "3:\t" STEP "2:\t" STEP "1:\t" STEP "0:\tdec r16\n\tbreq 9f\n\trjmp 4b\n9:\tclr r1\n\tret"
#define TM16_NEAR "brcc 4b\n\t"
#define TM16_FAR "brcs 8f\n\trjmp 4b\n8:\t"
#define TM16_ENTER(N0, N1) \
    "lpm " N0 ",Z+\n\tlpm " N1 ",Z+\n\tsbrc " N0 ",1\n\trjmp 31f\n\tsbrc " N0 ",0\n\trjmp 1f\n\trjmp 0f\n" \
    "31:\tsbrc " N0 ",0\n\trjmp 3f\n\trjmp 2f\n"
#define TM16_SKIP(A) "lpm " A ",Z+\n\tadd r26," A "\n\tadc r27,r15\n\t"
/* Adds r1:r0 to S2:S1:S0; the multiplication left its sign in the carry. r15 is zero. */
#define TM16_ADD3(S0, S1, S2) \
    "sbc " S2 ",r15\n\tadd " S0 ",r0\n\tadc " S1 ",r1\n\tadc " S2 ",r15\n\t"

/* 8 x 16 bits: r19 takes the low byte of the 16-bit factor, then the high one. r17:r16:r22 gathers the products with
 * low bytes, which stay within 24 bits for 256 steps, r25:r24:r23 those with high bytes. */
#define TM16_MIXED(LOAD_A, A, LOAD_B, B) \
    LOAD_A LOAD_B "mulsu " A "," B "\n\t" TM16_ADD3("r22", "r16", "r17") \
    LOAD_B "muls " A "," B "\n\t" TM16_ADD3("r23", "r24", "r25")
#define TM16_FLUSH \
    "mov r0,r17\n\tlsl r0\n\tsbc r0,r0\n\tadd r23,r16\n\tadc r24,r17\n\tadc r25,r0\n\tclr r16\n\tclr r17\n\t"
/* 16 x 16 bits, in r20:r18 and r21:r19. */
#define TM16_MAC4(LOAD) \
    LOAD " r18,Z+\n\t" LOAD " r20,Z+\n\tld r19,X+\n\tld r21,X+\n\t" \
    "mulsu r20,r19\n\t" TM16_ADD3("r23", "r24", "r25") "mulsu r21,r18\n\t" TM16_ADD3("r23", "r24", "r25") \
    "mul r18,r19\n\tmovw r18,r0\n\tmuls r20,r21\n\t" \
    "add r22,r18\n\tadc r23,r19\n\tadc r24,r0\n\tadc r25,r1\n\t"

TM_KERNEL tm_products_s8_s16_s32(void)
{
    __asm__(TM16_LOOP("r20", "r21", TM16_MIXED("lpm r18,Z+\n\t", "r18", "ld r19,X+\n\t", "r19"), TM16_NEAR, TM16_FLUSH));
}

TM_KERNEL tm_products_s16_s8_s32(void)
{
    __asm__(TM16_LOOP("r20", "r21", TM16_MIXED("ld r18,X+\n\t", "r18", "lpm r19,Z+\n\t", "r19"), TM16_NEAR, TM16_FLUSH));
}

TM_KERNEL tm_products_s16_s16_s32(void)
{
    __asm__(TM16_SHORT(TM16_MAC4("lpm")));
}

TM_KERNEL tm_products_s16_s16_s32_ram(void)
{
    __asm__(TM16_SHORT(TM16_MAC4("ld")));
}

TM_KERNEL tm_row_s8_s16_s32(void)
{
    __asm__(TM16_ENTER("r20", "r21") TM16_LOOP("r20", "r21",
        TM16_SKIP("r18") TM16_MIXED("lpm r18,Z+\n\t", "r18", "ld r19,X+\n\t", "r19"), TM16_FAR, TM16_FLUSH));
}

TM_KERNEL tm_row_s16_s16_s32(void)
{
    __asm__(TM16_ENTER("r16", "r17") TM16_LOOP("r16", "r17", TM16_SKIP("r18") TM16_MAC4("lpm"), TM16_FAR, ""));
}

/* Enters behind 4 - n % 4 steps of so many bytes. */
#define TM16_CALL(KERNEL, BYTES, ...) \
    switch (n % 4) { \
    case 0: __asm__ volatile("%~call %x[kernel]+4*" #BYTES : __VA_ARGS__); break; \
    case 1: __asm__ volatile("%~call %x[kernel]+3*" #BYTES : __VA_ARGS__); break; \
    case 2: __asm__ volatile("%~call %x[kernel]+2*" #BYTES : __VA_ARGS__); break; \
    default: __asm__ volatile("%~call %x[kernel]+" #BYTES : __VA_ARGS__); break; \
    }
#define TM16_SUM \
    register int32_t s __asm__("r22") = sum; \
    register uint8_t zero __asm__("r15") = 0;
#define TM16_DENSE_MIXED(KERNEL) \
    TM16_SUM \
    register uint16_t k __asm__("r20") = n; \
    register uint16_t low __asm__("r16") = 0; \
    TM16_CALL(KERNEL, 26, "+r"(s), "+r"(k), "+r"(low), "+z"(w), "+x"(x) : [kernel] "i"(KERNEL), "r"(zero) \
        : "r18", "r19", "memory") \
    TM_RETURN(s)
#define TM16_DENSE_S32(KERNEL) \
    TM16_SUM \
    for (; n > 1023; n -= 1020) { \
        register uint8_t k __asm__("r16") = 255; \
        __asm__ volatile("%~call %x[kernel]" : TM16_OPERANDS_S32(KERNEL)); \
    } \
    register uint8_t k __asm__("r16") = (uint8_t)(n / 4 + 1); \
    TM16_CALL(KERNEL, 42, TM16_OPERANDS_S32(KERNEL)) \
    TM_RETURN(s)
#define TM16_OPERANDS_S32(KERNEL) \
    "+r"(s), "+r"(k), "+z"(w), "+x"(x) : [kernel] "i"(KERNEL), "r"(zero) : "r18", "r19", "r20", "r21", "memory"

static TM_INLINED int32_t tm_dot_s8_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TM16_DENSE_MIXED(tm_products_s8_s16_s32)
}

static TM_INLINED int32_t tm_dot_s16_s8_s32(const int16_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TM16_DENSE_MIXED(tm_products_s16_s8_s32)
}

static TM_INLINED int32_t tm_dot_s16_s16_s32(const int16_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TM16_DENSE_S32(tm_products_s16_s16_s32)
}

static TM_INLINED int32_t tm_dot_s16_s16_s32_ram(const int16_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TM16_DENSE_S32(tm_products_s16_s16_s32_ram)
}

static TM_INLINED int32_t tm_dot_sparse_s8_s16_s32(const uint8_t **row, const int16_t *x, int32_t sum)
{
    TM16_SUM
    register uint16_t low __asm__("r16") = 0;
    __asm__ volatile("%~call %x[kernel]" : "+r"(s), "+r"(low), "+z"(*row), "+x"(x)
        : [kernel] "i"(tm_row_s8_s16_s32), "r"(zero) : "r18", "r19", "r20", "r21", "memory");
    TM_RETURN(s)
}

static TM_INLINED int32_t tm_dot_sparse_s16_s16_s32(const uint8_t **row, const int16_t *x, int32_t sum)
{
    TM16_SUM
    __asm__ volatile("%~call %x[kernel]" : "+r"(s), "+z"(*row), "+x"(x)
        : [kernel] "i"(tm_row_s16_s16_s32), "r"(zero) : "r16", "r17", "r18", "r19", "r20", "r21", "memory");
    TM_RETURN(s)
}
#else
#define TM_INLINED __attribute__((__unused__))
#define TM16_PRODUCTS \
    for (; n > 0; n--) \
        sum += (int32_t)*w++ * *x++; \
    return sum;

static TM_INLINED int32_t tm_dot_s8_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TM16_PRODUCTS
}

static TM_INLINED int32_t tm_dot_s16_s8_s32(const int16_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TM16_PRODUCTS
}

static TM_INLINED int32_t tm_dot_s16_s16_s32(const int16_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TM16_PRODUCTS
}
#define tm_dot_s16_s16_s32_ram tm_dot_s16_s16_s32

static TM_INLINED int32_t tm_dot_sparse_s8_s16_s32(const uint8_t **row, const int16_t *x, int32_t sum)
{
    uint16_t n = (uint16_t)((*row)[0] | (*row)[1] << 8);
    *row += 2;
    for (; n > 0; n--, *row += 2) {
        x += (*row)[0] / 2;
        sum += (int32_t)(int8_t)(*row)[1] * *x++;
    }
    return sum;
}

static TM_INLINED int32_t tm_dot_sparse_s16_s16_s32(const uint8_t **row, const int16_t *x, int32_t sum)
{
    uint16_t n = (uint16_t)((*row)[0] | (*row)[1] << 8);
    *row += 2;
    for (; n > 0; n--, *row += 3) {
        x += (*row)[0] / 2;
        sum += (int32_t)(int16_t)((*row)[1] | (*row)[2] << 8) * *x++;
    }
    return sum;
}
#endif

/* One row, without moving on to the next; its bytes have the type of all constants of 8 bits. */
static TM_INLINED int32_t tm_dot_row_s8_s16_s32(const int8_t *row, const int16_t *x, int32_t sum)
{
    const uint8_t *at = (const uint8_t *)row;
    return tm_dot_sparse_s8_s16_s32(&at, x, sum);
}

/* One row, without moving on to the next; its bytes have the type of all constants of 8 bits. */
static TM_INLINED int32_t tm_dot_row_s16_s16_s32(const int8_t *row, const int16_t *x, int32_t sum)
{
    const uint8_t *at = (const uint8_t *)row;
    return tm_dot_sparse_s16_s16_s32(&at, x, sum);
}
#endif
