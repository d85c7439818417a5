/* The functions of string.h that sketches call, for a compiler without a C library. */
#ifndef TEST_STRING_H
#define TEST_STRING_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
#ifdef __cplusplus
}
#endif
#endif
