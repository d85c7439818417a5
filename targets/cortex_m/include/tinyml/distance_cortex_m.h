/* Squares of the differences of two vectors, added to `sum`, for Cortex-M0+ (ARMv6-M) and for M4, M7, M33 (the DSP
 * extension); plain C of the same bits for every other machine but AVR, whose weights lie in an address space of their
 * own. The caller has proven that each difference fits 16 bits, and that `sum` and all squares together fit 32. */
#ifndef TINYML_DISTANCE_CORTEX_M_H
#define TINYML_DISTANCE_CORTEX_M_H
#ifdef __AVR__
#error "generated for Cortex-M: an AVR cannot read its constants; compile the model for target avr"
#else
#include <stdint.h>

#define TM_SQUARE(I) sum += ((int32_t)x[I] - w[I]) * ((int32_t)x[I] - w[I])

#if defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_UNALIGNED) && !defined(__ARM_BIG_ENDIAN)
/* Two differences and their squares at once. */
#define TM_SQUARES2(X, W)                                                                                              \
    __asm__("ssub16 %1, %2, %3\n\tsmlad %0, %1, %1, %0" : "+r"(sum), "=&r"(pair) : "r"(X), "r"(W))

static inline uint32_t tm_two_s16(const void *from)
{
    uint32_t word;
    __builtin_memcpy(&word, from, sizeof word);
    return word;
}

/* Elements 0 and 2, as numbers of 16 bits; rotated by a byte, 1 and 3. */
static inline uint32_t tm_even(uint32_t bytes)
{
    uint32_t pair;
    __asm__("sxtb16 %0, %1" : "=r"(pair) : "r"(bytes));
    return pair;
}

static inline uint32_t tm_odd(uint32_t bytes)
{
    uint32_t pair;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(bytes));
    return pair;
}

#define TM_SQUARES_S16                                                                                                 \
    for (; n >= 4; n -= 4, w += 4, x += 4) {                                                                           \
        uint32_t pair;                                                                                                 \
        TM_SQUARES2(tm_two_s16(x), tm_two_s16(w));                                                                           \
        TM_SQUARES2(tm_two_s16(x + 2), tm_two_s16(w + 2));                                                                   \
    }
#define TM_SQUARES_S8                                                                                                  \
    for (; n >= 4; n -= 4, w += 4, x += 4) {                                                                           \
        uint32_t pair, xs = tm_two_s16(x), ws = tm_two_s16(w);                                                               \
        TM_SQUARES2(tm_even(xs), tm_even(ws));                                                                         \
        TM_SQUARES2(tm_odd(xs), tm_odd(ws));                                                                           \
    }
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && !defined(__thumb2__)
/* `at` counts up to zero in bytes, from behind both vectors; n is done then. */
#define TM_SQUARES(LOAD, BYTES)                                                                                        \
    if (n > 0) {                                                                                                       \
        int32_t at = -BYTES * n, a, b;                                                                                 \
        __asm__(".syntax unified\n1:\t" LOAD " %2, [%4, %1]\n\t" LOAD " %3, [%5, %1]\n\tsubs %2, %2, %3\n\t"             \
                "muls %2, %2, %2\n\tadds %0, %0, %2\n\tadds %1, #" #BYTES "\n\tbne 1b"                                 \
                : "+l"(sum), "+l"(at), "=&l"(a), "=&l"(b) : "l"(x + n), "l"(w + n) : "cc", "memory");                  \
        n = 0;                                                                                                         \
    }
#define TM_SQUARES_S16 TM_SQUARES("ldrsh", 2)
#define TM_SQUARES_S8 TM_SQUARES("ldrsb", 1)
#else
#define TM_SQUARES_S16
#define TM_SQUARES_S8
#endif

static __attribute__((unused)) int32_t tm_cm_distance_s16_s16_s32(const int16_t *w, const int16_t *x, int n,
                                                                  int32_t sum)
{
    TM_SQUARES_S16
    for (; n > 0; n--, w++, x++)
        TM_SQUARE(0);
    return sum;
}

static __attribute__((unused)) int32_t tm_cm_distance_s8_s8_s32(const int8_t *w, const int8_t *x, int n, int32_t sum)
{
    TM_SQUARES_S8
    for (; n > 0; n--, w++, x++)
        TM_SQUARE(0);
    return sum;
}
#endif
#endif
