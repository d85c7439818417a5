/* What the simulated AVR runs. The driver stops at the entry and the return of all functions, fills in the weights
   and the input and reads their addresses, label and outputs by the calling convention, so nothing here costs RAM but the caller's array. */
#include "tm_harness.h"

#if TM_ROW_LENGTH > 0
/* The driver writes the row when it comes here. */
__attribute__((noinline, noclone)) void tm_row(TM_INPUT *to, uint16_t row) {
    __asm__ volatile("" : : "r"(to), "r"(row) : "memory");
}
#endif

int main(void) {
    tm_bind();
#if TM_WEIGHTS_BYTES > 0
    tm_weights();
#endif
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
