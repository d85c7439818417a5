/* What the emulated Cortex-M runs: vectors, startup, and a loop that shows its results at tm_mark, where the runner
   stops it. */
#include "tm_harness.h"

extern uint32_t tm_data_start[], tm_data_end[], tm_data_image[], tm_bss_start[], tm_bss_end[], tm_stack_top[];
extern TM_INPUT tm_input[TM_INPUT_LENGTH];
TM_INPUT tm_input[TM_INPUT_LENGTH];

/* The runner does not count the instructions of this section. */
#define HARNESS __attribute__((section(".harness"), noinline, noclone))
HARNESS void tm_reset(void);
HARNESS void tm_mark(intptr_t value);
HARNESS int main(void);

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[2] = {(uintptr_t)tm_stack_top,
                                                                                (uintptr_t)tm_reset};

void tm_mark(intptr_t value) { __asm__ volatile("" : : "r"(value) : "memory"); }

int main(void) {
    for (;;) {
        tm_mark(0);
#if TM_HAS_LABEL
        tm_mark(tm_predict(tm_input));
#else
        tm_predict(tm_input);
        tm_mark(0);
#endif
#if TM_OUTPUT_LENGTH > 0
        tm_mark((intptr_t)tm_scores());
#endif
    }
}

void tm_reset(void) {
#ifdef __ARM_FP
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20; /* CPACR: full access to the FPU */
    __asm__ volatile("dsb\n\tisb");
#endif
    const uint32_t *image = tm_data_image;
    for (uint32_t *to = tm_data_start; to < tm_data_end; to++)
        *to = *image++;
    for (uint32_t *to = tm_bss_start; to < tm_bss_end; to++)
        *to = 0;
    main();
}
