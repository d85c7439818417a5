"""Recognition of means, which modules write as sums.

The importer of the graph recognises softmax and normalisations (`layers/normalisations.py`).
"""

from __future__ import annotations

from math import prod
from typing import Any

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.elementwise import core, is_number, like, recognises
from tinyml.lowering.frontends.mlir.graph import GraphWriter, Tensor


@recognises("Div")
def _mean(to: GraphWriter, sums: Tensor, count: Tensor) -> Tensor | None:
    """Match sums divided by the number of their terms, and return the mean. Returns None for other quotients."""
    total = core(sums).produced_by("ReduceSum")
    if total is None or not is_number(count, prod(total.inputs[0].shape[axis] for axis in total.axes)):
        return None
    mean = to.node("ReduceMean", total.inputs, core(sums).shape, **dict[str, Any](total.attributes))
    return like(to, mean, sums)


@recognises("Mul")
def _mean_by_inverse(to: GraphWriter, sums: Tensor, inverse: Tensor) -> Tensor | None:
    number = inverse.number
    return _mean(to, sums, to.constant(np.array(1 / float(number)))) if number else None
