/* What runs in QEMU's machine mps3-an547: the reset, the handler of faults, and the calls of the host by Arm's semihosting
 * (ARM DUI 0471). */
#include <stdint.h>

/* The data TCM, which programs do not use. */
#define TM_STATE_AT 0x20000000
#define TM_STACK_OF_FAULTS "0x20008000"

#include "tm_semihosted.h"

enum { TM_OPEN = 0x01, TM_WRITE0 = 0x04, TM_WRITE = 0x05, TM_READ = 0x06, TM_EXIT = 0x20 };
enum { TM_READ_BINARY = 1, TM_WRITE_BINARY = 5, TM_STOPPED = 0x20026 };
TM_HARNESS void tm_fault(void);
TM_HARNESS void tm_fault_at(const uint32_t *frame);

TM_INLINE int32_t tm_host(int32_t operation, const void *arguments) {
    register int32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

TM_INLINE int32_t tm_open(const char *name, uint32_t length, int written) {
    const uint32_t arguments[] = {(uint32_t)name, written ? TM_WRITE_BINARY : TM_READ_BINARY, length};
    return tm_host(TM_OPEN, arguments);
}

TM_INLINE void tm_read_file(int32_t file, void *to, uint32_t bytes) {
    const uint32_t arguments[] = {(uint32_t)file, (uint32_t)to, bytes};
    tm_host(TM_READ, arguments);
}

TM_INLINE void tm_write_file(int32_t file, const void *from, uint32_t bytes) {
    const uint32_t arguments[] = {(uint32_t)file, (uint32_t)from, bytes};
    tm_host(TM_WRITE, arguments);
}

TM_INLINE void tm_exit(const char *text, uint32_t length) {
    const uint32_t arguments[] = {TM_STOPPED, length > 0};
    if (length > 0)
        tm_host(TM_WRITE0, text);
    tm_host(TM_EXIT, arguments);
}

void tm_reset(void) {
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20; /* CPACR: full access to the FPU and to MVE */
    __asm__ volatile("dsb\n\tisb");
    tm_start();
}

/* The stack of a program that crashes may be of no use. */
__attribute__((naked)) void tm_fault(void) {
    __asm__ volatile("mov r0, sp\n\tldr sp, =" TM_STACK_OF_FAULTS "\n\tb tm_fault_at");
}

void tm_fault_at(const uint32_t *frame) { tm_crash(frame[6]); }

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[16] = {
    (uintptr_t)tm_stack_top, (uintptr_t)tm_reset, (uintptr_t)tm_fault, (uintptr_t)tm_fault,
    (uintptr_t)tm_fault,     (uintptr_t)tm_fault, (uintptr_t)tm_fault, (uintptr_t)tm_fault,
};
