/* Exact dot products with a 16-bit factor, added to `sum`: `w` in flash (`_ram`: in RAM), `x` in RAM. The caller has
 * proven that the magnitudes of `sum` and all products together stay within the width that the name ends in.
 * A sparse row in flash is its count of entries (16 bits, low byte first), then for each entry a byte `skip` and the
 * value, low byte first: skip counts the bytes of x between the element of the entry before (or the start of x) and
 * that of this one. The pointer to the row moves on to the next. */
#ifndef TINYML_DOT_S16_H
#define TINYML_DOT_S16_H
#include <stdint.h>

#ifdef __AVR__
#define TM_SHARED __attribute__((__noinline__, __noclone__, __unused__))
#define TM_INLINED inline __attribute__((__always_inline__))

/* The length, in N0 and N1, modulo 4 or 2 chooses where the loop is entered. FLUSH runs after at most 256 steps. */
#define TM16_AGAIN(STEPS, N0, N1, FLUSH) \
    "subi " N0 "," #STEPS "\n\tbrcc " #STEPS "b\n\t" FLUSH \
    "subi " N1 ",1\n\tbrcs 9f\n\trjmp " #STEPS "b\n9:\tclr r1\n\t"
#define TM16_TWO(N0, N1, STEP, FLUSH) \
    "sbrc " N0 ",0\n\trjmp 1f\n\trjmp 0f\n2:\t" STEP "1:\t" STEP "0:\t" TM16_AGAIN(2, N0, N1, FLUSH)
#define TM16_FOUR(N0, N1, STEP, FLUSH) \
    "sbrc " N0 ",1\n\trjmp 31f\n\tsbrc " N0 ",0\n\trjmp 1f\n\trjmp 0f\n31:\tsbrc " N0 ",0\n\trjmp 3f\n\trjmp 2f\n" \
    "4:\t" STEP "3:\t" STEP "2:\t" STEP "1:\t" STEP "0:\t" TM16_AGAIN(4, N0, N1, FLUSH)
#define TM16_CLEAR(S0, S1, S2, S3) "clr " S0 "\n\tclr " S1 "\n\tclr " S2 "\n\tclr " S3 "\n\t"
#define TM16_COUNT(N0, N1) "lpm " N0 ",Z+\n\tlpm " N1 ",Z+\n\t"
#define TM16_SKIP(A, ZERO) "lpm " A ",Z+\n\tadd r26," A "\n\tadc r27," ZERO "\n\t"
/* Adds r1:r0 to S2:S1:S0; the multiplication left its sign in the carry. */
#define TM16_ADD3(S0, S1, S2, ZERO) \
    "sbc " S2 "," ZERO "\n\tadd " S0 ",r0\n\tadc " S1 ",r1\n\tadc " S2 "," ZERO "\n\t"

/* 8 x 16 bits: B takes the low byte of the 16-bit factor, then the high one. L2:L1:S0 gathers the products with low
 * bytes, which stay within 24 bits for 256 steps, S3:S2:S1 those with high bytes. */
#define TM16_MIXED(LOAD_A, A, LOAD_B, B, S0, S1, S2, S3, L1, L2, ZERO) \
    LOAD_A LOAD_B "mulsu " A "," B "\n\t" TM16_ADD3(S0, L1, L2, ZERO) \
    LOAD_B "muls " A "," B "\n\t" TM16_ADD3(S1, S2, S3, ZERO)
#define TM16_FLUSH(S1, S2, S3, L1, L2) \
    "mov r0," L2 "\n\tlsl r0\n\tsbc r0,r0\n\tadd " S1 "," L1 "\n\tadc " S2 "," L2 "\n\tadc " S3 ",r0\n\t" \
    "clr " L1 "\n\tclr " L2 "\n\t"
/* 16 x 16 bits: low bytes in A0 and B0, a pair of registers; high ones in A1 and B1. */
#define TM16_LOAD(LOAD, A0, A1, B0, B1) \
    LOAD " " A0 ",Z+\n\t" LOAD " " A1 ",Z+\n\tld " B0 ",X+\n\tld " B1 ",X+\n\t"
#define TM16_MAC4(A0, A1, B0, B1, S0, S1, S2, S3, ZERO) \
    "mulsu " A1 "," B0 "\n\t" TM16_ADD3(S1, S2, S3, ZERO) "mulsu " B1 "," A0 "\n\t" TM16_ADD3(S1, S2, S3, ZERO) \
    "mul " A0 "," B0 "\n\tmovw " A0 ",r0\n\tmuls " A1 "," B1 "\n\t" \
    "add " S0 "," A0 "\n\tadc " S1 "," B0 "\n\tadc " S2 ",r0\n\tadc " S3 ",r1\n\t"

/* The kernels give the products alone; a fourth argument for the start of the sum would cost pushes and moves. */
#define TM16_DENSE(TEXT, ...) \
    register int32_t s __asm__("r22"); \
    register uint16_t k __asm__("r20") = n; \
    __asm__ volatile(TEXT : "=&r"(s), "+r"(k), "+z"(w), "+x"(x) : : __VA_ARGS__, "memory"); \
    return s;
#define TM16_DENSE_MIXED(LOAD_A, LOAD_B) \
    TM16_DENSE( \
        TM16_CLEAR("r22", "r23", "r24", "r25") "clr r16\n\tclr r17\n\tclr r15\n\t" TM16_FOUR("r20", "r21", \
            TM16_MIXED(LOAD_A, "r18", LOAD_B, "r19", "r22", "r23", "r24", "r25", "r16", "r17", "r15"), \
            TM16_FLUSH("r23", "r24", "r25", "r16", "r17")), \
        "r15", "r16", "r17", "r18", "r19")
#define TM16_DENSE_S32(LOAD) \
    TM16_DENSE( \
        TM16_CLEAR("r22", "r23", "r24", "r25") "movw r16,r20\n\tclr r15\n\t" TM16_TWO("r16", "r17", \
            TM16_LOAD(LOAD, "r18", "r20", "r19", "r21") \
            TM16_MAC4("r18", "r20", "r19", "r21", "r22", "r23", "r24", "r25", "r15"), ""), \
        "r15", "r16", "r17", "r18", "r19")

static TM_SHARED int32_t tm_products_s8_s16_s32(const int8_t *w, const int16_t *x, uint16_t n)
{
    TM16_DENSE_MIXED("lpm r18,Z+\n\t", "ld r19,X+\n\t")
}

static TM_SHARED int32_t tm_products_s16_s8_s32(const int16_t *w, const int8_t *x, uint16_t n)
{
    TM16_DENSE_MIXED("ld r18,X+\n\t", "lpm r19,Z+\n\t")
}

static TM_SHARED int32_t tm_products_s16_s16_s32(const int16_t *w, const int16_t *x, uint16_t n)
{
    TM16_DENSE_S32("lpm")
}

static TM_SHARED int32_t tm_products_s16_s16_s32_ram(const int16_t *w, const int16_t *x, uint16_t n)
{
    TM16_DENSE_S32("ld")
}

/* The sum in r18 to r21 and behind it the next row, which TM16_TAKE separates. */
#define TM16_SPARSE(N0, N1, TEXT) \
    register uint64_t s __asm__("r18"); \
    __asm__ volatile(TM16_COUNT(N0, N1) TM16_CLEAR("r18", "r19", "r20", "r21") "clr r15\n\t" TEXT "movw r22,r30" \
        : "=&r"(s), "+z"(row), "+x"(x) : : "r15", "r16", "r17", "memory"); \
    return s;
#define TM16_TAKE(CALL) \
    register uint64_t both __asm__("r18") = CALL; \
    register int32_t products __asm__("r18"); \
    register const uint8_t *next __asm__("r22"); \
    __asm__("" : "=r"(products), "=r"(next) : "r"(both)); \
    *row = next; \
    return sum + products;

static TM_SHARED uint64_t tm_row_s8_s16_s32(const uint8_t *row, const int16_t *x)
{
    TM16_SPARSE("r16", "r17", "clr r24\n\tclr r25\n\t" TM16_TWO("r16", "r17", TM16_SKIP("r22", "r15")
        TM16_MIXED("lpm r22,Z+\n\t", "r22", "ld r23,X+\n\t", "r23", "r18", "r19", "r20", "r21", "r24", "r25", "r15"),
        TM16_FLUSH("r19", "r20", "r21", "r24", "r25")))
}

static TM_SHARED uint64_t tm_row_s16_s16_s32(const uint8_t *row, const int16_t *x)
{
    TM16_SPARSE("r24", "r25", TM16_TWO("r24", "r25", TM16_SKIP("r22", "r15")
        TM16_LOAD("lpm", "r22", "r16", "r23", "r17")
        TM16_MAC4("r22", "r16", "r23", "r17", "r18", "r19", "r20", "r21", "r15"), ""))
}

static TM_INLINED int32_t tm_dot_sparse_s8_s16_s32(const uint8_t **row, const int16_t *x, int32_t sum)
{
    TM16_TAKE(tm_row_s8_s16_s32(*row, x))
}

static TM_INLINED int32_t tm_dot_sparse_s16_s16_s32(const uint8_t **row, const int16_t *x, int32_t sum)
{
    TM16_TAKE(tm_row_s16_s16_s32(*row, x))
}
#else
#define TM_INLINED __attribute__((__unused__))
#define TM16_PRODUCTS \
    int32_t sum = 0; \
    for (; n > 0; n--) \
        sum += (int32_t)*w++ * *x++; \
    return sum;

static TM_INLINED int32_t tm_products_s8_s16_s32(const int8_t *w, const int16_t *x, uint16_t n)
{
    TM16_PRODUCTS
}

static TM_INLINED int32_t tm_products_s16_s8_s32(const int16_t *w, const int8_t *x, uint16_t n)
{
    TM16_PRODUCTS
}

static TM_INLINED int32_t tm_products_s16_s16_s32(const int16_t *w, const int16_t *x, uint16_t n)
{
    TM16_PRODUCTS
}
#define tm_products_s16_s16_s32_ram tm_products_s16_s16_s32

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

static TM_INLINED int32_t tm_dot_s8_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    return sum + tm_products_s8_s16_s32(w, x, n);
}

static TM_INLINED int32_t tm_dot_s16_s8_s32(const int16_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    return sum + tm_products_s16_s8_s32(w, x, n);
}

static TM_INLINED int32_t tm_dot_s16_s16_s32(const int16_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    return sum + tm_products_s16_s16_s32(w, x, n);
}

static TM_INLINED int32_t tm_dot_s16_s16_s32_ram(const int16_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    return sum + tm_products_s16_s16_s32_ram(w, x, n);
}

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
