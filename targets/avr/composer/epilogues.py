"""Epilogues: the conversion of complete 24-bit sums to bytes. They take the same time for every sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import bytes_of, cycles, statement
from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.kernel import SharedFunction
from tinyml.targets.tiles import Sums

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes

SUM_BITS = 24


def shifted(sum: Sequence[str], right: int, byte: str, zero: str) -> Code:
    """Shift a 24-bit sum right by 1 to 23 bits, and saturate it to [-127, 127].

    The registers of the sum, r0 and r1 change. byte: the register for the result, r16 or above.
    """
    kept = sum[right // 8 :]
    # Shift bits right out of the lowest byte, or left into an additional highest one.
    to_right, to_left = right % 8, -right % 8
    if len(kept) * to_right <= (len(kept) + 1) * to_left or not to_right:
        shift = (a.asr, a.ror, a.ror), [*reversed(kept)], to_right
        shifts = [op(register) for op, register in zip(*shift[:2], strict=False)] * shift[2]
    else:
        shifts, kept = _to_left(kept, to_left), [*kept[1:], "r0"]
    return joined(shifts, _limited(kept, byte, zero))


def _to_left(sum: Sequence[str], bits: int) -> Code:
    """Shift a signed sum left, with r0 as an additional highest byte."""
    low, *others = sum
    once = (a.lsl(low), *(a.rol(register) for register in others))
    return joined(once, a.sbc("r0", "r0"), [*once, a.rol("r0")] * (bits - 1))


def _limited(number: Sequence[str], byte: str, zero: str) -> Code:
    """Saturate a signed number of one or more bytes, the lowest first, to [-127, 127] in a register."""
    low, *above = number
    more = (a.ldi(byte, 127), a.add(byte, low))
    if not above:
        # After adding 127, -128 is 255, the only number out of range.
        return (*more, a.cpi(byte, 255), a.sbci(byte, 126))
    # After adding 127, numbers in range are 0 to 254; a number with higher bits becomes 0 or 255, and 255 becomes 254.
    extreme = (a.mov("r1", above[-1]), a.lsl("r1"), a.sbc("r1", "r1"), a.com("r1"))
    carries = [a.adc(register, zero) for register in above]
    collected = [a.or_(above[0], register) for register in above[1:]]
    chosen = (a.cpse(above[0], zero), a.mov(byte, "r1"), a.cpi(byte, 255), a.adc(byte, zero), a.subi(byte, 128))
    return joined(extreme, more, carries, collected, chosen)


def shifted_in_c(indent: str, right: int, out: str) -> str:
    """The C statements of `shifted`, which store `sum` in `out`."""
    return f"{indent}sum >>= {right};\n{indent}{out} = (int8_t)(sum < -127 ? -127 : sum > 127 ? 127 : sum);"


FACTORS = 7
"""The number of bytes of a row that `requantised` reads."""

MOST_RIGHT = 16
"""The greatest right shift amount of `requantised`."""


COMPILED = 250
"""The approximate cycles of the same requantisation as compiled C."""


def factors(sums: Sums, point: int) -> Bytes:
    """The bytes of a stream that `requantised` reads, row by row. point: the zero point of the results.

    They are twice the multiplier; the right shift amount, split into a factor of 2^n, which turns the rest into whole
    bytes, and the number of these bytes minus 1; and the zero point plus 128.
    """
    right = -sums.shifts
    more, left = (right - 1) // 8, -right % 8
    doubled = (2 * sums.multipliers).astype("<u4").reshape(-1, 1).view(np.int8)
    others = np.stack([1 << left, more, np.full_like(more, 128 + point)], axis=1)
    return np.concatenate([doubled, others.astype(np.uint8).view(np.int8)], axis=1)


def requantised(sum: Sequence[str], number: Sequence[str], byte: str, sign: str, zero: str) -> Code:
    """Requantise a 24-bit sum as TensorFlow Lite does, saturated to a byte, with `factors` in flash at Z.

    The registers of the sum, r0 and r1 change. number: four registers, the first and the last of which are r16 or
    above. byte: the register for the result, r16 or above. sign: a scratch register.
    """
    low, _, high = sum
    # The magnitude is multiplied and shifted, as ties are rounded away from zero in the last step and upwards before:
    # the rounding bias of a negative sum's product is 2^31 - 1.
    lines = joined(
        (a.mov(sign, high), a.lsl(sign), a.sbc(sign, sign)),
        [a.eor(register, sign) for register in sum],
        [(a.sbc if at else a.sub)(register, sign) for at, register in enumerate(sum)],
        [a.mov(register, sign) for register in number[:3]],
        (a.ldi(number[3], 128), a.add(number[3], sign)),
    )
    for byte_of_factor in range(4):
        lines = joined(lines, (a.clr(number[3]),) if byte_of_factor else (), a.lpm(byte, "Z+"))
        for at, factor in enumerate(sum):
            carries = [a.adc(register, zero) for register in number[at + 2 :]]
            lines = joined(lines, a.mul(factor, byte), a.add(number[at], "r0"), a.adc(number[at + 1], "r1"), carries)
        # Only the carry out of the lowest byte is needed.
        number = [*number[1:], number[0]]
    first, second, third, _ = number
    return joined(
        lines,
        _shifted_by_factors((low, first, second, third), byte, zero),
        (a.or_(second, third), a.cpse(second, zero), a.ldi(first, 255)),
        # Add to or subtract from the zero point, as an unsigned byte; the carry shows if the result is out of range.
        (a.lpm(byte, "Z+"), a.mov(low, sign), a.lsl(low), a.eor(first, sign), a.adc(byte, first)),
        (a.sbc(low, low), a.eor(low, sign), a.com(sign), a.cpse(low, zero), a.mov(byte, sign)),
        a.subi(byte, 128),
    )


def _shifted_by_factors(number: Sequence[str], byte: str, zero: str) -> Code:
    """Shift the upper three bytes of a number right and round half up, by a factor and a count of bytes at Z."""
    below, first, second, third = number
    return (
        a.lpm(byte, "Z+"),
        *(a.mul(first, byte), a.mov(below, "r0"), a.mov(first, "r1")),
        *(a.mul(second, byte), a.or_(first, "r0"), a.mov(second, "r1")),
        *(a.mul(third, byte), a.or_(second, "r0"), a.mov(third, "r1")),
        a.lpm(byte, "Z+"),
        *(a.sbrc(byte, 0), a.mov(below, first), a.sbrc(byte, 0), a.mov(first, second)),
        *(a.sbrc(byte, 0), a.mov(second, third), a.sbrc(byte, 0), a.clr(third)),
        *(a.lsl(below), a.adc(first, zero), a.adc(second, zero), a.adc(third, zero)),
    )


def requantised_in_c(indent: str, factors: str, out: str) -> str:
    """The C statements of `requantised`, which store `sum` in `out`. factors: the C expression of their address."""
    lines = (
        f"const uint8_t *f = (const uint8_t *){factors};",
        "const uint32_t multiplier = f[0] | (uint32_t)f[1] << 8 | (uint32_t)f[2] << 16 | (uint32_t)f[3] << 24;",
        "sum = (int32_t)(((int64_t)sum * multiplier + (1LL << 31)) >> 32);",
        "sum = (int32_t)(((int64_t)(sum - (sum < 0)) * f[4] + (128L << 8 * f[5])) >> 8 * (f[5] + 1)) + f[6] - 128;",
        f"{out} = (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);",
    )
    return "\n".join(indent + line for line in lines)


SUM, NUMBER, SIGN, ZERO, RESULT = ("r2", "r3", "r10"), ("r20", "r21", "r22", "r23"), "r24", "r15", "r25"
"""The registers of the requantising function: sum, scratch registers, sign, zero, and result."""

_LINES = joined(requantised(SUM, NUMBER, RESULT, SIGN, ZERO), a.ret())
_SYMBOL = "tm_requantised_s8"
REQUANTISE = SharedFunction(
    _SYMBOL,
    f"#ifdef __AVR__\nTM_KERNEL {_SYMBOL}(void)\n{{\n{statement(_LINES)}\n}}\n#endif\n",
    bytes_of(_LINES),
)
"""The function that requantises a sum, shared by all kernels of a program."""

CALL, CALLED = (a.call(_SYMBOL),), cycles(_LINES)
"""A call of the function, and the cycles that it takes."""
