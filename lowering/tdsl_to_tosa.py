"""`lower-tdsl-to-tosa`: translates a program on 8-bit integers with scales, such as a quantised .tflite, to TOSA 1.0.

In TOSA, zero points and scales are operands of ops instead of parts of types. Every raw equals the corresponding raw of
TensorFlow Lite Micro. Functions of one element become tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects import tosa as xdsl_tosa
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, ModuleOp, TensorType, i8, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import errors_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.xdsl_additions import tosa
from tinyml.lowering.tosa.integers import SUM_SHIFT, USUAL_WIDTH, multiplier_and_shift, quantised
from tinyml.lowering.tosa.layers import Values, average_pool, convolution, dense, margins_of, max_pool, mean
from tinyml.lowering.tosa.softmax import softmax
from tinyml.lowering.tosa.writer import TosaWriter, ranked
from tinyml.runtime.evaluator.arithmetics import Bits
from tinyml.transforms.ir.levels import FORMATS
from tinyml.transforms.simplify import SimplifyPass


@dataclass(frozen=True)
class LowerTdslToTosaPass(ModulePass):
    """Lower every function of a module to TOSA. Raises `InputError` at an op or a format that TOSA cannot
    represent.
    """

    name = "lower-tdsl-to-tosa"
    takes = FORMATS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        SimplifyPass().apply(ctx, op)
        for function in defined_functions(op):
            Rewriter.replace_op(function, _Lowering(function).function(), [])


class _Lowering:
    """The lowering of a function to TOSA, op by op."""

    def __init__(self, function: func.FuncOp) -> None:
        self.source = function
        self.block = Block(arg_types=[_type(argument) for argument in function.args])
        self.to = TosaWriter(self.block)
        self.values: dict[SSAValue, SSAValue] = dict(zip(function.args, self.block.args, strict=True))

    def function(self) -> func.FuncOp:
        results: Sequence[SSAValue] = ()
        for op in self.source.body.block.ops:
            if isinstance(op, func.ReturnOp):
                results = [self.value(operand) for operand in op.operands]
            elif not isinstance(op, tdsl.ConstOp | arith.ConstantOp):
                with errors_at(op):
                    self.values |= dict(zip(op.results, self.lowered(op), strict=True))
        for old, new in self.values.items():
            new.name_hint = new.name_hint or old.name_hint
        self.block.add_op(func.ReturnOp(*results))
        types = self.block.arg_types, [result.type for result in results]
        return func.FuncOp(self.source.sym_name.data, types, Region(self.block))

    def value(self, value: SSAValue) -> SSAValue:
        if isinstance(value.owner, tdsl.ConstOp):
            return self.to.constant(value.owner.raws, _type(value).get_element_type())
        return self.values[value]

    def lowered(self, op: Operation) -> list[SSAValue]:
        lower = next((lower for kind, lower in _LOWERINGS.items() if isinstance(op, kind)), None)
        if lower is None or not isinstance(op, tdsl.TensorOp):
            raise InputError("not written in TOSA")
        quantised(op.out)
        return [lower(self, op)]

    def filled(self, op: tdsl.FillOp) -> SSAValue:
        return self.to.constant(_raws(op, [])[0], i8)

    def sum(self, op: tdsl.AddOp | tdsl.SubOp) -> SSAValue:
        """Lower a sum or difference, rounded as in TensorFlow Lite's ADD and SUB, and return the result.

        The operands are converted to units of twice the greater scale, with 20 more fractional bits.
        """
        formats = [quantised(operand) for operand in op.inputs]
        unit, result = 2 * max(format.scale for format in formats), quantised(op.out)
        finer = [
            self.to.requantised(
                self.to.widened(self.value(operand), format.zero_point.data, SUM_SHIFT),
                format.scale / unit,
                1 << USUAL_WIDTH + SUM_SHIFT,
            )
            for operand, format in zip(op.inputs, formats, strict=True)
        ]
        joined = self.to.binary(xdsl_tosa.AddOp if isinstance(op, tdsl.AddOp) else xdsl_tosa.SubOp, *finer)
        factor = unit / math.ldexp(result.scale, SUM_SHIFT)
        return self.to.requantised(joined, factor, 1 << USUAL_WIDTH + SUM_SHIFT + 1, result.zero_point.data, i8)

    def product(self, op: tdsl.MulOp) -> SSAValue:
        lhs, rhs, result = (quantised(value) for value in (op.lhs, op.rhs, op.out))
        a = self.to.widened(self.value(op.lhs), lhs.zero_point.data)
        b = self.to.widened(self.value(op.rhs), rhs.zero_point.data)
        rank = len(tdsl.shape_of(op.out))
        a, b = (self.to.reshape(operand, ranked(tosa.extents(operand), rank)) for operand in (a, b))
        factor = lhs.scale * rhs.scale / result.scale
        return self.to.requantised(self.to.product(a, b), factor, 1 << 2 * USUAL_WIDTH, result.zero_point.data, i8)

    def extreme(self, op: tdsl.MaximumOp | tdsl.MinimumOp) -> SSAValue:
        """Lower a maximum or minimum of two operands with equal scales. The raws are compared as 32-bit integers.
        Raises `InputError` for operands of different scales.
        """
        if len({quantised(value).type for value in (*op.inputs, op.out)}) > 1:
            raise InputError("numbers of different scales are not written in TOSA")
        most = 1 << USUAL_WIDTH
        lhs, rhs = (self.to.widened(self.value(operand), 0) for operand in op.inputs)
        ordered = (lhs, rhs) if isinstance(op, tdsl.MaximumOp) else (rhs, lhs)
        chosen = self.to.chosen(self.to.binary(tosa.GreaterEqualOp, *ordered), lhs, rhs)
        return self.to.rescaled(chosen, [multiplier_and_shift(1.0)], most, 0, 0, i8)

    def unary(self, op: tdsl.UnaryOp) -> SSAValue:
        """Lower a unary op to a clamp, to a rescaling, or to a table of the results for all raws."""
        source, result, x = quantised(op.input), quantised(op.out), self.value(op.input)
        if isinstance(op, tdsl.CastOp):
            pair = multiplier_and_shift(source.scale / result.scale)
            zeros = source.zero_point.data, result.zero_point.data
            return self.to.rescaled(x, [pair], 1 << USUAL_WIDTH, *zeros, i8)
        low, high = source.raw_limits
        raws = np.arange(low, high + 1, dtype=np.int8)
        table = _raws(op, [raws.reshape(-1, *(1,) * len(tdsl.shape_of(op.out)))]).ravel()
        if isinstance(op, tdsl.ClampOp):
            return self.to.clamp(x, int(table.min()), int(table.max()))
        return self.to.op(tosa.TableOp, [x, self.to.constant(table, i8)], tdsl.shape_of(op.out), i8)

    def moved(self, op: tdsl.MovementOp) -> SSAValue:
        to, parts = self.to, [self.value(part) for part in op.inputs]
        if (named := self.named(op, parts)) is not None:
            return named
        if op.filling is not None:
            parts.append(self.filling(op.out, op.filling))
        flat = [to.reshape(part, (prod(tosa.extents(part)),)) for part in parts]
        starts: list[int] = np.cumsum([0, *(tosa.extents(part)[0] for part in flat)]).tolist()
        end = starts.pop()
        places: dict[SSAValue, Any] = {}
        for part, start in zip(op.inputs, starts, strict=False):
            shape = tdsl.shape_of(part)
            places[part] = np.arange(start, start + prod(shape)).reshape(1, *shape)
        operands = [places[operand] if operand in places else np.array([_index(operand)]) for operand in op.operands]
        whole = flat[0] if len(flat) == 1 else to.op(xdsl_tosa.ConcatOp, flat, (end,), i8, axis=IntegerAttr(0, i32))
        # The filling is the last element.
        return to.gathered(whole, to.constant(op.moved(operands, end - 1)[0]))

    def filling(self, value: SSAValue, real: float) -> SSAValue:
        return self.to.constant([int(quantised(value).encode(np.array(real)))], i8)

    def named(self, op: tdsl.MovementOp, operands: Sequence[SSAValue]) -> SSAValue | None:
        """The result of the TOSA op that is equivalent to a movement op; None if TOSA has no equivalent op.

        If the convolutions of TOSA that read a padded image perform the padding themselves, the result is the image
        without padding.
        """
        to, shape, x = self.to, tdsl.shape_of(op.out), operands[0]
        match op:
            case tdsl.ReshapeOp():
                return to.reshape(x, shape)
            case tdsl.ReinterpretOp():
                return x
            case tdsl.TransposeOp():
                return to.op(tosa.TransposeOp, [x], shape, i8, perms=DenseArrayBase.from_list(i32, op.axes))
            case tdsl.ReverseOp():
                return to.op(tosa.ReverseOp, [x], shape, i8, axis=IntegerAttr(op.axis.value.data, i32))
            case tdsl.ConcatOp():
                return to.op(xdsl_tosa.ConcatOp, operands, shape, i8, axis=IntegerAttr(op.axis.value.data, i32))
            case tdsl.SliceOp() if all(step == 1 for step in op.steps):
                return to.slice(x, [_index(offset) for offset in op.offsets], shape)
            case tdsl.PadOp() if margins_of(op) is not None and _convolved(op):
                return x
            case tdsl.PadOp() if not any(op.gaps):
                margins = to.shape([margin for pair in op.margins for margin in pair])
                return to.op(tosa.PadOp, [x, margins, self.filling(op.out, op.filling)], shape, i8)
            case _:
                return None


def _convolved(op: tdsl.PadOp) -> bool:
    """Whether all users of a padded image are convolutions, which perform the padding themselves."""
    return all(isinstance(use.operation, tdsl.Conv2dOp) for use in op.out.uses)


def _raws(op: tdsl.TensorOp, x: Sequence[Any]) -> Any:
    return op.compute(Bits(), x)


def _index(value: SSAValue) -> int:
    number = const_evaluate_operand(value)
    if number is None:
        raise InputError("an index that is computed is not written in TOSA")
    return number


def _type(value: SSAValue) -> TensorType[IntegerType]:
    quantised(value)
    return TensorType(i8, tdsl.shape_of(value))


def _layer(lower: Callable[[TosaWriter, Any, Values], SSAValue]) -> Callable[[_Lowering, Any], SSAValue]:
    return lambda of, op: lower(of.to, op, of.value)


_LOWERINGS: Mapping[type[Operation], Callable[[_Lowering, Any], SSAValue]] = {
    tdsl.Conv2dOp: _layer(convolution),
    tdsl.MatmulOp: _layer(dense),
    tdsl.MatmulSumOp: _layer(dense),
    tdsl.MaxPoolOp: _layer(max_pool),
    tdsl.AveragePoolOp: _layer(average_pool),
    tdsl.MeanOp: _layer(mean),
    tdsl.SoftmaxOp: _layer(softmax),
    tdsl.AddOp: _Lowering.sum,
    tdsl.SubOp: _Lowering.sum,
    tdsl.MaximumOp: _Lowering.extreme,
    tdsl.MinimumOp: _Lowering.extreme,
    tdsl.MulOp: _Lowering.product,
    tdsl.UnaryOp: _Lowering.unary,
    tdsl.FillOp: _Lowering.filled,
    tdsl.MovementOp: _Lowering.moved,
}
"""The lowering of each kind of op."""
