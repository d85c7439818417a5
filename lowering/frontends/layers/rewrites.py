"""Rewrites of imported programs (L0), which replace `tdsl` ops by cheaper equivalent ops and loops."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp, f32
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import in_shape_of
from tinyml.lowering.frontends.layers.prototypes import SumOverPrototypes

if TYPE_CHECKING:
    from numpy.typing import NDArray


def simplify(module: ModuleOp) -> None:
    """Apply all rewrites, group by group; repeat each group until none of its patterns matches."""
    first: list[RewritePattern] = [
        WeightsOfFlattenedImage(),
        ScaledLayer(),
        AddedTwice(),
        SumOverPrototypes(),
        ExtendedSequence(),
    ]
    last: list[RewritePattern] = [SparseWeights()]
    for patterns in (first, last):
        PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_module(module)


class WeightsOfFlattenedImage(RewritePattern):
    """Permute the weights of a dense layer after a flattened image instead of transposing the image.

    A model flattens an image channel by channel, while the program stores it pixel by pixel. The pattern matches a
    product of a constant matrix and a column. The column must be computed from an image by a transposition,
    reshapes and unary ops.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, tdsl.MatmulOp | tdsl.MatmulSumOp) or len(op.pairs) > 1:
            return
        [(matrix, vector)] = op.pairs
        weights = matrix.owner
        if not isinstance(weights, tdsl.ConstOp) or shape_of(vector)[1] != 1:
            return
        chain: list[tdsl.UnaryOp | tdsl.ReshapeOp] = []
        value = vector
        while isinstance(producer := value.owner, tdsl.UnaryOp | tdsl.ReshapeOp) and value.has_one_use():
            chain.append(producer)
            value = producer.input
        if not isinstance(transpose := value.owner, tdsl.TransposeOp) or transpose.keeps_order:
            return
        stored = shape_of(transpose.input)
        order = np.arange(prod(stored)).reshape(stored).transpose(transpose.axes).ravel()
        permuted = np.empty_like(weights.raws)
        permuted[:, order] = weights.raws
        new = weights.with_raws(permuted, tdsl.format_of(weights.result))
        rewriter.insert(new, InsertPoint.before(weights))
        value: SSAValue = transpose.input
        for step in reversed(chain):
            if isinstance(step, tdsl.ReshapeOp):
                continue
            copy = in_shape_of(step, value)
            rewriter.insert(copy, InsertPoint.before(op))
            value = copy.out
        column, element = tdsl.ReshapeOp(value, shape_of(vector)), tdsl.format_of(op.out).type
        if isinstance(op, tdsl.MatmulOp):
            product = tdsl.MatmulOp(new.result, column.out, element)
        else:
            product = tdsl.MatmulSumOp([(new.result, column.out)], op.initial, element)
        product.out.name_hint = op.out.name_hint
        rewriter.replace(op, [column, product])


Layer: TypeAlias = "tdsl.Conv2dOp | tdsl.MatmulOp"


class ScaledLayer(RewritePattern):
    """Fold constant factors after a layer, such as the factors of a batch normalisation, into the layer's weights.

    The pattern matches `layer * factors` and `(layer + addends) * factors`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MulOp, rewriter: PatternRewriter, /) -> None:
        if tdsl.format_of(op.out).type != f32:
            return
        for value, factors in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if not isinstance(factors.owner, tdsl.ConstOp) or not value.has_one_use():
                continue
            addends: tdsl.ConstOp | None = None
            layer_value = value
            if isinstance(sum := value.owner, tdsl.AddOp) and isinstance(sum.rhs.owner, tdsl.ConstOp):
                layer_value, addends = sum.lhs, sum.rhs.owner
            if (layer := _layer(layer_value)) is None or shape_of(op.out) != shape_of(value):
                continue
            by_row = _by_row(factors.owner, layer, shape_of(op.out))
            if by_row is None:
                continue
            _scale(layer, by_row, rewriter)
            result = layer_value
            if addends is not None:
                scaled = np.asarray(addends.raws * factors.owner.raws, np.float32)
                constant = tdsl.ConstOp(scaled, F32_FORMAT)
                constant.result.name_hint = addends.result.name_hint
                total = tdsl.AddOp(layer_value, constant.result)
                rewriter.insert([constant, total], InsertPoint.before(op))
                result = total.out
            rewriter.replace(op, [], [result])
            return


class AddedTwice(RewritePattern):
    """Merge two successive additions of constants into one addition."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.AddOp, rewriter: PatternRewriter, /) -> None:
        if tdsl.format_of(op.out).type != f32:
            return
        inner, second = op.lhs.owner, op.rhs.owner
        if not isinstance(inner, tdsl.AddOp) or not isinstance(second, tdsl.ConstOp) or not op.lhs.has_one_use():
            return
        if not isinstance(first := inner.rhs.owner, tdsl.ConstOp) or _layer(inner.lhs) is None:
            return
        if shape_of(inner.lhs) != shape_of(op.out):
            return
        constant = tdsl.ConstOp(np.asarray(first.raws + second.raws, np.float32), F32_FORMAT)
        constant.result.name_hint = first.result.name_hint
        rewriter.replace(op, [constant, tdsl.AddOp(inner.lhs, constant.result)])


def _layer(value: SSAValue) -> Layer | None:
    """The layer with constant weights whose result is `value`, directly or after reshapes.

    Returns None if there is no such layer, if `value`, the layer's result or the weights have another use, and for a
    matrix product with several columns.
    """
    while isinstance(value.owner, tdsl.ReshapeOp) and value.has_one_use():
        value = value.owner.input
    op = value.owner
    if not isinstance(op, tdsl.Conv2dOp | tdsl.MatmulOp) or not value.has_one_use():
        return None
    column = isinstance(op, tdsl.Conv2dOp) or shape_of(op.out)[1] == 1
    return op if column and tdsl.own_constant(op.lhs) is not None else None


def _by_row(factors: tdsl.ConstOp, layer: Layer, shape: tdsl.Shape) -> NDArray[Any] | None:
    """The factor for each row of the weights. Returns None if the factors vary along an axis other than the rows, and
    if reshapes changed the shape of a layer that has several numbers per row.

    shape: the shape of the tensor that is multiplied by the factors.
    """
    rows = shape_of(layer.lhs)[0]
    spread = np.broadcast_to(factors.raws, shape)
    if prod(shape) == rows:
        return spread.ravel()
    if shape != shape_of(layer.out):
        return None
    by_row = spread[0, 0, 0]
    return by_row if (spread == by_row).all() else None


def _scale(layer: Layer, factors: NDArray[Any], rewriter: PatternRewriter) -> None:
    weights = layer.lhs.owner
    assert isinstance(weights, tdsl.ConstOp)
    scaled = weights.raws * factors.reshape(-1, *(1,) * (weights.raws.ndim - 1))
    new = weights.with_raws(np.asarray(scaled, np.float32), F32_FORMAT)
    new.result.name_hint = weights.result.name_hint
    rewriter.replace(weights, new)


class ExtendedSequence(RewritePattern):
    """Extend the sequence that a loop fills, instead of concatenating rows to it after the loop.

    The pattern matches a concatenation along the first axis. Its first operand must be a sequence that a loop fills
    part by part. For example, repeating the last row of a pooled image then copies one row instead of the whole image.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, tdsl.ConcatOp) or op.axis.value.data != 0:
            return
        filled, *others = op.inputs
        readers = [use.operation for use in filled.uses if use.operation is not op]
        if filled in others or not all(isinstance(reader, tdsl.SliceOp | tdsl.IndexOp) for reader in readers):
            return
        if (insertion := _insertion(filled)) is None:
            return
        start = shape_of(filled)[0]
        whole = _lengthened(filled, insertion, op.out, rewriter)
        for other in others:
            offsets = [_index(at, op, rewriter) for at in (start, *(0 for _ in shape_of(other)[1:]))]
            extended = tdsl.InsertSliceOp(other, whole, offsets)
            rewriter.insert(extended, InsertPoint.before(op))
            whole, start = extended.out, start + shape_of(other)[0]
        whole.name_hint = op.out.name_hint
        rewriter.replace(op, [], [whole])


def _insertion(value: SSAValue) -> tdsl.InsertSliceOp | None:
    """The op that inserts slices into a new tensor, if `value` is this tensor after the loop that fills it. None for
    any other value.
    """
    if not isinstance(value, OpResult) or not isinstance(loop := value.op, scf.ForOp):
        return None
    start = loop.iter_args[value.index]
    is_new = isinstance(start.owner, tdsl.FillOp) and start.has_one_use()
    return tdsl.insertion_in(loop, value.index) if is_new else None


def _lengthened(filled: SSAValue, insertion: tdsl.InsertSliceOp, like: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    assert isinstance(filled, OpResult)
    loop = filled.op
    assert isinstance(loop, scf.ForOp)
    for value in (loop.iter_args[filled.index], loop.body.block.args[1 + filled.index], insertion.out):
        rewriter.replace_value_with_new_type(value, like.type)
    return rewriter.replace_value_with_new_type(filled, like.type)


def _index(value: int, before: Operation, rewriter: PatternRewriter) -> SSAValue:
    constant = arith.ConstantOp.from_int_and_width(value, IndexType())
    rewriter.insert(constant, InsertPoint.before(before))
    return constant.result


MANY = 1 / 2
"""The fraction of zeros above which a sparse product saves more time than merging a dense product with its addend."""


class SparseWeights(RewritePattern):
    """Convert the constant matrix of a product with a column to sparse form, as the operator `|*|` of SeeDot's
    language does.

    Zeros remain zeros in every format, and rounding to few bits creates more zeros. Later, `choose-storage`
    converts matrices back to dense form if this is smaller or faster.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MatmulOp, rewriter: PatternRewriter, /) -> None:
        if tdsl.format_of(op.out).type != f32:
            return
        if (weights := tdsl.own_constant(op.lhs)) is None or shape_of(op.out)[1] != 1:
            return
        zeros = 1 - np.count_nonzero(weights.raws) / weights.raws.size
        if zeros == 1 or (zeros < MANY and _is_added(op)):
            return
        sparse = tdsl.ConstOp(weights.raws, F32_FORMAT, tdsl.Csr())
        sparse.result.name_hint = weights.result.name_hint
        rewriter.insert(sparse, InsertPoint.before(weights))
        rewriter.replace(op, tdsl.SpmvOp(sparse.result, op.rhs))


def _is_added(op: tdsl.MatmulOp) -> bool:
    value = op.out
    while value.has_one_use():
        [use] = value.uses
        if not isinstance(use.operation, tdsl.ReshapeOp):
            return isinstance(use.operation, tdsl.AddOp)
        value = use.operation.out
    return False
