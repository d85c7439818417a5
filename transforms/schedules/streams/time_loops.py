"""The time axis of a program's input, and the loops of a program over time.

A program reads its input step by step, frame by frame, or as an image (L1). Its loops form chains: each loop reads a
row of the result of the previous loop.

After each answer, time moves back by a stride. States of loops, such as those of recurrent networks, are unchanged.
Rows of images and of collected results move by the number of rows in a stride. Each answer therefore equals the answer
that the whole program computes for the last frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import lcm, prod
from typing import NamedTuple, cast

from xdsl.dialects import arith, func, scf
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.loops import trips_from_zero, trips_of
from tinyml.dialects.operations import index_constant
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.tdsl.base import spell
from tinyml.transforms.ir.indices import affine_sum
from tinyml.transforms.schedules.plans.graph import Kind
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.rewriting.stream_loops import StreamLoops
from tinyml.transforms.schedules.rings.pooled_blocks import By
from tinyml.transforms.schedules.rings.smallest_rings import RingSchedule, smallest_rings
from tinyml.transforms.schedules.segments import Segment
from tinyml.transforms.schedules.slices.stages import Stage
from tinyml.transforms.schedules.streaming import Streamed
from tinyml.transforms.schedules.tiling.window_tiles import small_memory


class SequenceLoop(NamedTuple):
    """A loop over time.

    read: the only op that reads the sequence.
    pushes: the frames in which the sequence arrives.
    axis: the time axis of the sequence.
    """

    loop: scf.ForOp
    read: tdsl.IndexOp | tdsl.SliceOp
    pushes: tdsl.Pushes
    axis: int


def sequence_of(value: SSAValue) -> SSAValue:
    """The image or sequence that a tensor contains.

    It is the tensor itself if this is an image of several rows. For any other tensor whose only reader is a reshape, or
    a transposition that keeps the order of the elements, it is what the reader's result contains. An image of one row
    may thus be an image whose single channel comes first.
    """
    shape = tdsl.shape_of(value)
    readers = {use.operation for use in value.uses}
    if len(readers) == 1 and not (is_image(shape) and shape[1] > 1):
        [reader] = readers
        reshapes = isinstance(reader, tdsl.ReshapeOp) or (isinstance(reader, tdsl.TransposeOp) and reader.keeps_order)
        if reshapes:
            return sequence_of(reader.results[0])
    return value


def is_image(shape: tdsl.Shape) -> bool:
    """Whether a shape is that of a single image, 1 x H x W x C."""
    return len(shape) == 4 and shape[0] == 1


def steps_of(sequence: SSAValue) -> SequenceLoop | None:
    """The loop that is the only reader of a sequence and reads all its steps in order. None if there is none."""
    frames = _frames_of(sequence)
    return frames if frames is not None and frames.axis == 0 else None


def _frames_of(sequence: SSAValue) -> SequenceLoop | None:
    """The loop that is the only reader of a sequence and reads frames from it in order: all its steps, along the first
    axis, or consecutive slices of a signal 1 x N. None if there is no such loop.
    """
    read, shape = _only_reader(sequence), tdsl.shape_of(sequence)
    if not isinstance(read, tdsl.IndexOp | tdsl.SliceOp) or read.run is None or (loop := _time_loop(read)) is None:
        return None
    axis, trips = int(isinstance(read, tdsl.SliceOp)), trips_of(loop)
    assert trips is not None
    *rows, first = map(affine_sum, read.run)
    time, each = loop.body.block.args[0], prod(shape[len(read.run) :])
    in_order = not first.constant and list(first.factors) == [time] and not any(row.factors for row in rows)
    whole = shape[:-1] == (1,) if axis else trips == shape[0]
    if read.input is not sequence or not in_order or not whole:
        return None
    pushes = tdsl.Pushes(prod(tdsl.shape_of(read.out)), first.factors[time] * each, trips, trips)
    return SequenceLoop(loop, read, pushes, axis)


def receive_image(image: SSAValue, name: str | None) -> tdsl.ReceiveOp:
    """Insert a `tdsl.receive` of a whole image, and return it. All readers of the image then read the received copy.

    name: the name hint of the copy.
    """
    zero = index_constant(0)
    received = tdsl.ReceiveOp(image, zero.result, tdsl.shape_of(image)[1])
    received.out.name_hint = name or "X"
    image.replace_all_uses_with(received.out)
    received.operands[0] = image
    Rewriter.insert_op([zero, received], behind(image))
    return received


def behind(value: SSAValue) -> InsertPoint:
    """The insertion point after the op that defines a value, or at the start of the block of which it is an
    argument.
    """
    return InsertPoint.after(value.owner) if isinstance(value.owner, Operation) else InsertPoint.at_start(value.owner)


def _only_reader(value: SSAValue) -> Operation | None:
    readers = [use.operation for use in value.uses]
    return readers[0] if len(readers) == 1 else None


def _time_loop(read: Operation) -> scf.ForOp | None:
    loop = read.parent_op()
    if not isinstance(loop, scf.ForOp) or not isinstance(loop.parent_op(), func.FuncOp):
        return None
    return None if trips_from_zero(loop) is None else loop


COUNT_LIMIT = (1 << 15) - 1
"""Limit on steps and on elements per frame, which programs count in 16 bits."""


class TimeAxis(NamedTuple):
    """The time axis of a program's input.

    sequence: the input in the shape in which the program reads it.
    axis: the number of the time axis of `sequence`.
    pushes: the frames in which the caller sends the input.
    steps: the loop that reads the input; None for an image, whose rows follow each other in time.
    """

    sequence: SSAValue
    axis: int
    pushes: tdsl.Pushes
    steps: SequenceLoop | None


def time_of(function: func.FuncOp, stride: int | None = None) -> TimeAxis:
    """The time axis of the input of a predict function. Raises `InputError` if the input is not read in order of time,
    if it has fewer than two steps, more than `COUNT_LIMIT` steps or more than `COUNT_LIMIT` elements in a step, and
    for a stride that is not from 1 to the number of steps.

    stride: the number of frames between answers; by default the windows of answers are adjacent.
    """
    sequence = sequence_of(function.body.block.args[0])
    shape = tdsl.shape_of(sequence)
    steps = _frames_of(sequence)
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
    if max(time.pushes) > COUNT_LIMIT:
        raise InputError(f"a program that streams has at most {COUNT_LIMIT} steps, and as many elements in each")
    if time.pushes.steps < 2:
        raise InputError(
            f"a sequence of {time.pushes.steps} step does not stream: time is the first axis of an input {spell(shape)}"
        )
    if stride is None:
        return time
    if not 0 < stride <= time.pushes.steps:
        raise InputError(f"answers are from 1 to {time.pushes.steps} frames apart, got {stride}")
    return time._replace(pushes=time.pushes._replace(stride=stride))


def _moving_rows(rings: RingSchedule, pushes: tdsl.Pushes) -> Mapping[int, int]:
    """For each whole image that a loop over ticks carries, by its position, the number of rows by which it moves after
    an answer. Rings do not move.

    If answers do not overlap, nothing moves, and the result is empty. For overlapping answers, raises `InputError` for
    padding over time, and for a stride that is not a multiple of the rows of all rings.
    """
    if pushes.stride == pushes.steps:
        return {}
    clocks, graph = rings.timing.clocks, rings.timing.graph
    reads = [read for node in graph.nodes for read in node.reads]
    if rings.timing.ticks[0] > pushes.steps or any(read.before[0] for read in reads):
        raise InputError("answers that overlap: convolutions with padding over time see no frames before the first")
    steps = [clocks[stage.node.result][0].step for stage in rings.segment.stages]
    rows = [1 if stage.kept else rings.slots[stage.node.result] for stage in rings.segment.stages]
    turns = sorted({step * count for step, count in zip(steps, rows, strict=True)})
    multiple = lcm(*turns)
    if pushes.stride % multiple:
        raise InputError(
            f"answers of this program are a multiple of {multiple} frames apart, after which all its rings, of "
            f"{', '.join(map(str, turns))} frames, begin anew: stride {_nearest(pushes, multiple)} is possible, got "
            f"{pushes.stride}"
        )
    kept = [at for at, stage in enumerate(rings.segment.stages) if stage.kept]
    return {at: pushes.stride // steps[at] for at in kept}


def _nearest(pushes: tdsl.Pushes, multiple: int) -> int:
    nearest = max(round(pushes.stride / multiple), 1) * multiple
    return nearest if nearest <= pushes.steps else max(pushes.steps // multiple * multiple, 0) or pushes.steps


def _moved_tensors(loop: scf.ForOp, read: Operation, pushes: tdsl.Pushes) -> Mapping[int, int]:
    """For each tensor that collects a row in each iteration, by its position, the number of rows by which it moves
    after an answer.

    If answers do not overlap, nothing moves, and the result is empty. For overlapping answers, raises `InputError` for
    a loop that uses the index of a frame in any other way.
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
    for use in index.uses:
        if isinstance(use.operation, arith.MuliOp | arith.AddiOp | arith.SubiOp):
            yield from _uses(use.operation.results[0])
        else:
            yield use.operation


@dataclass(frozen=True)
class Rows:
    """The rows that a loop computes, one in each iteration.

    position: the position of the carried tensor that collects the rows.
    insertion: the op that inserts a row.
    chain: the ops on all rows after the loop, in order.
    sequence: the result of the last of these ops.
    """

    position: int
    insertion: tdsl.InsertSliceOp
    chain: tuple[tdsl.TensorOp, ...]
    sequence: SSAValue


@dataclass(frozen=True)
class TimeLoop:
    """A loop that reads one row of a sequence in each iteration.

    read: the op whose result is a row of the sequence that the loop reads.
    passing: the positions of carried tensors whose rows are only read in the iteration that computes them.
    moving: for other carried tensors, by position, the number of rows by which their content moves when time moves
        back by a stride.
    made: the rows that the next loop reads; None for the last loop.
    """

    loop: scf.ForOp
    read: tdsl.TensorOp
    passing: frozenset[int] = frozenset()
    moving: Mapping[int, int] = field(default_factory=dict[int, int])
    made: Rows | None = None

    @property
    def ticks(self) -> int:
        """The number of iterations."""
        count = trips_of(self.loop)
        assert count is not None
        return count


def time_loops(function: func.FuncOp, time: TimeAxis, target: str) -> list[TimeLoop]:
    """The loops over time of a program. The first loop reads the program's input. Raises `InputError` if nothing
    runs in steps.

    An op on images becomes a loop over rows, together with all later ops that run row by row. The rings of these
    ops are the state between steps.

    target: as for `tile-segment`.
    """
    if time.steps is None:
        if (only := _by_rows(function, time.sequence, target, time.pushes)) is None:
            raise InputError("the program does not stream: the op that reads its input needs all rows of it at once")
        return [only]
    loops = [TimeLoop(time.steps.loop, time.steps.read)]
    while (made := _rows(loops[-1].loop)) is not None:
        if (following := _reader(function, made.sequence, time.pushes, target)) is None:
            break
        loops[-1:] = [replace(loops[-1], made=made), following]
    return [
        loop if loop.moving else replace(loop, moving=_moved_tensors(loop.loop, loop.read, time.pushes))
        for loop in loops
    ]


def _reader(function: func.FuncOp, sequence: SSAValue, pushes: tdsl.Pushes, target: str) -> TimeLoop | None:
    if (steps := steps_of(sequence)) is not None:
        return TimeLoop(steps.loop, steps.read) if steps.pushes.steps == pushes.steps else None
    shape = tdsl.shape_of(sequence)
    return _by_rows(function, sequence, target, pushes) if is_image(shape) and shape[1] == pushes.steps else None


def _by_rows(function: func.FuncOp, image: SSAValue, target: str, pushes: tdsl.Pushes) -> TimeLoop | None:
    """Replace the ops that read an image, and as many later ops as possible, by a loop over rows. Return the loop.

    None if no op runs row by row; the program is then unchanged. With overlapping answers, sums over all rows are
    excluded, because they cannot move by a stride. Raises `InputError` if rings or padding do not permit this stride.

    target: as for `tile-segment`.
    pushes: the frames in which the caller sends the input.
    """
    received = receive_image(image, image.name_hint)
    network = network_of(function)
    nodes, rows = network.graph.nodes, Streamed(By.ROWS)
    first = next(i for i, node in enumerate(nodes) if node.kind is Kind.ARRIVAL)
    lasts = reversed(range(first + 1, len(nodes)))
    if pushes.stride < pushes.steps:
        lasts = [last for last in lasts if not any(r.sums for node in nodes[first : last + 1] for r in node.reads)]
    last = next((last for last in lasts if rows.runs(network, Segment(first, last, 0, rows))), None)
    if last is None:
        Rewriter.replace_op(received, [], [image])
        return None
    rings = smallest_rings(network, first, last, By.ROWS)
    memory = small_memory(network.convolutions(slice(first, last + 1)), target)
    loop = StreamLoops(network, rings, target, memory).rewrite()
    # Only the loop reads the image, at one place.
    read = image.get_user_of_unique_use()
    assert loop is not None
    assert read is not None
    passing = (position for position, stage in enumerate(rings.segment.stages) if _passes(rings, stage))
    return TimeLoop(loop, cast(tdsl.TensorOp, read), frozenset(passing), _moving_rows(rings, pushes))


def _passes(rings: RingSchedule, stage: Stage) -> bool:
    """Whether the rows of a stage's result are only read in the tick that computes them."""
    clocks, name = rings.timing.clocks, stage.node.result
    reads = [(node, read) for node in rings.timing.graph.nodes for read in node.reads if read.tensor == name]
    return not stage.kept and all(
        (read.sums or (read.kernel[0] == 1 and read.before[0] == 0))
        and clocks[node.result][0].start == clocks[name][0].start
        for node, read in reads
    )


def _rows(loop: scf.ForOp) -> Rows | None:
    """The rows that a loop collects for later ops in one tensor with a single reader. None for other loops."""
    for position in range(len(loop.iter_args)):
        if (insertion := tdsl.insertion_in(loop, position)) is None:
            continue
        first, *others = insertion.offsets
        shape, part = tdsl.shape_of(insertion.out), tdsl.shape_of(insertion.part)
        in_order = first is loop.body.block.args[0] and insertion.axes is None and part == (1, *shape[1:])
        if in_order and all(const_evaluate_operand(other) == 0 for other in others):
            chain = tuple(_chain(loop.results[position]))
            return Rows(position, insertion, chain, chain[-1].out if chain else loop.results[position])
    return None


def _chain(value: SSAValue) -> list[tdsl.TensorOp]:
    """The consecutive ops from a value on that change all elements of a tensor in the same way, or its shape."""
    chain: list[tdsl.TensorOp] = []
    while value.has_one_use():
        [use] = value.uses
        op: Operation = use.operation
        if not isinstance(op, tdsl.ReshapeOp) and not (isinstance(op, tdsl.ElementwiseOp) and _is_alike(op, value)):
            break
        chain.append(op)
        value = op.out
    return chain


def _is_alike(op: tdsl.ElementwiseOp, value: SSAValue) -> bool:
    """Whether an op computes each element from the corresponding element of a tensor and from one-element constants."""
    others = [operand for operand in op.inputs if operand is not value]
    return all(prod(tdsl.shape_of(other)) == 1 and tdsl.constant_number(other) is not None for other in others)
