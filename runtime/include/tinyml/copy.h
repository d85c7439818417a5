/* A copy of working memory, by words where the processor loads words from its addresses, else four bytes at a time. */
#ifndef TINYML_COPY_H
#define TINYML_COPY_H
#include <stdint.h>

/* Speed at every level: gcc -Os would save few bytes. No copy becomes a call of memcpy, which not every program has. */
#if defined(__GNUC__) && !defined(__clang__)
#define TM_COPY \
    __attribute__((__noinline__, __noclone__, __unused__, __optimize__("O2", "no-tree-loop-distribute-patterns")))
#else
#define TM_COPY __attribute__((__noinline__, __unused__))
#endif
/* Advances the pointers, which gcc would otherwise compute anew from n. */
#define TM_MOVE_ON(BYTES) \
    do { \
        t += (BYTES), f += (BYTES), n -= (BYTES); \
        __asm__("" : "+r"(t), "+r"(f), "+r"(n)); \
    } while (0)

#if defined(__ARM_FEATURE_UNALIGNED) || defined(__x86_64__) || defined(__aarch64__)
#define TM_ANY_ADDRESS 1
typedef uint32_t __attribute__((__may_alias__, __aligned__(1))) tm_word;
#else
#define TM_ANY_ADDRESS 0
typedef uint32_t __attribute__((__may_alias__)) tm_word;
#endif

/* Copies n >= 0 bytes; the ranges do not overlap. */
static TM_COPY void tm_copy(void *to, const void *from, int n)
{
#ifdef __AVR__
    /* Two bytes per iteration; with an odd number the loop is entered in the middle. */
    __asm__ volatile("sbrc %A[n],0\n\trjmp 1f\n\trjmp 2f\n0:\tld r0,X+\n\tst Z+,r0\n1:\tld r0,X+\n\tst Z+,r0\n"
                     "2:\tsbiw %[n],2\n\tbrcc 0b" : [n] "+w"(n), "+x"(from), "+z"(to) : : "r0", "memory");
#else
    uint8_t *t = (uint8_t *)to;
    const uint8_t *f = (const uint8_t *)from;
    if (TM_ANY_ADDRESS || (((uintptr_t)t | (uintptr_t)f) & 3) == 0) {
        while (n >= 16) {
            const tm_word *w = (const tm_word *)f;
            tm_word *v = (tm_word *)t;
            const uint32_t a = w[0], b = w[1], c = w[2], d = w[3];
            v[0] = a;
            v[1] = b;
            v[2] = c;
            v[3] = d;
            TM_MOVE_ON(16);
        }
        while (n >= 4) {
            *(tm_word *)t = *(const tm_word *)f;
            TM_MOVE_ON(4);
        }
    }
    while (n >= 4) {
        const uint8_t a = f[0], b = f[1], c = f[2], d = f[3];
        t[0] = a;
        t[1] = b;
        t[2] = c;
        t[3] = d;
        TM_MOVE_ON(4);
    }
    if (n == 0)
        return;
    if (n & 2) {
        const uint8_t a = f[0], b = f[1];
        t[0] = a;
        t[1] = b;
        TM_MOVE_ON(2);
    }
    if (n & 1)
        *t = *f;
#endif
}
#endif
