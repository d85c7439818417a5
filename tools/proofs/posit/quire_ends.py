"""Statements about the end of a sum in a quire. Bins become digits, and digits become an integer that is rounded
once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1, i16
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects.formats.posit import quire_sums
from tinyml.dialects.formats.posit.final_ops import JoinOp, RoundOp
from tinyml.dialects.formats.posit.layout import Layout
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Condition, Number, choose
from tinyml.dialects.operations import index_constant, width_of
from tinyml.dialects.rewriting import Rewriter
from tinyml.tools.proofs.memory import Cells
from tinyml.tools.proofs.posit.nearest_posits import Nearest
from tinyml.tools.proofs.posit.quires import SAMPLES, QuireStatement, Summed, lowered, memory_of
from tinyml.tools.proofs.proving import Domain, Promises, equal
from tinyml.tools.proofs.reading import Promise, read_all, within
from tinyml.tools.proofs.values import Truths


def carried(sum: Summed) -> QuireStatement:
    """The statement that one step of carrying is correct.

    The step adds the bins of a digit and the incoming carry. It splits the sum into the digit, at its position, and the
    next carry.
    """
    layout = sum.layout
    each, held = layout.digit // layout.step, (sum.length + 1) * sum.change
    # All bins below carry held / 2^step + held / 4^step + ... at most.
    most = held // ((1 << layout.step) - 1) + 1
    bins, carries = range(-held, held + 1), range(-most, most + 1)

    def documented(x: Sequence[Number]) -> Number:
        *numbers, total = x
        for place, number in enumerate(numbers):
            total = total + number * (1 << layout.step * place)
        return total

    def promised() -> Promises:
        blocks = [_carrying(sum, k) for k in range(layout.count // each)]

        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            *numbers, carry = inputs
            for k, block in enumerate(blocks):
                # The other bins contain distinct numbers.
                before = [*range(k * each), *numbers, *range((k + 1) * each, layout.count)]
                cells = Cells(before)
                [above], of_digit = read_all(block, [cells, Cells([0]), carry])
                yield from of_digit
                digit = cells.numbers[k]
                yield Promise("a digit has no sign", within(digit, 0, (1 << layout.digit) - 1))
                yield Promise("a carry is one of them", within(above, -most, most))
                yield Promise("nothing is lost", equal(digit + above * (1 << layout.digit), expected))
                after = before[(k + 1) * each :]
                yield Promise("later bins stay", [*cells.numbers[(k + 1) * each :]] == after)

        return promises

    return QuireStatement(
        name=f"posit.join, carries : {sum}",
        subject="posit.join",
        domains=[*[bins] * each, carries],
        expected=documented,
        sum=sum,
        promised=promised,
        in_python=lambda inputs: documented([column.astype(object) for column in inputs]),
    )


def _joining(sum: Summed) -> tuple[Block, Sequence[scf.ForOp]]:
    """Lower the op that joins the digits of a sum. Return the block and the loops over bins that it contains.

    The third argument of the block is a number in a bin's register.
    """

    def make(args: Sequence[SSAValue]) -> Sequence[Operation]:
        return [JoinOp(args[0], sum.quire, sum.format.bits - 1)]

    block = lowered([*memory_of(sum), IntegerType(sum.layout.bin)], make, is_quire=True)
    return block, [op for op in block.ops if isinstance(op, scf.ForOp)]


def _carrying(sum: Summed, digit: int) -> Block:
    """The block of the lowered step that computes one digit. The third argument of the block is the carry into the
    digit.
    """
    block, [loop, *_] = _joining(sum)
    first, last = index_constant(digit), index_constant(digit + 1)
    Rewriter.insert_op([first, last], InsertPoint.before(loop))
    loop.operands[0], loop.operands[1], loop.operands[3] = first.result, last.result, block.args[2]
    for op in reversed([*block.ops]):
        if op is loop:
            break
        Rewriter.erase_op(op)
    block.add_op(func.ReturnOp(loop.results[0]))
    return block


@dataclass(frozen=True)
class _Digits:
    """The digits of a sum: a single integer, or several digits, lowest first, with the sign carried out of the highest
    digit.
    """

    layout: Layout

    @property
    def base(self) -> int:
        return 1 << self.layout.digit

    @property
    def count(self) -> int:
        return 0 if self.layout.is_single else self.layout.count * self.layout.step // self.layout.digit

    @property
    def domains(self) -> Sequence[Domain]:
        half = 1 << self.layout.width - 1
        return [*[range(self.base)] * self.count, range(-1, 1) if self.count else range(1 - half, half)]

    def total(self, x: Sequence[Number]) -> Number:
        *digits, found = x
        for digit in reversed(digits):
            found = found * self.base + digit
        return found

    def of(self, number: int) -> Sequence[int]:
        """The digits of a number, least significant first; the last element contains all remaining places."""
        found = list[int]()
        for _ in range(self.count):
            found.append(number % self.base)
            number //= self.base
        return [*found, number]

    def pieces(self, places: range) -> Iterator[Sequence[Domain]]:
        """Yield the intervals of sums between adjacent powers of two, for either sign, each as the domains of the
        digits and of the sign.

        The first positions also include the sums 0 and -1. If the sum is a single integer, the only element is the
        domain of the integer.

        places: the positions of the highest digits, without sign digits.
        """
        if not self.count:
            yield self.domains
            return
        base, count = self.base, self.count
        for sign, fill in ((0, range(1)), (-1, range(base - 1, base))):
            if places[0] == 0:
                yield [*[fill] * count, range(sign, sign + 1)]
            for place, bit in product(places, range(base.bit_length() - 1)):
                above = [*[fill] * (count - place - 1), range(sign, sign + 1)]
                first = range(1 << bit, 2 << bit) if sign == 0 else range(base - (2 << bit), base - (1 << bit))
                yield [*[range(base)] * place, first, *above]


AT_ONCE = 8
"""The number of highest digits per statement."""


def highest_digits(sum: Summed) -> Iterator[range]:
    """Yield groups of positions; the highest digit of a sum is at one of these positions."""
    count = max(_Digits(sum.layout).count, 1)
    yield from (range(first, min(first + AT_ONCE, count)) for first in range(0, count, AT_ONCE))


def joined(sum: Summed, places: range) -> QuireStatement:
    """The statement that digits and their sign are joined correctly to an integer.

    The lowest bits of the sum are dropped. The integer is odd if any dropped bit is set.

    places: the positions of the highest digits, without sign digits.
    """
    layout, digits = sum.layout, _Digits(sum.layout)

    def promised() -> Promises:
        block, loops = _joining(sum)
        if loops:
            loops[0].results[0].replace_all_uses_with(block.args[2])
            Rewriter.erase_op(loops[0])

        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            flag, *numbers, sign = inputs
            bins = [*numbers, *[None] * (layout.count - digits.count)] if digits.count else [sign]
            (found, scale, undefined), of_sum = read_all(block, [Cells(bins), Cells([flag]), sign])
            yield from of_sum
            yield Promise("the flag tells that a number was NaR", equal(undefined, flag < 0))
            if layout.is_single:
                yield Promise("the integer is the sum", equal(found, sign))
                yield Promise("its unit is that of the sum", equal(scale, layout.frac))
                return
            yield from _cut(found, layout.frac + 1 - scale, digits.total(inputs[1:]), sum.format.bits)

        return promises

    def tried() -> Sequence[Sequence[int]]:
        half, random = 1 << layout.width - 1, Random(0)
        held = [1 - half, half - 1, 0, -1]
        for _ in range(SAMPLES):
            held.append(random.choice((-1, 1)) * random.getrandbits(random.randrange(1, layout.width)))
        return [[-(at % 9 == 0), *digits.of(number)] for at, number in enumerate(held)]

    return QuireStatement(
        name=f"posit.join, digits {places[0]} to {places[-1]} : {sum}",
        subject="posit.join",
        domains=[range(-1, 1), *digits.domains],
        expected=lambda x: 1,
        sum=sum,
        promised=promised,
        in_python=lambda inputs: np.ones(len(inputs[0]), np.int64),
        divided=[[range(-1, 1), *of] for of in digits.pieces(places)],
        tried=tried,
    )


def _cut(found: Number, left: Number, total: Number, bits: int) -> Iterator[Promise]:
    """Yield the conditions that an integer equals `total` without its lowest `left` bits, with a sticky bit for the
    dropped bits.

    found: the integer.
    bits: the number of bits of the total that must be kept if any are dropped.
    """
    if not isinstance(left, int):
        lefts, sums, cut = (np.asarray(one.array, object) for one in (left, total, found))
        kept = sums >> lefts
        right = cut == 2 * kept + ((kept << lefts) != sums)
        yield Promise("nothing but the bits cut off is lost", Truths(right.astype(bool)))
        enough = (lefts == 0) | (abs(kept) >= 1 << bits - 1)
        yield Promise("enough bits are kept", Truths(enough.astype(bool)))
        return
    lost = choose(total % (1 << left) > 0, 1, 0) if left else 0
    yield Promise("nothing but the bits cut off is lost", equal(found, 2 * (total // (1 << left)) + lost))
    if left:
        size, least = total // (1 << left), 1 << bits - 1
        yield Promise("enough bits are kept", (size >= least) | (size <= -least))


def scales(sum: Summed) -> Sequence[int]:
    """The scales that a joined integer can have. The scale depends on the digit below which the lowest bits are
    dropped.
    """
    layout, digits = sum.layout, _Digits(sum.layout)
    return [layout.frac + 1 - layout.digit * place for place in range(digits.count)] if digits.count else [layout.frac]


def _joined_width(sum: Summed) -> int:
    [quire] = Block(arg_types=[sum.layout.storage]).args
    return width_of(JoinOp(quire, sum.quire, sum.format.bits - 1).sum)


def rounded(sum: Summed, scale: int) -> QuireStatement:
    """The statement that rounding a joined integer is correct.

    The result is the posit to which the whole sum rounds, or NaR.
    """
    format, documented = sum.format, sum.documented
    width = _joined_width(sum)
    most, nar = (1 << width - 1) - 1, format.posit.nar
    nearest = Nearest(format, scale)

    def promised() -> Promises:
        def make(args: Sequence[SSAValue]) -> Sequence[Operation]:
            at = arith.ConstantOp(IntegerAttr(scale, i16))
            return [at, RoundOp(args[0], at.result, args[1], format)]

        block = lowered([IntegerType(width), i1], make)

        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            x, undefined = inputs
            [raw], of_round = read_all(block, [x, undefined >= 1])
            yield from of_round
            yield Promise("the result is the nearest posit", equal(raw, expected))
            yield Promise("no bit that is cut off decides about it", nearest.needs_no_more)

        return promises

    def in_python(inputs: Sequence[Any]) -> Any:
        x, undefined = (column.astype(object) for column in inputs)
        return quire_sums.rounded(np.where(undefined > 0, quire_sums.NAR, x), scale, format.posit)

    def tried() -> Sequence[Sequence[int]]:
        random = Random(scale)
        held = [cut + more for cut in documented.cuts(scale) for more in (-1, 0, 1)] + [0, -most, most]
        held += [random.choice((-1, 1)) * random.getrandbits(random.randrange(1, width)) for _ in range(SAMPLES)]
        return [[x, at % 9 == 0] for at, x in enumerate(held) if abs(x) <= most]

    powers = [range(1), *(range(1 << k, 2 << k) for k in range(width - 1))]
    return QuireStatement(
        name=f"posit.round scale {scale} : i{width} -> {format}",
        subject="posit.round",
        domains=[range(-most, most + 1), range(2)],
        expected=lambda x: choose(x[1] >= 1, nar, nearest(x[0])),
        sum=sum,
        promised=promised,
        in_python=in_python,
        divided=[[one, range(2)] for of in powers for one in (of, range(-of[-1], -of[0] + 1))],
        tried=tried,
    )
