/* Copies of working memory by vector instructions. This header replaces the runtime's header of the same name. */
#ifndef TINYML_COPY_H
#define TINYML_COPY_H
#include <stdint.h>

/* Copies n >= 0 bytes; the ranges do not overlap. */
static inline __attribute__((__unused__)) void tm_copy(void *to, const void *from, int n)
{
#ifdef __riscv_vector
    int some;
    __asm__ volatile("1:\tvsetvli %[some], %[n], e8, m8, ta, ma\n\tvle8.v v0, (%[from])\n\tvse8.v v0, (%[to])\n\t"
                     "sub %[n], %[n], %[some]\n\tadd %[from], %[from], %[some]\n\tadd %[to], %[to], %[some]\n\t"
                     "bnez %[n], 1b"
                     : [some] "=&r"(some), [n] "+r"(n), [to] "+r"(to), [from] "+r"(from)
                     :
                     : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "vl", "vtype", "memory");
#else
    uint8_t *t = (uint8_t *)to;
    const uint8_t *f = (const uint8_t *)from;
    for (int i = 0; i < n; i++)
        t[i] = f[i];
#endif
}
#endif
