/* A hand-written model that keeps the contract of generated C: scores = saturate(round(W X / 2^12)), label = argmax.
   W[row][column] = ((row * 37 + column * 101) % 211 - 105) * 64. */
#include "fixmodel.h"
#ifdef __AVR__
#include <avr/pgmspace.h>
#define READ16(address) ((int16_t)pgm_read_word(address))
#else
#define PROGMEM
#define READ16(address) (*(address))
#endif

#define ROW(r) W(r, 0), W(r, 1), W(r, 2), W(r, 3), W(r, 4), W(r, 5), W(r, 6), W(r, 7), \
    W(r, 8), W(r, 9), W(r, 10), W(r, 11), W(r, 12), W(r, 13), W(r, 14), W(r, 15)
#define W(r, c) (((r) * 37 + (c) * 101) % 211 - 105) * 64
static const int16_t weights[64] PROGMEM = {ROW(0), ROW(1), ROW(2), ROW(3)};

static uint8_t arena[8] __attribute__((aligned(4)));

int16_t fixmodel_predict(const int16_t *X) {
    int16_t *scores = (int16_t *)arena;
    int16_t best = 0;
    for (int16_t row = 0; row < 4; row++) {
        int32_t sum = 0;
        for (int16_t column = 0; column < 16; column++)
            sum += (int32_t)READ16(&weights[row * 16 + column]) * X[column];
        sum = (sum + 2048) >> 12;
        if (sum > 32767)
            sum = 32767;
        if (sum < -32768)
            sum = -32768;
        scores[row] = (int16_t)sum;
        if (scores[row] > scores[best])
            best = row;
    }
    return best;
}

const int16_t *fixmodel_scores(void) { return (const int16_t *)arena; }
