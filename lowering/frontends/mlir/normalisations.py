"""Recognition of means and softmax, which modules write as elementwise ops and reductions.

The importer of the graph recognises normalisations (`layers/normalisations.py`).
"""

from __future__ import annotations

from math import prod
from typing import Any

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.elementwise import core, is_number, like, recognises
from tinyml.lowering.frontends.mlir.graph import GraphWriter, Tensor


@recognises("Div")
def _softmax(to: GraphWriter, powers: Tensor, sums: Tensor) -> Tensor | None:
    """Match a softmax: exp(x) divided by the sums of exp(x) along one axis. Returns None for other quotients."""
    power, total = powers.made_by("Exp"), core(sums).made_by("ReduceSum")
    if power is None or total is None or total.inputs[0] is not powers:
        return None
    axes = total.axes
    if len(axes) != 1 or sums.stored != tuple(1 if axis in axes else n for axis, n in enumerate(powers.shape)):
        return None
    x = power.inputs[0]
    difference = x.made_by("Sub")
    if difference is not None and difference.inputs[0].shape == x.shape == difference.inputs[0].stored:
        # Softmax is invariant to numbers that are subtracted from all elements along the axis, such as the maximum.
        x = difference.inputs[0] if difference.inputs[1].stored[axes[0]] == 1 else x
    return to.node("Softmax", [x], x.shape, axis=axes[0])


@recognises("Div")
def _mean(to: GraphWriter, sums: Tensor, count: Tensor) -> Tensor | None:
    """Match sums divided by the number of their terms, and return the mean. Returns None for other quotients."""
    total = core(sums).made_by("ReduceSum")
    if total is None or not is_number(count, prod(total.inputs[0].shape[axis] for axis in total.axes)):
        return None
    mean = to.node("ReduceMean", total.inputs, core(sums).shape, **dict[str, Any](total.attributes))
    return like(to, mean, sums)


@recognises("Mul")
def _mean_by_inverse(to: GraphWriter, sums: Tensor, inverse: Tensor) -> Tensor | None:
    """Match sums multiplied by the reciprocal of the number of their terms, and return the mean. Returns None for other
    products.
    """
    number = inverse.number
    return _mean(to, sums, to.constant(np.array(1 / float(number)))) if number else None
