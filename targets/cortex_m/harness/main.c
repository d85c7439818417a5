/* What the emulated Cortex-M runs: vectors and reset. */
#include "tm_emulated.h"

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[2] = {(uintptr_t)tm_stack_top,
                                                                                (uintptr_t)tm_reset};

void tm_reset(void) {
#ifdef __ARM_FP
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20; /* CPACR: full access to the FPU */
    __asm__ volatile("dsb\n\tisb");
#endif
    tm_start();
}
