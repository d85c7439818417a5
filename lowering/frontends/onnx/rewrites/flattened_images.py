"""Weights of a dense layer behind a flattened image, in the order in which the program stores the image.

A model flattens an image channel by channel. The program holds it pixel by pixel: it would have to transpose the image,
but permutes the columns of the weights instead, once and for all.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.onnx.rewrites.elementwise import in_shape_of


class WeightsOfFlattenedImage(RewritePattern):
    """Matches a constant matrix times a column that a transposition, reshapes and functions of one element make."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, tdsl.MatmulOp | tdsl.MatmulSumOp) or len(op.pairs) > 1:
            return
        [(matrix, vector)] = op.pairs
        weights = matrix.owner
        if not isinstance(weights, tdsl.ConstOp) or shape_of(vector)[1] != 1:
            return
        chain: list[tdsl.UnaryOp | tdsl.ReshapeOp] = []
        value = vector
        while isinstance(made := value.owner, tdsl.UnaryOp | tdsl.ReshapeOp) and value.has_one_use():
            chain.append(made)
            value = made.input
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
