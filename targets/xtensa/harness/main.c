/* What runs in QEMU's machine sim with the core lx106: the reset, the handler of faults, and the calls of the host by the
 * instruction SIMCALL, whose operation is in a2 and whose operands are in a3 to a5. */
#include <stdint.h>

/* Behind the RAM of boards and all stacks. */
#define TM_STATE_AT 0x63000000

#include "tm_memory.h"
#include "tm_semihosted.h"

enum { TM_EXIT = 1, TM_READ = 3, TM_WRITE = 4, TM_OPEN = 5 };
enum { TM_STANDARD_ERROR = 2, TM_WRITTEN_ANEW = 01 | 0100 | 01000, TM_MODE = 0600 };

TM_INLINE int32_t tm_host(int32_t operation, int32_t first, const void *second, uint32_t third) {
    register int32_t a2 __asm__("a2") = operation;
    register int32_t a3 __asm__("a3") = first;
    register const void *a4 __asm__("a4") = second;
    register uint32_t a5 __asm__("a5") = third;
    __asm__ volatile("simcall" : "+r"(a2), "+r"(a3) : "r"(a4), "r"(a5) : "memory");
    return a2;
}

TM_INLINE int32_t tm_open(const char *name, uint32_t length, int written) {
    (void)length;
    return tm_host(TM_OPEN, (int32_t)name, (const void *)(written ? TM_WRITTEN_ANEW : 0), TM_MODE);
}

TM_INLINE void tm_read_file(int32_t file, void *to, uint32_t bytes) { tm_host(TM_READ, file, to, bytes); }

TM_INLINE void tm_write_file(int32_t file, const void *from, uint32_t bytes) { tm_host(TM_WRITE, file, from, bytes); }

TM_INLINE void tm_exit(const char *text, uint32_t length) {
    if (length > 0)
        tm_host(TM_WRITE, TM_STANDARD_ERROR, text, length);
    tm_host(TM_EXIT, length > 0, 0, 0);
}

/* Makes a section of constants alone one of data, as which they are counted. */
__attribute__((used)) static uint32_t tm_written = 1;

TM_HARNESS void tm_set_up(void);
void tm_set_up(void) { tm_start(); }

/* The core begins at the first word of flash. Its vectors of exceptions lie 0x30, 0x50 and 0x70 behind VECBASE; all lead
 * to tm_crash, on a stack of its own, as that of a program that crashes may be of no use. */
__asm__(".section .vectors, \"ax\"\n"
        "tm_vectors:\n\t"
        "j tm_begun\n\t"
        ".org 0x30\n\t"
        "j tm_fault\n\t"
        ".org 0x50\n\t"
        "j tm_fault\n\t"
        ".org 0x70\n\t"
        "j tm_fault\n\t"
        ".align 4\n\t"
        ".literal_position\n"
        "tm_begun:\n\t"
        "movi a2, tm_vectors\n\t"
        "wsr a2, vecbase\n\t"
        "movi a2, 0\n\t"
        "wsr a2, ps\n\t"
        "rsync\n\t"
        "movi sp, tm_stack_top\n\t"
        "movi a2, tm_set_up\n\t"
        "jx a2\n"
        "tm_fault:\n\t"
        "rsr a2, epc1\n\t"
        "movi sp, 0x63010000\n\t"
        "movi a3, tm_crash\n\t"
        "jx a3\n\t"
        ".previous");
