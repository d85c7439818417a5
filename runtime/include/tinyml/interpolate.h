/* Linear interpolation between the entries of a table, without a division or a shift: `scale` stretches arguments so
 * that 256 of them make a segment. The low byte of the position is then the offset within a segment, the bytes above it
 * are the segment's number. `scale` and `last` are constants. The tables lie in flash and have one entry more than the
 * segment of the greatest position. */
#ifndef TINYML_INTERPOLATE_H
#define TINYML_INTERPOLATE_H
#include <stdint.h>

#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
/* Z is the table. (R1:R0) * r18 is the position: low byte to P, segment to r1:S. Then r25:r24 is the entry
 * of the segment plus P / 256 of the difference to the next, D1:D0. P and D1 are among r16 to r23, as MULSU requires. */
#define TM_BETWEEN(R0, R1, P, S, D0, D1) \
    "mul " R0 ",r18\n\tmovw " P ",r0\n\tmul " R1 ",r18\n\tclr r18\n\tadd " S ",r0\n\tadc r1,r18\n\t" \
    "add r30," S "\n\tadc r31,r1\n\tadd r30," S "\n\tadc r31,r1\n\t" \
    "lpm r24,Z+\n\tlpm r25,Z+\n\tlpm " D0 ",Z+\n\tlpm " D1 ",Z\n\tsub " D0 ",r24\n\tsbc " D1 ",r25\n\t" \
    "mul " D0 "," P "\n\tlsl r0\n\tadc r24,r1\n\tadc r25,r18\n\t" \
    "mulsu " D1 "," P "\n\tadd r24,r0\n\tadc r25,r1\n\tclr r1\n\t"
#define TM_INTERPOLATE(TEXT) \
    register int16_t a __asm__("r22") = x; \
    register int8_t c __asm__("r18") = scale; \
    register int16_t y __asm__("r24"); \
    __asm__(TEXT : "=&r"(y), "+r"(a), "+r"(c), "+z"(table) : [last] "n"(last) : "r0", "r20", "r21"); \
    return y;
#define TM_LINES inline __attribute__((__always_inline__, __unused__))

/* Entry i is the value at last - 256 * i / scale; x is at most last. */
static TM_LINES int16_t tm_interpolate_s16(const int16_t *table, int16_t x, int16_t last, int8_t scale)
{
    TM_INTERPOLATE("ldi r20,lo8(%[last])\n\tldi r21,hi8(%[last])\n\tsub r20,r22\n\tsbc r21,r23\n\t"
                   TM_BETWEEN("r20", "r21", "r22", "r23", "r20", "r21"))
}

/* An odd function that is constant from last on: entry i is the value at 256 * i / scale. */
static TM_LINES int16_t tm_interpolate_odd_s16(const int16_t *table, int16_t x, int16_t last, int8_t scale)
{
    TM_INTERPOLATE("bst r23,7\n\tbrtc 0f\n\tcom r23\n\tneg r22\n\tsbci r23,0xff\n0:\t"
                   "cpi r23,hi8(%[last])\n\tbrlo 1f\n\tbrne 3f\n\tcpi r22,lo8(%[last])\n\tbrlo 1f\n3:\t"
                   "ldi r22,lo8(%[last])\n\tldi r23,hi8(%[last])\n1:\t"
                   TM_BETWEEN("r22", "r23", "r20", "r21", "r22", "r23")
                   "brtc 2f\n\tcom r25\n\tneg r24\n\tsbci r25,0xff\n2:")
}
#else
#define TM_PLAIN __attribute__((__unused__))

static TM_PLAIN int32_t tm_between_s16(const int16_t *table, int32_t place)
{
    const int16_t *entry = table + (place >> 8);
    int16_t low, high;
#ifdef __AVR__
    __asm__("lpm %A0,Z+\n\tlpm %B0,Z+\n\tlpm %A1,Z+\n\tlpm %B1,Z" : "=&r"(low), "=&r"(high), "+z"(entry));
#else
    low = entry[0];
    high = entry[1];
#endif
    return low + (((high - low) * (place & 255) + 128) >> 8);
}

/* Entry i is the value at last - 256 * i / scale; x is at most last. */
static TM_PLAIN int16_t tm_interpolate_s16(const int16_t *table, int16_t x, int16_t last, int8_t scale)
{
    return (int16_t)tm_between_s16(table, ((int32_t)last - x) * scale);
}

/* An odd function that is constant from last on: entry i is the value at 256 * i / scale. */
static TM_PLAIN int16_t tm_interpolate_odd_s16(const int16_t *table, int16_t x, int16_t last, int8_t scale)
{
    const int32_t size = x < 0 ? -(int32_t)x : x;
    const int32_t y = tm_between_s16(table, (size < last ? size : last) * scale);
    return (int16_t)(x < 0 ? -y : y);
}
#endif
#endif
