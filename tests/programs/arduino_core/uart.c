/* Runs an ELF file on simavr with its first UART on standard input and output, until that has written so many lines.

   usage: uart PART ELF LINES LIMIT [DEPTH]

   LIMIT is the most cycles; a program runs on without either if both are 0, until the input ends or a signal TERM comes.
   Bytes arrive at the speed that the program has set, as long as its part can keep them. The file DEPTH gets two numbers
   at the end: the bytes of static data, and the greatest depth of the stack. */
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static avr_irq_t *input;
static int paused, lines;

static void on_output(avr_irq_t *irq, uint32_t value, void *parameter) {
    (void)irq, (void)parameter;
    putchar((int)value);
    lines += value == '\n';
}

static void on_xon(avr_irq_t *irq, uint32_t value, void *parameter) {
    (void)irq, (void)value, (void)parameter;
    paused = 0;
}

static void on_xoff(avr_irq_t *irq, uint32_t value, void *parameter) {
    (void)irq, (void)value, (void)parameter;
    paused = 1;
}

static volatile sig_atomic_t ended;

static void on_end(int signal) {
    (void)signal;
    ended = 1;
}

static unsigned stack_pointer(const avr_t *avr) { return avr->data[R_SPL] | avr->data[R_SPH] << 8; }

/* Runs an instruction, and keeps the least stack pointer. Its halves are written one after the other, SPH first: between
   them it means nothing. */
static int step(avr_t *avr, unsigned *least) {
    unsigned before = stack_pointer(avr), opcode = avr->flash[avr->pc] | avr->flash[avr->pc + 1] << 8;
    int state = avr_run(avr);
    unsigned after = stack_pointer(avr);
    if (((opcode & 0xfe0f) == 0xbe0d || (after != before && (opcode & 0xfe0f) != 0xbe0e)) && after < *least)
        *least = after;
    return state;
}

static int write_depth(const char *path, const elf_firmware_t *firmware, unsigned depth) {
    FILE *file = fopen(path, "w");
    if (!file)
        return 1;
    fprintf(file, "%u %u\n", (unsigned)(firmware->datasize + firmware->bsssize), depth);
    return fclose(file);
}

int main(int count, char **arguments) {
    elf_firmware_t firmware;
    memset(&firmware, 0, sizeof firmware);
    if (count < 5 || count > 6 || elf_read_firmware(arguments[2], &firmware) != 0)
        return 2;
    avr_t *avr = avr_make_mcu_by_name(arguments[1]);
    if (!avr)
        return 2;
    avr_init(avr);
    avr->log = LOG_ERROR;
    avr->frequency = 16000000;
    avr_load_firmware(avr, &firmware);
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_output, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), on_xon, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), on_xoff, NULL);
    uint64_t limit = strtoull(arguments[4], NULL, 10), ready = 0;
    int wanted = atoi(arguments[3]), idle = 0;
    setvbuf(stdout, NULL, wanted ? _IOLBF : _IONBF, 0);
    signal(SIGTERM, on_end);
    /* Single steps. */
    avr->run_cycle_limit = avr->run_cycle_count = 1;
    unsigned least = avr->ramend;
    while ((lines < wanted || !wanted) && !ended) {
        int state = step(avr, &least);
        if (state == cpu_Done || state == cpu_Crashed || (limit && avr->cycle > limit)) {
            fprintf(stderr, "error: %d lines after %llu cycles\n", lines, (unsigned long long)avr->cycle);
            return 1;
        }
        /* A byte takes ten bits at 115200 baud, and the boot of the program some milliseconds. */
        if (!paused && avr->cycle > 200000 && avr->cycle >= ready) {
            unsigned char next;
            struct pollfd waiting = {STDIN_FILENO, POLLIN, 0};
            /* A program that has nothing to do for a simulated second sleeps for real. */
            if (poll(&waiting, 1, idle < 10000 ? 0 : 1) > 0) {
                ssize_t got = read(STDIN_FILENO, &next, 1);
                if (got == 1)
                    avr_raise_irq(input, next);
                else if (!wanted)
                    break;
                idle = 0;
            } else {
                idle++;
            }
            ready = avr->cycle + 1400;
        }
    }
    return count == 6 ? write_depth(arguments[5], &firmware, avr->ramend - least) : 0;
}
