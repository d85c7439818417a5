"""Buffers that a nest of loops fills before anything reads them (L2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tinyml.dialects.scratch import SliceOp, elements_of
from tinyml.dialects.tdsl.base import TensorOp
from tinyml.transforms.ir.indices.affine_sums import AffineSum, affine_sum, covers, loops_from_zero


def fills_first(alloc: SSAValue, touches: Sequence[Operation], home: Operation) -> bool:
    """True if each iteration of a loop touches a buffer first in a nest of loops that writes all of it.

    Nothing outside of the loop touches it. In the nest, a single run of elements is written in each iteration, and only
    ops behind the write touch it, at the same place. touches: the ops that touch the buffer, in program order.
    """
    write, outer = touches[0], home.regions[0].block
    if not all(home.is_ancestor(op) for op in touches):
        return False
    if not isinstance(write, TensorOp) or write.dest is None or _part(alloc, write.dest) is None:
        return False
    around = list(_loops_inside(write, home))
    place = _part(alloc, write.dest)
    extents = dict(loops_from_zero(write.parent, outer))
    if not around or place is None or not covers(place[0], place[1], extents, elements_of(alloc)):
        return False
    inputs = list(write.operands)
    inputs.remove(write.dest)
    if any(_part(alloc, value) is not None for value in inputs):
        return False
    parts: list[SSAValue] = []
    for op in touches[1:]:
        if around[-1].is_ancestor(op):
            parts += [value for value in op.operands if _part(alloc, value) is not None]
            if write.parent is not op.parent:
                return False
    return all(_part(alloc, value) == place for value in parts)


def _loops_inside(op: Operation, home: Operation) -> Iterator[Operation]:
    """The loops between an op and a loop around it, innermost first; none if there are branches, too."""
    around = op.parent_op()
    found: list[Operation] = []
    while around is not None and around is not home:
        found.append(around)
        around = around.parent_op()
    return iter(found if all(isinstance(loop, scf.ForOp) for loop in found) else [])


def _part(alloc: SSAValue, value: SSAValue) -> tuple[AffineSum, int] | None:
    """The first element and the number of elements of a view of a buffer; None for other values."""
    start, count = AffineSum(0, {}), value
    while isinstance(slice := value.owner, SliceOp):
        start = start.plus(affine_sum(slice.offset))
        value = slice.source
    return (start, elements_of(count)) if value is alloc else None
