/* MultiplyByQuantizedMultiplier of TensorFlow Lite: x * multiplier * 2^(shift - 31), multiplier in [0, 2^31), shift in
 * [-31, 30]. The product is rounded to nearest, halves upwards, then shifted right and rounded to nearest, halves away from
 * zero. A left shift saturates. */
#ifndef TINYML_REQUANTIZE_H
#define TINYML_REQUANTIZE_H
#include <stdint.h>

#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
#define TMQ_ADD(A, B, S0, S1) "mul " A "," B "\n\tadd " S0 ",r0\n\tadc " S1 ",r1\n\t"
#define TMQ_ADD3(A, B, S0, S1, S2) TMQ_ADD(A, B, S0, S1) "adc " S2 ",%[zero]\n\t"
#endif

/* (x * multiplier + 2^30) / 2^31, rounded down. */
static inline int32_t tm_doubling_high_s32(int32_t x, int32_t multiplier)
{
#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
    /* The product of unsigned numbers, column by column: bytes 1 to 3, which only carry, then the four above. Bytes 1
     * and 2 are in the registers of bytes 7 and 6. */
    union { int16_t half[2]; int32_t whole; } y;
    uint8_t zero, byte;
    __asm__("clr %[zero]\n\tclr %A[h]\n\tclr %[b3]\n\tclr %A[l]\n\tclr %B[l]\n\t"
            "mul %A[x],%A[m]\n\tmov %B[h],r1\n\t" TMQ_ADD("%A[x]", "%B[m]", "%B[h]", "%A[h]")
            TMQ_ADD3("%B[x]", "%A[m]", "%B[h]", "%A[h]", "%[b3]")
            TMQ_ADD3("%A[x]", "%C[m]", "%A[h]", "%[b3]", "%A[l]") TMQ_ADD3("%B[x]", "%B[m]", "%A[h]", "%[b3]", "%A[l]")
            TMQ_ADD3("%C[x]", "%A[m]", "%A[h]", "%[b3]", "%A[l]")
            "clr %A[h]\n\tclr %B[h]\n\tsubi %[b3],192\n\tsbci %A[l],255\n\tsbci %B[l],255\n\t"
            TMQ_ADD3("%A[x]", "%D[m]", "%[b3]", "%A[l]", "%B[l]") TMQ_ADD3("%B[x]", "%C[m]", "%[b3]", "%A[l]", "%B[l]")
            TMQ_ADD3("%C[x]", "%B[m]", "%[b3]", "%A[l]", "%B[l]") TMQ_ADD3("%D[x]", "%A[m]", "%[b3]", "%A[l]", "%B[l]")
            TMQ_ADD3("%B[x]", "%D[m]", "%A[l]", "%B[l]", "%A[h]") TMQ_ADD3("%C[x]", "%C[m]", "%A[l]", "%B[l]", "%A[h]")
            TMQ_ADD3("%D[x]", "%B[m]", "%A[l]", "%B[l]", "%A[h]") TMQ_ADD3("%C[x]", "%D[m]", "%B[l]", "%A[h]", "%B[h]")
            TMQ_ADD3("%D[x]", "%C[m]", "%B[l]", "%A[h]", "%B[h]") TMQ_ADD("%D[x]", "%D[m]", "%A[h]", "%B[h]")
            "sbrs %D[x],7\n\trjmp 1f\n\tsub %A[l],%A[m]\n\tsbc %B[l],%B[m]\n\tsbc %A[h],%C[m]\n\tsbc %B[h],%D[m]\n"
            "1:\tlsl %[b3]\n\trol %A[l]\n\trol %B[l]\n\trol %A[h]\n\trol %B[h]\n\tclr r1"
            : [l] "=&x"(y.half[0]), [h] "=&z"(y.half[1]), [zero] "=&r"(zero), [b3] "=&d"(byte)
            : [x] "r"(x), [m] "r"(multiplier) : "r0");
    return y.whole;
#else
    return (int32_t)(((int64_t)x * multiplier + (1L << 30)) >> 31);
#endif
}

#ifdef __AVR__
#define TMQ_SHARED __attribute__((__noinline__, __noclone__, __unused__))
#else
#define TMQ_SHARED inline
#endif
#if defined(__ARM_FEATURE_DSP) && defined(__OPTIMIZE__)
/* With constants, five instructions take no more flash than a call. */
#define TMQ_REQUANTIZE inline __attribute__((__always_inline__, __unused__))
#else
#define TMQ_REQUANTIZE inline __attribute__((__unused__))
#endif

static TMQ_SHARED int32_t tm_shift_left_s32(int32_t x, int8_t left)
{
    const int32_t most = INT32_MAX >> left;
    return (int32_t)((uint32_t)(x > most ? most : x < -most - 1 ? -most - 1 : x) << left);
}

/* tm_doubling_high_s32 for multipliers in [-2^30, 2^30). */
static inline int32_t tm_short_high_s32(int32_t x, int32_t multiplier)
{
#ifdef __ARM_FEATURE_DSP
    int32_t y;
    __asm__("smmulr %0, %1, %2" : "=r"(y) : "r"(x), "r"(multiplier * 2));
    return y;
#else
    return tm_doubling_high_s32(x, multiplier);
#endif
}

#if defined(__ARM_FEATURE_DSP) && defined(__OPTIMIZE__)
/* SMMLAR adds the product of x and twice the multiplier to x * 2^32 and takes the rounded high word. Doubled multipliers
 * of 2^31 and more are negative, less by 2^32, for which x is added. */
#define TMQ_HIGH(Y, X, MULTIPLIER) \
    __asm__("smmlar %0, %1, %2, %3" : "=r"(Y) : "r"(X), "r"((uint32_t)(MULTIPLIER) << 1), \
            "r"((MULTIPLIER) >= 1L << 30 ? X : 0))

static inline int32_t tm_multiply_high_by(int32_t x, int32_t multiplier, int8_t right)
{
    int32_t y;
    TMQ_HIGH(y, x, multiplier);
    if (right == 0)
        return y;
    y += y >> 31;
    right--;
    return ((y >> right) + 1) >> 1;
}

static TMQ_REQUANTIZE int32_t tm_multiply_high_s32(int32_t x, int32_t multiplier, int8_t right)
{
    int32_t y;
    if (!__builtin_constant_p(multiplier) || !__builtin_constant_p(right))
        return tm_multiply_high_by(x, multiplier, right);
    TMQ_HIGH(y, x, multiplier);
    if (right == 0)
        return y;
    /* Halves of negative numbers round away from 0; the last bit that is shifted out is the carry. */
    y += y >> 31;
    __asm__("asrs %0, %0, %1\n\tadc %0, %0, #0" : "+r"(y) : "n"(right) : "cc");
    return y;
}
#else
static TMQ_SHARED int32_t tm_multiply_high_s32(int32_t x, int32_t multiplier, int8_t right)
{
    x = tm_doubling_high_s32(x, multiplier);
    if (right == 0)
        return x;
    /* All bits but one are shifted out, then that one is rounded; halves of negative numbers round away from 0. */
    if (x < 0)
        x--;
    right--;
#ifdef __AVR__
    for (; right >= 8; right = (int8_t)(right - 8))
        x >>= 8;
#endif
    return ((x >> right) + 1) >> 1;
}
#endif

/* The left shift is a separate call, since few factors are 1 or more: no registers are saved for it otherwise. */
static TMQ_REQUANTIZE int32_t tm_requantize_s32(int32_t x, int32_t multiplier, int8_t shift)
{
    if (shift > 0)
        return tm_multiply_high_s32(tm_shift_left_s32(x, shift), multiplier, 0);
    return tm_multiply_high_s32(x, multiplier, (int8_t)-shift);
}

/* For sums of 48 bits, with a multiplier of 16 bits, as TensorFlow Lite does: x * multiplier * 2^(shift - 15), rounded to
 * nearest, halves upwards. The result has 32 bits. */
static inline __attribute__((__unused__)) int32_t tm_requantize_s64(int64_t x, int32_t multiplier, int8_t shift)
{
    const int8_t right = (int8_t)(15 - shift);
    return (int32_t)((x * multiplier + ((int64_t)1 << (right - 1))) >> right);
}

/* x * multiplier * 2^(shift - 31), rounded once, halves to even; results beyond 32 bits saturate. */
static TMQ_SHARED __attribute__((__unused__)) int32_t tm_requantize_even_s32(int32_t x, int32_t multiplier, int8_t shift)
{
#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
    /* The product of the magnitudes, column by column, then shifted until its upper half is the integer: the byte below
     * holds the half, and the bits below that are collected in one byte. Few numbers have a fourth byte. */
    const uint32_t size = x < 0 ? 0 - (uint32_t)x : (uint32_t)x;
    uint32_t y, low;
    uint8_t zero, rest, power, places = (uint8_t)(-1 - shift);
    __asm__("clr %[zero]\n\tclr %C[l]\n\tclr %D[l]\n\tclr %A[y]\n\tclr %B[y]\n\tclr %C[y]\n\tclr %D[y]\n\t"
            "mul %A[x],%A[m]\n\tmovw %A[l],r0\n\t"
            TMQ_ADD3("%A[x]", "%B[m]", "%B[l]", "%C[l]", "%D[l]") TMQ_ADD3("%B[x]", "%A[m]", "%B[l]", "%C[l]", "%D[l]")
            TMQ_ADD3("%A[x]", "%C[m]", "%C[l]", "%D[l]", "%A[y]") TMQ_ADD3("%B[x]", "%B[m]", "%C[l]", "%D[l]", "%A[y]")
            TMQ_ADD3("%C[x]", "%A[m]", "%C[l]", "%D[l]", "%A[y]")
            TMQ_ADD3("%A[x]", "%D[m]", "%D[l]", "%A[y]", "%B[y]") TMQ_ADD3("%B[x]", "%C[m]", "%D[l]", "%A[y]", "%B[y]")
            TMQ_ADD3("%C[x]", "%B[m]", "%D[l]", "%A[y]", "%B[y]")
            TMQ_ADD3("%B[x]", "%D[m]", "%A[y]", "%B[y]", "%C[y]") TMQ_ADD3("%C[x]", "%C[m]", "%A[y]", "%B[y]", "%C[y]")
            TMQ_ADD("%C[x]", "%D[m]", "%B[y]", "%C[y]") "tst %D[x]\n\tbreq 1f\n\t"
            TMQ_ADD3("%D[x]", "%A[m]", "%D[l]", "%A[y]", "%B[y]") "adc %C[y],%[zero]\n\tadc %D[y],%[zero]\n\t"
            TMQ_ADD3("%D[x]", "%B[m]", "%A[y]", "%B[y]", "%C[y]") "adc %D[y],%[zero]\n\t"
            TMQ_ADD3("%D[x]", "%C[m]", "%B[y]", "%C[y]", "%D[y]") TMQ_ADD("%D[x]", "%D[m]", "%C[y]", "%D[y]")
            "1:\tclr r1"
            : [l] "=&r"(low), [y] "=&r"(y), [zero] "=&r"(zero) : [x] "r"(size), [m] "r"(multiplier) : "r0");
    for (; shift >= 0; shift--) {
        if (y & 0x80000000UL)
            return x < 0 ? INT32_MIN : INT32_MAX;
        y = y << 1 | low >> 31;
        low <<= 1;
        places = 0;
    }
    __asm__("mov %[r],%A[l]\n\tor %[r],%B[l]\n\tor %[r],%C[l]\n\trjmp 2f\n"
            "1:\tor %[r],%D[l]\n\tmov %D[l],%A[y]\n\tmov %A[y],%B[y]\n\tmov %B[y],%C[y]\n\tmov %C[y],%D[y]\n\tclr %D[y]\n"
            "2:\tsubi %[p],8\n\tbrcc 1b\n\tsubi %[p],248\n\tbreq 4f\n\tdec %[p]\n\t"
            /* A shift by 1 to 7 bits is a product with a power of two from which the lowest byte is dropped. */
            "ldi %[f],128\n\tsbrc %[p],1\n\tldi %[f],32\n\tsbrc %[p],0\n\tlsr %[f]\n\tsbrc %[p],2\n\tswap %[f]\n\t"
            "mul %D[l],%[f]\n\tor %[r],r0\n\tmov %D[l],r1\n\tmul %A[y],%[f]\n\tor %D[l],r0\n\tmov %A[y],r1\n\t"
            "mul %B[y],%[f]\n\tor %A[y],r0\n\tmov %B[y],r1\n\tmul %C[y],%[f]\n\tor %B[y],r0\n\tmov %C[y],r1\n\t"
            "mul %D[y],%[f]\n\tor %C[y],r0\n\tmov %D[y],r1\n\tclr r1\n4:\t"
            "lsl %D[l]\n\tbrcc 6f\n\tor %[r],%D[l]\n\tbrne 5f\n\tsbrs %A[y],0\n\trjmp 6f\n"
            "5:\tsubi %A[y],255\n\tsbci %B[y],255\n\tsbci %C[y],255\n\tsbci %D[y],255\n6:"
            : [y] "+d"(y), [l] "+r"(low), [p] "+d"(places), [r] "=&r"(rest), [f] "=&d"(power) : : "r0");
    if (x < 0)
        return y > 0x80000000UL ? INT32_MIN : (int32_t)(0 - y);
    return y > INT32_MAX ? INT32_MAX : (int32_t)y;
#else
    const int64_t product = (int64_t)x * multiplier;
    if (shift < -2) {
        /* The lower word decides no more than whether the rest is zero, which one bit below the half keeps. */
        const int32_t high = (int32_t)(product >> 32) | ((uint32_t)product != 0);
        const int8_t places = (int8_t)(-1 - shift);
        return (high + (((int32_t)1 << (places - 1)) - 1 + (high >> places & 1))) >> places;
    }
    const int8_t right = (int8_t)(31 - shift);
    const int64_t odd = product >> right & 1;
    const int64_t y = (product + (((int64_t)1 << (right - 1)) - 1 + odd)) >> right;
    return y > INT32_MAX ? INT32_MAX : y < INT32_MIN ? INT32_MIN : (int32_t)y;
#endif
}

/* The number of zero bits before the highest one of x > 0. */
static inline int8_t tm_leading_zeros_s32(int32_t x)
{
#ifdef __ARM_FEATURE_CLZ
    return (int8_t)__builtin_clz((uint32_t)x);
#else
    int8_t zeros = 0;
    for (uint32_t bits = (uint32_t)x; bits < 0x80000000UL; bits <<= 1)
        zeros++;
    return zeros;
#endif
}

/* About 2^62 / y, for y = x > 0 shifted left until its highest bit is bit 31: gemmlowp's reciprocal, by three steps of
 * Newton's method in numbers with 29 fractional bits. */
static inline __attribute__((__unused__)) int32_t tm_reciprocal_s32(int32_t x)
{
    const int32_t half = (int32_t)((uint32_t)x << tm_leading_zeros_s32(x) >> 1);
    int32_t r = 1515870810L + tm_doubling_high_s32(-1010580540L, half);
    for (uint8_t i = 0; i < 3; i++)
        r += tm_shift_left_s32(tm_doubling_high_s32((1L << 29) - tm_doubling_high_s32(half, r), r), 2);
    return tm_shift_left_s32(r, 1);
}

/* The pairs of zero bits before the highest one of x > 0, without the sign. */
static inline int8_t tm_root_pairs_s32(int32_t x)
{
    return (int8_t)((tm_leading_zeros_s32(x) - 1) / 2);
}

/* The left shift that tm_root_multiplier_s32 needs, from -12 to 0. */
static inline int8_t tm_root_shift_s32(int32_t x)
{
    const int8_t pairs = tm_root_pairs_s32(x > 1 ? x : 1);
    return pairs < 12 ? (int8_t)(pairs - 12) : 0;
}

/* About 2^(31 - tm_root_shift_s32(x)) / sqrt(x), for x > 1: TensorFlow Lite's GetInvSqrtQuantizedMultiplierExp, five
 * steps of Newton's method in numbers with 28 fractional bits. For each of the normalised x, y is below 2^29 and no shift
 * saturates. */
static TMQ_SHARED int32_t tm_root_multiplier_s32(int32_t x)
{
    if (x <= 1)
        return INT32_MAX;
    const int8_t pairs = tm_root_pairs_s32(x);
    x = pairs > 0 ? x << 2 * (pairs - 1) : x >> 2;
    const int32_t half = ((x >> 1) + 1) >> 1;
    int32_t y = 1L << 28;
    for (uint8_t i = 0; i < 5; i++) {
        const int32_t cube = tm_short_high_s32(tm_short_high_s32(y, y), y) << 6;
        y = (((3 * y + 8) >> 4) - tm_short_high_s32(cube, half)) << 3;
    }
    y = tm_doubling_high_s32(y, 1518500250L);
    return pairs > 12 ? y << (pairs - 12) : y;
}

/* 2^31 / sqrt(x), rounded to nearest, halves upwards; the greatest integer for x <= 1. */
static inline __attribute__((__unused__)) int32_t tm_inverse_root_s32(int32_t x)
{
    const int8_t right = (int8_t)-tm_root_shift_s32(x);
    const int32_t root = tm_root_multiplier_s32(x);
    return right == 0 ? root : ((root >> (right - 1)) + 1) >> 1;
}

/* Only the 30 or 31 highest bits of x count. */
static inline __attribute__((__unused__)) int32_t tm_inverse_root_s64(int64_t x)
{
    int8_t right = 0;
    for (; x > INT32_MAX; x >>= 2)
        right++;
    const int32_t root = tm_inverse_root_s32((int32_t)x);
    return right == 0 ? root : ((root >> (right - 1)) + 1) >> 1;
}
#endif
