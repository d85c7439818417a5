/* tm_limit_iN_iM: x / 2^right, rounded down and limited to [1 - 2^(bits - 1), 2^(bits - 1) - 1]. `right` and `bits`, at
 * most M, are constants. */
#ifndef TINYML_LIMIT_H
#define TINYML_LIMIT_H
#include <stdint.h>

/* Always inlined: constant `right` and `bits` leave little code. */
#define TM_LIMITED inline __attribute__((__always_inline__, __unused__))

#ifdef __AVR__

/* Up to three bits are dropped by right shifts; four to seven by left shifts that complete a whole byte, as long as the
 * sign is not lost. The result is then HIGH, or HIGH and LOW; bytes above have to repeat its sign. */
#define TM_LIMIT_RIGHT(SHIFT) ".rept %[right]\n\t" SHIFT ".endr\n\t"
#define TM_LIMIT_LEFT(SHIFT) ".rept %[left]\n\t" SHIFT "brvs 1f\n\t.endr\n\t"
#define TM_LIMIT_SIGN(HIGH) "mov r0," HIGH "\n\tlsl r0\n\tsbc r0,r0\n\t"
#define TM_LIMIT_ABOVE(BYTE) "cpse r0," BYTE "\n\trjmp 0f\n\t"
#define TM_LIMIT_SPARE(HIGH) \
    ".if %[spare]\n\tmov r0," HIGH "\n\t.rept %[spare]\n\tlsl r0\n\tbrvs 1f\n\t.endr\n\t.endif\n\t"
#define TM_LIMIT_8(HIGH, TOP) \
    TM_LIMIT_SPARE(HIGH) "cpi " HIGH ",lo8(%[least])\n\tbrne 2f\n0:\ttst " TOP "\n" \
    "1:\tldi " HIGH ",lo8(-1-(%[least]))\n\tbrge 2f\n\tldi " HIGH ",lo8(1+(%[least]))\n2:"
#define TM_LIMIT_16(LOW, HIGH, TOP) \
    TM_LIMIT_SPARE(HIGH) "cpi " HIGH ",hi8(%[least])\n\tbrne 2f\n\ttst " LOW "\n\tbrne 2f\n0:\ttst " TOP "\n" \
    "1:\tldi " LOW ",0xff\n\tldi " HIGH ",hi8(-1-(%[least]))\n\t" \
    "brge 2f\n\tldi " LOW ",1\n\tldi " HIGH ",hi8(%[least])\n2:"

/* The result begins at byte 0, or at byte P. */
#define TM_LIMIT_AT_0(TYPE, RIGHT, ...) \
    if (right < 4) { \
        TM_LIMIT_TEXT(TM_LIMIT_RIGHT(RIGHT) __VA_ARGS__) \
        return (TYPE)x; \
    }
#define TM_LIMIT_AT(P, ...) \
    if (right < 8 * P + 4) { \
        TM_LIMIT_LAST(P, __VA_ARGS__) \
    }
#define TM_LIMIT_LAST(P, MOVE, RIGHT, LEFT, ...) \
    if (right < 8 * P) \
        TM_LIMIT_TEXT(TM_LIMIT_LEFT(LEFT) __VA_ARGS__) \
    else \
        TM_LIMIT_TEXT(TM_LIMIT_RIGHT(RIGHT) __VA_ARGS__) \
    MOVE; \
    return y;
#define TM_LIMIT_TEXT(TEXT) \
    __asm__(TEXT : "+d"(x) : [left] "n"(8 - right % 8), [right] "n"(right % 8), [spare] "n"(8 * sizeof y - bits), \
        [least] "n"(-1L << (bits - 1)) : "r0");
#define TM_LIMIT_MOVE(TEXT) __asm__(TEXT : "=&r"(y) : "r"(x))

static TM_LIMITED int8_t tm_limit_i16_i8(int16_t x, uint8_t right, uint8_t bits)
{
    int8_t y;
    TM_LIMIT_AT_0(int8_t, "asr %B0\n\tror %A0\n\t",
        TM_LIMIT_SIGN("%A0") TM_LIMIT_ABOVE("%B0") TM_LIMIT_8("%A0", "%B0"))
    TM_LIMIT_LAST(1, TM_LIMIT_MOVE("mov %0,%B1"), "asr %B0\n\t", "lsl %A0\n\trol %B0\n\t", TM_LIMIT_8("%B0", "%B0"))
}

static TM_LIMITED int8_t tm_limit_i24_i8(__int24 x, uint8_t right, uint8_t bits)
{
    int8_t y;
    TM_LIMIT_AT_0(int8_t, "asr %C0\n\tror %B0\n\tror %A0\n\t",
        TM_LIMIT_SIGN("%A0") TM_LIMIT_ABOVE("%B0") TM_LIMIT_ABOVE("%C0") TM_LIMIT_8("%A0", "%C0"))
    TM_LIMIT_AT(1, TM_LIMIT_MOVE("mov %0,%B1"), "asr %C0\n\tror %B0\n\t", "lsl %A0\n\trol %B0\n\trol %C0\n\t",
        TM_LIMIT_SIGN("%B0") TM_LIMIT_ABOVE("%C0") TM_LIMIT_8("%B0", "%C0"))
    TM_LIMIT_LAST(2, TM_LIMIT_MOVE("mov %0,%C1"), "asr %C0\n\t", "lsl %B0\n\trol %C0\n\t", TM_LIMIT_8("%C0", "%C0"))
}

static TM_LIMITED int8_t tm_limit_i32_i8(int32_t x, uint8_t right, uint8_t bits)
{
    int8_t y;
    TM_LIMIT_AT_0(int8_t, "asr %D0\n\tror %C0\n\tror %B0\n\tror %A0\n\t",
        TM_LIMIT_SIGN("%A0") TM_LIMIT_ABOVE("%B0") TM_LIMIT_ABOVE("%C0") TM_LIMIT_ABOVE("%D0") TM_LIMIT_8("%A0", "%D0"))
    TM_LIMIT_AT(1, TM_LIMIT_MOVE("mov %0,%B1"), "asr %D0\n\tror %C0\n\tror %B0\n\t",
        "lsl %A0\n\trol %B0\n\trol %C0\n\trol %D0\n\t",
        TM_LIMIT_SIGN("%B0") TM_LIMIT_ABOVE("%C0") TM_LIMIT_ABOVE("%D0") TM_LIMIT_8("%B0", "%D0"))
    TM_LIMIT_AT(2, TM_LIMIT_MOVE("mov %0,%C1"), "asr %D0\n\tror %C0\n\t", "lsl %B0\n\trol %C0\n\trol %D0\n\t",
        TM_LIMIT_SIGN("%C0") TM_LIMIT_ABOVE("%D0") TM_LIMIT_8("%C0", "%D0"))
    TM_LIMIT_LAST(3, TM_LIMIT_MOVE("mov %0,%D1"), "asr %D0\n\t", "lsl %C0\n\trol %D0\n\t", TM_LIMIT_8("%D0", "%D0"))
}

static TM_LIMITED int16_t tm_limit_i24_i16(__int24 x, uint8_t right, uint8_t bits)
{
    int16_t y;
    TM_LIMIT_AT_0(int16_t, "asr %C0\n\tror %B0\n\tror %A0\n\t",
        TM_LIMIT_SIGN("%B0") TM_LIMIT_ABOVE("%C0") TM_LIMIT_16("%A0", "%B0", "%C0"))
    TM_LIMIT_LAST(1, TM_LIMIT_MOVE("mov %A0,%B1\n\tmov %B0,%C1"), "asr %C0\n\tror %B0\n\t",
        "lsl %A0\n\trol %B0\n\trol %C0\n\t", TM_LIMIT_16("%B0", "%C0", "%C0"))
}

/* r22 to r25 hold the sum that kernels of dense rows return. */
static TM_LIMITED int16_t tm_limit_i32_i16(int32_t sum, uint8_t right, uint8_t bits)
{
    register int32_t x __asm__("r22") = sum;
    int16_t y;
    TM_LIMIT_AT_0(int16_t, "asr %D0\n\tror %C0\n\tror %B0\n\tror %A0\n\t",
        TM_LIMIT_SIGN("%B0") TM_LIMIT_ABOVE("%C0") TM_LIMIT_ABOVE("%D0") TM_LIMIT_16("%A0", "%B0", "%D0"))
    TM_LIMIT_AT(1, TM_LIMIT_MOVE("mov %A0,%B1\n\tmov %B0,%C1"), "asr %D0\n\tror %C0\n\tror %B0\n\t",
        "lsl %A0\n\trol %B0\n\trol %C0\n\trol %D0\n\t",
        TM_LIMIT_SIGN("%C0") TM_LIMIT_ABOVE("%D0") TM_LIMIT_16("%B0", "%C0", "%D0"))
    TM_LIMIT_LAST(2, TM_LIMIT_MOVE("movw %A0,%C1"), "asr %D0\n\tror %C0\n\t", "lsl %B0\n\trol %C0\n\trol %D0\n\t",
        TM_LIMIT_16("%C0", "%D0", "%D0"))
}
#else
#if defined(__ARM_FEATURE_SAT) && defined(__OPTIMIZE__)
/* SSAT shifts and limits at once, but to [-2^(bits - 1), 2^(bits - 1) - 1]. */
#define TM_LIMIT_SSAT(SHIFT) __asm__("ssat %0, %2, %1" SHIFT : "=r"(y) : "r"(x), "n"(bits), "n"(right))
static TM_LIMITED int16_t tm_limited(int32_t x, uint8_t right, uint8_t bits)
{
    int32_t y;
    if (right == 0)
        TM_LIMIT_SSAT("");
    else
        TM_LIMIT_SSAT(", asr %3");
    if (y == -((int32_t)1 << (bits - 1)))
        y++;
    return (int16_t)y;
}
#else
static TM_LIMITED int16_t tm_limited(int32_t x, uint8_t right, uint8_t bits)
{
    if (bits <= 8) {
        /* A single comparison with a short constant: registers are scarce in loops that call kernels. */
        const int32_t most = ((int32_t)1 << (bits - 1)) - 1;
        int32_t y = x >> right;
        if (__builtin_expect((uint32_t)y + (uint32_t)most > 2 * (uint32_t)most, 0))
            y = y < 0 ? -most : most;
        return (int16_t)y;
    }
    const int32_t most = (int32_t)(((int64_t)1 << (bits + right - 1)) - 1);
    const int32_t least = -most - 1 + (int32_t)((int32_t)1 << right);
    return (int16_t)((x < least ? least : x > most ? most : x) >> right);
}
#endif

#define tm_limit_i32_i16(x, right, bits) tm_limited(x, right, bits)
#define tm_limit_i24_i16(x, right, bits) tm_limited(x, right, bits)
#define tm_limit_i32_i8(x, right, bits) ((int8_t)tm_limited(x, right, bits))
#define tm_limit_i24_i8(x, right, bits) ((int8_t)tm_limited(x, right, bits))
#define tm_limit_i16_i8(x, right, bits) ((int8_t)tm_limited(x, right, bits))
#endif
#endif
