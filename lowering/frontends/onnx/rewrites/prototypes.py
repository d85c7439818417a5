"""A weighted sum over prototypes, which ProtoNN computes from distances, as a loop over the prototypes.

A model in ONNX subtracts all prototypes at once, squares, sums and multiplies by a matrix, with arrays of as many rows
as there are prototypes. A loop keeps one difference and one distance.
"""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, TensorType, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.onnx.rewrites.distances import Distances, distances_of
from tinyml.lowering.frontends.onnx.rewrites.elementwise import in_shape_of

_Elementwise: TypeAlias = tdsl.UnaryOp | tdsl.BinaryOp


class SumOverPrototypes(RewritePattern):
    """Matches `Z f(|point - prototype_i|^2)_i` with a constant Z and elementwise f, and makes a loop over i."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MatmulOp, rewriter: PatternRewriter, /) -> None:
        if tdsl.format_of(op.out).type != f32:
            return
        weights = op.lhs.owner
        if not isinstance(weights, tdsl.ConstOp) or shape_of(op.out)[1] != 1 or not weights.result.has_one_use():
            return
        chain: list[_Elementwise] = []
        value = op.rhs
        while (step := _step_on_all(value)) is not None:
            if isinstance(step, tdsl.UnaryOp | tdsl.BinaryOp):
                chain.append(step)
            value = _varying(step)
        if (distances := distances_of(value)) is None or len(distances.prototypes) != shape_of(op.lhs)[1]:
            return
        rewriter.replace(op, _loop(weights, distances, list(reversed(chain))))


def _step_on_all(value: SSAValue) -> tdsl.TensorOp | None:
    """The op that computes a vector from another one by the same computation for each element."""
    op = value.owner
    if not value.has_one_use():
        return None
    if isinstance(op, tdsl.ReshapeOp):
        return op
    if isinstance(op, tdsl.UnaryOp | tdsl.BinaryOp):
        varying = [each for each in op.inputs if not _is_number(each)]
        return op if len(varying) == 1 and prod(shape_of(varying[0])) == prod(shape_of(value)) else None
    return None


def _varying(op: tdsl.TensorOp) -> SSAValue:
    return next(each for each in op.inputs if not _is_number(each))


def _is_number(value: SSAValue) -> bool:
    return isinstance(value.owner, tdsl.ConstOp) and prod(shape_of(value)) == 1 and len(shape_of(value)) <= 2


def _on_one(op: _Elementwise, value: SSAValue) -> _Elementwise:
    """An elementwise op on a single element instead of a vector."""
    if isinstance(op, tdsl.UnaryOp):
        return in_shape_of(op, value)
    lhs, rhs = (each if _is_number(each) else value for each in (op.lhs, op.rhs))
    return type(op)(lhs, rhs)


def _loop(weights: tdsl.ConstOp, distances: Distances, chain: list[_Elementwise]) -> list[Operation]:
    """The loop over prototypes and the ops that it needs before it; the last op has the result."""
    number, length = distances.prototypes.shape
    rows = shape_of(weights.result)[0]
    made: list[Operation] = []

    def add(op: Any) -> Any:
        made.append(op)
        return op

    prototypes = add(tdsl.ConstOp(np.ascontiguousarray(distances.prototypes.reshape(number, length, 1)), F32_FORMAT))
    columns = add(tdsl.ConstOp(np.ascontiguousarray(weights.raws.T.reshape(number, rows, 1)), F32_FORMAT))
    prototypes.result.name_hint, columns.result.name_hint = distances.name, weights.result.name_hint
    point = add(tdsl.ReshapeOp(distances.point, (length, 1))).out
    point.name_hint = distances.point.name_hint
    start, stop, step = (add(arith.ConstantOp.from_int_and_width(each, IndexType())).result for each in (0, number, 1))
    zeros = add(tdsl.FillOp(0.0, TensorType(F32_FORMAT.type, (rows, 1)))).out
    body = Block(arg_types=[IndexType(), zeros.type])
    index, total = body.args
    with ImplicitBuilder(body):
        prototype = tdsl.IndexOp(prototypes.result, index).out
        difference = tdsl.SubOp(*((prototype, point) if distances.prototypes_first else (point, prototype))).out
        difference.name_hint = "difference"
        column = tdsl.IndexOp(columns.result, index).out
        value: SSAValue = tdsl.MatmulOp(tdsl.ReshapeOp(difference, (1, length)).out, difference).out
        for op in chain:
            value = _on_one(op, value).out
        scf.YieldOp(tdsl.AddOp(total, tdsl.MulOp(column, value).out).out)
    add(scf.ForOp(start, stop, step, [zeros], body))
    return made
