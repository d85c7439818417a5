"""Loops with a known number of steps (WHILE) that become loops of the program.

The values of a loop's counters are known in each step. Where they select elements, the offsets grow by a constant from
step to step. A list of step results is a tensor: converters write an element of it as the concatenation of the elements
before, the new one and those after, or as a DYNAMIC_UPDATE_SLICE. In the loop, both insert the new element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.tflite.folding import constant_result
from tinyml.lowering.frontends.tflite.model import Operator, Tensor, TfliteGraph
from tinyml.lowering.frontends.tflite.operands import integers_of, strided_ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Known = Mapping[Tensor, "Array"]
"""The tensors of a body whose values are known in a step."""

LOOP_SLICE, LOOP_INSERT = "LOOP_SLICE", "LOOP_INSERT"
"""Operators of bodies, with a `Window` as the option `window`: the part of the first input that the window selects, and
the second input with the first one in the window's place.
"""

_COUNTERS = ("int32", "int64", "bool")
"""The types of counters and of the comparisons with them."""

_RESHAPES = ("EXPAND_DIMS", "RESHAPE", "SQUEEZE")

_PARTS = ("GATHER", "SLICE", "STRIDED_SLICE")


@dataclass(frozen=True)
class Window:
    """The elements that a step selects: in step t, along each axis, `size` elements from `first + t * growth`, each
    `stride` after the one before.
    """

    first: Sequence[int]
    growth: Sequence[int]
    sizes: Sequence[int]
    strides: Sequence[int]


@dataclass(frozen=True)
class CountedLoop:
    """A loop.

    steps: the number of iterations, at least one.
    body: the graph of an iteration. Its inputs are the carried tensors and then the captured ones, in the order of the
        operator's inputs; its outputs are the carried tensors after the iteration.
    """

    steps: int
    body: TfliteGraph


@dataclass(frozen=True)
class ReadLoop:
    """The operators that replace a WHILE, and the tensors that replace its outputs."""

    operators: Sequence[Operator]
    outputs: Mapping[Tensor, Tensor]


class _OtherLoopError(Exception):
    """A loop that is not read as a loop."""


def counted_loop(op: Operator, condition: TfliteGraph, body: TfliteGraph, most: int) -> ReadLoop | None:
    """Read a WHILE as a loop. None if this is not possible: its copies may then be, or state why not.

    most: the greatest number of steps.
    """
    try:
        return _read(op, condition, body, most)
    except _OtherLoopError:
        return None


def _read(op: Operator, condition: TfliteGraph, body: TfliteGraph, most: int) -> ReadLoop:
    before = [tensor for tensor in op.inputs if tensor is not None]
    counters = _counters(before, body)
    steps, after = _steps(before, condition, body, counters, most)
    if not steps:
        return ReadLoop((), dict(zip(op.outputs, before, strict=True)))
    known = {out: replace(out, data=after[k].reshape(out.shape)) for k, out in enumerate(op.outputs) if k in counters}
    others = [k for k in range(len(before)) if k not in counters]
    same = {k for k in others if body.outputs[k] is body.inputs[k]}
    for k in others:
        ends = (before[k], body.inputs[k], body.outputs[k], op.outputs[k])
        if len({(tensor.shape, tensor.dtype, tensor.quantization) for tensor in ends}) > 1:
            raise _OtherLoopError
    outer = {body.inputs[k]: before[k] for k in same}
    known |= {op.outputs[k]: before[k] for k in same}
    operators, alias = windowed(body.operators, steps, outer)
    made = {tensor for each in operators for tensor in each.outputs}
    read = {tensor for each in operators for tensor in each.inputs if tensor is not None}
    ends = {k: alias.get(body.outputs[k], body.outputs[k]) for k in others if k not in same}
    if any(end not in made and end not in body.inputs for end in ends.values()):
        # A constant state.
        raise _OtherLoopError
    carried, reshaped = list[int](), list[Operator]()
    producers = {tensor: each for each in operators for tensor in each.outputs}
    inputs = {k: body.inputs[k] for k in ends}
    unread = {k for k, tensor in inputs.items() if tensor not in read and tensor not in ends.values()}
    for k, end in ends.items():
        # Only the last value of an unread tensor matters. It may be another carried tensor in another shape.
        sources = {end, *_reshaped(producers.get(end))}
        twin = next((j for j, other in ends.items() if k in unread and j not in unread and other in sources), None)
        if twin is None:
            carried.append(k)
        else:
            reshaped.append(Operator(op.index, "RESHAPE", [op.outputs[twin]], [op.outputs[k]], {}))
    captured = [tensor for tensor in read if tensor.data is None and tensor not in made and tensor not in body.inputs]
    arguments = [*(body.inputs[k] for k in carried), *captured]
    inner = TfliteGraph(arguments, [ends[k] for k in carried], operators)
    loop = Operator(
        op.index,
        op.kind,
        [*(before[k] for k in carried), *captured],
        [op.outputs[k] for k in carried],
        {"loop": CountedLoop(len(steps), inner)},
    )
    return ReadLoop([loop, *reshaped], known)


def _reshaped(op: Operator | None) -> Sequence[Tensor]:
    return [x for x in op.inputs[:1] if x is not None] if op is not None and op.kind in _RESHAPES else ()


def _counters(before: Sequence[Tensor], body: TfliteGraph) -> set[int]:
    """The positions of the values that are known in each step."""
    found = {k for k, tensor in enumerate(before) if tensor.data is not None and tensor.dtype in _COUNTERS}
    while True:
        known = _evaluated(body, {body.inputs[k]: before[k].data for k in found})
        left = {k for k in found if body.outputs[k] in known or body.outputs[k].data is not None}
        if left == found:
            return found
        found = left


def _steps(
    before: Sequence[Tensor], condition: TfliteGraph, body: TfliteGraph, counters: set[int], most: int
) -> tuple[Sequence[Known], Mapping[int, Array]]:
    """The known values of each step, and those of the counters after the last one."""
    state = {k: before[k].data for k in counters}
    steps: list[Known] = []
    while len(steps) <= most:
        [test] = condition.outputs
        tested = _evaluated(condition, {condition.inputs[k]: data for k, data in state.items()})
        decision = test.data if test.data is not None else tested.get(test)
        if decision is None:
            break
        if not decision.all():
            return steps, {k: data for k, data in state.items() if data is not None}
        known = _evaluated(body, {body.inputs[k]: data for k, data in state.items()})
        steps.append(known)
        outputs = {k: body.outputs[k] for k in counters}
        state = {k: known[tensor] if tensor.data is None else tensor.data for k, tensor in outputs.items()}
    raise _OtherLoopError


def _evaluated(graph: TfliteGraph, given: Mapping[Tensor, Array | None]) -> Known:
    known = {tensor: data for tensor, data in given.items() if data is not None}
    for op in graph.operators:
        try:
            result = constant_result(_with_values(op, known))
        except InputError as error:
            raise _OtherLoopError from error
        if result is not None:
            [output] = op.outputs
            if result.size != prod(output.shape):
                raise _OtherLoopError
            known[output] = result.astype(output.dtype).reshape(output.shape)
    return known


def _with_values(op: Operator, known: Known) -> Operator:
    inputs = [
        replace(tensor, data=known[tensor], shape=known[tensor].shape)
        if tensor is not None and tensor in known
        else tensor
        for tensor in op.inputs
    ]
    return replace(op, inputs=inputs)


@dataclass(frozen=True)
class _Part:
    """A part of a tensor: for each step, the indices along each axis, of which there may be none."""

    source: Tensor
    ranges: Sequence[Sequence[range]]


def windowed(
    operators: Sequence[Operator], steps: Sequence[Known], outer: Mapping[Tensor, Tensor]
) -> tuple[list[Operator], dict[Tensor, Tensor]]:
    """The operators of a body without those on counters. Parts whose offsets are counters become `LOOP_SLICE`, updates
    of lists `LOOP_INSERT`. Also returns the tensors that stand for others.

    steps: the known values of each step, at least one.
    outer: the tensors that stand for inputs of the body.

    Raises `_OtherLoopError` for any other use of a counter.
    """
    always = {tensor for tensor in steps[0] if all(tensor in known for known in steps)}
    constant = {tensor for tensor in always if all(np.array_equal(known[tensor], steps[0][tensor]) for known in steps)}
    alias, left = dict(outer), list[Operator]()
    # All parts, and those of which no operator is left.
    parts, dropped = dict[Tensor, _Part](), set[Tensor]()
    for op in operators:
        if op.outputs and all(tensor in always for tensor in op.outputs):
            continue
        named = replace(op, inputs=[None if x is None else alias.get(x, x) for x in op.inputs])
        at_first = _with_values(named, {tensor: steps[0][tensor] for tensor in constant})
        moves = any(tensor in always and tensor not in constant for tensor in named.inputs if tensor is not None)
        cuts = any(tensor in dropped for tensor in named.inputs if tensor is not None)
        if op.kind in _PARTS and not cuts and (moves or op.kind != "GATHER"):
            part = parts[op.outputs[0]] = _part(named, steps)
            window = _window(part.ranges)
            if window is None or prod(window.sizes) != prod(op.outputs[0].shape):
                # The file leaves the extents of such a part open.
                dropped.add(op.outputs[0])
            elif moves:
                left.append(Operator(op.index, LOOP_SLICE, [part.source], op.outputs, {"window": window}))
            else:
                left.append(at_first)
        elif (op.kind == "CONCATENATION" and cuts) or (op.kind == "DYNAMIC_UPDATE_SLICE" and not cuts):
            item, whole, window = _update(named, parts, steps)
            if tuple(window.sizes) == whole.shape == item.shape:
                alias[op.outputs[0]] = item
            else:
                left.append(Operator(op.index, LOOP_INSERT, [item, whole], op.outputs, {"window": window}))
        elif moves or cuts:
            raise _OtherLoopError
        else:
            left.append(at_first)
    return left, alias


def _part(op: Operator, steps: Sequence[Known]) -> _Part:
    """The part of its first input that an operator selects."""
    source = op.inputs[0]
    if source is None:
        raise _OtherLoopError
    try:
        ranges = [_ranges(_with_values(op, known)) for known in steps]
    except Exception as error:
        # The importer of the operator states what is wrong with it.
        raise _OtherLoopError from error
    return _Part(source, ranges)


def _ranges(op: Operator) -> Sequence[range]:
    x = op.inputs[0]
    assert x is not None
    if op.kind == "STRIDED_SLICE":
        return strided_ranges(op, may_be_empty=True)
    if op.kind == "GATHER":
        [index], axis = integers_of(op, 1, "the index"), op.options["axis"] % len(x.shape)
        if op.options["batch_dims"] or not 0 <= index < x.shape[axis]:
            raise _OtherLoopError
        return [range(index, index + 1) if at == axis else range(extent) for at, extent in enumerate(x.shape)]
    begin, size = integers_of(op, 1, "the begin"), integers_of(op, 2, "the size")
    ends = [extent if count == -1 else start + count for extent, start, count in zip(x.shape, begin, size, strict=True)]
    if any(not 0 <= start <= end <= extent for start, end, extent in zip(begin, ends, x.shape, strict=True)):
        raise _OtherLoopError
    return [range(start, end) for start, end in zip(begin, ends, strict=True)]


def _window(ranges: Sequence[Sequence[range]]) -> Window | None:
    """The window that selects the given indices in each step; None if its sizes differ between steps or are 0, and if
    its offsets do not grow by a constant.
    """
    sizes = {tuple(map(len, each)) for each in ranges}
    strides = {tuple(1 if len(indices) == 1 else indices.step for indices in each) for each in ranges}
    if len(sizes) > 1 or len(strides) > 1 or not all(min(each, default=1) for each in sizes):
        return None
    starts = [[indices[0] for indices in each] for each in ranges]
    growth = [b - a for a, b in zip(starts[0], starts[1] if len(starts) > 1 else starts[0], strict=True)]
    if any(
        start != first + step * by
        for step, each in enumerate(starts)
        for start, first, by in zip(each, starts[0], growth, strict=True)
    ):
        return None
    return Window(starts[0], growth, sizes.pop(), strides.pop())


def _update(op: Operator, parts: Mapping[Tensor, _Part], steps: Sequence[Known]) -> tuple[Tensor, Tensor, Window]:
    """The new elements, the updated tensor and the window of the new elements."""
    if op.kind == "DYNAMIC_UPDATE_SLICE":
        whole, item, _ = op.inputs
        if whole is None or item is None:
            raise _OtherLoopError
        begins = [integers_of(_with_values(op, known), 2, "the begin") for known in steps]
        ranges = [
            [range(start, start + extent) for start, extent in zip(begin, item.shape, strict=True)] for begin in begins
        ]
    else:
        items = [tensor for tensor in op.inputs if tensor is not None and tensor not in parts]
        wholes = {parts[tensor].source for tensor in op.inputs if tensor is not None and tensor in parts}
        if len(items) != 1 or len(wholes) != 1 or op.options["activation"] != "NONE":
            raise _OtherLoopError
        [item], [whole] = items, wholes
        ranges = [_place(op, item, whole, parts, step) for step in range(len(steps))]
    window = _window(ranges)
    inside = all(
        indices.start >= 0 and indices.stop <= extent
        for each in ranges
        for indices, extent in zip(each, whole.shape, strict=True)
    )
    alike = (item.dtype, item.quantization) == (whole.dtype, whole.quantization) and whole.shape == op.outputs[0].shape
    if window is None or not inside or not alike:
        raise _OtherLoopError
    return item, whole, window


def _place(op: Operator, item: Tensor, whole: Tensor, parts: Mapping[Tensor, _Part], step: int) -> Sequence[range]:
    """The indices of new elements between parts of a tensor that are otherwise where they were."""
    axis: int = op.options["axis"] % len(whole.shape)
    at, place = 0, range(0)
    for tensor in op.inputs:
        if tensor is item:
            place = range(at, at + item.shape[axis])
            at = place.stop
        elif tensor is not None:
            indices = parts[tensor].ranges[step]
            others = [range(extent) for extent in whole.shape]
            others[axis] = range(at, at + len(indices[axis]))
            if [*indices] != others and len(indices[axis]):
                raise _OtherLoopError
            at += len(indices[axis])
    if at != whole.shape[axis]:
        raise _OtherLoopError
    ranges = [range(extent) for extent in whole.shape]
    ranges[axis] = place
    if [len(each) for each in ranges] != [*item.shape]:
        raise _OtherLoopError
    return ranges


def without_empty_parts(
    operators: Sequence[Operator],
) -> tuple[Sequence[Operator], Mapping[Tensor, Tensor]]:
    """The operators of a step with constant counters, with updates of lists as `LOOP_INSERT`, and the tensors that
    stand for others. The operators are unchanged if empty parts are used in another way.
    """
    try:
        return windowed(operators, [{}], {})
    except _OtherLoopError:
        return operators, {}
