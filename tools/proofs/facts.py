"""Statements about the numbers of a format: decoding, rounding, tables for kernels, and folds on tensors.

Each statement is checked by enumeration: on all raws of formats with up to 12 bits, on some raws of wider formats, and
on reals at and around the borders between two raws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.grouping import Grouping
from tinyml.dialects.formats.groups import MOST_BITS
from tinyml.dialects.formats.number_format import INTEGER, TABLE, NumberFormat, number_format
from tinyml.dialects.formats.specification import RoundedOnce
from tinyml.dialects.layouts.packed_bits import WIDTHS, group_length, pack_bits, unpack_bits
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Condition, Number
from tinyml.runtime.evaluator.arithmetics import Bits
from tinyml.tools.proofs.proving import Promises, Statement
from tinyml.tools.proofs.reading import Promise
from tinyml.tools.proofs.statements import Known
from tinyml.tools.proofs.values import Truths, Values

MAX_RAWS = 1 << 12
"""The number of raws above which only evenly spaced raws and the ends are checked."""

CODINGS = (INTEGER, TABLE)
"""Codings by which kernels decode every raw."""

BORDER_DISTANCES = (Fraction(-1, 1 << 20), Fraction(0), Fraction(1, 1 << 20))
"""Distances from a border, as parts of the distance between two numbers."""


@dataclass(frozen=True, kw_only=True)
class Fact(Statement):
    """A statement that a property is true for each of some integers, given as an array.

    right: returns the mask of the integers for which the property is true.
    type: the type of the format, as text.
    """

    right: Callable[[Any], Any]
    type: str

    def promises(self) -> Promises:
        def none(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            return iter(())

        return none

    def evaluated(self, inputs: Sequence[Any]) -> Values | Truths:
        with np.errstate(all="ignore"):
            return Values(np.asarray(self.right(inputs[0])).astype(np.int64))

    def as_test(self, inputs: Sequence[int], documented: int) -> str:
        return (
            "from tinyml.tools.proofs.facts import is_right\n\n\n"
            f"def test_counterexample():\n    assert is_right({self.type!r}, {self.name!r}, {inputs[0]})\n"
        )


def is_right(type: str, name: str, input: int) -> bool:
    """Whether a fact about a format, given by the format's type, is true for an integer."""
    format = number_format(Parser(context(), type).parse_type())
    assert format is not None
    assert format.specification is not None
    [fact] = (fact for fact in facts(Known(format, format.specification)) if fact.name == name)
    return bool(np.asarray(fact.evaluated([np.array([input])]).array).all())


def facts(known: Known) -> Iterator[Fact]:
    """Yield all facts about a format."""
    format, documented = known.format, known.documented

    def fact(subject: str, items: Sequence[int], right: Callable[[Any], Any], of: str = "") -> Fact:
        name = f"{subject} : {of}{known}"
        return Fact(
            name=name, subject=subject, domains=[items], expected=lambda x: 1, right=right, type=str(format.type)
        )

    raws = _some(documented.raws)
    yield fact("decode", raws, lambda x: _each(_is_number(known), x, format.decode(x.astype(format.dtype))))
    reals, nearest = _around_borders(known, raws)
    yield fact("encode", range(len(reals)), lambda x: format.encode(reals[x]) == nearest[x])
    if (bits := max(raws[-1], ~raws[0]).bit_length() + 1) in WIDTHS:
        yield fact("packed", raws, lambda x: _is_packed(bits, x))
    coding = format.coding
    if coding is not None and coding.name in CODINGS and isinstance(documented, RoundedOnce):
        entries, zero = coding.table, coding.zero

        def decoded(x: Any) -> Any:
            integers = x if entries is None else entries[x + zero]
            return _each(lambda raw, integer: integer == documented.integer(raw), x, integers)

        yield fact(f"{coding.name} of kernels", raws, decoded)
    for name, folds in _folds(format):
        yield fact("folds", raws, folds, f"{name} : ")
    exponents = range(MOST_BITS + 1 - documented.size.bit_length())
    constant = np.ldexp(_numbers(known, raws), np.array(exponents)[:, None])
    if (grouped := format.grouped(constant, None, Grouping(1))) is not None:
        yield fact(
            "exponents of groups", exponents, lambda x: (grouped.decode(grouped.encode(constant)) == constant)[x].all(1)
        )
        yield fact("numbers of groups", raws, partial(_times_powers, known, grouped, exponents))


FOLDED_OPS = (tdsl.ReluOp, tdsl.Relu6Op, tdsl.NegOp, tdsl.CastOp)
"""Elementwise ops on a tensor that fold, some of them to the operand of the preceding op."""


def _folds(format: NumberFormat) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yield the ops, and pairs of consecutive ops, that fold in a format. Each comes with a name and a function that
    tests the fold on raws.
    """
    for outer, inner in product(FOLDED_OPS, (None, *FOLDED_OPS)):
        [x] = Block(arg_types=[TensorType(format.type, [1])]).args
        before = None if inner is None else inner(x, format.type)
        op = outer(x if before is None else before.out, format.type)
        if (folded := op.fold()) is not None:
            name = op.name if before is None else f"{op.name} of {before.name}"
            yield name, partial(_keeps, op, before, folded[0] is x)


def _keeps(op: tdsl.UnaryOp, before: tdsl.UnaryOp | None, to_input: bool, x: Any) -> Any:
    """A mask of the raws for which the result of `op` equals its fold.

    before: an op that computes the operand of `op`; None if the operand is the input.
    to_input: true if the op folds to the input, false if it folds to the result of `before`.
    """
    raws = x.astype(tdsl.format_of(op.out).dtype)[:, None]
    given = raws if before is None else np.broadcast_to(before.compute(Bits(), [raws]), raws.shape)
    return np.broadcast_to(op.compute(Bits(), [given]) == (raws if to_input else given), raws.shape)[:, 0]


def _times_powers(known: Known, grouped: NumberFormat, exponents: Sequence[int], x: Any) -> Any:
    """A mask of the raws that are decoded correctly in groups: the number is the element times the power of two of its
    group.

    exponents: the exponents of the groups that are tested.
    """
    raws = np.zeros((len(exponents), len(_some(known.documented.raws))), known.format.dtype)
    raws[:, : len(x)] = x
    numbers = np.ldexp(_numbers(known, x), np.array(exponents)[:, None])
    return (grouped.decode(raws)[:, : len(x)] == numbers).all(0)


def _numbers(known: Known, raws: Sequence[int]) -> Any:
    return np.array([float(known.documented.number(int(raw))) for raw in raws])


def _is_packed(bits: int, x: Any) -> Any:
    """A mask of the integers that are returned unchanged from every position of a packed group, for different
    neighbours in the group.
    """
    length, right = group_length(bits), np.ones(len(x), bool)
    for place, others in product(range(length), (0, -1)):
        groups = np.full((len(x), length), others, x.dtype)
        groups[:, place] = x
        right &= unpack_bits(pack_bits(groups.ravel(), bits), bits)[: groups.size].reshape(groups.shape)[:, place] == x
    return right


def _some(raws: Sequence[int]) -> Sequence[int]:
    return raws if len(raws) <= MAX_RAWS else sorted({*raws[:: len(raws) // MAX_RAWS], raws[-1]})


def _each(right: Callable[[int, Any], bool], x: Any, y: Any) -> Any:
    return np.array([right(int(a), b) for a, b in zip(x, y, strict=True)])


def _is_number(known: Known) -> Callable[[int, Any], bool]:
    return lambda raw, real: Fraction(float(real)) == known.documented.number(raw)


def _around_borders(known: Known, raws: Sequence[int]) -> tuple[Any, Any]:
    """Return reals at and around the borders between raws and their successors, and the raws nearest to these reals."""
    documented = known.documented
    numbers = sorted(documented.number(raw) for raw in raws)
    reals: list[float] = [-1.0e30, 1.0e30]
    for below, above in pairwise(numbers):
        border = documented.border(below, above)
        reals += [float(border + part * (above - below)) for part in BORDER_DISTANCES]
    return np.array(reals), np.array([documented.nearest(Fraction(real)) for real in reals])
