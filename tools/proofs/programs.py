"""Statements about a program: its operations at their scales are exact, and its accumulators never overflow.

The operations are the scalar operations of the program's loops (L3), each kind once. The accumulators belong to the
program's products (L1). Exact integers bound every partial sum, in any order of the terms. They are computed from the
weights and from the interval of the other factor. The partial sum must lie within the stated bound. The stated bound
must fit in the register, with a reserve for rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isfinite
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.formats.specification import RoundedOnce, Specification
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.exact_integers import Condition, Number
from tinyml.dialects.machine.machine import limits
from tinyml.tools.proofs.op_meanings import Undocumented, documented_by, rounded_once_by
from tinyml.tools.proofs.op_statements import OpStatement, statement
from tinyml.tools.proofs.proving import Domain, Promises, Statement
from tinyml.tools.proofs.reading import Promise
from tinyml.tools.proofs.values import Truths, Values


@dataclass(frozen=True)
class Unstated:
    """An operation of a program without a statement, and the reason."""

    name: str
    reason: str


def operations(loops: ModuleOp) -> Iterator[OpStatement | Unstated]:
    """Yield a statement for each kind of scalar operation in a program at L3, or the reason why there is none."""
    seen: set[tuple[str, str, int | None]] = set()
    for op in loops.walk():
        if not isinstance(op, num.NumOp):
            continue
        types = ", ".join(str(value.type) for value in (*op.operands, *op.results))
        properties = "".join(f" {name} = {value}" for name, value in sorted(op.properties.items()))
        name = f"{types}{properties}"
        for places in _shifts(op):
            if (key := (op.name, name, places)) in seen:
                continue
            seen.add(key)
            try:
                yield _operation(op, name if places is None else f"{name} by {places}", places)
            except Undocumented as reason:
                yield Unstated(f"{op.name} : {name}", str(reason))


def _shifts(op: num.NumOp) -> Sequence[int | None]:
    """The constant amounts by which an op shifts a sum. For an op without a shift, the only element is None."""
    if not isinstance(op, num.ShiftOp | num.AddShiftedOp) or not isinstance(load := op.places.owner, memref.LoadOp):
        return [None]
    read = scratch.root(load.memref).owner
    return [*map(int, np.unique(read.raws))] if isinstance(read, scratch.ConstantOp) else [None]


def _operation(op: num.NumOp, name: str, places: int | None) -> OpStatement:
    """The statement about an op. Raises `Undocumented` for a shift by a negative amount, or by at least the width of
    the result.

    places: the amount of the op's shift, if it has one.
    """
    if places is not None and not 0 <= places < _width(op.results[0].type):
        raise Undocumented(f"{op.name} shifts by {places}, which has no meaning")

    def of(x: Sequence[SSAValue]) -> num.NumOp:
        copy = op.clone()
        # Two uses of one value become two independent operands.
        for place, value in enumerate(x):
            copy.operands[place] = value
        return copy

    return statement(
        name,
        of,
        [(operand.type, _domain(op, operand.type, places)) for operand in op.operands],
    )


def _domain(op: num.NumOp, type: Attribute, places: int | None = None) -> Domain:
    """The possible integers of an op's operand. Raises `Undocumented` if they are unknown, for example for a shift by
    an amount that is read from memory.

    places: the amount of the op's shift, if it is known.
    """
    if number_format(type) is not None:
        return documented_by(type).raws
    if isinstance(op, num.ShiftOp | num.AddShiftedOp) and accumulator_of(type) is None:
        if places is not None:
            return [places]
        raise Undocumented(f"{op.name} shifts by an amount that is read; of its format each is proved")
    if isinstance(op, num.FinishOp) and (bound := op.sum_bound) is not None:
        return range(bound[0], bound[1] + 1)
    if isinstance(op, num.AverageOp | num.MeanOp):
        raws, count = _domain(op, op.of), op.count.value.data
        return range(count * raws[0], count * raws[-1] + 1)
    low, high = limits(_width(type))
    return range(low, high + 1)


def _width(type: Attribute) -> int:
    if (accumulator := accumulator_of(type)) is not None:
        return accumulator.bits
    if not isinstance(type, IntegerType):
        raise Undocumented(f"{type} is not an integer")
    return cast("IntegerType[int, Any]", type).width.data


@dataclass(frozen=True, kw_only=True)
class _ConstantStatement(Statement):
    """The base class of statements without inputs."""

    def evaluated(self, inputs: Sequence[Any]) -> Values | Truths:
        return Values(np.array([1]))


@dataclass(frozen=True, kw_only=True)
class AccumulatorStatement(_ConstantStatement):
    """The statement that an accumulator cannot overflow: the partial sums of an op lie within the stated bound, and the
    bound fits in the register, including rounding.

    reached: the least and the greatest partial sum.
    stated: the bound that the op states.
    held: the least and the greatest sum that the register can hold before rounding.
    """

    reached: tuple[int, int]
    stated: tuple[int, int]
    held: tuple[int, int]

    def promises(self) -> Promises:
        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            (low, high), (least, most), (first, last) = self.reached, self.stated, self.held
            yield Promise(
                f"sums from {low} to {high} lie within the bound {least}, {most}", least <= low <= high <= most
            )
            yield Promise(f"the bound {least}, {most} lies within {first}, {last}", first <= least <= most <= last)

        return promises

    def as_test(self, inputs: Sequence[int], documented: int) -> str:
        (low, high), (least, most), (first, last) = self.reached, self.stated, self.held
        return f"def test_counterexample():\n    assert {first} <= {least} <= {low} <= {high} <= {most} <= {last}\n"


def accumulators(formats: ModuleOp) -> Iterator[AccumulatorStatement | Unstated]:
    """Yield a statement for each op that sums products in a program at L1, or the reason why there is none."""
    for op in formats.walk():
        if not isinstance(op, tdsl.ContractionOp):
            continue
        name = f"{op.name} {op.out.name_hint or ''}".strip()
        try:
            yield _accumulator(op, name)
        except Undocumented as reason:
            yield Unstated(name, str(reason))


def _accumulator(op: tdsl.ContractionOp, name: str) -> AccumulatorStatement:
    accumulator, result = op.accumulator, _documented(op.out)
    if not isinstance(result, RoundedOnce):
        raise Undocumented(f"sums in {accumulator.type} have no bound in the program")
    if (stated := op.sum_bound) is None or accumulator.sum_unit is None:
        raise Undocumented(f"sums in {accumulator.type} have no bound in the program")
    unit = int(accumulator.sum_unit)
    starts, sums, parts = (0, 0), (0, 0), [(0, 0)]
    if op.initial is not None:
        left = unit - _once(op.initial).scale
        starts = tuple(end << left for end in _ends(op.initial))
    for term in op.terms:
        left = unit - _once(term.lhs).scale - _once(term.rhs).scale
        low, high = (end << left for end in _products(op, term))
        sums = sums[0] + low, sums[1] + high
        parts.append((low, high))
    reached = (
        min(starts[0] + sums[0], *(low for low, _ in parts)),
        max(starts[1] + sums[1], *(high for _, high in parts)),
    )
    # Rounding adds half a unit of the result before the shift.
    half = 1 << unit - result.scale - 1 if unit > result.scale else 0
    low, high = limits(accumulator.bits)
    return AccumulatorStatement(
        name=f"{name} in {accumulator.type}",
        subject="accumulators",
        domains=[range(1)],
        expected=lambda x: 1,
        reached=reached,
        stated=stated,
        held=(low, high - half),
    )


def _products(op: tdsl.ContractionOp, term: tdsl.Term) -> tuple[int, int]:
    """The least and the greatest partial sum of a term, in units of its products, over all rows."""
    lhs, rhs = (_integers(value) for value in (term.lhs, term.rhs))
    length, shifts = int(np.prod(term.summed)), term.left or (0,)
    if lhs is None and rhs is None:
        corners = [a * b * length for a, b in product(_ends(term.lhs), _ends(term.rhs))]
        squares = _moved(term.lhs) is _moved(term.rhs) and int(np.prod(tdsl.shape_of(op.out))) == 1
        least = 0 if squares else min(0, *corners)
        return least << max(shifts), max(0, *corners) << max(shifts)
    constant, map, other = (lhs, term.lhs_map, term.rhs) if lhs is not None else (rhs, term.rhs_map, term.lhs)
    assert constant is not None
    low, high = _ends(other)
    sums = [(0, 0)]
    for row, weights in _rows(op, map, term.summed, constant):
        left = max(shifts) if lhs is None or term.left is None else term.left[row[op.ROW_AXIS]]
        least = sum(min(weight * low, weight * high, 0) for weight in weights)
        most = sum(max(weight * low, weight * high, 0) for weight in weights)
        sums.append((least << left, most << left))
    return min(least for least, _ in sums), max(most for _, most in sums)


def _moved(value: SSAValue) -> SSAValue:
    """Skip the reshapes and transpositions that turn a vector into a row or a column, and return the vector."""
    while isinstance(value.owner, tdsl.ReshapeOp | tdsl.TransposeOp) and max(tdsl.shape_of(value)) == int(
        np.prod(tdsl.shape_of(value))
    ):
        value = value.owner.input
    return value


@dataclass(frozen=True, kw_only=True)
class ExponentStatement(_ConstantStatement):
    """The statement that grouped sums are shifted correctly.

    shifted: the shift amounts in the program's loops.
    exponents: the exponents of the program's groups. Each amount must be one of them.
    """

    shifted: Sequence[int]
    exponents: Sequence[int]

    def promises(self) -> Promises:
        def promises(inputs: Sequence[Number], expected: Number | Condition) -> Iterator[Promise]:
            yield Promise(f"{self.shifted} are among {self.exponents}", {*self.shifted} <= {*self.exponents})

        return promises

    def as_test(self, inputs: Sequence[int], documented: int) -> str:
        return f"def test_counterexample():\n    assert {{*{self.shifted}}} <= {{*{self.exponents}}}\n"


def exponents(formats: ModuleOp, loops: ModuleOp) -> Iterator[ExponentStatement]:
    """Yield the statement that compares the exponents of groups at L1 with the shift amounts at L3.

    Yields nothing if no grouped sum is shifted.
    """
    shifted = {places for op in loops.walk() if isinstance(op, num.AddShiftedOp) for places in _shifts(op)}
    known: set[int] = set()
    for op in formats.walk():
        for term in op.terms if isinstance(op, tdsl.ContractionOp) else ():
            groups = term.groups
            known |= {*(term.left or ()), *(groups.shifts.get_values() if groups is not None else ())}
    if amounts := sorted(places for places in shifted if places is not None):
        yield ExponentStatement(
            name="shifts of the sums of groups",
            subject="exponents of groups",
            domains=[range(1)],
            expected=lambda x: 1,
            shifted=amounts,
            exponents=sorted(known),
        )


MAX_WEIGHTS = 1 << 18
"""Maximum weights of a product that is read."""


def _rows(
    op: tdsl.ContractionOp, map: AffineMap, summed: Sequence[int], constant: Any
) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """For each index of the result on which the weights depend, yield the index and the weights summed for it, for
    every matrix.

    map: the map from loop indices to indices of weights.
    summed: the extents of the loops over which the op sums.
    constant: the matrices.

    Raises `Undocumented` if there are more than `MAX_WEIGHTS` weights.
    """
    shape = tdsl.shape_of(op.out)
    used = map.used_dims()
    extents = [extent if place in used else 1 for place, extent in enumerate(shape)]
    if int(np.prod(extents)) * int(np.prod(summed)) * len(constant) > MAX_WEIGHTS:
        raise Undocumented(f"{op.name} has too many weights")
    for row in product(*_ranges(extents)):
        places = [map.eval([*row, *k], []) for k in product(*_ranges(summed))]
        for matrix in constant:
            yield row, [int(matrix[tuple(place)]) for place in places]


def _ranges(extents: Sequence[int]) -> list[range]:
    return [range(extent) for extent in extents]


def _documented(value: SSAValue) -> Specification:
    return documented_by(tdsl.format_of(value).type)


def _once(value: SSAValue) -> RoundedOnce:
    return rounded_once_by(tdsl.format_of(value).type)


def _integers(value: SSAValue) -> Any:
    """The documented integers of a constant, as arrays of the value's shape; None for a value that is not constant."""
    if (constant := tdsl.constant_root(value)) is None:
        return None
    documented, groups = _once(value), tdsl.format_of(value).groups
    raws = constant.raws.astype(np.int64)
    known = {int(raw): documented.integer(int(raw)) for raw in np.unique(raws)}
    integers = np.vectorize(known.__getitem__, otypes=[object])(raws)
    if groups is not None:
        integers = integers * (1 << groups.of_elements(raws.shape)).astype(object)
    return integers.reshape(-1, *tdsl.shape_of(value))


def _ends(value: SSAValue) -> tuple[int, int]:
    documented = _once(value)
    if (integers := _integers(value)) is not None and integers.size:
        return int(integers.min()), int(integers.max())
    raws = documented.raws[0], documented.raws[-1]
    real = tdsl.proven_interval(value)
    low, high = (
        documented.integer(documented.nearest(Fraction(end)) if isfinite(end) else raw)
        for end, raw in zip(real, raws, strict=True)
    )
    return low, high
