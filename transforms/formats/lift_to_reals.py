"""`lift-to-reals`: converts a program in number formats back to reals (L1 to L0), so that its formats can be chosen
again.

Constants become the reals that they represent. Conversions between formats are removed, and so are the formats that the
interface records for parts of the input. If a format has no negative numbers, for instance because of its zero point, a
conversion to it clamps at 0. This clamp becomes an explicit relu. Intermediate results of `tdsl.map` become tensors, so
that each of them can have a separate format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.formats.spread_maps import SpreadMapsPass


@dataclass(frozen=True)
class LiftToRealsPass(ModulePass):
    """Change the type of every tensor to `f32`, and every constant to the reals that it represents.

    Sums in accumulators that start from zero become tensors, to which products are added. Raises `InputError` for other
    sums in accumulators, and in the same cases as `spread-maps`.
    """

    name = "lift-to-reals"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if any(_is_sum(value) for value in inner.results) and not isinstance(inner, _SUMS):
                raise error_at(inner, f"'{inner.name}' sums in an accumulator: its program cannot go back to reals")
        SpreadMapsPass().apply(ctx, op)
        for inner in list(op.walk()):
            if isinstance(inner, tdsl.ContractionOp):
                inner.acc = inner.bound = None
            if isinstance(inner, tdsl.TensorOp) and not _is_sum(inner.out) and _hides_relu(inner):
                relu = tdsl.ReluOp(inner.out)
                relu.out.name_hint = inner.out.name_hint
                Rewriter.insert_op(relu, InsertPoint.after(inner))
                inner.out.replace_uses_with_if(relu.out, lambda use, relu=relu: use.operation is not relu)
        for inner in list(op.walk()):
            if isinstance(inner, tdsl.ConstOp):
                _lift_constant(inner)
        for inner in list(op.walk()):
            if isinstance(inner, tdsl.FunctionOp | num.FunctionOp):
                inner.scheme = None
            blocks = [block for region in inner.regions for block in region.blocks]
            for value in (*inner.results, *(argument for block in blocks for argument in block.args)):
                _lift_type(value)
        for inner in list(op.walk()):
            if isinstance(inner, tdsl.CastOp | tdsl.ReinterpretOp):
                inner.out.replace_all_uses_with(inner.input)
                Rewriter.erase_op(inner)
        for inner in list(op.walk()):
            if isinstance(inner, tdsl.ZeroOp | tdsl.MacOp | tdsl.AccumulateOp | tdsl.FinishOp):
                _lift_sum(inner)
            elif isinstance(inner, tdsl.SquaredDistanceOp):
                _lift_distance(inner)
        for function in defined_functions(op):
            function.update_function_type()
            if inputs := tdsl.read_input(function).input_parts:
                tdsl.update_input(function, parts=tuple((part.name, part.length) for part in inputs))


_SUMS = tdsl.ZeroOp, tdsl.MacOp, tdsl.AccumulateOp, scf.ForOp
"""Ops whose results may be sums that become tensors."""


def _lift_sum(op: tdsl.ZeroOp | tdsl.MacOp | tdsl.AccumulateOp | tdsl.FinishOp) -> None:
    """Replace an op on sums by an op on tensors of reals, after the types of all values became real."""
    match op:
        case tdsl.ZeroOp():
            ops = [tdsl.FillOp(0.0, cast("TensorType[Attribute]", op.out.type))]
        case tdsl.MacOp() | tdsl.AccumulateOp():
            multiply = tdsl.MulOp if isinstance(op, tdsl.MacOp) else tdsl.MatmulOp
            product = multiply(op.lhs, op.rhs)
            ops = [product, tdsl.AddOp(op.sum, product.out)]
        case tdsl.FinishOp():
            if op.shifts is not None:
                raise error_at(op, "sums whose rows are shifted cannot go back to reals")
            op.out.replace_all_uses_with(op.input)
            Rewriter.erase_op(op)
            return
    ops[-1].out.name_hint = op.out.name_hint
    Rewriter.replace_op(op, ops)


def _lift_distance(op: tdsl.SquaredDistanceOp) -> None:
    """Replace a squared distance by a difference and the product with itself, which `fuse-distances` can join again."""
    difference = tdsl.SubOp(op.lhs, op.rhs)
    rows = tdsl.ReshapeOp(difference.out, tdsl.shape_of(difference.out)[::-1])
    product = tdsl.MatmulOp(rows.out, difference.out)
    product.out.name_hint = op.out.name_hint
    Rewriter.replace_op(op, [difference, rows, product])


def _is_sum(value: SSAValue) -> bool:
    """Whether a value is a sum in an accumulator. A value of type f32 counts as a number, although f32 is also an
    accumulator.
    """
    element = getattr(value.type, "element_type", None)
    return accumulator_of(element) is not None and number_format(element) is None


def _hides_relu(op: tdsl.TensorOp) -> bool:
    format = tdsl.format_of(op.out)
    if op.MOVES_BITS or isinstance(op, tdsl.ClampOp | tdsl.ReinterpretOp) or op.interval[0] >= 0:
        return False
    users = [use.operation for use in op.out.uses]
    least = float(format.decode(format.ends()[0]))
    return least == 0 and not all(isinstance(user, tdsl.ClampOp) for user in users)


def _lift_constant(op: tdsl.ConstOp) -> None:
    reals = tdsl.format_of(op.result).decode(op.raws).astype(np.float32)
    new = op.with_raws(reals, F32_FORMAT)
    Rewriter.insert_op(new, InsertPoint.before(op))
    op.result.replace_all_uses_with(new.result)
    Rewriter.erase_op(op)


def _lift_type(value: SSAValue) -> None:
    type: Attribute = value.type
    if isinstance(type, TensorType):
        tensor = cast("TensorType[Attribute]", type)
        Rewriter.replace_value_with_new_type(value, TensorType(f32, tensor.get_shape(), tensor.encoding))
    elif number_format(type) is not None:
        Rewriter.replace_value_with_new_type(value, f32)
