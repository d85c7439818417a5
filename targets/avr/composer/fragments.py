"""Fragments of kernels: fetches of bytes, additions to sums, and products.

A fetch loads a single byte into a register, from flash by Z or from RAM by X; an element of two bytes takes two
fetches, the low byte first. What is added to a sum is a product in r1:r0, or a gathered partial sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tinyml.targets.avr.assembly import POINTERS, SumRegisters, moved, pair
from tinyml.targets.composer.lines import Lines, joined

Fetch: TypeAlias = Callable[[str], Lines]
"""The instructions that load a byte into a register."""

_DISPLACEMENT = 63
"""The maximum displacement of a load."""

FLASH, RAM = "flash", "ram"


def next_byte(memory: str, pointer: str) -> Fetch:
    """Load the byte at a pointer and increment the pointer; Z can read flash and RAM, X and Y only RAM."""
    load = "lpm" if memory == FLASH else "ld"
    return lambda to: (f"{load} {to},{pointer}+",)


def run(bits: int, memory: str, pointer: str) -> Sequence[Fetch]:
    """The bytes of the next element of a run."""
    return [next_byte(memory, pointer)] * (bits // 8)


def spaced(bits: int, left: str) -> Sequence[Fetch]:
    """Fetches of the bytes of an element at X, which then advances by the pair of registers that starts at `left`.

    The pair holds the distance between elements minus the bytes that the fetches advance over.
    """
    low, high = pair(left)

    def last(to: str) -> Lines:
        return f"ld {to},X", f"add r26,{low}", f"adc r27,{high}"

    return [*run(bits - 8, RAM, "X"), last]


class MovingPointer:
    """A pointer, Y or Z, with the number of bytes that it has moved."""

    def __init__(self, pointer: str) -> None:
        self.pointer, self.moved = pointer, 0

    def load(self, to: str, offset: int) -> Lines:
        """Load the byte at an offset from the initial address; moves the pointer only if no displacement reaches it."""
        reaches = 0 <= offset - self.moved <= _DISPLACEMENT
        move = () if reaches else self.move(offset)
        beyond = offset - self.moved
        return (*move, f"ldd {to},{self.pointer}+{beyond}" if beyond else f"ld {to},{self.pointer}")

    def move(self, offset: int) -> Lines:
        """Move the pointer to an offset from its initial address."""
        by, self.moved = offset - self.moved, offset
        return moved(f"r{POINTERS[self.pointer]}", by)


def skip(spare: str, zero: str) -> Lines:
    """Advance X by the unsigned byte in flash at Z."""
    return f"lpm {spare},Z+", f"add r26,{spare}", f"adc r27,{zero}"


def word(bytes: Sequence[Fetch], registers: Sequence[str]) -> Lines:
    """Load all bytes of an element into registers, the low one first."""
    return tuple(line for fetch, register in zip(bytes, registers, strict=True) for line in fetch(register))


BIAS = 1 << 15
"""The bias that `begin_high_byte` adds to turn a signed 16-bit number into an unsigned one."""


def accumulate_two_bytes(sum: Sequence[str]) -> Lines:
    """Add a product to a 16-bit sum."""
    return f"add {sum[0]},r0", f"adc {sum[1]},r1"


def accumulate_three_bytes(sum: Sequence[str], zero: str) -> Lines:
    """Add a signed product, whose multiplication left its sign in the carry, to a 24-bit sum."""
    return joined(f"sbc {sum[2]},{zero}", accumulate_two_bytes(sum), f"adc {sum[2]},{zero}")


def accumulate_four_bytes(sum: Sequence[str], zero: str) -> Lines:
    """Add a signed product, whose multiplication left its sign in the carry, to a 32-bit sum."""
    return joined(
        (f"sbc {sum[2]},{zero}", f"sbc {sum[3]},{zero}"),
        accumulate_two_bytes(sum),
        (f"adc {sum[2]},{zero}", f"adc {sum[3]},{zero}"),
    )


def begin_high_byte(low: str, high: str) -> Lines:
    """Add a product's low byte to a sum's, and set a register to the high byte plus carry plus `BIAS`.

    The product is the first of a few whose sum fits 16 bits, so that no third byte is needed. The bias makes the high
    bytes unsigned, which avoids extending their sign.
    """
    return f"add {low},r0", f"ldi {high},{BIAS >> 8}", f"adc {high},r1"


def accumulate_high_byte(sum: Sequence[str], high: str) -> Lines:
    """Add the high bytes of products to the bytes of a sum above the lowest one; r1 becomes zero."""
    return joined((f"add {sum[1]},{high}", "clr r1"), [f"adc {byte},r1" for byte in sum[2:]])


def accumulate_pair_of_words(sum: Sequence[str], low: Sequence[str], high: Sequence[str]) -> Lines:
    """Add a 32-bit number in two pairs of registers to a sum."""
    return tuple(
        f"{'adc' if number else 'add'} {byte},{other}"
        for number, (byte, other) in enumerate(zip(sum, (*low, *high), strict=True))
    )


def flush_third_byte(sum: Sequence[str], third: str, zero: str) -> Lines:
    """Add the signed third byte of a 24-bit partial sum to the upper bytes of a sum, and clear it.

    The sum of 256 products of bytes fits 24 bits.
    """
    return f"add {sum[2]},{third}", f"adc {sum[3]},{zero}", f"sbrc {third},7", f"dec {sum[3]}", f"clr {third}"


def flush_low_bytes(sum: Sequence[str], gathered: Sequence[str]) -> Lines:
    """Add the upper two bytes of a signed 24-bit partial sum to a sum whose lowest byte it shares."""
    low, high = gathered
    return (
        *(f"mov r0,{high}", "lsl r0", "sbc r0,r0"),
        *(f"add {sum[1]},{low}", f"adc {sum[2]},{high}", f"adc {sum[3]},r0"),
        *(f"clr {low}", f"clr {high}"),
    )


@dataclass(frozen=True, kw_only=True)
class AvrArithmetic(SumRegisters):
    """Products and their sum in registers.

    first: the registers of the operand that is fetched first. meet: code that multiplies it by the other operand, whose
    bytes are fetched in between, and adds the product. flush: the instructions that add gathered partial sums to the
    sum, at least once in 256 products. count: the register for the number of iterations, or the first of two.
    """

    first: Sequence[str]
    meet: Callable[[Sequence[str], Sequence[Fetch]], Lines]
    flush: Lines = ()
    count: str = "r20"

    def step(self, first: Sequence[Fetch], second: Sequence[Fetch]) -> Lines:
        """Add the product of two elements to the sum."""
        return joined(word(first, self.first), self.meet(self.first, second))


def _bytes_in_16(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    return joined(second[0]("r23"), f"muls {first[0]},r23", accumulate_two_bytes(("r24", "r25")))


def _bytes_in_24(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    return joined(second[0]("r19"), f"muls {first[0]},r19", accumulate_three_bytes(("r22", "r23", "r24"), "r25"))


def _bytes_in_32(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    return joined(second[0]("r19"), f"muls {first[0]},r19", accumulate_three_bytes(("r22", "r23", "r16"), "r17"))


def _byte_by_word(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    """Products with low bytes are gathered in r17:r16:r22, those with high bytes in r25:r24:r23."""
    low, high = second
    return joined(
        low("r19"),
        f"mulsu {first[0]},r19",
        accumulate_three_bytes(("r22", "r16", "r17"), "r15"),
        high("r19"),
        f"muls {first[0]},r19",
        accumulate_three_bytes(("r23", "r24", "r25"), "r15"),
    )


def _words(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    low, high = first
    upper = accumulate_three_bytes(("r23", "r24", "r25"), "r15")
    return joined(
        word(second, ("r19", "r21")),
        (f"mulsu {high},r19", *upper, f"mulsu r21,{low}", *upper),
        (f"mul {low},r19", "movw r18,r0", f"muls {high},r21"),
        accumulate_pair_of_words(LONG, ("r18", "r19"), ("r0", "r1")),
    )


LONG = ("r22", "r23", "r24", "r25")
"""The registers of a 32-bit sum; a 24-bit sum has the first three."""
_BYTES = {
    16: AvrArithmetic(sum=("r24", "r25"), first=("r22",), meet=_bytes_in_16, zero="r18"),
    24: AvrArithmetic(sum=("r22", "r23", "r24"), first=("r18",), meet=_bytes_in_24, zero="r25"),
    32: AvrArithmetic(
        sum=LONG,
        first=("r18",),
        meet=_bytes_in_32,
        zero="r17",
        gathered=pair("r16"),
        flush=flush_third_byte(LONG, "r16", "r17"),
    ),
}
BYTE_BY_WORD = AvrArithmetic(
    sum=LONG,
    first=("r18",),
    meet=_byte_by_word,
    zero="r15",
    gathered=pair("r16"),
    flush=flush_low_bytes(LONG, ("r16", "r17")),
)
WORDS = AvrArithmetic(sum=LONG, first=("r18", "r20"), meet=_words, zero="r15", count="r16")


def arithmetic(first: int, second: int, sum: int) -> AvrArithmetic:
    """The arithmetic of sums of products of 8-bit or 16-bit elements; wider second operands are fetched bytewise."""
    if sum != 32 or first == second == 8:
        return _BYTES[sum]
    return WORDS if first == 16 else BYTE_BY_WORD


HIGH = "r20"
"""The register for the high bytes of gathered products."""


def chunk_steps(first: Sequence[Fetch], second: Sequence[Fetch], count: int, sum: Sequence[str]) -> Sequence[Lines]:
    """Steps of `count` products of bytes whose sum fits 16 bits; the last step adds it to the longer sum.

    Adding a product of bytes takes four instructions for 24 bits, and two for 16.
    """
    product = joined(first[0]("r18"), second[0]("r19"), "muls r18,r19")
    begin = joined(product, begin_high_byte(sum[0], HIGH))
    added = joined(product, accumulate_two_bytes((sum[0], HIGH)))
    return [begin, *[added] * (count - 2), joined(added, accumulate_high_byte(sum, HIGH))]


def squares(bits: int, sum: int) -> AvrArithmetic:
    """The arithmetic of a sum of squared differences, the second operand minus the first, both of 8 or 16 bits."""
    registers = LONG[: sum // 8]
    if bits == 16:
        return AvrArithmetic(sum=LONG, first=("r18", "r19"), meet=_square_of_words, zero="r15")
    return AvrArithmetic(
        sum=registers,
        first=("r18",),
        meet=lambda first, second: _square_of_bytes(registers, first, second),
        zero="r15",
    )


def _square_of_bytes(sum: Sequence[str], first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    """The magnitude of a 9-bit difference fits 8 bits."""
    return joined(
        second[0]("r16"),
        (f"sub r16,{first[0]}", "brge 29f", "neg r16", "29:", "mul r16,r16"),
        accumulate_two_bytes(sum),
        [f"adc {register},r15" for register in sum[2:]],
    )


def _square_of_words(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    """FMULSU gives twice the product of the difference's bytes, with its sign in the carry."""
    return joined(
        word(second, ("r16", "r17")),
        (f"sub r16,{first[0]}", f"sbc r17,{first[1]}", "muls r17,r17", "movw r18,r0", "mul r16,r16"),
        accumulate_pair_of_words(LONG, ("r0", "r1"), ("r18", "r19")),
        ("fmulsu r17,r16", "sbc r25,r15", "add r23,r0", "adc r24,r1", "adc r25,r15"),
    )
