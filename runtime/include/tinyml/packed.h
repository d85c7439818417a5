/* Bytes of packed elements, which composed functions read and write one by one. */
#ifndef TINYML_PACKED_H
#define TINYML_PACKED_H
#include <stdint.h>

#ifdef __AVR__
#define TM_PACKED __attribute__((__noinline__, __noclone__, __unused__))
#define TM_UNPACK TM_PACKED
static inline __attribute__((__always_inline__)) uint8_t tm_packed_byte(const int8_t *p, uint8_t flash)
{
    uint8_t byte;
    if (!flash)
        return (uint8_t)*p;
    __asm__("lpm %0,Z" : "=r"(byte) : "z"(p));
    return byte;
}
#else
#define TM_PACKED inline __attribute__((__unused__))
#define TM_UNPACK TM_PACKED
#define tm_packed_byte(P, FLASH) ((uint8_t)*(P))
#endif

/* Writes a field of a byte at a bit position; mask: the bits of the field, in the low bits. */
static inline __attribute__((__always_inline__, __unused__)) void tm_pack_field(int8_t *p, uint8_t mask, uint8_t bits,
                                                                              uint8_t place)
{
    *p = (int8_t)(((uint8_t)*p & (uint8_t)~(mask << place)) | (bits & mask) << place);
}
#endif
