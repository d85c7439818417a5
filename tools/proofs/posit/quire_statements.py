"""Statements about sums of standard posits in a quire: ops compute their documented results, and no register overflows.

Each step of a sum has a statement. Every posit is decoded to a significand and a position. A product changes the sum of
the bins by the value of the product. It changes each bin by at most the reserve of the bin. Carrying converts bins to
the digits of the same sum. Joining converts digits to an integer, and this integer rounds to the posit nearest to the
sum. The result is therefore the exact sum, rounded once.

Memory is accessed at known positions. Each query of the solver covers two positions, or the sums between two powers of
two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import singledispatch
from itertools import product
from typing import Any

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from tinyml.dialects.context import context
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.lookup import format_spelled
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.posit.ops import DecodeOp, MultiplyAddOp
from tinyml.dialects.formats.posit.parts import EXPONENTS
from tinyml.dialects.formats.posit.quire_sums import integers
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Condition, Number, choose, entry
from tinyml.dialects.machine.machine import Int
from tinyml.dialects.operations import width_of
from tinyml.tools.proofs.memory import Cells
from tinyml.tools.proofs.posit.quire_ends import carried, highest_digits, joined, rounded, scales
from tinyml.tools.proofs.posit.quires import QuireStatement, Summed, lowered, memory_of
from tinyml.tools.proofs.proving import Promises, equal
from tinyml.tools.proofs.reading import Promise, read_all, within

LENGTHS = (784,)
"""Lengths of sums of products."""

MAX_BITS = 16
"""Maximum bits of posits of which all raws, and all pairs of positions, are enumerated."""

INTEGERS = (3, 4, 5)
"""Widths of the fixed-point numbers in mixed products; for wider ones and posits of 32 bits, the solver takes more than
a minute."""


@singledispatch
def quire_statements(format: NumberFormat) -> Iterator[QuireStatement]:
    """Yield the statements about sums in a quire of standard posits with the width of `format`, for each es.

    They include products of posits and fixed-point numbers. For posits of 32 bits, these are the only statements.

    Yields nothing for a format other than posits.
    """
    return iter(())


@quire_statements.register
def _(format: PositType) -> Iterator[QuireStatement]:
    for es, length in product(EXPONENTS, LENGTHS):
        posits = PositType(format.n.data, es)
        if format.n.data <= MAX_BITS:
            yield from statements_of(Summed(posits, length))
        for width in INTEGERS:
            yield from statements_of_products(Summed(posits, length, FixedType(width, 0)))


def statements_of_products(sum: Summed) -> Iterator[QuireStatement]:
    """Yield the statements about the products of a sum and their addition to the bins."""
    yield _multiplied(sum)
    yield _held(sum)


def statements_of(sum: Summed) -> Iterator[QuireStatement]:
    """Yield all statements about a sum of products of posits of one type."""
    for least in dict.fromkeys(sum.leasts):
        yield _decoded(sum, least)
    yield from statements_of_products(sum)
    if not sum.layout.is_single:
        yield carried(sum)
    for places in highest_digits(sum):
        yield joined(sum, places)
    for scale in scales(sum):
        yield rounded(sum, scale)


def is_right(lhs: str, rhs: str, length: int, name: str, inputs: Sequence[int]) -> bool:
    """Whether a statement about sums of products is true for some inputs.

    lhs, rhs: the types of the factors. The left factors are posits.
    length: the number of products in a sum.
    name: the name of the statement.
    """
    format, other = (format_spelled(context(), type) for type in (lhs, rhs))
    assert isinstance(format, PositType)
    assert isinstance(other, ExactFormat)
    about = statements_of if other == format else statements_of_products
    [one] = (one for one in about(Summed(format, length, other)) if one.name == name)
    expected = one.expected(inputs)
    promised = all(promise.holds is True for promise in one.promises()(inputs, expected))
    return promised and int(one.evaluated([np.array([number]) for number in inputs]).array.ravel()[0]) == expected


def _decoded(sum: Summed, least: int) -> QuireStatement:
    """The statement about decoding: the significand and the position of each raw.

    NaR has the significand 0 and a position with a sign, which no number has.

    least: the exponent of position 0.
    """
    parts, step, nar, most = sum.parts[0], sum.step, sum.format.posit.nar, sum.most(sum.leasts.index(least))
    numbers = [0, *(int(sum.number(raw) * Fraction(2) ** -least) for raw in range(nar + 1, -nar))]

    def make(args: Sequence[SSAValue]) -> Sequence[Operation]:
        return [DecodeOp(args[0], parts, least, step)]

    def promised() -> Promises:
        block = lowered([sum.format.storage], make)

        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            (significand, place), of_parts = read_all(block, inputs)
            yield from of_parts
            is_nar = within(inputs[0], nar, nar)
            yield Promise("NaR alone has a sign", equal(choose(place < 0, 1, 0), choose(is_nar, 1, 0)))
            place = choose(is_nar, 0, place)
            yield Promise("there is such a place", within(place, 0, len(most) - 1))
            size = choose(significand < 0, 0 - significand, significand)
            yield Promise("the significand is one of its place", size <= entry(most, place))
            given = significand * entry([1 << step * at for at in range(len(most))], place)
            yield Promise("the parts give the number", equal(given, expected))

        return promises

    def in_python(inputs: Sequence[Any]) -> Any:
        found = integers(parts, inputs[0].astype(np.int64), least)
        return np.where(found != found, 0, found)

    return QuireStatement(
        name=f"posit.decode from {least} step {step} : {sum.format}",
        subject="posit.decode",
        domains=[range(nar, -nar)],
        expected=lambda x: entry(numbers, x[0] - nar),
        sum=sum,
        promised=promised,
        in_python=in_python,
    )


def _multiplied(sum: Summed) -> QuireStatement:
    """The statement about adding a product to the bins.

    The factors have any significands at any positions, including NaR. The bins are in any reachable state.
    """
    layout, step = sum.layout, sum.step
    most = [sum.most(factor) for factor in (0, 1)]
    widths = [
        parts.width_at(step) if parts.is_placed else parts.half_at(step, least)
        for parts, least in zip(sum.parts, sum.leasts, strict=True)
    ]
    # Only posits have NaR, whose place is negative.
    nars = [
        [] if parts.is_placed else [-1 << min(width, 16) - 1] for parts, width in zip(sum.parts, widths, strict=True)
    ]
    places = [[*nar, *range(len(of))] for nar, of in zip(nars, most, strict=True)]
    powers = [1 << step * place for place in range(len(most[0]) + len(most[1]))]
    held = (sum.length - 1) * sum.change
    start = range(-held, held - layout.count + 2)
    every = [range(-max(of), max(of) + 1) for of in most]

    def significands(factor: int, place: int) -> range:
        """The significands at a position; NaR's position has only 0."""
        greatest = 0 if place < 0 else most[factor][place]
        return range(-greatest, greatest + 1)

    def make(args: Sequence[SSAValue]) -> Sequence[Operation]:
        quire, _, *factors = args
        lhs, rhs = (
            (Int(x, width_of(x), -max(of), max(of)), Int(place, width_of(place), 0, len(of) - 1))
            for (x, place), of in zip((factors[:2], factors[2:]), most, strict=True)
        )
        return [MultiplyAddOp(quire, sum.quire, lhs, rhs, layout.product_bits(*sum.parts), step)]

    def documented(x: Sequence[Number]) -> Number:
        (s, p, t, q, _) = x
        return s * t * entry(powers, choose(p < 0, 0, p) + choose(q < 0, 0, q))

    def promised() -> Promises:
        registers = [IntegerType(one) for width in widths for one in (width, min(width, 16))]
        block = lowered([*memory_of(sum), *registers], make, is_quire=True)

        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            *operands, first = inputs
            # Bins contain distinct numbers, so that a bin cannot be mistaken for its neighbour.
            before = [first + place for place in range(layout.count)]
            bins, changed = Cells(before), 0
            _, of_sum = read_all(block, [bins, Cells([0]), *operands])
            yield from of_sum
            for place, (old, new) in enumerate(zip(before, bins.numbers, strict=True)):
                yield Promise("a bin changes by at most its share", within(new - old, -sum.change, sum.change))
                changed = changed + (new - old) * (1 << layout.step * place)
            yield Promise("the bins change by the product", equal(changed, expected))

        return promises

    def in_python(inputs: Sequence[Any]) -> Any:
        s, p, t, q, _ = (column.astype(object) for column in inputs)
        return (s << step * np.maximum(p, 0)) * (t << step * np.maximum(q, 0))

    divided = [
        [significands(0, p), range(p, p + 1), significands(1, q), range(q, q + 1), start] for p, q in product(*places)
    ]

    def tried() -> Sequence[Sequence[int]]:
        """The ends of each piece of a domain, combined with each end of the bins."""
        return [
            (s, p[0], t, q[0], start[0] if place % 2 else start[-1])
            for place, (ss, p, ts, q, _) in enumerate(divided)
            for s, t in product({ss[0], ss[-1]}, {ts[0], ts[-1]})
        ]

    return QuireStatement(
        name=f"posit.multiply_add : {sum}",
        subject="posit.multiply_add",
        domains=[every[0], places[0], every[1], places[1], start],
        expected=documented,
        sum=sum,
        promised=promised,
        in_python=in_python,
        divided=divided,
        tried=tried,
    )


def _held(sum: Summed) -> QuireStatement:
    """The statement that the sum fits its width and that the bins fit their registers, with a reserve for the
    initial value.
    """
    layout, count = sum.layout, sum.length + 1

    def promised() -> Promises:
        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            yield Promise(
                f"{sum.length} products of at most {sum.greatest} fit in {layout.width} bits",
                sum.length * sum.greatest < 1 << layout.width - 1,
            )
            yield Promise(
                f"{count} changes of at most {sum.change} fit in {layout.bin} bits",
                count * sum.change < 1 << layout.bin - 1,
            )
            room = layout.bin if layout.is_single else layout.count * layout.step
            yield Promise(f"the bins have room for {layout.width} bits", layout.width <= room)

        return promises

    return QuireStatement(
        name=f"posit.quire : {sum}",
        subject="posit.quire",
        domains=[range(1)],
        expected=lambda x: 1,
        sum=sum,
        promised=promised,
        in_python=lambda inputs: np.array([1]),
    )
