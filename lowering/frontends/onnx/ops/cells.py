"""The steps of GRU, LSTM and RNN, and the weights and activations of their gates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.dense_layers import limited
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.onnx.builder import HANDLERS, Builder, Constant
from tinyml.lowering.frontends.onnx.graph import Attribute, OnnxNode

if TYPE_CHECKING:
    from xdsl.ir import SSAValue


GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
"""The number of gates per op; their weights are concatenated."""

USUAL = {"RNN": ("Tanh",), "GRU": ("Sigmoid", "Tanh"), "LSTM": ("Sigmoid", "Tanh", "Tanh")}
"""ONNX's default activations."""

FACTORS: dict[str, tuple[str, ...]] = {
    "Elu": ("alpha",),
    "HardSigmoid": ("alpha", "beta"),
    "LeakyRelu": ("alpha",),
    "Relu": (),
    "Sigmoid": (),
    "Softplus": (),
    "Softsign": (),
    "Tanh": (),
}
"""The supported activations, which are ONNX ops, with the attributes that the node lists for them."""

Array: TypeAlias = "Constant | OrderedTensor"
"""Weights that are known during import, or that other nodes compute."""

Activation: TypeAlias = "Callable[[SSAValue], SSAValue]"
"""A function that emits an activation."""

_ONE = Constant(np.asarray(1.0))
"""The number 1, shared by all uses."""


def activations(to: Builder, node: OnnxNode, count: int) -> Sequence[Sequence[Activation]]:
    """The activations of each direction of a node. Raises `InputError` for an unsupported activation, and for a wrong
    number of activations.

    Each activation that has factors consumes the next entry of each list of factors. As in onnxruntime, the attribute
    `clip` bounds the sums of the gates, and not the cell state of an LSTM.

    count: the number of directions.
    """
    usual = USUAL[node.op]
    names = node.labels("activations") if node.attributes.get("activations") else usual * count
    if len(names) != count * len(usual):
        raise node.error(f"expected {count * len(usual)} activations, got {len(names)}")
    parameters = {name: [*node.numbers(f"activation_{name}").tolist()] for name in ("alpha", "beta")}
    bound = node.number("clip", 0.0)
    functions: list[Activation] = []
    for name in map(str, names):
        if name not in FACTORS:
            raise node.error(f"the activation {name} is not supported, only {', '.join(FACTORS)}")
        factors = {factor: parameters[factor].pop(0) for factor in FACTORS[name] if parameters[factor]}
        of_cell = len(functions) % len(usual) == 2
        functions.append(_activation(to, node, name, factors, 0.0 if of_cell else bound))
    return [functions[first : first + len(usual)] for first in range(0, len(functions), len(usual))]


def _activation(to: Builder, node: OnnxNode, name: str, attributes: dict[str, Attribute], bound: float) -> Activation:
    """An activation whose argument is clamped to [-bound, bound]. A bound of 0 means no clamp."""
    inner = replace(node, op=name, attributes=attributes)

    def emit(total: SSAValue) -> SSAValue:
        if bound:
            total = limited(to, total, -bound, bound)
        result = HANDLERS["", name](to, inner, [OrderedTensor.plain(total)])
        assert isinstance(result, OrderedTensor)
        return result.value

    return emit


@dataclass(frozen=True)
class Direction:
    """The weights of one direction. Each gate has a matrix for the input, a matrix for the state, and two biases.

    sums: the sum of the two biases of each gate.
    peepholes: the factors of the cell state in the input gate, the output gate and the forget gate; empty if there
        are none.
    functions: the activations.
    """

    input: Sequence[Array]
    state: Sequence[Array]
    biases: Sequence[tuple[Array, Array]]
    sums: Sequence[Array]
    peepholes: Sequence[Array]
    functions: Sequence[Activation]

    @classmethod
    def of(
        cls,
        to: Builder,
        number: int,
        hidden: int,
        arrays: tuple[Array, Array, Array, Array | None],
        functions: Sequence[Activation],
    ) -> Direction:
        """The weights of direction `number`, with the activations `functions`.

        hidden: the number of elements of a state.
        arrays: the weights W, R, B and P of the node.
        """
        entered, kept = (_matrices(to, array, number, hidden) for array in arrays[:2])
        biases = _columns(to, arrays[2], number, hidden)
        pairs = list(zip(biases[: len(entered)], biases[len(entered) :], strict=True))
        peepholes = () if arrays[3] is None else _columns(to, arrays[3], number, hidden)
        return cls(entered, kept, pairs, [_sum(to, *pair) for pair in pairs], peepholes, functions)


def _matrices(to: Builder, value: Array, number: int, hidden: int) -> Sequence[Array]:
    _, rows, length = value.shape
    starts = range(0, rows, hidden)
    if isinstance(value, Constant):
        return [Constant(value.array[number, start : start + hidden]) for start in starts]
    tensor = to.plain(value)
    slices = (to.part(tensor, (number, start, 0), (1, hidden, length)) for start in starts)
    return [OrderedTensor.plain(to.reshape(matrix, (hidden, length))) for matrix in slices]


def _columns(to: Builder, value: Array, number: int, hidden: int) -> Sequence[Array]:
    starts = range(0, value.shape[1], hidden)
    if isinstance(value, Constant):
        return [Constant(value.array[number, start : start + hidden].reshape(-1, 1)) for start in starts]
    tensor = to.plain(value)
    slices = (to.part(tensor, (number, start), (1, hidden)) for start in starts)
    return [OrderedTensor.plain(to.reshape(column, (hidden, 1))) for column in slices]


def _sum(to: Builder, outer: Array, inner: Array) -> Array:
    if isinstance(outer, Constant) and isinstance(inner, Constant):
        return Constant(outer.array + inner.array)
    return OrderedTensor.plain(to.op(tdsl.AddOp, to.tensor(outer), to.tensor(inner)))


class Cell:
    """The computation of one step of a recurrent layer. Each sample is a column."""

    def __init__(self, to: Builder, node: OnnxNode, direction: Direction):
        self.to = to
        self.direction = direction
        self.after = bool(node.integer("linear_before_reset", 0))
        self.coupled = bool(node.integer("input_forget", 0))

    def product(self, matrix: Array, column: SSAValue) -> SSAValue:
        return self.to.op(tdsl.MatmulOp, self.to.tensor(matrix), column)

    def sum(self, gate: int, x: SSAValue, state: SSAValue) -> SSAValue:
        """Emit the sum of a gate: weighted input, weighted state and biases."""
        to, direction = self.to, self.direction
        entered, kept = self.product(direction.input[gate], x), self.product(direction.state[gate], state)
        return to.op(tdsl.AddOp, to.op(tdsl.AddOp, entered, kept), to.tensor(direction.sums[gate]))

    def rnn(self, x: SSAValue, states: Sequence[SSAValue]) -> Sequence[SSAValue]:
        return [self.direction.functions[0](self.sum(0, x, states[0]))]

    def gru(self, x: SSAValue, states: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Emit a GRU step. The reset gate multiplies the product of the weights and the state if `after` is
        true, and otherwise the state itself.
        """
        to, direction, [state] = self.to, self.direction, states
        gate, activated = direction.functions
        update, reset = (gate(self.sum(number, x, state)) for number in (0, 1))
        if self.after:
            outer, inner = (to.tensor(bias) for bias in direction.biases[2])
            recurrent = to.op(tdsl.AddOp, self.product(direction.state[2], state), inner)
            entered = to.op(tdsl.AddOp, self.product(direction.input[2], x), outer)
            total = to.op(tdsl.AddOp, entered, to.op(tdsl.MulOp, reset, recurrent))
        else:
            total = self.sum(2, x, to.op(tdsl.MulOp, reset, state))
        candidate = activated(total)
        rest = to.op(tdsl.SubOp, to.constant(_ONE), update)
        return [to.op(tdsl.AddOp, to.op(tdsl.MulOp, rest, candidate), to.op(tdsl.MulOp, update, state))]

    def lstm(self, x: SSAValue, states: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Emit an LSTM step. The weights are in the order input gate, output gate, forget gate, candidate.

        Peepholes add the cell state of the previous step to the input gate and the forget gate, and the new
        cell state to the output gate.
        """
        to, (state, cell) = self.to, states
        gate, activated, shown = self.direction.functions

        def opened(number: int, looked_at: SSAValue) -> SSAValue:
            return gate(self.peeped(number, self.sum(number, x, state), looked_at))

        enter = opened(0, cell)
        leave = None if self.direction.peepholes else opened(1, cell)
        keep = to.op(tdsl.SubOp, to.constant(_ONE), enter) if self.coupled else opened(2, cell)
        candidate = activated(self.sum(3, x, state))
        after = to.op(tdsl.AddOp, to.op(tdsl.MulOp, keep, cell), to.op(tdsl.MulOp, enter, candidate))
        leave = leave or opened(1, after)
        return [to.op(tdsl.MulOp, leave, shown(after)), after]

    def peeped(self, gate: int, total: SSAValue, cell: SSAValue) -> SSAValue:
        """Emit the sum of a gate plus the cell state weighted by the gate's peephole factors. Without such factors, the
        sum is returned unchanged.
        """
        if not self.direction.peepholes:
            return total
        to, factors = self.to, self.to.tensor(self.direction.peepholes[gate])
        return to.op(tdsl.AddOp, total, to.op(tdsl.MulOp, factors, cell))
