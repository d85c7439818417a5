/* Exact dot products of packed integers of 4 to 12 bits, `w` in flash, and 8 or 16-bit ones, `x` in RAM, added to
 * `sum`. The caller has proven that the magnitudes of `sum` and all products together stay within the width that the
 * name ends in. Rows begin at whole groups: 2 elements of 4 bits in 1 byte, 8 of 5 in 5, 4 of 6 in 3, 8 of 9 in 9, 4 of 10 in 5,
 * 2 of 12 in 3 bytes. What a row
 * lacks of its last group is zero; on an AVR these zeros are multiplied by what lies behind x. */
#ifndef TINYML_DOT_PACKED_H
#define TINYML_DOT_PACKED_H
#include <stdint.h>

#ifdef __AVR__
#define TM_KERNEL static __attribute__((__naked__, __noinline__, __noclone__, __unused__)) void
#define TM_INLINED inline __attribute__((__always_inline__))
/* Out of its register at once: gcc 5.4 lets a variable of it be the register, and other calls change that. */
#define TM_RETURN(S) \
    __typeof__(S) result = S; \
    __asm__("" : "+r"(result)); \
    return result;
#define TMP_INT24 __int24

/* As in dot_s8.h and dot_s16.h, of groups instead of elements: r20 is one more than their number divided by 4 or 2, and
 * the rest says where the loop is entered. */
#define TMP_END(FIRST, FLUSH) "0:\tdec r20\n\tbreq 9f\n\trjmp " #FIRST "b\n9:\t" FLUSH "clr r1\n\tret"
#define TMP_FOUR(GROUP, FLUSH) "4:\t" GROUP "3:\t" GROUP "2:\t" GROUP "1:\t" GROUP TMP_END(4, FLUSH)
#define TMP_TWO(GROUP, FLUSH) "2:\t" GROUP "1:\t" GROUP TMP_END(2, FLUSH)
#define TMP_ONE(GROUP, FLUSH) "1:\t" GROUP TMP_END(1, FLUSH)

/* A is high bits that were stored with their sign turned over. */
#define TMP_NIBBLE(A) "andi " A ",15\n\tsubi " A ",8\n\t"
/* r21 keeps what is left of a group, A takes its elements, MAC(A) multiplies them. */
#define TMP_GROUP4(A, MAC) \
    "lpm r21,Z+\n\tmov " A ",r21\n\t" TMP_NIBBLE(A) MAC(A) "swap r21\n\t" TMP_NIBBLE("r21") MAC("r21")
#define TMP_BYTE6(A, MAC) "lpm " A ",Z+\n\tasr " A "\n\tror r21\n\tasr " A "\n\tror r21\n\t" MAC(A)
/* The bits of the last three elements of 5 follow each other in r21:r14, above bit 0. */
#define TMP_BIT5(A) "asr " A "\n\tror r21\n\tror r14\n\t"
#define TMP_TOP5(A, MAC) "asr " A "\n\tasr " A "\n\tasr " A "\n\t" MAC(A)
#define TMP_BYTE5(A, MAC) "lpm " A ",Z+\n\t" TMP_BIT5(A) TMP_BIT5(A) TMP_BIT5(A) MAC(A)
#define TMP_DOWN5 "asr r21\n\tror r14\n\t"
#define TMP_GROUP5(A, MAC) \
    TMP_BYTE5(A, MAC) TMP_BYTE5(A, MAC) TMP_BYTE5(A, MAC) TMP_BYTE5(A, MAC) TMP_BYTE5(A, MAC) \
    "mov " A ",r14\n\tlsl " A "\n\tlsl " A "\n\t" TMP_TOP5(A, MAC) \
    TMP_DOWN5 TMP_DOWN5 TMP_DOWN5 "mov " A ",r14\n\t" TMP_TOP5(A, MAC) MAC("r21")
#define TMP_GROUP6(A, MAC) TMP_BYTE6(A, MAC) TMP_BYTE6(A, MAC) TMP_BYTE6(A, MAC) "asr r21\n\tasr r21\n\t" MAC("r21")

/* muls leaves the sign of the product in the carry. */
#define TMP_ADD3(S0, S1, S2, ZERO) \
    "sbc " S2 "," ZERO "\n\tadd " S0 ",r0\n\tadc " S1 ",r1\n\tadc " S2 "," ZERO "\n\t"
#define TMP_MAC16(A) "ld r23,X+\n\tmuls " A ",r23\n\tadd r24,r0\n\tadc r25,r1\n\t"
#define TMP_MAC24(A) "ld r19,X+\n\tmuls " A ",r19\n\t" TMP_ADD3("r22", "r23", "r24", "r25")
/* r16 stands in the place of the sum's third byte: the low bytes and 2000 products stay within 24 bits. */
#define TMP_MAC32(A) "ld r19,X+\n\tmuls " A ",r19\n\t" TMP_ADD3("r22", "r23", "r16", "r17")
#define TMP_FLUSH32 "add r24,r16\n\tadc r25,r17\n\tsbrc r16,7\n\tdec r25\n\tclr r16\n\t"
/* Of a 16-bit element: r17:r16:r22 gathers the products with low bytes, r25:r24:r23 those with high bytes. */
#define TMP_MIXED(A) \
    "ld r19,X+\n\tmulsu " A ",r19\n\t" TMP_ADD3("r22", "r16", "r17", "r15") \
    "ld r19,X+\n\tmuls " A ",r19\n\t" TMP_ADD3("r23", "r24", "r25", "r15")
#define TMP_FLUSH_MIXED \
    "mov r0,r17\n\tlsl r0\n\tsbc r0,r0\n\tadd r23,r16\n\tadc r24,r17\n\tadc r25,r0\n\tclr r16\n\tclr r17\n\t"
/* A weight whose high bits are in r14, times a byte; NEXT brings those of the next one, HIGH gives r19 their value. */
#define TMP_WIDE_BYTE(HIGH, NEXT) \
    "ld r18,X+\n\tlpm r19,Z+\n\tmulsu r18,r19\n\t" TMP_ADD3("r22", "r16", "r17", "r15") \
    HIGH NEXT "muls r18,r19\n\t" TMP_ADD3("r23", "r24", "r25", "r15")
#define TMP_HIGH9(A, B) "lsr " B "\n\tsbc " A "," A "\n\tcom " A "\n\t"
#define TMP_HIGH10(A, B) "mov " A "," B "\n\tandi " A ",3\n\tsubi " A ",2\n\t"
#define TMP_HIGH12(A, B) "mov " A "," B "\n\t" TMP_NIBBLE(A)
#define TMP_NEXT10(B) "lsr " B "\n\tlsr " B "\n\t"
#define TMP_9_BYTE TMP_WIDE_BYTE(TMP_HIGH9("r19", "r14"), "")
#define TMP_10_BYTE TMP_WIDE_BYTE(TMP_HIGH10("r19", "r14"), TMP_NEXT10("r14"))
#define TMP_GROUP9_BYTE \
    "lpm r14,Z+\n\t" TMP_9_BYTE TMP_9_BYTE TMP_9_BYTE TMP_9_BYTE TMP_9_BYTE TMP_9_BYTE TMP_9_BYTE TMP_9_BYTE
#define TMP_GROUP10_BYTE "lpm r14,Z+\n\t" TMP_10_BYTE TMP_10_BYTE TMP_10_BYTE TMP_10_BYTE
#define TMP_12_BYTE TMP_WIDE_BYTE(TMP_HIGH12("r19", "r14"), "swap r14\n\t")
#define TMP_GROUP12_BYTE "lpm r14,Z+\n\t" TMP_12_BYTE TMP_WIDE_BYTE(TMP_HIGH12("r19", "r14"), "")
/* HIGH:r18 times r21:r19. */
#define TMP_WIDE(HIGH) \
    "ld r19,X+\n\tld r21,X+\n\t" \
    "mulsu " HIGH ",r19\n\t" TMP_ADD3("r23", "r24", "r25", "r15") \
    "mulsu r21,r18\n\t" TMP_ADD3("r23", "r24", "r25", "r15") \
    "mul r18,r19\n\tmovw r18,r0\n\tmuls " HIGH ",r21\n\t" \
    "add r22,r18\n\tadc r23,r19\n\tadc r24,r0\n\tadc r25,r1\n\t"
#define TMP_9 "lpm r18,Z+\n\t" TMP_HIGH9("r16", "r17") TMP_WIDE("r16")
#define TMP_10 "lpm r18,Z+\n\t" TMP_HIGH10("r16", "r17") TMP_NEXT10("r17") TMP_WIDE("r16")
#define TMP_GROUP9 "lpm r17,Z+\n\t" TMP_9 TMP_9 TMP_9 TMP_9 TMP_9 TMP_9 TMP_9 TMP_9
#define TMP_GROUP10 "lpm r17,Z+\n\t" TMP_10 TMP_10 TMP_10 TMP_10
#define TMP_GROUP12 \
    "lpm r17,Z+\n\tlpm r18,Z+\n\tmov r16,r17\n\t" TMP_NIBBLE("r16") TMP_WIDE("r16") \
    "lpm r18,Z+\n\tswap r17\n\t" TMP_NIBBLE("r17") TMP_WIDE("r17")

TM_KERNEL tm_products_s4_s8_s16(void)
{
    __asm__(TMP_FOUR(TMP_GROUP4("r22", TMP_MAC16), ""));
}

TM_KERNEL tm_products_s4_s8_s24(void)
{
    __asm__(TMP_FOUR(TMP_GROUP4("r18", TMP_MAC24), ""));
}

TM_KERNEL tm_products_s4_s8_s32(void)
{
    __asm__(TMP_FOUR(TMP_GROUP4("r18", TMP_MAC32), TMP_FLUSH32));
}

TM_KERNEL tm_products_s4_s16_s32(void)
{
    __asm__(TMP_FOUR(TMP_GROUP4("r18", TMP_MIXED), TMP_FLUSH_MIXED));
}

TM_KERNEL tm_products_s5_s16_s32(void)
{
    __asm__(TMP_ONE(TMP_GROUP5("r18", TMP_MIXED), TMP_FLUSH_MIXED));
}

TM_KERNEL tm_products_s6_s8_s16(void)
{
    __asm__(TMP_TWO(TMP_GROUP6("r22", TMP_MAC16), ""));
}

TM_KERNEL tm_products_s6_s8_s24(void)
{
    __asm__(TMP_TWO(TMP_GROUP6("r18", TMP_MAC24), ""));
}

TM_KERNEL tm_products_s6_s8_s32(void)
{
    __asm__(TMP_TWO(TMP_GROUP6("r18", TMP_MAC32), TMP_FLUSH32));
}

TM_KERNEL tm_products_s6_s16_s32(void)
{
    __asm__(TMP_TWO(TMP_GROUP6("r18", TMP_MIXED), TMP_FLUSH_MIXED));
}

TM_KERNEL tm_products_s9_s8_s32(void)
{
    __asm__(TMP_ONE(TMP_GROUP9_BYTE, TMP_FLUSH_MIXED));
}

TM_KERNEL tm_products_s9_s16_s32(void)
{
    __asm__(TMP_ONE(TMP_GROUP9, ""));
}

TM_KERNEL tm_products_s10_s8_s32(void)
{
    __asm__(TMP_ONE(TMP_GROUP10_BYTE, TMP_FLUSH_MIXED));
}

TM_KERNEL tm_products_s10_s16_s32(void)
{
    __asm__(TMP_ONE(TMP_GROUP10, ""));
}

TM_KERNEL tm_products_s12_s8_s32(void)
{
    __asm__(TMP_TWO(TMP_GROUP12_BYTE, TMP_FLUSH_MIXED));
}

TM_KERNEL tm_products_s12_s16_s32(void)
{
    __asm__(TMP_TWO(TMP_GROUP12, ""));
}

/* At most MOST elements are taken at once; what is left of whole iterations, of groups of LENGTH elements and so many
 * bytes, says where the last one is entered. */
#define TMP_CALL(STEPS, BYTES, ...) \
    __asm__ volatile("%~call %x[kernel]+" #STEPS "*" #BYTES : "+r"(k), "+z"(w), "+x"(x), __VA_ARGS__, "memory")
#define TMP_BEGIN(LENGTH, AT_ONCE, BYTES, MOST, ...) \
    for (; n > (MOST); n = (uint16_t)(n - (MOST))) { \
        register uint8_t k __asm__("r20") = (MOST) / ((LENGTH) * (AT_ONCE)); \
        TMP_CALL(0, BYTES, __VA_ARGS__); \
    } \
    const uint16_t groups = (uint16_t)((n + (LENGTH) - 1) / (LENGTH)); \
    register uint8_t k __asm__("r20") = (uint8_t)(groups / (AT_ONCE) + 1);
#define TMP_BY_FOUR(LENGTH, BYTES, MOST, ...) \
    TMP_BEGIN(LENGTH, 4, BYTES, MOST, __VA_ARGS__) \
    switch (groups % 4) { \
    case 0: TMP_CALL(4, BYTES, __VA_ARGS__); break; \
    case 1: TMP_CALL(3, BYTES, __VA_ARGS__); break; \
    case 2: TMP_CALL(2, BYTES, __VA_ARGS__); break; \
    default: TMP_CALL(1, BYTES, __VA_ARGS__); break; \
    } \
    TM_RETURN(s)
#define TMP_BY_TWO(LENGTH, BYTES, MOST, ...) \
    TMP_BEGIN(LENGTH, 2, BYTES, MOST, __VA_ARGS__) \
    if (groups % 2) { \
        TMP_CALL(1, BYTES, __VA_ARGS__); \
    } else { \
        TMP_CALL(2, BYTES, __VA_ARGS__); \
    } \
    TM_RETURN(s)

#define TMP_BY_ONE(LENGTH, MOST, ...) \
    while (n > 0) { \
        const uint16_t part = n > (MOST) ? (MOST) : n; \
        register uint8_t k __asm__("r20") = (uint8_t)((part + (LENGTH) - 1) / (LENGTH)); \
        TMP_CALL(0, 0, __VA_ARGS__); \
        n = (uint16_t)(n - part); \
    } \
    TM_RETURN(s)

#define TMP_SUM16 register int16_t s __asm__("r24") = sum;
#define TMP_USED16(KERNEL) "+r"(s) : [kernel] "i"(KERNEL) : "r21", "r22", "r23"
#define TMP_SUM24 \
    register TMP_INT24 s __asm__("r22") = sum; \
    register uint8_t zero __asm__("r25") = 0;
#define TMP_USED24(KERNEL) "+r"(s) : [kernel] "i"(KERNEL), "r"(zero) : "r18", "r19", "r21"
#define TMP_SUM32 \
    register int32_t s __asm__("r22") = sum; \
    register uint16_t third __asm__("r16") = 0;
#define TMP_USED32(KERNEL) "+r"(s), "+r"(third) : [kernel] "i"(KERNEL) : "r18", "r19", "r21"
#define TMP_SUM_MIXED \
    TMP_SUM32 \
    register uint8_t zero __asm__("r15") = 0;
#define TMP_USED_MIXED(KERNEL) \
    "+r"(s), "+r"(third) : [kernel] "i"(KERNEL), "r"(zero) : "r14", "r18", "r19", "r21"
#define TMP_SUM_WIDE \
    register int32_t s __asm__("r22") = sum; \
    register uint8_t zero __asm__("r15") = 0;
#define TMP_USED_WIDE(KERNEL) "+r"(s) : [kernel] "i"(KERNEL), "r"(zero) : "r16", "r17", "r18", "r19", "r21"

static TM_INLINED int16_t tm_dot_s4_s8_s16(const int8_t *w, const int8_t *x, uint16_t n, int16_t sum)
{
    TMP_SUM16
    TMP_BY_FOUR(2, 30, 2000, TMP_USED16(tm_products_s4_s8_s16))
}

static TM_INLINED TMP_INT24 tm_dot_s4_s8_s24(const int8_t *w, const int8_t *x, uint16_t n, TMP_INT24 sum)
{
    TMP_SUM24
    TMP_BY_FOUR(2, 38, 2000, TMP_USED24(tm_products_s4_s8_s24))
}

static TM_INLINED int32_t tm_dot_s4_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM32
    TMP_BY_FOUR(2, 38, 2000, TMP_USED32(tm_products_s4_s8_s32))
}

static TM_INLINED int32_t tm_dot_s4_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM_MIXED
    TMP_BY_FOUR(2, 62, 2000, TMP_USED_MIXED(tm_products_s4_s16_s32))
}

static TM_INLINED int32_t tm_dot_s5_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM_MIXED
    TMP_BY_ONE(8, 248, TMP_USED_MIXED(tm_products_s5_s16_s32))
}

static TM_INLINED int16_t tm_dot_s6_s8_s16(const int8_t *w, const int8_t *x, uint16_t n, int16_t sum)
{
    TMP_SUM16
    TMP_BY_TWO(4, 66, 2000, TMP_USED16(tm_products_s6_s8_s16))
}

static TM_INLINED TMP_INT24 tm_dot_s6_s8_s24(const int8_t *w, const int8_t *x, uint16_t n, TMP_INT24 sum)
{
    TMP_SUM24
    TMP_BY_TWO(4, 82, 2000, TMP_USED24(tm_products_s6_s8_s24))
}

static TM_INLINED int32_t tm_dot_s6_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM32
    TMP_BY_TWO(4, 82, 2000, TMP_USED32(tm_products_s6_s8_s32))
}

static TM_INLINED int32_t tm_dot_s6_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM_MIXED
    TMP_BY_TWO(4, 130, 1016, TMP_USED_MIXED(tm_products_s6_s16_s32))
}

static TM_INLINED int32_t tm_dot_s9_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM_MIXED
    TMP_BY_ONE(8, 248, TMP_USED_MIXED(tm_products_s9_s8_s32))
}

static TM_INLINED int32_t tm_dot_s9_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM_WIDE
    TMP_BY_ONE(8, 248, TMP_USED_WIDE(tm_products_s9_s16_s32))
}

static TM_INLINED int32_t tm_dot_s10_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM_MIXED
    TMP_BY_ONE(4, 252, TMP_USED_MIXED(tm_products_s10_s8_s32))
}

static TM_INLINED int32_t tm_dot_s10_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM_WIDE
    TMP_BY_ONE(4, 252, TMP_USED_WIDE(tm_products_s10_s16_s32))
}

static TM_INLINED int32_t tm_dot_s12_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM_MIXED
    TMP_BY_TWO(2, 64, 252, TMP_USED_MIXED(tm_products_s12_s8_s32))
}

static TM_INLINED int32_t tm_dot_s12_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{
    TMP_SUM_WIDE
    TMP_BY_TWO(2, 94, 1000, TMP_USED_WIDE(tm_products_s12_s16_s32))
}
#else
#define TM_INLINED __attribute__((__unused__))
#define TMP_INT24 int32_t
/* The elements of a group that begins at w. */
#define TMP_NIBBLE(BYTE, PLACE) (((BYTE) >> (PLACE) & 15) - 8)
#define TMP_S4(J) TMP_NIBBLE(w[0], 4 * (J))
#define TMP_S6(J) ((J) < 3 ? w[J] >> 2 : (int8_t)((w[2] & 3) << 6 | (w[1] & 3) << 4 | (w[0] & 3) << 2) >> 2)
#define TMP_S12(J) (TMP_NIBBLE(w[0], 4 * (J)) * 256 + (uint8_t)w[1 + (J)])
#define TMP_S9(J) (((w[0] >> (J) & 1) - 1) * 256 + (uint8_t)w[1 + (J)])
#define TMP_S10(J) (((w[0] >> 2 * (J) & 3) - 2) * 256 + (uint8_t)w[1 + (J)])
/* Of 8 elements of 5 bits the last three lie below the others, 3 bits in a byte. */
#define TMP_LAST5(BITS) (int8_t)((BITS) << 3) >> 3
#define TMP_S5(J) \
    ((J) < 5 ? w[J] >> 3 \
        : (J) == 5 ? TMP_LAST5((w[0] & 7) | (w[1] & 3) << 3) \
        : (J) == 6 ? TMP_LAST5((w[1] >> 2 & 1) | (w[2] & 7) << 1 | (w[3] & 1) << 4) \
        : TMP_LAST5((w[3] >> 1 & 3) | (w[4] & 7) << 2))
#define TMP_EIGHTS(E, BYTES) \
    for (; n >= 8; n = (uint16_t)(n - 8), w += BYTES, x += 8) { \
        sum += E(0) * x[0] + E(1) * x[1] + E(2) * x[2] + E(3) * x[3]; \
        sum += E(4) * x[4] + E(5) * x[5] + E(6) * x[6] + E(7) * x[7]; \
    } \
    for (uint8_t j = 0; j < n; j++) \
        sum += E(j) * x[j]; \
    return sum;
#define TMP_PAIRS(E, BYTES) \
    for (; n >= 2; n = (uint16_t)(n - 2), w += BYTES, x += 2) \
        sum += E(0) * x[0] + E(1) * x[1]; \
    return n == 0 ? sum : sum + E(0) * x[0];
#define TMP_FOURS(E, BYTES) \
    for (; n >= 4; n = (uint16_t)(n - 4), w += BYTES, x += 4) \
        sum += E(0) * x[0] + E(1) * x[1] + E(2) * x[2] + E(3) * x[3]; \
    if (n > 0) \
        sum += E(0) * x[0]; \
    if (n > 1) \
        sum += E(1) * x[1]; \
    return n < 3 ? sum : sum + E(2) * x[2];

static TM_INLINED int32_t tm_dot_s4_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{ TMP_PAIRS(TMP_S4, 1) }

static TM_INLINED int32_t tm_dot_s4_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{ TMP_PAIRS(TMP_S4, 1) }

static TM_INLINED int32_t tm_dot_s5_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{ TMP_EIGHTS(TMP_S5, 5) }

static TM_INLINED int32_t tm_dot_s5_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{ TMP_EIGHTS(TMP_S5, 5) }

static TM_INLINED int32_t tm_dot_s6_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{ TMP_FOURS(TMP_S6, 3) }

static TM_INLINED int32_t tm_dot_s6_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{ TMP_FOURS(TMP_S6, 3) }

static TM_INLINED int32_t tm_dot_s9_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{ TMP_EIGHTS(TMP_S9, 9) }

static TM_INLINED int32_t tm_dot_s9_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{ TMP_EIGHTS(TMP_S9, 9) }

static TM_INLINED int32_t tm_dot_s10_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{ TMP_FOURS(TMP_S10, 5) }

static TM_INLINED int32_t tm_dot_s10_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{ TMP_FOURS(TMP_S10, 5) }

static TM_INLINED int32_t tm_dot_s12_s8_s32(const int8_t *w, const int8_t *x, uint16_t n, int32_t sum)
{ TMP_PAIRS(TMP_S12, 3) }

static TM_INLINED int32_t tm_dot_s12_s16_s32(const int8_t *w, const int16_t *x, uint16_t n, int32_t sum)
{ TMP_PAIRS(TMP_S12, 3) }

#define tm_dot_s4_s8_s16 (int16_t)tm_dot_s4_s8_s32
#define tm_dot_s4_s8_s24 tm_dot_s4_s8_s32
#define tm_dot_s6_s8_s16 (int16_t)tm_dot_s6_s8_s32
#define tm_dot_s6_s8_s24 tm_dot_s6_s8_s32
#endif
#endif
