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
