"""Multiplications of elements, added to a sum, and the registers that they use.

The sum of an `AvrArithmetic` is in the registers in which avr-gcc returns values, as far as they suffice, which saves
moves around calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinyml.targets.avr.assembly.frames import SumRegisters
from tinyml.targets.avr.assembly.instructions import pair
from tinyml.targets.avr.composer.fragments import accumulate
from tinyml.targets.avr.composer.fragments.fetch import Fetch, word
from tinyml.targets.composer.lines import Lines, joined


@dataclass(frozen=True, kw_only=True)
class AvrArithmetic(SumRegisters):
    """Products and their sum in registers.

    first: the registers of the operand that is fetched first. meet: multiplies it by the other operand, whose bytes are
    fetched in between, and adds the product to the sum. flush: the instructions that add gathered partial sums to the
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
    return joined(second[0]("r23"), f"muls {first[0]},r23", accumulate.two_bytes(("r24", "r25")))


def _bytes_in_24(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    return joined(second[0]("r19"), f"muls {first[0]},r19", accumulate.three_bytes(("r22", "r23", "r24"), "r25"))


def _bytes_in_32(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    return joined(second[0]("r19"), f"muls {first[0]},r19", accumulate.three_bytes(("r22", "r23", "r16"), "r17"))


def _byte_by_word(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    """Products with low bytes are gathered in r17:r16:r22, those with high bytes in r25:r24:r23."""
    low, high = second
    return joined(
        low("r19"),
        f"mulsu {first[0]},r19",
        accumulate.three_bytes(("r22", "r16", "r17"), "r15"),
        high("r19"),
        f"muls {first[0]},r19",
        accumulate.three_bytes(("r23", "r24", "r25"), "r15"),
    )


def _words(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    low, high = first
    upper = accumulate.three_bytes(("r23", "r24", "r25"), "r15")
    return joined(
        word(second, ("r19", "r21")),
        (f"mulsu {high},r19", *upper, f"mulsu r21,{low}", *upper),
        (f"mul {low},r19", "movw r18,r0", f"muls {high},r21"),
        accumulate.pair_of_words(LONG, ("r18", "r19"), ("r0", "r1")),
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
        flush=accumulate.flush_third_byte(LONG, "r16", "r17"),
    ),
}
BYTE_BY_WORD = AvrArithmetic(
    sum=LONG,
    first=("r18",),
    meet=_byte_by_word,
    zero="r15",
    gathered=pair("r16"),
    flush=accumulate.flush_low_bytes(LONG, ("r16", "r17")),
)
WORDS = AvrArithmetic(sum=LONG, first=("r18", "r20"), meet=_words, zero="r15", count="r16")


def arithmetic(first: int, second: int, sum: int) -> AvrArithmetic:
    """The arithmetic of sums of products of 8-bit or 16-bit elements; wider second operands are fetched bytewise."""
    if sum != 32 or first == second == 8:
        return _BYTES[sum]
    return WORDS if first == 16 else BYTE_BY_WORD


HIGH = "r20"
"""The register for the high bytes of gathered products."""


def chunk(first: Sequence[Fetch], second: Sequence[Fetch], count: int, sum: Sequence[str]) -> Sequence[Lines]:
    """Steps of `count` products of bytes whose sum fits 16 bits; the last step adds it to the longer sum.

    Adding a product of bytes takes four instructions for 24 bits, and two for 16.
    """
    product = joined(first[0]("r18"), second[0]("r19"), "muls r18,r19")
    begin = joined(product, accumulate.begin_high_byte(sum[0], HIGH))
    added = joined(product, accumulate.two_bytes((sum[0], HIGH)))
    return [begin, *[added] * (count - 2), joined(added, accumulate.high_byte(sum, HIGH))]


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
        accumulate.two_bytes(sum),
        [f"adc {register},r15" for register in sum[2:]],
    )


def _square_of_words(first: Sequence[str], second: Sequence[Fetch]) -> Lines:
    """FMULSU gives twice the product of the difference's bytes, with its sign in the carry."""
    return joined(
        word(second, ("r16", "r17")),
        (f"sub r16,{first[0]}", f"sbc r17,{first[1]}", "muls r17,r17", "movw r18,r0", "mul r16,r16"),
        accumulate.pair_of_words(LONG, ("r0", "r1"), ("r18", "r19")),
        ("fmulsu r17,r16", "sbc r25,r15", "add r23,r0", "adc r24,r1", "adc r25,r15"),
    )
