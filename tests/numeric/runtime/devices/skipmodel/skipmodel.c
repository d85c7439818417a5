/* Every skip instruction of the AVR over an ADIW or SBIW that simavr 1.6 takes for a two-word instruction; the
   addition of 1 behind it is what a skip too far loses. gcc -Os emits the first pair for a signed division by 64.
   The label is 1: no other result stands in a register at the return. */
#include "skipmodel.h"

static int16_t arena[5];

#define PAIR(index, skip, word)                                                                    \
    do {                                                                                           \
        int16_t value = X[0];                                                                      \
        __asm__ volatile("out 0x1e, %B0\n\t" skip "\n\t" word "\n\tadiw %0, 1" : "+w"(value));     \
        arena[index] = value;                                                                      \
    } while (0)

int16_t skipmodel_predict(const int16_t *X) {
    PAIR(0, "sbrc %B0, 7", "adiw %0, 63");
    PAIR(1, "sbrs %B0, 7", "sbiw %0, 44");
    PAIR(2, "cpse %A0, __zero_reg__", "adiw %0, 61");
    PAIR(3, "sbic 0x1e, 7", "sbiw %0, 62");
    PAIR(4, "sbis 0x1e, 7", "adiw %0, 12");
    return 1;
}

const int16_t *skipmodel_scores(void) { return arena; }
