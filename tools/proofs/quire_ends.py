"""Statements about the end of a sum in a quire: bins become digits, and these an integer that is rounded once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects.formats.posit.final_ops import JoinOp, RoundOp
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Condition, Number, choose
from tinyml.dialects.operations import index_constant
from tinyml.dialects.rewriting import Rewriter
from tinyml.tools.proofs.memory import Cells
from tinyml.tools.proofs.proving import Domain, Promises, equal
from tinyml.tools.proofs.quires import SAMPLES, QuireStatement, Summed, lowered, memory_of
from tinyml.tools.proofs.reading import Promise, read_all, within
from tinyml.tools.proofs.values import Truths


def carried(sum: Summed) -> QuireStatement:
    """The bins of a digit and what is carried to them become the digit, in their place, and what it carries."""
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
                # The other bins hold numbers that are told apart.
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


def _joining(sum: Summed, *, is_rounded: bool = True) -> tuple[Block, Sequence[scf.ForOp]]:
    """How a sum is joined, and perhaps rounded, and the loops over its bins; a third argument is a bin's register."""

    def make(args: Sequence[SSAValue]) -> Sequence[Operation]:
        join = JoinOp(args[0], sum.quire, sum.format.bits - 1)
        return [join, RoundOp(join.sum, join.scale, join.undefined, sum.format)] if is_rounded else [join]

    block = lowered([*memory_of(sum), IntegerType(sum.layout.bin)], make, is_quire=True)
    return block, [op for op in block.ops if isinstance(op, scf.ForOp)]


def _carrying(sum: Summed, digit: int) -> Block:
    """The step of a digit alone, to which the third argument is carried."""
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
    """A sum as one integer, or as digits, from the lowest one on, and the sign that they carry."""

    sum: Summed

    @property
    def base(self) -> int:
        return 1 << self.sum.layout.digit

    @property
    def count(self) -> int:
        layout = self.sum.layout
        return 0 if layout.is_single else layout.count * layout.step // layout.digit

    @property
    def domains(self) -> Sequence[Domain]:
        half = 1 << self.sum.layout.width - 1
        return [*[range(self.base)] * self.count, range(-1, 1) if self.count else range(1 - half, half)]

    def total(self, x: Sequence[Number]) -> Number:
        *digits, found = x
        for digit in reversed(digits):
            found = found * self.base + digit
        return found

    def of(self, number: int) -> Sequence[int]:
        """A number in digits."""
        found = list[int]()
        for _ in range(self.count):
            found.append(number % self.base)
            number //= self.base
        return [*found, number]

    def place(self, number: int) -> int:
        """The place of the highest digit that is not that of a sign."""
        return (
            max((number if number >= 0 else ~number).bit_length() - 1, 0) // self.sum.layout.digit if self.count else 0
        )

    def between_powers(self, place: int) -> Iterator[Sequence[Domain]]:
        """The sums from each power of two to the next, of either sign, whose highest digit is at a place.

        With those of the first place 0 and -1.
        """
        base, count = self.base, self.count
        if not count:
            powers = [range(1), *(range(1 << k, 2 << k) for k in range(self.sum.layout.width - 1))]
            yield from ([one] for of in powers for one in (of, range(-of[-1], -of[0] + 1)))
            return
        free, zero, last = range(base), range(1), range(base - 1, base)
        if place == 0:
            yield from ([*[fill] * count, range(sign, sign + 1)] for sign, fill in ((0, zero), (-1, last)))
        above = count - place - 1
        plus, minus = [*[zero] * above, range(1)], [*[last] * above, range(-1, 0)]
        for bit in range(base.bit_length() - 1):
            yield [*[free] * place, range(1 << bit, 2 << bit), *plus]
            # A negative power of two is the first one of its digits: with digits of 0 below, it belongs to others.
            first = base - (2 << bit)
            if bit:
                yield [*[free] * place, range(first + 1, base - (1 << bit)), *minus]
            yield [*[zero] * place, range(first, first + 1), *minus]
            for lower in range(place):
                between = [zero] * (place - lower - 1)
                yield [*[free] * lower, range(1, base), *between, range(first, first + 1), *minus]


def places(sum: Summed) -> range:
    """The places of digits about which there is a statement each."""
    return range(max(_Digits(sum).count, 1))


def ended(sum: Summed, place: int, *, is_rounded: bool) -> QuireStatement:
    """The digits of a sum, and the sign that they carry, become the nearest posit, or NaR if the flag has a sign.

    place: of the highest digit that is not that of a sign. is_rounded: False for the joined sum alone, as an integer
    that is cut off below the bits that decide about a posit, and odd if any that is lost was set.
    """
    layout, nar, digits = sum.layout, sum.format.posit.nar, _Digits(sum)

    def documented(x: Sequence[Number]) -> Number:
        return choose(x[0] < 0, nar, sum.documented.rounded(digits.total(x[1:]), layout.frac)) if is_rounded else 1

    def promised() -> Promises:
        block, loops = _joining(sum, is_rounded=is_rounded)
        if loops:
            loops[0].results[0].replace_all_uses_with(block.args[2])
            Rewriter.erase_op(loops[0])

        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            flag, *numbers, sign = inputs
            bins = [*numbers, *[None] * (layout.count - digits.count)] if digits.count else [sign]
            results, of_sum = read_all(block, [Cells(bins), Cells([flag]), sign])
            yield from of_sum
            if is_rounded:
                yield Promise("the result is the nearest posit", equal(results[0], expected))
                return
            joined, scale, undefined = results
            yield Promise("the flag tells that a number was NaR", equal(undefined, flag < 0))
            yield from _cut(joined, layout.frac + 1 - scale, digits.total(inputs[1:]), sum.format.bits)

        return promises

    def in_python(inputs: Sequence[Any]) -> Any:
        from tinyml.dialects.formats.posit.quire_sums import NAR, rounded

        if not is_rounded:
            return np.ones(len(inputs[0]), np.int64)
        flag, *numbers = (column.astype(object) for column in inputs)
        return rounded(np.where(flag < 0, NAR, digits.total(numbers)), layout.frac, sum.format.posit)

    def tried() -> Sequence[Sequence[int]]:
        half, random = 1 << layout.width - 1, Random(place)
        cuts = sum.documented.cuts(layout.frac) if is_rounded else ()
        held = [cut + more for cut in cuts for more in (-1, 0, 1)]
        for _ in range(SAMPLES):
            bits = random.randrange(layout.digit * place if digits.count else 1, layout.width)
            held.append(random.choice((-1, 1)) * random.getrandbits(max(bits, 1)))
        held = [number for number in (*held, 0, -1) if abs(number) < half and digits.place(number) == place]
        return [[-(at % 9 == 0), *digits.of(number)] for at, number in enumerate(held or [0])]

    flags = range(-1, 1)
    subject = "posit.round" if is_rounded else "posit.join"
    return QuireStatement(
        name=f"{subject}, digit {place} : {sum}",
        subject=subject,
        domains=[flags, *digits.domains],
        expected=documented,
        sum=sum,
        promised=promised,
        in_python=in_python,
        divided=[[flags, *of] for of in digits.between_powers(place)],
        tried=tried,
    )


def _cut(joined: Number, left: Number, total: Number, bits: int) -> Iterator[Promise]:
    """An integer is a sum without its lowest `left` bits, and one more bit that is set if any of these is."""
    if not isinstance(left, int):
        lefts, sums, cut = (np.asarray(one.array, object) for one in (left, total, joined))
        kept = sums >> lefts
        right = cut == 2 * kept + ((kept << lefts) != sums)
        yield Promise("nothing but the bits cut off is lost", Truths(right.astype(bool)))
        enough = (lefts == 0) | (abs(kept) >= 1 << bits - 1)
        yield Promise("enough bits are kept", Truths(enough.astype(bool)))
        return
    lost = choose(total % (1 << left) > 0, 1, 0) if left else 0
    yield Promise("nothing but the bits cut off is lost", equal(joined, 2 * (total // (1 << left)) + lost))
    if left:
        size, least = total // (1 << left), 1 << bits - 1
        yield Promise("enough bits are kept", (size >= least) | (size <= -least))
