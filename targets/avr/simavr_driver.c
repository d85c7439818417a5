/* Runs a model on simavr, one input after the other.

   usage: simavr_driver MCU IMAGE LIMIT SAMPLES PREDICT INPUT INPUT_BYTES FREE END PROFILE ROW ROW_BYTES [OUTPUT BYTES]...

   IMAGE is the flash as a binary file, LIMIT the most cycles that an inference may take; PREDICT and OUTPUT are byte
   addresses of functions in flash, INPUT and FREE (the first address behind all static data) addresses in RAM. Reads
   SAMPLES inputs from standard input; writes one record per input to standard output:
   int32 label; uint32 stack; uint64 cycles; then BYTES bytes from the address that each OUTPUT returns.

   Unless END, the address behind PREDICT, is 0, writes to the file PROFILE where the cycles of all inferences went: a line
   `SITE PC CYCLES` for each instruction PC and the last instruction SITE of PREDICT before it, PC itself or the call
   that it ran in; all three numbers are decimal.

   If the input arrives row by row, ROW is the address of the function that the program calls for it, which only
   returns: where it begins, the driver writes the row. */
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPL = 0x5d, SPH = 0x5e, PAINT = 0xc5 };

struct record {
    int32_t label;
    uint32_t stack;
    uint64_t cycles;
};

static avr_t *avr;
static uint32_t image_bytes;
static uint32_t free_start;
static uint32_t lowest_sp;
static uint64_t deadline;

static uint32_t row_function, row_bytes;
static uint8_t *sample;
static size_t sample_bytes, received;

static int profiling;
static uint32_t predict_start, predict_end;
static uint32_t site;
static uint64_t *spent_in_predict;
/* By site, rows where there is something. */
static uint64_t **spent_elsewhere;

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* simavr logs illegal opcodes and accesses outside of RAM, and goes on. */
static void on_log(avr_t *source, const int level, const char *format, va_list arguments) {
    char text[256], *said = text;
    (void)source;
    if (level != LOG_ERROR)
        return;
    vsnprintf(text, sizeof text, format, arguments);
    if (*said == '\033')
        said += strcspn(said, "m") + 1;
    said[strcspn(said, "\n\033")] = '\0';
    fail("crash at 0x%x: %s", avr ? avr->pc : 0, said);
}

static uint16_t opcode_at(uint32_t pc) { return (uint16_t)(avr->flash[pc] | avr->flash[pc + 1] << 8); }

static uint32_t stack_pointer(void) { return (uint32_t)(avr->data[SPL] | avr->data[SPH] << 8); }

static int is_skip(uint16_t opcode) {
    return (opcode & 0xfc00) == 0x1000     /* CPSE */
           || (opcode & 0xfc08) == 0xfc00  /* SBRC, SBRS */
           || (opcode & 0xfd00) == 0x9900; /* SBIC, SBIS */
}

static int is_adiw_or_sbiw(uint16_t opcode) { return (opcode & 0xfe00) == 0x9600; }

/* The two halves of the stack pointer are written one after the other, SPH first: between them it means nothing. */
static int is_out_sph(uint16_t opcode) { return (opcode & 0xfe0f) == 0xbe0e; }
static int is_out_spl(uint16_t opcode) { return (opcode & 0xfe0f) == 0xbe0d; }

static void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        fail("out of memory");
    return memory;
}

static void charge(uint32_t pc, uint64_t cycles) {
    if (pc >= predict_start && pc < predict_end) {
        site = pc;
        spent_in_predict[pc / 2] += cycles;
        return;
    }
    if (!spent_elsewhere[site / 2])
        spent_elsewhere[site / 2] = zeroed(image_bytes / 2 + 1, sizeof **spent_elsewhere);
    spent_elsewhere[site / 2][pc / 2] += cycles;
}

static void write_profile(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        fail("cannot write %s", path);
    for (uint32_t at = 0; at <= image_bytes / 2; at++) {
        if (spent_in_predict[at] > 0)
            fprintf(file, "%u %u %llu\n", 2 * at, 2 * at, (unsigned long long)spent_in_predict[at]);
        for (uint32_t pc = 0; spent_elsewhere[at] && pc <= image_bytes / 2; pc++)
            if (spent_elsewhere[at][pc] > 0)
                fprintf(file, "%u %u %llu\n", 2 * at, 2 * pc, (unsigned long long)spent_elsewhere[at][pc]);
    }
    if (fclose(file) != 0)
        fail("cannot write %s", path);
}

static uint32_t word_at(int low) { return (uint32_t)(avr->data[low] | avr->data[low + 1] << 8); }

/* The arguments of a function lie in the registers 25:24 and 23:22. */
static void receive(void) {
    uint32_t to = word_at(24), row = word_at(22);
    if ((size_t)row * row_bytes != received || received == sample_bytes)
        fail("the program asks for row %u after %u bytes", row, (uint32_t)received);
    if (to + row_bytes > free_start)
        fail("the program wants row %u at 0x%x, behind its data", row, to);
    memcpy(avr->data + to, sample + received, row_bytes);
    received += row_bytes;
}

static void step(void) {
    uint32_t pc = avr->pc, sp = stack_pointer();
    if (row_function && pc == row_function)
        receive();
    uint64_t start = avr->cycle;
    uint16_t opcode = opcode_at(pc);
    int state = avr_run(avr);
    /* simavr 1.6 takes ADIW and SBIW with a constant whose low nibble is C to F for two words when it skips them. */
    if (avr->pc == pc + 6 && is_skip(opcode) && is_adiw_or_sbiw(opcode_at(pc + 2))) {
        avr->pc -= 2;
        avr->cycle -= 1;
    }
    if (profiling)
        charge(pc, avr->cycle - start);
    if (state != cpu_Running)
        fail("the program stopped at 0x%x", pc);
    if (avr->pc == 0 || avr->pc >= image_bytes)
        fail("jump from 0x%x to 0x%x, out of the program (reset or runaway)", pc, avr->pc);
    if (avr->cycle > deadline)
        fail("no end within the limit of cycles, at 0x%x", pc);
    if (is_out_spl(opcode) || (stack_pointer() != sp && !is_out_sph(opcode))) {
        if (stack_pointer() < lowest_sp)
            lowest_sp = stack_pointer();
        /* The stack pointer addresses the byte that the next push writes. */
        if (stack_pointer() + 1 < free_start)
            fail("stack overflow at 0x%x: it grew into the static data, the model needs more RAM", pc);
    }
}

static void run_to(uint32_t pc) {
    do
        step();
    while (avr->pc != pc);
}

/* From the entry of a function to its return; gives what it returns as 16 bits. */
static uint16_t run_function(void) {
    uint32_t sp = stack_pointer(), back = 0;
    for (uint32_t i = 1; i <= avr->address_size; i++)
        back = back << 8 | avr->data[sp + i];
    do
        step();
    while (avr->pc != 2 * back || stack_pointer() != sp + avr->address_size);
    return (uint16_t)(avr->data[24] | avr->data[25] << 8);
}

static void load(const char *mcu, const char *path) {
    avr = avr_make_mcu_by_name(mcu);
    if (!avr)
        fail("simavr does not know the mcu %s", mcu);
    avr_init(avr);
    avr->frequency = 16000000;
    /* Single steps: the repair of skips has to see every instruction. */
    avr->run_cycle_limit = 1;
    avr->run_cycle_count = 1;
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("cannot read %s", path);
    uint32_t size = avr->flashend + 1;
    uint8_t *image = malloc(size + 1);
    image_bytes = (uint32_t)fread(image, 1, size + 1, file);
    fclose(file);
    if (image_bytes > size)
        fail("the program does not fit the %u bytes of flash of the %s", size, mcu);
    if (free_start > avr->ramend)
        fail("the static data do not fit the RAM of the %s, which ends at 0x%x", mcu, avr->ramend);
    avr_loadcode(avr, image, image_bytes, 0);
    free(image);
}

static uint32_t stack_depth(void) {
    uint32_t touched = free_start;
    while (touched <= avr->ramend && avr->data[touched] == PAINT)
        touched++;
    return avr->ramend + 1 - (touched < lowest_sp + 1 ? touched : lowest_sp + 1);
}

int main(int argc, char **argv) {
    enum { FIRST_OUTPUT = 14 };
    if (argc < FIRST_OUTPUT || (argc - FIRST_OUTPUT) % 2 != 0)
        fail("thirteen arguments wanted, and two for each output");
    uint64_t limit = strtoull(argv[3], NULL, 0);
    long samples = strtol(argv[4], NULL, 0);
    uint32_t address[6];
    for (int i = 0; i < 6; i++)
        address[i] = (uint32_t)strtoul(argv[5 + i], NULL, 0);
    /* The input lies where its function says, if there is one, or else in an array. */
    const uint32_t predict = address[0], array = address[1], input_function = address[2];
    const size_t input_bytes = address[3];
    free_start = address[4];
    predict_end = address[5];
    row_function = (uint32_t)strtoul(argv[12], NULL, 0);
    row_bytes = (uint32_t)strtoul(argv[13], NULL, 0);
    sample = zeroed(input_bytes, 1);
    sample_bytes = input_bytes;

    avr_global_logger_set(on_log);
    load(argv[1], argv[2]);
    if (predict_end) {
        predict_start = site = predict;
        spent_in_predict = zeroed(image_bytes / 2 + 1, sizeof *spent_in_predict);
        spent_elsewhere = zeroed(image_bytes / 2 + 1, sizeof *spent_elsewhere);
    }
    deadline = limit;
    lowest_sp = avr->ramend;
    for (long i = 0; i < samples; i++) {
        struct record record = {0, 0, 0};
        uint32_t input = array;
        if (input_function) {
            run_to(input_function);
            input = run_function();
        }
        run_to(predict);
        if (fread(sample, 1, input_bytes, stdin) != input_bytes)
            fail("not enough inputs");
        received = 0;
        if (!row_function)
            memcpy(avr->data + input, sample, input_bytes);
        memset(avr->data + free_start, PAINT, stack_pointer() + 1 - free_start);
        record.cycles = avr->cycle;
        deadline = avr->cycle + limit;
        profiling = predict_end != 0;
        record.label = (int16_t)run_function();
        profiling = 0;
        record.cycles = avr->cycle - record.cycles;
        if (row_function && received != input_bytes)
            fail("the program leaves a part of the input");
        record.stack = stack_depth();
        fwrite(&record, sizeof record, 1, stdout);
        for (int output = FIRST_OUTPUT; output < argc; output += 2) {
            run_to((uint32_t)strtoul(argv[output], NULL, 0));
            fwrite(avr->data + run_function(), 1, strtoul(argv[output + 1], NULL, 0), stdout);
        }
    }
    if (predict_end)
        write_profile(argv[11]);
    return 0;
}
