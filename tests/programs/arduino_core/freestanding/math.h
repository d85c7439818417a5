/* The macros of math.h that samples.h uses, for a compiler without a C library. */
#ifndef TEST_MATH_H
#define TEST_MATH_H
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#endif
