/* Single elements of packed constants in flash: integers of 4, 5, 6, 9, 10 or 12 bits in groups of whole bytes, by their
 * number, which may have 16 bits. A group begins with the high bits of its elements; a low byte of each may follow. */
#ifndef TINYML_PACKED_H
#define TINYML_PACKED_H
#include <stdint.h>

#ifdef __AVR__
#define TM_PACKED __attribute__((__noinline__, __noclone__, __unused__))
static inline __attribute__((__always_inline__)) uint8_t tm_packed_byte(const int8_t *p)
{
    uint8_t byte;
    __asm__("lpm %0,Z" : "=r"(byte) : "z"(p));
    return byte;
}
#else
#define TM_PACKED inline __attribute__((__unused__))
static inline uint8_t tm_packed_byte(const int8_t *p)
{
    return (uint8_t)*p;
}
#endif

static TM_PACKED int8_t tm_packed_s4(const int8_t *p, int16_t number)
{
    const uint16_t i = (uint16_t)number;
    p += i >> 1;
    uint8_t byte = tm_packed_byte(p);
    if (i & 1)
        byte = (uint8_t)(byte >> 4);
    return (int8_t)((byte & 15) - 8);
}

static TM_PACKED int8_t tm_packed_s5(const int8_t *p, int16_t number)
{
    const uint16_t i = (uint16_t)number;
    const uint8_t place = i & 7;
    p += 5 * (i >> 3);
    if (place < 5)
        return (int8_t)((int8_t)tm_packed_byte(p + place) >> 3);
    uint16_t others = 0;
    for (uint8_t k = 5; k > 0; k--)
        others = (uint16_t)(others << 3 | (tm_packed_byte(p + k - 1) & 7));
    if (place == 5)
        others = (uint16_t)(others << 5);
    if (place == 7)
        others = others >> 5;
    return (int8_t)((int8_t)(others >> 2) >> 3);
}

static TM_PACKED int8_t tm_packed_s6(const int8_t *p, int16_t number)
{
    const uint16_t i = (uint16_t)number;
    const uint8_t place = i & 3;
    p += 3 * (i >> 2);
    if (place < 3)
        return (int8_t)((int8_t)tm_packed_byte(p + place) >> 2);
    const uint8_t low = (uint8_t)(tm_packed_byte(p) << 6), middle = (uint8_t)(tm_packed_byte(p + 1) << 6);
    return (int8_t)((int8_t)(tm_packed_byte(p + 2) << 6 | middle >> 2 | low >> 4) >> 2);
}

static TM_PACKED int16_t tm_packed_s9(const int8_t *p, int16_t number)
{
    const uint16_t i = (uint16_t)number;
    const uint8_t place = i & 7;
    p += 9 * (i >> 3);
    return (int16_t)(((tm_packed_byte(p) >> place & 1) - 1) * 256 + tm_packed_byte(p + 1 + place));
}

static TM_PACKED int16_t tm_packed_s10(const int8_t *p, int16_t number)
{
    const uint16_t i = (uint16_t)number;
    const uint8_t place = i & 3;
    p += 5 * (i >> 2);
    return (int16_t)(((tm_packed_byte(p) >> 2 * place & 3) - 2) * 256 + tm_packed_byte(p + 1 + place));
}

static TM_PACKED int16_t tm_packed_s12(const int8_t *p, int16_t number)
{
    const uint16_t i = (uint16_t)number;
    p += 3 * (i >> 1);
    uint8_t high = tm_packed_byte(p++);
    if (i & 1) {
        high = (uint8_t)(high >> 4);
        p++;
    }
    return (int16_t)(((high & 15) - 8) * 256 + tm_packed_byte(p));
}
#endif
