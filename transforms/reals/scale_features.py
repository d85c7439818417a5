"""`scale-features`: assigns a scale and a zero to each feature of an input vector, which the first layers absorb (L0).

Features have different units. With one scale for all features, features with small numbers would lose all their bits.
With this pass the caller computes the argument as `v = (x - zero) / scale` for each feature (`scales` and `offsets` of
the interface). Scalers and the weights of the first layer are changed to compensate. The device needs no additional
computation, in any format.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import dce

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import argument_reals, predict_function
from tinyml.runtime.model.program_data import load_program_data
from tinyml.transforms.reals.analysis.affine_functions import (
    AffineFunction,
    absorb,
    extended,
    in_shape,
    set_feature_map,
)

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals


OFF_CENTRE = 8
"""The ratio of a feature's greatest magnitude to half of its range above which it gets a zero.

Without a zero, such a feature loses up to three bits; a program without zeros needs no subtraction.
"""

ZERO_STEPS = 64
"""The number of steps per scale in which zeros are chosen."""


@dataclass(frozen=True)
class ScaleFeaturesPass(ModulePass):
    """If the argument of a program at L0 is a vector, scale its features, and record scales and zeros in the interface.

    If all readers of the argument are layers with weights, directly or after a scaler, the range of each feature on the
    data is mapped into [-1, 1]. If other ops, such as squared distances, read the result of a scaler, the caller
    computes this result instead of the program. Inputs with several axes of more than one element are unchanged, and so
    are inputs for which the interface already records scales, a unit, a format or an order of axes. The pass must run
    before `profile`.

    data: .npz file with inputs `x`.

    Raises `InputError` for a data file that does not match the program.
    """

    name = "scale-features"
    data: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = predict_function(op)
        [argument] = function.body.block.args
        shape = tdsl.shape_of(argument)
        given = tdsl.read_input(function)
        scaled = any(one is not None for one in (given.scales, given.unit, given.format, given.order))
        if scaled or tdsl.format_of(argument).type != f32 or prod(shape) != max(shape, default=1):
            return
        features = _ranges(argument_reals(op, load_program_data(op, self.data).x).astype(np.float64))
        by_feature = AffineFunction(features.scales.reshape(shape), features.zeros.reshape(shape))
        if not absorb(argument, by_feature, argument):
            features = _scaler(argument)
            if features is None:
                return
        set_feature_map(function, features)
        dce(op)


def _ranges(x: Reals) -> tdsl.FeatureMap:
    """For each feature of samples of shape (samples, elements), an affine map of [-1, 1] to an interval that contains
    the feature's range.

    Scales are powers of two. A zero is a multiple of a 64th of the least power of two that is not below half of the
    range. It is 0 for a constant feature, and for a feature whose greatest magnitude is at most `OFF_CENTRE` times half
    of its range. In a format with enough fraction bits, the raw of a feature is then the shifted feature minus an
    integer.
    """
    low, high = x.min(0), x.max(0)
    greatest, reach = np.maximum(np.abs(low), np.abs(high)), (high - low) / 2
    centred = (greatest > reach * OFF_CENTRE) & (reach > 0)
    step = _power_of_two(reach) / ZERO_STEPS
    zeros = np.where(centred, np.rint((low + high) / 2 / step) * step, 0.0)
    reach = np.maximum(high - zeros, zeros - low)
    # A constant feature counts in units of itself.
    return tdsl.FeatureMap(_power_of_two(reach), zeros)


def _power_of_two(numbers: Reals) -> Reals:
    mantissas, exponents = np.frexp(numbers)
    return np.ldexp(1.0, np.clip(exponents - (mantissas == 0.5), -126, 127))


def _scaler(argument: SSAValue) -> tdsl.FeatureMap | None:
    """Remove the affine ops that are the only readers of an argument. Return the map from the results of these ops to
    the features.

    None, without changes, if there are no such ops, if they change nothing, or if the map is not finite.
    """
    value, function = argument, AffineFunction.identity(tdsl.shape_of(argument))
    while value.has_one_use():
        reader = next(iter(value.uses)).operation
        further = extended(reader, value, function)
        if further is None:
            break
        [value], function = reader.results, further
    factors, addends = function.factors.ravel(), function.addends.ravel()
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        features = tdsl.FeatureMap(_single(1 / factors), _single(-addends / factors))
    exists = (np.isfinite(features.scales) & np.isfinite(features.zeros) & (features.scales != 0)).all()
    if not exists or ((factors == 1).all() and not addends.any()):
        return None
    last = value.owner
    assert isinstance(last, Operation)
    value.replace_all_uses_with(in_shape(argument, tdsl.shape_of(value), last))
    return features


def _single(numbers: Reals) -> Reals:
    return numbers.astype(np.float32).astype(np.float64)
