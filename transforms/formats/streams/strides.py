"""Strides between answers: time goes back by a stride, and what steps leave for the next ones stays where it fits.

States of loops, such as those of recurrent networks, go on. Rows of images and of collected results move on by as many
rows as the stride makes, so that each answer is that of the whole program for the last frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import lcm
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.transforms.schedules.rings.smallest_rings import RingSchedule


def moving_rows(rings: RingSchedule, pushes: tdsl.Pushes) -> Mapping[int, int]:
    """The rows by which the whole images of a loop over ticks move, by their positions; raises `InputError`.

    Rings stay as they are, so that the stride has to be a multiple of their rows.
    """
    if pushes.stride == pushes.steps:
        return {}
    clocks, graph = rings.timing.clocks, rings.timing.graph
    reads = [read for node in graph.nodes for read in node.reads]
    if rings.timing.ticks[0] > pushes.steps or any(read.before[0] for read in reads):
        raise InputError("answers that overlap: convolutions with padding over time see no frames before the first")
    steps = [clocks[stage.node.result][0].step for stage in rings.segment.stages]
    rows = [1 if stage.kept else rings.slots[stage.node.result] for stage in rings.segment.stages]
    multiple = lcm(*(step * count for step, count in zip(steps, rows, strict=True)))
    if pushes.stride % multiple:
        raise InputError(f"answers of this program are a multiple of {multiple} frames apart, got {pushes.stride}")
    kept = [at for at, stage in enumerate(rings.segment.stages) if stage.kept]
    return {at: pushes.stride // steps[at] for at in kept}


def moved_tensors(loop: scf.ForOp, read: Operation, pushes: tdsl.Pushes) -> Mapping[int, int]:
    """The rows by which the tensors that collect a row in each iteration move, by their positions.

    Raises `InputError` for a loop that uses the number of a frame in another way.
    """
    if pushes.stride == pushes.steps:
        return {}
    moving: dict[int, int] = {}
    for use in _uses(loop.body.block.args[0]):
        if use is read:
            continue
        collects = isinstance(use, tdsl.InsertSliceOp) and use.input in loop.body.block.args
        yielded = cast(scf.YieldOp, loop.body.block.last_op).operands
        if not collects or not isinstance(use, tdsl.InsertSliceOp) or use.out not in yielded:
            raise InputError(f"answers that overlap: '{use.name}' depends on the number of a frame")
        moving[list(yielded).index(use.out)] = pushes.stride
    return moving


def _uses(index: SSAValue) -> Iterable[Operation]:
    """The ops on tensors that depend on an index."""
    for use in index.uses:
        if isinstance(use.operation, arith.MuliOp | arith.AddiOp | arith.SubiOp):
            yield from _uses(use.operation.results[0])
        else:
            yield use.operation
