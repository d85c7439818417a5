/* What the emulated RISC-V runs: the reset. */
#include "tm_emulated.h"
#include "tm_memory.h"

__attribute__((naked)) void tm_reset(void) {
    __asm__ volatile(".option push\n\t.option norelax\n\tla gp, __global_pointer$\n\t.option pop\n\t"
                     "la sp, tm_stack_top\n\tj tm_set_up");
}

TM_HARNESS __attribute__((used)) void tm_set_up(void);
void tm_set_up(void) { tm_start(); }
