"""The way in which a program reads its input over time."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from xdsl.dialects import func
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl.base import spell
from tinyml.transforms.formats.streams.sequence_readers import (
    SequenceLoop,
    frames_of,
    is_image,
    sequence_of,
    steps_of,
)

MOST = (1 << 15) - 1
"""The most steps and elements of a frame, which programs count in 16 bits."""


class TimeAxis(NamedTuple):
    """The time of a program's input.

    sequence: the input in the shape in which it is read. axis: of the sequence. pushes: the parts in which it arrives.
    steps: the loop that reads it; None for an image, whose rows follow each other in time.
    """

    sequence: SSAValue
    axis: int
    pushes: tdsl.Pushes
    steps: SequenceLoop | None


def time_of(function: func.FuncOp, stride: int | None = None) -> TimeAxis:
    """The time of the input of a predict function; raises `InputError` if it is read in no order of time.

    stride: the frames from one answer to the next; by default windows of an answer follow each other.
    """
    sequence = sequence_of(function.body.block.args[0])
    shape = tdsl.shape_of(sequence)
    steps = steps_of(sequence) or frames_of(sequence)
    if steps is not None:
        time = TimeAxis(sequence, steps.axis, steps.pushes, steps)
    elif is_image(shape):
        row = prod(shape[2:])
        time = TimeAxis(sequence, 1, tdsl.Pushes(row, row, shape[1], shape[1]), None)
    else:
        raise InputError(
            "a program that streams reads a sequence step by step or frame by frame in one loop, or an image 1xTxWxC "
            f"row by row, got {spell(shape)}"
        )
    if max(time.pushes) > MOST:
        raise InputError(f"a program that streams has at most {MOST} steps, and as many elements in each")
    if time.pushes.steps < 2:
        raise InputError(f"a sequence of {time.pushes.steps} step does not stream")
    if stride is None:
        return time
    if not 0 < stride <= time.pushes.steps:
        raise InputError(f"answers are from 1 to {time.pushes.steps} frames apart, got {stride}")
    return time._replace(pushes=time.pushes._replace(stride=stride))
