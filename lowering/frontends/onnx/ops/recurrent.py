"""Scan, GRU, LSTM and RNN as loops over the steps of a sequence, with the states as iter_args."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, hint
from tinyml.lowering.frontends.layers.sequences import loop_over_steps
from tinyml.lowering.frontends.onnx.builder import (
    Builder,
    Constant,
    Inputs,
    RunGraph,
    Value,
    handles,
    handles_loop,
    needed,
    optional,
)
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.cells import GATES, Cell, Direction, activations
from tinyml.lowering.frontends.onnx.ops.movement import axis_of, part


def _initial_state(to: Builder, value: Value) -> SSAValue:
    if isinstance(value, Constant) and value.array.size and (value.array == value.array.flat[0]).all():
        return to.fill(float(value.array.flat[0]), value.shape)
    return to.tensor(value)


def _by_step(to: Builder, value: OrderedTensor | Constant, axis: int, backwards: bool) -> SSAValue:
    """Transpose a sequence so that its first axis is the steps, in the order of execution.

    axis: the axis of the steps.
    backwards: whether steps are executed in reverse order.
    """
    rank = len(value.shape)
    steps = to.ordered(value, (axis, *(other for other in range(rank) if other != axis)))
    return to.op(tdsl.ReverseOp, steps, 0) if backwards else steps


@handles_loop("Scan")
def scan(to: Builder, node: OnnxNode, inputs: Inputs, run: RunGraph) -> Sequence[Value]:
    """Import Scan of opset 9 and newer. Return the final states, followed by the sequences. An empty constant takes the
    place of a sequence without a use.
    """
    graph, sequences = node.graph("body"), node.integer("num_scan_inputs")
    states = len(inputs) - sequences
    outputs = len(graph.outputs) - states
    if sequences < 1 or states < 0 or outputs < 0 or len(graph.inputs) != len(inputs):
        raise node.error(f"{len(inputs)} inputs, {sequences} of them sequences, do not fit its body")
    values = [to.numbers(needed(to, inputs, position)) for position in range(states, len(inputs))]
    axes = node.integers("scan_input_axes", (0,) * sequences)
    directions = node.integers("scan_input_directions", (0,) * sequences)
    out_axes = node.integers("scan_output_axes", (0,) * outputs)
    out_directions = node.integers("scan_output_directions", (0,) * outputs)
    if (len(axes), len(directions), len(out_axes), len(out_directions)) != (sequences, sequences, outputs, outputs):
        raise node.error("a list of axes or directions has the wrong length")
    axes = [axis_of(node, axis, len(value.shape)) for axis, value in zip(axes, values, strict=True)]
    lengths = {value.shape[axis] for axis, value in zip(axes, values, strict=True)}
    if len(lengths) > 1:
        raise node.error(f"its sequences differ in length: {sorted(lengths)}")
    [trips] = lengths
    taken = [
        _by_step(to, value, axis, bool(backwards))
        for value, axis, backwards in zip(values, axes, directions, strict=True)
    ]
    carried = [_initial_state(to, needed(to, inputs, position)) for position in range(states)]
    used = [number for number, name in enumerate(node.outputs[states:]) if name]

    def body(step: SSAValue, current: Sequence[SSAValue]) -> Sequence[SSAValue]:
        hint(step, "t")
        steps = [to.op(tdsl.IndexOp, sequence, step) for sequence in taken]
        for value, declared in zip([*current, *steps], graph.inputs, strict=True):
            hint(value, declared.name)
        after = run(graph, [OrderedTensor.plain(value) for value in (*current, *steps)])
        return [to.tensor(value) for value in (*after[:states], *(after[states + number] for number in used))]

    results: list[Value] = [OrderedTensor.plain(value) for value in loop_over_steps(to, trips, carried, body)]
    sequence_of = dict(zip(used, results[states:], strict=True))
    nothing = Constant(np.zeros(0, np.float32))
    sequences_made = (
        _placed(to, node, cast(OrderedTensor, sequence_of[number]), out_axes[number], bool(out_directions[number]))
        if number in sequence_of
        else nothing
        for number in range(outputs)
    )
    return [*results[:states], *sequences_made]


def _placed(to: Builder, node: OnnxNode, sequence: OrderedTensor, axis: int, backwards: bool) -> OrderedTensor:
    """Transpose a sequence so that its steps are axis `axis` of the model's tensor.

    backwards: true to reverse the steps.
    """
    rank = len(sequence.shape)
    axis = axis_of(node, axis, rank)
    value = to.op(tdsl.ReverseOp, sequence.value, 0) if backwards else sequence.value
    return OrderedTensor(value, (axis, *(other for other in range(rank) if other != axis)))


@handles(*GATES)
def recur(to: Builder, node: OnnxNode, inputs: Inputs) -> Sequence[Value]:
    """Import GRU, LSTM and RNN; return the sequence of states, the last state and, for LSTM, the last cell."""
    x = to.numbers(needed(to, inputs, 0))
    layout = node.integer("layout", 0)
    if layout not in (0, 1):
        raise node.error(f"layout must be 0 or 1, got {layout}")
    if len(x.shape) != 3:
        raise node.error(f"expected sequences of vectors, got shape {list(x.shape)}")
    steps, sequences = x.shape[layout], _directions(to, node, inputs)
    _check(node, inputs, steps)
    hidden = sequences[0].state[0].shape[0]
    wanted = bool(node.outputs and node.outputs[0])
    states = 2 if node.op == "LSTM" else 1
    results = [
        _one_way(to, node, inputs, direction, number, (steps, hidden, x.shape[1 - layout], states), wanted)
        for number, direction in enumerate(sequences)
    ]
    return [_joined(to, [result[part] for result in results], layout, part == 0) for part in range(states + 1)]


def _check(node: OnnxNode, inputs: Inputs, steps: int) -> None:
    lengths = optional(inputs, 4)
    if lengths is not None and not (isinstance(lengths, Constant) and (lengths.array == steps).all()):
        raise node.error("sequences shorter than the tensor are not supported")


def _directions(to: Builder, node: OnnxNode, inputs: Inputs) -> list[Direction]:
    gates = GATES[node.op]
    weights = [to.numbers(needed(to, inputs, position)) for position in (1, 2)]
    for value, name in zip(weights, ("W", "R"), strict=True):
        if len(value.shape) != 3:
            raise node.error(f"{name} must have the shape (directions, {gates} * hidden, length)")
    count, rows, hidden = weights[1].shape
    bias = optional(inputs, 3)
    biases = Constant(np.zeros((count, 2 * rows), np.float32)) if bias is None else to.numbers(bias)
    known = {"forward": 1, "reverse": 1, "bidirectional": 2}.get(node.text("direction", "forward"))
    if biases.shape != (count, 2 * rows) or rows != gates * hidden or not hidden or count != known:
        raise node.error("the shapes of W, R and B, or the direction, do not fit")
    if (stated := node.integer("hidden_size", hidden)) != hidden:
        raise node.error(f"hidden_size is {stated}, the weights are for a state of {hidden} elements")
    if weights[0].shape[:2] != (count, rows):
        raise node.error("the shapes of W and R do not fit")
    if node.op != "LSTM" and any(optional(inputs, position) is not None for position in (6, 7)):
        raise node.error(f"{node.op} has no initial cell and no peepholes: expected at most 6 inputs")
    peepholes = None if (value := optional(inputs, 7)) is None else to.numbers(value)
    if peepholes is not None and peepholes.shape != (count, 3 * hidden):
        raise node.error(f"the peepholes of shape {list(peepholes.shape)} do not fit {hidden} elements of a state")
    arrays = weights[0], weights[1], biases, peepholes
    functions = activations(to, node, count)
    return [Direction.of(to, number, hidden, arrays, functions[number]) for number in range(count)]


def _one_way(
    to: Builder,
    node: OnnxNode,
    inputs: Inputs,
    direction: Direction,
    number: int,
    sizes: tuple[int, int, int, int],
    wanted: bool,
) -> list[SSAValue | None]:
    """Emit one direction of a recurrent layer. Return its states (steps, hidden, samples), or None, and its last
    states (hidden, samples).

    sizes: the number of steps, of elements of a state, of samples and of states.
    wanted: whether the sequence of states is used.
    """
    steps, hidden, samples, states = sizes
    layout = node.integer("layout", 0)
    backwards = node.text("direction", "forward") == "reverse" or number == 1
    sequence = _by_step(to, to.numbers(needed(to, inputs, 0)), layout, backwards)
    if samples > 1:
        sequence = to.op(tdsl.TransposeOp, sequence, (0, 2, 1))
    shape = (hidden, samples)
    carried = [_initial(to, optional(inputs, 5 + state), number, shape, layout) for state in range(states)]
    cell = Cell(to, node, direction)
    step_of = {"RNN": cell.rnn, "GRU": cell.gru, "LSTM": cell.lstm}[node.op]

    def body(step: SSAValue, current: Sequence[SSAValue]) -> Sequence[SSAValue]:
        x = to.op(tdsl.IndexOp, sequence, step)
        columns = x if samples > 1 else to.reshape(x, (tdsl.shape_of(x)[-1], 1))
        after = step_of(columns, current)
        return [*after, after[0]] if wanted else after

    *last, whole = [*loop_over_steps(to, steps, carried, body), *([] if wanted else [None])]
    if whole is not None and backwards:
        whole = to.op(tdsl.ReverseOp, whole, 0)
    return [whole, *last]


def _initial(to: Builder, value: Value | None, number: int, shape: tuple[int, int], layout: int) -> SSAValue:
    """The initial state of direction `number`, of shape (hidden, samples); zeros if `value` is None."""
    if value is None:
        return to.fill(0.0, shape)
    states = to.numbers(value)
    axis, (hidden, samples) = layout, shape
    extents = [samples, hidden]
    extents.insert(axis, states.shape[axis] if len(states.shape) == 3 else 0)
    if list(states.shape) != extents or number >= extents[axis]:
        raise to.error("an initial state must have the shape (directions, samples, hidden)")
    if isinstance(states, Constant):
        return _initial_state(to, Constant(np.ascontiguousarray(states.array.take(number, axis).T)))
    state = to.reshape(part(to, OrderedTensor.plain(to.plain(states)), axis, number, 1).value, (samples, hidden))
    return to.reshape(state, shape) if samples == 1 else to.op(tdsl.TransposeOp, state, (1, 0))


def _joined(to: Builder, outputs: Sequence[SSAValue | None], layout: int, sequence: bool) -> OrderedTensor | Constant:
    """Concatenate the outputs of all directions: (steps, directions, samples, hidden) or (directions, samples, hidden).

    layout: 1 if the samples come first.
    sequence: whether the outputs have an axis of steps.
    """
    known = [output for output in outputs if output is not None]
    if not known:
        return Constant(np.zeros(0, np.float32))
    *steps, hidden, samples = tdsl.shape_of(known[0])
    # In memory the samples of each element are adjacent.
    order = {(0, False): (0, 2, 1), (0, True): (0, 1, 3, 2), (1, False): (1, 2, 0), (1, True): (1, 2, 3, 0)}
    axes, extents = order[layout, sequence], (hidden, samples)
    if samples == 1:
        axes, extents = (*axes[:-2], axes[-1], axes[-2]), (samples, hidden)
    rows = [to.reshape(output, (*steps, 1, *extents)) for output in known]
    return OrderedTensor(to.op(tdsl.ConcatOp, rows, len(steps)) if len(rows) > 1 else rows[0], axes)
