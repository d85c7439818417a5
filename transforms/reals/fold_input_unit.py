"""`fold-input-unit`: lets the program read the integers of a sensor, whose unit the first layers absorb (L0).

A sensor delivers integers that represent the reals `raw * scale + offset`. Weights, biases and the thresholds of trees
absorb scale and offset. The device then neither converts nor rescales the input. If other ops read the input, a
multiplication and an addition remain, in the format of the program. If all elements have the same unit, whose scale is
a power of two and whose offset is 0, neither remains, because the format of the raws includes the scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import dce

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.tdsl.sensor_units import InputUnit
from tinyml.runtime.evaluator.evaluator import feature_map, predict_function
from tinyml.transforms.reals.analysis.affine_functions import AffineFunction, absorb, set_feature_map

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Reals


@dataclass(frozen=True)
class FoldInputUnitPass(ModulePass):
    """Assign the unit of a sensor to the argument of a program on reals, and record unit and format in the interface.

    The unit and the format in the interface describe the caller's input. If the interface already contains a unit, the
    program is unchanged. The pass must run before `profile`. After this pass, `assign-format` assigns the format to the
    argument. If the argument already has a format that represents the reals of the sensor, the input is converted to
    this format, and only raws outside its range change.

    input_unit: a unit, or several units separated by commas that repeat over the elements, in the order in which the
        program reads them (`InputUnit.parse`). Without a unit the program is unchanged.

    Raises `InputError` for an unknown unit, for units that do not repeat to the length of the input, for features that
    already have scales, and for an input with a format that represents other reals.
    """

    name = "fold-input-unit"
    input_unit: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.input_unit is None:
            return
        function = predict_function(op)
        [argument] = function.body.block.args
        if tdsl.read_input(function).unit is not None:
            return
        if (features := feature_map(op)) is not None:
            if features.points is None:
                raise InputError("the features already have scales, which a unit would replace")
            argument = _quantise(argument, features)
            function.update_function_type()
            tdsl.update_input(function, scales=None, offsets=None, points=None)
        if (format := tdsl.format_of(argument)).type != f32:
            unit = InputUnit.parse(self.input_unit, prod(tdsl.shape_of(argument)))
            if not _fits(unit, format):
                raise InputError(
                    f"the input has a format of its own, {format.type}{_spelled(format)}, which is not the unit "
                    f"'{self.input_unit}': --quantization anew makes the unit the format"
                )
            if unit.format.type != format.type:
                _convert(argument, unit.format, format)
            function.update_function_type()
            tdsl.update_input(function, unit=self.input_unit)
            return
        shape = tdsl.shape_of(argument)
        unit = InputUnit.parse(self.input_unit, prod(shape))
        if (features := unit.features(prod(shape))) is not None:
            by_feature = AffineFunction(features.scales.reshape(shape), features.zeros.reshape(shape))
            if not absorb(argument, by_feature, argument):
                _compute(argument, by_feature)
            set_feature_map(function, features)
        tdsl.update_input(function, unit=self.input_unit, format=unit.format.type)
        dce(op)


def _quantise(argument: BlockArgument, features: tdsl.FeatureMap) -> BlockArgument:
    assert features.points is not None
    format, shape, block = tdsl.format_of(argument), tdsl.shape_of(argument), argument.block
    readers = tuple(argument.uses)
    Rewriter.replace_value_with_new_type(argument, TensorType(f32, shape))
    argument = block.args[0]
    if format.type != f32:
        cast = tdsl.CastOp(argument, format.type)
        assert cast.result is not None
        Rewriter.insert_op(cast, InsertPoint.at_start(block))
        for use in readers:
            use.operation.operands[use.index] = cast.result
    addends = features.points - features.zeros / features.scales
    _compute(argument, AffineFunction((1 / features.scales).reshape(shape), addends.reshape(shape)))
    return argument


def _fits(unit: InputUnit, format: NumberFormat) -> bool:
    """Whether a format represents the real of every integer of a sensor. For the least real, a difference of one step
    is accepted. False for a unit whose reals are computed with scales or zeros of features (`InputUnit.features`).
    """
    if unit.features(len(unit.units)) is not None:
        return False
    [one, *_] = unit.units
    reals = np.arange(one.low, one.high + 1, dtype=np.float64) * one.scale
    error = np.abs(format.decode(format.encode_clipped(reals)) - reals)
    return not error[1:].any() and error[0] <= one.scale


def _convert(value: SSAValue, given: NumberFormat, format: NumberFormat) -> None:
    readers = tuple(value.uses)
    value = Rewriter.replace_value_with_new_type(value, TensorType(given.type, tdsl.shape_of(value)))
    direct = [use for use in readers if not isinstance(use.operation, tdsl.SliceOp | tdsl.ReshapeOp)]
    for use in readers:
        if use not in direct:
            _convert(use.operation.results[0], given, format)
    if direct:
        converted = tdsl.CastOp(value, format.type)
        assert converted.result is not None
        converted.result.name_hint = "samples"
        at = value.owner
        start = InsertPoint.at_start(at) if isinstance(at, Block) else InsertPoint.after(at)
        Rewriter.insert_op(converted, start)
        for use in direct:
            use.operation.operands[use.index] = converted.result


def _spelled(format: NumberFormat) -> str:
    zero, one, two = (float(each) for each in format.decode(np.array([0, 1, 2], format.dtype)))
    if not np.isclose(two - one, one - zero, rtol=1e-6, atol=0):
        return ""
    return f" (raw * {one - zero:.6g}{f' {zero:+.6g}' if zero else ''})"


def _compute(argument: BlockArgument, function: AffineFunction) -> None:
    value: SSAValue = argument
    readers = tuple(argument.uses)
    ops: list[Operation] = []
    for build, name, numbers, neutral in (
        (tdsl.MulOp, "scale", function.factors, 1.0),
        (tdsl.AddOp, "offset", function.addends, 0.0),
    ):
        if (numbers == neutral).all():
            continue
        constant = tdsl.ConstOp(_shortest(numbers).astype(np.float32), F32_FORMAT)
        constant.result.name_hint = name
        ops += [constant, build(value, constant.result)]
        [value] = ops[-1].results
        value.name_hint = "features"
    for use in readers:
        use.operation.operands[use.index] = value
    Rewriter.insert_op(ops, InsertPoint.at_start(argument.block))


def _shortest(numbers: Reals) -> Reals:
    """Remove repetitions: numbers in the smallest shape of the same rank that broadcasts to the original shape."""
    for axis in range(numbers.ndim):
        first = numbers.take([0], axis)
        numbers = first if (numbers == first).all() else numbers
    return numbers
