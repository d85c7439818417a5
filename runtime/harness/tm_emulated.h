/* The program of an emulated chip after its reset: sets up memory, then loops; results are shown at tm_mark, where the
   runner stops it. The chip's own file defines tm_reset, which calls tm_start. */
#ifndef TINYML_HARNESS_EMULATED_H
#define TINYML_HARNESS_EMULATED_H

#include "tm_harness.h"

extern uint32_t tm_data_start[], tm_data_end[], tm_data_image[], tm_bss_start[], tm_bss_end[], tm_stack_top[];
/* The runner does not count the instructions of this section. */
#ifdef __clang__
#define TM_HARNESS __attribute__((section(".harness"), noinline))
#else
#define TM_HARNESS __attribute__((section(".harness"), noinline, noclone))
#endif
TM_HARNESS void tm_reset(void);
TM_HARNESS void tm_mark(intptr_t value);
TM_HARNESS int main(void);

void tm_mark(intptr_t value) { __asm__ volatile("" : : "r"(value) : "memory"); }

#if TM_ROW_LENGTH > 0
/* The runner writes the row when the chip arrives here. */
TM_HARNESS void tm_row(TM_INPUT *to, uint16_t row) { __asm__ volatile("" : : "r"(to), "r"(row) : "memory"); }
#endif

int main(void) {
    tm_bind();
#if TM_WEIGHTS_BYTES > 0
    tm_mark((intptr_t)tm_weights());
#endif
    for (;;) {
#if TM_ROW_LENGTH > 0
        tm_mark(0);
#else
        tm_mark((intptr_t)tm_input());
#endif
#if TM_HAS_LABEL
        tm_mark(tm_predict_input());
#else
        tm_predict_input();
        tm_mark(0);
#endif
#if TM_OUTPUT_LENGTH > 0
        tm_mark((intptr_t)tm_scores());
#endif
#define TM_MORE(number, length) tm_mark((intptr_t)tm_output(number));
        TM_MORE_OUTPUTS
#undef TM_MORE
    }
}

static inline __attribute__((always_inline)) void tm_start(void) {
    const uint32_t *image = tm_data_image;
    for (uint32_t *to = tm_data_start; to < tm_data_end; to++)
        *to = *image++;
    for (uint32_t *to = tm_bss_start; to < tm_bss_end; to++)
        *to = 0;
    main();
}

#endif
