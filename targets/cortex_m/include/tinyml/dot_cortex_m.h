/* Dot products of int8_t and int16_t, exact, for Cortex-M0+ (ARMv6-M), M3 (ARMv7-M) and
 * M4, M7, M33 (the DSP extension); plain C of the same bits for every other machine but AVR, whose weights lie in an
 * address space of their own.
 *
 * The caller knows that no sum leaves its type: |start| plus the sum of |w| * |x| fits, so the order does not matter.
 * Pointers need the alignment of their elements only. Matrices are stored row after row without gaps; on an M4 one of
 * int16_t is fastest when it is aligned to 4 bytes and its rows have an even length. Results overlap no operand.
 *
 * The kernels are naked functions: the same instructions at every optimisation level. `noipa` because gcc must conclude
 * nothing, such as which registers survive a call, from a body that it cannot see. */
#ifndef TINYML_DOT_CORTEX_M_H
#define TINYML_DOT_CORTEX_M_H
#ifdef __AVR__
#error "generated for Cortex-M: an AVR cannot read its constants; compile the model for target avr"
#else
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#define TM_SHARED __attribute__((noinline, noclone, unused))
#define TM_NAKED __attribute__((naked, noipa, unused))
#else
#define TM_SHARED __attribute__((noinline, unused))
#define TM_NAKED __attribute__((naked, noinline, unused))
#endif

#if !defined(__ARM_ARCH_PROFILE) || __ARM_ARCH_PROFILE != 'M' || defined(__ARM_BIG_ENDIAN) || \
    (defined(__thumb2__) && !defined(__ARM_FEATURE_UNALIGNED))
#define TM_PLAIN_C 1
#endif

#if !defined(TM_PLAIN_C) && !defined(__thumb2__)
/* ARMv6-M. r0 to r3 stand behind the rows and r4 behind x; r5 counts up to zero in bytes of w, so that the addition
 * which moves it also ends the loop; r8 to r11 are the sums, as adding to a high register is one instruction too. */
#define TM_KERNEL TM_NAKED
#define TM_ROW(ROW, SUM, LOAD) LOAD " r7, [" ROW ", r5]\n\tmuls r7, r6, r7\n\tadd " SUM ", " SUM ", r7\n\t"
#define TM_ROWS1(LOAD) TM_ROW("r0", "r3", LOAD)
#define TM_ROWS4(LOAD)                                                                                                 \
    TM_ROW("r0", "r8", LOAD) TM_ROW("r1", "r9", LOAD) TM_ROW("r2", "r10", LOAD) TM_ROW("r3", "r11", LOAD)
#define TM_SUM64(LOAD)                                                                                                 \
    LOAD " r7, [r0, r5]\n\tmuls r7, r6, r7\n\tasrs r6, r7, #31\n\tadds r2, r2, r7\n\tadcs r3, r3, r6\n\t"
#define TM_LOOP(LOAD_X, ROWS, STEP) "beq 2f\n1:\n\t" LOAD_X ROWS "adds r5, r5, #" STEP "\n\tbne 1b\n2:\n\t"

#define TM_DOT(BEHIND_X, LOAD_X, LOAD_W, STEP)                                                                         \
    __asm__ volatile(".syntax unified\n\tpush {r4, r5, r6, r7, lr}\n\t" BEHIND_X                                       \
                     "adds r0, r0, r2\n\trsbs r5, r2, #0\n\t" TM_LOOP(LOAD_X, TM_ROWS1(LOAD_W), STEP)                  \
                     "mov r0, r3\n\tpop {r4, r5, r6, r7, pc}")
#define TM_DOT64(BEHIND_X, LOAD_X, LOAD_W, STEP)                                                                       \
    __asm__ volatile(".syntax unified\n\tpush {r4, r5, r6, r7, lr}\n\t" BEHIND_X                                       \
                     "adds r0, r0, r2\n\trsbs r5, r2, #0\n\tldr r2, [sp, #20]\n\tldr r3, [sp, #24]\n\tcmp r5, #0\n\t"  \
                     TM_LOOP(LOAD_X, TM_SUM64(LOAD_W), STEP)                                                           \
                     "mov r0, r2\n\tmov r1, r3\n\tpop {r4, r5, r6, r7, pc}")
#define TM_LOW_FROM_HIGH "mov r4, r8\n\tmov r5, r9\n\tmov r6, r10\n\tmov r7, r11\n\t"
#define TM_HIGH_FROM_LOW "mov r8, r4\n\tmov r9, r5\n\tmov r10, r6\n\tmov r11, r7\n\t"
#define TM_DOT4(BEHIND_X, LOAD_X, LOAD_W, STEP)                                                                        \
    __asm__ volatile(".syntax unified\n\tpush {r4, r5, r6, r7, lr}\n\t" TM_LOW_FROM_HIGH "push {r4, r5, r6, r7}\n\t"   \
                     "ldmia r3!, {r4, r5, r6, r7}\n\t" TM_HIGH_FROM_LOW BEHIND_X                                       \
                     "adds r0, r0, r2\n\tadds r1, r0, r2\n\trsbs r5, r2, #0\n\t"                                       \
                     "subs r2, r1, r5\n\tsubs r3, r2, r5\n\tcmp r5, #0\n\t"                                            \
                     TM_LOOP(LOAD_X, TM_ROWS4(LOAD_W), STEP)                                                           \
                     TM_LOW_FROM_HIGH "ldr r0, [sp, #36]\n\tstmia r0!, {r4, r5, r6, r7}\n\t"                           \
                     "pop {r4, r5, r6, r7}\n\t" TM_HIGH_FROM_LOW "pop {r4, r5, r6, r7, pc}")
#define TM_S8_S8(BODY) BODY("adds r4, r1, r2\n\t", "ldrsb r6, [r4, r5]\n\t", "ldrsb", "1")
#define TM_S8_S16(BODY)                                                                                                \
    BODY("adds r4, r1, r2\n\tadds r4, r4, r2\n\t", "adds r6, r5, r5\n\tldrsh r6, [r4, r6]\n\t", "ldrsb", "1")
#define TM_S16_S16(BODY) BODY("lsls r2, r2, #1\n\tadds r4, r1, r2\n\t", "ldrsh r6, [r4, r5]\n\t", "ldrsh", "2")
#define TM_DOT64_S16_S16 TM_S16_S16(TM_DOT64)

/* r2 is where the entry stands in x, r0 and r1 are behind values and gaps, r5 counts up to zero, r4 is the sum. */
#define TM_SPARSE(BEHIND, SCALE, LOAD_X, LOAD_VALUE)                                                                   \
    __asm__ volatile(".syntax unified\n\tpush {r4, r5, r6, r7, lr}\n\tldr r4, [sp, #20]\n\t" BEHIND                    \
                     "adds r1, r1, r3\n\trsbs r5, r3, #0\n\tbeq 2f\n"                                                  \
                     "1:\n\tldrb r6, [r1, r5]\n\t" SCALE LOAD_X " r7, [r2, r6]\n\tadds r2, r2, r6\n\t" LOAD_VALUE      \
                     "muls r3, r7, r3\n\tadds r4, r4, r3\n\tadds r5, r5, #1\n\tbne 1b\n"                               \
                     "2:\n\tmov r0, r4\n\tpop {r4, r5, r6, r7, pc}")
#define TM_SPARSE_S8_S8 TM_SPARSE("adds r0, r0, r3\n\t", "", "ldrsb", "ldrsb r3, [r0, r5]\n\t")
#define TM_SPARSE_S8_S16 TM_SPARSE("adds r0, r0, r3\n\t", "lsls r6, r6, #1\n\t", "ldrsh", "ldrsb r3, [r0, r5]\n\t")
#define TM_SPARSE_S16_S16                                                                                              \
    TM_SPARSE("adds r0, r0, r3\n\tadds r0, r0, r3\n\t", "lsls r6, r6, #1\n\t", "ldrsh",                                \
              "adds r3, r5, r5\n\tldrsh r3, [r0, r3]\n\t")

#elif !defined(TM_PLAIN_C)
/* ARMv7-M. r0, r8, r9, r10 walk along the rows and r1 along x, r4 to r7 are the sums, r2 counts the columns that are
 * left: less 4 in blocks of four columns, which need the DSP extension, then in single ones. */
#define TM_KERNEL TM_NAKED
#define TM_ROWS1(ROW) ROW("r0", "r4")
#define TM_ROWS4(ROW) ROW("r0", "r4") ROW("r8", "r5") ROW("r9", "r6") ROW("r10", "r7")
#define TM_MLA8(ROW, SUM) "ldrsb r12, [" ROW "], #1\n\tmla " SUM ", r12, r3, " SUM "\n\t"
#define TM_MLA16(ROW, SUM) "ldrsh r12, [" ROW "], #2\n\tmla " SUM ", r12, r3, " SUM "\n\t"
#define TM_MLAL16(ROW, SUM) "ldrsh r12, [" ROW "], #2\n\tsmlal " SUM ", r5, r12, r3\n\t"
#define TM_X8 "ldrsb r3, [r1], #1\n\t"
#define TM_X16 "ldrsh r3, [r1], #2\n\t"
#define TM_COLUMNS(X, ROWS) "cbz r2, 9f\n8:\n\t" X ROWS "subs r2, r2, #1\n\tbne 8b\n9:\n\t"

#ifdef __ARM_FEATURE_DSP
/* Single words may be loaded from any address, pairs of them from multiples of 4 only. */
#define TM_BLOCK(LABEL, X, ROWS) LABEL ":\n\t" X ROWS "subs r2, r2, #4\n\tbge " LABEL "b\n\t"
#define TM_BLOCKS8(X, ROWS) "subs r2, r2, #4\n\tblt 2f\n" TM_BLOCK("1", X, ROWS) "2:\tadds r2, r2, #4\n\t"
#define TM_BLOCKS16(PAIRS, WORDS)                                                                                      \
    "orr r3, r0, r2, lsl #1\n\tsubs r2, r2, #4\n\tblt 3f\n\tlsls r3, r3, #30\n\tbne 2f\n"                              \
    TM_BLOCK("1", TM_XX16, PAIRS) "b 3f\n" TM_BLOCK("2", TM_XX16, WORDS) "3:\tadds r2, r2, #4\n\t"
#define TM_XX8 "ldr r11, [r1], #4\n\tsxtb16 r3, r11\n\tsxtb16 r11, r11, ror #8\n\t"
#define TM_XX16 "ldr r3, [r1], #4\n\tldr r11, [r1], #4\n\t"
/* Elements 0 and 2 into r3, 1 and 3 into r11, as SXTB16 parts bytes. */
#define TM_XX16_FOR_8                                                                                                  \
    "ldr r11, [r1], #4\n\tldr r12, [r1], #4\n\tpkhbt r3, r11, r12, lsl #16\n\tpkhtb r11, r12, r11, asr #16\n\t"
#define TM_SMLAD(SUM) "smlad " SUM ", r12, r3, " SUM "\n\tsmlad " SUM ", lr, r11, " SUM "\n\t"
#define TM_SMLALD(SUM) "smlald " SUM ", r5, r12, r3\n\tsmlald " SUM ", r5, lr, r11\n\t"
#define TM_QUAD8(ROW, SUM) "ldr lr, [" ROW "], #4\n\tsxtb16 r12, lr\n\tsxtb16 lr, lr, ror #8\n\t" TM_SMLAD(SUM)
#define TM_PAIRS16(ROW, SUM) "ldrd r12, lr, [" ROW "], #8\n\t" TM_SMLAD(SUM)
#define TM_WORDS16(ROW, SUM) "ldr r12, [" ROW "], #4\n\tldr lr, [" ROW "], #4\n\t" TM_SMLAD(SUM)
#define TM_PAIRS16L(ROW, SUM) "ldrd r12, lr, [" ROW "], #8\n\t" TM_SMLALD(SUM)
#define TM_WORDS16L(ROW, SUM) "ldr r12, [" ROW "], #4\n\tldr lr, [" ROW "], #4\n\t" TM_SMLALD(SUM)
#else
#define TM_BLOCKS8(X, ROWS) ""
#define TM_BLOCKS16(PAIRS, WORDS) ""
#endif

/* One row needs no stride. */
#define TM_DOT(STRIDE, LOOPS)                                                                                          \
    __asm__ volatile(".syntax unified\n\tpush {r4, r5, r11, lr}\n\tmov r4, r3\n\t" LOOPS(TM_ROWS1)                     \
                     "mov r0, r4\n\tpop {r4, r5, r11, pc}")
#define TM_DOT64(LOOPS)                                                                                                \
    __asm__ volatile(".syntax unified\n\tpush {r4, r5, r11, lr}\n\tldrd r4, r5, [sp, #16]\n\t" LOOPS(TM_ROWS1)         \
                     "mov r0, r4\n\tmov r1, r5\n\tpop {r4, r5, r11, pc}")
#define TM_DOT4(STRIDE, LOOPS)                                                                                         \
    __asm__ volatile(".syntax unified\n\tpush {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n\tldmia r3, {r4, r5, r6, r7}\n\t"\
                     "add r8, r0, " STRIDE "\n\tadd r9, r8, " STRIDE "\n\tadd r10, r9, " STRIDE "\n\t" LOOPS(TM_ROWS4) \
                     "ldr r3, [sp, #36]\n\tstmia r3, {r4, r5, r6, r7}\n\tpop {r4, r5, r6, r7, r8, r9, r10, r11, pc}")
#define TM_LOOPS_S8_S8(ROWS) TM_BLOCKS8(TM_XX8, ROWS(TM_QUAD8)) TM_COLUMNS(TM_X8, ROWS(TM_MLA8))
#define TM_LOOPS_S8_S16(ROWS) TM_BLOCKS8(TM_XX16_FOR_8, ROWS(TM_QUAD8)) TM_COLUMNS(TM_X16, ROWS(TM_MLA8))
#define TM_LOOPS_S16_S16(ROWS) TM_BLOCKS16(ROWS(TM_PAIRS16), ROWS(TM_WORDS16)) TM_COLUMNS(TM_X16, ROWS(TM_MLA16))
#define TM_LOOPS_S16_S16_S64(ROWS)                                                                                     \
    TM_BLOCKS16(ROWS(TM_PAIRS16L), ROWS(TM_WORDS16L)) TM_COLUMNS(TM_X16, ROWS(TM_MLAL16))
#define TM_S8_S8(BODY) BODY("r2", TM_LOOPS_S8_S8)
#define TM_S8_S16(BODY) BODY("r2", TM_LOOPS_S8_S16)
#define TM_S16_S16(BODY) BODY("r2, lsl #1", TM_LOOPS_S16_S16)
#define TM_DOT64_S16_S16 TM_DOT64(TM_LOOPS_S16_S16_S64)

#define TM_SPARSE(SCALE, LOAD_X, LOAD_VALUE)                                                                           \
    __asm__ volatile(".syntax unified\n\tldr r12, [sp]\n\tpush {r4, lr}\n\tcbz r3, 2f\n"                               \
                     "1:\n\tldrb r4, [r1], #1\n\tadd r2, r2, r4" SCALE "\n\t" LOAD_VALUE LOAD_X " lr, [r2]\n\t"        \
                     "mla r12, r4, lr, r12\n\tsubs r3, r3, #1\n\tbne 1b\n"                                             \
                     "2:\n\tmov r0, r12\n\tpop {r4, pc}")
#define TM_SPARSE_S8_S8 TM_SPARSE("", "ldrsb", "ldrsb r4, [r0], #1\n\t")
#define TM_SPARSE_S8_S16 TM_SPARSE(", lsl #1", "ldrsh", "ldrsb r4, [r0], #1\n\t")
#define TM_SPARSE_S16_S16 TM_SPARSE(", lsl #1", "ldrsh", "ldrsh r4, [r0], #2\n\t")

#else
#define TM_KERNEL TM_SHARED
#define TM_S8_S8(BODY) BODY
#define TM_S8_S16(BODY) BODY
#define TM_S16_S16(BODY) BODY
#define TM_DOT                                                                                                         \
    for (int i = 0; i < n; i++)                                                                                   \
        sum += (int32_t)w[i] * x[i];                                                                                   \
    return sum
#define TM_DOT64_S16_S16 TM_DOT
#define TM_DOT4                                                                                                        \
    for (uint8_t row = 0; row < 4; row++) {                                                                            \
        int32_t sum = start[row];                                                                                      \
        for (int i = 0; i < n; i++)                                                                               \
            sum += (int32_t)*w++ * x[i];                                                                               \
        sums[row] = sum;                                                                                               \
    }
#define TM_SPARSE                                                                                                      \
    for (; n > 0; n--) {                                                                                               \
        x += (uint8_t)*gaps++;                                                                                         \
        sum += (int32_t)*values++ * *x;                                                                                \
    }                                                                                                                  \
    return sum
#define TM_SPARSE_S8_S8 TM_SPARSE
#define TM_SPARSE_S8_S16 TM_SPARSE
#define TM_SPARSE_S16_S16 TM_SPARSE
#endif

/* The naked ones have no code that names their parameters. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* sum plus the n products. */
static TM_KERNEL int32_t tm_cm_dot_s8_s8_s32(const int8_t *w, const int8_t *x, int n, int32_t sum)
{
    TM_S8_S8(TM_DOT);
}

static TM_KERNEL int32_t tm_cm_dot_s8_s16_s32(const int8_t *w, const int16_t *x, int n, int32_t sum)
{
    TM_S8_S16(TM_DOT);
}

static TM_KERNEL int32_t tm_cm_dot_s16_s16_s32(const int16_t *w, const int16_t *x, int n, int32_t sum)
{
    TM_S16_S16(TM_DOT);
}

static TM_KERNEL int64_t tm_cm_dot_s16_s16_s64(const int16_t *w, const int16_t *x, int n, int64_t sum)
{
    TM_DOT64_S16_S16;
}

static inline int32_t tm_cm_dot_s16_s8_s32(const int16_t *w, const int8_t *x, int n, int32_t sum)
{
    return tm_cm_dot_s8_s16_s32(x, w, n, sum);
}

/* Row of a sparse matrix with n entries: each stands its gap of elements of x after the one before it. Gaps are
 * unsigned, in the type of all constants of 8 bits. */
static TM_KERNEL int32_t tm_cm_dot_sparse_s8_s8_s32(const int8_t *values, const int8_t *gaps, const int8_t *x,
                                                    int n, int32_t sum)
{
    TM_SPARSE_S8_S8;
}

static TM_KERNEL int32_t tm_cm_dot_sparse_s8_s16_s32(const int8_t *values, const int8_t *gaps, const int16_t *x,
                                                     int n, int32_t sum)
{
    TM_SPARSE_S8_S16;
}

static TM_KERNEL int32_t tm_cm_dot_sparse_s16_s16_s32(const int16_t *values, const int8_t *gaps, const int16_t *x,
                                                      int n, int32_t sum)
{
    TM_SPARSE_S16_S16;
}

/* Four consecutive rows of length n at w, each with its start; sums may be where start is. */
static TM_KERNEL void tm_cm_dot4_s8_s8_s32(const int8_t *w, const int8_t *x, int n,
                                           const int32_t *start, int32_t *sums)
{
    TM_S8_S8(TM_DOT4);
}

static TM_KERNEL void tm_cm_dot4_s8_s16_s32(const int8_t *w, const int16_t *x, int n,
                                            const int32_t *start, int32_t *sums)
{
    TM_S8_S16(TM_DOT4);
}

static TM_KERNEL void tm_cm_dot4_s16_s16_s32(const int16_t *w, const int16_t *x, int n,
                                             const int32_t *start, int32_t *sums)
{
    TM_S16_S16(TM_DOT4);
}
#pragma GCC diagnostic pop
/* Four channels at x, each with a row of n weights at w and its start; elements of a channel are `stride` apart. */
#define TM_CHANNELS                                                                                                    \
    const TM_W *w1 = w + n, *w2 = w1 + n, *w3 = w2 + n;                                                                \
    int32_t s0 = start[0], s1 = start[1], s2 = start[2], s3 = start[3];                                                \
    for (; n > 0; n--, x += stride) {                                                                                  \
        s0 += (int32_t)*w++ * x[0];                                                                                    \
        s1 += (int32_t)*w1++ * x[1];                                                                                   \
        s2 += (int32_t)*w2++ * x[2];                                                                                   \
        s3 += (int32_t)*w3++ * x[3];                                                                                   \
    }                                                                                                                  \
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3
#define TM_W int8_t
static TM_SHARED void tm_cm_channels4_s8_s8_s32(const int8_t *w, const int8_t *x, int n, int stride,
                                                const int32_t *start, int32_t *sums)
{
    TM_CHANNELS;
}

static TM_SHARED void tm_cm_channels4_s8_s16_s32(const int8_t *w, const int16_t *x, int n, int stride,
                                                 const int32_t *start, int32_t *sums)
{
    TM_CHANNELS;
}
#undef TM_W
#define TM_W int16_t
static TM_SHARED void tm_cm_channels4_s16_s16_s32(const int16_t *w, const int16_t *x, int n, int stride,
                                                  const int32_t *start, int32_t *sums)
{
    TM_CHANNELS;
}
#undef TM_W
#endif
#endif
