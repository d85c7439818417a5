"""Ops that sum products, and ops that reduce a tensor to one number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IndexType, TensorType, f64, i1, i8
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.product import Bound, Product
from tinyml.dialects.tdsl.attributes import Csr
from tinyml.dialects.tdsl.base import (
    SHAPED,
    Shape,
    TensorOp,
    TensorOpEffects,
    build,
    format_of,
    shape_of,
    shaped,
    spell,
)
from tinyml.dialects.tdsl.facts import factor_of, product_of

ROW_SHIFTS = range(16)
"""What rows of one matrix may differ by, as powers of two."""


class ContractionOp(TensorOp, ABC):
    """Sums of products of matrices, each with one sum for every element of the result.

    A sum is exact for formats whose accumulator is (fixed point) and is rounded once into the result. `acc` is the
    accumulator's type; `bound` is the proof that it is wide enough: the least and the greatest that a partial sum can
    be, in units of the accumulator's last place. As long as the operands can be seen, as tensors, the verifier works
    it out anew.
    """

    acc = opt_prop_def()
    bound = opt_prop_def(num.BOUND)

    @property
    @abstractmethod
    def pairs(self) -> Sequence[tuple[SSAValue, SSAValue]]:
        """The matrices that are multiplied, in the order in which their products are added."""

    @property
    def initial(self) -> SSAValue | None:
        """What the sums start from; zero if None."""
        return None

    def infer_shape(self) -> Shape:
        shapes = [_product_shape(shape_of(lhs), shape_of(rhs)) for lhs, rhs in self.pairs]
        if self.initial is not None:
            shapes.append(shape_of(self.initial))
        if len(set(shapes)) > 1:
            raise VerifyException(f"sums have one shape, got {' and '.join(map(spell, shapes))}")
        return shapes[0]

    @property
    def accumulator(self) -> Accumulator:
        """The accumulator that `acc` names, or one that is wide enough for anything the operands can hold."""
        if self.acc is not None:
            return cast(Accumulator, accumulator_of(self.acc))
        return format_of(self.out).accumulator_for(self.products[-1], self.sum_bound)

    @property
    def products(self) -> Sequence[Product]:
        """What is known of the product of each pair."""
        return [product_of(lhs, rhs) for lhs, rhs in self.pairs]

    @property
    def accumulators(self) -> list[Accumulator]:
        """For each pair the accumulator in units of its products; the last one is `accumulator`."""
        last = self.accumulator
        return [last.of(format_of(lhs), format_of(rhs)) for lhs, rhs in self.pairs]

    @property
    def sum_bound(self) -> Bound | None:
        """The bound that is stated, or the one that follows from what is known of the operands.

        None on memrefs with an accumulator alone: it was proven when constants could be seen, by how much is lost.
        """
        if self.bound is None and self.acc is not None and self.dest is not None:
            return None
        return self.derived_bound if self.bound is None else num.bound_of(self.bound)

    @property
    def derived_bound(self) -> Bound | None:
        """Between what every partial sum lies; exactly, where an operand is a constant."""
        initial = None if self.initial is None else factor_of(self.initial)
        return format_of(self.out).sum_bound(self.products, initial)

    @property
    def shifts(self) -> tuple[int, ...] | None:
        """By how many bits the sums of each row are shifted before they are rounded; None if by none."""
        return None

    @property
    def finished_bound(self) -> Bound | None:
        """Between what the sums lie that are rounded: shifts bring them nearer to zero."""
        bound = self.sum_bound
        return bound if bound is None or self.shifts is None else (min(bound[0], 0), max(bound[1], 0))

    def verify_more(self) -> None:
        if self.dest is None and self.bound is not None:
            num.verify_bound(self.sum_bound, self.derived_bound)
        if self.acc is None:
            return
        if (accumulator := accumulator_of(self.acc)) is None:
            raise VerifyException(f"acc must be an accumulator type, got {self.acc}")
        for (lhs, rhs), unit in zip(self.pairs, self.accumulators, strict=True):
            fits = unit if (lhs, rhs) != self.pairs[-1] else accumulator
            formats = format_of(lhs), format_of(rhs)
            if not (fits.sums(*formats) and accumulator.follows(unit)):
                raise VerifyException(f"{self.acc} does not sum products of {formats[0].type} and {formats[1].type}")
        num.verify_room(accumulator, self.sum_bound, format_of(self.out))


def _product_shape(lhs: Shape, rhs: Shape) -> Shape:
    if len(lhs) != 2 or len(rhs) != 2:
        raise VerifyException(f"multiplies matrices, got shapes {spell(lhs)} and {spell(rhs)}")
    if lhs[1] != rhs[0]:
        raise VerifyException(f"inner dimensions differ: {spell(lhs)} times {spell(rhs)}")
    return (lhs[0], rhs[1])


class ProductOp(ContractionOp, ABC):
    """A matrix product `result[i, j] = sum_k lhs[i, k] * rhs[k, j]`.

    With `row_shifts`, one for each row, row i of the product is divided by 2^row_shifts[i]: row i of lhs then holds the
    weights times that, so that small rows are as precise as great ones (per-row scales).
    """

    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    row_shifts = opt_prop_def(DenseArrayBase.constr(i8))
    assembly_format = (
        "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, element: Attribute | None = None):
        shape = (*shape_of(lhs)[:1], *shape_of(rhs)[1:])
        build(self, [lhs, rhs], TensorType(element or shaped(rhs).get_element_type(), shape))

    @property
    def pairs(self) -> Sequence[tuple[SSAValue, SSAValue]]:
        return [(self.lhs, self.rhs)]

    @property
    def shifts(self) -> tuple[int, ...] | None:
        return None if self.row_shifts is None else self.row_shifts.get_values()

    def verify_more(self) -> None:
        if (shifts := self.shifts) is not None:
            if len(shifts) != shape_of(self.lhs)[0]:
                raise VerifyException(f"needs a shift for each of {shape_of(self.lhs)[0]} rows, got {len(shifts)}")
            if any(shift not in ROW_SHIFTS for shift in shifts):
                raise VerifyException(f"row_shifts lie in [{ROW_SHIFTS[0]}, {ROW_SHIFTS[-1]}], got {list(shifts)}")
        super().verify_more()


@irdl_op_definition
class MatmulOp(ProductOp, HasCanonicalizationPatternsInterface):
    """Dense matrix product."""

    name = "tdsl.matmul"

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tinyml.dialects.tdsl.canonicalization import RowTimesConstant

        return (RowTimesConstant(),)


@irdl_op_definition
class SpmvOp(ProductOp):
    """Product of a sparse constant matrix and a dense column vector (SeeDot 5.1, `x`); only stored entries count."""

    name = "tdsl.spmv"

    @property
    def products(self) -> Sequence[Product]:
        return [replace(product, sparse=True) for product in super().products]

    def infer_shape(self) -> Shape:
        matrix = shaped(self.lhs)
        if isinstance(matrix, TensorType) and not isinstance(matrix.encoding, Csr):
            raise VerifyException("the matrix must be sparse: expected the encoding #tdsl.csr")
        shape = super().infer_shape()
        if shape[1] != 1:
            raise VerifyException(f"multiplies a column vector, got {spell(shape_of(self.rhs))}")
        return shape


@irdl_op_definition
class MatmulSumOp(ContractionOp):
    """`result = initial + lhs0 * rhs0 + lhs1 * rhs1 + ...`, dense matrix products in one sum that is rounded once.

    Each product's last place is as fine as the one before or finer, so that a sum goes on exactly; `acc` is in units
    of the last one.
    """

    name = "tdsl.matmul_sum"
    factors = var_operand_def(SHAPED)
    addend = opt_operand_def(SHAPED)
    assembly_format = (
        "$factors (`from` $addend^ `:` type($addend))? attr-dict `:` type($factors)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(
        self, pairs: Sequence[tuple[SSAValue, SSAValue]], initial: SSAValue | None, element: Attribute | None = None
    ):
        lhs, rhs = pairs[0]
        shape = (*shape_of(lhs)[:1], *shape_of(rhs)[1:])
        factors = [factor for pair in pairs for factor in pair]
        result = TensorType(element or shaped(rhs).get_element_type(), shape)
        build(self, [factors, [] if initial is None else [initial]], result)

    @property
    def pairs(self) -> Sequence[tuple[SSAValue, SSAValue]]:
        return list(zip(self.factors[::2], self.factors[1::2], strict=True))

    @property
    def initial(self) -> SSAValue | None:
        return self.addend

    def infer_shape(self) -> Shape:
        if not self.factors or len(self.factors) % 2:
            raise VerifyException(f"takes pairs of matrices, got {len(self.factors)} factors")
        return super().infer_shape()

    def verify_more(self) -> None:
        super().verify_more()
        if self.initial is not None and not self.accumulators[0].starts(format_of(self.initial)):
            raise VerifyException(f"no sum of the first products starts from {format_of(self.initial).type}")


class ReduceOp(IRDLOperation, ABC):
    """An op from one tensor to one scalar that is not of a number format."""

    input = operand_def(SHAPED)
    traits = traits_def(TensorOpEffects())
    assembly_format = "$input attr-dict `:` type($input)"

    def verify_(self) -> None:
        self.verify_element()
        if not all(shape_of(self.input)):
            raise VerifyException("needs at least one element")

    def verify_element(self) -> None:
        format_of(self.input)

    def verify_single(self) -> None:
        if any(extent != 1 for extent in shape_of(self.input)):
            raise VerifyException(f"expects a single element, got shape {spell(shape_of(self.input))}")


@irdl_op_definition
class ArgmaxOp(ReduceOp):
    """Index of the greatest element, a number or a sum, in row-major order; the first one where several are equal."""

    name = "tdsl.argmax"
    result = result_def(IndexType)

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[IndexType()])

    def verify_element(self) -> None:
        if accumulator_of(shaped(self.input).get_element_type()) is None:
            super().verify_element()


@irdl_op_definition
class SignOp(ReduceOp):
    """SeeDot's sgn: 1 if the single element is greater than zero, else 0 (the class of a binary model)."""

    name = "tdsl.sign"
    result = result_def(IndexType)

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[IndexType()])

    def verify_(self) -> None:
        super().verify_()
        self.verify_single()


@irdl_op_definition
class AtLeastOp(ReduceOp):
    """Is the single element >= threshold, compared as reals?"""

    name = "tdsl.at_least"
    threshold = prop_def(FloatAttr)
    result = result_def(i1)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, threshold: float):
        super().__init__(
            operands=[input],
            result_types=[i1],
            properties={"threshold": FloatAttr(threshold, f64)},
        )

    def verify_(self) -> None:
        super().verify_()
        self.verify_single()
