"""Contractions: ops that sum products, optionally with a scale for each row, and descriptions of their factors.

The `terms` of an op define which elements are multiplied and over which indices products are summed. The evaluator, the
gradients, the count of multiply-accumulates and the generic lowering to loops are derived from the terms. A factor is
described for all inputs of the program: a constant by its values, another tensor by an interval.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import DenseArrayBase, i8
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import opt_prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.exact.numbers import exact_numbers
from tinyml.dialects.formats.number_format import Bound, Factor, Product
from tinyml.dialects.functions import are_data
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.loops import iterations_of
from tinyml.dialects.machine.numpy_machine import stacked_matmul
from tinyml.dialects.tdsl.base import Footprint, Shape, TensorOp, broadcast, format_of, proven_interval, shape_of, spell
from tinyml.dialects.tdsl.constant import ConstOp
from tinyml.dialects.tdsl.index_maps import Multiply, Term
from tinyml.dialects.tdsl.matrix_factors import MatrixFactors
from tinyml.dialects.tdsl.movement import IndexOp, ReshapeOp
from tinyml.dialects.tdsl.permutations import TransposeOp
from tinyml.dialects.tdsl.values import Arithmetic, Array, Derivatives, Factored, ranked, spread, summed_to

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws
    from tinyml.dialects.machine.numpy_machine import NumpyMachine


__all__ = [
    "ROW_SHIFTS",
    "ContinuationError",
    "ContractionOp",
    "ShiftsRows",
    "carried_product",
    "constant_root",
    "factor_of",
    "gathered_factor",
    "oriented",
    "product_of",
]

ROW_SHIFTS = range(16)
"""The permitted shifts of the rows of one matrix."""


def verify_shifts(shifts: Sequence[int], rows: int, name: str = "row_shifts") -> None:
    """Raise `VerifyException` unless there are `rows` shifts and each shift is within `ROW_SHIFTS`.

    name: the name of the property, for the message.
    """
    if len(shifts) != rows:
        raise VerifyException(f"needs a shift for each of {rows} rows, got {len(shifts)}")
    if any(shift not in ROW_SHIFTS for shift in shifts):
        raise VerifyException(f"{name} lie in [{ROW_SHIFTS[0]}, {ROW_SHIFTS[-1]}], got {list(shifts)}")


class ShiftsRows(ABC):
    """The base class of ops that round sums. If the property `row_shifts` is present, the sums of each row are first
    shifted right by the entry of the row.
    """

    row_shifts = opt_prop_def(DenseArrayBase.constr(i8))

    @property
    @abstractmethod
    def out(self) -> SSAValue:
        """The rounded sums."""

    @property
    @abstractmethod
    def sum_bound(self) -> Bound | None:
        """The least and the greatest possible partial sum; None if they are unknown."""

    @property
    def shifts(self) -> tuple[int, ...] | None:
        """For each row, the number of bits by which sums are shifted right before they are rounded; None without
        shifts.
        """
        return None if self.row_shifts is None else self.row_shifts.get_values()

    @property
    def finished_bound(self) -> Bound | None:
        """The least and the greatest possible sum after the shifts and before rounding; None if they are unknown."""
        bound = self.sum_bound
        return bound if bound is None or self.shifts is None else (min(bound[0], 0), max(bound[1], 0))

    def rounded(self, m: NumpyMachine, sums: Array, accumulator: Accumulator, rows: Array) -> Array:
        """The raws of complete sums, which are shifted and rounded to the format of the result.

        rows: the row index of each sum.
        """
        format = format_of(self.out)
        levelled = accumulator.levelled(format)
        if levelled.type != accumulator.type:
            sums = accumulator.level_row(m, sums, m.constant(rows), levelled)
        return format.finish(m, sums, levelled, self.finished_bound)


Pairs: TypeAlias = "Sequence[tuple[Array, Array]]"


class ContinuationError(VerifyException):
    """The accumulator of a product cannot continue the sum of the products before it."""


class ContractionOp(TensorOp, ShiftsRows, ABC):
    """An op that computes each element of its result as a sum of products.

    A sum is rounded to the format of the result after the last product. Before this rounding, it is exact for formats
    with an exact accumulator, such as fixed point. `acc` is the type of the accumulator. `bound` states the least and
    the greatest possible partial sum, in units in the last place of the accumulator. It proves that the accumulator is
    wide enough. On tensors, the verifier derives the bound again.

    `row_shifts` has one shift for each row. The sums of row i are divided by 2^row_shifts[i], and row i of the weights
    is stored multiplied by the same power of two. Rows with small weights are then as precise as rows with large
    weights (per-row scales).
    """

    STORES_LAST: ClassVar[bool] = True

    ROW_AXIS: ClassVar[int] = 0
    """The axis of the result along which weights have separate shifts or scales."""

    acc = opt_prop_def()
    bound = opt_prop_def(num.BOUND)

    @property
    @abstractmethod
    def terms(self) -> Sequence[Term]:
        """The index maps of the products, in the order in which the products are added."""

    @property
    def pairs(self) -> Sequence[tuple[SSAValue, SSAValue]]:
        return [(term.lhs, term.rhs) for term in self.terms]

    @property
    def initial(self) -> SSAValue | None:
        """The operand that contains the initial sums, broadcast to the result by numpy's rules; None if sums start at
        zero.
        """
        return None

    @property
    def macs(self) -> int:
        return sum(prod(shape_of(self.out)) * prod(term.summed) for term in self.terms)

    def reads_in_place(self, operand: SSAValue) -> bool:
        if self.initial is operand:
            return all(operand not in pair for pair in self.pairs)
        return super().reads_in_place(operand)

    def footprint(self, operand: SSAValue) -> Footprint | None:
        found = [term.footprint(operand, shape_of(self.out)) for term in self.terms if operand in (term.lhs, term.rhs)]
        return found[0] if len(found) == 1 else None

    @property
    def accumulator(self) -> Accumulator:
        """The accumulator of type `acc` or, if `acc` is absent, one that is wide enough for all operands."""
        if self.acc is not None:
            return cast(Accumulator, accumulator_of(self.acc))
        return self.accumulator_for(self.products, self.sum_bound)

    def accumulator_for(self, products: Sequence[Product], bound: Bound | None) -> Accumulator:
        """The accumulator for sums of `products` that lie within `bound`, or of any size if `bound` is None."""
        return format_of(self.out).accumulator_of_sum(products, self.start, bound)

    @property
    def products(self) -> Sequence[Product]:
        """For each pair of operands, a description of their products, from which bounds are derived."""
        return [_product(term, shape_of(self.out)) for term in self.terms]

    @property
    def accumulators(self) -> list[Accumulator]:
        """For each pair of operands, an accumulator in the unit of the pair's products. The last of them is
        `accumulator`.
        """
        last = self.accumulator
        return [last.of(format_of(lhs), format_of(rhs)) for lhs, rhs in self.pairs]

    @property
    def start(self) -> Factor | None:
        """A description of the initial sums, from which bounds are derived; None if sums start at zero."""
        return None if self.initial is None else factor_of(self.initial)

    @property
    def sum_bound(self) -> Bound | None:
        """The bound that the op states or, if it states none, the bound derived from its operands.

        Returns None for an op on memrefs that states an accumulator but no bound: a proof would need constants that are
        no longer accessible.
        """
        if self.bound is None and self.acc is not None and self.dest is not None:
            return None
        return self.derived_bound if self.bound is None else num.bound_of(self.bound)

    @property
    def derived_bound(self) -> Bound | None:
        """The least and the greatest possible partial sum, exact if an operand is constant; None if unknown."""
        return self.bound_of(self.products)

    def is_bounded_by_parts(self, operand: SSAValue) -> bool:
        """True if the stated bound also holds when the operand is replaced by any of its parts, whose values are then
        unknown to the verifier.
        """
        if constant_root(operand) is None:
            return True
        unknown = tensor.EmptyOp((), operand.type)
        copy = self.clone({operand: unknown.tensor})
        bounded = num.is_within(copy.derived_bound, copy.sum_bound)
        for op in (copy, unknown):
            op.erase()
        return bounded

    def bound_of(self, products: Sequence[Product]) -> Bound | None:
        """The least and the greatest possible partial sum of the described products; None if they are unknown."""
        return format_of(self.out).sum_bound(products, self.start)

    def is_weights(self, value: SSAValue) -> bool:
        """True if the op reads `value` only to multiply its rows, as the left factor of products."""
        others = [self.initial, *(rhs for _, rhs in self.pairs)]
        return any(lhs is value for lhs, _ in self.pairs) and all(other is not value for other in others)

    def takes_groups(self, value: SSAValue) -> bool:
        """True if `value` is the weights and no group extends beyond a row."""
        groups = format_of(value).groups
        if groups is None or not self.is_weights(value):
            return False
        return prod(shape_of(value)[1:]) % groups.run.data == 0

    @property
    def rows(self) -> int:
        return shape_of(self.out)[self.ROW_AXIS]

    def verify_more(self) -> None:
        if self.dest is None and self.bound is not None:
            num.verify_bound(self.sum_bound, self.derived_bound)
        if self.shifts is not None:
            verify_shifts(self.shifts, self.rows)
        if self.acc is not None:
            self._verify_accumulator(self.acc)
        if self.initial is not None:
            self._verify_initial(self.initial)

    def _verify_accumulator(self, acc: Attribute) -> None:
        if (accumulator := accumulator_of(acc)) is None:
            raise VerifyException(f"acc must be an accumulator type, got {acc}")
        self.verify_units()
        if not accumulator.rounds_into(format_of(self.out)):
            raise VerifyException(f"a sum in {acc} cannot be rounded into {format_of(self.out).type}")
        num.verify_room(accumulator, self.sum_bound, format_of(self.out))
        if self.dest is None and (lack := accumulator.lacks(self.products, self.start)) is not None:
            raise VerifyException(lack)

    def verify_units(self) -> None:
        """Raise `VerifyException` unless the accumulator of each pair of operands supports the pair's products.

        Each accumulator must also be able to continue the sum of the previous pairs.
        """
        units = [*self.accumulators[:-1], self.accumulator]
        for place, ((lhs, rhs), unit) in enumerate(zip(self.pairs, units, strict=True)):
            formats = format_of(lhs), format_of(rhs)
            holds = unit.sums(*formats)
            if holds and (not place or unit.follows(units[place - 1])):
                continue
            if not holds:
                raise VerifyException(unit.refusal(*formats))
            products, before = f"products of {formats[0].type} and {formats[1].type}", units[place - 1].type
            raise ContinuationError(f"a sum in {before} does not continue in {unit.type}, which sums {products}")

    @property
    def sums_shape(self) -> Shape:
        """The shape to which the initial sums are broadcast: that of the result, but with all rows of the weights along
        the axis of rows.
        """
        shape = list(shape_of(self.out))
        shape[self.ROW_AXIS] = self.rows
        return tuple(shape)

    def _verify_initial(self, initial: SSAValue) -> None:
        if broadcast(shape_of(initial), self.sums_shape) != self.sums_shape:
            raise VerifyException(f"sums of shape {spell(self.sums_shape)} start from {spell(shape_of(initial))}")
        if not self.accumulators[0].starts(format_of(initial)):
            raise VerifyException(f"no sum of the first products starts from {format_of(initial).type}")

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        values = dict(zip(self.operands, x, strict=True))
        pairs = [(values[term.lhs], values[term.rhs]) for term in arithmetic.once(self, lambda: self.terms)]
        return self.summed(arithmetic, pairs, None if self.initial is None else values[self.initial])

    def summed(self, arithmetic: Arithmetic, pairs: Pairs, initial: Array | None, row: Array | None = None) -> Array:
        """The result, computed from arrays of factors and of initial sums.

        pairs: the arrays of the factors of each term.
        initial: the initial sums; None if sums start at zero.
        row: the index of the row in the weights, for each sample or for all samples, if the factors contain only a
            single row; otherwise None.
        """
        if arithmetic.machine is None:
            return self._real_sums(arithmetic.once(self, lambda: self.terms), pairs, initial, row)
        return self._raw_sums(arithmetic.machine, pairs, initial, row)

    def _real_sums(self, own: Sequence[Term], pairs: Pairs, initial: Array | None, row: Array | None) -> Array:
        shape = shape_of(self.out)
        terms = [
            self._raised(_sum_products(term, shape, *factors, None, lambda lhs, rhs, _: stacked_matmul(lhs, rhs)), term)
            for term, factors in zip(own, pairs, strict=True)
        ]
        total = np.asarray(sum(terms if initial is None else [ranked(initial, 1 + len(shape)), *terms]))
        return total if self.shifts is None else np.ldexp(total, -self._by_row(np.array(self.shifts), row))

    def _raw_sums(self, m: NumpyMachine, pairs: Pairs, initial: Array | None, row: Array | None) -> Array:
        accumulators, shape, sums = self.accumulators, shape_of(self.out), None
        before = accumulators[0]
        if self.initial is not None and initial is not None:
            # The machine drops an axis along which all numbers are zero.
            starts = spread(before.start(m, initial, format_of(self.initial)), initial.shape)
            sums = spread(ranked(starts, 1 + len(shape)), (len(starts), *shape))
        for accumulator, (lhs, rhs), term in zip(accumulators, pairs, self.terms, strict=True):
            if sums is not None:
                sums = accumulator.align(m, sums, before)
            sums = _sum_products(term, shape, _aligned(term, lhs), rhs, sums, _multiplication(m, accumulator, term))
            before = accumulator
        if self.shifts is not None:
            shifts = m.constant(self._by_row(np.array(self.shifts, np.int8), row))
            sums = before.shifted(m, cast(Array, sums), shifts)
        return self.rounded(m, cast(Array, sums), before, self._by_row(np.arange(self.rows), row))

    def _raised(self, sums: Array, term: Term) -> Array:
        return sums if term.left is None else np.ldexp(sums, self._by_row(np.array(term.left)))

    def _by_row(self, numbers: Array, row: Array | None = None) -> Array:
        """The `numbers` of all rows of the weights, or of the rows `row` if given, in a shape that broadcasts to the
        result.
        """
        below = (1,) * (len(shape_of(self.out)) - self.ROW_AXIS - 1)
        return numbers.reshape(-1, *below) if row is None else numbers[row].reshape(-1, 1, *below)

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Derivatives | None:
        derivatives: list[Array | Factored | None] = [None] * len(x)
        if self.initial is not None:
            derivatives[-1] = summed_to(x[-1], slope)
        if self.shifts is not None:
            slope = np.ldexp(slope, -self._by_row(np.array(self.shifts)))
        for number, term in enumerate(self.terms):
            pair = slice(2 * number, 2 * number + 2)
            (left, right), raised = x[pair], self._raised(slope, term)
            if term.multiplies_matrices:
                derivatives[pair] = Factored(raised, right), left.swapaxes(-1, -2) @ raised
            else:
                derivatives[pair] = MatrixFactors(term, shape_of(self.out)).derivatives(left, right, raised)
        return derivatives


def _sum_products(term: Term, shape: Shape, lhs: Array, rhs: Array, sums: Array | None, by: Multiply) -> Array:
    """The sums of the products of a term, for a result of this shape.

    sums: initial sums to which the products are added; None if sums start at zero.
    by: the function that multiplies stacks of matrices.
    """
    if term.multiplies_matrices:
        return by(lhs, rhs, sums)
    return MatrixFactors(term, shape).products(lhs, rhs, sums, by)


def _product(term: Term, shape: Shape) -> Product:
    if term.multiplies_matrices:
        known = product_of(term.lhs, term.rhs)
        return known if term.left is None else replace(known, lhs=replace(known.lhs, raised=term.groups))
    lhs = gathered_factor(term.lhs, term.lhs_map, shape, term.summed)
    return Product(prod(term.summed), lhs, gathered_factor(term.rhs, term.rhs_map, shape, term.summed))


def _multiplication(m: NumpyMachine, accumulator: Accumulator, term: Term) -> Multiply:
    lhs, rhs = format_of(term.lhs), format_of(term.rhs)
    if term.groups is not None:
        return lambda x, y, sums: accumulator.matmul_aligned(x, y, rhs, sums)
    return lambda x, y, sums: m.matmul(accumulator, x, lhs, y, rhs, sums)


def _aligned(term: Term, lhs: Array) -> Array:
    """The raws of the left factor of a term.

    If the factor has groups with shared scales, the raws are converted to integers in the unit of the finest group.
    """
    groups = term.groups
    return lhs if groups is None else exact_numbers(format_of(term.lhs)).integers_in(groups, lhs)


def constant_root(value: SSAValue) -> ConstOp | None:
    """The constant of which a tensor is a part or a reshape, through any number of such ops; None for other tensors."""
    while isinstance(value.owner, IndexOp | ReshapeOp):
        value = value.owner.input
    return value.owner if isinstance(value.owner, ConstOp) else None


def _known_root(value: SSAValue) -> ConstOp | None:
    """The constant of which a tensor is a part or a reshape. Returns None if there is none, or if the weights are
    run-time data.
    """
    constant = constant_root(value)
    return None if constant is None or are_data(constant) else constant


def oriented(raws: Raws, operand: SSAValue) -> Raws:
    """The raws of a constant as a stack of matrices that have the shape of `operand`. The operand is one of these
    matrices.
    """
    return raws.reshape(-1, *shape_of(operand))


def product_of(lhs: SSAValue, rhs: SSAValue) -> Product:
    """A description of the products of a matrix product, from which bounds are derived."""
    square = _moved(lhs) is _moved(rhs) and 1 == shape_of(lhs)[0] == shape_of(rhs)[1]
    return Product(shape_of(lhs)[1], factor_of(lhs), factor_of(rhs, -2), square)


def carried_product(loop: scf.ForOp, weight: IndexOp, factor: SSAValue) -> Product | None:
    """A description, from which bounds are derived, of the products `constant[i] * factor` that a loop over i adds.

    Returns None if the weights are unknown. They are known if the loop counts upwards between constant bounds within
    the extent of the constant.
    """
    if (raws := raws_taken(loop, weight)) is None:
        return None
    weights = Factor(format_of(weight.out), raws.reshape(len(raws), prod(raws.shape[1:])).T)
    return Product(len(raws), weights, Factor(format_of(factor), interval=proven_interval(factor)))


def raws_taken(loop: scf.ForOp, weight: IndexOp) -> Raws | None:
    """The raws of `weight` in all iterations of a loop; None if they are unknown."""
    if weight.index is not loop.body.block.args[0] or not isinstance(weight.input.owner, ConstOp):
        return None
    if are_data(weight):
        return None
    if (taken := iterations_of(loop)) is None:
        return None
    every = weight.input.owner.raws
    if taken and not (taken[0] >= 0 and taken[-1] < len(every)):
        return None
    return every[list(taken)]


def factor_of(operand: SSAValue, summed: int = -1) -> Factor:
    """A description, from which bounds are derived, of a matrix that is an operand of a product: the raws of a
    constant, or an interval.

    summed: the axis over which the product sums.
    """
    if (constant := _known_root(operand)) is None:
        return Factor(format_of(operand), interval=proven_interval(operand))
    return Factor(format_of(operand), oriented(constant.raws, operand).swapaxes(-1, summed))


def gathered_factor(operand: SSAValue, map: AffineMap, shape: Shape, summed: Shape) -> Factor:
    """A description, from which bounds are derived, of the elements of an operand that an affine map selects.

    map: the map from the indices of the result and the summed indices to indices of the operand.
    shape: the shape of the result.
    summed: the extents of the summed indices.
    """
    if (constant := _known_root(operand)) is None:
        return factor_of(operand)
    # Result indices that the map does not use would only repeat the same row.
    used = map.used_dims()
    extents = [extent if axis in used else 1 for axis, extent in enumerate(shape)]
    positions: Any = np.indices([*extents, *summed], sparse=True)
    raws = constant.raws.reshape(-1, *shape_of(operand))
    taken = raws[(slice(None), *(expression.eval(positions, []) for expression in map.results))]
    taken = np.broadcast_to(taken, (len(raws), *extents, *summed))
    return Factor(format_of(operand), taken.reshape(-1, prod(summed)))


def _moved(value: SSAValue) -> SSAValue:
    """The tensor from which `value` results by reshapes, and by transpositions that preserve the row-major order;
    `value` itself if there are none.
    """
    while isinstance(op := value.owner, ReshapeOp) or (isinstance(op, TransposeOp) and op.keeps_order):
        value = op.input
    return value
