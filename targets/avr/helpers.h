/* What printed C defines in front of a model, each block where it is used. Blocks are separated by empty lines; comments
   between them are not printed. They do without <avr/pgmspace.h>, which defines a thousand macros for the registers of
   the chip (ADC, SP, PINB), any of which could be the name of something in a model. Other compilers get plain C. */

#ifdef __AVR__
#define TM_FLASH __attribute__((__progmem__))
#define TM_INLINE static inline __attribute__((__always_inline__))
#else
#define TM_FLASH
#define TM_INLINE static inline
#endif

/* Reads of constants; the second kind moves on to the next element. */

TM_INLINE int8_t tm_flash_i8(const int8_t *p)
{
#ifdef __AVR__
    int8_t value;
    __asm__("lpm %A0, Z" : "=r"(value), "+z"(p));
    return value;
#else
    return *p;
#endif
}

TM_INLINE int16_t tm_flash_i16(const int16_t *p)
{
#ifdef __AVR__
    int16_t value;
    __asm__("lpm %A0, Z+\n\tlpm %B0, Z" : "=r"(value), "+z"(p));
    return value;
#else
    return *p;
#endif
}

TM_INLINE int32_t tm_flash_i32(const int32_t *p)
{
#ifdef __AVR__
    int32_t value;
    __asm__("lpm %A0, Z+\n\tlpm %B0, Z+\n\tlpm %C0, Z+\n\tlpm %D0, Z" : "=r"(value), "+z"(p));
    return value;
#else
    return *p;
#endif
}

TM_INLINE int64_t tm_flash_i64(const int64_t *p)
{
#ifdef __AVR__
    uint32_t low, high;
    __asm__("lpm %A0, Z+\n\tlpm %B0, Z+\n\tlpm %C0, Z+\n\tlpm %D0, Z+\n\t"
            "lpm %A1, Z+\n\tlpm %B1, Z+\n\tlpm %C1, Z+\n\tlpm %D1, Z" : "=r"(low), "=r"(high), "+z"(p));
    return (int64_t)((uint64_t)high << 32 | low);
#else
    return *p;
#endif
}

TM_INLINE float tm_flash_f32(const float *p)
{
#ifdef __AVR__
    float value;
    __asm__("lpm %A0, Z+\n\tlpm %B0, Z+\n\tlpm %C0, Z+\n\tlpm %D0, Z" : "=r"(value), "+z"(p));
    return value;
#else
    return *p;
#endif
}

TM_INLINE int8_t tm_next_i8(const int8_t **p)
{
#ifdef __AVR__
    int8_t value;
    __asm__("lpm %A0, Z+" : "=r"(value), "+z"(*p));
    return value;
#else
    return *(*p)++;
#endif
}

TM_INLINE int16_t tm_next_i16(const int16_t **p)
{
#ifdef __AVR__
    int16_t value;
    __asm__("lpm %A0, Z+\n\tlpm %B0, Z+" : "=r"(value), "+z"(*p));
    return value;
#else
    return *(*p)++;
#endif
}

TM_INLINE int32_t tm_next_i32(const int32_t **p)
{
#ifdef __AVR__
    int32_t value;
    __asm__("lpm %A0, Z+\n\tlpm %B0, Z+\n\tlpm %C0, Z+\n\tlpm %D0, Z+" : "=r"(value), "+z"(*p));
    return value;
#else
    return *(*p)++;
#endif
}

TM_INLINE int64_t tm_next_i64(const int64_t **p)
{
#ifdef __AVR__
    uint32_t low, high;
    __asm__("lpm %A0, Z+\n\tlpm %B0, Z+\n\tlpm %C0, Z+\n\tlpm %D0, Z+\n\t"
            "lpm %A1, Z+\n\tlpm %B1, Z+\n\tlpm %C1, Z+\n\tlpm %D1, Z+" : "=r"(low), "=r"(high), "+z"(*p));
    return (int64_t)((uint64_t)high << 32 | low);
#else
    return *(*p)++;
#endif
}

TM_INLINE float tm_next_f32(const float **p)
{
#ifdef __AVR__
    float value;
    __asm__("lpm %A0, Z+\n\tlpm %B0, Z+\n\tlpm %C0, Z+\n\tlpm %D0, Z+" : "=r"(value), "+z"(*p));
    return value;
#else
    return *(*p)++;
#endif
}

/* Constants beyond the first 64 KB, where ELPM reads them at RAMPZ:Z. Their section is one of code, behind all constants
   that LPM has to reach, and their addresses are numbers of 24 bits. The reads are volatile, as are the calls of
   kernels: nothing that sets RAMPZ may come between, so that no switch is a table, which gcc reads by ELPM, too.
   Interrupts keep RAMPZ. */

#ifdef __AVR__
#ifndef __AVR_HAVE_ELPM__
#error "the constants take more than 64 KB: compile the model for this board"
#endif
#pragma GCC optimize ("no-jump-tables")
typedef __uint24 tm_far;
#define TM_FAR(ARRAY) __extension__({ \
    tm_far address; \
    __asm__("ldi %A0,lo8(%1)\n\tldi %B0,hi8(%1)\n\tldi %C0,hh8(%1)" : "=d"(address) : "i"(ARRAY)); \
    address; \
})
#define TM_FLASH_FAR __attribute__((__section__(".text.tinyml_far")))
#else
typedef const char *tm_far;
#define TM_FAR(ARRAY) ((tm_far)(ARRAY))
#define TM_FLASH_FAR
#endif

TM_INLINE int8_t tm_far_i8(tm_far p)
{
#ifdef __AVR__
    int8_t value;
    uint16_t low = (uint16_t)p;
    __asm__ volatile("out __RAMPZ__, %2\n\telpm %A0, Z" : "=r"(value), "+z"(low) : "r"((uint8_t)(p >> 16)));
    return value;
#else
    return *(const int8_t *)p;
#endif
}

TM_INLINE int8_t tm_next_far_i8(tm_far *p)
{
#ifdef __AVR__
    int8_t value;
    uint16_t low = (uint16_t)*p;
    __asm__ volatile("out __RAMPZ__, %2\n\telpm %A0, Z" : "=r"(value), "+z"(low) : "r"((uint8_t)(*p >> 16)));
    *p += sizeof value;
    return value;
#else
    const int8_t *at = (const int8_t *)*p;
    *p += sizeof *at;
    return *at;
#endif
}

TM_INLINE int16_t tm_far_i16(tm_far p)
{
#ifdef __AVR__
    int16_t value;
    uint16_t low = (uint16_t)p;
    __asm__ volatile("out __RAMPZ__, %2\n\telpm %A0, Z+\n\telpm %B0, Z" : "=r"(value), "+z"(low) : "r"((uint8_t)(p >> 16)));
    return value;
#else
    return *(const int16_t *)p;
#endif
}

TM_INLINE int16_t tm_next_far_i16(tm_far *p)
{
#ifdef __AVR__
    int16_t value;
    uint16_t low = (uint16_t)*p;
    __asm__ volatile("out __RAMPZ__, %2\n\telpm %A0, Z+\n\telpm %B0, Z" : "=r"(value), "+z"(low) : "r"((uint8_t)(*p >> 16)));
    *p += sizeof value;
    return value;
#else
    const int16_t *at = (const int16_t *)*p;
    *p += sizeof *at;
    return *at;
#endif
}

TM_INLINE int32_t tm_far_i32(tm_far p)
{
#ifdef __AVR__
    int32_t value;
    uint16_t low = (uint16_t)p;
    __asm__ volatile("out __RAMPZ__, %2\n\telpm %A0, Z+\n\telpm %B0, Z+\n\telpm %C0, Z+\n\telpm %D0, Z" : "=r"(value), "+z"(low) : "r"((uint8_t)(p >> 16)));
    return value;
#else
    return *(const int32_t *)p;
#endif
}

TM_INLINE int32_t tm_next_far_i32(tm_far *p)
{
#ifdef __AVR__
    int32_t value;
    uint16_t low = (uint16_t)*p;
    __asm__ volatile("out __RAMPZ__, %2\n\telpm %A0, Z+\n\telpm %B0, Z+\n\telpm %C0, Z+\n\telpm %D0, Z" : "=r"(value), "+z"(low) : "r"((uint8_t)(*p >> 16)));
    *p += sizeof value;
    return value;
#else
    const int32_t *at = (const int32_t *)*p;
    *p += sizeof *at;
    return *at;
#endif
}

TM_INLINE float tm_far_f32(tm_far p)
{
#ifdef __AVR__
    float value;
    uint16_t low = (uint16_t)p;
    __asm__ volatile("out __RAMPZ__, %2\n\telpm %A0, Z+\n\telpm %B0, Z+\n\telpm %C0, Z+\n\telpm %D0, Z" : "=r"(value), "+z"(low) : "r"((uint8_t)(p >> 16)));
    return value;
#else
    return *(const float *)p;
#endif
}

TM_INLINE float tm_next_far_f32(tm_far *p)
{
#ifdef __AVR__
    float value;
    uint16_t low = (uint16_t)*p;
    __asm__ volatile("out __RAMPZ__, %2\n\telpm %A0, Z+\n\telpm %B0, Z+\n\telpm %C0, Z+\n\telpm %D0, Z" : "=r"(value), "+z"(low) : "r"((uint8_t)(*p >> 16)));
    *p += sizeof value;
    return value;
#else
    const float *at = (const float *)*p;
    *p += sizeof *at;
    return *at;
#endif
}

TM_INLINE int64_t tm_far_i64(tm_far p)
{
#ifdef __AVR__
    uint32_t low, high;
    uint16_t at = (uint16_t)p;
    __asm__ volatile("out __RAMPZ__, %3\n\telpm %A0, Z+\n\telpm %B0, Z+\n\telpm %C0, Z+\n\telpm %D0, Z+\n\t"
                     "elpm %A1, Z+\n\telpm %B1, Z+\n\telpm %C1, Z+\n\telpm %D1, Z"
                     : "=&r"(low), "=r"(high), "+z"(at) : "r"((uint8_t)(p >> 16)));
    return (int64_t)((uint64_t)high << 32 | low);
#else
    return *(const int64_t *)p;
#endif
}

TM_INLINE int64_t tm_next_far_i64(tm_far *p)
{
#ifdef __AVR__
    uint32_t low, high;
    uint16_t at = (uint16_t)*p;
    __asm__ volatile("out __RAMPZ__, %3\n\telpm %A0, Z+\n\telpm %B0, Z+\n\telpm %C0, Z+\n\telpm %D0, Z+\n\t"
                     "elpm %A1, Z+\n\telpm %B1, Z+\n\telpm %C1, Z+\n\telpm %D1, Z"
                     : "=&r"(low), "=r"(high), "+z"(at) : "r"((uint8_t)(*p >> 16)));
    *p += 8;
    return (int64_t)((uint64_t)high << 32 | low);
#else
    const int64_t *at = (const int64_t *)*p;
    *p += sizeof *at;
    return *at;
#endif
}

/* The product is pinned to 16 bits: otherwise gcc -Os widens the factors and calls a 16x16 multiplication. A constant
   is pinned, too: otherwise it shifts by one bit at a time. */

TM_INLINE int16_t tm_mul8(int8_t a, int8_t b)
{
#ifdef __AVR__
    __asm__("" : "+r"(b));
#endif
    int16_t product = (int16_t)((int16_t)a * (int16_t)b);
#ifdef __AVR__
    __asm__("" : "+r"(product));
#endif
    return product;
}

/* gcc calls a function that has the factors and the product in registers of its own choice. */

TM_INLINE int32_t tm_mul16(int16_t a, int16_t b)
{
#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
    int32_t product;
    uint8_t zero;
    __asm__("clr %1\n\tmuls %B2, %B3\n\tmovw %C0, r0\n\tmul %A2, %A3\n\tmovw %A0, r0\n\t"
            "mulsu %B2, %A3\n\tsbc %D0, %1\n\tadd %B0, r0\n\tadc %C0, r1\n\tadc %D0, %1\n\t"
            "mulsu %B3, %A2\n\tsbc %D0, %1\n\tadd %B0, r0\n\tadc %C0, r1\n\tadc %D0, %1\n\tclr r1"
            : "=&r"(product), "=&r"(zero) : "a"(a), "a"(b) : "r0");
    return product;
#else
    return (int32_t)a * b;
#endif
}

TM_INLINE TM_INT24 tm_mul16_8(int16_t a, int8_t b)
{
#if defined(__AVR__) && defined(__AVR_HAVE_MUL__)
    TM_INT24 product;
    __asm__("muls %B1, %2\n\tmov %B0, r0\n\tmov %C0, r1\n\tmulsu %2, %A1\n\tbrcc .+2\n\tdec %C0\n\t"
            "mov %A0, r0\n\tadd %B0, r1\n\tclr r1\n\tadc %C0, r1" : "=&r"(product) : "a"(a), "a"(b) : "r0");
    return product;
#else
    return (TM_INT24)a * b;
#endif
}
