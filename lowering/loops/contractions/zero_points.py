"""Removal of zero points from sums of products (L2 to L3): W (x - z) = W x - z * (row sums of W).

Integer kernels then multiply the raws of x, and the sums start from the constant term. TensorFlow Lite also folds the
zero point of an input into the bias.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import INTEGER_CODING
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.nests import Start, constant_start, raws_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def start_without_offsets(op: tdsl.ContractionOp) -> Start | None:
    """The initial value of a product's sums that includes the terms of its factors' offsets.

    Returns None if the factors have no offsets, or if the terms or the initial value of the op are not constant. Also
    returns None for several products in one sum, for weights in groups, and for sums that are not integers.
    """
    [term, *others], accumulator = op.terms, op.accumulators[0]
    if others or term.groups is not None or not accumulator.INTEGER or (rest := _rest(term.lhs, term.rhs)) is None:
        return None
    start = constant_start(op.initial, term.lhs, accumulator)
    return None if start is None else start.plus(rest)


def _rest(lhs: SSAValue, rhs: SSAValue) -> NDArray[np.int64] | None:
    """The term that the offset of one factor adds to the sums, in a shape that broadcasts to the sums.

    The shape is (rows, 1) or (1, columns) for matrices, and (rows,) for filters. Returns None unless the other factor
    is a constant of integers.
    """
    for constant, factor, axis in ((lhs, rhs, 1), (rhs, lhs, 0)):
        (_, offset), coding = tdsl.format_of(factor).without_offset(), tdsl.format_of(constant).coding
        if offset and coding == INTEGER_CODING and (raws := raws_of(constant)) is not None:
            if raws.ndim > 2:
                return -offset * raws.reshape(len(raws), -1).sum(1, dtype=np.int64)
            return -offset * raws.sum(axis, np.int64, keepdims=True)
    return None
