/* Groups of packed elements of working memory, as packed.h reads them one by one, become whole elements. */
#ifndef TINYML_UNPACK_H
#define TINYML_UNPACK_H
#include <stdint.h>

#ifdef __AVR__
#define TMU_UNPACK __attribute__((__noinline__, __noclone__, __unused__))
/* r18 takes what a group begins with or what is left of it, r19 the elements. */
#define TMU_GROUPS(GROUP) \
    if (groups == 0) \
        return; \
    __asm__ volatile("1:\t" GROUP "dec %0\n\tbreq 2f\n\trjmp 1b\n2:" : "+r"(groups), "+x"(x), "+z"(to) : : "r18", "r19", "r20", "memory");
/* High bits, their sign turned over. */
#define TMU_HIGH(A, MASK, SIGN) "andi " A "," #MASK "\n\tsubi " A "," #SIGN "\n\tst Z+," A "\n\t"
#define TMU_LOW "ld r19,X+\n\tst Z+,r19\n\t"
#define TMU_BYTE6 "ld r19,X+\n\tasr r19\n\tror r18\n\tasr r19\n\tror r18\n\tst Z+,r19\n\t"
#define TMU_BIT5 "asr r19\n\tror r18\n\tror r20\n\t"
#define TMU_BYTE5 "ld r19,X+\n\t" TMU_BIT5 TMU_BIT5 TMU_BIT5 "st Z+,r19\n\t"
#define TMU_TOP5(A) "asr " A "\n\tasr " A "\n\tasr " A "\n\tst Z+," A "\n\t"
#define TMU_BIT9 TMU_LOW "lsr r18\n\tsbc r19,r19\n\tcom r19\n\tst Z+,r19\n\t"
#define TMU_BITS10 TMU_LOW "mov r19,r18\n\t" TMU_HIGH("r19", 3, 2) "lsr r18\n\tlsr r18\n\t"

static TMU_UNPACK void tm_unpack_s4(int8_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS("ld r18,X+\n\tmov r19,r18\n\t" TMU_HIGH("r19", 15, 8) "swap r18\n\t" TMU_HIGH("r18", 15, 8))
}

/* Elements without a sign. */
static TMU_UNPACK void tm_unpack_u4(int8_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS("ld r18,X+\n\tmov r19,r18\n\tandi r19,15\n\tst Z+,r19\n\tswap r18\n\tandi r18,15\n\tst Z+,r18\n\t")
}

static TMU_UNPACK void tm_unpack_s5(int8_t *to, const int8_t *x, uint8_t groups)
{
    /* The bits of the last three follow each other in r18:r20, above bit 0. */
    TMU_GROUPS(TMU_BYTE5 TMU_BYTE5 TMU_BYTE5 TMU_BYTE5 TMU_BYTE5
        "mov r19,r20\n\tlsl r19\n\tlsl r19\n\t" TMU_TOP5("r19")
        "asr r18\n\tror r20\n\tasr r18\n\tror r20\n\tasr r18\n\tror r20\n\t" TMU_TOP5("r20") "st Z+,r18\n\t")
}

static TMU_UNPACK void tm_unpack_s6(int8_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS(TMU_BYTE6 TMU_BYTE6 TMU_BYTE6 "asr r18\n\tasr r18\n\tst Z+,r18\n\t")
}

static TMU_UNPACK void tm_unpack_s9(int16_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS("ld r18,X+\n\t" TMU_BIT9 TMU_BIT9 TMU_BIT9 TMU_BIT9 TMU_BIT9 TMU_BIT9 TMU_BIT9 TMU_BIT9)
}

static TMU_UNPACK void tm_unpack_s10(int16_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS("ld r18,X+\n\t" TMU_BITS10 TMU_BITS10 TMU_BITS10 TMU_BITS10)
}

static TMU_UNPACK void tm_unpack_s12(int16_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS("ld r18,X+\n\t" TMU_LOW "mov r19,r18\n\t" TMU_HIGH("r19", 15, 8)
        TMU_LOW "swap r18\n\t" TMU_HIGH("r18", 15, 8))
}
#else
#define TMU_UNPACK inline __attribute__((__unused__))
/* J elements a group of BYTES. */
#define TMU_GROUPS(LENGTH, BYTES, ELEMENT) \
    for (; groups > 0; groups--, x += (BYTES), to += (LENGTH)) \
        for (uint8_t j = 0; j < (LENGTH); j++) \
            ELEMENT;

static TMU_UNPACK void tm_unpack_s4(int8_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS(2, 1, to[j] = (int8_t)(((uint8_t)x[0] >> 4 * j & 15) - 8))
}

static TMU_UNPACK void tm_unpack_u4(int8_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS(2, 1, to[j] = (int8_t)((uint8_t)x[0] >> 4 * j & 15))
}

static TMU_UNPACK void tm_unpack_s5(int8_t *to, const int8_t *x, uint8_t groups)
{
    uint16_t others = 0;
    TMU_GROUPS(8, 5, {
        if (j < 5)
            others = (uint16_t)(others >> 3 | (x[j] & 7) << 12);
        to[j] = (int8_t)((int8_t)(j < 5 ? x[j] : others << 3 >> 5 * (j - 5)) >> 3);
    })
}

static TMU_UNPACK void tm_unpack_s6(int8_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS(4, 3, to[j] = (int8_t)((int8_t)(j < 3 ? x[j] : (x[2] & 3) << 6 | (x[1] & 3) << 4 | (x[0] & 3) << 2) >> 2))
}

static TMU_UNPACK void tm_unpack_s9(int16_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS(8, 9, to[j] = (int16_t)((((uint8_t)x[0] >> j & 1) - 1) * 256 + (uint8_t)x[1 + j]))
}

static TMU_UNPACK void tm_unpack_s10(int16_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS(4, 5, to[j] = (int16_t)((((uint8_t)x[0] >> 2 * j & 3) - 2) * 256 + (uint8_t)x[1 + j]))
}

static TMU_UNPACK void tm_unpack_s12(int16_t *to, const int8_t *x, uint8_t groups)
{
    TMU_GROUPS(2, 3, to[j] = (int16_t)((((uint8_t)x[0] >> 4 * j & 15) - 8) * 256 + (uint8_t)x[1 + j]))
}
#endif
#endif
