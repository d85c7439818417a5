/* Counts what an emulator executes. tm_on_block is its hook at the entry of every basic block.

   A step is the transition from one block to the next. The table holds the steps that need nothing but counting; all
   others, the first beyond the limit, and one in a million, so that Python sees signals, are left to `other`. */
#include <stdint.h>

typedef struct {
  uint64_t address;
  uint32_t size, from, to, instructions, cycles; /* from, to: numbers of blocks; a free row has `to` 0 */
} tm_step;

typedef struct {
  uint64_t executed, cycles, limit;
  tm_step *steps; /* mask + 1 rows, a power of two, of which some are free */
  void (*other)(void); /* enters the block `address` of `size` bytes */
  uint64_t address;
  uint32_t size, at, mask, entered;
} tm_counts;

static tm_step *tm_row(tm_counts *counts, uint64_t address, uint32_t size, uint32_t from) {
  uint32_t row = ((uint32_t)(address >> 1) ^ from * 40503u) * 2654435761u >> 8;
  for (;; ++row) {
    tm_step *step = &counts->steps[row & counts->mask];
    if (!step->to || (step->address == address && step->size == size && step->from == from)) return step;
  }
}

void tm_add(tm_counts *counts, const tm_step *step) {
  *tm_row(counts, step->address, step->size, step->from) = *step;
}

void tm_on_block(void *emulator, uint64_t address, uint32_t size, tm_counts *counts) {
  const tm_step *step = tm_row(counts, address, size, counts->at);
  (void)emulator;
  if (!step->to || counts->executed + step->instructions > counts->limit || !(++counts->entered & 0xFFFFF)) {
    counts->address = address;
    counts->size = size;
    counts->other();
    return;
  }
  counts->executed += step->instructions;
  counts->cycles += step->cycles;
  counts->at = step->to;
}
