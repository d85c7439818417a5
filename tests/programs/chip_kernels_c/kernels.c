/* Runs the kernel that its input asks for, by a case of cases.h. The input: kernel, n (2 bytes), offsets of w and of x in bytes, bytes of w (2
 * bytes) and of x (2 bytes); 8 starts (4 bytes each); w; x; gaps. */
#include "kernels.h"
#include "composed.h"

#define ROWS 8
static int32_t results[ROWS];
uint32_t weights[640], vector[160];
const int32_t *kernels_scores(void) { return results; }

static uint16_t half(const int8_t *at) { return (uint16_t)((uint8_t)at[0] | (uint8_t)at[1] << 8); }

static int32_t word(const int8_t *at) { return (int32_t)((uint32_t)half(at + 2) << 16 | half(at)); }

static const void *place(uint32_t *buffer, int8_t offset, const int8_t *from, uint16_t bytes)
{
    int8_t *to = (int8_t *)buffer + offset;
    for (uint16_t i = 0; i < bytes; i++)
        to[i] = from[i];
    return to;
}

void kernels_predict(const int8_t *X)
{
    uint16_t n = half(X + 1), w_bytes = half(X + 5), x_bytes = half(X + 7);
    int32_t starts[ROWS];
    for (int i = 0; i < ROWS; i++)
        starts[i] = results[i] = word(X + 9 + 4 * i);
    const void *w = place(weights, X[3], X + 41, w_bytes), *x = place(vector, X[4], X + 41 + w_bytes, x_bytes);
    const int8_t *gaps = X + 41 + w_bytes + x_bytes;
    int64_t sum64 = (int64_t)((uint64_t)(uint32_t)starts[1] << 32 | (uint32_t)starts[0]);
    switch (X[0]) {
#include "cases.h"
    }
    (void)gaps, (void)sum64;
}
