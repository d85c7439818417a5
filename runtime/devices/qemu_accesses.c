/* A plugin of QEMU (version 1 of its interface, docs/devel/tcg-plugins) that counts the accesses of a program to ranges
 * of addresses. Debian's package has no header, so what is used of the interface is declared here.
 *
 * Arguments: ranges (a file of pairs of uint32: the first address, and the one after the last), counts (a file that
 * receives, for each range, uint64 loads, stores, bytes loaded and bytes stored). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*tm_on_access)(unsigned, uint32_t, uint64_t, void *);
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, tm_on_access, int flags, int accesses, void *);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern unsigned qemu_plugin_mem_size_shift(uint32_t);
extern _Bool qemu_plugin_mem_is_store(uint32_t);

#define TM_EXPORTED __attribute__((visibility("default")))
extern TM_EXPORTED int qemu_plugin_version;
int qemu_plugin_version = 1;
TM_EXPORTED int qemu_plugin_install(qemu_plugin_id_t, const qemu_info_t *, int, char **);

enum { MOST = 256, READS_AND_WRITES = 3 };
static uint32_t ranges[MOST][2];
static uint64_t counts[MOST][4];
static size_t known;
static const char *counts_file;

static void on_access(unsigned cpu, uint32_t access, uint64_t address, void *data) {
    const int store = qemu_plugin_mem_is_store(access);
    (void)cpu;
    (void)data;
    for (size_t i = 0; i < known; i++)
        if (address >= ranges[i][0] && address < ranges[i][1]) {
            counts[i][store]++;
            counts[i][2 + store] += 1u << qemu_plugin_mem_size_shift(access);
        }
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *code) {
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(code); i++)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(code, i), on_access, 0, READS_AND_WRITES, NULL);
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *data) {
    FILE *file = fopen(counts_file, "wb");
    (void)id;
    (void)data;
    if (!file || fwrite(counts, sizeof counts[0], known, file) != known || fclose(file)) {
        fputs("error: cannot write the counts of accesses\n", stderr);
        _exit(1);
    }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv) {
    const char *ranges_file = "";
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "ranges=", 7))
            ranges_file = argv[i] + 7;
        if (!strncmp(argv[i], "counts=", 7))
            counts_file = argv[i] + 7;
    }
    FILE *file = fopen(ranges_file, "rb");
    if (!file || !counts_file) {
        fputs("error: cannot read the ranges of addresses\n", stderr);
        return 1;
    }
    known = fread(ranges, sizeof ranges[0], MOST, file);
    fclose(file);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
    return 0;
}
