/* The program of a core in QEMU after its reset: a loop around the model that reads inputs from a file of the host and
 * writes records to another one. The file of inputs begins with their number. A record is int32 label; uint32 stack;
 * uint64 received, the bytes of rows that the program asked for in their order; then the outputs.
 *
 * The chip's own file defines, before it includes this one, TM_STATE_AT, an address in memory that programs do not use,
 * and the calls of the host that are declared below. Its tm_reset calls tm_start, its handler of faults tm_crash. */
#ifndef TINYML_HARNESS_SEMIHOSTED_H
#define TINYML_HARNESS_SEMIHOSTED_H

#include "tm_harness.h"

#define TM_HARNESS __attribute__((section(".harness"), noinline, noclone, used))
/* A text that is no part of the program either. */
#define TM_TEXT(name, text) static const char name[] __attribute__((section(".harness_texts"))) = text
#define TM_INLINE static inline __attribute__((always_inline))

extern uint32_t tm_data_start[], tm_data_end[], tm_data_image[], tm_bss_start[], tm_bss_end[], tm_stack_top[];
extern uint32_t tm_harness_start[], tm_program_end[];
TM_HARNESS void tm_reset(void);
TM_HARNESS void tm_crash(uint32_t at);
TM_HARNESS void tm_begin(void);
TM_HARNESS void tm_end(void);
TM_HARNESS int main(void);

/* Opens a file by its name of `length` characters, to read it or to write it anew, and returns its handle. */
TM_INLINE int32_t tm_open(const char *name, uint32_t length, int written);
TM_INLINE void tm_read_file(int32_t file, void *to, uint32_t bytes);
TM_INLINE void tm_write_file(int32_t file, const void *from, uint32_t bytes);
/* Ends the run, with a text of `length` characters on standard error if there are any. */
TM_INLINE void tm_exit(const char *text, uint32_t length);

/* The state of the harness, so that the memory of programs is theirs alone. */
struct tm_state {
    int32_t inputs, records;
    uint32_t left, received;
};
#define TM_STATE ((volatile struct tm_state *)TM_STATE_AT)

#define TM_PAINT 0xc5c5c5c5u

TM_HARNESS static void tm_read(void *to, uint32_t bytes) { tm_read_file(TM_STATE->inputs, to, bytes); }

TM_HARNESS static void tm_write(const void *from, uint32_t bytes) { tm_write_file(TM_STATE->records, from, bytes); }

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
    TM_TEXT(inputs, "inputs.bin");
    TM_TEXT(records, "records.bin");
    TM_STATE->inputs = tm_open(inputs, sizeof inputs - 1, 0);
    TM_STATE->records = tm_open(records, sizeof records - 1, 1);
    tm_read((void *)&TM_STATE->left, sizeof TM_STATE->left);
    tm_bind();
#if TM_WEIGHTS_BYTES > 0
    tm_read(tm_weights(), TM_WEIGHTS_BYTES);
#endif
    for (; TM_STATE->left > 0; TM_STATE->left--)
        tm_record();
    tm_exit(0, 0);
    return 0;
}

void tm_crash(uint32_t at) {
    TM_TEXT(crash, "error: crash at 0x        \n");
    TM_TEXT(jump, "error: jump to 0x        , outside the program\n");
    const int inside = at >= (uintptr_t)tm_harness_start && at < (uintptr_t)tm_program_end;
    const char *from = inside ? crash : jump;
    char text[sizeof jump], *to = text;
    for (; *from != 0; from++)
        *to++ = *from;
    char *digits = text + (inside ? sizeof "error: crash at 0x" : sizeof "error: jump to 0x") - 1;
    for (int digit = 7; digit >= 0; digit--, at >>= 4)
        digits[digit] = (char)((at & 15) + ((at & 15) < 10 ? '0' : 'a' - 10));
    *to = 0;
    tm_exit(text, (uint32_t)(to - text));
}

TM_INLINE void tm_start(void) {
    const uint32_t *image = tm_data_image;
    volatile uint32_t *to;
    for (to = tm_data_start; to < tm_data_end; to++)
        *to = *image++;
    for (to = tm_bss_start; to < tm_bss_end; to++)
        *to = 0;
    main();
}

#endif
