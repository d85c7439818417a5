/* Kernels for AVR, composed of instructions, and what enters them; plain C of the same bits for every other machine.
 *
 * The caller knows that no sum leaves its type: the magnitudes of the start and of all terms together fit, so the order
 * does not matter. A kernel is called by assembly: a sum comes in and goes out in registers, on to the next kernel, and
 * what the kernel changes is saved once, by the function around it. Its steps stand one after the other, several an
 * iteration; how many are left over of whole iterations, which the caller mostly knows beforehand, says where the first
 * one is entered. */
#ifndef TINYML_ENTER_H
#define TINYML_ENTER_H
#include <stdint.h>

#ifdef __AVR__
#define TM_CORE 2
#define TM_NAKED __attribute__((__naked__, __noinline__, __noclone__, __unused__))
#define TM_KERNEL static __attribute__((__naked__, __noinline__, __noclone__, __unused__)) void
/* Code that holds constants: LPM reads the first 64 KB of flash, which begin with such sections. */
#define TM_NEAR __attribute__((__section__(".progmem.gcc_tinyml")))
#ifndef __AVR_3_BYTE_PC__
#define TM_UPPER ""
#else
#define TM_UPPER "pop r0\n\t"
#endif
#define TM_INLINED inline __attribute__((__always_inline__))
#define TM_SHARED __attribute__((__noinline__, __noclone__, __unused__))
#define TM_INT24 __int24
/* Out of its register at once: gcc 5.4 lets a variable of it be the register, and other calls change that. */
#define TM_RETURN(S) \
    __typeof__(S) result = S; \
    __asm__("" : "+r"(result)); \
    return result;
/* Calls an instruction of a kernel, with its operands. */
#define TM_ENTER(PLACE, ...) __asm__ volatile("%~call %x[kernel]+" PLACE : __VA_ARGS__)
/* The same behind the steps, of so many bytes each, that N is short of whole iterations. */
#define TM_ENTER_1(N, BYTES, ...) TM_ENTER("1*" #BYTES, __VA_ARGS__);
#define TM_ENTER_2(N, BYTES, ...) \
    if ((N) % 2) { \
        TM_ENTER("1*" #BYTES, __VA_ARGS__); \
    } else { \
        TM_ENTER("2*" #BYTES, __VA_ARGS__); \
    }
#define TM_ENTER_4(N, BYTES, ...) \
    switch ((N) % 4) { \
    case 0: TM_ENTER("4*" #BYTES, __VA_ARGS__); break; \
    case 1: TM_ENTER("3*" #BYTES, __VA_ARGS__); break; \
    case 2: TM_ENTER("2*" #BYTES, __VA_ARGS__); break; \
    default: TM_ENTER("1*" #BYTES, __VA_ARGS__); break; \
    }
#define TM_ENTER_8(N, BYTES, ...) \
    TM_ENTER_8_AT(N, 1*BYTES, 2*BYTES, 3*BYTES, 4*BYTES, 5*BYTES, 6*BYTES, 7*BYTES, 8*BYTES, __VA_ARGS__)
/* The same where steps end at the places A, B and so on. */
#define TM_ENTER_6_AT(N, A, B, C, D, E, F, ...) \
    switch ((N) % 6) { \
    case 0: TM_ENTER(#F, __VA_ARGS__); break; \
    case 1: TM_ENTER(#E, __VA_ARGS__); break; \
    case 2: TM_ENTER(#D, __VA_ARGS__); break; \
    case 3: TM_ENTER(#C, __VA_ARGS__); break; \
    case 4: TM_ENTER(#B, __VA_ARGS__); break; \
    default: TM_ENTER(#A, __VA_ARGS__); break; \
    }
#define TM_ENTER_8_AT(N, A, B, C, D, E, F, G, H, ...) \
    switch ((N) % 8) { \
    case 0: TM_ENTER(#H, __VA_ARGS__); break; \
    case 1: TM_ENTER(#G, __VA_ARGS__); break; \
    case 2: TM_ENTER(#F, __VA_ARGS__); break; \
    case 3: TM_ENTER(#E, __VA_ARGS__); break; \
    case 4: TM_ENTER(#D, __VA_ARGS__); break; \
    case 5: TM_ENTER(#C, __VA_ARGS__); break; \
    case 6: TM_ENTER(#B, __VA_ARGS__); break; \
    default: TM_ENTER(#A, __VA_ARGS__); break; \
    }
#else
#define TM_CORE 0
#define TM_INLINED __attribute__((__unused__))
#define TM_SHARED __attribute__((__unused__))
#define TM_INT24 int32_t
#endif
#endif
