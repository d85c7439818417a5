/* Straight lines between the entries of a table, without a division or a shift: `scale` stretches arguments so that 256
 * of them make a segment, whose number is then all but the low byte and the place within it the low byte.
 * The tables lie in flash; they reach one entry beyond the segment of the greatest place. */
#ifndef TINYML_INTERPOLATE_H
#define TINYML_INTERPOLATE_H
#include <stdint.h>

#ifdef __AVR__
/* Z is the table. (R1:R0) * r18 is the place: the low byte to P, the segment to r1:S. Then r25:r24 is the entry of the
 * segment plus P / 256 of the way to the next; D1:D0 is that way. P and D1 are among r16 to r23, as MULSU wants. */
#define TM_BETWEEN(R0, R1, P, S, D0, D1) \
    "mul " R0 ",r18\n\tmovw " P ",r0\n\tmul " R1 ",r18\n\tclr r18\n\tadd " S ",r0\n\tadc r1,r18\n\t" \
    "add r30," S "\n\tadc r31,r1\n\tadd r30," S "\n\tadc r31,r1\n\t" \
    "lpm r24,Z+\n\tlpm r25,Z+\n\tlpm " D0 ",Z+\n\tlpm " D1 ",Z\n\tsub " D0 ",r24\n\tsbc " D1 ",r25\n\t" \
    "mul " D0 "," P "\n\tlsl r0\n\tadc r24,r1\n\tadc r25,r18\n\t" \
    "mulsu " D1 "," P "\n\tadd r24,r0\n\tadc r25,r1\n\tclr r1\n\t"
#define TM_INTERPOLATE(TEXT, ...) \
    register int16_t a __asm__("r22") = x; \
    register int16_t b __asm__("r20") = last; \
    register int8_t c __asm__("r18") = scale; \
    register int16_t y __asm__("r24"); \
    __asm__(TEXT : "=&r"(y), "+r"(a), "+r"(b), "+r"(c), "+z"(table) : : __VA_ARGS__); \
    return y;
#define TM_SHARED __attribute__((__noinline__, __noclone__, __unused__))

/* Entry i is the value at last - 256 * i / scale; x is at most last. */
static TM_SHARED int16_t tm_interpolate_s16(const int16_t *table, int16_t x, int16_t last, int8_t scale)
{
    TM_INTERPOLATE("sub r20,r22\n\tsbc r21,r23\n\t" TM_BETWEEN("r20", "r21", "r22", "r23", "r20", "r21"), "r0")
}

/* Of an odd function that is constant from last on: entry i is the value at 256 * i / scale. */
static TM_SHARED int16_t tm_interpolate_odd_s16(const int16_t *table, int16_t x, int16_t last, int8_t scale)
{
    TM_INTERPOLATE("mov r19,r23\n\tlsl r19\n\tsbc r19,r19\n\t"
                   "eor r22,r19\n\teor r23,r19\n\tsub r22,r19\n\tsbc r23,r19\n\t"
                   "cp r20,r22\n\tcpc r21,r23\n\tbrsh 1f\n\tmovw r22,r20\n1:\t"
                   TM_BETWEEN("r22", "r23", "r20", "r21", "r22", "r23")
                   "eor r24,r19\n\teor r25,r19\n\tsub r24,r19\n\tsbc r25,r19", "r0", "r19")
}
#else
#define TM_PLAIN __attribute__((__unused__))

static TM_PLAIN int16_t tm_between_s16(const int16_t *table, uint32_t place)
{
    const int16_t *entry = table + (place >> 8);
    return (int16_t)(entry[0] + (((entry[1] - entry[0]) * (int32_t)(place & 255) + 128) >> 8));
}

/* Entry i is the value at last - 256 * i / scale; x is at most last. */
static TM_PLAIN int16_t tm_interpolate_s16(const int16_t *table, int16_t x, int16_t last, int8_t scale)
{
    return tm_between_s16(table, (uint32_t)(uint16_t)(last - x) * (uint8_t)scale);
}

/* Of an odd function that is constant from last on: entry i is the value at 256 * i / scale. */
static TM_PLAIN int16_t tm_interpolate_odd_s16(const int16_t *table, int16_t x, int16_t last, int8_t scale)
{
    uint16_t size = (uint16_t)(x < 0 ? -x : x);
    if (size > (uint16_t)last)
        size = (uint16_t)last;
    const int16_t y = tm_between_s16(table, (uint32_t)size * (uint8_t)scale);
    return (int16_t)(x < 0 ? -y : y);
}
#endif
#endif
