/* The start of a program on the chip pulse, and the two functions of a C library that compilers call. */
#include "tm_emulated.h"

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

__attribute__((naked)) void tm_reset(void) { __asm__ volatile("la sp, tm_stack_top\n\tj tm_set_up"); }

TM_HARNESS __attribute__((used)) void tm_set_up(void);
void tm_set_up(void) { tm_start(); }

/* The compiler must not replace the loops of these functions by calls of the functions themselves. */
__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memcpy(void *restrict to, const void *restrict from,
                                                                           size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    return to;
}

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memset(void *to, int value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = (unsigned char)value;
    return to;
}
