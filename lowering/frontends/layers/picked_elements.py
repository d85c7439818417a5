"""Some of the elements of a row, in a new order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder


def picked(to: ModelBuilder, x: SSAValue, indices: Sequence[int]) -> SSAValue:
    """The elements at indices of the last axis; each run of indices is one slice. All axes before it are kept.

    Raises `InputError` for no index at all, and for one that is out of range.
    """
    *before, length = shape_of(x)
    if not indices or not all(0 <= index < length for index in indices):
        raise to.error(f"indices {[*indices]} do not lie in shape {[*before, length]}")
    starts = [at for at, index in enumerate(indices) if at == 0 or index != indices[at - 1] + 1]
    ends = [*starts[1:], len(indices)]
    first = [0] * len(before)
    parts = [
        to.part(x, (*first, indices[start]), (*before, end - start)) for start, end in zip(starts, ends, strict=True)
    ]
    return parts[0] if len(parts) == 1 else to.op(tdsl.ConcatOp, parts, len(before))
