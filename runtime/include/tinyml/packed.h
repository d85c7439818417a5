/* Single elements of packed arrays: integers of 4, 5, 6, 9, 10 or 12 bits in groups of whole bytes, by their number,
 * which may have 16 bits. A group begins with the high bits of its elements; a low byte of each may follow.
 * tm_packed_sN reads flash, tm_packed_sN_ram working memory; tm_pack_sN writes there. */
#ifndef TINYML_PACKED_H
#define TINYML_PACKED_H
#include <stdint.h>

#define TM_PACKED_INLINE inline __attribute__((__always_inline__))
#ifdef __AVR__
#define TM_PACKED __attribute__((__noinline__, __noclone__, __unused__))
static TM_PACKED_INLINE uint8_t tm_packed_byte(const int8_t *p, uint8_t flash)
{
    uint8_t byte;
    if (!flash)
        return (uint8_t)*p;
    __asm__("lpm %0,Z" : "=r"(byte) : "z"(p));
    return byte;
}
#else
#define TM_PACKED inline __attribute__((__unused__))
static TM_PACKED_INLINE uint8_t tm_packed_byte(const int8_t *p, uint8_t flash)
{
    (void)flash;
    return (uint8_t)*p;
}
#endif

static TM_PACKED_INLINE int8_t tm_element_s4(const int8_t *p, uint16_t i, uint8_t flash)
{
    p += i >> 1;
    uint8_t byte = tm_packed_byte(p, flash);
    if (i & 1)
        byte = (uint8_t)(byte >> 4);
    return (int8_t)((byte & 15) - 8);
}

/* Of 8 elements, what lies below the five that have a byte each: the other three, in one number. */
static TM_PACKED_INLINE uint16_t tm_packed_others(const int8_t *p, uint8_t flash)
{
    uint16_t others = 0;
    for (uint8_t k = 5; k > 0; k--)
        others = (uint16_t)(others << 3 | (tm_packed_byte(p + k - 1, flash) & 7));
    return others;
}

static TM_PACKED_INLINE int8_t tm_element_s5(const int8_t *p, uint16_t i, uint8_t flash)
{
    const uint8_t place = i & 7;
    p += 5 * (i >> 3);
    if (place < 5)
        return (int8_t)((int8_t)tm_packed_byte(p + place, flash) >> 3);
    uint16_t others = tm_packed_others(p, flash);
    if (place == 5)
        others = (uint16_t)(others << 5);
    if (place == 7)
        others = others >> 5;
    return (int8_t)((int8_t)(others >> 2) >> 3);
}

static TM_PACKED_INLINE int8_t tm_element_s6(const int8_t *p, uint16_t i, uint8_t flash)
{
    const uint8_t place = i & 3;
    p += 3 * (i >> 2);
    if (place < 3)
        return (int8_t)((int8_t)tm_packed_byte(p + place, flash) >> 2);
    const uint8_t low = (uint8_t)(tm_packed_byte(p, flash) << 6);
    const uint8_t middle = (uint8_t)(tm_packed_byte(p + 1, flash) << 6);
    return (int8_t)((int8_t)(tm_packed_byte(p + 2, flash) << 6 | middle >> 2 | low >> 4) >> 2);
}

static TM_PACKED_INLINE int16_t tm_element_s9(const int8_t *p, uint16_t i, uint8_t flash)
{
    const uint8_t place = i & 7;
    p += 9 * (i >> 3);
    return (int16_t)(((tm_packed_byte(p, flash) >> place & 1) - 1) * 256 + tm_packed_byte(p + 1 + place, flash));
}

static TM_PACKED_INLINE int16_t tm_element_s10(const int8_t *p, uint16_t i, uint8_t flash)
{
    const uint8_t place = i & 3;
    p += 5 * (i >> 2);
    return (int16_t)(((tm_packed_byte(p, flash) >> 2 * place & 3) - 2) * 256 + tm_packed_byte(p + 1 + place, flash));
}

static TM_PACKED_INLINE int16_t tm_element_s12(const int8_t *p, uint16_t i, uint8_t flash)
{
    p += 3 * (i >> 1);
    uint8_t high = tm_packed_byte(p++, flash);
    if (i & 1) {
        high = (uint8_t)(high >> 4);
        p++;
    }
    return (int16_t)(((high & 15) - 8) * 256 + tm_packed_byte(p, flash));
}

static TM_PACKED int8_t tm_packed_s4(const int8_t *p, int16_t i) { return tm_element_s4(p, (uint16_t)i, 1); }
static TM_PACKED int8_t tm_packed_s5(const int8_t *p, int16_t i) { return tm_element_s5(p, (uint16_t)i, 1); }
static TM_PACKED int8_t tm_packed_s6(const int8_t *p, int16_t i) { return tm_element_s6(p, (uint16_t)i, 1); }
static TM_PACKED int16_t tm_packed_s9(const int8_t *p, int16_t i) { return tm_element_s9(p, (uint16_t)i, 1); }
static TM_PACKED int16_t tm_packed_s10(const int8_t *p, int16_t i) { return tm_element_s10(p, (uint16_t)i, 1); }
static TM_PACKED int16_t tm_packed_s12(const int8_t *p, int16_t i) { return tm_element_s12(p, (uint16_t)i, 1); }

static TM_PACKED int8_t tm_packed_s4_ram(const int8_t *p, int16_t i) { return tm_element_s4(p, (uint16_t)i, 0); }
static TM_PACKED int8_t tm_packed_s5_ram(const int8_t *p, int16_t i) { return tm_element_s5(p, (uint16_t)i, 0); }
static TM_PACKED int8_t tm_packed_s6_ram(const int8_t *p, int16_t i) { return tm_element_s6(p, (uint16_t)i, 0); }
static TM_PACKED int16_t tm_packed_s9_ram(const int8_t *p, int16_t i) { return tm_element_s9(p, (uint16_t)i, 0); }
static TM_PACKED int16_t tm_packed_s10_ram(const int8_t *p, int16_t i) { return tm_element_s10(p, (uint16_t)i, 0); }
static TM_PACKED int16_t tm_packed_s12_ram(const int8_t *p, int16_t i) { return tm_element_s12(p, (uint16_t)i, 0); }

/* Writes some bits of a byte, at a place. */
static TM_PACKED_INLINE void tm_pack_field(int8_t *p, uint8_t mask, uint8_t bits, uint8_t place)
{
    *p = (int8_t)(((uint8_t)*p & (uint8_t)~(mask << place)) | (bits & mask) << place);
}

static TM_PACKED void tm_pack_s4(int8_t *p, int16_t number, int8_t value)
{
    const uint16_t i = (uint16_t)number;
    tm_pack_field(p + (i >> 1), 15, (uint8_t)(value + 8), i & 1 ? 4 : 0);
}

static TM_PACKED void tm_pack_s5(int8_t *p, int16_t number, int8_t value)
{
    const uint16_t i = (uint16_t)number;
    const uint8_t place = i & 7;
    p += 5 * (i >> 3);
    if (place < 5) {
        tm_pack_field(p + place, 31, (uint8_t)value, 3);
        return;
    }
    const uint8_t shift = (uint8_t)(5 * (place - 5));
    uint16_t others = tm_packed_others(p, 0);
    others = (uint16_t)((others & ~(31u << shift)) | ((uint8_t)value & 31u) << shift);
    for (uint8_t k = 0; k < 5; k++) {
        tm_pack_field(p + k, 7, (uint8_t)others, 0);
        others = others >> 3;
    }
}

static TM_PACKED void tm_pack_s6(int8_t *p, int16_t number, int8_t value)
{
    const uint16_t i = (uint16_t)number;
    const uint8_t place = i & 3;
    p += 3 * (i >> 2);
    if (place < 3) {
        tm_pack_field(p + place, 63, (uint8_t)value, 2);
        return;
    }
    for (uint8_t k = 0; k < 3; k++) {
        tm_pack_field(p + k, 3, (uint8_t)value, 0);
        value = (int8_t)(value >> 2);
    }
}

static TM_PACKED void tm_pack_s9(int8_t *p, int16_t number, int16_t value)
{
    const uint16_t i = (uint16_t)number;
    const uint8_t place = i & 7;
    p += 9 * (i >> 3);
    tm_pack_field(p, 1, (uint8_t)((value >> 8) + 1), place);
    p[1 + place] = (int8_t)value;
}

static TM_PACKED void tm_pack_s10(int8_t *p, int16_t number, int16_t value)
{
    const uint16_t i = (uint16_t)number;
    const uint8_t place = i & 3;
    p += 5 * (i >> 2);
    tm_pack_field(p, 3, (uint8_t)((value >> 8) + 2), (uint8_t)(2 * place));
    p[1 + place] = (int8_t)value;
}

static TM_PACKED void tm_pack_s12(int8_t *p, int16_t number, int16_t value)
{
    const uint16_t i = (uint16_t)number;
    const uint8_t place = i & 1;
    p += 3 * (i >> 1);
    tm_pack_field(p, 15, (uint8_t)((value >> 8) + 8), place ? 4 : 0);
    p[1 + place] = (int8_t)value;
}
#endif
