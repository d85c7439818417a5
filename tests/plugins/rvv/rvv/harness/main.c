/* The start of a program in QEMU's machine virt, the handler of faults, and calls of the host by semihosting. */
#include <stdint.h>

/* An address beyond the RAM of boards and all stacks. */
#define TM_STATE_AT 0x83ff0000

/* The mnemonic with which the harness copies registers on all chips. */
__asm__(".macro mov to, from\n\tmv \\to, \\from\n\t.endm");

#include "tm_memory.h"
#include "tm_semihosted.h"

enum { TM_OPEN = 1, TM_WRITE = 5, TM_READ = 6, TM_EXIT = 0x20 };
enum { TM_READ_BYTES = 1, TM_WRITE_BYTES = 5, TM_WRITE_TEXT = 4, TM_STOPPED = 0x20026 };

TM_INLINE int32_t tm_host(int32_t operation, const void *operands) {
    register int32_t a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = operands;
    __asm__ volatile(".option push\n\t.option norvc\n\tslli zero, zero, 31\n\tebreak\n\tsrai zero, zero, 7\n\t"
                     ".option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return a0;
}

TM_INLINE int32_t tm_host3(int32_t operation, uint32_t first, uint32_t second, uint32_t third) {
    const volatile uint32_t operands[] = {first, second, third};
    return tm_host(operation, (const void *)operands);
}

TM_INLINE int32_t tm_open(const char *name, uint32_t length, int written) {
    return tm_host3(TM_OPEN, (uint32_t)name, written ? TM_WRITE_BYTES : TM_READ_BYTES, length);
}

TM_INLINE void tm_read_file(int32_t file, void *to, uint32_t bytes) {
    tm_host3(TM_READ, (uint32_t)file, (uint32_t)to, bytes);
}

TM_INLINE void tm_write_file(int32_t file, const void *from, uint32_t bytes) {
    tm_host3(TM_WRITE, (uint32_t)file, (uint32_t)from, bytes);
}

TM_INLINE void tm_exit(const char *text, uint32_t length) {
    if (length > 0) {
        /* A file of this name, opened to append, is standard error. */
        TM_TEXT(terminal, ":tt");
        tm_write_file(tm_host3(TM_OPEN, (uint32_t)terminal, 8, 3), text, length);
    }
    tm_host3(TM_EXIT, TM_STOPPED, length > 0, 0);
}

TM_HARNESS void tm_set_up(void);
void tm_set_up(void) { tm_start(); }

/* Execution starts at the first byte of flash. mstatus enables vector instructions. A fault leads to tm_crash, with a
 * separate stack, since the stack of a crashed program may be unusable. */
__asm__(".section .vectors, \"ax\"\n"
        "tm_begun:\n\t"
        "li t0, 0x600\n\t"
        "csrs mstatus, t0\n\t"
        "la t0, tm_fault\n\t"
        "csrw mtvec, t0\n\t"
        ".option push\n\t.option norelax\n\t"
        "la gp, __global_pointer$\n\t"
        ".option pop\n\t"
        "la sp, tm_stack_top\n\t"
        "j tm_set_up\n\t"
        ".balign 4\n"
        "tm_fault:\n\t"
        "csrr a0, mepc\n\t"
        "li sp, 0x83ff8000\n\t"
        "j tm_crash\n\t"
        ".previous");
