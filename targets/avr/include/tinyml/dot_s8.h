/* Exact dot products of 8-bit vectors, added to `sum`: `w` in flash (`_ram`: in RAM), `x` in RAM. The caller has proven
 * that the magnitudes of `sum` and all products together stay within the width that the name ends in.
 * A sparse row in flash is its count of entries (16 bits, low byte first), then for each entry a byte `skip` and the
 * value: skip counts the bytes of x between the element of the entry before (or the start of x) and that of this one.
 * The pointer to the row moves on to the next. */
#ifndef TINYML_DOT_S8_H
#define TINYML_DOT_S8_H
#include <stdint.h>

#ifdef __AVR__
#define TM_KERNEL static __attribute__((__naked__, __noinline__, __noclone__, __unused__)) void
#define TM_INLINED inline __attribute__((__always_inline__))
/* Out of its register at once: gcc 5.4 lets a variable of it be the register, and other calls change that. */
#define TM_RETURN(S) \
    __typeof__(S) result = S; \
    __asm__("" : "+r"(result)); \
    return result;
#define TM8_INT24 __int24

/* The kernels are called by assembly: a sum comes in and goes out in registers, on to the next kernel, and what they
 * change is saved once, by the function around them. The length, in r21:r20, modulo 8 or 4 says where the loop is
 * entered, which the caller of a dense row knows beforehand. FLUSH runs after at most 256 steps. */
#define TM8_AGAIN(STEPS, FLUSH) \
    "0:\tsubi r20," #STEPS "\n\tbrcc " #STEPS "b\n\t" FLUSH "subi r21,1\n\tbrcs 9f\n\trjmp " #STEPS "b\n9:\tclr r1\n\tret"
#define TM8_FOUR(STEP, FLUSH) "4:\t" STEP "3:\t" STEP "2:\t" STEP "1:\t" STEP TM8_AGAIN(4, FLUSH)
#define TM8_EIGHT(STEP, FLUSH) \
    "8:\t" STEP "7:\t" STEP "6:\t" STEP "5:\t" STEP "4:\t" STEP "3:\t" STEP "2:\t" STEP "1:\t" STEP TM8_AGAIN(8, FLUSH)
/* Of less than 2048 steps; r20 is one more than their number divided by 8. */
#define TM8_SHORT(STEP) \
    "8:\t" STEP "7:\t" STEP "6:\t" STEP "5:\t" STEP "4:\t" STEP "3:\t" STEP "2:\t" STEP "1:\t" STEP \
    "0:\tdec r20\n\tbrne 8b\n\tclr r1\n\tret"
#define TM8_ENTER \
    "lpm r20,Z+\n\tlpm r21,Z+\n\tsbrc r20,1\n\trjmp 31f\n\tsbrc r20,0\n\trjmp 1f\n\trjmp 0f\n" \
    "31:\tsbrc r20,0\n\trjmp 3f\n\trjmp 2f\n"

#define TM8_LOAD(LOAD, A, B) LOAD " " A ",Z+\n\tld " B ",X+\n\t"
#define TM8_ENTRY(A, B, ZERO) "lpm " A ",Z+\n\tadd r26," A "\n\tadc r27," ZERO "\n\t" TM8_LOAD("lpm", A, B)
#define TM8_MAC2 "muls r22,r23\n\tadd r24,r0\n\tadc r25,r1\n\t"
/* muls leaves the sign of the product in the carry. */
#define TM8_MAC3(S2, ZERO) \
    "muls r18,r19\n\tsbc " S2 "," ZERO "\n\tadd r22,r0\n\tadc r23,r1\n\tadc " S2 "," ZERO "\n\t"
/* Of a 32-bit sum: between two flushes r16 stands in the place of its third byte: 256 products stay within 24 bits. */
#define TM8_FLUSH "add r24,r16\n\tadc r25,r17\n\tsbrc r16,7\n\tdec r25\n\tclr r16\n\t"

TM_KERNEL tm_products_s8_s8_s16(void)
{
    __asm__(TM8_SHORT(TM8_LOAD("lpm", "r22", "r23") TM8_MAC2));
}

TM_KERNEL tm_products_s8_s8_s16_ram(void)
{
    __asm__(TM8_SHORT(TM8_LOAD("ld", "r22", "r23") TM8_MAC2));
}

TM_KERNEL tm_products_s8_s8_s24(void)
{
    __asm__(TM8_SHORT(TM8_LOAD("lpm", "r18", "r19") TM8_MAC3("r24", "r25")));
}

TM_KERNEL tm_products_s8_s8_s24_ram(void)
{
    __asm__(TM8_SHORT(TM8_LOAD("ld", "r18", "r19") TM8_MAC3("r24", "r25")));
}

TM_KERNEL tm_products_s8_s8_s32(void)
{
    __asm__(TM8_EIGHT(TM8_LOAD("lpm", "r18", "r19") TM8_MAC3("r16", "r17"), TM8_FLUSH));
}

TM_KERNEL tm_products_s8_s8_s32_ram(void)
{
    __asm__(TM8_EIGHT(TM8_LOAD("ld", "r18", "r19") TM8_MAC3("r16", "r17"), TM8_FLUSH));
}

TM_KERNEL tm_row_s8_s8_s16(void)
{
    __asm__(TM8_ENTER TM8_FOUR(TM8_ENTRY("r22", "r23", "r18") TM8_MAC2, ""));
}

TM_KERNEL tm_row_s8_s8_s24(void)
{
    __asm__(TM8_ENTER TM8_FOUR(TM8_ENTRY("r18", "r19", "r25") TM8_MAC3("r24", "r25"), ""));
}

TM_KERNEL tm_row_s8_s8_s32(void)
{
    __asm__(TM8_ENTER TM8_FOUR(TM8_ENTRY("r18", "r19", "r17") TM8_MAC3("r16", "r17"), TM8_FLUSH));
}

/* Enters behind 8 - n % 8 steps of so many bytes. */
#define TM8_ENTERED(BYTES, ...) \
    switch (n % 8) { \
    case 0: TM8_CALL(8, BYTES, __VA_ARGS__); break; \
    case 1: TM8_CALL(7, BYTES, __VA_ARGS__); break; \
    case 2: TM8_CALL(6, BYTES, __VA_ARGS__); break; \
    case 3: TM8_CALL(5, BYTES, __VA_ARGS__); break; \
    case 4: TM8_CALL(4, BYTES, __VA_ARGS__); break; \
    case 5: TM8_CALL(3, BYTES, __VA_ARGS__); break; \
    case 6: TM8_CALL(2, BYTES, __VA_ARGS__); break; \
    default: TM8_CALL(1, BYTES, __VA_ARGS__); break; \
    } \
    TM_RETURN(s)
#define TM8_CALL(STEPS, BYTES, ...) \
    __asm__ volatile("%~call %x[kernel]+" #STEPS "*" #BYTES : "+r"(k), "+z"(w), "+x"(x), __VA_ARGS__, "memory")
#define TM8_DENSE_SHORT(BYTES, ...) \
    for (; n > 2047; n -= 2040) { \
        register uint8_t k __asm__("r20") = 255; \
        TM8_CALL(0, BYTES, __VA_ARGS__); \
    } \
    register uint8_t k __asm__("r20") = (uint8_t)(n / 8 + 1); \
    TM8_ENTERED(BYTES, __VA_ARGS__)
#define TM8_DENSE(BYTES, ...) \
    register uint16_t k __asm__("r20") = n; \
    TM8_ENTERED(BYTES, __VA_ARGS__)
#define TM8_DENSE_S16(KERNEL) \
    register int16_t s __asm__("r24") = sum; \
    TM8_DENSE_SHORT(10, "+r"(s) : [kernel] "i"(KERNEL) : "r22", "r23")
#define TM8_DENSE_S24(KERNEL) \
    register TM8_INT24 s __asm__("r22") = sum; \
    register uint8_t zero __asm__("r25") = 0; \
    TM8_DENSE_SHORT(14, "+r"(s) : [kernel] "i"(KERNEL), "r"(zero) : "r18", "r19")
#define TM8_DENSE_S32(KERNEL) \
    register int32_t s __asm__("r22") = sum; \
    register uint16_t third __asm__("r16") = 0; \
    TM8_DENSE(14, "+r"(s), "+r"(third) : [kernel] "i"(KERNEL) : "r18", "r19")

static TM_INLINED int16_t tm_dot_s8_s8_s16(const int8_t *w, const int8_t *x, uint16_t n, int16_t sum)
{
    TM8_DENSE_S16(tm_products_s8_s8_s16)
}

static TM_INLINED int16_t tm_dot_s8_s8_s16_ram(const int8_t *w, const int8_t *x, uint16_t n, int16_t sum)
{
    TM8_DENSE_S16(tm_products_s8_s8_s16_ram)
}

static TM_INLINED TM8_INT24 tm_dot_s8_s8_s24(const int8_t *w, const int8_t *x, uint16_t n, TM8_INT24 sum)
{
    TM8_DENSE_S24(tm_products_s8_s8_s24)
}

static TM_INLINED TM8_INT24 tm_dot_s8_s8_s24_ram(const int8_t *w, const int8_t *x, uint16_t n, TM8_INT24 sum)
{
    TM8_DENSE_S24(tm_products_s8_s8_s24_ram)
}

static TM_INLINED int32_t tm_dot_s8_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TM8_DENSE_S32(tm_products_s8_s8_s32)
}

static TM_INLINED int32_t tm_dot_s8_s8_s32_ram(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TM8_DENSE_S32(tm_products_s8_s8_s32_ram)
}

#define TM8_SPARSE(...) \
    const uint8_t *at = *row; \
    __asm__ volatile("%~call %x[kernel]" : "+z"(at), "+x"(x), __VA_ARGS__, "r20", "r21", "memory"); \
    *row = at; \
    TM_RETURN(s)

static TM_INLINED int16_t tm_dot_sparse_s8_s8_s16(const uint8_t **row, const int8_t *x, int16_t sum)
{
    register int16_t s __asm__("r24") = sum;
    register uint8_t zero __asm__("r18") = 0;
    TM8_SPARSE("+r"(s) : [kernel] "i"(tm_row_s8_s8_s16), "r"(zero) : "r22", "r23")
}

static TM_INLINED TM8_INT24 tm_dot_sparse_s8_s8_s24(const uint8_t **row, const int8_t *x, TM8_INT24 sum)
{
    register TM8_INT24 s __asm__("r22") = sum;
    register uint8_t zero __asm__("r25") = 0;
    TM8_SPARSE("+r"(s) : [kernel] "i"(tm_row_s8_s8_s24), "r"(zero) : "r18", "r19")
}

static TM_INLINED int32_t tm_dot_sparse_s8_s8_s32(const uint8_t **row, const int8_t *x, int32_t sum)
{
    register int32_t s __asm__("r22") = sum;
    register uint16_t third __asm__("r16") = 0;
    TM8_SPARSE("+r"(s), "+r"(third) : [kernel] "i"(tm_row_s8_s8_s32) : "r18", "r19")
}
#else
#define TM_INLINED __attribute__((__unused__))
#define TM8_INT24 int32_t
static TM_INLINED int32_t tm_dot_s8_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    for (; n > 0; n--)
        sum += *w++ * *x++;
    return sum;
}
#define tm_dot_s8_s8_s16 (int16_t)tm_dot_s8_s8_s32
#define tm_dot_s8_s8_s16_ram (int16_t)tm_dot_s8_s8_s32
#define tm_dot_s8_s8_s24 tm_dot_s8_s8_s32
#define tm_dot_s8_s8_s24_ram tm_dot_s8_s8_s32
#define tm_dot_s8_s8_s32_ram tm_dot_s8_s8_s32

static TM_INLINED int32_t tm_dot_sparse_s8_s8_s32(const uint8_t **row, const int8_t *x, int32_t sum)
{
    uint16_t n = (uint16_t)((*row)[0] | (*row)[1] << 8);
    *row += 2;
    for (; n > 0; n--, *row += 2) {
        x += (*row)[0];
        sum += (int8_t)(*row)[1] * *x++;
    }
    return sum;
}
#define tm_dot_sparse_s8_s8_s16 (int16_t)tm_dot_sparse_s8_s8_s32
#define tm_dot_sparse_s8_s8_s24 tm_dot_sparse_s8_s8_s32
#endif

/* One row, without moving on to the next; its bytes have the type of all constants of 8 bits. */
static TM_INLINED int16_t tm_dot_row_s8_s8_s16(const int8_t *row, const int8_t *x, int16_t sum)
{
    const uint8_t *at = (const uint8_t *)row;
    return tm_dot_sparse_s8_s8_s16(&at, x, sum);
}

static TM_INLINED TM8_INT24 tm_dot_row_s8_s8_s24(const int8_t *row, const int8_t *x, TM8_INT24 sum)
{
    const uint8_t *at = (const uint8_t *)row;
    return tm_dot_sparse_s8_s8_s24(&at, x, sum);
}

static TM_INLINED int32_t tm_dot_row_s8_s8_s32(const int8_t *row, const int8_t *x, int32_t sum)
{
    const uint8_t *at = (const uint8_t *)row;
    return tm_dot_sparse_s8_s8_s32(&at, x, sum);
}
#endif
