/* Exact dot products of 8-bit vectors, added to `sum`: `w` in flash (`_ram`: in RAM), `x` in RAM. The caller has proven
 * that the magnitudes of `sum` and all products together stay within the width that the name ends in.
 * A sparse row in flash is its count of entries (16 bits, low byte first), then for each entry a byte `skip` and the
 * value: skip counts the bytes of x between the element of the entry before (or the start of x) and that of this one.
 * The pointer to the row moves on to the next. */
#ifndef TINYML_DOT_S8_H
#define TINYML_DOT_S8_H
#include <stdint.h>

#ifdef __AVR__
#define TM_SHARED __attribute__((__noinline__, __noclone__, __unused__))
#define TM_INLINED inline __attribute__((__always_inline__))
#define TM8_INT24 __int24

/* The length, in N0 and N1, modulo 8 or 4 chooses where the loop is entered. FLUSH runs after at most 256 steps. */
#define TM8_AGAIN(STEPS, N0, N1, FLUSH) \
    "0:\tsubi " N0 "," #STEPS "\n\tbrcc " #STEPS "b\n\t" FLUSH \
    "subi " N1 ",1\n\tbrcs 9f\n\trjmp " #STEPS "b\n9:\tclr r1\n\t"
#define TM8_FOUR(N0, N1, STEP, FLUSH) \
    "sbrc " N0 ",1\n\trjmp 31f\n\tsbrc " N0 ",0\n\trjmp 1f\n\trjmp 0f\n31:\tsbrc " N0 ",0\n\trjmp 3f\n\trjmp 2f\n" \
    "4:\t" STEP "3:\t" STEP "2:\t" STEP "1:\t" STEP TM8_AGAIN(4, N0, N1, FLUSH)
#define TM8_EIGHT(N0, N1, STEP, FLUSH) \
    "sbrc " N0 ",2\n\trjmp 31f\n\tsbrc " N0 ",1\n\trjmp 32f\n\tsbrc " N0 ",0\n\trjmp 1f\n\trjmp 0f\n" \
    "32:\tsbrc " N0 ",0\n\trjmp 3f\n\trjmp 2f\n" \
    "31:\tsbrc " N0 ",1\n\trjmp 33f\n\tsbrc " N0 ",0\n\trjmp 5f\n\trjmp 4f\n" \
    "33:\tsbrc " N0 ",0\n\trjmp 7f\n\trjmp 6f\n" \
    "8:\t" STEP "7:\t" STEP "6:\t" STEP "5:\t" STEP "4:\t" STEP "3:\t" STEP "2:\t" STEP "1:\t" STEP \
    TM8_AGAIN(8, N0, N1, FLUSH)

#define TM8_LOAD(LOAD, A, B) LOAD " " A ",Z+\n\tld " B ",X+\n\t"
#define TM8_COUNT "lpm r24,Z+\n\tlpm r25,Z+\n\t"
#define TM8_ENTRY(ZERO) "lpm r22,Z+\n\tadd r26,r22\n\tadc r27," ZERO "\n\t" TM8_LOAD("lpm", "r22", "r23")
#define TM8_MAC2(A, B, S0, S1) "muls " A "," B "\n\tadd " S0 ",r0\n\tadc " S1 ",r1\n\t"
/* muls leaves the sign of the product in the carry. */
#define TM8_MAC3(A, B, S0, S1, S2, ZERO) \
    "muls " A "," B "\n\tsbc " S2 "," ZERO "\n\tadd " S0 ",r0\n\tadc " S1 ",r1\n\tadc " S2 "," ZERO "\n\t"
/* Of a 32-bit sum: between two flushes r16 stands in the place of S2: 256 products stay within 24 bits. */
#define TM8_FLUSH(S2, S3) "add " S2 ",r16\n\tadc " S3 ",r17\n\tsbrc r16,7\n\tdec " S3 "\n\tclr r16\n\t"

/* The kernels give the products alone; a fourth argument for the start of the sum would cost pushes and moves. */
#define TM8_DENSE(TYPE, SUM, TEXT, ...) \
    register TYPE s __asm__(SUM) = 0; \
    register uint16_t k __asm__("r20") = n; \
    __asm__ volatile(TEXT : "+r"(s), "+r"(k), "+z"(w), "+x"(x) : : __VA_ARGS__, "memory"); \
    return s;
#define TM8_DENSE_S16(LOAD) \
    TM8_DENSE(int16_t, "r24", \
        TM8_EIGHT("r20", "r21", TM8_LOAD(LOAD, "r22", "r23") TM8_MAC2("r22", "r23", "r24", "r25"), ""), \
        "r22", "r23")
#define TM8_DENSE_S24(LOAD) \
    TM8_DENSE(TM8_INT24, "r22", \
        "clr r25\n\t" \
        TM8_EIGHT("r20", "r21", TM8_LOAD(LOAD, "r18", "r19") TM8_MAC3("r18", "r19", "r22", "r23", "r24", "r25"), ""), \
        "r18", "r19", "r25")
#define TM8_DENSE_S32(LOAD) \
    TM8_DENSE(int32_t, "r22", \
        "clr r16\n\tclr r17\n\t" \
        TM8_EIGHT("r20", "r21", TM8_LOAD(LOAD, "r18", "r19") TM8_MAC3("r18", "r19", "r22", "r23", "r16", "r17"), \
            TM8_FLUSH("r24", "r25")), \
        "r16", "r17", "r18", "r19")

static TM_SHARED int16_t tm_products_s8_s8_s16(const int8_t *w, const int8_t *x, uint16_t n)
{
    TM8_DENSE_S16("lpm")
}

static TM_SHARED int16_t tm_products_s8_s8_s16_ram(const int8_t *w, const int8_t *x, uint16_t n)
{
    TM8_DENSE_S16("ld")
}

static TM_SHARED TM8_INT24 tm_products_s8_s8_s24(const int8_t *w, const int8_t *x, uint16_t n)
{
    TM8_DENSE_S24("lpm")
}

static TM_SHARED TM8_INT24 tm_products_s8_s8_s24_ram(const int8_t *w, const int8_t *x, uint16_t n)
{
    TM8_DENSE_S24("ld")
}

static TM_SHARED int32_t tm_products_s8_s8_s32(const int8_t *w, const int8_t *x, uint16_t n)
{
    TM8_DENSE_S32("lpm")
}

static TM_SHARED int32_t tm_products_s8_s8_s32_ram(const int8_t *w, const int8_t *x, uint16_t n)
{
    TM8_DENSE_S32("ld")
}

/* The sum from r18 on and behind it the next row, which TM8_TAKE separates. */
#define TM8_SPARSE(TEXT, ...) \
    register uint64_t s __asm__("r18"); \
    __asm__ volatile(TM8_COUNT "clr r18\n\tclr r19\n\tclr r20\n\tclr r21\n\t" TEXT \
        : "=&r"(s), "+z"(row), "+x"(x) : : __VA_ARGS__); \
    return s;
#define TM8_TAKE(TYPE, CALL) \
    register uint64_t both __asm__("r18") = CALL; \
    register TYPE products __asm__("r18"); \
    register const uint8_t *next __asm__("r22"); \
    __asm__("" : "=r"(products), "=r"(next) : "r"(both)); \
    *row = next; \
    return sum + products;

static TM_SHARED uint64_t tm_row_s8_s8_s16(const uint8_t *row, const int8_t *x)
{
    TM8_SPARSE(TM8_FOUR("r24", "r25", TM8_ENTRY("r21") TM8_MAC2("r22", "r23", "r18", "r19"), "") "movw r22,r30", "memory")
}

static TM_SHARED uint64_t tm_row_s8_s8_s24(const uint8_t *row, const int8_t *x)
{
    TM8_SPARSE(
        TM8_FOUR("r24", "r25", TM8_ENTRY("r21") TM8_MAC3("r22", "r23", "r18", "r19", "r20", "r21"), "")
        "movw r22,r30", "memory")
}

static TM_SHARED uint64_t tm_row_s8_s8_s32(const uint8_t *row, const int8_t *x)
{
    TM8_SPARSE(
        "clr r16\n\tclr r17\n\t"
        TM8_FOUR("r24", "r25", TM8_ENTRY("r17") TM8_MAC3("r22", "r23", "r18", "r19", "r16", "r17"),
            TM8_FLUSH("r20", "r21")) "movw r22,r30", "r16", "r17", "memory")
}

static TM_INLINED int16_t tm_dot_sparse_s8_s8_s16(const uint8_t **row, const int8_t *x, int16_t sum)
{
    TM8_TAKE(int16_t, tm_row_s8_s8_s16(*row, x))
}

static TM_INLINED TM8_INT24 tm_dot_sparse_s8_s8_s24(const uint8_t **row, const int8_t *x, TM8_INT24 sum)
{
    TM8_TAKE(TM8_INT24, tm_row_s8_s8_s24(*row, x))
}

static TM_INLINED int32_t tm_dot_sparse_s8_s8_s32(const uint8_t **row, const int8_t *x, int32_t sum)
{
    TM8_TAKE(int32_t, tm_row_s8_s8_s32(*row, x))
}
#else
#define TM_INLINED __attribute__((__unused__))
#define TM8_INT24 int32_t
static TM_INLINED int32_t tm_products_s8_s8_s32(const int8_t *w, const int8_t *x, uint16_t n)
{
    int32_t sum = 0;
    for (; n > 0; n--)
        sum += *w++ * *x++;
    return sum;
}
#define tm_products_s8_s8_s16 tm_products_s8_s8_s32
#define tm_products_s8_s8_s16_ram tm_products_s8_s8_s32
#define tm_products_s8_s8_s24 tm_products_s8_s8_s32
#define tm_products_s8_s8_s24_ram tm_products_s8_s8_s32
#define tm_products_s8_s8_s32_ram tm_products_s8_s8_s32

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

static TM_INLINED int16_t tm_dot_s8_s8_s16(const int8_t *w, const int8_t *x, uint16_t n, int16_t sum)
{
    return (int16_t)(sum + tm_products_s8_s8_s16(w, x, n));
}

static TM_INLINED int16_t tm_dot_s8_s8_s16_ram(const int8_t *w, const int8_t *x, uint16_t n, int16_t sum)
{
    return (int16_t)(sum + tm_products_s8_s8_s16_ram(w, x, n));
}

static TM_INLINED TM8_INT24 tm_dot_s8_s8_s24(const int8_t *w, const int8_t *x, uint16_t n, TM8_INT24 sum)
{
    return sum + tm_products_s8_s8_s24(w, x, n);
}

static TM_INLINED TM8_INT24 tm_dot_s8_s8_s24_ram(const int8_t *w, const int8_t *x, uint16_t n, TM8_INT24 sum)
{
    return sum + tm_products_s8_s8_s24_ram(w, x, n);
}

static TM_INLINED int32_t tm_dot_s8_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    return sum + tm_products_s8_s8_s32(w, x, n);
}

static TM_INLINED int32_t tm_dot_s8_s8_s32_ram(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    return sum + tm_products_s8_s8_s32_ram(w, x, n);
}

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
