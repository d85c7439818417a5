"""The way in which a program reads its input over time: step by step, frame by frame, or as an image (L1)."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl.base import spell
from tinyml.transforms.ir.indices import affine_sum


class SequenceLoop(NamedTuple):
    """A loop over time.

    read: the only op that reads the sequence. pushes: the parts that it reads. axis: that of time, of the sequence.
    """

    loop: scf.ForOp
    read: tdsl.IndexOp | tdsl.SliceOp
    pushes: tdsl.Pushes
    axis: int


def sequence_of(value: SSAValue) -> SSAValue:
    """The image or the sequence of a tensor, whose only reader may be a change of its shape."""
    shape = tdsl.shape_of(value)
    readers = {use.operation for use in value.uses}
    if not is_image(shape) and len(readers) == 1:
        [reader] = readers
        reshapes = isinstance(reader, tdsl.ReshapeOp) or (isinstance(reader, tdsl.TransposeOp) and reader.keeps_order)
        if reshapes:
            return sequence_of(reader.results[0])
    return value


def is_image(shape: tdsl.Shape) -> bool:
    """True for the shape of a single image, 1 x H x W x C."""
    return len(shape) == 4 and shape[0] == 1


def steps_of(sequence: SSAValue) -> SequenceLoop | None:
    """The only reader of a sequence, if that is a loop that reads all its steps in order; None otherwise."""
    step = _only_reader(sequence)
    if not isinstance(step, tdsl.IndexOp) or step.input is not sequence:
        return None
    count, *each = tdsl.shape_of(sequence)
    loop = _time_loop(step, count)
    if loop is None or step.index is not loop.body.block.args[0]:
        return None
    return SequenceLoop(loop, step, tdsl.Pushes(prod(each), prod(each), count, count), 0)


def _frames_of(signal: SSAValue) -> SequenceLoop | None:
    """The only reader of a signal 1 x N, if that is a loop that slices one frame after the other; None otherwise."""
    cut = _only_reader(signal)
    if not isinstance(cut, tdsl.SliceOp) or cut.input is not signal or cut.strides is not None:
        return None
    if tdsl.shape_of(signal)[:-1] != (1,) or (loop := _time_loop(cut)) is None:
        return None
    row, first = (affine_sum(offset) for offset in cut.offsets)
    time = loop.body.block.args[0]
    if row.factors or first.constant or list(first.factors) != [time]:
        return None
    steps = const_evaluate_operand(loop.ub)
    assert steps is not None
    return SequenceLoop(loop, cut, tdsl.Pushes(tdsl.shape_of(cut.out)[1], first.factors[time], steps, steps), 1)


def receive_image(image: SSAValue, name: str | None) -> tdsl.ReceiveOp:
    """Make the readers of an image read a copy, which is received as a whole before. name: of the copy."""
    zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
    received = tdsl.ReceiveOp(image, zero.result, tdsl.shape_of(image)[1])
    received.out.name_hint = name or "X"
    image.replace_all_uses_with(received.out)
    received.operands[0] = image
    Rewriter.insert_op([zero, received], behind(image))
    return received


def behind(value: SSAValue) -> InsertPoint:
    """The insertion point after the op that makes a value."""
    return InsertPoint.after(value.owner) if isinstance(value.owner, Operation) else InsertPoint.at_start(value.owner)


def _only_reader(value: SSAValue) -> Operation | None:
    readers = [use.operation for use in value.uses]
    return readers[0] if len(readers) == 1 else None


def _time_loop(read: Operation, count: int | None = None) -> scf.ForOp | None:
    """The loop around an op, if that runs once, from 0 by 1 to a constant; count: to this one."""
    loop = read.parent_op()
    if not isinstance(loop, scf.ForOp) or not isinstance(loop.parent_op(), func.FuncOp):
        return None
    low, high, step = (const_evaluate_operand(bound) for bound in (loop.lb, loop.ub, loop.step))
    if (low, step) != (0, 1) or high is None or (count is not None and high != count):
        return None
    return loop


MOST = (1 << 15) - 1
"""Limit on steps and on elements per frame, which programs count in 16 bits."""


class TimeAxis(NamedTuple):
    """The time axis of a program's input.

    sequence: the input in the shape in which it is read. axis: of the sequence. pushes: the parts in which it arrives.
    steps: the loop that reads it; None for an image, whose rows follow each other in time.
    """

    sequence: SSAValue
    axis: int
    pushes: tdsl.Pushes
    steps: SequenceLoop | None


def time_of(function: func.FuncOp, stride: int | None = None) -> TimeAxis:
    """The time axis of the input of a predict function; raises `InputError` if it is not read in order of time.

    stride: the frames from one answer to the next; by default windows of an answer follow each other.
    """
    sequence = sequence_of(function.body.block.args[0])
    shape = tdsl.shape_of(sequence)
    steps = steps_of(sequence) or _frames_of(sequence)
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
