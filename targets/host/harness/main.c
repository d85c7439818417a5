/* Runs a model on the host: its weights, if it has any to receive, and SAMPLES (the only argument) raw inputs from
   standard input, one record per input to standard output: int32 label; uint32 stack; uint64 cycles; scores; of a program that streams uint64
   longest: the most cycles from one part of the input to the next. With TM_PAINT the inferences run in a thread on a
   painted stack, whose depth stands in the last record. The reading and writing is done outside of that thread. */
#define _DEFAULT_SOURCE
#include "tm_harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if TM_OUTPUT_LENGTH > 0
#define SCORES_BYTES (sizeof *tm_scores() * TM_OUTPUT_LENGTH)
#else
#define SCORES_BYTES 0u
#endif
#define TM_MORE(number, length) +sizeof *tm_output(number) * length
#define MORE_BYTES (0u TM_MORE_OUTPUTS)
#define INPUT_BYTES (sizeof(TM_INPUT) * TM_INPUT_LENGTH)
#define LONGEST_BYTES (TM_PUSHED ? sizeof(uint64_t) : 0u)
#define RECORD_BYTES (sizeof(struct record) + SCORES_BYTES + MORE_BYTES + LONGEST_BYTES)
#define STACK_BYTES ((size_t)1 << 20)
#define GUARD_BYTES ((size_t)1 << 16)
#define PAINT 0xc5

struct record {
    int32_t label;
    uint32_t stack;
    uint64_t cycles;
};

static size_t samples;
static unsigned char *inputs, *records;
static unsigned char *stack_top;

static uint64_t now(void) {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

static int fail(const char *what) {
    fprintf(stderr, "error: %s\n", what);
    return 1;
}

#if TM_ROW_LENGTH > 0
#define ROW_BYTES (sizeof(TM_INPUT) * TM_ROW_LENGTH)
static const unsigned char *sample;
static size_t received;
static uint64_t part_start, longest;

/* Ends the part of the input before this one. */
static void end_part(void) {
    uint64_t time = now(), before = part_start;
    if (before && time - before > longest)
        longest = time - before;
    part_start = time;
}

void tm_row(TM_INPUT *to, uint16_t row) {
    end_part();
    if (row * ROW_BYTES != received)
        exit(fail("the program reads rows out of order"));
    memcpy(to, sample + received, ROW_BYTES);
    received += ROW_BYTES;
}
#endif

static void *infer_all(void *unused) {
    stack_top = __builtin_frame_address(0);
    for (size_t i = 0; i < samples; i++) {
        unsigned char *out = records + i * RECORD_BYTES;
        struct record record = {0, 0, 0};
#if TM_ROW_LENGTH > 0
        sample = inputs + i * INPUT_BYTES;
        received = 0;
        part_start = longest = 0;
#else
        memcpy(tm_input(), inputs + i * INPUT_BYTES, INPUT_BYTES);
#endif
        uint64_t start = now();
#if TM_HAS_LABEL
        record.label = tm_predict_input();
#else
        tm_predict_input();
#endif
        record.cycles = now() - start;
#if TM_ROW_LENGTH > 0
        end_part();
        if (received != INPUT_BYTES)
            exit(fail("the program leaves a part of the input"));
#endif
        memcpy(out, &record, sizeof record);
#if TM_OUTPUT_LENGTH > 0
        memcpy(out + sizeof record, tm_scores(), SCORES_BYTES);
#endif
        out += sizeof record + SCORES_BYTES;
#undef TM_MORE
#define TM_MORE(number, length)                                                                                        \
    memcpy(out, tm_output(number), sizeof *tm_output(number) * length);                                            \
    out += sizeof *tm_output(number) * length;
        TM_MORE_OUTPUTS
#undef TM_MORE
#define TM_MORE(number, length) +sizeof *tm_output(number) * length
#if TM_PUSHED
        memcpy(out, &longest, sizeof longest);
#endif
        (void)out;
    }
    return unused;
}

#if TM_PAINT
static int infer_on_painted_stack(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    unsigned char *base =
        mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base, GUARD_BYTES, PROT_NONE) != 0)
        return fail("no memory for a stack");
    unsigned char *bottom = base + GUARD_BYTES;
    memset(bottom, PAINT, STACK_BYTES);
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstack(&attributes, bottom, STACK_BYTES) != 0 ||
        pthread_create(&thread, &attributes, infer_all, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return fail("cannot run a thread");
    if (samples > 0) {
        unsigned char *lowest = bottom, *last = records + (samples - 1) * RECORD_BYTES;
        struct record record;
        while (lowest < stack_top && *lowest == PAINT)
            lowest++;
        memcpy(&record, last, sizeof record);
        record.stack = (uint32_t)(stack_top - lowest);
        memcpy(last, &record, sizeof record);
    }
    return 0;
}
#endif

int main(int argc, char **argv) {
    if (argc != 2)
        return fail("the number of samples is wanted");
    samples = strtoul(argv[1], NULL, 10);
    inputs = malloc(samples * INPUT_BYTES + 1);
    records = malloc(samples * RECORD_BYTES + 1);
    if (!inputs || !records)
        return fail("out of memory");
    tm_bind();
#if TM_WEIGHTS_BYTES > 0
    if (fread(tm_weights(), 1, TM_WEIGHTS_BYTES, stdin) != TM_WEIGHTS_BYTES)
        return fail("not enough weights");
#endif
    if (fread(inputs, INPUT_BYTES, samples, stdin) != samples)
        return fail("not enough inputs");
#if TM_PAINT
    if (infer_on_painted_stack() != 0)
        return 1;
#else
    infer_all(NULL);
#endif
    if (fwrite(records, RECORD_BYTES, samples, stdout) != samples)
        return fail("cannot write the results");
    free(inputs);
    free(records);
    return 0;
}
