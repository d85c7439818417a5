"""Rows of constant matrices as AVR code: weights are immediate operands, and six sums at a time are in registers.

Each element of a vector is loaded once for the rows of a block. A product is computed once for all rows whose weights
have the same magnitude in that column. It is added to or subtracted from the sum of each of these rows. If a magnitude
is twice the previous one, the product is doubled instead of multiplied. Zero weights need no code.

Products are accumulated in 16 bits: the lowest byte of the sum and a separate high byte. As many products are
accumulated as provably fit in 16 bits for any vector. Then the high byte is added to the two upper bytes of the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from tinyml.dialects.layouts.coded_rows import MAX_RESULT, CodedRows
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import AVR, HEADER, bytes_of, cycles, moved, statement
from tinyml.targets.avr.composer.fragments import BIAS
from tinyml.targets.c.composer.constants_in_c import rows_in_c, rows_signature
from tinyml.targets.composer.instructions import Code, Line, joined
from tinyml.targets.kernel import Composed, Kernel

BLOCK = 6
"""The maximum number of rows whose sums fit the registers."""

_VECTORS = 3
"""The maximum number of vectors: their pointers and that to the results are passed in four register pairs."""

_ARGUMENTS = ("r24", "r22", "r20", "r18")
_UPPER = [*range(18, 28), 16, 17, 28, 29]
"""Registers for immediates, call-clobbered ones first."""
_LOWER = [*range(2, 16)]
_SAVED = {*range(2, 18), 28, 29}
_IN_CHUNK = 253
"""The greatest sum of weight magnitudes for which the sum of products with bytes, plus another byte, fits 16 bits."""

_CALL = 4
"""The cycles and bytes of a call instruction."""

_SPACE = 1 << 24
"""The modulus of sums."""


@dataclass(frozen=True)
class _Sum:
    """The registers of a row's sum: its bytes, the lowest first, and the high byte of the accumulated products."""

    bytes: Sequence[str]
    high: str


@dataclass
class _Row:
    """The state of a row's sum while code is emitted.

    sum: the registers of the sum.
    gathered: the sum of the magnitudes of the weights whose products are accumulated in 16 bits; None if there are
        none.
    bias: the bias that the sum and the accumulated products contain. It is shifted with the sum.
    """

    sum: _Sum
    gathered: int | None = None
    bias: int = 0

    def open(self, magnitude: int, zero: str) -> Code:
        """Code that must precede the accumulation of a product with a weight of this magnitude.

        If no 16-bit accumulation has begun, the code begins one. If the product could overflow the current
        accumulation, the code adds its high byte to the sum and begins a new one. Otherwise there is no code.
        """
        if self.gathered is not None and self.gathered + magnitude <= _IN_CHUNK:
            self.gathered += magnitude
            return ()
        closed = self.close(zero)
        self.gathered = magnitude
        self.bias += BIAS
        return (*closed, a.ldi(self.sum.high, BIAS >> 8))

    def close(self, zero: str) -> Code:
        if self.gathered is None:
            return ()
        self.gathered = None
        return a.add(self.sum.bytes[1], self.sum.high), a.adc(self.sum.bytes[2], zero)

    def aligned(self, shift: int, zero: str) -> Code:
        closed = self.close(zero)
        self.bias <<= shift
        low, middle, high = self.sum.bytes
        return joined(closed, [a.lsl(low), a.rol(middle), a.rol(high)] * shift)


@dataclass
class AvrCodedBlock:
    """The code for a block of at most `BLOCK` rows, whose sums are in registers.

    rows: the rows of the block.
    first: the index of the first row.
    pointers: the number of pointers on the stack.
    states: for each row, the state of its sum.
    """

    rows: CodedRows
    first: int
    pointers: int
    states: list[_Row] = field(init=False)

    def __post_init__(self) -> None:
        count = self.rows.rows
        self.element, self.weight, *highs = (f"r{number}" for number in _UPPER[: 2 + count])
        rest = [f"r{number}" for number in (*_UPPER[2 + count : 10], *_LOWER, *_UPPER[max(2 + count, 10) :])]
        self.spare, self.zero, *free = rest
        self.states = [_Row(_Sum(free[3 * row : 3 * row + 3], high)) for row, high in enumerate(highs)]

    @cached_property
    def lines(self) -> Code:
        products = joined(*(self._matrix(number) for number in range(len(self.rows.weights))))
        closed = joined(*(row.close(self.zero) for row in self.states))
        # The bias that was added to each sum is only known after the products.
        return joined(a.clr(self.zero), self._starts(), products, closed, self._results())

    @property
    def used(self) -> set[int]:
        """The numbers of the registers that the code changes."""
        names = (register for row in self.states for register in (*row.sum.bytes, row.sum.high))
        return {int(name[1:]) for name in (self.element, self.weight, self.spare, self.zero, *names)}

    @property
    def skipped(self) -> int:
        """The number of cycles by which the code is faster if all results are in range, so that no result is saturated.

        It is the number of cycles of the instructions that are then skipped, minus the additional cycles of the
        branches that skip them.
        """
        return 5 * sum(map(self._limited, range(self.rows.rows))) if self.rows.right < 16 else 0

    def pointer(self, number: int) -> Code:
        """Code that loads pointer `number` from the stack to Z. The last pointer is at the lowest address."""
        offset = 1 + 2 * (self.pointers - 1 - number)
        stack = (a.in_("r30", a.STACK_POINTER[0]), a.in_("r31", a.STACK_POINTER[1]))
        low, high = a.at("Z", offset), a.at("Z", offset + 1)
        return (*stack, a.ldd(self.spare, low), a.ldd("r31", high), a.mov("r30", self.spare))

    def _starts(self) -> Code:
        lines: list[Line] = []
        shift = sum(self.rows.aligns)
        for row, start in zip(self.states, self.rows.starts, strict=True):
            number = (int(start) - (row.bias >> shift)) % _SPACE
            for at, register in enumerate(row.sum.bytes):
                byte = number >> 8 * at & 255
                if byte == 0:
                    lines.append(a.mov(register, self.zero))
                elif int(register[1:]) >= min(_UPPER):
                    lines.append(a.ldi(register, byte))
                else:
                    lines += [a.ldi(self.weight, byte), a.mov(register, self.weight)]
        return tuple(lines)

    def _matrix(self, number: int) -> Code:
        matrix, shift = self.rows.weights[number], self.rows.aligns[number]
        lines = list(joined(*(row.aligned(shift, self.zero) for row in self.states))) if shift else []
        columns = np.flatnonzero(matrix.any(0)).tolist()
        if columns:
            lines += self.pointer(number)
        at = 0
        for column in columns:
            if column - at > a.DISPLACEMENT:
                lines += moved("r30", column - at)
                at = column
            lines.append(a.ldd(self.element, a.at("Z", column - at)))
            lines += self._column([int(weight) for weight in matrix[:, column]])
        return tuple(lines)

    def _column(self, weights: Sequence[int]) -> Code:
        left = sorted({abs(weight) for weight in weights} - {0})
        lines: list[Line] = []
        while left:
            magnitude = left[0]
            meeting = [weight for weight in weights if abs(weight) == magnitude]
            if magnitude == 1 and len(meeting) == 1 and 2 not in left:
                left.remove(1)
                lines += self._element(weights.index(meeting[0]), meeting[0])
                continue
            # The sign of the factor is that of the first row with this magnitude.
            positive = meeting[0] > 0
            factor = magnitude if positive else -magnitude
            lines += [a.ldi(self.weight, factor & 255), a.muls(self.element, self.weight)]
            while True:
                left.remove(magnitude)
                for row, weight in zip(self.states, weights, strict=True):
                    if abs(weight) == magnitude:
                        low, high = (a.add, a.adc) if (weight > 0) == positive else (a.sub, a.sbc)
                        opened = row.open(magnitude, self.zero)
                        lines += [*opened, low(row.sum.bytes[0], "r0"), high(row.sum.high, "r1")]
                magnitude *= 2
                if magnitude not in left:
                    break
                lines += [a.lsl("r0"), a.rol("r1")]
        return tuple(lines)

    def _element(self, number: int, sign: int) -> Code:
        row = self.states[number]
        low, high, carry = (a.add, a.adc, a.dec) if sign > 0 else (a.sub, a.sbc, a.inc)
        opened = row.open(1, self.zero)
        first = low(row.sum.bytes[0], self.element)
        return (
            *opened,
            first,
            high(row.sum.high, self.zero),
            a.sbrc(self.element, 7),
            carry(row.sum.high),
        )

    def _limited(self, row: int) -> bool:
        return int(self.rows.bounds[row]) >> self.rows.right >= MAX_RESULT

    def _results(self) -> Code:
        far = self.first + self.rows.rows - 1 > a.DISPLACEMENT
        lines = list(joined(self.pointer(self.pointers - 1), moved("r30", self.first) if far else ()))
        for number, row in enumerate(self.states):
            bytes = row.sum.bytes[self.rows.right // 8 :]
            shift = [a.asr(bytes[-1]), *(a.ror(byte) for byte in reversed(bytes[:-1]))]
            lines += shift * (self.rows.right % 8)
            result = bytes[0]
            if self._limited(number):
                lines += self._limit(bytes)
                result = self.element
            lines.append(a.std(a.at("Z", number if far else self.first + number), result))
        return tuple(lines)

    def _limit(self, bytes: Sequence[str]) -> Code:
        low, *above = bytes
        spare, result, least = self.spare, self.element, a.ldi(self.element, -MAX_RESULT & 255)
        # If a number is in the range of a byte, all its higher bytes repeat the sign.
        sign = (a.mov(spare, low), a.lsl(spare), a.sbc(spare, spare))
        compared = [(a.cpc if number else a.cp)(spare, byte) for number, byte in enumerate(above)]
        not_least = (a.cpi(result, -MAX_RESULT - 1 & 255), a.brne(ahead=2), least)
        if not above:
            return (a.mov(result, low), *not_least, a.label(2))
        beyond = (a.label(1), a.ldi(result, MAX_RESULT), a.sbrc(above[-1], 7), least)
        return (a.mov(result, low), *sign, *compared, a.brne(ahead=1), *not_least, a.rjmp(ahead=2), *beyond, a.label(2))


@dataclass(frozen=True)
class AvrCodedRows:
    """The function for all rows. Its arguments are the pointers to the vectors, then the pointer to the results."""

    rows: CodedRows

    @property
    def fits(self) -> bool:
        """True if the sums fit in 24 bits, the pointers fit in the argument registers, and the total left shift of the
        sums is at most that of `BIAS`.
        """
        shift = sum(self.rows.aligns)
        return len(self.rows.weights) <= _VECTORS and 1 << shift <= BIAS and int(self.rows.bounds.max()) < _SPACE // 2

    @cached_property
    def blocks(self) -> Sequence[AvrCodedBlock]:
        """The rows, divided into blocks with nearly equal numbers of rows."""
        rows = self.rows.rows
        count = -(-rows // BLOCK)
        ends = [rows * number // count for number in range(count + 1)]
        pointers = len(self.rows.weights) + 1
        return [AvrCodedBlock(self.rows.part(*ends), ends[0], pointers) for ends in pairwise(ends)]

    @cached_property
    def lines(self) -> Code:
        blocks = joined(*(block.lines for block in self.blocks))
        arguments = _ARGUMENTS[: len(self.rows.weights) + 1]
        pointers = [register for low in arguments for register in reversed(a.pair(low))]
        return joined(
            map(a.push, (*self.saved, *pointers)),
            blocks,
            [a.pop("r0")] * len(pointers),
            map(a.pop, reversed(self.saved)),
            (a.clr("r1"), a.ret()),
        )

    @cached_property
    def saved(self) -> Sequence[str]:
        return [f"r{number}" for number in sorted(_SAVED & {number for block in self.blocks for number in block.used})]

    @property
    def cycles(self) -> int:
        """The cycles of a call whose results are in range, including the cycles for passing arguments."""
        arguments = 2 * (len(self.rows.weights) + 1)
        return _CALL + arguments + cycles(self.lines) - sum(block.skipped for block in self.blocks)

    @property
    def stack(self) -> int:
        return 2 + len(self.saved) + 2 * (len(self.rows.weights) + 1)

    @property
    def call(self) -> int:
        return _CALL + 4 * (len(self.rows.weights) + 1)


def coded_rows(symbol: str, rows: CodedRows) -> Kernel | None:
    """The kernel for the given rows; None if `AvrCodedRows` does not support them."""
    code = AvrCodedRows(rows)
    if not code.fits:
        return None
    bodies = {(AVR,): statement(code.lines)}
    costs = {"": float(code.cycles)}
    composed = Composed(HEADER, rows_signature(symbol, rows), bodies, rows_in_c(rows), costs, code.call, code.stack)
    return Kernel(symbol, 8, 8, 24, op="num.coded_rows", code=bytes_of(code.lines), composed=composed)
