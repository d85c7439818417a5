"""Ranges of tensors that follow from the program itself. A profile, in contrast, contains only the values on the
validation set.

The leaves of a forest bound the sums of the forest. The k greatest targets bound the sum of k nearest targets. Masks
and class probabilities are between 0 and 1. Such a bound also applies after sums with constants, products with
constants and movements of data. A format chosen only for the profile would saturate on other inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isfinite
from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.arithmetics import Reals

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class KnownRange:
    """The range of each element of a tensor for any input.

    low, high: the least and the greatest value of each element, as arrays of the tensor's shape.
    forests: the forests whose sums the elements are, with or without added constants; empty for other tensors.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    forests: Sequence[tdsl.ForestOp] = ()

    @property
    def interval(self) -> Interval:
        return float(self.low.min()), float(self.high.max())


def known_ranges(function: func.FuncOp) -> dict[SSAValue, KnownRange]:
    """The known range of each tensor on reals that has one. Tensors whose range does not follow from the program, or is
    infinite, are missing.
    """
    known: dict[SSAValue, KnownRange] = {}
    for op in function.walk():
        if isinstance(op, tdsl.TensorOp) and op.result is not None and tdsl.is_real(op.out):
            found = _of_op(op, known)
            if found is not None and isfinite(sum(found.interval)):
                known[op.out] = found
    return known


def _of_op(op: tdsl.TensorOp, known: dict[SSAValue, KnownRange]) -> KnownRange | None:
    if isinstance(op, tdsl.ForestOp):
        return _of_forest(op)
    if isinstance(op, tdsl.ProductOp) and (found := _of_greatest(op)) is not None:
        return found
    if any(value in known for value in op.inputs):
        operands = [_of_constant(value) if value not in known else known[value] for value in op.inputs]
        given = [operand for operand in operands if operand is not None]
        return _combined(op, given) if len(given) == len(operands) == len(op.operands) else None
    return None


def _of_forest(op: tdsl.ForestOp) -> KnownRange | None:
    if (votes := votes_of(op)) is None:
        return None
    low, high = op.votes_between(votes)
    return KnownRange(low[None], high[None], (op,))


def votes_of(forest: tdsl.ForestOp) -> NDArray[np.float64] | None:
    """The votes of a forest as reals. None if they are not constant or already have a number format."""
    if (constant := tdsl.constant_root(forest.votes)) is None or not tdsl.is_real(forest.votes):
        return None
    return tdsl.format_of(constant.result).decode(constant.raws).reshape(tdsl.shape_of(forest.votes))


def _of_greatest(op: tdsl.ProductOp) -> KnownRange | None:
    constant, mask = _of_constant(op.lhs), tdsl.unreshaped(op.rhs).owner
    if constant is None or not isinstance(mask, tdsl.TopKMaskOp) or tdsl.shape_of(op.rhs)[1] != 1:
        return None
    ordered, count = np.sort(constant.low, -1), mask.count.value.data
    return KnownRange(ordered[:, :count].sum(1, keepdims=True), ordered[:, -count:].sum(1, keepdims=True))


def _of_constant(value: SSAValue) -> KnownRange | None:
    if (root := tdsl.constant_root(value)) is None or not tdsl.is_real(value):
        return None
    reals = tdsl.format_of(root.result).decode(root.raws)
    if reals.size != np.prod(tdsl.shape_of(value)):
        return None
    reals = reals.astype(np.float64).reshape(tdsl.shape_of(value))
    return KnownRange(reals, reals)


def _combined(op: tdsl.TensorOp, x: Sequence[KnownRange]) -> KnownRange | None:
    forests = tuple(dict.fromkeys(forest for operand in x for forest in operand.forests))
    match op:
        case tdsl.ProductOp():
            return _product(x[0], x[1])
        case tdsl.MovementOp():
            filling = 0.0 if op.filling is None else op.filling
            low, high = (op.moved([end[None] for end in ends], filling)[0] for ends in _ends(x))
            return KnownRange(low, high, forests)
        case tdsl.ElementwiseOp() if op.is_affine or isinstance(op, tdsl.ClampOp):
            corners = product(*((operand.low[None], operand.high[None]) for operand in x))
            ends = [op.compute(Reals(), corner)[0] for corner in corners]
            return KnownRange(np.minimum.reduce(ends), np.maximum.reduce(ends), () if op.addends is None else forests)
        case _:
            return None


def _ends(x: Sequence[KnownRange]) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    return [operand.low for operand in x], [operand.high for operand in x]


def _product(lhs: KnownRange, rhs: KnownRange) -> KnownRange | None:
    if lhs.low is not lhs.high:
        if rhs.low is not rhs.high:
            return None
        turned = _product(_transposed(rhs), _transposed(lhs))
        return None if turned is None else _transposed(turned)
    above, below = lhs.low.clip(0), lhs.low.clip(None, 0)
    return KnownRange(above @ rhs.low + below @ rhs.high, above @ rhs.high + below @ rhs.low)


def _transposed(range: KnownRange) -> KnownRange:
    low = range.low.T
    return replace(range, low=low, high=low if range.high is range.low else range.high.T)
