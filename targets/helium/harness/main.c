/* What runs in QEMU's machine mps3-an547: the reset, and a loop around the model that reads inputs from a file of the host
 * and writes records to another one, by Arm's semihosting (ARM DUI 0471). The file of inputs begins with their number. A
 * record is int32 label; uint32 stack; uint64 received, the bytes of rows that the program asked for in their order; then
 * the outputs. */
#include "tm_harness.h"

#define TM_HARNESS __attribute__((section(".harness"), noinline, noclone, used))
#define TM_INLINE static inline __attribute__((always_inline))

extern uint32_t tm_data_start[], tm_data_end[], tm_data_image[], tm_bss_start[], tm_bss_end[], tm_stack_top[];
TM_HARNESS void tm_reset(void);
TM_HARNESS void tm_fault(void);
TM_HARNESS void tm_crash(const uint32_t *frame);
TM_HARNESS void tm_begin(void);
TM_HARNESS void tm_end(void);
TM_HARNESS int main(void);

/* The state of the harness lies in the data TCM, which programs do not use, so that their memory is theirs alone. */
struct tm_state {
    int32_t inputs, records;
    uint32_t left, received;
};
#define TM_STATE ((volatile struct tm_state *)0x20000000)
#define TM_STACK_OF_FAULTS "0x20008000"

enum { TM_OPEN = 0x01, TM_WRITE0 = 0x04, TM_WRITE = 0x05, TM_READ = 0x06, TM_EXIT = 0x20 };
enum { TM_READ_BINARY = 1, TM_WRITE_BINARY = 5, TM_STOPPED = 0x20026 };
#define TM_PAINT 0xc5c5c5c5u

TM_INLINE int32_t tm_host(int32_t operation, const void *arguments) {
    register int32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

TM_INLINE int32_t tm_open(const char *name, uint32_t length, uint32_t mode) {
    const uint32_t arguments[] = {(uint32_t)name, mode, length};
    return tm_host(TM_OPEN, arguments);
}

TM_INLINE void tm_exit(uint32_t code) {
    const uint32_t arguments[] = {TM_STOPPED, code};
    tm_host(TM_EXIT, arguments);
}

TM_HARNESS static void tm_read(void *to, uint32_t bytes) {
    const uint32_t arguments[] = {(uint32_t)TM_STATE->inputs, (uint32_t)to, bytes};
    tm_host(TM_READ, arguments);
}

TM_HARNESS static void tm_write(const void *from, uint32_t bytes) {
    const uint32_t arguments[] = {(uint32_t)TM_STATE->records, (uint32_t)from, bytes};
    tm_host(TM_WRITE, arguments);
}

/* The plugin counts from the one to the other. */
void tm_begin(void) { __asm__ volatile("" ::: "memory"); }
void tm_end(void) { __asm__ volatile("" ::: "memory"); }

#if TM_ROW_LENGTH > 0
TM_HARNESS void tm_row(TM_INPUT *to, uint16_t row) {
    const uint32_t bytes = TM_ROW_LENGTH * sizeof(TM_INPUT);
    if (row * bytes == TM_STATE->received) {
        tm_read(to, bytes);
        TM_STATE->received += bytes;
    }
}
#endif

TM_INLINE void tm_record(void) {
    struct {
        int32_t label;
        uint32_t stack, received, zero;
    } record;
    record.label = 0;
    record.zero = 0;
    TM_STATE->received = 0;
#if TM_ROW_LENGTH == 0
    tm_read(tm_input(), TM_INPUT_LENGTH * sizeof(TM_INPUT));
#endif
    /* Volatile, so that gcc makes no calls of these loops, whose frames they would paint. */
    volatile uint32_t *at, *stack;
    __asm__ volatile("mov %0, sp" : "=r"(stack));
    for (at = tm_bss_end; at < stack; at++)
        *at = TM_PAINT;
    tm_begin();
#if TM_HAS_LABEL
    record.label = (int16_t)tm_predict_input();
#else
    tm_predict_input();
#endif
    tm_end();
    for (at = tm_bss_end; at < stack && *at == TM_PAINT; at++)
        ;
    record.stack = (uint32_t)((uintptr_t)tm_stack_top - (uintptr_t)at);
    record.received = TM_STATE->received;
    tm_write(&record, sizeof record);
#if TM_OUTPUT_LENGTH > 0
    tm_write(tm_scores(), TM_OUTPUT_LENGTH * sizeof *tm_scores());
#endif
#define TM_MORE(number, length) tm_write(tm_output(number), length * sizeof *tm_output(number));
    TM_MORE_OUTPUTS
#undef TM_MORE
}

int main(void) {
    TM_STATE->inputs = tm_open("inputs.bin", 10, TM_READ_BINARY);
    TM_STATE->records = tm_open("records.bin", 11, TM_WRITE_BINARY);
    tm_read((void *)&TM_STATE->left, sizeof TM_STATE->left);
#if TM_WEIGHTS_BYTES > 0
    tm_read(tm_weights(), TM_WEIGHTS_BYTES);
#endif
    for (; TM_STATE->left > 0; TM_STATE->left--)
        tm_record();
    tm_exit(0);
    return 0;
}

void tm_reset(void) {
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20; /* CPACR: full access to the FPU and to MVE */
    __asm__ volatile("dsb\n\tisb");
    const uint32_t *image = tm_data_image;
    volatile uint32_t *to;
    for (to = tm_data_start; to < tm_data_end; to++)
        *to = *image++;
    for (to = tm_bss_start; to < tm_bss_end; to++)
        *to = 0;
    main();
}

/* The stack of a program that crashes may be of no use. */
__attribute__((naked)) void tm_fault(void) {
    __asm__ volatile("mov r0, sp\n\tldr sp, =" TM_STACK_OF_FAULTS "\n\tb tm_crash");
}

void tm_crash(const uint32_t *frame) {
    char text[] = "error: crash at 0x        \n";
    uint32_t at = frame[6];
    for (int digit = 25; digit > 17; digit--, at >>= 4)
        text[digit] = "0123456789abcdef"[at & 15];
    tm_host(TM_WRITE0, text);
    tm_exit(1);
}

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[16] = {
    (uintptr_t)tm_stack_top, (uintptr_t)tm_reset, (uintptr_t)tm_fault, (uintptr_t)tm_fault,
    (uintptr_t)tm_fault,     (uintptr_t)tm_fault, (uintptr_t)tm_fault, (uintptr_t)tm_fault,
};
