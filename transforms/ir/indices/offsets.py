"""Contiguous subviews of row-major arrays, and the offsets of their elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand


def is_run(whole: Sequence[int], part: Sequence[int]) -> bool:
    """True if a subview of shape `part` is contiguous in an array of shape `whole`."""
    first = next((axis for axis, extent in enumerate(part) if extent != 1), len(part))
    return tuple(part[first + 1 :]) == tuple(whole[first + 1 :])


def build_index(value: int, builder: Builder) -> SSAValue:
    return builder.insert(arith.ConstantOp(IntegerAttr(value, IndexType()))).result


def build_offset(indices: Sequence[SSAValue], shape: Sequence[int], builder: Builder) -> SSAValue:
    """Emit the offset, in elements, of leading indices into a row-major shape."""
    total: SSAValue | None = None
    for axis, index in enumerate(indices):
        if (stride := prod(shape[axis + 1 :])) != 1:
            index = builder.insert(arith.MuliOp(index, build_index(stride, builder))).result
        total = index if total is None else builder.insert(arith.AddiOp(total, index)).result
    return build_index(0, builder) if total is None else total


def is_offset(value: SSAValue, indices: Sequence[SSAValue], shape: Sequence[int]) -> bool:
    """True if `build_offset` computed a value from these indices."""
    for axis in reversed(range(len(indices))):
        term = value
        if axis > 0:
            if not isinstance(sum := value.owner, arith.AddiOp):
                return False
            value, term = sum.lhs, sum.rhs
        if (stride := prod(shape[axis + 1 :])) != 1:
            if not isinstance(product := term.owner, arith.MuliOp) or const_evaluate_operand(product.rhs) != stride:
                return False
            term = product.lhs
        if term is not indices[axis]:
            return False
    return bool(indices)
