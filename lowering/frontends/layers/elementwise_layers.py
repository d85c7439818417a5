"""Elementwise layers: arithmetic with numpy's broadcasting, clamping, and batch normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, OrderedTensor, Parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

GREATEST = (2.0 - 2.0**-23) * 2.0**127
"""The greatest 32-bit float, which stands for no upper bound."""


def limited(to: ModelBuilder, x: SSAValue, low: float, high: float) -> SSAValue:
    """Clamp elements to a range, such as that of Relu (0 to `GREATEST`) or Relu6."""
    if (low, high) == (0.0, GREATEST):
        return to.op(tdsl.ReluOp, x)
    if (low, high) == (0.0, 6.0):
        return to.op(tdsl.Relu6Op, x)
    return to.op(tdsl.ClipOp, x, low, high)


def binary(
    to: ModelBuilder,
    make: type[tdsl.BinaryOp],
    lhs: OrderedTensor | Parameter,
    rhs: OrderedTensor | Parameter,
    element: Attribute | None = None,
) -> OrderedTensor:
    """An op on each pair of elements.

    The result has the axis order of the first operand that is not in the model's order, else the model's order.
    """
    rank = max(len(lhs.shape), len(rhs.shape))
    orders = [
        operand.order
        for operand in (lhs, rhs)
        if isinstance(operand, OrderedTensor) and len(operand.order) == rank and not operand.is_plain
    ]
    order = orders[0] if orders else tuple(range(rank))
    left, right = (_ranked(to, operand, rank, order if orders else None) for operand in (lhs, rhs))
    return OrderedTensor(to.op(make, left, right, element), order)


def _ranked(to: ModelBuilder, operand: OrderedTensor | Parameter, rank: int, order: tuple[int, ...] | None) -> SSAValue:
    """Extend an operand to a rank by leading axes of extent 1, and reorder its axes; scalars are unchanged.

    order: None if all operands are in the model's order, in which they broadcast unchanged.
    """
    if order is None or not operand.shape:
        return to.parameter(operand) if isinstance(operand, Parameter) else to.plain(operand)
    shape = (1,) * (rank - len(operand.shape)) + operand.shape
    if isinstance(operand, Parameter):
        return to.parameter(operand.reshaped(shape).transposed(order))
    if len(operand.shape) < rank:
        operand = OrderedTensor.plain(to.reshape(to.plain(operand), shape))
    return to.reordered(operand, order)


def by_channel(numbers: Parameter, axes: str) -> Parameter:
    """Reshape a vector so that it broadcasts along the channels of a tensor. axes: of the tensor in the model."""
    return numbers.reshaped((-1, *(1,) * (len(axes) - 1 - axes.index("C"))))


def batch_normalisation(
    to: ModelBuilder,
    x: OrderedTensor | Parameter,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    epsilon: float = 1e-5,
    *,
    axes: str,
) -> OrderedTensor:
    """`scale * (x - mean) / sqrt(variance + epsilon) + offset`, with arrays of a number per channel.

    The result is a product and a sum, which `simplify` (`onnx/rewrites.py`) folds into the weights of the layer before.
    """
    scale, offset, mean, variance = (array.astype(np.float64) for array in (scale, offset, mean, variance))
    total = variance + epsilon
    if len({array.size for array in (scale, offset, mean, variance)}) > 1 or total.min() <= 0:
        raise to.error("its constants differ in length, or a variance is not positive")
    factor = scale / np.sqrt(total)
    factors, addends = (
        by_channel(Parameter(array.astype(np.float32)), axes) for array in (factor, offset - mean * factor)
    )
    return binary(to, tdsl.AddOp, binary(to, tdsl.MulOp, x, factors), addends)
