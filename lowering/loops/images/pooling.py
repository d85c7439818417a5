"""Lowering of pooling layers to loops (L2 to L3)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.transforms.ir.loop_nest import Indices, LoopNest


@lowers(tdsl.MaxPoolOp)
def lower_max_pool(op: tdsl.MaxPoolOp, nest: LoopNest) -> None:
    """Compare the elements of each window; indices outside the image are clamped to it."""
    extents, margins = tdsl.shape_of(op.image)[1:3], (op.margins[:2], op.margins[2:])

    def body(indices: Indices) -> None:
        n, *at, channel = indices

        def element(tap: Sequence[SSAValue]) -> SSAValue:
            place = [
                inside(nest.add(nest.times(index, step), i), padding, extent, nest)
                for index, step, i, padding, extent in zip(at, op.steps, tap, margins, extents, strict=True)
            ]
            return nest.load(op.image, [n, *place, channel])

        def across(i: SSAValue, best: Sequence[SSAValue]) -> list[SSAValue]:
            def step(j: SSAValue, best: Sequence[SSAValue]) -> list[SSAValue]:
                value = element([i, j])
                greater = nest.insert(num.GreaterOp(value, best[0]))
                return [nest.insert(arith.SelectOp(greater, value, best[0]))]

            return list(nest.fold(nest.index(op.window[1]), best, step))

        first = element([nest.index(0), nest.index(0)])
        [best] = nest.fold(nest.index(op.window[0]), [first], across)
        nest.store(best, op.out, indices)

    nest.over(tdsl.shape_of(op.out), body)


def inside(index: SSAValue, margins: tuple[int, int], extent: int, nest: LoopNest) -> SSAValue:
    """Clamp a padded index, which starts `margins[0]` elements before the image, to the image."""
    before, after = margins
    if before:
        index = nest.insert(arith.SubiOp(index, nest.index(before)))
        index = nest.insert(arith.MaxSIOp(index, nest.index(0)))
    if after:
        index = nest.insert(arith.MinSIOp(index, nest.index(extent - 1)))
    return index
