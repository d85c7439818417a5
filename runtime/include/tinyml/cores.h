/* The instruction sets that composed kernels of 32-bit chips are written for: TM_CORE is 6 for ARMv6-M (Cortex-M0+), 7 for
 * ARMv7-M (M3), 8 with the DSP extension (M4, M7, M33), 32 for RISC-V with 32 registers and multiplication (RV32IM), and
 * 0 for every other machine, where they are plain C of the same bits.
 *
 * The caller knows that no sum leaves its type: |start| plus the sum of |w| * |x| fits, so the order does not matter.
 * Pointers need the alignment of their elements only. Matrices are stored row after row without gaps. Results overlap no
 * operand.
 *
 * Kernels in assembly are naked functions: the same instructions at every optimisation level. `noipa` because gcc must
 * not draw conclusions, such as which registers survive a call, from a body that it cannot see. */
#ifndef TINYML_CORES_H
#define TINYML_CORES_H
#ifdef __AVR__
#error "generated for a 32-bit chip: an AVR cannot read its constants; compile the model for target avr"
#endif
#include <stdint.h>

#if defined(__riscv_mul) && __riscv_xlen == 32 && !defined(__riscv_32e)
#define TM_CORE 32
#elif !defined(__ARM_ARCH_PROFILE) || __ARM_ARCH_PROFILE != 'M' || defined(__ARM_BIG_ENDIAN) || \
    (defined(__thumb2__) && !defined(__ARM_FEATURE_UNALIGNED))
#define TM_CORE 0
#elif !defined(__thumb2__)
#define TM_CORE 6
#elif !defined(__ARM_FEATURE_DSP)
#define TM_CORE 7
#else
#define TM_CORE 8
#endif

#if defined(__GNUC__) && !defined(__clang__)
#define TM_NAKED __attribute__((naked, noipa, unused))
#define TM_SHARED __attribute__((noinline, noclone, unused))
#else
#define TM_NAKED __attribute__((naked, noinline, unused))
#define TM_SHARED __attribute__((noinline, unused))
#endif

/* A number of a weight stream. */
static inline __attribute__((__unused__)) int32_t tm_number(const int8_t *at)
{
    const uint32_t high = (uint32_t)(uint8_t)at[3] << 8 | (uint8_t)at[2];
    return (int32_t)(high << 16 | (uint32_t)(uint8_t)at[1] << 8 | (uint8_t)at[0]);
}
#endif
