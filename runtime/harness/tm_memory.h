/* The two functions of a C library that gcc calls of its own accord, for chips without one. */
#ifndef TINYML_HARNESS_MEMORY_H
#define TINYML_HARNESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t __attribute__((__may_alias__)) word;

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

/* Bytes up to where both addresses are aligned, then words, then bytes; gcc is not to make calls of these loops. */
__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memcpy(void *restrict to, const void *restrict from,
                                                                           size_t bytes) {
    unsigned char *a = to;
    const unsigned char *b = from;
    if ((((uintptr_t)a ^ (uintptr_t)b) & 3) == 0) {
        for (; bytes > 0 && ((uintptr_t)a & 3) != 0; bytes--)
            *a++ = *b++;
        for (; bytes >= 4; bytes -= 4, a += 4, b += 4)
            *(word *)(void *)a = *(const word *)(const void *)b;
    }
    for (; bytes > 0; bytes--)
        *a++ = *b++;
    return to;
}

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memset(void *to, int value, size_t bytes) {
    unsigned char *a = to;
    const uint32_t four = (unsigned char)value * 0x01010101u;
    for (; bytes > 0 && ((uintptr_t)a & 3) != 0; bytes--)
        *a++ = (unsigned char)value;
    for (; bytes >= 4; bytes -= 4, a += 4)
        *(word *)(void *)a = four;
    for (; bytes > 0; bytes--)
        *a++ = (unsigned char)value;
    return to;
}

#endif
