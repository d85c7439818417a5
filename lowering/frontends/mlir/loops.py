"""Loops with a known trip count, imported as an ONNX Scan over slices of sequences.

In the module, a loop reads a sequence by slices, whose position is computed from the iteration number. It writes a
sequence by updating a carried tensor. Positions may be any function of the iteration number, since they are computed
for all iterations during import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import stablehlo
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.stablehlo.base import numbers
from tinyml.lowering.frontends.mlir.elementwise import apply
from tinyml.lowering.frontends.mlir.graph import Body, GraphWriter, SourceNode, Tensor, TensorOrigin
from tinyml.lowering.frontends.mlir.reader import Reader, handles
from tinyml.lowering.frontends.onnx.graph import Attribute
from tinyml.lowering.frontends.onnx.reader import OPSETS

RunBody: TypeAlias = Callable[[Sequence[Tensor]], Sequence[Tensor]]
"""A function that imports an iteration and returns the next values of the carried tensors."""

WRITTEN = "Written"
"""The op of a carried tensor after the iteration has written a part of it; no node has this op."""

MAX_TRIPS = 1 << 16


@dataclass(frozen=True)
class _Sequence:
    """The positions of a loop's slices along an axis. In each iteration, the position increases by one or, if
    `backwards`, decreases by one.

    first: the least position.
    """

    first: int
    backwards: bool

    @classmethod
    def of(cls, reader: Reader, positions: Sequence[int]) -> _Sequence:
        steps = {b - a for a, b in pairwise(positions)} or {1}
        if steps not in ({1}, {-1}):
            raise reader.error("takes parts of a tensor that do not follow one another")
        return cls(min(positions), steps == {-1})


def counted_loop(
    reader: Reader, trips: int, carried: Sequence[Tensor], run: RunBody, kept: set[int], changes: Mapping[int, int]
) -> list[Tensor]:
    """Emit a loop, and return the carried tensors after it.

    trips: the number of iterations.
    carried: the carried tensors before the loop.
    run: converts the body.
    kept: the positions of carried tensors that the loop does not change.
    changes: the increment per iteration of each carried integer, by position.
    """
    to = reader.to
    if trips == 0:
        return list(carried)
    if trips > MAX_TRIPS:
        raise reader.error(f"{trips} iterations are more than {MAX_TRIPS}")
    source = to.source
    with to.body(trips) as body:
        states = [tensor if at in kept else to.argument("state", tensor.shape) for at, tensor in enumerate(carried)]
        series = {at: np.arange(trips) * change + _integer(carried[at]) for at, change in changes.items()}
        for at, numbers in series.items():
            states[at] = Tensor("", (), (), steps=numbers)
        after = run(states)
        to.source = source
        for at, numbers in series.items():
            contents = after[at].array if after[at].steps is None else after[at].steps
            if contents is None or not (contents == numbers + changes[at]).all():
                raise reader.error("does not add the same to an integer in each iteration, which is not supported")
        written = {at: origin for at, tensor in enumerate(after) if (origin := tensor.produced_by(WRITTEN)) is not None}
        changed = [at for at in range(len(carried)) if at not in (*kept, *written, *changes)]
        for at in changed:
            if after[at].shape != carried[at].shape:
                raise reader.error(f"a tensor of shape {list(carried[at].shape)} becomes {list(after[at].shape)}")
        if any(origin.inputs[0] is not states[at] for at, origin in written.items()):
            raise reader.error("writes a part of another tensor than it carries on")
        for at, origin in written.items():
            rows = carried[at].shape[_axis(origin)]
            if sorted(_positions(origin)) != list(range(rows)):
                raise reader.error(f"{trips} iterations write {rows} rows: expected one row in each")
        outputs = [
            to.whole(tensor) for tensor in (*(after[at] for at in changed), *(m.inputs[1] for m in written.values()))
        ]
        # Named before the inputs are listed: a tensor that depends only on the iteration becomes an input.
        names = [to.name(output) for output in outputs]
        if not body.sequences:
            to.part_of_step(to.constant(np.arange(trips)), 0, range(trips))
        inputs = [*(states[at] for at in changed), *body.sequences.values()]
        graph = to.graph(body, inputs, outputs)
    if unread := {states[at].name for at in written} & {*graph.free, *names}:
        raise reader.error(f"reads a tensor, {min(unread)}, of which it writes a part in each iteration")
    sequences = [(axis, _Sequence.of(reader, positions)) for _, axis, positions in body.sequences]
    stored = [(_axis(origin), _Sequence.of(reader, _positions(origin))) for origin in written.values()]
    attributes: dict[str, Attribute] = {
        "body": graph,
        "num_scan_inputs": len(sequences),
        "scan_input_axes": tuple(axis for axis, _ in sequences),
        "scan_input_directions": tuple(int(sequence.backwards) for _, sequence in sequences),
        "scan_output_axes": tuple(axis for axis, _ in stored),
        "scan_output_directions": tuple(int(sequence.backwards) for _, sequence in stored),
    }
    initial = [to.name(to.whole(carried[at])) for at in changed]
    read = [
        to.name(_part(to, key[0], key[1], sequence.first, trips))
        for key, (_, sequence) in zip(body.sequences, sequences, strict=True)
    ]
    results = {at: to.argument("after", carried[at].shape) for at in (*changed, *written)}
    node = SourceNode(
        "Scan",
        "",
        OPSETS[-1],
        to.fresh("scan"),
        (*initial, *read),
        tuple(result.name for result in results.values()),
        attributes,
        reader.file,
        source,
    )
    to.bodies[-1].nodes.append(node)
    results |= {at: to.constant(numbers[-1] + changes[at]) for at, numbers in series.items()}
    return [carried[at] if at in kept else results[at] for at in range(len(carried))]


def _integer(tensor: Tensor) -> int:
    number = tensor.number
    assert number is not None
    return int(number)


def _changes(reader: Reader, carried: Sequence[Tensor], run: RunBody, kept: set[int]) -> Mapping[int, int]:
    """Convert the first iteration to determine the increment of each known carried integer, by position.

    The nodes of this iteration are removed from the graph.
    """
    known = {
        at
        for at, tensor in enumerate(carried)
        if at not in kept and not tensor.shape and tensor.array is not None and tensor.array.dtype.kind == "i"
    }
    if not known:
        return {}
    source = reader.to.source
    with reader.to.body(1):
        # The number is passed as a series of one: with a known number the body could read elements at known positions.
        states = [
            Tensor("", (), (), steps=np.array([_integer(tensor)]))
            if at in known
            else tensor
            if at in kept
            else reader.to.argument("state", tensor.shape)
            for at, tensor in enumerate(carried)
        ]
        after = run(states)
    reader.to.source = source
    return {at: _integer(after[at]) - _integer(carried[at]) for at in known if after[at].number is not None}


def _part(to: GraphWriter, tensor: Tensor, axis: int, first: int, length: int) -> Tensor:
    tensor = to.whole(tensor)
    starts = [first if at == axis else 0 for at in range(len(tensor.shape))]
    sizes = [length if at == axis else extent for at, extent in enumerate(tensor.shape)]
    return to.slice(tensor, starts, sizes, [1] * len(sizes))


def _axis(origin: TensorOrigin) -> int:
    axis = origin.attributes["axis"]
    assert isinstance(axis, int)
    return axis


def _positions(origin: TensorOrigin) -> Sequence[int]:
    positions = origin.inputs[2].steps
    assert positions is not None
    return [int(position) for position in positions]


def taken(reader: Reader, tensor: Tensor, starts: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
    """Slice a tensor at the offsets `starts`. Each offset is a constant. One of them may instead depend on the
    iteration of the loop, if the slice has extent 1 along its axis.

    As in `dynamic_slice`, offsets are clamped so that the slice lies inside the tensor. Raises `InputError` for all
    other offsets, and for a slice per iteration of a tensor that the loop computes.
    """
    moved = [axis for axis, start in enumerate(starts) if start.steps is not None]
    first = [0 if axis in moved else _offset(reader, start) for axis, start in enumerate(starts)]
    first = [min(max(at, 0), extent - size) for at, extent, size in zip(first, tensor.shape, sizes, strict=True)]
    if not moved:
        return reader.to.slice(tensor, first, sizes, [1] * len(sizes))
    [axis], body = moved if len(moved) == 1 else [-1], reader.to.bodies[-1]
    if axis < 0 or sizes[axis] != 1:
        raise reader.error("takes more than one row of a tensor in each iteration, which is not supported")
    if _is_inner(body, tensor):
        raise reader.error("takes a row of a tensor that the loop computes, which is not supported")
    numbers = starts[axis].steps
    assert numbers is not None
    positions = np.clip(numbers, 0, tensor.shape[axis] - 1)
    slice = reader.to.part_of_step(reader.to.whole(tensor), axis, [int(position) for position in positions])
    whole = reader.to.reshape(slice, tuple(1 if at == axis else n for at, n in enumerate(tensor.shape)))
    rest = [sizes[at] if at != axis else 1 for at in range(len(sizes))]
    return reader.to.slice(whole, [0 if at == axis else n for at, n in enumerate(first)], rest, [1] * len(rest))


def _is_inner(body: Body, tensor: Tensor) -> bool:
    return tensor.name in {inner.name for inner in (*body.known.values(), *body.arguments)}


def _offset(reader: Reader, start: Tensor) -> int:
    number = start.number
    if number is None:
        raise reader.error("an offset is computed, which is not supported")
    return int(number)


def updated(reader: Reader, tensor: Tensor, update: Tensor, starts: Sequence[Tensor]) -> Tensor:
    """Replace a part of a tensor at the offsets `starts`, and return the new tensor. The offsets have the forms that
    `taken` accepts.
    """
    to = reader.to
    moved = [axis for axis, start in enumerate(starts) if start.steps is not None]
    if not moved:
        first = [_offset(reader, start) for start in starts]
        first = [min(max(at, 0), n - size) for at, n, size in zip(first, tensor.shape, update.shape, strict=True)]
        return _replaced(reader, tensor, update, first)
    numbers = starts[moved[0]].steps
    assert numbers is not None
    axis = moved[0]
    covers = all(size == n for at, (size, n) in enumerate(zip(update.shape, tensor.shape, strict=True)) if at != axis)
    if len(moved) > 1 or update.shape[axis] != 1 or not covers:
        raise reader.error("writes other than one whole row of a tensor in each iteration, which is not supported")
    row = to.reshape(update, tuple(n for at, n in enumerate(update.shape) if at != axis))
    return Tensor(
        "", tensor.shape, tensor.shape, producer=TensorOrigin(WRITTEN, (tensor, row, starts[axis]), {"axis": axis})
    )


def _replaced(reader: Reader, tensor: Tensor, update: Tensor, first: Sequence[int]) -> Tensor:
    """Replace a part of a tensor, and return the new tensor. Concatenates the elements before and after the part
    along each axis on which the part is smaller than the tensor.

    first: the offset of the part along each axis.
    """
    axes = [axis for axis, size in enumerate(update.shape) if size != tensor.shape[axis]]
    if not axes:
        return update
    axis = axes[0]
    if len(axes) > 1:
        strip = _part(reader.to, tensor, axis, first[axis], update.shape[axis])
        update = _replaced(reader, strip, update, [0 if at == axis else start for at, start in enumerate(first)])
    behind = first[axis] + update.shape[axis]
    before = _part(reader.to, tensor, axis, 0, first[axis]) if first[axis] else None
    after = _part(reader.to, tensor, axis, behind, tensor.shape[axis] - behind) if behind < tensor.shape[axis] else None
    return concat(reader.to, [piece for piece in (before, update, after) if piece is not None], axis)


def concat(to: GraphWriter, tensors: Sequence[Tensor], axis: int) -> Tensor:
    """Concatenate the tensors `tensors` along an axis."""
    tensors = [to.whole(tensor) for tensor in tensors]
    shape = list(tensors[0].shape)
    shape[axis] = sum(tensor.shape[axis] for tensor in tensors)
    arrays = [tensor.array for tensor in tensors if tensor.array is not None]
    if len(arrays) == len(tensors):
        return to.constant(np.concatenate(arrays, axis))
    return tensors[0] if len(tensors) == 1 else to.node("Concat", tensors, tuple(shape), axis=axis)


def _unchanged(block: Block, after: Sequence[object], skipped: int) -> set[int]:
    return {at for at, value in enumerate(after) if value is block.args[at + skipped]}


@handles("scf.for")
def scf_for(reader: Reader, op: Operation) -> list[Tensor]:
    bounds = [reader.value(operand).number for operand in op.operands[:3]]
    if any(bound is None for bound in bounds) or bounds[2] == 0:
        raise reader.error("the bounds of the loop are not constant")
    start, stop, step = (int(bound or 0) for bound in bounds)
    block, carried = op.regions[0].block, reader.operands(op)[3:]
    last = block.last_op
    assert last is not None
    number = reader.to.constant(np.array(start))

    def run(states: Sequence[Tensor]) -> Sequence[Tensor]:
        return [apply(reader.to, "Add", states[0], reader.to.constant(np.array(step))), *reader.run(block, states)]

    kept = {at + 1 for at in _unchanged(block, last.operands, 1)}
    carried = [number, *carried]
    changes = _changes(reader, carried, run, kept)
    return counted_loop(reader, len(range(start, stop, step)), carried, run, kept, changes)[1:]


@handles(stablehlo.WhileOp)
def stablehlo_while(reader: Reader, op: stablehlo.WhileOp) -> list[Tensor]:
    """Import a `stablehlo.while` whose condition compares a carried integer with a constant, and whose body adds a
    constant to this integer.
    """
    condition, body = op.cond.block, op.body.block
    last, initial = body.last_op, reader.operands(op)
    assert last is not None
    kept = _unchanged(body, last.operands, 0)
    counter, limit = _limit(reader, condition, [initial[at] if at in kept else None for at in range(len(initial))])

    def run(states: Sequence[Tensor]) -> Sequence[Tensor]:
        return reader.run(body, states)

    changes = _changes(reader, initial, run, kept)
    if changes.get(counter, 0) <= 0:
        raise reader.error("the loop does not count by a constant: its iterations cannot be counted")
    trips = len(range(_integer(initial[counter]), limit, changes[counter]))
    return counted_loop(reader, trips, initial, run, kept, changes)


def _limit(reader: Reader, condition: Block, known: Sequence[Tensor | None]) -> tuple[int, int]:
    """Return the position of the carried integer that a condition compares, and the first value for which the condition
    is false.

    known: the carried values; None for each value that is not known.

    Raises `InputError` unless the condition is `<` or `<=` with a known number on the right.
    """
    places: dict[SSAValue, int] = {argument: at for at, argument in enumerate(condition.args)}
    for argument, tensor in zip(condition.args, known, strict=True):
        if tensor is not None:
            reader.values[argument] = tensor
    last = condition.last_op
    assert last is not None
    test = last.operands[0].owner
    if not isinstance(test, stablehlo.CompareOp):
        raise reader.error("the condition of the loop is not a comparison: its iterations cannot be counted")
    for condition_op in condition.ops:
        if condition_op is not test and condition_op is not last:
            reader.values |= dict(zip(condition_op.results, reader.read(condition_op), strict=True))
    counter, bound = places.get(test.operands[0]), reader.values.get(test.operands[1])
    direction = test.comparison_direction.data
    if counter is None or bound is None or bound.number is None or direction not in ("LT", "LE"):
        raise reader.error(
            "the condition of the loop does not compare a number with a constant: its iterations cannot be counted"
        )
    return counter, int(bound.number) + (direction == "LE")


OPEN = DYNAMIC_INDEX
"""The value in a list of static offsets that represents an offset given by an operand."""


@handles("tensor.extract_slice")
def extract_slice(reader: Reader, op: Operation) -> Tensor:
    x = reader.operand(op, 0)
    starts, sizes, steps = _bounds(reader, op, x, 1)
    if any(step != 1 for step in steps):
        return reader.to.reshape(
            reader.to.slice(x, [_offset(reader, start) for start in starts], sizes, steps), reader.shape(op.results[0])
        )
    return reader.to.reshape(taken(reader, x, starts, sizes), reader.shape(op.results[0]))


@handles("tensor.insert_slice")
def insert_slice(reader: Reader, op: Operation) -> Tensor:
    update, whole = reader.operand(op, 0), reader.operand(op, 1)
    starts, sizes, steps = _bounds(reader, op, whole, 2)
    if any(step != 1 for step in steps):
        raise reader.error("a part whose elements do not follow one another is not supported")
    return updated(reader, whole, reader.to.reshape(update, tuple(sizes)), starts)


def _bounds(reader: Reader, op: Operation, whole: Tensor, operands: int) -> tuple[list[Tensor], list[int], list[int]]:
    computed = iter(reader.operands(op)[operands:])
    offsets = reader.integers(op, "static_offsets")
    if offsets.count(OPEN) > len(op.operands) - operands:
        raise reader.error("expected an operand for each offset that is computed")
    starts = [next(computed) if offset == OPEN else reader.to.constant(np.array(offset)) for offset in offsets]
    sizes, steps = (list(reader.integers(op, name)) for name in ("static_sizes", "static_strides"))
    if OPEN in sizes or OPEN in steps:
        raise reader.error("the size of a part is computed, which is not supported")
    for axis, (start, size, step, extent) in enumerate(zip(starts, sizes, steps, whole.shape, strict=True)):
        for at in [_offset(reader, start)] if start.steps is None else start.steps:
            if at < 0 or at + (size - 1) * step >= extent:
                raise reader.error(f"{size} elements from {at} on do not lie in the {extent} along axis {axis}")
    return starts, sizes, steps


@handles(stablehlo.DynamicSliceOp)
def dynamic_slice(reader: Reader, op: stablehlo.DynamicSliceOp) -> Tensor:
    x, *starts = reader.operands(op)
    return taken(reader, x, starts, numbers(op.slice_sizes))


@handles(stablehlo.DynamicUpdateSliceOp)
def dynamic_update_slice(reader: Reader, op: stablehlo.DynamicUpdateSliceOp) -> Tensor:
    x, update, *starts = reader.operands(op)
    return updated(reader, x, update, starts)
