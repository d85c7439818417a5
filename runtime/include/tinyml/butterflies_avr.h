/* The stages of fourier.h for the usual shifts on AVR, in assembly. Where a sum of 16 bits
 * overflows or is -32768, nothing is stored yet, and the function for any shift computes the results. */
#ifndef TINYML_BUTTERFLIES_AVR_H
#define TINYML_BUTTERFLIES_AVR_H
#include "butterflies.h"
#include <stdint.h>

#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
/* Of a parameter that only assembly reads. */
#define TM_PASSED __attribute__((__unused__))
#define TM_STAGE __attribute__((__naked__, __noinline__, __noclone__, __unused__))
/* Products of a number in r16 to r19 and a rotation in r20 to r23, added up in a pair of registers and below it in r24 and
 * r25; r2 is zero. A sum overwrites a third pair. */
#define TM_PRODUCTS \
    ".macro tm_up p q a b\n\tmulsu \\a,\\b\n\tsbc \\q,r2\n\tadd r25,r0\n\tadc \\p,r1\n\tadc \\q,r2\n\t.endm\n\t" \
    ".macro tm_down p q a b\n\tmulsu \\a,\\b\n\tadc \\q,r2\n\tsub r25,r0\n\tsbc \\p,r1\n\tsbc \\q,r2\n\t.endm\n\t" \
    ".macro tm_sum p q r s\n\tmul r16,r20\n\tmovw r24,r0\n\tmul r18,r22\n\tmovw \\r,r0\n\tmuls r17,r21\n\t" \
    "movw \\p,r0\n\tmuls r19,r23\n\tadd r24,\\r\n\tadc r25,\\s\n\tadc \\p,r0\n\tadc \\q,r1\n\t" \
    "tm_up \\p \\q r17 r20\n\ttm_up \\p \\q r21 r16\n\ttm_up \\p \\q r19 r22\n\ttm_up \\p \\q r23 r18\n\t.endm\n\t" \
    ".macro tm_diff p q\n\tmuls r19,r21\n\tmovw \\p,r0\n\tmuls r17,r23\n\tsub \\p,r0\n\tsbc \\q,r1\n\t" \
    "mul r18,r20\n\tmovw r24,r0\n\tmul r16,r22\n\tsub r24,r0\n\tsbc r25,r1\n\tsbc \\p,r2\n\tsbc \\q,r2\n\t" \
    "tm_up \\p \\q r19 r20\n\ttm_up \\p \\q r21 r18\n\ttm_down \\p \\q r17 r22\n\ttm_down \\p \\q r23 r16\n\t" \
    ".endm\n\t.macro tm_round p q\n\tlsl r25\n\tadc \\p,r2\n\tadc \\q,r2\n\t.endm\n\t"
/* Rotations by a quarter, an eighth and three eighths of a turn. tm_scaled: the rounded product of a sum in two registers from r16 on, whose 17th bit is in V, and the constant in r20 and
 * r21. */
#define TM_SCALED \
    ".macro tm_scaled p q a b\n\tmov \\p,r2\n\tmov \\q,r2\n\tbrvc .Ltm\\@\n\tmovw \\p,r20\n\tsbrc \\b,7\n\t" \
    "rjmp .Ltm\\@\n\tneg \\q\n\tneg \\p\n\tsbc \\q,r2\n\t.Ltm\\@:\n\tmuls \\b,r21\n\tadd \\p,r0\n\tadc \\q,r1\n\t" \
    "mul \\a,r20\n\tmovw r24,r0\n\ttm_up \\p \\q \\b r20\n\ttm_up \\p \\q r21 \\a\n\ttm_round \\p \\q\n\t.endm\n\t" \
    ".macro tm_quarter\n\tasr r19\n\tror r18\n\tcom r19\n\tneg r18\n\tsbci r19,0xff\n\tmovw r4,r18\n\tasr r17\n\t" \
    "ror r16\n\tadc r16,r2\n\tadc r17,r2\n\tmovw r6,r16\n\t.endm\n\t.macro tm_eighth\n\tldi r20,126\n\t" \
    "ldi r21,165\n\tmovw r22,r18\n\tsub r22,r16\n\tsbc r23,r17\n\ttm_scaled r10 r11 r22 r23\n\tadd r16,r18\n\t" \
    "adc r17,r19\n\ttm_scaled r8 r9 r16 r17\n\t.endm\n\t.macro tm_eighths\n\tldi r20,130\n\tldi r21,90\n\t" \
    "movw r22,r16\n\tsub r22,r18\n\tsbc r23,r19\n\ttm_scaled r12 r13 r22 r23\n\tadd r16,r18\n\tadc r17,r19\n\t" \
    "tm_scaled r14 r15 r16 r17\n\t.endm\n\t"
#define TM_FORGET_SCALED ".purgem tm_scaled\n\t.purgem tm_quarter\n\t.purgem tm_eighth\n\t.purgem tm_eighths\n\t"
#define TM_FORGET ".purgem tm_up\n\t.purgem tm_down\n\t.purgem tm_sum\n\t.purgem tm_diff\n\t.purgem tm_round\n\t"

/* Pairs of indices of one byte, at most 255 of them. */
static TM_STAGE void tm_exchange(int16_t *x TM_PASSED, const int8_t *pairs TM_PASSED, uint16_t count TM_PASSED)
{
    __asm__ volatile(
        "push r16\n\tpush r17\n\tpush r28\n\tpush r29\n\tmovw r30,r22\n\tldi r18,4\n\t1:\n\tlpm r22,Z+\n\t"
        "lpm r23,Z+\n\tmul r22,r18\n\tmovw r26,r0\n\tadd r26,r24\n\tadc r27,r25\n\tmul r23,r18\n\tmovw r28,r0\n\t"
        "add r28,r24\n\tadc r29,r25\n\tld r19,X+\n\tld r22,X+\n\tld r23,X+\n\tld r0,X+\n\tld r21,Y\n\t"
        "ldd r1,Y+1\n\tldd r16,Y+2\n\tldd r17,Y+3\n\tst Y,r19\n\tstd Y+1,r22\n\tstd Y+2,r23\n\tstd Y+3,r0\n\t"
        "st -X,r17\n\tst -X,r16\n\tst -X,r1\n\tst -X,r21\n\tdec r20\n\tbrne 1b\n\tclr r1\n\tpop r29\n\tpop r28\n\t"
        "pop r17\n\tpop r16\n\tret");
}

/* Without a shift: results whose high byte is that of -32768 are left to the function for any shift, too. */
static TM_STAGE void tm_radix2_0(int16_t *x TM_PASSED, uint16_t count TM_PASSED)
{
    __asm__ volatile(
        "push r28\n\tpush r29\n\tmovw r28,r24\n\tmovw r30,r22\n\t1:\n\tldd r18,Y+0\n\tldd r19,Y+1\n\t"
        "ldd r20,Y+2\n\tldd r21,Y+3\n\tldd r22,Y+4\n\tldd r23,Y+5\n\tldd r24,Y+6\n\tldd r25,Y+7\n\t"
        "movw r26,r18\n\tadd r26,r22\n\tadc r27,r23\n\tbrvs 3f\n\tsub r18,r22\n\tsbc r19,r23\n\tbrvs 3f\n\t"
        "movw r22,r20\n\tadd r22,r24\n\tadc r23,r25\n\tbrvs 3f\n\tsub r20,r24\n\tsbc r21,r25\n\tbrvs 3f\n\t"
        "cpi r27,0x80\n\tbreq 3f\n\tcpi r19,0x80\n\tbreq 3f\n\tcpi r23,0x80\n\tbreq 3f\n\tcpi r21,0x80\n\t"
        "breq 3f\n\tstd Y+0,r26\n\tstd Y+1,r27\n\tstd Y+2,r22\n\tstd Y+3,r23\n\tstd Y+4,r18\n\tstd Y+5,r19\n\t"
        "std Y+6,r20\n\tstd Y+7,r21\n\t2:\n\tadiw r28,8\n\tsbiw r30,1\n\tbrne 1b\n\tpop r29\n\tpop r28\n\tret\n\t"
        "3:\n\tpush r30\n\tpush r31\n\tmovw r24,r28\n\tldi r22,1\n\tldi r23,0\n\tldi r20,0\n\t%~call %x0\n\t"
        "pop r31\n\tpop r30\n\trjmp 2b" : : "i"(tm_radix2));
}

/* Shift 1, which no sum of two numbers needs limits for. Sums are shifted with the carry as their sign: numbers have 2^15
 * added to them, so that they are compared without a sign. A half sum is the half difference and the subtrahend. */
static TM_STAGE void tm_radix2_1(int16_t *x TM_PASSED, uint16_t count TM_PASSED)
{
    __asm__ volatile(
        "push r28\n\tpush r29\n\tmovw r28,r24\n\tmovw r30,r22\n\t1:\n\tldd r18,Y+0\n\tldd r19,Y+1\n\t"
        "ldd r20,Y+2\n\tldd r21,Y+3\n\tldd r22,Y+4\n\tldd r23,Y+5\n\tldd r24,Y+6\n\tldd r25,Y+7\n\t"
        "subi r19,0x80\n\tsubi r23,0x80\n\tsub r18,r22\n\tsbc r19,r23\n\tror r19\n\tror r18\n\tadc r18,r1\n\t"
        "adc r19,r1\n\tadd r22,r18\n\tadc r23,r19\n\tsubi r23,0x80\n\tstd Y+0,r22\n\tstd Y+1,r23\n\tstd Y+4,r18\n\t"
        "std Y+5,r19\n\tsubi r21,0x80\n\tsubi r25,0x80\n\tsub r20,r24\n\tsbc r21,r25\n\tror r21\n\tror r20\n\t"
        "adc r20,r1\n\tadc r21,r1\n\tadd r24,r20\n\tadc r25,r21\n\tsubi r25,0x80\n\tstd Y+2,r24\n\tstd Y+3,r25\n\t"
        "std Y+6,r20\n\tstd Y+7,r21\n\tadiw r28,8\n\tsbiw r30,1\n\tbrne 1b\n\tpop r29\n\tpop r28\n\tret");
}

/* A stage of radix 4, but for the shift of its results: rotated numbers and their sums, ... */
#define TM_SPANS4_ROTATED \
    ".macro tm_load\n\tld r16,Y\n\tldd r17,Y+1\n\tldd r18,Y+2\n\tldd r19,Y+3\n\t.endm\n\t" \
    ".macro tm_turn p q r s\n\ttm_load\n\tlpm r20,Z+\n\tlpm r21,Z+\n\tlpm r22,Z+\n\tlpm r23,Z+\n\t" \
    "tm_sum \\p \\q \\r \\s\n\ttm_round \\p \\q\n\ttm_diff \\r \\s\n\ttm_round \\r \\s\n\t.endm\n\t" \
    ".macro tm_half p q a b\n\tasr \\b\n\tror \\a\n\tcom \\b\n\tneg \\a\n\tsbci \\b,0xff\n\tmovw \\p,\\a\n\t" \
    ".endm\n\tpush r2\n\tpush r3\n\tpush r4\n\tpush r5\n\tpush r6\n\tpush r7\n\tpush r8\n\tpush r9\n\t" \
    "push r10\n\tpush r11\n\tpush r12\n\tpush r13\n\tpush r14\n\tpush r15\n\tpush r16\n\tpush r17\n\tpush r28\n\t" \
    "push r29\n\tclr r2\n\tmovw r26,r24\n\tmov r3,r18\n\tlsl r3\n\tlsl r3\n\tpush r23\n\tpush r22\n\tpush r18\n\t" \
    "push r20\n\t1:\n\tpop r24\n\tpop r25\n\tpop r30\n\tpop r31\n\tpush r31\n\tpush r30\n\tpush r25\n\t" \
    "push r24\n\tlsr r25\n\tpush r25\n\tclt\n\tmovw r28,r26\n\tadd r28,r3\n\tadc r29,r2\n\tadiw r30,12\n\t" \
    "tm_load\n\ttm_half r4 r5 r16 r17\n\ttm_half r6 r7 r18 r19\n\tadd r28,r3\n\tadc r29,r2\n\ttm_load\n\t" \
    "tm_half r8 r9 r16 r17\n\ttm_half r10 r11 r18 r19\n\tadd r28,r3\n\tadc r29,r2\n\ttm_load\n\t" \
    "tm_half r12 r13 r16 r17\n\ttm_half r14 r15 r18 r19\n\trjmp 3f\n\t2:\n\tpush r24\n\ttm_turn r4 r5 r6 r7\n\t" \
    "add r28,r3\n\tadc r29,r2\n\ttm_turn r8 r9 r10 r11\n\tadd r28,r3\n\tadc r29,r2\n\ttm_turn r12 r13 r14 r15\n\t" \
    "3:\n\tmovw r24,r8\n\tadd r8,r12\n\tadc r9,r13\n\tbrvs 7f\n\tsub r24,r12\n\tsbc r25,r13\n\tbrvs 7f\n\t" \
    "movw r12,r24\n\tmovw r24,r10\n\tadd r10,r14\n\tadc r11,r15\n\tbrvs 7f\n\tsub r24,r14\n\tsbc r25,r15\n\t" \
    "brvs 7f\n\tmovw r14,r24\n\tld r16,X+\n\tld r17,X+\n\tld r18,X+\n\tld r19,X+\n\tasr r17\n\tror r16\n\t"
/* ... stores, and the arguments of the slower function for a butterfly that overflows, ... */
#define TM_SPANS4_STORED \
    "5:\n\tadiw r28,4\n\tpop r24\n\tdec r24\n\tbreq 6f\n\trjmp 2b\n\t4:\n\tsbiw r26,4\n\t9:\n\tsub r28,r3\n\t" \
    "sbc r29,r2\n\tsub r28,r3\n\tsbc r29,r2\n\tpush r26\n\tpush r27\n\tpush r30\n\tpush r31\n\tin r0,0x3f\n\t" \
    "push r0\n\tmovw r24,r26\n\tmovw r22,r30\n\tsubi r22,12\n\tsbci r23,0\n\tmov r20,r3\n\tlsr r20\n\tclr r21\n\t"
/* ... of which the shift is the last one, and its call. */
#define TM_SPANS4_NEXT \
    "clr r1\n\t%~call %x0\n\tpop r0\n\tout 0x3f,r0\n\tpop r31\n\tpop r30\n\tpop r27\n\tpop r26\n\tadiw r26,4\n\t" \
    "rjmp 5b\n\t6:\n\tbrtc 6f\n\trjmp 7f\n\t6:\n\tset\n\tmov r24,r3\n\tlsr r24\n\tlsr r24\n\tlsr r24\n\t" \
    "push r24\n\tadiw r30,12\n\ttm_load\n\ttm_quarter\n\tadd r28,r3\n\tadc r29,r2\n\ttm_load\n\ttm_eighth\n\t" \
    "add r28,r3\n\tadc r29,r2\n\ttm_load\n\ttm_eighths\n\trjmp 3b\n\t7:\n\tadd r26,r3\n\tadc r27,r2\n\t" \
    "add r26,r3\n\tadc r27,r2\n\tadd r26,r3\n\tadc r27,r2\n\tpop r24\n\tdec r24\n\tpush r24\n\tbreq 7f\n\t" \
    "rjmp 1b\n\t7:\n\tpop r24\n\tpop r24\n\tpop r24\n\tpop r24\n\tclr r1\n\tpop r29\n\tpop r28\n\tpop r17\n\t" \
    "pop r16\n\tpop r15\n\tpop r14\n\tpop r13\n\tpop r12\n\tpop r11\n\tpop r10\n\tpop r9\n\tpop r8\n\tpop r7\n\t" \
    "pop r6\n\tpop r5\n\tpop r4\n\tpop r3\n\tpop r2\n\tret\n\t.purgem tm_load\n\t.purgem tm_turn\n\t" \
    ".purgem tm_half\n\t"

static TM_STAGE void tm_spans4_1(int16_t *x TM_PASSED, const int16_t *w TM_PASSED, uint16_t groups TM_PASSED, uint16_t span TM_PASSED)
{
    __asm__ volatile(
        TM_PRODUCTS TM_SCALED
        TM_SPANS4_ROTATED
        "adc r16,r2\n\tadc r17,r2\n\tasr r19\n\tror r18\n\tadc r18,r2\n\tadc r19,r2\n\trjmp 6f\n\t7:\n\trjmp 9f\n\t"
        "8:\n\trjmp 4f\n\t6:\n\tmovw r20,r16\n\tadd r20,r4\n\tadc r21,r5\n\tbrvs 8b\n\tsub r16,r4\n\tsbc r17,r5\n\t"
        "brvs 8b\n\tmovw r22,r18\n\tadd r22,r6\n\tadc r23,r7\n\tbrvs 8b\n\tsub r18,r6\n\tsbc r19,r7\n\tbrvs 8b\n\t"
        "movw r4,r16\n\tadd r4,r8\n\tadc r5,r9\n\tbrvs 8b\n\tsub r16,r8\n\tsbc r17,r9\n\tbrvs 8b\n\tmovw r6,r18\n\t"
        "add r6,r10\n\tadc r7,r11\n\tbrvs 8b\n\tsub r18,r10\n\tsbc r19,r11\n\tbrvs 8b\n\tmovw r8,r20\n\t"
        "add r8,r14\n\tadc r9,r15\n\tbrvs 8b\n\tsub r20,r14\n\tsbc r21,r15\n\tbrvs 8b\n\tmovw r10,r22\n\t"
        "sub r10,r12\n\tsbc r11,r13\n\tbrvs 8b\n\tadd r22,r12\n\tadc r23,r13\n\tbrvs 8b\n\tldi r24,0x80\n\t"
        "cp r5,r24\n\tbreq 4f\n\tcp r7,r24\n\tbreq 4f\n\tcp r9,r24\n\tbreq 4f\n\tcp r11,r24\n\tbreq 4f\n\t"
        "cp r17,r24\n\tbreq 4f\n\tcp r19,r24\n\tbreq 4f\n\tcp r21,r24\n\tbreq 4f\n\tcp r23,r24\n\tbreq 4f\n\t"
        "sbiw r26,4\n\tst X+,r16\n\tst X+,r17\n\tst X+,r18\n\tst X+,r19\n\tst Y,r8\n\tstd Y+1,r9\n\tstd Y+2,r10\n\t"
        "std Y+3,r11\n\tsub r28,r3\n\tsbc r29,r2\n\tst Y,r4\n\tstd Y+1,r5\n\tstd Y+2,r6\n\tstd Y+3,r7\n\t"
        "sub r28,r3\n\tsbc r29,r2\n\tst Y,r20\n\tstd Y+1,r21\n\tstd Y+2,r22\n\tstd Y+3,r23\n\t"
        TM_SPANS4_STORED
        "ldi r18,1\n\t"
        TM_SPANS4_NEXT TM_FORGET_SCALED TM_FORGET
        : : "i"(tm_butterfly4));
}

static TM_STAGE void tm_spans4_2(int16_t *x TM_PASSED, const int16_t *w TM_PASSED, uint16_t groups TM_PASSED, uint16_t span TM_PASSED)
{
    __asm__ volatile(
        TM_PRODUCTS TM_SCALED
        TM_SPANS4_ROTATED
        "subi r16,0xff\n\tsbci r17,0xff\n\tasr r19\n\tror r18\n\tsubi r18,0xff\n\tsbci r19,0xff\n\trjmp 6f\n\t7:\n\t"
        "rjmp 9f\n\t8:\n\trjmp 4f\n\t6:\n\tmovw r20,r16\n\tadd r20,r4\n\tadc r21,r5\n\tbrvs 8b\n\tsub r16,r4\n\t"
        "sbc r17,r5\n\tbrvs 8b\n\tmovw r22,r18\n\tadd r22,r6\n\tadc r23,r7\n\tbrvs 8b\n\tsub r18,r6\n\tsbc r19,r7\n\t"
        "brvs 8b\n\tldi r24,0x80\n\tcp r17,r24\n\tbreq 8b\n\tcp r19,r24\n\tbreq 8b\n\tcp r21,r24\n\tbreq 8b\n\t"
        "cp r23,r24\n\tbreq 8b\n\teor r17,r24\n\teor r19,r24\n\teor r21,r24\n\teor r23,r24\n\teor r9,r24\n\t"
        "eor r11,r24\n\teor r13,r24\n\teor r15,r24\n\tsub r16,r8\n\tsbc r17,r9\n\tror r17\n\tror r16\n\t"
        "add r8,r16\n\tadc r9,r17\n\teor r9,r24\n\tsub r18,r10\n\tsbc r19,r11\n\tror r19\n\tror r18\n\t"
        "add r10,r18\n\tadc r11,r19\n\teor r11,r24\n\tsub r20,r14\n\tsbc r21,r15\n\tror r21\n\tror r20\n\t"
        "add r14,r20\n\tadc r15,r21\n\teor r15,r24\n\tsub r22,r12\n\tsbc r23,r13\n\tror r23\n\tror r22\n\t"
        "add r12,r22\n\tadc r13,r23\n\teor r13,r24\n\tsbiw r26,4\n\tst X+,r16\n\tst X+,r17\n\tst X+,r18\n\t"
        "st X+,r19\n\tst Y,r14\n\tstd Y+1,r15\n\tstd Y+2,r22\n\tstd Y+3,r23\n\tsub r28,r3\n\tsbc r29,r2\n\t"
        "st Y,r8\n\tstd Y+1,r9\n\tstd Y+2,r10\n\tstd Y+3,r11\n\tsub r28,r3\n\tsbc r29,r2\n\tst Y,r20\n\t"
        "std Y+1,r21\n\tstd Y+2,r12\n\tstd Y+3,r13\n\t"
        TM_SPANS4_STORED
        "ldi r18,2\n\t"
        TM_SPANS4_NEXT TM_FORGET_SCALED TM_FORGET
        : : "i"(tm_butterfly4));
}

/* The first numbers of the four transforms, halved; those of the last two are added up and subtracted. */
#define TM_SECOND_FIRST \
    "push r2\n\tpush r4\n\tpush r5\n\tpush r6\n\tpush r7\n\tpush r8\n\tpush r9\n\tpush r10\n\tpush r11\n\t" \
    "push r12\n\tpush r13\n\tpush r14\n\tpush r15\n\tpush r16\n\tpush r17\n\tpush r28\n\tpush r29\n\t" \
    "movw r28,r24\n\tmovw r30,r22\n\tmov r26,r20\n\tclr r2\n\t1:\n\tldd r4,Y+8\n\tldd r5,Y+9\n\tldd r6,Y+10\n\t" \
    "ldd r7,Y+11\n\tasr r5\n\tror r4\n\tasr r7\n\tror r6\n\tldd r8,Y+16\n\tldd r9,Y+17\n\tldd r10,Y+18\n\t" \
    "ldd r11,Y+19\n\tasr r9\n\tror r8\n\tasr r11\n\tror r10\n\tldd r12,Y+24\n\tldd r13,Y+25\n\tldd r14,Y+26\n\t" \
    "ldd r15,Y+27\n\tasr r13\n\tror r12\n\tasr r15\n\tror r14\n\tmovw r24,r8\n\tadd r8,r12\n\tadc r9,r13\n\t" \
    "sub r24,r12\n\tsbc r25,r13\n\tmovw r12,r24\n\tmovw r24,r10\n\tadd r10,r14\n\tadc r11,r15\n\tsub r24,r14\n\t" \
    "sbc r25,r15\n\tmovw r14,r24\n\tldd r16,Y+0\n\tldd r17,Y+1\n\tldd r18,Y+2\n\tldd r19,Y+3\n\tasr r17\n\t" \
    "ror r16\n\t"
/* Stores the first numbers, and rotates the second ones. */
#define TM_SECOND_TURNED \
    "std Y+0,r4\n\tstd Y+1,r5\n\tstd Y+2,r6\n\tstd Y+3,r7\n\tstd Y+8,r8\n\tstd Y+9,r9\n\tstd Y+10,r10\n\t" \
    "std Y+11,r11\n\tstd Y+16,r20\n\tstd Y+17,r21\n\tstd Y+18,r22\n\tstd Y+19,r23\n\tstd Y+24,r16\n\t" \
    "std Y+25,r17\n\tstd Y+26,r18\n\tstd Y+27,r19\n\t4:\n\tldd r16,Y+12\n\tldd r17,Y+13\n\tldd r18,Y+14\n\t" \
    "ldd r19,Y+15\n\ttm_quarter\n\tldd r16,Y+20\n\tldd r17,Y+21\n\tldd r18,Y+22\n\tldd r19,Y+23\n\ttm_eighth\n\t" \
    "ldd r16,Y+28\n\tldd r17,Y+29\n\tldd r18,Y+30\n\tldd r19,Y+31\n\ttm_eighths\n\tmovw r24,r8\n\tadd r8,r12\n\t" \
    "adc r9,r13\n\tbrvs 5f\n\tsub r24,r12\n\tsbc r25,r13\n\tbrvs 5f\n\tmovw r12,r24\n\tmovw r24,r10\n\t" \
    "add r10,r14\n\tadc r11,r15\n\tbrvs 5f\n\tsub r24,r14\n\tsbc r25,r15\n\tbrvs 5f\n\tmovw r14,r24\n\t" \
    "ldd r16,Y+4\n\tldd r17,Y+5\n\tldd r18,Y+6\n\tldd r19,Y+7\n\tasr r17\n\tror r16\n\t"

/* The second stage of an odd number of bits: span 2, whose rotations are constants. */
static TM_STAGE void tm_second4_1(int16_t *x TM_PASSED, const int16_t *w TM_PASSED, uint16_t groups TM_PASSED)
{
    __asm__ volatile(
        TM_PRODUCTS TM_SCALED
        TM_SECOND_FIRST
        "adc r16,r2\n\tadc r17,r2\n\tasr r19\n\tror r18\n\tadc r18,r2\n\tadc r19,r2\n\trjmp 3f\n\t2:\n\t"
        "rjmp 12f\n\t3:\n\tmovw r20,r16\n\tadd r20,r4\n\tadc r21,r5\n\tbrvs 2b\n\tsub r16,r4\n\tsbc r17,r5\n\t"
        "brvs 2b\n\tmovw r22,r18\n\tadd r22,r6\n\tadc r23,r7\n\tbrvs 2b\n\tsub r18,r6\n\tsbc r19,r7\n\tbrvs 2b\n\t"
        "ldi r24,0x80\n\tmovw r4,r20\n\tadd r4,r8\n\tadc r5,r9\n\tbrvs 2b\n\tsub r20,r8\n\tsbc r21,r9\n\t"
        "brvs 2b\n\tmovw r6,r22\n\tadd r6,r10\n\tadc r7,r11\n\tbrvs 2b\n\tsub r22,r10\n\tsbc r23,r11\n\tbrvs 2b\n\t"
        "movw r8,r16\n\tadd r8,r14\n\tadc r9,r15\n\tbrvs 2b\n\tsub r16,r14\n\tsbc r17,r15\n\tbrvs 2b\n\t"
        "movw r10,r18\n\tsub r10,r12\n\tsbc r11,r13\n\tbrvs 2b\n\tadd r18,r12\n\tadc r19,r13\n\tbrvs 2b\n\t"
        "cp r5,r24\n\tbreq 2b\n\tcp r7,r24\n\tbreq 2b\n\tcp r21,r24\n\tbreq 2b\n\tcp r23,r24\n\tbreq 2b\n\t"
        "cp r17,r24\n\tbreq 2b\n\tcp r19,r24\n\tbreq 2b\n\tcp r9,r24\n\tbreq 2b\n\tcp r11,r24\n\tbreq 2b\n\t"
        TM_SECOND_TURNED
        "adc r16,r2\n\tadc r17,r2\n\tasr r19\n\tror r18\n\tadc r18,r2\n\tadc r19,r2\n\trjmp 6f\n\t5:\n\t"
        "rjmp 15f\n\t6:\n\tmovw r20,r16\n\tadd r20,r4\n\tadc r21,r5\n\tbrvs 5b\n\tsub r16,r4\n\tsbc r17,r5\n\t"
        "brvs 5b\n\tmovw r22,r18\n\tadd r22,r6\n\tadc r23,r7\n\tbrvs 5b\n\tsub r18,r6\n\tsbc r19,r7\n\tbrvs 5b\n\t"
        "ldi r24,0x80\n\tmovw r4,r16\n\tadd r4,r8\n\tadc r5,r9\n\tbrvs 5b\n\tsub r16,r8\n\tsbc r17,r9\n\t"
        "brvs 5b\n\tmovw r6,r18\n\tadd r6,r10\n\tadc r7,r11\n\tbrvs 5b\n\tsub r18,r10\n\tsbc r19,r11\n\tbrvs 5b\n\t"
        "movw r8,r20\n\tadd r8,r14\n\tadc r9,r15\n\tbrvs 5b\n\tsub r20,r14\n\tsbc r21,r15\n\tbrvs 5b\n\t"
        "movw r10,r22\n\tsub r10,r12\n\tsbc r11,r13\n\tbrvs 5b\n\tadd r22,r12\n\tadc r23,r13\n\tbrvs 5b\n\t"
        "cp r5,r24\n\tbreq 5b\n\tcp r7,r24\n\tbreq 5b\n\tcp r17,r24\n\tbreq 5b\n\tcp r19,r24\n\tbreq 5b\n\t"
        "cp r21,r24\n\tbreq 5b\n\tcp r23,r24\n\tbreq 5b\n\tcp r9,r24\n\tbreq 5b\n\tcp r11,r24\n\tbreq 5b\n\t"
        "std Y+4,r16\n\tstd Y+5,r17\n\tstd Y+6,r18\n\tstd Y+7,r19\n\tstd Y+12,r20\n\tstd Y+13,r21\n\t"
        "std Y+14,r22\n\tstd Y+15,r23\n\tstd Y+20,r4\n\tstd Y+21,r5\n\tstd Y+22,r6\n\tstd Y+23,r7\n\t"
        "std Y+28,r8\n\tstd Y+29,r9\n\tstd Y+30,r10\n\tstd Y+31,r11\n\t7:\n\tadiw r28,32\n\tdec r26\n\tbreq 8f\n\t"
        "rjmp 1b\n\t12:\n\tpush r26\n\tpush r30\n\tpush r31\n\tmovw r24,r28\n\tmovw r22,r30\n\tldi r20,4\n\t"
        "clr r21\n\tldi r18,1\n\tclr r1\n\t%~call %x0\n\tpop r31\n\tpop r30\n\tpop r26\n\trjmp 4b\n\t15:\n\t"
        "push r26\n\tpush r30\n\tpush r31\n\tmovw r24,r28\n\tadiw r24,4\n\tmovw r22,r30\n\tsubi r22,-12\n\t"
        "sbci r23,-1\n\tldi r20,4\n\tclr r21\n\tldi r18,1\n\tclr r1\n\t%~call %x0\n\tpop r31\n\tpop r30\n\t"
        "pop r26\n\trjmp 7b\n\t8:\n\tclr r1\n\tpop r29\n\tpop r28\n\tpop r17\n\tpop r16\n\tpop r15\n\tpop r14\n\t"
        "pop r13\n\tpop r12\n\tpop r11\n\tpop r10\n\tpop r9\n\tpop r8\n\tpop r7\n\tpop r6\n\tpop r5\n\tpop r4\n\t"
        "pop r2\n\tret\n\t" TM_FORGET_SCALED TM_FORGET
        : : "i"(tm_butterfly4));
}

static TM_STAGE void tm_second4_2(int16_t *x TM_PASSED, const int16_t *w TM_PASSED, uint16_t groups TM_PASSED)
{
    __asm__ volatile(
        TM_PRODUCTS TM_SCALED
        TM_SECOND_FIRST
        "subi r16,0xff\n\tsbci r17,0xff\n\tasr r19\n\tror r18\n\tsubi r18,0xff\n\tsbci r19,0xff\n\trjmp 3f\n\t"
        "2:\n\trjmp 12f\n\t3:\n\tmovw r20,r16\n\tadd r20,r4\n\tadc r21,r5\n\tbrvs 2b\n\tsub r16,r4\n\t"
        "sbc r17,r5\n\tbrvs 2b\n\tmovw r22,r18\n\tadd r22,r6\n\tadc r23,r7\n\tbrvs 2b\n\tsub r18,r6\n\t"
        "sbc r19,r7\n\tbrvs 2b\n\tldi r24,0x80\n\tcp r17,r24\n\tbreq 2b\n\tcp r19,r24\n\tbreq 2b\n\tcp r21,r24\n\t"
        "breq 2b\n\tcp r23,r24\n\tbreq 2b\n\teor r17,r24\n\teor r19,r24\n\teor r21,r24\n\teor r23,r24\n\t"
        "eor r9,r24\n\teor r11,r24\n\teor r13,r24\n\teor r15,r24\n\tsub r20,r8\n\tsbc r21,r9\n\tror r21\n\t"
        "ror r20\n\tadd r8,r20\n\tadc r9,r21\n\teor r9,r24\n\tsub r22,r10\n\tsbc r23,r11\n\tror r23\n\tror r22\n\t"
        "add r10,r22\n\tadc r11,r23\n\teor r11,r24\n\tsub r16,r14\n\tsbc r17,r15\n\tror r17\n\tror r16\n\t"
        "add r14,r16\n\tadc r15,r17\n\teor r15,r24\n\tsub r18,r12\n\tsbc r19,r13\n\tror r19\n\tror r18\n\t"
        "add r12,r18\n\tadc r13,r19\n\teor r13,r24\n\tmovw r4,r8\n\tmovw r6,r10\n\tmovw r8,r14\n\tmovw r10,r18\n\t"
        "movw r18,r12\n\t"
        TM_SECOND_TURNED
        "subi r16,0xff\n\tsbci r17,0xff\n\tasr r19\n\tror r18\n\tsubi r18,0xff\n\tsbci r19,0xff\n\trjmp 6f\n\t"
        "5:\n\trjmp 15f\n\t6:\n\tmovw r20,r16\n\tadd r20,r4\n\tadc r21,r5\n\tbrvs 5b\n\tsub r16,r4\n\t"
        "sbc r17,r5\n\tbrvs 5b\n\tmovw r22,r18\n\tadd r22,r6\n\tadc r23,r7\n\tbrvs 5b\n\tsub r18,r6\n\t"
        "sbc r19,r7\n\tbrvs 5b\n\tldi r24,0x80\n\tcp r17,r24\n\tbreq 5b\n\tcp r19,r24\n\tbreq 5b\n\tcp r21,r24\n\t"
        "breq 5b\n\tcp r23,r24\n\tbreq 5b\n\teor r17,r24\n\teor r19,r24\n\teor r21,r24\n\teor r23,r24\n\t"
        "eor r9,r24\n\teor r11,r24\n\teor r13,r24\n\teor r15,r24\n\tsub r16,r8\n\tsbc r17,r9\n\tror r17\n\t"
        "ror r16\n\tadd r8,r16\n\tadc r9,r17\n\teor r9,r24\n\tsub r18,r10\n\tsbc r19,r11\n\tror r19\n\tror r18\n\t"
        "add r10,r18\n\tadc r11,r19\n\teor r11,r24\n\tsub r20,r14\n\tsbc r21,r15\n\tror r21\n\tror r20\n\t"
        "add r14,r20\n\tadc r15,r21\n\teor r15,r24\n\tsub r22,r12\n\tsbc r23,r13\n\tror r23\n\tror r22\n\t"
        "add r12,r22\n\tadc r13,r23\n\teor r13,r24\n\tstd Y+4,r16\n\tstd Y+5,r17\n\tstd Y+6,r18\n\tstd Y+7,r19\n\t"
        "std Y+12,r20\n\tstd Y+13,r21\n\tstd Y+14,r12\n\tstd Y+15,r13\n\tstd Y+20,r8\n\tstd Y+21,r9\n\t"
        "std Y+22,r10\n\tstd Y+23,r11\n\tstd Y+28,r14\n\tstd Y+29,r15\n\tstd Y+30,r22\n\tstd Y+31,r23\n\t7:\n\t"
        "adiw r28,32\n\tdec r26\n\tbreq 8f\n\trjmp 1b\n\t12:\n\tpush r26\n\tpush r30\n\tpush r31\n\t"
        "movw r24,r28\n\tmovw r22,r30\n\tldi r20,4\n\tclr r21\n\tldi r18,2\n\tclr r1\n\t%~call %x0\n\tpop r31\n\t"
        "pop r30\n\tpop r26\n\trjmp 4b\n\t15:\n\tpush r26\n\tpush r30\n\tpush r31\n\tmovw r24,r28\n\tadiw r24,4\n\t"
        "movw r22,r30\n\tsubi r22,-12\n\tsbci r23,-1\n\tldi r20,4\n\tclr r21\n\tldi r18,2\n\tclr r1\n\t"
        "%~call %x0\n\tpop r31\n\tpop r30\n\tpop r26\n\trjmp 7b\n\t8:\n\tclr r1\n\tpop r29\n\tpop r28\n\t"
        "pop r17\n\tpop r16\n\tpop r15\n\tpop r14\n\tpop r13\n\tpop r12\n\tpop r11\n\tpop r10\n\tpop r9\n\t"
        "pop r8\n\tpop r7\n\tpop r6\n\tpop r5\n\tpop r4\n\tpop r2\n\tret\n\t" TM_FORGET_SCALED TM_FORGET
        : : "i"(tm_butterfly4));
}

static inline __attribute__((__always_inline__, __unused__)) void tm_radix4_1(
    int16_t *x, const int16_t *w, uint16_t groups, uint16_t span)
{
    if (span == 2) {
        tm_second4_1(x, w, groups);
    } else {
        tm_spans4_1(x, w, groups, span);
    }
}

static inline __attribute__((__always_inline__, __unused__)) void tm_radix4_2(
    int16_t *x, const int16_t *w, uint16_t groups, uint16_t span)
{
    if (span == 2) {
        tm_second4_2(x, w, groups);
    } else {
        tm_spans4_2(x, w, groups, span);
    }
}

/* Saves registers; loads a pair of bins, and halves their sums and differences. */
#define TM_PAIR_LOADED \
    "push r2\n\tpush r3\n\tpush r4\n\tpush r5\n\tpush r6\n\tpush r7\n\tpush r8\n\tpush r9\n\tpush r10\n\t" \
    "push r11\n\tpush r12\n\tpush r13\n\tpush r14\n\tpush r15\n\tpush r16\n\tpush r17\n\tpush r28\n\tpush r29\n\t" \
    "movw r26,r24\n\tmovw r28,r22\n\tmovw r30,r20\n\tclr r2\n\tldi r24,0x80\n\tmov r3,r24\n\trjmp 5f\n\t1:\n\t" \
    "ld r4,X+\n\tld r5,X+\n\tld r6,X+\n\tld r7,X+\n\tld r8,Y\n\tldd r9,Y+1\n\tldd r10,Y+2\n\tldd r11,Y+3\n\t" \
    "eor r5,r3\n\teor r7,r3\n\teor r9,r3\n\teor r11,r3\n\tmovw r14,r6\n\tsub r14,r10\n\tsbc r15,r11\n\tror r15\n\t" \
    "ror r14\n\tmovw r6,r14\n\tadc r6,r2\n\tadc r7,r2\n\tmovw r16,r6\n\tadd r16,r10\n\tadc r17,r11\n\t" \
    "eor r17,r3\n\tmovw r18,r8\n\tsub r18,r4\n\tsbc r19,r5\n\tror r19\n\tror r18\n\t"
/* Rotates the half differences. */
#define TM_PAIR_TURNED \
    "lpm r20,Z+\n\tlpm r21,Z+\n\tlpm r22,Z+\n\tlpm r23,Z+\n\ttm_sum r4 r5 r8 r9\n\tlsl r25\n\trol r4\n\trol r5\n\t" \
    "brvs 8f\n\tlsl r25\n\tadc r4,r2\n\tadc r5,r2\n\tbrvs 8f\n\tcp r5,r3\n\tbreq 8f\n\ttm_diff r8 r9\n\tlsl r25\n\t" \
    "rol r8\n\trol r9\n\tbrvs 8f\n\tlsl r25\n\tadc r8,r2\n\tadc r9,r2\n\tbrvs 8f\n\tcp r9,r3\n\tbreq 8f\n\t" \
    "rjmp 6f\n\t8:\n\trjmp 9f\n\t6:\n\t"

static TM_STAGE void tm_real_pairs_0(int16_t *low TM_PASSED, int16_t *high TM_PASSED, const int16_t *w TM_PASSED)
{
    __asm__ volatile(
        TM_PRODUCTS
        TM_PAIR_LOADED
        "adc r18,r2\n\tadc r19,r2\n\tmovw r12,r18\n\tadd r12,r4\n\tadc r13,r5\n\teor r13,r3\n\t"
        TM_PAIR_TURNED
        "movw r10,r12\n\tadd r10,r4\n\tadc r11,r5\n\tbrvs 8b\n\tsub r12,r4\n\tsbc r13,r5\n\tbrvs 8b\n\t"
        "sub r6,r8\n\tsbc r7,r9\n\tbrvs 8b\n\tadd r14,r8\n\tadc r15,r9\n\tbrvs 8b\n\tclr r16\n\tclr r17\n\t"
        "sub r16,r14\n\tsbc r17,r15\n\tbrvs 8b\n\tcp r11,r3\n\tbreq 8b\n\tcp r13,r3\n\tbreq 8b\n\tcp r7,r3\n\t"
        "breq 8b\n\tcp r17,r3\n\tbreq 8b\n\tsbiw r26,4\n\tst X+,r12\n\tst X+,r13\n\tst X+,r6\n\tst X+,r7\n\t"
        "std Y+0,r10\n\tstd Y+1,r11\n\tstd Y+2,r16\n\tstd Y+3,r17\n\t4:\n\tsbiw r28,4\n\t5:\n\tcp r26,r28\n\t"
        "cpc r27,r29\n\tbrsh 7f\n\trjmp 1b\n\t9:\n\tsbiw r26,4\n\tpush r26\n\tpush r27\n\tpush r30\n\tpush r31\n\t"
        "movw r24,r26\n\tmovw r22,r28\n\tmovw r20,r30\n\tsubi r20,4\n\tsbci r21,0\n\tldi r18,0\n\tclr r1\n\t"
        "%~call %x0\n\tpop r31\n\tpop r30\n\tpop r27\n\tpop r26\n\tadiw r26,4\n\trjmp 4b\n\t7:\n\tclr r1\n\t"
        "pop r29\n\tpop r28\n\tpop r17\n\tpop r16\n\tpop r15\n\tpop r14\n\tpop r13\n\tpop r12\n\tpop r11\n\t"
        "pop r10\n\tpop r9\n\tpop r8\n\tpop r7\n\tpop r6\n\tpop r5\n\tpop r4\n\tpop r3\n\tpop r2\n\tret\n\t" TM_FORGET
        : : "i"(tm_real_pair));
}

static TM_STAGE void tm_real_pairs_1(int16_t *low TM_PASSED, int16_t *high TM_PASSED, const int16_t *w TM_PASSED)
{
    __asm__ volatile(
        TM_PRODUCTS
        TM_PAIR_LOADED
        "movw r12,r18\n\tadc r18,r2\n\tadc r19,r2\n\tadd r12,r4\n\tadc r13,r5\n\t"
        TM_PAIR_TURNED
        "eor r5,r3\n\tmovw r10,r12\n\tadd r10,r4\n\tadc r11,r5\n\tror r11\n\tror r10\n\tadc r10,r2\n\t"
        "adc r11,r2\n\teor r11,r3\n\tsub r12,r4\n\tsbc r13,r5\n\tror r13\n\tror r12\n\tadc r12,r2\n\tadc r13,r2\n\t"
        "eor r9,r3\n\teor r15,r3\n\tsub r14,r8\n\tsbc r15,r9\n\tror r15\n\tror r14\n\tadc r14,r2\n\tadc r15,r2\n\t"
        "eor r7,r3\n\tadd r6,r8\n\tadc r7,r9\n\tror r7\n\tror r6\n\teor r7,r3\n\tclr r16\n\tclr r17\n\t"
        "sub r16,r6\n\tsbc r17,r7\n\tsbiw r26,4\n\tst X+,r12\n\tst X+,r13\n\tst X+,r14\n\tst X+,r15\n\t"
        "std Y+0,r10\n\tstd Y+1,r11\n\tstd Y+2,r16\n\tstd Y+3,r17\n\t4:\n\tsbiw r28,4\n\t5:\n\tcp r26,r28\n\t"
        "cpc r27,r29\n\tbrsh 7f\n\trjmp 1b\n\t9:\n\tsbiw r26,4\n\tpush r26\n\tpush r27\n\tpush r30\n\tpush r31\n\t"
        "movw r24,r26\n\tmovw r22,r28\n\tmovw r20,r30\n\tsubi r20,4\n\tsbci r21,0\n\tldi r18,1\n\tclr r1\n\t"
        "%~call %x0\n\tpop r31\n\tpop r30\n\tpop r27\n\tpop r26\n\tadiw r26,4\n\trjmp 4b\n\t7:\n\tclr r1\n\t"
        "pop r29\n\tpop r28\n\tpop r17\n\tpop r16\n\tpop r15\n\tpop r14\n\tpop r13\n\tpop r12\n\tpop r11\n\t"
        "pop r10\n\tpop r9\n\tpop r8\n\tpop r7\n\tpop r6\n\tpop r5\n\tpop r4\n\tpop r3\n\tpop r2\n\tret\n\t" TM_FORGET
        : : "i"(tm_real_pair));
}

#endif
#endif
