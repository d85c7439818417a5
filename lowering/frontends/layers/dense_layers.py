"""Dense layers, and the clamping of activations to a range."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, Parameter


def dense(
    to: ModelBuilder,
    x: SSAValue,
    weights: Parameter,
    shape: Sequence[int],
    start: Parameter | None = None,
    element: Attribute | None = None,
) -> SSAValue:
    """Multiply each vector of the input by a constant matrix of shape (outputs, inputs). The input is a concatenation
    of vectors. Raises `InputError` for a number of elements that is not a multiple of `inputs`.

    A single vector is multiplied as a column. Several vectors become the pixels of an image, which a convolution with a
    1 x 1 kernel processes.

    shape: the shape of the result.
    start: the first addends of the sums, one for each row of the matrix.
    element: the element type of the result; None for that of the input.
    """
    rows, length = weights.shape
    if prod(shape_of(x)) % length:
        raise to.error(f"vectors of {length} elements do not divide an input of shape {shape_of(x)}")
    count = prod(shape_of(x)) // length
    first = None if start is None else to.parameter(start)
    if count == 1:
        matrix, column = to.parameter(weights), to.reshape(x, (length, 1))
        if first is None:
            sums = to.op(tdsl.MatmulOp, matrix, column, element)
        else:
            sums = to.op(tdsl.MatmulSumOp, [(matrix, column)], to.reshape(first, (rows, 1)), element)
    else:
        filter = to.parameter(weights.reshaped((rows, 1, 1, length)))
        image = to.reshape(x, (1, count, 1, length))
        sums = to.op(tdsl.Conv2dOp, filter, image, (1, 1), (1, 1), 1, first, element)
    return to.reshape(sums, shape)


GREATEST = (2.0 - 2.0**-23) * 2.0**127
"""The greatest finite 32-bit float, which as an upper bound means no bound."""


def limited(to: ModelBuilder, x: SSAValue, low: float, high: float) -> SSAValue:
    """Emit a clamp of elements to the range from `low` to `high`, and return the result. For example, the range is 0 to
    6 for Relu6, and 0 to `GREATEST` for Relu. Extensions import `GREATEST` as `tinyml.extend.frontends.UNLIMITED`.
    """
    if (low, high) == (0.0, GREATEST):
        return to.op(tdsl.ReluOp, x)
    if (low, high) == (0.0, 6.0):
        return to.op(tdsl.Relu6Op, x)
    return to.op(tdsl.ClipOp, x, low, high)
