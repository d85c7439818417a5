"""The affine map of linear models: a weight matrix times a column of numbers, plus a constant column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals

if TYPE_CHECKING:
    from numpy.typing import NDArray


def affine(to: ModelBuilder, x: SSAValue, weights: NDArray[Any], addends: NDArray[Any] | None = None) -> SSAValue:
    """Emit the column `weights x + addends`.

    x: N numbers in any shape.
    weights: a matrix of shape K x N.
    addends: the K numbers that are added to the product; None for zeros.
    """
    column = to.reshape(x, (weights.shape[1], 1))
    product = to.op(tdsl.MatmulOp, to.parameter(reals(weights)), column)
    if addends is None or not addends.any():
        return product
    return to.op(tdsl.AddOp, product, to.parameter(reals(addends.reshape(-1, 1))))
