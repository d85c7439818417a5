/* What the simulated AVR runs. The driver stops at the entry and the return of all functions, fills in the input
   and reads label and outputs by the calling convention, so nothing here costs RAM but the caller's own input. */
#include "tm_harness.h"

extern TM_INPUT tm_input[TM_INPUT_LENGTH];
TM_INPUT tm_input[TM_INPUT_LENGTH];

int main(void) {
    for (;;) {
        tm_predict(tm_input);
#if TM_OUTPUT_LENGTH > 0
        tm_scores();
#endif
#define TM_MORE(number, length) tm_output(number)();
        TM_MORE_OUTPUTS
#undef TM_MORE
    }
}
