/* A plugin of QEMU (version 1 of its interface, docs/devel/tcg-plugins) that counts what a program executes between two
 * functions of the harness. Debian's package has no header, so what is used of the interface is declared here.
 *
 * Arguments, all addresses and numbers decimal: start, stop (the two functions), row (a function at which a part of the
 * input begins, or 0), harness, program (the first address of the harness, and of what is counted after it), end (of the
 * program), limit (of instructions), refill (cycles of a taken branch), table (unless cycles are unknown, a file with 16 bits for each halfword from
 * `harness` to `end`: cycles of the instruction that begins there; LOOP if it ends a low-overhead loop, whose branch is
 * free; and, for a vector access, twice the alignment that it needs, as a binary logarithm), counts (a file that receives, for each
 * inference, uint64 instructions, cycles, and the instructions of the longest part). With profile_end, also
 * profile_start and profile, a file of lines `SITE PC TIME` as in tm_driver.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*tm_on_block)(unsigned, void *);
typedef void (*tm_on_access)(unsigned, uint32_t, uint64_t, void *);
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, tm_on_block, int flags, void *);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, tm_on_access, int flags, int accesses, void *);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
extern size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);

#define TM_EXPORTED __attribute__((visibility("default")))
extern TM_EXPORTED int qemu_plugin_version;
int qemu_plugin_version = 1;
TM_EXPORTED int qemu_plugin_install(qemu_plugin_id_t, const qemu_info_t *, int, char **);

enum { CYCLES = 0xff, LOOP = 0x100, ALIGNMENT = 9, READS_AND_WRITES = 3 };

typedef struct {
    uint32_t site;
    uint64_t times;
} tm_entries;

/* A basic block. sites: how often it was entered by the last profiled instruction before it. */
typedef struct {
    uint32_t first, after, count, *addresses;
    uint64_t cycles;
    int loop, counted;
    uint32_t known;
    tm_entries *sites;
} tm_block;

static const char *names[] = {"start", "stop",   "row",           "harness",     "program",
                              "end",   "limit",  "refill",        "profile_start", "profile_end"};
enum { START, STOP, ROW, HARNESS, PROGRAM, END, LIMIT, REFILL, PROFILE_START, PROFILE_END, NUMBERS };
static uint64_t number[NUMBERS];
static const char *table_file, *counts_file, *profile_file;
static uint16_t *table;
static FILE *counts;
static int counting;
static uint64_t instructions, cycles, part, longest;
static const tm_block *before;
static uint32_t site;
static tm_block **blocks;
static size_t known_blocks;

static void fail(const char *text, uint32_t at) {
    fprintf(stderr, "error: ");
    fprintf(stderr, text, at);
    fputc('\n', stderr);
    _exit(1);
}

static void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        fail("out of memory at 0x%x", 0);
    return memory;
}

static void end_part(void) {
    if (instructions - part > longest)
        longest = instructions - part;
    part = instructions;
}

static void enter_site(tm_block *block, uint32_t from) {
    for (uint32_t i = 0; i < block->known; i++)
        if (block->sites[i].site == from) {
            block->sites[i].times++;
            return;
        }
    block->sites = realloc(block->sites, (block->known + 1) * sizeof *block->sites);
    if (!block->sites)
        fail("out of memory at 0x%x", from);
    block->sites[block->known++] = (tm_entries){from, 1};
}

static void on_block(unsigned cpu, void *data) {
    tm_block *block = data;
    (void)cpu;
    if (block->first == number[START]) {
        counting = 1;
        instructions = cycles = part = longest = 0;
        before = NULL;
        site = (uint32_t)number[PROFILE_START];
        return;
    }
    if (!counting)
        return;
    if (block->first == number[STOP]) {
        end_part();
        const uint64_t record[] = {instructions, cycles, longest};
        fwrite(record, sizeof record, 1, counts);
        counting = 0;
        return;
    }
    if (block->first == number[ROW])
        end_part();
    if (!block->counted) {
        before = NULL;
        return;
    }
    if (before && before->after != block->first && !before->loop)
        cycles += number[REFILL];
    before = block;
    instructions += block->count;
    cycles += block->cycles;
    if (instructions > number[LIMIT])
        fail("did not end within the limit of instructions, at 0x%x", block->first);
    if (number[PROFILE_END]) {
        const int inside = block->first >= number[PROFILE_START] && block->first < number[PROFILE_END];
        enter_site(block, inside ? 0 : site);
        if (inside)
            site = block->addresses[block->count - 1];
    }
}

static void on_access(unsigned cpu, uint32_t access, uint64_t address, void *data) {
    const uint32_t at = (uint32_t)(uintptr_t)data;
    (void)cpu;
    (void)access;
    if (address & ((1u << (table[(at - number[HARNESS]) / 2] >> ALIGNMENT) >> 1) - 1))
        fail("unaligned vector access at 0x%x", at);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *code) {
    tm_block *block = zeroed(1, sizeof *block);
    (void)id;
    block->count = (uint32_t)qemu_plugin_tb_n_insns(code);
    block->addresses = zeroed(block->count, sizeof *block->addresses);
    for (uint32_t i = 0; i < block->count; i++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(code, i);
        const uint32_t at = (uint32_t)qemu_plugin_insn_vaddr(instruction);
        block->addresses[i] = at;
        block->after = at + (uint32_t)qemu_plugin_insn_size(instruction);
        if (!table || at < number[PROGRAM] || at >= number[END])
            continue;
        const uint16_t known = table[(at - number[HARNESS]) / 2];
        block->cycles += known & CYCLES;
        block->loop = (known & LOOP) != 0;
        /* Of all vector accesses: QEMU 7.2 may call the last function registered for accesses that have none. */
        if (known >> ALIGNMENT)
            qemu_plugin_register_vcpu_mem_cb(instruction, on_access, 0, READS_AND_WRITES, (void *)(uintptr_t)at);
    }
    block->first = block->addresses[0];
    block->counted = block->first >= number[PROGRAM] && block->first < number[END];
    if (block->first >= number[END] || (block->first < number[HARNESS]))
        fail("jump to 0x%x, outside the program", block->first);
    blocks = realloc(blocks, (known_blocks + 1) * sizeof *blocks);
    if (!blocks)
        fail("out of memory at 0x%x", block->first);
    blocks[known_blocks++] = block;
    qemu_plugin_register_vcpu_tb_exec_cb(code, on_block, 0, block);
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *data) {
    (void)id;
    (void)data;
    fclose(counts);
    if (!number[PROFILE_END])
        return;
    FILE *file = fopen(profile_file, "w");
    if (!file)
        fail("cannot write the profile, 0x%x", 0);
    for (size_t b = 0; b < known_blocks; b++)
        for (uint32_t s = 0; s < blocks[b]->known; s++)
            for (uint32_t i = 0; i < blocks[b]->count; i++) {
                const uint32_t at = blocks[b]->addresses[i], from = blocks[b]->sites[s].site;
                fprintf(file, "%u %u %llu\n", from ? from : at, at, (unsigned long long)blocks[b]->sites[s].times);
            }
    fclose(file);
}

static void read_argument(const char *text) {
    const char *value = strchr(text, '=') + 1;
    const size_t length = (size_t)(value - text - 1);
    for (int i = 0; i < NUMBERS; i++)
        if (strlen(names[i]) == length && !strncmp(text, names[i], length))
            number[i] = strtoull(value, NULL, 10);
    if (!strncmp(text, "table=", 6))
        table_file = value;
    if (!strncmp(text, "counts=", 7))
        counts_file = value;
    if (!strncmp(text, "profile=", 8))
        profile_file = value;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv) {
    (void)info;
    for (int i = 0; i < argc; i++)
        read_argument(argv[i]);
    if (table_file) {
        const size_t halfwords = (size_t)(number[END] - number[HARNESS]) / 2;
        table = zeroed(halfwords + 1, sizeof *table);
        FILE *file = fopen(table_file, "rb");
        if (!file || fread(table, sizeof *table, halfwords, file) != halfwords)
            fail("cannot read the table of instructions, 0x%x", 0);
        fclose(file);
    }
    counts = fopen(counts_file, "wb");
    if (!counts)
        fail("cannot write the counts, 0x%x", 0);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
    return 0;
}
