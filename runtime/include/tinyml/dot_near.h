/* Exact dot products of sparse rows of 4 to 16-bit integers in flash, whose entries stand near one another, and 8 or
 * 16-bit ones, `x` in RAM, added to `sum`. The caller has proven that the magnitudes of `sum` and all products together
 * stay within the width that the name ends in.
 * A row is its number of groups, modulo 32 and divided by 32 in a byte each, then the groups, of 8 entries of 9 bits
 * or 4 of others. Values are packed as in dot_packed.h. Each two entries have a byte of gaps, those of the first in its
 * low bits: how many elements of x are skipped. It stands before the first low byte of their values, or before the byte
 * that has the upper bits of the first. */
#ifndef TINYML_DOT_NEAR_H
#define TINYML_DOT_NEAR_H
#include <stdint.h>

#ifdef __AVR__
#define TM_KERNEL static __attribute__((__naked__, __noinline__, __noclone__, __unused__)) void
#define TMN_CALLED inline __attribute__((__always_inline__))
/* Out of its register at once: gcc 5.4 lets a variable of it be the register, and other calls change that. */
#define TM_RETURN(S) \
    __typeof__(S) result = S; \
    __asm__("" : "+r"(result)); \
    return result;
#define TMN_INT24 __int24

/* r13 counts groups, r12 the times that 32 more of them follow; r15 is zero. FLUSH runs after at most 256 entries. */
#define TMN_ROW(GROUP, FLUSH) \
    "lpm r13,Z+\n\tlpm r12,Z+\n\ttst r13\n\tbrne 1f\n\trjmp 2f\n1:\t" GROUP \
    "dec r13\n\tbreq 2f\n\trjmp 1b\n2:\t" FLUSH "dec r12\n\tbrmi 9f\n\tldi r20,32\n\tmov r13,r20\n\trjmp 1b\n" \
    "9:\tclr r1\n\tret"

/* Of two entries: r20 keeps their gaps, T is free. 8 or 16 are the bits of an element of x. */
#define TMN_MOVE(T) "add r26," T "\n\tadc r27,r15\n\t"
#define TMN_MOVE_8(T) "andi " T ",15\n\t" TMN_MOVE(T)
#define TMN_MOVE_16(T) "andi " T ",15\n\tlsl " T "\n\t" TMN_MOVE(T)
#define TMN_FIRST(T, MOVE) "lpm r20,Z+\n\tmov " T ",r20\n\t" MOVE(T)
#define TMN_SECOND(MOVE) "swap r20\n\t" MOVE("r20")

/* A is high bits that were stored with their sign turned over. */
#define TMN_NIBBLE(A) "andi " A ",15\n\tsubi " A ",8\n\t"
/* Of up to 8 bits: r18 takes a value, r21 what is left of a group, MAC(A) multiplies. */
#define TMN_TWO4(MOVE, MAC) \
    TMN_FIRST("r18", MOVE) "lpm r21,Z+\n\tmov r18,r21\n\t" TMN_NIBBLE("r18") MAC("r18") \
    TMN_SECOND(MOVE) "swap r21\n\t" TMN_NIBBLE("r21") MAC("r21")
#define TMN_GROUP4(MOVE, MAC) TMN_TWO4(MOVE, MAC) TMN_TWO4(MOVE, MAC)
#define TMN_BYTE6(MAC) "lpm r18,Z+\n\tasr r18\n\tror r21\n\tasr r18\n\tror r21\n\t" MAC("r18")
#define TMN_GROUP6(MOVE, MAC) \
    TMN_FIRST("r18", MOVE) TMN_BYTE6(MAC) TMN_SECOND(MOVE) TMN_BYTE6(MAC) \
    TMN_FIRST("r18", MOVE) TMN_BYTE6(MAC) TMN_SECOND(MOVE) "asr r21\n\tasr r21\n\t" MAC("r21")
#define TMN_TWO8(MOVE, MAC) \
    TMN_FIRST("r18", MOVE) "lpm r18,Z+\n\t" MAC("r18") TMN_SECOND(MOVE) "lpm r18,Z+\n\t" MAC("r18")
#define TMN_GROUP8(MOVE, MAC) TMN_TWO8(MOVE, MAC) TMN_TWO8(MOVE, MAC)

/* muls leaves the sign of the product in the carry. */
#define TMN_ADD3(S0, S1, S2) "sbc " S2 ",r15\n\tadd " S0 ",r0\n\tadc " S1 ",r1\n\tadc " S2 ",r15\n\t"
#define TMN_MAC16(A) "ld r19,X+\n\tmuls " A ",r19\n\tadd r24,r0\n\tadc r25,r1\n\t"
#define TMN_MAC24(A) "ld r19,X+\n\tmuls " A ",r19\n\t" TMN_ADD3("r22", "r23", "r24")
/* r16 stands in the place of the sum's third byte. */
#define TMN_MAC32(A) "ld r19,X+\n\tmuls " A ",r19\n\t" TMN_ADD3("r22", "r23", "r16")
#define TMN_FLUSH32 "add r24,r16\n\tadc r25,r15\n\tsbrc r16,7\n\tdec r25\n\tclr r16\n\t"
/* Of a 16-bit element: r17:r16:r22 gathers the products with low bytes, r25:r24:r23 those with high bytes. */
#define TMN_MIXED(A) \
    "ld r19,X+\n\tmulsu " A ",r19\n\t" TMN_ADD3("r22", "r16", "r17") \
    "ld r19,X+\n\tmuls " A ",r19\n\t" TMN_ADD3("r23", "r24", "r25")
#define TMN_FLUSH_MIXED \
    "mov r0,r17\n\tlsl r0\n\tsbc r0,r0\n\tadd r23,r16\n\tadc r24,r17\n\tadc r25,r0\n\tclr r16\n\tclr r17\n\t"

/* Of more than 8 bits: HIGH(A, B) gives A the high bits of a value that B begins with, NEXT(B) goes on to the next. */
#define TMN_HIGH9(A, B) "lsr " B "\n\tsbc " A "," A "\n\tcom " A "\n\t"
#define TMN_HIGH10(A, B) "mov " A "," B "\n\tandi " A ",3\n\tsubi " A ",2\n\t"
#define TMN_HIGH12(A, B) "mov " A "," B "\n\t" TMN_NIBBLE(A)
#define TMN_NEXT9(B)
#define TMN_NEXT10(B) "lsr " B "\n\tlsr " B "\n\t"
#define TMN_NEXT12(B) "swap " B "\n\t"
/* r14 keeps high bits, r19 takes a low byte, then a high one. */
#define TMN_WIDE_8(HIGH, NEXT) \
    "ld r18,X+\n\tlpm r19,Z+\n\tmulsu r18,r19\n\t" TMN_ADD3("r22", "r16", "r17") \
    HIGH("r19", "r14") NEXT("r14") "muls r18,r19\n\t" TMN_ADD3("r23", "r24", "r25")
#define TMN_TWO_8(HIGH, NEXT) \
    TMN_FIRST("r19", TMN_MOVE_8) TMN_WIDE_8(HIGH, NEXT) TMN_SECOND(TMN_MOVE_8) TMN_WIDE_8(HIGH, NEXT)
/* r16:r18 times r21:r19. */
#define TMN_MULTIPLIED \
    "mulsu r16,r19\n\t" TMN_ADD3("r23", "r24", "r25") \
    "mulsu r21,r18\n\t" TMN_ADD3("r23", "r24", "r25") "mul r18,r19\n\tmovw r18,r0\n\tmuls r16,r21\n\t" \
    "add r22,r18\n\tadc r23,r19\n\tadc r24,r0\n\tadc r25,r1\n\t"
#define TMN_PRODUCT "ld r19,X+\n\tld r21,X+\n\t" TMN_MULTIPLIED
/* r17 keeps high bits. */
#define TMN_WIDE_16(HIGH, NEXT) "lpm r18,Z+\n\t" HIGH("r16", "r17") NEXT("r17") TMN_PRODUCT
#define TMN_TWO_16(HIGH, NEXT) \
    TMN_FIRST("r16", TMN_MOVE_16) TMN_WIDE_16(HIGH, NEXT) TMN_SECOND(TMN_MOVE_16) TMN_WIDE_16(HIGH, NEXT)
#define TMN_GROUP9(KEEP, TWO) \
    "lpm " KEEP ",Z+\n\t" TWO(TMN_HIGH9, TMN_NEXT9) TWO(TMN_HIGH9, TMN_NEXT9) TWO(TMN_HIGH9, TMN_NEXT9) \
    TWO(TMN_HIGH9, TMN_NEXT9)
#define TMN_GROUP10(KEEP, TWO) \
    "lpm " KEEP ",Z+\n\t" TWO(TMN_HIGH10, TMN_NEXT10) TWO(TMN_HIGH10, TMN_NEXT10)
#define TMN_GROUP12(KEEP, TWO) \
    "lpm " KEEP ",Z+\n\t" TWO(TMN_HIGH12, TMN_NEXT12) "lpm " KEEP ",Z+\n\t" TWO(TMN_HIGH12, TMN_NEXT12)
#define TMN_WHOLE16 "lpm r18,Z+\n\tlpm r16,Z+\n\t" TMN_PRODUCT
#define TMN_TWO16 TMN_FIRST("r16", TMN_MOVE_16) TMN_WHOLE16 TMN_SECOND(TMN_MOVE_16) TMN_WHOLE16

/* Each kernel is called by assembly: the sum comes in and goes out in registers. */
#define TMN_CALL(KERNEL, ...) \
    __asm__ volatile("%~call %x[kernel]" : "+z"(row), "+x"(x), __VA_ARGS__ : [kernel] "i"(KERNEL), "r"(zero) \
        : "r12", "r13", "r14", "r18", "r19", "r20", "r21", "memory"); \
    TM_RETURN(s)
#define TMN_ZERO register uint8_t zero __asm__("r15") = 0;
#define TMN_SUM16(KERNEL) \
    TMN_ZERO \
    register int16_t s __asm__("r24") = sum; \
    TMN_CALL(KERNEL, "+r"(s))
#define TMN_SUM24(KERNEL) \
    TMN_ZERO \
    register TMN_INT24 s __asm__("r22") = sum; \
    TMN_CALL(KERNEL, "+r"(s))
#define TMN_SUM32(KERNEL) \
    TMN_ZERO \
    register int32_t s __asm__("r22") = sum; \
    register uint16_t third __asm__("r16") = 0; \
    TMN_CALL(KERNEL, "+r"(s), "+r"(third))
#define TMN_KERNEL(NAME, GROUP, FLUSH) \
    TM_KERNEL NAME(void) \
    { \
        __asm__(TMN_ROW(GROUP, FLUSH)); \
    }

/* Of packed x: r11:r10 is the number of the element before, r9:r8 where x begins. An element is fetched into r19, high
 * bits into r21. */
#define TMN_MOVE_PACKED(T) "andi " T ",15\n\tinc " T "\n\tadd r10," T "\n\tadc r11,r15\n\t"
#define TMN_HALVED(A, B) "lsr " B "\n\tror " A "\n\t"
#define TMN_FROM_X "add r26,r8\n\tadc r27,r9\n\t"
#define TMN_FETCH_4 \
    "movw r26,r10\n\t" TMN_HALVED("r26", "r27") TMN_FROM_X \
    "ld r19,X\n\tsbrc r10,0\n\tswap r19\n\t" TMN_NIBBLE("r19")
/* Number i lies i / 4 bytes nearer than byte i, the last of a group in what is left of the three bytes before. */
#define TMN_LEFT(A) "lsr " A "\n\tror r0\n\tlsr " A "\n\tror r0\n\t"
#define TMN_FETCH_6 \
    "movw r26,r10\n\tmovw r4,r10\n\t" TMN_HALVED("r4", "r5") TMN_HALVED("r4", "r5") \
    "sub r26,r4\n\tsbc r27,r5\n\t" TMN_FROM_X "sbrc r10,0\n\tsbrs r10,1\n\trjmp 3f\n\t" \
    "ld r19,-X\n\tld r4,-X\n\tld r5,-X\n\t" TMN_LEFT("r5") TMN_LEFT("r4") TMN_LEFT("r19") "mov r19,r0\n\trjmp 4f\n" \
    "3:\tld r19,X\n4:\tasr r19\n\tasr r19\n\t"
/* X is the group, MASK the bits of its number; low bytes follow the high bits. */
#define TMN_GROUP_OF(MASK, PLACE) \
    "mov r19,r10\n\tandi r19," MASK "\n\tadd r26,r19\n\tadc r27,r11\n\t" TMN_FROM_X "ld r21,X+\n\t" \
    "mov r19,r10\n\tandi r19," PLACE "\n\tadd r26,r19\n\tadc r27,r15\n\tld r19,X\n\t"
#define TMN_DOWN_IF(BIT) "sbrc r10," BIT "\n\tlsr r21\n\t"
#define TMN_FETCH_9 \
    "movw r26,r10\n\t" TMN_HALVED("r26", "r27") TMN_HALVED("r26", "r27") TMN_HALVED("r26", "r27") \
    TMN_GROUP_OF("248", "7") "sbrc r10,2\n\tswap r21\n\t" TMN_DOWN_IF("1") TMN_DOWN_IF("1") TMN_DOWN_IF("0") \
    "andi r21,1\n\tsubi r21,1\n\t"
#define TMN_FETCH_10 \
    "movw r26,r10\n\t" TMN_HALVED("r26", "r27") TMN_HALVED("r26", "r27") \
    TMN_GROUP_OF("252", "3") "sbrc r10,1\n\tswap r21\n\t" TMN_DOWN_IF("0") TMN_DOWN_IF("0") \
    "andi r21,3\n\tsubi r21,2\n\t"
#define TMN_FETCH_12 \
    "movw r26,r10\n\t" TMN_HALVED("r26", "r27") \
    TMN_GROUP_OF("254", "1") "sbrc r10,0\n\tswap r21\n\t" TMN_NIBBLE("r21")
#define TMN_BYTE(FETCH, A) FETCH "muls " A ",r19\n\t" TMN_ADD3("r22", "r23", "r16")
#define TMN_WORD(FETCH, A) \
    FETCH "mulsu " A ",r19\n\t" TMN_ADD3("r22", "r16", "r17") "muls " A ",r21\n\t" TMN_ADD3("r23", "r24", "r25")
#define TMN_LONG(FETCH, HIGH, NEXT) "lpm r18,Z+\n\t" HIGH("r16", "r17") NEXT("r17") FETCH TMN_MULTIPLIED
#define TMN_TWO_LONG(FETCH, HIGH, NEXT) \
    TMN_FIRST("r16", TMN_MOVE_PACKED) TMN_LONG(FETCH, HIGH, NEXT) \
    TMN_SECOND(TMN_MOVE_PACKED) TMN_LONG(FETCH, HIGH, NEXT)
#define TMN_LONG16(FETCH) "lpm r18,Z+\n\tlpm r16,Z+\n\t" FETCH TMN_MULTIPLIED
#define TMN_TWO_LONG16(FETCH) \
    TMN_FIRST("r16", TMN_MOVE_PACKED) TMN_LONG16(FETCH) TMN_SECOND(TMN_MOVE_PACKED) TMN_LONG16(FETCH)
#define TMN_BYTE_4(A) TMN_BYTE(TMN_FETCH_4, A)
#define TMN_BYTE_6(A) TMN_BYTE(TMN_FETCH_6, A)
#define TMN_WORD_9(A) TMN_WORD(TMN_FETCH_9, A)
#define TMN_WORD_10(A) TMN_WORD(TMN_FETCH_10, A)
#define TMN_WORD_12(A) TMN_WORD(TMN_FETCH_12, A)
#define TMN_TWO_LONG_9(HIGH, NEXT) TMN_TWO_LONG(TMN_FETCH_9, HIGH, NEXT)
#define TMN_TWO_LONG_10(HIGH, NEXT) TMN_TWO_LONG(TMN_FETCH_10, HIGH, NEXT)
#define TMN_TWO_LONG_12(HIGH, NEXT) TMN_TWO_LONG(TMN_FETCH_12, HIGH, NEXT)

#define TMN_CALL_PACKED(KERNEL) \
    __asm__ volatile("%~call %x[kernel]" : "+z"(row), "+r"(s), "+r"(third), "+r"(before) \
        : [kernel] "i"(KERNEL), "r"(zero), "r"(first) \
        : "r4", "r5", "r12", "r13", "r14", "r18", "r19", "r20", "r21", "r26", "r27", "memory")
#define TMN_PACKED_SUM \
    TMN_ZERO \
    register int32_t s __asm__("r22") = sum; \
    register uint16_t third __asm__("r16") = 0; \
    register uint16_t before __asm__("r10") = 0xFFFF; \
    register const int8_t *first __asm__("r8") = x;
#define TMN_PACKED_8(WEIGHTS) \
    TMN_PACKED_SUM \
    if (bits == 4) \
        TMN_CALL_PACKED(tm_near_##WEIGHTS##_x4); \
    else \
        TMN_CALL_PACKED(tm_near_##WEIGHTS##_x6); \
    TM_RETURN(s)
#define TMN_PACKED_16(WEIGHTS) \
    TMN_PACKED_SUM \
    if (bits == 9) \
        TMN_CALL_PACKED(tm_near_##WEIGHTS##_x9); \
    else if (bits == 10) \
        TMN_CALL_PACKED(tm_near_##WEIGHTS##_x10); \
    else \
        TMN_CALL_PACKED(tm_near_##WEIGHTS##_x12); \
    TM_RETURN(s)

TMN_KERNEL(tm_near_s4_x4, TMN_GROUP4(TMN_MOVE_PACKED, TMN_BYTE_4), TMN_FLUSH32)
TMN_KERNEL(tm_near_s6_x4, TMN_GROUP6(TMN_MOVE_PACKED, TMN_BYTE_4), TMN_FLUSH32)
TMN_KERNEL(tm_near_s8_x4, TMN_GROUP8(TMN_MOVE_PACKED, TMN_BYTE_4), TMN_FLUSH32)
TMN_KERNEL(tm_near_s4_x6, TMN_GROUP4(TMN_MOVE_PACKED, TMN_BYTE_6), TMN_FLUSH32)
TMN_KERNEL(tm_near_s6_x6, TMN_GROUP6(TMN_MOVE_PACKED, TMN_BYTE_6), TMN_FLUSH32)
TMN_KERNEL(tm_near_s8_x6, TMN_GROUP8(TMN_MOVE_PACKED, TMN_BYTE_6), TMN_FLUSH32)
TMN_KERNEL(tm_near_s8_x9, TMN_GROUP8(TMN_MOVE_PACKED, TMN_WORD_9), TMN_FLUSH_MIXED)
TMN_KERNEL(tm_near_s9_x9, TMN_GROUP9("r17", TMN_TWO_LONG_9), "")
TMN_KERNEL(tm_near_s10_x9, TMN_GROUP10("r17", TMN_TWO_LONG_9), "")
TMN_KERNEL(tm_near_s12_x9, TMN_GROUP12("r17", TMN_TWO_LONG_9), "")
TMN_KERNEL(tm_near_s16_x9, TMN_TWO_LONG16(TMN_FETCH_9) TMN_TWO_LONG16(TMN_FETCH_9), "")
TMN_KERNEL(tm_near_s8_x10, TMN_GROUP8(TMN_MOVE_PACKED, TMN_WORD_10), TMN_FLUSH_MIXED)
TMN_KERNEL(tm_near_s9_x10, TMN_GROUP9("r17", TMN_TWO_LONG_10), "")
TMN_KERNEL(tm_near_s10_x10, TMN_GROUP10("r17", TMN_TWO_LONG_10), "")
TMN_KERNEL(tm_near_s12_x10, TMN_GROUP12("r17", TMN_TWO_LONG_10), "")
TMN_KERNEL(tm_near_s16_x10, TMN_TWO_LONG16(TMN_FETCH_10) TMN_TWO_LONG16(TMN_FETCH_10), "")
TMN_KERNEL(tm_near_s8_x12, TMN_GROUP8(TMN_MOVE_PACKED, TMN_WORD_12), TMN_FLUSH_MIXED)
TMN_KERNEL(tm_near_s9_x12, TMN_GROUP9("r17", TMN_TWO_LONG_12), "")
TMN_KERNEL(tm_near_s10_x12, TMN_GROUP10("r17", TMN_TWO_LONG_12), "")
TMN_KERNEL(tm_near_s12_x12, TMN_GROUP12("r17", TMN_TWO_LONG_12), "")
TMN_KERNEL(tm_near_s16_x12, TMN_TWO_LONG16(TMN_FETCH_12) TMN_TWO_LONG16(TMN_FETCH_12), "")

TMN_KERNEL(tm_near_s4_s8_s16, TMN_GROUP4(TMN_MOVE_8, TMN_MAC16), "")
TMN_KERNEL(tm_near_s6_s8_s16, TMN_GROUP6(TMN_MOVE_8, TMN_MAC16), "")
TMN_KERNEL(tm_near_s8_s8_s16, TMN_GROUP8(TMN_MOVE_8, TMN_MAC16), "")
TMN_KERNEL(tm_near_s8_s8_s24, TMN_GROUP8(TMN_MOVE_8, TMN_MAC24), "")
TMN_KERNEL(tm_near_s4_s8_s32, TMN_GROUP4(TMN_MOVE_8, TMN_MAC32), TMN_FLUSH32)
TMN_KERNEL(tm_near_s6_s8_s32, TMN_GROUP6(TMN_MOVE_8, TMN_MAC32), TMN_FLUSH32)
TMN_KERNEL(tm_near_s8_s8_s32, TMN_GROUP8(TMN_MOVE_8, TMN_MAC32), TMN_FLUSH32)
TMN_KERNEL(tm_near_s9_s8_s32, TMN_GROUP9("r14", TMN_TWO_8), TMN_FLUSH_MIXED)
TMN_KERNEL(tm_near_s10_s8_s32, TMN_GROUP10("r14", TMN_TWO_8), TMN_FLUSH_MIXED)
TMN_KERNEL(tm_near_s12_s8_s32, TMN_GROUP12("r14", TMN_TWO_8), TMN_FLUSH_MIXED)
TMN_KERNEL(tm_near_s4_s16_s32, TMN_GROUP4(TMN_MOVE_16, TMN_MIXED), TMN_FLUSH_MIXED)
TMN_KERNEL(tm_near_s6_s16_s32, TMN_GROUP6(TMN_MOVE_16, TMN_MIXED), TMN_FLUSH_MIXED)
TMN_KERNEL(tm_near_s8_s16_s32, TMN_GROUP8(TMN_MOVE_16, TMN_MIXED), TMN_FLUSH_MIXED)
TMN_KERNEL(tm_near_s9_s16_s32, TMN_GROUP9("r17", TMN_TWO_16), "")
TMN_KERNEL(tm_near_s10_s16_s32, TMN_GROUP10("r17", TMN_TWO_16), "")
TMN_KERNEL(tm_near_s12_s16_s32, TMN_GROUP12("r17", TMN_TWO_16), "")
TMN_KERNEL(tm_near_s16_s16_s32, TMN_TWO16 TMN_TWO16, "")
#define TMN_S16(WEIGHTS) TMN_SUM16(tm_near_##WEIGHTS##_s8_s16)
#define TMN_S24(WEIGHTS) TMN_SUM24(tm_near_##WEIGHTS##_s8_s24)
#define TMN_S32(WEIGHTS, X) TMN_SUM32(tm_near_##WEIGHTS##_##X##_s32)
#else
#define TMN_CALLED __attribute__((__noinline__, __unused__))
#define TMN_INT24 int32_t
#define TMN_SKIP(COUNT) x += (COUNT);
#define TMN_AT(K) x[K]
/* Entries number K and K + 1 of a group, whose gaps are in byte G. */
#define TMN_TWO(K, G, FIRST, SECOND) \
    TMN_SKIP((uint8_t)row[G] & 15) \
    total += (FIRST) * TMN_AT(K); \
    TMN_SKIP((uint8_t)row[G] >> 4) \
    total += (SECOND) * TMN_AT((K) + 1);
#define TMN_ROW(LENGTH, BYTES, ...) \
    int32_t total = sum, groups = row[0] + 32 * row[1]; \
    for (row += 2; groups > 0; groups--, row += (BYTES)) { \
        __VA_ARGS__ \
        TMN_SKIP(LENGTH) \
    }
/* Bytes that high bits begin in, or low bytes. */
#define TMN_NIBBLE(BYTE, PLACE) (((uint8_t)row[BYTE] >> (PLACE) & 15) - 8)
#define TMN_WIDE9(PLACE, LOW) ((((uint8_t)row[0] >> (PLACE) & 1) - 1) * 256 + (uint8_t)row[LOW])
#define TMN_WIDE10(PLACE, LOW) ((((uint8_t)row[0] >> 2 * (PLACE) & 3) - 2) * 256 + (uint8_t)row[LOW])
#define TMN_WIDE12(BYTE, PLACE) (TMN_NIBBLE(BYTE, 4 * (PLACE)) * 256 + (uint8_t)row[(BYTE) + 2 + (PLACE)])
#define TMN_WHOLE16(LOW) (row[(LOW) + 1] * 256 + (uint8_t)row[LOW])
#define TMN_LAST6 ((int8_t)((row[4] & 3) << 6 | (row[2] & 3) << 4 | (row[1] & 3) << 2) >> 2)

#define TMN_ROW_s4 \
    TMN_ROW(4, 4, TMN_TWO(0, 0, TMN_NIBBLE(1, 0), TMN_NIBBLE(1, 4)) TMN_TWO(2, 2, TMN_NIBBLE(3, 0), TMN_NIBBLE(3, 4)))
#define TMN_ROW_s6 TMN_ROW(4, 5, TMN_TWO(0, 0, row[1] >> 2, row[2] >> 2) TMN_TWO(2, 3, row[4] >> 2, TMN_LAST6))
#define TMN_ROW_s8 TMN_ROW(4, 6, TMN_TWO(0, 0, row[1], row[2]) TMN_TWO(2, 3, row[4], row[5]))
#define TMN_ROW_s9 \
    TMN_ROW(8, 13, TMN_TWO(0, 1, TMN_WIDE9(0, 2), TMN_WIDE9(1, 3)) TMN_TWO(2, 4, TMN_WIDE9(2, 5), TMN_WIDE9(3, 6)) \
        TMN_TWO(4, 7, TMN_WIDE9(4, 8), TMN_WIDE9(5, 9)) TMN_TWO(6, 10, TMN_WIDE9(6, 11), TMN_WIDE9(7, 12)))
#define TMN_ROW_s10 \
    TMN_ROW(4, 7, TMN_TWO(0, 1, TMN_WIDE10(0, 2), TMN_WIDE10(1, 3)) TMN_TWO(2, 4, TMN_WIDE10(2, 5), TMN_WIDE10(3, 6)))
#define TMN_ROW_s12 \
    TMN_ROW(4, 8, TMN_TWO(0, 1, TMN_WIDE12(0, 0), TMN_WIDE12(0, 1)) TMN_TWO(2, 5, TMN_WIDE12(4, 0), TMN_WIDE12(4, 1)))
#define TMN_ROW_s16 \
    TMN_ROW(4, 10, TMN_TWO(0, 0, TMN_WHOLE16(1), TMN_WHOLE16(3)) TMN_TWO(2, 5, TMN_WHOLE16(6), TMN_WHOLE16(8)))
#define TMN_S16(WEIGHTS) TMN_ROW_##WEIGHTS return (int16_t)total;
#define TMN_S24(WEIGHTS) TMN_ROW_##WEIGHTS return total;
#define TMN_S32(WEIGHTS, X) TMN_ROW_##WEIGHTS return total;
#define TMN_PACKED_8(WEIGHTS) int32_t at = 0; TMN_ROW_##WEIGHTS return total;
#define TMN_PACKED_16(WEIGHTS) TMN_PACKED_8(WEIGHTS)

/* Element number i of packed ones. */
static int32_t tm_near_fetch(const int8_t *x, int32_t i, uint8_t bits)
{
    if (bits == 4)
        return ((uint8_t)x[i / 2] >> 4 * (i % 2) & 15) - 8;
    if (bits == 6) {
        x += i / 4 * 3;
        return (int8_t)(i % 4 < 3 ? x[i % 4] : (x[2] & 3) << 6 | (x[1] & 3) << 4 | (x[0] & 3) << 2) >> 2;
    }
    const uint8_t high = bits - 8, length = bits == 9 ? 8 : bits == 10 ? 4 : 2;
    x += i / length * (length + 1);
    i %= length;
    return (((uint8_t)x[0] >> high * i & ((1 << high) - 1)) - (1 << (high - 1))) * 256 + (uint8_t)x[1 + i];
}
#endif

static TMN_CALLED int16_t tm_dot_near_s4_s8_s16(const int8_t *row, const int8_t *x, int16_t sum)
{ TMN_S16(s4) }

static TMN_CALLED int16_t tm_dot_near_s6_s8_s16(const int8_t *row, const int8_t *x, int16_t sum)
{ TMN_S16(s6) }

static TMN_CALLED int16_t tm_dot_near_s8_s8_s16(const int8_t *row, const int8_t *x, int16_t sum)
{ TMN_S16(s8) }

static TMN_CALLED TMN_INT24 tm_dot_near_s8_s8_s24(const int8_t *row, const int8_t *x, TMN_INT24 sum)
{ TMN_S24(s8) }

static TMN_CALLED int32_t tm_dot_near_s4_s8_s32(const int8_t *row, const int8_t *x, int32_t sum)
{ TMN_S32(s4, s8) }

static TMN_CALLED int32_t tm_dot_near_s6_s8_s32(const int8_t *row, const int8_t *x, int32_t sum)
{ TMN_S32(s6, s8) }

static TMN_CALLED int32_t tm_dot_near_s8_s8_s32(const int8_t *row, const int8_t *x, int32_t sum)
{ TMN_S32(s8, s8) }

static TMN_CALLED int32_t tm_dot_near_s9_s8_s32(const int8_t *row, const int8_t *x, int32_t sum)
{ TMN_S32(s9, s8) }

static TMN_CALLED int32_t tm_dot_near_s10_s8_s32(const int8_t *row, const int8_t *x, int32_t sum)
{ TMN_S32(s10, s8) }

static TMN_CALLED int32_t tm_dot_near_s12_s8_s32(const int8_t *row, const int8_t *x, int32_t sum)
{ TMN_S32(s12, s8) }

static TMN_CALLED int32_t tm_dot_near_s4_s16_s32(const int8_t *row, const int16_t *x, int32_t sum)
{ TMN_S32(s4, s16) }

static TMN_CALLED int32_t tm_dot_near_s6_s16_s32(const int8_t *row, const int16_t *x, int32_t sum)
{ TMN_S32(s6, s16) }

static TMN_CALLED int32_t tm_dot_near_s8_s16_s32(const int8_t *row, const int16_t *x, int32_t sum)
{ TMN_S32(s8, s16) }

static TMN_CALLED int32_t tm_dot_near_s9_s16_s32(const int8_t *row, const int16_t *x, int32_t sum)
{ TMN_S32(s9, s16) }

static TMN_CALLED int32_t tm_dot_near_s10_s16_s32(const int8_t *row, const int16_t *x, int32_t sum)
{ TMN_S32(s10, s16) }

static TMN_CALLED int32_t tm_dot_near_s12_s16_s32(const int8_t *row, const int16_t *x, int32_t sum)
{ TMN_S32(s12, s16) }

static TMN_CALLED int32_t tm_dot_near_s16_s16_s32(const int8_t *row, const int16_t *x, int32_t sum)
{ TMN_S32(s16, s16) }

/* Of x that is packed, too, in so many bits, in RAM: 4 or 6, below 9, 10 or 12. */
#ifndef __AVR__
#undef TMN_SKIP
#undef TMN_AT
#define TMN_SKIP(COUNT) at += (COUNT);
#define TMN_AT(K) tm_near_fetch(x, at + (K), bits)
#endif
static TMN_CALLED int32_t tm_dot_near_packed_s4_s8_s32(const int8_t *row, const int8_t *x, uint8_t bits, int32_t sum)
{ TMN_PACKED_8(s4) }

static TMN_CALLED int32_t tm_dot_near_packed_s6_s8_s32(const int8_t *row, const int8_t *x, uint8_t bits, int32_t sum)
{ TMN_PACKED_8(s6) }

static TMN_CALLED int32_t tm_dot_near_packed_s8_s8_s32(const int8_t *row, const int8_t *x, uint8_t bits, int32_t sum)
{ TMN_PACKED_8(s8) }

static TMN_CALLED int32_t tm_dot_near_packed_s8_s16_s32(const int8_t *row, const int8_t *x, uint8_t bits, int32_t sum)
{ TMN_PACKED_16(s8) }

static TMN_CALLED int32_t tm_dot_near_packed_s9_s16_s32(const int8_t *row, const int8_t *x, uint8_t bits, int32_t sum)
{ TMN_PACKED_16(s9) }

static TMN_CALLED int32_t tm_dot_near_packed_s10_s16_s32(const int8_t *row, const int8_t *x, uint8_t bits, int32_t sum)
{ TMN_PACKED_16(s10) }

static TMN_CALLED int32_t tm_dot_near_packed_s12_s16_s32(const int8_t *row, const int8_t *x, uint8_t bits, int32_t sum)
{ TMN_PACKED_16(s12) }

static TMN_CALLED int32_t tm_dot_near_packed_s16_s16_s32(const int8_t *row, const int8_t *x, uint8_t bits, int32_t sum)
{ TMN_PACKED_16(s16) }
#endif
