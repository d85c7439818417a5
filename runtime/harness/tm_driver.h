/* The frame of a driver: a program that runs a model on a simulator, one input after the other.

   usage: driver PART IMAGE LIMIT SAMPLES PREDICT ARRAY INPUT INPUT_BYTES FREE START END PROFILE ROW ROW_BYTES
                 WEIGHTS WEIGHTS_BYTES PUSHED [OUTPUT BYTES]...

   IMAGE is the program as a binary file, LIMIT the most time units that an inference may take; PREDICT, INPUT, ROW and
   OUTPUT are addresses of functions, ARRAY and FREE (the first address behind all static data) addresses in RAM. The
   function INPUT returns the address of the input; if INPUT is 0, that is ARRAY. Reads SAMPLES inputs from standard input; writes
   one record per input to standard output: int32 label; uint32 stack; uint64 time; then BYTES bytes from the address
   that each OUTPUT returns and, unless PUSHED is 0, uint64 longest: the most time from one call of ROW to the next, or to
   the end.

   Unless END is 0, writes a profile of all inferences to the file PROFILE: a line `SITE PC TIME` for each instruction PC
   and the last instruction SITE before it of those from START to END, PC itself or the call that it ran in; SITE is START
   before the first of them. All three numbers are decimal.

   If the input arrives row by row, ROW is the address of the function that the program calls for a row, which only
   returns: at its entry, the row is written to the address in its first argument.

   Unless WEIGHTS is 0, that function returns the address of the model's numbers; WEIGHTS_BYTES bytes of them come before
   the inputs, and are written there first.

   A driver includes this file, defines the functions sim_..., and calls tm_before and tm_after around every
   instruction. Failures end it by tm_fail. */
#ifndef TINYML_HARNESS_DRIVER_H
#define TINYML_HARNESS_DRIVER_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The byte that stacks are painted with to measure their depth. */
enum { TM_PAINT_BYTE = 0xc5 };

/* Loads an image and resets the part; tm_job is filled in. */
static void sim_load(const char *part, const char *image);
/* Runs up to an instruction. */
static void sim_run_to(uint32_t pc);
/* Runs from the entry of a function to its return; returns its integer or address. */
static uint32_t sim_run_function(void);
/* The argument 0 or 1 of a function, at its entry. */
static uint32_t sim_argument(int number);
static void sim_write(uint32_t address, const void *from, size_t bytes);
static void sim_read(uint32_t address, void *to, size_t bytes);
/* The time since the reset. */
static uint64_t sim_time(void);
/* Paints the memory from tm_job.free_start up to the stack. */
static void sim_paint(void);
/* Bytes of stack used, by the paint or by other means of the simulator. */
static uint32_t sim_stack_depth(void);

static struct {
    uint64_t limit, deadline;
    long samples;
    uint32_t predict, array, input_function, free_start, profile_start, profile_end, row_function, row_bytes, weights_function;
    size_t input_bytes, received, weights_bytes;
    uint64_t part_start, longest;
    int pushed;
    const char *profile;
    uint8_t *sample;
} tm_job;

struct tm_record {
    int32_t label;
    uint32_t stack;
    uint64_t time;
};

static void tm_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void *tm_zeroed(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        tm_fail("out of memory");
    return memory;
}

/* The content of a file, up to `most` bytes; `bytes` is most + 1 for a longer file. */
static uint8_t *tm_read_file(const char *path, uint32_t most, uint32_t *bytes) {
    FILE *file = fopen(path, "rb");
    uint8_t *content = tm_zeroed((size_t)most + 1, 1);
    if (!file)
        tm_fail("cannot read %s", path);
    *bytes = (uint32_t)fread(content, 1, (size_t)most + 1, file);
    fclose(file);
    return content;
}

/* The divisor of all instruction addresses; a driver may define more than 1. */
#ifndef TM_CODE_UNIT
#define TM_CODE_UNIT 1
#endif

/* The profile: for each instruction from START to END its own time, and that of instructions of its calls, if any. */
static struct {
    int on;
    uint32_t site, places;
    uint64_t *inside, **elsewhere;
} tm_profile;

/* Allocates the profile of a program of `code_bytes` bytes, before its first instruction. */
static void tm_start_profile(uint32_t code_bytes) {
    tm_profile.places = code_bytes / TM_CODE_UNIT + 1;
    tm_profile.site = tm_job.profile_start;
    if (tm_job.profile_end) {
        tm_profile.inside = tm_zeroed(tm_profile.places, sizeof *tm_profile.inside);
        tm_profile.elsewhere = tm_zeroed(tm_profile.places, sizeof *tm_profile.elsewhere);
    }
}

static void tm_charge(uint32_t pc, uint64_t time) {
    if (pc >= tm_job.profile_start && pc < tm_job.profile_end) {
        tm_profile.site = pc;
        tm_profile.inside[pc / TM_CODE_UNIT] += time;
        return;
    }
    uint64_t **row = tm_profile.elsewhere + tm_profile.site / TM_CODE_UNIT;
    if (!*row)
        *row = tm_zeroed(tm_profile.places, sizeof **row);
    (*row)[pc / TM_CODE_UNIT] += time;
}

static void tm_write_line(FILE *file, uint32_t site, uint32_t pc, uint64_t time) {
    fprintf(file, "%u %u %llu\n", site * TM_CODE_UNIT, pc * TM_CODE_UNIT, (unsigned long long)time);
}

static void tm_write_profile(void) {
    FILE *file = fopen(tm_job.profile, "w");
    if (!file)
        tm_fail("cannot write %s", tm_job.profile);
    for (uint32_t at = 0; at < tm_profile.places; at++) {
        if (tm_profile.inside[at] > 0)
            tm_write_line(file, at, at, tm_profile.inside[at]);
        for (uint32_t pc = 0; tm_profile.elsewhere[at] && pc < tm_profile.places; pc++)
            if (tm_profile.elsewhere[at][pc] > 0)
                tm_write_line(file, at, pc, tm_profile.elsewhere[at][pc]);
    }
    if (fclose(file) != 0)
        tm_fail("cannot write %s", tm_job.profile);
}

/* Ends the part of the input before this one. */
static void tm_end_part(void) {
    uint64_t now = sim_time(), before = tm_job.part_start;
    if (before && now - before > tm_job.longest)
        tm_job.longest = now - before;
    tm_job.part_start = now;
}

/* Called before the instruction at pc runs. */
static void tm_before(uint32_t pc) {
    if (!tm_job.row_function || pc != tm_job.row_function)
        return;
    tm_end_part();
    uint32_t to = sim_argument(0), row = sim_argument(1);
    if ((size_t)row * tm_job.row_bytes != tm_job.received || tm_job.received == tm_job.input_bytes)
        tm_fail("the program reads row %u after %u bytes", row, (uint32_t)tm_job.received);
    if (to + tm_job.row_bytes > tm_job.free_start)
        tm_fail("the program wants row %u at 0x%x, behind its data", row, to);
    sim_write(to, tm_job.sample + tm_job.received, tm_job.row_bytes);
    tm_job.received += tm_job.row_bytes;
}

/* Called after the instruction at pc, which took `time`. */
static void tm_after(uint32_t pc, uint64_t time) {
    if (tm_profile.on)
        tm_charge(pc, time);
    if (sim_time() > tm_job.deadline)
        tm_fail("did not end within the limit of time, at 0x%x", pc);
}

static void tm_infer(char **outputs) {
    struct tm_record record = {0, 0, 0};
    uint32_t input = tm_job.array;
    if (tm_job.input_function) {
        sim_run_to(tm_job.input_function);
        input = sim_run_function();
    }
    sim_run_to(tm_job.predict);
    if (fread(tm_job.sample, 1, tm_job.input_bytes, stdin) != tm_job.input_bytes)
        tm_fail("not enough inputs");
    tm_job.received = 0;
    tm_job.part_start = tm_job.longest = 0;
    if (!tm_job.row_function)
        sim_write(input, tm_job.sample, tm_job.input_bytes);
    sim_paint();
    uint64_t start = sim_time();
    tm_job.deadline = start + tm_job.limit;
    tm_profile.on = tm_job.profile_end != 0;
    record.label = (int16_t)sim_run_function();
    tm_profile.on = 0;
    record.time = sim_time() - start;
    tm_end_part();
    if (tm_job.row_function && tm_job.received != tm_job.input_bytes)
        tm_fail("the program leaves a part of the input");
    record.stack = sim_stack_depth();
    fwrite(&record, sizeof record, 1, stdout);
    for (; *outputs; outputs += 2) {
        size_t bytes = strtoul(outputs[1], NULL, 0);
        uint8_t *output = tm_zeroed(bytes, 1);
        sim_run_to((uint32_t)strtoul(outputs[0], NULL, 0));
        sim_read(sim_run_function(), output, bytes);
        fwrite(output, 1, bytes, stdout);
        free(output);
    }
    if (tm_job.pushed)
        fwrite(&tm_job.longest, sizeof tm_job.longest, 1, stdout);
}

/* Writes the model's numbers, which come before the inputs, once the program asks where. */
static void tm_load_weights(void) {
    uint8_t *content = tm_zeroed(tm_job.weights_bytes, 1);
    if (fread(content, 1, tm_job.weights_bytes, stdin) != tm_job.weights_bytes)
        tm_fail("not enough weights");
    sim_run_to(tm_job.weights_function);
    sim_write(sim_run_function(), content, tm_job.weights_bytes);
    free(content);
}

int main(int argc, char **argv) {
    enum { FIRST_OUTPUT = 18 };
    if (argc < FIRST_OUTPUT || (argc - FIRST_OUTPUT) % 2 != 0)
        tm_fail("seventeen arguments wanted, and two for each output");
    uint32_t number[FIRST_OUTPUT];
    for (int i = 4; i < FIRST_OUTPUT; i++)
        number[i] = (uint32_t)strtoul(argv[i], NULL, 0);
    tm_job.limit = tm_job.deadline = strtoull(argv[3], NULL, 0);
    tm_job.samples = (long)number[4];
    tm_job.predict = number[5];
    tm_job.array = number[6];
    tm_job.input_function = number[7];
    tm_job.input_bytes = number[8];
    tm_job.free_start = number[9];
    tm_job.profile_start = number[10];
    tm_job.profile_end = number[11];
    tm_job.profile = argv[12];
    tm_job.row_function = number[13];
    tm_job.row_bytes = number[14];
    tm_job.weights_function = number[15];
    tm_job.weights_bytes = number[16];
    tm_job.pushed = (int)number[17];
    tm_job.sample = tm_zeroed(tm_job.input_bytes + 1, 1);
    sim_load(argv[1], argv[2]);
    if (tm_job.weights_function)
        tm_load_weights();
    for (long i = 0; i < tm_job.samples; i++)
        tm_infer(argv + FIRST_OUTPUT);
    if (tm_job.profile_end)
        tm_write_profile();
    return 0;
}

#endif
