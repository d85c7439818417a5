"""`fuse-distances`: fuses `(a - b)^T * (a - b)` into `tdsl.squared_distance`, without a vector of differences (L1).

Rounding each difference would cost as much as squaring it. Instead, both vectors have one scale, at which the
difference of their raws is exact. It is the finest scale at which the sum of squares is proven to fit its accumulator.
For a constant vector b, the proof adds up (|b| + max |a|)^2 over the elements of b.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import num, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import GREATEST_BITS, Accumulator
from tinyml.dialects.formats.number_format import Bound, NumberFormat, Raws
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.formats.constants.rounded_constants import narrowed_raws
from tinyml.transforms.ir.chosen_accumulators import choose
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.sums import squared_distances

SPARE_BITS = 7
"""Each vector gives up fewer than this many bits of precision."""


@dataclass(frozen=True)
class FuseDistancesPass(ConditionalPass):
    """Replace a `tdsl.matmul` of a `tdsl.sub` with itself at L1 by a `tdsl.squared_distance`.

    The product is unchanged if the difference has other uses, or if no common scale of both vectors fits an
    accumulator.
    """

    name = "fuse-distances"

    def obstacle(self, module: ModuleOp) -> str | None:
        return None if any(squared_distances(module)) else "no tdsl.matmul of a tdsl.sub with itself"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for product, difference in squared_distances(op):
            _fuse(product, difference)


def _fuse(product: tdsl.MatmulOp, difference: tdsl.SubOp) -> None:
    result, lhs, rhs = tdsl.format_of(product.out), difference.lhs, difference.rhs
    of_lhs, of_rhs = ([tdsl.format_of(value).narrowed(bits) for bits in _spare(value)] for value in (lhs, rhs))
    for _, i, j in sorted((i + j, i, j) for i in range(len(of_lhs)) for j in range(len(of_rhs))):
        formats = of_lhs[i], of_rhs[j]
        proven = _accumulator(difference, *formats, result)
        if proven is not None:
            operands = _retyped(lhs, formats[0]), _retyped(rhs, formats[1])
            _replace(product, difference, operands, *proven)
            return


def _spare(value: SSAValue) -> range:
    if tdsl.is_given(value):
        return range(1)
    constant = _constant(value)
    if constant is not None:
        return range(SPARE_BITS if constant.result.has_one_use() and value.has_one_use() else 1)
    computes = isinstance(value.owner, tdsl.TensorOp) and not value.owner.MOVES_BITS and not value.owner.regions
    return range(SPARE_BITS if computes and value.has_one_use() else 1)


def _constant(value: SSAValue) -> tdsl.ConstOp | None:
    source = value.owner.input.owner if isinstance(value.owner, tdsl.IndexOp) else value.owner
    return source if isinstance(source, tdsl.ConstOp) else None


def _accumulator(
    difference: tdsl.SubOp, lhs: NumberFormat, rhs: NumberFormat, result: NumberFormat
) -> tuple[Accumulator, Bound | None] | None:
    """Return the accumulator of the sum of squares and its proven bound. None if no format represents the differences
    exactly, or if the accumulator would be wider than `GREATEST_BITS` bits.

    lhs, rhs: the formats of the two vectors.
    result: the format of the sum.
    """
    exact = lhs.difference(rhs)
    if exact is None:
        return None
    length = tdsl.shape_of(difference.out)[0]
    if (constant := _constant(difference.rhs)) is not None:
        bound = lhs.distance_bound(length, rhs, _recoded(constant, rhs).reshape(-1, length))
    elif (constant := _constant(difference.lhs)) is not None:
        bound = rhs.distance_bound(length, lhs, _recoded(constant, lhs).reshape(-1, length))
    else:
        bound = lhs.distance_bound(length, rhs, None)
    try:
        accumulator = result.accumulator(exact, exact, bound)
    except InputError:
        return None
    narrow = accumulator.bits <= GREATEST_BITS
    return (accumulator, bound) if narrow else None


def _recoded(constant: tdsl.ConstOp, format: NumberFormat) -> Raws:
    return narrowed_raws(constant.raws, tdsl.format_of(constant.result), format)


def _retyped(value: SSAValue, format: NumberFormat) -> SSAValue:
    if format.type == tdsl.format_of(value).type:
        return value
    if (constant := _constant(value)) is not None:
        new = tdsl.ConstOp(_recoded(constant, format), format)
        new.result.name_hint = constant.result.name_hint
        Rewriter.insert_op(new, InsertPoint.before(constant))
        Rewriter.replace_op(constant, [], [new.result])
        if value is constant.result:
            return new.result
    type = TensorType(format.type, tdsl.shape_of(value))
    value = Rewriter.replace_value_with_new_type(value, type)
    if isinstance(value.owner, tdsl.ContractionOp):
        choose(value.owner)
    return value


def _replace(
    product: tdsl.MatmulOp,
    difference: tdsl.SubOp,
    operands: tuple[SSAValue, SSAValue],
    accumulator: Accumulator,
    bound: Bound | None,
) -> None:
    element: Attribute = tdsl.format_of(product.out).type
    fused = tdsl.SquaredDistanceOp(*operands, element, accumulator.type, bound)
    fused.attributes |= product.attributes
    fused.out.name_hint = product.out.name_hint
    row = product.lhs.owner
    Rewriter.replace_op(product, fused)
    for op in (row, difference):
        assert isinstance(op, tdsl.TensorOp)
        Rewriter.erase_op(op)


def renew_distances(module: ModuleOp) -> None:
    """Choose the accumulators of the squared distances of a program at L1 again, after the constants have changed.

    Raises `InputError` if no accumulator of the format is wide enough.
    """
    for op in [op for op in module.walk() if isinstance(op, tdsl.SquaredDistanceOp)]:
        bound = op.derived_bound
        op.acc = tdsl.format_of(op.out).accumulator(op.difference, op.difference, bound).type
        op.properties |= num.proof(bound)
