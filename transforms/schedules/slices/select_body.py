"""The choice of the computation for a stage's slices."""

from __future__ import annotations

from math import prod

from tinyml.dialects import tdsl
from tinyml.targets.registry import HOST
from tinyml.transforms.formats.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.formats.tiling.window_tiles import AMPLE, TileMemory
from tinyml.transforms.schedules.protocol import NotTiled
from tinyml.transforms.schedules.slices.average_body import Average, averages_all
from tinyml.transforms.schedules.slices.bodies import Arrival, BlockPool, Convolution, Windows, sources_of
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import Stage


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
    for step in (op, *stage.chain):
        if isinstance(step, tdsl.ElementwiseOp):
            others = [tdsl.shape_of(value) for value in step.inputs if tdsl.shape_of(value) != shape]
            if any(prod(other[:-1]) > 1 for other in others):
                raise NotTiled(f"{name} repeats an operand along rows or columns")
    if averages_all(op):
        return Average
    if isinstance(op, tdsl.Conv2dOp):
        return Convolution
    if isinstance(op, tdsl.ReceiveOp):
        return Arrival
    sources_of(op)
    return Windows
