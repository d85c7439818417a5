/* Exact dot products of posits of 16 bits in flash, which are multiples of 2^-scale, with 16-bit integers in RAM, added
 * to `sum`. The caller has proven that every weight times 2^scale stays within 31 bits and a sign, and that the magnitudes
 * of `sum` and all products together stay within the width that the name ends in. */
#ifndef TINYML_DOT_POSIT_H
#define TINYML_DOT_POSIT_H
#include <stdint.h>

#ifdef __AVR__
#define TMP_SHARED __attribute__((__noinline__, __noclone__, __unused__))
#define TMP_INLINED inline __attribute__((__always_inline__))

/* r21:r20 becomes the magnitude of the next weight and r23:r22 the next x, negated where the weight was negative. */
#define TMP_LOAD \
    "lpm r20,Z+\n\tlpm r21,Z+\n\tld r22,X+\n\tld r23,X+\n\tsbrs r21,7\n\trjmp 3f\n\t" \
    "com r21\n\tneg r20\n\tsbci r21,255\n\tcom r23\n\tneg r22\n\tsbci r23,255\n3:\t"
/* r24 counts by how much the significand, from the top of r21:r18 on, has to go to the right. */
#define TMP_REGIME \
    "lsl r20\n\trol r21\n\tmov r24,r14\n\tbrpl 5f\n\tadd r24,r13\n" \
    "4:\tsub r24,r13\n\tlsl r20\n\trol r21\n\tbrmi 4b\n\trjmp 6f\n" \
    "5:\tadd r24,r13\n\tlsl r20\n\trol r21\n\tbrpl 5b\n" \
    "6:\tlsl r20\n\trol r21\n\t"
#define TMP_EXPONENT \
    "mov r25,r12\n\tclr r0\n\trjmp 8f\n7:\tlsl r20\n\trol r21\n\trol r0\n8:\tdec r25\n\tbrpl 7b\n\tsub r24,r0\n\t"
#define TMP_SHIFT \
    "sec\n\tror r21\n\tror r20\n\tclr r19\n\tclr r18\n" \
    "9:\tsubi r24,8\n\tbrcs 10f\n\tmov r18,r19\n\tmov r19,r20\n\tmov r20,r21\n\tclr r21\n\trjmp 9b\n" \
    "10:\tsubi r24,-8\n\trjmp 12f\n11:\tlsr r21\n\tror r20\n\tror r19\n\tror r18\n12:\tdec r24\n\tbrpl 11b\n\t"
/* r9:r2 += r21:r18 * r23:r22, byte by byte of x; its sign at the end. */
#define TMP_MUL(A, B, X) "mul " A "," X "\n\tmovw r10,r0\n\tmul " B "," X "\n\tmovw r24,r0\n\t"
#define TMP_ADD(S0, S1, S2, S3) "add " S0 ",r10\n\tadc " S1 ",r11\n\tadc " S2 ",r24\n\tadc " S3 ",r25\n\t"
#define TMP_MAC \
    TMP_MUL("r18", "r20", "r22") TMP_ADD("r2", "r3", "r4", "r5") "adc r6,r15\n\tadc r7,r15\n\tadc r8,r15\n\tadc r9,r15\n\t" \
    TMP_MUL("r19", "r21", "r22") TMP_ADD("r3", "r4", "r5", "r6") "adc r7,r15\n\tadc r8,r15\n\tadc r9,r15\n\t" \
    TMP_MUL("r18", "r20", "r23") TMP_ADD("r3", "r4", "r5", "r6") "adc r7,r15\n\tadc r8,r15\n\tadc r9,r15\n\t" \
    TMP_MUL("r19", "r21", "r23") TMP_ADD("r4", "r5", "r6", "r7") "adc r8,r15\n\tadc r9,r15\n\t" \
    "sbrs r23,7\n\trjmp 2f\n\tsub r4,r18\n\tsbc r5,r19\n\tsbc r6,r20\n\tsbc r7,r21\n\tsbc r8,r15\n\tsbc r9,r15\n\t"

static TMP_SHARED int64_t tm_products_p16_s16_s64(const int16_t *w, const int16_t *x, uint16_t n, int8_t es, int8_t scale)
{
    register int64_t s __asm__("r18");
    register uint16_t k __asm__("r16") = n;
    register int8_t exponent_bits __asm__("r12") = es;
    register int8_t step __asm__("r13") = (int8_t)(1 << es);
    register int8_t right __asm__("r14") = (int8_t)(31 - scale);
    __asm__ volatile("clr r15\n\tclr r2\n\tclr r3\n\tmovw r4,r2\n\tmovw r6,r2\n\tmovw r8,r2\n\trjmp 2f\n"
                     "1:\t" TMP_LOAD "cp r20,r15\n\tcpc r21,r15\n\tbrne 14f\n\trjmp 2f\n14:\t"
                     TMP_REGIME TMP_EXPONENT TMP_SHIFT TMP_MAC
                     "2:\tsubi r16,1\n\tsbci r17,0\n\tbrcs 13f\n\trjmp 1b\n13:\tclr r1\n\t"
                     "movw r18,r2\n\tmovw r20,r4\n\tmovw r22,r6\n\tmovw r24,r8"
                     : "=&r"(s), "+r"(k), "+z"(w), "+x"(x) : "r"(exponent_bits), "r"(step), "r"(right)
                     : "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r15", "memory");
    return s;
}
#else
#define TMP_INLINED __attribute__((__unused__))

/* A posit of 16 bits times 2^scale. */
static inline int32_t tm_p16_integer(int16_t raw, int8_t es, int8_t scale)
{
    uint32_t body = (uint32_t)(raw < 0 ? -raw : raw) << 17;
    if (body == 0)
        return 0;
    const uint32_t ones = body >> 31, run = (uint32_t)__builtin_clz(ones ? ~body : body);
    const int32_t k = ones ? (int32_t)run - 1 : -(int32_t)run;
    body = body << run << 1;
    const int32_t e = k * (1 << es) + (int32_t)(es ? body >> (32 - es) : 0);
    const uint32_t size = ((uint32_t)1 << 31 | body << es >> 1) >> (31 - scale - e);
    return raw < 0 ? -(int32_t)size : (int32_t)size;
}

static TMP_INLINED int64_t tm_products_p16_s16_s64(const int16_t *w, const int16_t *x, uint16_t n, int8_t es, int8_t scale)
{
    int64_t sum = 0;
    for (; n > 0; n--)
        sum += (int64_t)tm_p16_integer(*w++, es, scale) * *x++;
    return sum;
}

/* For Cortex-M, in integers that are finer than the sum by some places: entry n of `segments` stands for raws with the
 * upper byte n: c * 2^16 + 2^8 + s where all of them are (raw + c) * 2^s, 0 for others. 16 bits hold every x. */
static __attribute__((__noinline__, __unused__)) int64_t tm_cm_products_p16_s16_s64(
    const int32_t *segments, const int16_t *w, const int16_t *x, uint16_t n, int8_t es, int8_t scale)
{
    int64_t sum = 0;
#if defined(__thumb2__) && !defined(__clang__)
    /* Leaves the loop behind a weight without a segment. */
#define TMP_STEP \
    "ldrsh %[a], [%[w]], #2\n\tasrs %[s], %[a], #8\n\tldr %[s], [%[segments], %[s], lsl #2]\n\tcbz %[s], 9f\n\t" \
    "add %[a], %[a], %[s], asr #16\n\tlsls %[a], %[a], %[s]\n\tldrsh %[b], [%[x]], #2\n\t" \
    "smlal %Q[sum], %R[sum], %[a], %[b]\n\t"
    const int16_t *const end = w + n, *const last = end - 3;
    for (;;) {
        int32_t s = 1, a, b;
        __asm__ volatile("b 2f\n1:\t" TMP_STEP TMP_STEP TMP_STEP "2:\tcmp %[w], %[last]\n\tbls 1b\n"
                         "3:\tcmp %[w], %[end]\n\tbeq 9f\n\t" TMP_STEP "b 3b\n9:"
                         : [sum] "+r"(sum), [w] "+r"(w), [x] "+r"(x), [s] "+l"(s), [a] "=&l"(a), [b] "=&r"(b)
                         : [segments] "r"(segments), [end] "r"(end), [last] "r"(last) : "cc", "memory");
        if (s != 0)
            return sum;
        sum += (int64_t)tm_p16_integer(w[-1], es, scale) * *x++;
    }
#else
    for (; n > 0; n--, w++) {
        const int32_t s = segments[*w >> 8];
        const int32_t a = s ? (int32_t)((uint32_t)(*w + (s >> 16)) << (s & 31)) : tm_p16_integer(*w, es, scale);
        sum += (int64_t)a * *x++;
    }
    return sum;
#endif
}

static TMP_INLINED int64_t tm_cm_dot_p16_s16_s64(const int32_t *segments, const int16_t *w, const int16_t *x, uint16_t n,
                                                 int8_t es, int8_t scale, int8_t finer, int64_t sum)
{
    return sum + (tm_cm_products_p16_s16_s64(segments, w, x, n, es, (int8_t)(scale + finer)) >> finer);
}
#endif

static TMP_INLINED int64_t tm_dot_p16_s16_s64(const int16_t *w, const int16_t *x, uint16_t n, int8_t es, int8_t scale,
                                              int64_t sum)
{
    return sum + tm_products_p16_s16_s64(w, x, n, es, scale);
}
#endif
