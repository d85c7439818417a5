"""AVR: constants lie in program memory, which only LPM reads; ints have 16 bits.

The helpers do without <avr/pgmspace.h>: it defines a thousand macros for the registers of the chip (ADC, SP, PINB),
any of which could be the name of something in a model. Elsewhere they are plain C, so the file compiles everywhere.
"""

from tinyml.targets.chip import ChipTarget

_PRELUDE = """\
#ifdef __AVR__
#define TM_FLASH __attribute__((__progmem__))
#define TM_INLINE static inline __attribute__((__always_inline__))
#else
#define TM_FLASH
#define TM_INLINE static inline
#endif
"""


def _lpm(registers: str, last: str) -> str:
    moves = [f"lpm %{register}0, Z+" for register in registers[:-1]] + [f"lpm %{registers[-1]}0, {last}"]
    return "\\n\\t".join(moves)


def _read(name: str, type: str, registers: str) -> str:
    return f"""\
TM_INLINE {type} tm_flash_{name}(const {type} *p)
{{
#ifdef __AVR__
    {type} value;
    __asm__("{_lpm(registers, "Z")}" : "=r"(value), "+z"(p));
    return value;
#else
    return *p;
#endif
}}
"""


def _next(name: str, type: str, registers: str) -> str:
    return f"""\
TM_INLINE {type} tm_next_{name}(const {type} **p)
{{
#ifdef __AVR__
    {type} value;
    __asm__("{_lpm(registers, "Z+")}" : "=r"(value), "+z"(*p));
    return value;
#else
    return *(*p)++;
#endif
}}
"""


# The product is pinned to 16 bits: otherwise gcc -Os widens the factors and calls a 16x16 multiplication. A constant is
# pinned, too: otherwise it shifts by one bit at a time.
_MUL8 = """\
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
"""

_INT24 = """\
#ifdef __AVR__
typedef __int24 tm_int24;
#else
typedef int32_t tm_int24;
#endif
"""

# gcc calls a function that has the factors and the product in registers of its own choice.
_MUL16 = """\
TM_INLINE int32_t tm_mul16(int16_t a, int16_t b)
{
#ifdef __AVR__
    int32_t product;
    uint8_t zero;
    __asm__("clr %1\\n\\tmuls %B2, %B3\\n\\tmovw %C0, r0\\n\\tmul %A2, %A3\\n\\tmovw %A0, r0\\n\\t"
            "mulsu %B2, %A3\\n\\tsbc %D0, %1\\n\\tadd %B0, r0\\n\\tadc %C0, r1\\n\\tadc %D0, %1\\n\\t"
            "mulsu %B3, %A2\\n\\tsbc %D0, %1\\n\\tadd %B0, r0\\n\\tadc %C0, r1\\n\\tadc %D0, %1\\n\\tclr r1"
            : "=&r"(product), "=&r"(zero) : "a"(a), "a"(b) : "r0");
    return product;
#else
    return (int32_t)a * b;
#endif
}
"""

_MUL16_8 = """\
TM_INLINE tm_int24 tm_mul16_8(int16_t a, int8_t b)
{
#ifdef __AVR__
    tm_int24 product;
    __asm__("muls %B1, %2\\n\\tmov %B0, r0\\n\\tmov %C0, r1\\n\\tmulsu %2, %A1\\n\\tbrcc .+2\\n\\tdec %C0\\n\\t"
            "mov %A0, r0\\n\\tadd %B0, r1\\n\\tclr r1\\n\\tadc %C0, r1" : "=&r"(product) : "a"(a), "a"(b) : "r0");
    return product;
#else
    return (tm_int24)a * b;
#endif
}
"""

# gcc would hoist what it takes one instruction to load out of loops, into registers that are saved on the stack.
_OPTIONS = """\
#ifdef __AVR__
#pragma GCC optimize ("no-move-loop-invariants")
#endif
"""

_TYPES = {"i8": ("int8_t", "A"), "i16": ("int16_t", "AB"), "i32": ("int32_t", "ABCD"), "f32": ("float", "ABCD")}

AVR = ChipTarget(
    "avr",
    alignment=1,
    object_bytes=32767,
    flash_bytes=65536,
    flash_attribute="TM_FLASH",
    small_counter="uint8_t",
    options=_OPTIONS,
    int24=_INT24,
    prelude=_PRELUDE,
    helpers={
        **{f"tm_flash_{name}": _read(name, *parts) for name, parts in _TYPES.items()},
        **{f"tm_next_{name}": _next(name, *parts) for name, parts in _TYPES.items()},
        "tm_mul8": _MUL8,
        "tm_mul16": _MUL16,
        "tm_mul16_8": _MUL16_8,
    },
)
