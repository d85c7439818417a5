/* Exact dot products of raws that stand for 16-bit integers, by a table of all of them, added to `sum`. `w` and tables
 * lie in flash, a table is given by its entry for 0, `x` in RAM: t8 is a raw of a byte, t6 and t4 one of 6 or 4 bits,
 * packed as in dot_packed.h, s8 and s16 are integers themselves. The caller has proven that the magnitudes of `sum` and
 * all products together stay within 32 bits. */
#ifndef TINYML_DOT_TABLE_H
#define TINYML_DOT_TABLE_H
#include <stdint.h>

#ifdef __AVR__
#define TMT_SHARED __attribute__((__noinline__, __noclone__, __unused__))
#define TMT_INLINED inline __attribute__((__always_inline__))

/* Z is the entry, in a table whose middle is T1:T0, of the byte in A, which is lost. */
#define TMT_ENTRY(A, T0, T1) "lsl " A "\n\tsbc r31,r31\n\tmov r30," A "\n\tadd r30," T0 "\n\tadc r31," T1 "\n\t"
/* r20:r18 is the integer of the next weight; r13:r12 keeps Z. */
#define TMT_WEIGHT "lpm r18,Z+\n\tmovw r12,r30\n\t" TMT_ENTRY("r18", "r10", "r11") "lpm r18,Z+\n\tlpm r20,Z\n\t"
#define TMT_ADD3(S0, S1, S2) "sbc " S2 ",r15\n\tadd " S0 ",r0\n\tadc " S1 ",r1\n\tadc " S2 ",r15\n\t"
/* r25:r22 += r20:r18 * r21:r19, as TM16_MAC4 multiplies. */
#define TMT_MAC \
    "mulsu r20,r19\n\t" TMT_ADD3("r23", "r24", "r25") "mulsu r21,r18\n\t" TMT_ADD3("r23", "r24", "r25") \
    "mul r18,r19\n\tmovw r18,r0\n\tmuls r20,r21\n\t" \
    "add r22,r18\n\tadc r23,r19\n\tadc r24,r0\n\tadc r25,r1\n\t"
/* r25:r22 += r20:r18 * r19. */
#define TMT_MAC_BYTE \
    "mulsu r19,r18\n\tsbc r24,r15\n\tsbc r25,r15\n\tadd r22,r0\n\tadc r23,r1\n\tadc r24,r15\n\tadc r25,r15\n\t" \
    "muls r19,r20\n\t" TMT_ADD3("r23", "r24", "r25")
#define TMT_S16 "ld r19,X+\n\tld r21,X+\n\t" TMT_MAC
#define TMT_S8 "ld r19,X+\n\t" TMT_MAC_BYTE
/* A group of packed weights: r14 keeps what is left of it. */
#define TMT_PACKED(MAC) TMT_ENTRY("r18", "r10", "r11") "lpm r18,Z+\n\tlpm r20,Z\n\t" MAC
#define TMT_NIBBLE(MAC) "mov r18,r14\n\tandi r18,15\n\tsubi r18,8\n\t" TMT_PACKED(MAC)
#define TMT_GROUP4(MAC) "lpm r14,Z+\n\tmovw r12,r30\n\t" TMT_NIBBLE(MAC) "swap r14\n\t" TMT_NIBBLE(MAC)
#define TMT_BYTE6(MAC) \
    "lpm r18,Z+\n\tmovw r12,r30\n\tasr r18\n\tror r14\n\tasr r18\n\tror r14\n\t" TMT_PACKED(MAC)
#define TMT_GROUP6(MAC) \
    TMT_BYTE6(MAC) "movw r30,r12\n\t" TMT_BYTE6(MAC) "movw r30,r12\n\t" TMT_BYTE6(MAC) \
    "mov r18,r14\n\tasr r18\n\tasr r18\n\t" TMT_PACKED(MAC)
#define TMT_NEAR "brcc 1b\n\t"
#define TMT_FAR "brcs 3f\n\trjmp 1b\n3:\t"
#define TMT_LOOP(COUNT, STEP, BACK, ...) \
    register int32_t s __asm__("r22"); \
    register uint16_t k __asm__("r16") = (uint16_t)(COUNT); \
    register const int16_t *t __asm__("r10") = table; \
    __asm__ volatile("clr r22\n\tclr r23\n\tclr r24\n\tclr r25\n\tclr r15\n\trjmp 2f\n1:\t" STEP "movw r30,r12\n" \
                     "2:\tsubi r16,1\n\tsbci r17,0\n\t" BACK "clr r1" \
                     : "=&r"(s), "+r"(k), "+z"(w), "+x"(x) : __VA_ARGS__ \
                     : "r12", "r13", "r14", "r15", "r18", "r19", "r20", "r21", "memory"); \
    return s;
#define TMT_PRODUCTS(STEP, ...) TMT_LOOP(n, STEP, TMT_NEAR, __VA_ARGS__)
#define TMT_GROUPS(LENGTH, STEP) TMT_LOOP((n + (LENGTH) - 1) / (LENGTH), STEP, TMT_FAR, "r"(t))

static TMT_SHARED int32_t tm_products_t8_s16_s32(const int16_t *table, const int8_t *w, const int16_t *x, uint16_t n)
{
    TMT_PRODUCTS(TMT_WEIGHT TMT_S16, "r"(t))
}

static TMT_SHARED int32_t tm_products_t8_s8_s32(const int16_t *table, const int8_t *w, const int8_t *x, uint16_t n)
{
    TMT_PRODUCTS(TMT_WEIGHT TMT_S8, "r"(t))
}

static TMT_SHARED int32_t tm_products_t8_t8_s32(const int16_t *table, const int16_t *other, const int8_t *w,
                                                const int8_t *x, uint16_t n)
{
    register const int16_t *u __asm__("r8") = other;
    TMT_PRODUCTS(TMT_WEIGHT "ld r19,X+\n\t" TMT_ENTRY("r19", "r8", "r9") "lpm r19,Z+\n\tlpm r21,Z\n\t" TMT_MAC,
                 "r"(t), "r"(u))
}

static TMT_SHARED int32_t tm_products_t4_s16_s32(const int16_t *table, const int8_t *w, const int16_t *x, uint16_t n)
{
    TMT_GROUPS(2, TMT_GROUP4(TMT_S16))
}

static TMT_SHARED int32_t tm_products_t4_s8_s32(const int16_t *table, const int8_t *w, const int8_t *x, uint16_t n)
{
    TMT_GROUPS(2, TMT_GROUP4(TMT_S8))
}

static TMT_SHARED int32_t tm_products_t6_s16_s32(const int16_t *table, const int8_t *w, const int16_t *x, uint16_t n)
{
    TMT_GROUPS(4, TMT_GROUP6(TMT_S16))
}

static TMT_SHARED int32_t tm_products_t6_s8_s32(const int16_t *table, const int8_t *w, const int8_t *x, uint16_t n)
{
    TMT_GROUPS(4, TMT_GROUP6(TMT_S8))
}
#else
#define TMT_INLINED __attribute__((__unused__))
#define TMT_PRODUCTS(WEIGHT, ELEMENT) \
    int32_t sum = 0; \
    for (; n > 0; n--) \
        sum += (WEIGHT) * (ELEMENT); \
    return sum;

/* The raws of a group that begins at w. */
#define TMT_RAW4(J) ((w[0] >> 4 * (J) & 15) - 8)
#define TMT_RAW6(J) ((J) < 3 ? w[J] >> 2 : (int8_t)((w[2] & 3) << 6 | (w[1] & 3) << 4 | (w[0] & 3) << 2) >> 2)
#define TMT_GROUPS(WIDTH, LENGTH) \
    int32_t sum = 0; \
    for (; n >= (LENGTH); n = (uint16_t)(n - (LENGTH)), w += (LENGTH) * (WIDTH) / 8, x += (LENGTH)) \
        for (uint8_t j = 0; j < (LENGTH); j++) \
            sum += table[TMT_RAW##WIDTH(j)] * x[j]; \
    for (uint8_t j = 0; j < n; j++) \
        sum += table[TMT_RAW##WIDTH(j)] * x[j]; \
    return sum;

static TMT_INLINED int32_t tm_products_t8_s16_s32(const int16_t *table, const int8_t *w, const int16_t *x, uint16_t n)
{
    TMT_PRODUCTS(table[*w++], *x++)
}

static TMT_INLINED int32_t tm_products_t8_s8_s32(const int16_t *table, const int8_t *w, const int8_t *x, uint16_t n)
{
    TMT_PRODUCTS(table[*w++], *x++)
}

static TMT_INLINED int32_t tm_products_t8_t8_s32(const int16_t *table, const int16_t *other, const int8_t *w,
                                                 const int8_t *x, uint16_t n)
{
    TMT_PRODUCTS(table[*w++], other[*x++])
}

static TMT_INLINED int32_t tm_products_t4_s16_s32(const int16_t *table, const int8_t *w, const int16_t *x, uint16_t n)
{
    TMT_GROUPS(4, 2)
}

static TMT_INLINED int32_t tm_products_t4_s8_s32(const int16_t *table, const int8_t *w, const int8_t *x, uint16_t n)
{
    TMT_GROUPS(4, 2)
}

static TMT_INLINED int32_t tm_products_t6_s16_s32(const int16_t *table, const int8_t *w, const int16_t *x, uint16_t n)
{
    TMT_GROUPS(6, 4)
}

static TMT_INLINED int32_t tm_products_t6_s8_s32(const int16_t *table, const int8_t *w, const int8_t *x, uint16_t n)
{
    TMT_GROUPS(6, 4)
}
#endif

static TMT_INLINED int32_t tm_dot_t8_s16_s32(const int16_t *table, const int8_t *w, const int16_t *x, uint16_t n,
                                             int32_t sum)
{
    return sum + tm_products_t8_s16_s32(table, w, x, n);
}

static TMT_INLINED int32_t tm_dot_t8_s8_s32(const int16_t *table, const int8_t *w, const int8_t *x, uint16_t n,
                                            int32_t sum)
{
    return sum + tm_products_t8_s8_s32(table, w, x, n);
}

static TMT_INLINED int32_t tm_dot_t8_t8_s32(const int16_t *table, const int16_t *other, const int8_t *w,
                                            const int8_t *x, uint16_t n, int32_t sum)
{
    return sum + tm_products_t8_t8_s32(table, other, w, x, n);
}

static TMT_INLINED int32_t tm_dot_t4_s16_s32(const int16_t *table, const int8_t *w, const int16_t *x, uint16_t n,
                                             int32_t sum)
{
    return sum + tm_products_t4_s16_s32(table, w, x, n);
}

static TMT_INLINED int32_t tm_dot_t4_s8_s32(const int16_t *table, const int8_t *w, const int8_t *x, uint16_t n,
                                             int32_t sum)
{
    return sum + tm_products_t4_s8_s32(table, w, x, n);
}

static TMT_INLINED int32_t tm_dot_t6_s16_s32(const int16_t *table, const int8_t *w, const int16_t *x, uint16_t n,
                                             int32_t sum)
{
    return sum + tm_products_t6_s16_s32(table, w, x, n);
}

static TMT_INLINED int32_t tm_dot_t6_s8_s32(const int16_t *table, const int8_t *w, const int8_t *x, uint16_t n,
                                             int32_t sum)
{
    return sum + tm_products_t6_s8_s32(table, w, x, n);
}
#endif
