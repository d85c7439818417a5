"""The choice of the computation for a stage's slices."""

from __future__ import annotations

from math import prod

from tinyml.dialects import tdsl
from tinyml.targets.registry import HOST
from tinyml.transforms.formats.tiling.padding import padding
from tinyml.transforms.formats.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.formats.tiling.window_tiles import AMPLE, TileMemory
from tinyml.transforms.schedules.protocol import NotTiled
from tinyml.transforms.schedules.slices.average_body import Average, averages_all
from tinyml.transforms.schedules.slices.row_bodies import Arrival, Concatenation, Elementwise
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import Stage
from tinyml.transforms.schedules.slices.window_bodies import BlockPool, Convolution, Pool

BODIES: dict[type[tdsl.TensorOp], type[Body]] = {
    tdsl.Conv2dOp: Convolution,
    tdsl.PoolOp: Pool,
    tdsl.ElementwiseOp: Elementwise,
    tdsl.ConcatOp: Concatenation,
    tdsl.ReceiveOp: Arrival,
}
"""The class that computes the slices of each kind of op."""


def body_of(stage: Stage, emit: TensorBuilder, target: str = HOST, memory: TileMemory = AMPLE) -> Body:
    """The body that computes a stage's slices. Raises `NotTiled`.

    target: the board, which may have kernels for several pixels of a row at once. memory: what these may take.
    """
    kind = kind_of(stage)
    if kind is Convolution:
        return Convolution(stage, emit, target, memory)
    return kind(stage, emit) if stage.pooled is None else BlockPool(stage, body_of(stage.pooled, emit), emit)


def kind_of(stage: Stage) -> type[Body]:
    """The class of a stage's body before any pooling; raises `NotTiled` if there is none."""
    op, name = stage.op, stage.node.result
    shape = tdsl.shape_of(op.out)
    if len(shape) != 4 or shape[0] != 1:
        raise NotTiled(f"{name} is no single image")
    if any(read.sums for read in stage.node.reads) and not averages_all(op):
        raise NotTiled(f"{name} needs all of its operand")
    if isinstance(op, tdsl.ConcatOp) and op.axis.value.data != 3:
        raise NotTiled(f"{name} puts images below or beside each other")
    if isinstance(op, tdsl.PoolOp) and padding(op.image) is not None:
        raise NotTiled(f"{name} pools a padded image")
    if isinstance(op, tdsl.AveragePoolOp) and any(op.margins):
        raise NotTiled(f"{name} takes averages of fewer elements at the margins")
    for step in (op, *stage.chain):
        if isinstance(step, tdsl.ElementwiseOp):
            others = [tdsl.shape_of(value) for value in step.inputs if tdsl.shape_of(value) != shape]
            if any(prod(other[:-1]) > 1 for other in others):
                raise NotTiled(f"{name} repeats an operand along rows or columns")
    if averages_all(op):
        return Average
    for kind, body in BODIES.items():
        if isinstance(op, kind):
            return body
    raise NotTiled(f"{op.name} is not computed slice by slice")
