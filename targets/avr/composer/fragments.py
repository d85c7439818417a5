"""Fragments of AVR kernels: fetches of bytes, products, additions to sums, and epilogues.

A fetch is code that loads a single byte into a register, from flash by Z or from RAM by X. An element of two bytes
needs two fetches, the low byte first. Products are in r1:r0 and are added to a sum, or first to a partial sum. An
epilogue converts a complete 24-bit sum to a byte. It takes the same time for every sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import FAR_FLASH, FLASH, RAM, SumRegisters, bytes_of, cycles, moved, statement
from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.kernel import SharedFunction
from tinyml.targets.nests import Bytes
from tinyml.targets.tiles import Sums, Tile

Fetch: TypeAlias = Callable[[str], Code]
"""The instructions that load a byte into a register."""

_LOADS = {FLASH: a.lpm, FAR_FLASH: a.elpm, RAM: a.ld}


def next_byte(memory: str, pointer: str) -> Fetch:
    """A fetch of the byte at a pointer, which then increments the pointer.

    memory: the memory that is read. Z can read all memories, X and Y only RAM.
    """
    load = _LOADS[memory]
    return lambda to: (load(to, f"{pointer}+"),)


def run(bits: int, memory: str, pointer: str) -> Sequence[Fetch]:
    return [next_byte(memory, pointer)] * (bits // 8)


def spaced(bits: int, left: str) -> Sequence[Fetch]:
    """For each byte of an element of `bits` bits at X, the low byte first, the code that fetches the byte.

    After the last byte, the code adds a register pair to X, so that X points to the next element.

    left: the lower register of this pair, which contains the distance between elements minus the number of bytes by
        which the fetches advance X.
    """
    low, high = a.pair(left)

    def last(to: str) -> Code:
        return a.ld(to, "X"), a.add("r26", low), a.adc("r27", high)

    return [*run(bits - 8, RAM, "X"), last]


class MovingPointer:
    """A pointer, Y or Z, and the number of bytes by which the emitted code has moved it."""

    def __init__(self, pointer: str) -> None:
        self.pointer, self.moved = pointer, 0

    def load(self, to: str, offset: int) -> Code:
        """Code that loads the byte at an offset from the pointer's initial address.

        The code moves the pointer only if no displacement reaches the byte.
        """
        reaches = 0 <= offset - self.moved <= a.DISPLACEMENT
        move = () if reaches else self.move(offset)
        beyond = offset - self.moved
        return (*move, a.ldd(to, a.at(self.pointer, beyond)) if beyond else a.ld(to, self.pointer))

    def move(self, offset: int) -> Code:
        """Code that moves the pointer to an offset from its initial address."""
        by, self.moved = offset - self.moved, offset
        return moved(a.POINTERS[self.pointer], by)


def skip(memory: str, spare: str, zero: str) -> Code:
    """Code that adds the unsigned byte at address Z to X."""
    return *next_byte(memory, "Z")(spare), a.add("r26", spare), a.adc("r27", zero)


def word(bytes: Sequence[Fetch], registers: Sequence[str]) -> Code:
    return tuple(line for fetch, register in zip(bytes, registers, strict=True) for line in fetch(register))


BIAS = 1 << 15
"""The bias that `begin_high_byte` adds to turn a signed 16-bit number into an unsigned one."""


def accumulate_two_bytes(sum: Sequence[str]) -> Code:
    return a.add(sum[0], "r0"), a.adc(sum[1], "r1")


def accumulate_three_bytes(sum: Sequence[str], zero: str) -> Code:
    """Code that adds a signed product to a sum of 24 bits. The carry flag must contain the sign of the product, as
    after the multiplication.
    """
    return joined(a.sbc(sum[2], zero), accumulate_two_bytes(sum), a.adc(sum[2], zero))


def accumulate_four_bytes(sum: Sequence[str], zero: str) -> Code:
    """Code that adds a signed product to a sum of 32 bits. The carry flag must contain the sign of the product, as
    after the multiplication.
    """
    return joined(
        (a.sbc(sum[2], zero), a.sbc(sum[3], zero)),
        accumulate_two_bytes(sum),
        (a.adc(sum[2], zero), a.adc(sum[3], zero)),
    )


def begin_high_byte(low: str, high: str) -> Code:
    """Code that begins the accumulation of products whose sum fits in 16 bits.

    It adds the low byte of the first product to the lowest byte of the sum, and sets `high` to the product's high byte
    plus carry plus `BIAS`. The bias makes the high bytes unsigned, so that their sign need not be extended.
    """
    return a.add(low, "r0"), a.ldi(high, BIAS >> 8), a.adc(high, "r1")


def accumulate_high_byte(sum: Sequence[str], high: str) -> Code:
    """Code that adds the accumulated high bytes of products to the bytes of a sum above the lowest byte. It sets r1 to
    zero.
    """
    return joined((a.add(sum[1], high), a.clr("r1")), [a.adc(byte, "r1") for byte in sum[2:]])


def accumulate_pair_of_words(sum: Sequence[str], low: Sequence[str], high: Sequence[str]) -> Code:
    """Code that adds a 32-bit integer in two register pairs to a sum."""
    return tuple(
        (a.adc if number else a.add)(byte, other)
        for number, (byte, other) in enumerate(zip(sum, (*low, *high), strict=True))
    )


def flush_third_byte(sum: Sequence[str], third: str, zero: str) -> Code:
    """Code that adds the signed third byte of a 24-bit partial sum to the upper bytes of a sum, and clears this third
    byte.

    The sum of 256 products of bytes fits in 24 bits.
    """
    return a.add(sum[2], third), a.adc(sum[3], zero), a.sbrc(third, 7), a.dec(sum[3]), a.clr(third)


def flush_low_bytes(sum: Sequence[str], gathered: Sequence[str]) -> Code:
    """Code that adds the upper two bytes of a signed 24-bit partial sum to a sum.

    The sum already contains the lowest byte of the partial sum.
    """
    low, high = gathered
    return (
        *(a.mov("r0", high), a.lsl("r0"), a.sbc("r0", "r0")),
        *(a.add(sum[1], low), a.adc(sum[2], high), a.adc(sum[3], "r0")),
        *(a.clr(low), a.clr(high)),
    )


@dataclass(frozen=True, kw_only=True)
class AvrArithmetic(SumRegisters):
    """The registers of products and of their sum, and the code that adds a product.

    * first: the registers for the bytes of the operand that is fetched first.
    * meet: a function that returns the code for the second operand. This code fetches its bytes, multiplies both
      operands and adds the product.
    * flush: the instructions that add partial sums to the sum. They must be executed at least once in 256 products.
    * count: the register for the number of iterations, or the lower register of a pair.
    """

    first: Sequence[str]
    meet: Callable[[Sequence[str], Sequence[Fetch]], Code]
    flush: Code = ()
    count: str = "r20"

    def step(self, first: Sequence[Fetch], second: Sequence[Fetch]) -> Code:
        return joined(word(first, self.first), self.meet(self.first, second))


def _bytes_in_16(first: Sequence[str], second: Sequence[Fetch]) -> Code:
    return joined(second[0]("r23"), a.muls(first[0], "r23"), accumulate_two_bytes(("r24", "r25")))


def _bytes_in_24(first: Sequence[str], second: Sequence[Fetch]) -> Code:
    return joined(second[0]("r19"), a.muls(first[0], "r19"), accumulate_three_bytes(("r22", "r23", "r24"), "r25"))


def _bytes_in_32(first: Sequence[str], second: Sequence[Fetch]) -> Code:
    return joined(second[0]("r19"), a.muls(first[0], "r19"), accumulate_three_bytes(("r22", "r23", "r16"), "r17"))


def _byte_by_word(first: Sequence[str], second: Sequence[Fetch]) -> Code:
    """Code that adds the product of a byte and a word.

    Products with low bytes of words are accumulated in r17:r16:r22, products with high bytes in r25:r24:r23.
    """
    low, high = second
    return joined(
        low("r19"),
        a.mulsu(first[0], "r19"),
        accumulate_three_bytes(("r22", "r16", "r17"), "r15"),
        high("r19"),
        a.muls(first[0], "r19"),
        accumulate_three_bytes(("r23", "r24", "r25"), "r15"),
    )


def _words(first: Sequence[str], second: Sequence[Fetch]) -> Code:
    low, high = first
    upper = accumulate_three_bytes(("r23", "r24", "r25"), "r15")
    return joined(
        word(second, ("r19", "r21")),
        (a.mulsu(high, "r19"), *upper, a.mulsu("r21", low), *upper),
        (a.mul(low, "r19"), a.movw("r18", "r0"), a.muls(high, "r21")),
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
        gathered=a.pair("r16"),
        flush=flush_third_byte(LONG, "r16", "r17"),
    ),
}
BYTE_BY_WORD = AvrArithmetic(
    sum=LONG,
    first=("r18",),
    meet=_byte_by_word,
    zero="r15",
    gathered=a.pair("r16"),
    flush=flush_low_bytes(LONG, ("r16", "r17")),
)
WORDS = AvrArithmetic(sum=LONG, first=("r18", "r20"), meet=_words, zero="r15", count="r16")


def arithmetic(first: int, second: int, sum: int) -> AvrArithmetic:
    """The instructions that compute sums of products whose factors have 8 or 16 bits.

    first, second: the widths of the operands in the order in which they are fetched. A wider second operand is fetched
        byte by byte.
    sum: the width of the sum.
    """
    if sum != 32 or first == second == 8:
        return _BYTES[sum]
    return WORDS if first == 16 else BYTE_BY_WORD


HIGH = "r20"
"""The register for the high bytes of gathered products."""


def chunk_steps(first: Sequence[Fetch], second: Sequence[Fetch], count: int, sum: Sequence[str]) -> Sequence[Code]:
    """The steps for `count` products of bytes whose sum fits in 16 bits. The last step adds this partial sum to the
    sum.

    An addition to a 16-bit sum takes two instructions, one to a 24-bit sum takes four.
    """
    product = joined(first[0]("r18"), second[0]("r19"), a.muls("r18", "r19"))
    begin = joined(product, begin_high_byte(sum[0], HIGH))
    added = joined(product, accumulate_two_bytes((sum[0], HIGH)))
    return [begin, *[added] * (count - 2), joined(added, accumulate_high_byte(sum, HIGH))]


def squares(bits: int, sum: int) -> AvrArithmetic:
    """The arithmetic of sums of squared differences (second operand minus first) of 8-bit or 16-bit operands."""
    registers = LONG[: sum // 8]
    if bits == 16:
        return AvrArithmetic(sum=LONG, first=("r18", "r19"), meet=_square_of_words, zero="r15")
    return AvrArithmetic(
        sum=registers,
        first=("r18",),
        meet=lambda first, second: _square_of_bytes(registers, first, second),
        zero="r15",
    )


def _square_of_bytes(sum: Sequence[str], first: Sequence[str], second: Sequence[Fetch]) -> Code:
    """Code that adds the square of the difference of two bytes to a sum. The magnitude of the 9-bit difference fits in
    8 bits.
    """
    return joined(
        second[0]("r16"),
        (a.sub("r16", first[0]), a.brge(ahead=29), a.neg("r16"), a.label(29), a.mul("r16", "r16")),
        accumulate_two_bytes(sum),
        [a.adc(register, "r15") for register in sum[2:]],
    )


def _square_of_words(first: Sequence[str], second: Sequence[Fetch]) -> Code:
    """Code that adds the square of the difference of two words to a sum.

    FMULSU computes twice the product of two bytes, with the sign in the carry.
    """
    return joined(
        word(second, ("r16", "r17")),
        (a.sub("r16", first[0]), a.sbc("r17", first[1])),
        (a.muls("r17", "r17"), a.movw("r18", "r0"), a.mul("r16", "r16")),
        accumulate_pair_of_words(LONG, ("r0", "r1"), ("r18", "r19")),
        (a.fmulsu("r17", "r16"), a.sbc("r25", "r15"), a.add("r23", "r0"), a.adc("r24", "r1"), a.adc("r25", "r15")),
    )


SUM_BITS = 24


def shifted(sum: Sequence[str], right: int, byte: str, zero: str) -> Code:
    """Code that shifts a 24-bit sum right by 1 to 23 bits, and saturates the result to [-127, 127].

    The code changes the registers of the sum, r0 and r1.

    byte: the register for the result, r16 or above.
    zero: a register that contains zero.
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
    """Code that shifts a signed sum left, with r0 as an additional highest byte."""
    low, *others = sum
    once = (a.lsl(low), *(a.rol(register) for register in others))
    return joined(once, a.sbc("r0", "r0"), [*once, a.rol("r0")] * (bits - 1))


def _limited(number: Sequence[str], byte: str, zero: str) -> Code:
    """Code that saturates a signed integer to [-127, 127] and stores it in the register `byte`.

    number: the bytes of the integer, the lowest first.
    zero: a register that contains zero.
    """
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


FACTORS = 7
"""The number of bytes of a row that `requantised` reads."""

MAX_RIGHT = 16
"""The greatest right shift amount of `requantised`."""


COMPILED = 250
"""The approximate cycles of the same requantisation as compiled C."""


def factors(sums: Sums, point: int) -> Bytes:
    """The bytes of a stream that the code of `requantised` reads, for each row.

    sums: the multipliers and the shifts of the rows.
    point: the zero point of the results.

    The bytes of a row are twice the multiplier, two bytes for the right shift, and the zero point plus 128. A right
    shift by r bits is a multiplication by 2^n, where n = -r mod 8, and a right shift by (r + n) / 8 bytes. The two
    bytes contain 2^n, and this number of bytes minus 1.
    """
    right = -sums.shifts
    more, left = (right - 1) // 8, -right % 8
    doubled = (2 * sums.multipliers).astype("<u4").reshape(-1, 1).view(np.int8)
    others = np.stack([1 << left, more, np.full_like(more, 128 + point)], axis=1)
    return np.concatenate([doubled, others.astype(np.uint8).view(np.int8)], axis=1)


def requantised(
    sum: Sequence[str], number: Sequence[str], byte: str, sign: str, zero: str, *, once: bool = False
) -> Code:
    """Code that requantises a 24-bit sum as TensorFlow Lite does, or with a single rounding, and saturates the result
    to a byte.

    Z points to the `factors` in flash. The code changes the registers of the sum, r0 and r1.

    * number: four registers, the first and the last of which are r16 or above.
    * byte: the register for the result, r16 or above.
    * sign: a scratch register.
    * zero: a register that contains zero.
    * once: if true, only the shifted product is rounded. No sum may lie halfway between two results.
    """
    low, _, high = sum
    # The magnitude is multiplied and shifted, as ties are rounded away from zero in the last step and upwards before:
    # the rounding bias of a negative sum's product is 2^31 - 1.
    bias = (a.clr(number[3]),) if once else (a.ldi(number[3], 128), a.add(number[3], sign))
    lines = joined(
        (a.mov(sign, high), a.lsl(sign), a.sbc(sign, sign)),
        [a.eor(register, sign) for register in sum],
        [(a.sbc if at else a.sub)(register, sign) for at, register in enumerate(sum)],
        [a.clr(register) if once else a.mov(register, sign) for register in number[:3]],
        bias,
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
    """Code that shifts the upper three bytes of an integer right and rounds half up.

    Z points to the shift in flash, which consists of a factor and a number of bytes.
    """
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


def requantised_in_c(indent: str, factors: str, out: str, *, once: bool = False) -> str:
    """C statements that compute the result of `requantised` for the variable `sum` and store it in `out`.

    factors: the C expression of the address of the factors.
    once: as in `requantised`.
    """
    half, whole = ("", "sum") if once else (" + (1LL << 31)", "(sum - (sum < 0))")
    lines = (
        f"const uint8_t *f = (const uint8_t *){factors};",
        "const uint32_t multiplier = f[0] | (uint32_t)f[1] << 8 | (uint32_t)f[2] << 16 | (uint32_t)f[3] << 24;",
        f"sum = (int32_t)(((int64_t)sum * multiplier{half}) >> 32);",
        f"sum = (int32_t)(((int64_t){whole} * f[4] + (128L << 8 * f[5])) >> 8 * (f[5] + 1)) + f[6] - 128;",
        f"{out} = (int8_t)(sum < -128 ? -128 : sum > 127 ? 127 : sum);",
    )
    return "\n".join(indent + line for line in lines)


SUM, NUMBER, SIGN, ZERO, RESULT = ("r2", "r3", "r10"), ("r20", "r21", "r22", "r23"), "r24", "r15", "r25"
"""The registers of the requantising function: sum, scratch registers, sign, zero, and result."""


class Requantising(NamedTuple):
    """A function that requantises a sum, shared by all kernels of a program.

    function: the function and its text.
    call: the code that calls it.
    called: the cycles of its code.
    """

    function: SharedFunction
    call: Code
    called: int


@cache
def requantising(to_even: int) -> Requantising:
    """The function that requantises a sum for a tile.

    to_even: as in `Tile`.
    """
    lines = joined(requantised(SUM, NUMBER, RESULT, SIGN, ZERO, once=bool(to_even)), a.ret())
    symbol = "tm_requantised_once_s8" if to_even else "tm_requantised_s8"
    text = f"#ifdef __AVR__\nTM_KERNEL {symbol}(void)\n{{\n{statement(lines)}\n}}\n#endif\n"
    return Requantising(SharedFunction(symbol, text, bytes_of(lines)), (a.call(symbol),), cycles(lines))


def shared_functions(tile: Tile) -> Sequence[SharedFunction]:
    """The functions that the kernel of a tile calls to requantise sums."""
    return [requantising(tile.to_even).function]
