"""Import of SVDF, on floats, and quantised as TensorFlow Lite Micro computes it.

A filter of a layer is the product of a vector over the features of a step and a vector over time. In each step, every
filter computes the scalar product of the features and its first vector. The state stores these scalar products for the
latest steps. An output is the sum of `rank` filters over time.

The state is a tensor with one row per step. In each step, the rows move up, and the new row is inserted at the end. A
convolution with one group per output sums the rows over time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.dense_layers import dense, limited
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, Parameter
from tinyml.lowering.frontends.layers.network_layers import Windows, convolution
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, activation_format, element, power_of_two, rows_format
from tinyml.lowering.frontends.tflite.layers import IMAGE
from tinyml.lowering.frontends.tflite.model import Operator, Quantization, Tensor
from tinyml.lowering.frontends.tflite.operands import input_of
from tinyml.lowering.frontends.tflite.products import bias, constant_weights

FEATURES, TIME, BIAS, STATE = 1, 2, 3, 4
"""The input positions of the weights of features, the weights over time, the bias and the state."""

_TRIES = 1 << 20
"""The number of scales of the state that are tried on either side of the declared scale."""


def svdf_states(op: Operator) -> Sequence[Tensor]:
    """The state of an operator as a tensor with one row per step, (1, steps, 1, filters).

    A state with a nonzero zero point is stored in 16 bits.
    """
    state, (filters, steps) = input_of(op, STATE), _extents(op)
    scales = _scales(op)
    quantization = None if scales is None else Quantization((scales.state,), (0,))
    dtype = "int16" if _zero_point(state) else state.dtype
    return [replace(state, shape=(1, steps, 1, filters), dtype=dtype, quantization=quantization)]


def carried_svdf(to: GraphBuilder, op: Operator, states: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Import one step of an SVDF operator, and return the state after the step."""
    x, output, (filters, steps), rank = input_of(op, 0), op.outputs[0], _extents(op), op.options["rank"]
    for position in (FEATURES, TIME):
        if _zero_point(tensor := input_of(op, position)):
            raise VerifyException(f"{tensor} has the zero point {_zero_point(tensor)}, expected 0")
    [state], [declared_state], declared = states, svdf_states(op), input_of(op, STATE)
    features, time = (_weights(op, position) for position in (FEATURES, TIME))
    row = dense(
        to, to.value(x), features, (1, 1, 1, filters), None, element(replace(declared_state, dtype=declared.dtype))
    )
    if zero := _zero_point(declared):
        row = _wrapped(to, row, zero, activation_format(declared_state))
    if steps > 1:
        kept = to.op(tdsl.MoveUpOp, state, 1, 1)
        state = to.op(tdsl.InsertSliceOp, row, kept, [to.index(start) for start in (0, steps - 1, 0, 0)])
    else:
        state = row
    by_output = time.raws.reshape(filters // rank, rank, steps).transpose(0, 2, 1)
    weights = replace(time, raws=np.ascontiguousarray(by_output[:, :, None, :]))
    start = bias(op, weights.format, activation_format(declared_state), filters // rank, BIAS)
    image, windows = OrderedTensor.plain(state), Windows((steps, 1))
    sums = convolution(to, image, weights, windows, filters // rank, start, element(output), axes=IMAGE)
    result = to.reshape(sums.value, output.shape)
    # TensorFlow Lite Micro applies the activation to floats only.
    to.define(output, to.activated(result, op.options["activation"]) if output.dtype == "float32" else result)
    return [state]


def _wrapped(to: GraphBuilder, row: SSAValue, zero: int, wide: NumberFormat) -> SSAValue:
    """Convert a row to the format `wide`. The raws wrap around as in TensorFlow Lite Micro, which adds `zero` in 8
    bits.
    """
    limit = to.parameter(Parameter(np.array((-128 if zero < 0 else 127) - zero, np.int16), wide))
    turn = to.parameter(Parameter(np.array(256, np.int16), power_of_two(16, 0)))
    difference = to.op(tdsl.SubOp, *((limit, row) if zero < 0 else (row, limit)), element=wide.type)
    # The first raw beyond the limit and all raws after it are one turn off.
    beyond = limited(to, difference, *wide.decode(np.array([0, 1], np.int16)))
    turns = to.op(tdsl.MulOp, beyond, turn, wide.type)
    return to.op(tdsl.AddOp if zero < 0 else tdsl.SubOp, row, turns, wide.type)


def _extents(op: Operator) -> tuple[int, int]:
    x, features, time, state = (input_of(op, position) for position in (0, FEATURES, TIME, STATE))
    if len(x.shape) != 2 or x.shape[0] != 1:
        raise VerifyException(f"expected the features of one sample, got shape {x.shape}")
    if len(features.shape) != 2 or features.shape[1] != x.shape[1] or len(time.shape) != 2:
        raise VerifyException(f"weights of shapes {features.shape} and {time.shape} for {x.shape[1]} features")
    filters, steps = time.shape
    rank = op.options["rank"]
    if features.shape[0] != filters or state.shape != (1, filters * steps) or rank < 1 or filters % rank:
        raise VerifyException(
            f"{features.shape[0]} filters of rank {rank}, weights over time of shape {time.shape} and a state of shape "
            f"{state.shape} do not fit"
        )
    return filters, steps


@dataclass(frozen=True)
class _Scales:
    """Scales of weights and state. With these scales, products have the same integer multipliers as in TensorFlow Lite
    Micro.

    TensorFlow Lite Micro computes each factor as a quotient of scales in single precision. Programs multiply scales in
    double precision, and a product of the declared scales rarely equals such a quotient. The scales of this class
    differ from the declared scales by about one percent, in opposite directions for weights and state.
    """

    features: float
    time: float
    state: float


def _scales(op: Operator) -> _Scales | None:
    if input_of(op, 0).dtype == "float32":
        return None
    given = (input_of(op, 0), *(input_of(op, position) for position in (FEATURES, TIME, STATE)), op.outputs[0])
    x, features, time, state, output = (np.array(_scale(tensor), np.float32) for tensor in given)
    before, after = (np.float64(scale) for scale in (x * features / state, state * time / output))
    steps = np.arange(-_TRIES, _TRIES, dtype=np.int32)
    near = state.view(np.int32) + steps[np.argsort(np.abs(steps), kind="stable")]
    states = near.view(np.float32).astype(np.float64)
    of_features, of_time = (np.asarray(scale, np.float32) for scale in (before * states / x, after * output / states))
    off = np.abs(of_features * np.float64(x) / states / before - 1)
    off = np.maximum(off, np.abs(of_time * states / np.float64(output) / after - 1))
    # Within half a unit of the multipliers, which have 31 bits.
    fits = np.flatnonzero(off < 2.0**-32)
    if not fits.size:
        raise VerifyException("the scales of its state and its weights have no equivalents")
    best = fits[0]
    return _Scales(float(of_features[best]), float(of_time[best]), float(states[best]))


def _scale(tensor: Tensor) -> float:
    activation_format(tensor)
    return 1.0 if tensor.quantization is None else tensor.quantization.scales[0]


def _zero_point(tensor: Tensor) -> int:
    return 0 if tensor.quantization is None else tensor.quantization.zero_points[0]


def _weights(op: Operator, position: int) -> Parameter:
    """The weights at an input position, in a format in which the scale of products is computed in double precision."""
    tensor, scales = input_of(op, position), _scales(op)
    if scales is None:
        return constant_weights(tensor, activation_format(tensor))
    rows = tensor.shape[0] // (op.options["rank"] if position == TIME else 1)
    scale = scales.time if position == TIME else scales.features
    return constant_weights(tensor, rows_format(tensor, scale, rows))
