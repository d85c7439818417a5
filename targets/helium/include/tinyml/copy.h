/* A copy of working memory by vectors, in place of the runtime's header of this name. */
#ifndef TINYML_COPY_H
#define TINYML_COPY_H
#include <stdint.h>

/* Copies n >= 0 bytes; the ranges do not overlap. */
static inline __attribute__((__unused__)) void tm_copy(void *to, const void *from, int n)
{
#ifdef __ARM_FEATURE_MVE
    /* The loop predicates the last vector by itself. */
    __asm__ volatile("wlstp.8 lr, %[n], 2f\n1:\n\tvldrb.u8 q0, [%[from]], #16\n\tvstrb.8 q0, [%[to]], #16\n\t"
                     "letp lr, 1b\n2:"
                     : [to] "+r"(to), [from] "+r"(from)
                     : [n] "r"(n)
                     : "lr", "s0", "s1", "s2", "s3", "memory");
#else
    uint8_t *t = (uint8_t *)to;
    const uint8_t *f = (const uint8_t *)from;
    for (int i = 0; i < n; i++)
        t[i] = f[i];
#endif
}
#endif
