/* The loop that runs the model. The driver of simavr stops at the entry and the return of each function. */
#include "tm_harness.h"

#if TM_ROW_LENGTH > 0
__attribute__((noinline, noclone)) void tm_row(TM_INPUT *to, uint16_t row) {
    __asm__ volatile("" : : "r"(to), "r"(row) : "memory");
}
#endif

/* Called by the compiler's checks after an overflow. The opcode is one that simavr rejects. */
void abort(void);
void abort(void) {
    for (;;)
        __asm__ volatile(".word 0x0001");
}

int main(void) {
    for (;;) {
#if TM_IN_OWN_BUFFER
        tm_input();
#endif
        tm_predict_input();
#if TM_OUTPUT_LENGTH > 0
        tm_scores();
#endif
#define TM_MORE(number, length) (void)tm_output(number);
        TM_MORE_OUTPUTS
#undef TM_MORE
    }
}
