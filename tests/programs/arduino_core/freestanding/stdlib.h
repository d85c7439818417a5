/* The function of stdlib.h that sketches call, for a compiler without a C library. */
#ifndef TEST_STDLIB_H
#define TEST_STDLIB_H
#ifdef __cplusplus
extern "C"
#endif
double atof(const char *text);
#endif
