/* Runs the kernel that its input asks for. The input: kernel, n (2 bytes), offsets of w and of x in bytes, bytes of w (2
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
    case 0: results[0] = tm_cm_dot_s8_s8_s32(w, x, n, starts[0]); break;
    case 1: results[0] = tm_cm_dot_s8_s16_s32(w, x, n, starts[0]); break;
    case 2: results[0] = tm_cm_dot_s16_s16_s32(w, x, n, starts[0]); break;
    case 3:
        sum64 = tm_cm_dot_s16_s16_s64(w, x, n, sum64);
        results[0] = (int32_t)(uint32_t)sum64;
        results[1] = (int32_t)(sum64 >> 32);
        break;
    case 4: tm_cm_dot4_s8_s8_s32(w, x, n, starts, results); break;
    case 5: tm_cm_dot4_s8_s16_s32(w, x, n, starts, results); break;
    case 6: tm_cm_dot4_s16_s16_s32(w, x, n, starts, results); break;
    case 7: results[0] = tm_cm_dot_sparse_s8_s8_s32(w, gaps, x, n, starts[0]); break;
    case 8: results[0] = tm_cm_dot_sparse_s8_s16_s32(w, gaps, x, n, starts[0]); break;
    case 9: results[0] = tm_cm_dot_sparse_s16_s16_s32(w, gaps, x, n, starts[0]); break;
    case 10: results[0] = tm_cm_dot_s16_s8_s32(w, x, n, starts[0]); break;
    case 11: tm_cm_channels4_s8_s8_s32(w, x, n, 5, starts, results); break;
    case 12: tm_cm_channels4_s8_s16_s32(w, x, n, 5, starts, results); break;
    case 13: tm_cm_channels4_s16_s16_s32(w, x, n, 5, starts, results); break;
    }
}
