/* A move of working memory to lower addresses, by blocks of words where the processor loads several words at once. */
#ifndef TINYML_MOVE_H
#define TINYML_MOVE_H
#include "copy.h"

#if defined(__thumb2__)
#define TM_MOVE TM_COPY
#else
#define TM_MOVE inline __attribute__((__always_inline__, __unused__))
#endif

/* Moves n >= 0 bytes to a lower address; the ranges may overlap, as tm_copy copies in the order of addresses. */
static TM_MOVE void tm_move_down(void *to, const void *from, int n)
{
#if defined(__thumb2__)
    if (n >= 32 && (((uintptr_t)to | (uintptr_t)from) & 3) == 0)
        __asm__ volatile("subs %[n], %[n], #32\n1:\tldmia %[from]!, {r3, r4, r5, r6, r8, r9, r10, r12}\n\t"
                         "stmia %[to]!, {r3, r4, r5, r6, r8, r9, r10, r12}\n\t"
                         "subs %[n], %[n], #32\n\tbge 1b\n\tadds %[n], %[n], #32"
                         : [to] "+r"(to), [from] "+r"(from), [n] "+r"(n) : : "r3", "r4", "r5", "r6", "r8", "r9", "r10",
                         "r12", "cc", "memory");
#endif
    tm_copy(to, from, n);
}
#endif
