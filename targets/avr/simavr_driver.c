/* Runs a model on simavr, with the arguments that tm_driver.h explains. RAM and flash are address spaces of their own. */
#define TM_CODE_UNIT 2
#include "tm_driver.h"

#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>

enum { SPL = 0x5d, SPH = 0x5e };

static avr_t *avr;
static uint32_t image_bytes;
static uint32_t lowest_sp;

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
    tm_fail("crash at 0x%x: %s", avr ? avr->pc : 0, said);
}

static uint16_t opcode_at(uint32_t pc) { return (uint16_t)(avr->flash[pc] | avr->flash[pc + 1] << 8); }

static uint32_t word_at(int low) { return (uint32_t)(avr->data[low] | avr->data[low + 1] << 8); }

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

/* The arguments of a function lie in the registers 25:24 and 23:22. */
static uint32_t sim_argument(int number) { return word_at(24 - 2 * number); }

static void sim_write(uint32_t address, const void *from, size_t bytes) { memcpy(avr->data + address, from, bytes); }

static void sim_read(uint32_t address, void *to, size_t bytes) { memcpy(to, avr->data + address, bytes); }

static uint64_t sim_time(void) { return avr->cycle; }

static void step(void) {
    uint32_t pc = avr->pc, sp = stack_pointer();
    tm_before(pc);
    uint64_t start = avr->cycle;
    uint16_t opcode = opcode_at(pc);
    int state = avr_run(avr);
    /* simavr 1.6 takes ADIW and SBIW with a constant whose low nibble is C to F for two words when it skips them. */
    if (avr->pc == pc + 6 && is_skip(opcode) && is_adiw_or_sbiw(opcode_at(pc + 2))) {
        avr->pc -= 2;
        avr->cycle -= 1;
    }
    if (state != cpu_Running)
        tm_fail("the program stopped at 0x%x", pc);
    if (avr->pc == 0 || avr->pc >= image_bytes)
        tm_fail("jump from 0x%x to 0x%x, outside the program (reset or runaway)", pc, avr->pc);
    tm_after(pc, avr->cycle - start);
    if (is_out_spl(opcode) || (stack_pointer() != sp && !is_out_sph(opcode))) {
        if (stack_pointer() < lowest_sp)
            lowest_sp = stack_pointer();
        /* The stack pointer addresses the byte that the next push writes. */
        if (stack_pointer() + 1 < tm_job.free_start)
            tm_fail("stack overflow at 0x%x: it grew into the static data, the model needs more RAM", pc);
    }
}

static void sim_run_to(uint32_t pc) {
    do
        step();
    while (avr->pc != pc);
}

static uint32_t sim_run_function(void) {
    uint32_t sp = stack_pointer(), back = 0;
    for (uint32_t i = 1; i <= avr->address_size; i++)
        back = back << 8 | avr->data[sp + i];
    do
        step();
    while (avr->pc != 2 * back || stack_pointer() != sp + avr->address_size);
    return word_at(24);
}

static void sim_load(const char *part, const char *path) {
    avr_global_logger_set(on_log);
    avr = avr_make_mcu_by_name(part);
    if (!avr)
        tm_fail("simavr does not know the mcu %s", part);
    avr_init(avr);
    avr->frequency = 16000000;
    /* Single steps: the repair of skips has to see every instruction. */
    avr->run_cycle_limit = 1;
    avr->run_cycle_count = 1;
    uint32_t size = avr->flashend + 1;
    uint8_t *image = tm_read_file(path, size, &image_bytes);
    if (image_bytes > size)
        tm_fail("the program does not fit the %u bytes of flash of the %s", size, part);
    if (tm_job.free_start > avr->ramend)
        tm_fail("the static data do not fit the RAM of the %s, which ends at 0x%x", part, avr->ramend);
    avr_loadcode(avr, image, image_bytes, 0);
    free(image);
    tm_start_profile(image_bytes);
    lowest_sp = avr->ramend;
}

static void sim_paint(void) {
    memset(avr->data + tm_job.free_start, TM_PAINT_BYTE, stack_pointer() + 1 - tm_job.free_start);
}

static uint32_t sim_stack_depth(void) {
    uint32_t touched = tm_job.free_start;
    while (touched <= avr->ramend && avr->data[touched] == TM_PAINT_BYTE)
        touched++;
    return avr->ramend + 1 - (touched < lowest_sp + 1 ? touched : lowest_sp + 1);
}
