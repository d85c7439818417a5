"""Scan, GRU, LSTM and RNN as loops over the steps of a sequence, with the states as iter_args."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

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
from tinyml.lowering.frontends.onnx.ops.movement import axis_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir import SSAValue


def _initial_state(to: Builder, value: Value) -> SSAValue:
    """The initial value of a carried tensor. A constant of equal elements becomes a fill."""
    if isinstance(value, Constant) and value.array.size and (value.array == value.array.flat[0]).all():
        return to.fill(float(value.array.flat[0]), value.shape)
    return to.tensor(value)


def _by_step(to: Builder, value: OrderedTensor | Constant, axis: int, backwards: bool) -> SSAValue:
    """Move the steps of a sequence to the first axis, in execution order."""
    rank = len(value.shape)
    steps = to.ordered(value, (axis, *(each for each in range(rank) if each != axis)))
    return to.op(tdsl.ReverseOp, steps, 0) if backwards else steps


@handles_loop("Scan")
def scan(to: Builder, node: OnnxNode, inputs: Inputs, run: RunGraph) -> Sequence[Value]:
    """Import Scan of opset 9 and newer; return states first, then sequences. Sequences without a use are not stored."""
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
    wanted = [number for number, name in enumerate(node.outputs[states:]) if name]

    def body(step: SSAValue, current: Sequence[SSAValue]) -> Sequence[SSAValue]:
        hint(step, "t")
        steps = [to.op(tdsl.IndexOp, sequence, step) for sequence in taken]
        for value, declared in zip([*current, *steps], graph.inputs, strict=True):
            hint(value, declared.name)
        after = run(graph, [OrderedTensor.plain(value) for value in (*current, *steps)])
        return [to.tensor(value) for value in (*after[:states], *(after[states + number] for number in wanted))]

    results: list[Value] = [OrderedTensor.plain(value) for value in loop_over_steps(to, trips, carried, body)]
    made = dict(zip(wanted, results[states:], strict=True))
    nothing = Constant(np.zeros(0, np.float32))
    sequences_made = (
        _placed(to, node, cast(OrderedTensor, made[number]), out_axes[number], bool(out_directions[number]))
        if number in made
        else nothing
        for number in range(outputs)
    )
    return [*results[:states], *sequences_made]


def _placed(to: Builder, node: OnnxNode, sequence: OrderedTensor, axis: int, backwards: bool) -> OrderedTensor:
    """Move the steps of a sequence to an axis of the model's tensor. backwards: true to reverse the steps."""
    rank = len(sequence.shape)
    axis = axis_of(node, axis, rank)
    value = to.op(tdsl.ReverseOp, sequence.value, 0) if backwards else sequence.value
    return OrderedTensor(value, (axis, *(each for each in range(rank) if each != axis)))


GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
"""The number of gates per op; their weights are concatenated."""

USUAL = {"RNN": ("Tanh",), "GRU": ("Sigmoid", "Tanh"), "LSTM": ("Sigmoid", "Tanh", "Tanh")}
"""The supported activations: ONNX's defaults."""


_ONE = Constant(np.asarray(1.0))
"""The number 1, shared by all uses."""


@dataclass(frozen=True)
class _Direction:
    """The weights of one direction. Each gate has a matrix for the input, a matrix for the state, and two biases."""

    input: Sequence[NDArray[Any]]
    state: Sequence[NDArray[Any]]
    biases: Sequence[tuple[NDArray[Any], NDArray[Any]]]


class _Cell:
    """The computation of one step, on column vectors. after: the GRU attribute `linear_before_reset`."""

    def __init__(self, to: Builder, direction: _Direction, after: bool):
        self.to = to
        self.direction = direction
        self.after = after

    def parameter(self, array: NDArray[Any]) -> SSAValue:
        return self.to.constant(Constant(array))

    def product(self, matrix: NDArray[Any], column: SSAValue) -> SSAValue:
        return self.to.op(tdsl.MatmulOp, self.parameter(matrix), column)

    def sum(self, gate: int, x: SSAValue, state: SSAValue) -> SSAValue:
        """Emit the sum of a gate: weighted input, weighted state and biases."""
        to, direction = self.to, self.direction
        entered, kept = self.product(direction.input[gate], x), self.product(direction.state[gate], state)
        outer, inner = direction.biases[gate]
        return to.op(tdsl.AddOp, to.op(tdsl.AddOp, entered, kept), self.parameter(outer + inner))

    def rnn(self, x: SSAValue, states: Sequence[SSAValue]) -> Sequence[SSAValue]:
        return [self.to.op(tdsl.TanhOp, self.sum(0, x, states[0]))]

    def gru(self, x: SSAValue, states: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Emit a GRU step. The reset gate acts after the product of the state and its weights, or before it."""
        to, direction, [state] = self.to, self.direction, states
        update, reset = (to.op(tdsl.SigmoidOp, self.sum(gate, x, state)) for gate in (0, 1))
        if self.after:
            outer, inner = (self.parameter(bias) for bias in direction.biases[2])
            recurrent = to.op(tdsl.AddOp, self.product(direction.state[2], state), inner)
            entered = to.op(tdsl.AddOp, self.product(direction.input[2], x), outer)
            total = to.op(tdsl.AddOp, entered, to.op(tdsl.MulOp, reset, recurrent))
        else:
            total = self.sum(2, x, to.op(tdsl.MulOp, reset, state))
        candidate = to.op(tdsl.TanhOp, total)
        rest = to.op(tdsl.SubOp, to.constant(_ONE), update)
        return [to.op(tdsl.AddOp, to.op(tdsl.MulOp, rest, candidate), to.op(tdsl.MulOp, update, state))]

    def lstm(self, x: SSAValue, states: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Emit an LSTM step. The weights are in the order input gate, output gate, forget gate, candidate."""
        to, (state, cell) = self.to, states
        enter, leave, keep = (to.op(tdsl.SigmoidOp, self.sum(gate, x, state)) for gate in (0, 1, 2))
        candidate = to.op(tdsl.TanhOp, self.sum(3, x, state))
        after = to.op(tdsl.AddOp, to.op(tdsl.MulOp, keep, cell), to.op(tdsl.MulOp, enter, candidate))
        return [to.op(tdsl.MulOp, leave, to.op(tdsl.TanhOp, after)), after]


@handles(*GATES)
def recur(to: Builder, node: OnnxNode, inputs: Inputs) -> Sequence[Value]:
    """Import GRU, LSTM and RNN; return the sequence of states, the last state and, for LSTM, the last cell."""
    x = to.numbers(needed(to, inputs, 0))
    layout = node.integer("layout", 0)
    if layout not in (0, 1):
        raise node.error(f"layout must be 0 or 1, got {layout}")
    if len(x.shape) != 3 or x.shape[1 - layout] != 1:
        raise node.error(f"expected a sequence of one sample, got shape {list(x.shape)}")
    steps, sequences = x.shape[layout], _directions(to, node, inputs)
    _check(node, inputs, steps)
    hidden = len(sequences[0].state[0])
    wanted = bool(node.outputs and node.outputs[0])
    states = 2 if node.op == "LSTM" else 1
    results = [
        _one_way(to, node, inputs, direction, number, (steps, hidden, states), wanted)
        for number, direction in enumerate(sequences)
    ]
    return [_joined(to, [result[part] for result in results], layout, part == 0) for part in range(states + 1)]


def _check(node: OnnxNode, inputs: Inputs, steps: int) -> None:
    """Raise `InputError` for unsupported attributes, and for unsupported inputs that would change the result."""
    count = 2 if node.text("direction", "forward") == "bidirectional" else 1
    node.only("activations", USUAL[node.op] * count)
    for name in ("clip", "activation_alpha", "activation_beta", "input_forget"):
        if node.attributes.get(name):
            raise node.error(f"the attribute '{name}' is not supported")
    lengths = optional(inputs, 4)
    if lengths is not None and not (isinstance(lengths, Constant) and (lengths.array == steps).all()):
        raise node.error("sequences shorter than the tensor are not supported")
    if optional(inputs, 7) is not None:
        raise node.error("peepholes are not supported")


def _directions(to: Builder, node: OnnxNode, inputs: Inputs) -> list[_Direction]:
    gates = GATES[node.op]
    arrays: list[NDArray[Any]] = []
    for position, name in ((1, "W"), (2, "R")):
        value = needed(to, inputs, position)
        if not isinstance(value, Constant) or len(value.shape) != 3 or value.shape[1] % gates:
            raise node.error(f"{name} must be a constant of shape (directions, {gates} * hidden, length)")
        arrays.append(value.array)
    count, rows, hidden = arrays[1].shape
    bias = optional(inputs, 3)
    biases = np.zeros((count, 2 * rows), np.float32) if bias is None else getattr(bias, "array", None)
    known = {"forward": 1, "reverse": 1, "bidirectional": 2}.get(node.text("direction", "forward"))
    if biases is None or biases.shape != (count, 2 * rows) or rows != gates * hidden or count != known:
        raise node.error("the shapes of W, R and B, or the direction, do not fit")
    if arrays[0].shape[:2] != (count, rows):
        raise node.error("the shapes of W and R do not fit")
    return [
        _Direction(
            np.split(arrays[0][number], gates),
            np.split(arrays[1][number], gates),
            list(
                zip(
                    *(np.split(part.reshape(-1, 1), gates) for part in np.split(biases[number], 2)),
                    strict=True,
                )
            ),
        )
        for number in range(count)
    ]


def _one_way(
    to: Builder,
    node: OnnxNode,
    inputs: Inputs,
    direction: _Direction,
    number: int,
    sizes: tuple[int, int, int],
    wanted: bool,
) -> list[SSAValue | None]:
    """Emit one direction. Return its sequence of states (steps, 1, hidden), or None, and then its last states (1,
    hidden).

    number: the index of the direction. wanted: true if the sequence of states is used.
    """
    steps, hidden, states = sizes
    layout = node.integer("layout", 0)
    backwards = node.text("direction", "forward") == "reverse" or number == 1
    sequence = _by_step(to, to.numbers(needed(to, inputs, 0)), layout, backwards)
    carried = [_initial(to, optional(inputs, 5 + state), number, hidden, layout) for state in range(states)]
    cell = _Cell(to, direction, bool(node.integer("linear_before_reset", 0)))
    step_of = {"RNN": cell.rnn, "GRU": cell.gru, "LSTM": cell.lstm}[node.op]

    def body(step: SSAValue, current: Sequence[SSAValue]) -> Sequence[SSAValue]:
        x = to.op(tdsl.IndexOp, sequence, step)
        column = to.reshape(x, (tdsl.shape_of(x)[-1], 1))
        after = step_of(column, current)
        return [*after, after[0]] if wanted else after

    *last, whole = [*loop_over_steps(to, steps, carried, body), *([] if wanted else [None])]
    if whole is not None and backwards:
        whole = to.op(tdsl.ReverseOp, whole, 0)
    rows = [to.reshape(state, (1, hidden)) for state in last if state is not None]
    return [None if whole is None else to.reshape(whole, (steps, 1, hidden)), *rows]


def _initial(to: Builder, value: Value | None, number: int, hidden: int, layout: int) -> SSAValue:
    """The initial state of a direction, as a column of `hidden` numbers."""
    if value is None:
        return to.fill(0.0, (hidden, 1))
    if isinstance(value, Constant) and value.array.ndim == 3:
        rows = value.array.reshape(-1, value.shape[-1])
        if number < len(rows) and rows.shape[1] == hidden:
            return _initial_state(to, Constant(rows[number].reshape(hidden, 1)))
    raise to.error("an initial state must be a constant of shape (directions, 1, hidden)")


def _joined(to: Builder, parts: Sequence[SSAValue | None], layout: int, sequence: bool) -> OrderedTensor | Constant:
    """Join the outputs of all directions to (steps, directions, 1, hidden) or (directions, 1, hidden)."""
    known = [part for part in parts if part is not None]
    if not known:
        return Constant(np.zeros(0, np.float32))
    if sequence:
        steps, _, hidden = tdsl.shape_of(known[0])
        rows = [to.reshape(part, (steps, 1, 1, hidden)) for part in known]
        whole = OrderedTensor.plain(to.op(tdsl.ConcatOp, rows, 1) if len(rows) > 1 else rows[0])
        return OrderedTensor(whole.value, (1, 2, 0, 3)) if layout else whole
    rows = [to.reshape(part, (1, 1, tdsl.shape_of(part)[1])) for part in known]
    whole = OrderedTensor.plain(to.op(tdsl.ConcatOp, rows, 0) if len(rows) > 1 else rows[0])
    return OrderedTensor(whole.value, (1, 0, 2)) if layout else whole
