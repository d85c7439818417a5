"""Import of UNIDIRECTIONAL_SEQUENCE_LSTM, on floats, and quantised as TensorFlow Lite Micro computes it.

A step consists of the same operations as the kernel of TensorFlow Lite Micro, so that every executor computes the same
bytes. The sums of the gates have 16 bits with 12 fractional bits. Activations have 15 fractional bits. The cell state
has a separate scale, a power of two.

An LSTM over several steps begins with zero states in each inference. An LSTM of a single step is a layer of a streaming
model: its states persist from one inference to the next, as in TensorFlow Lite (`Variables`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import shaped
from tinyml.lowering.frontends.layers.dense_layers import dense, limited
from tinyml.lowering.frontends.layers.sequences import loop_over_steps
from tinyml.lowering.frontends.tflite.builder import (
    GraphBuilder,
    activation_format,
    element,
    power_of_two,
    weights_format,
)
from tinyml.lowering.frontends.tflite.model import Operator, Tensor
from tinyml.lowering.frontends.tflite.operands import input_of, optional_input
from tinyml.lowering.frontends.tflite.products import bias, constant_weights

LSTM = "UNIDIRECTIONAL_SEQUENCE_LSTM"

GATES = ("input", "forget", "cell", "output")
"""The gates, in the order of their weights and biases."""

HIDDEN, CELL = 18, 19
"""The input positions of the hidden state and the cell state."""

_UNUSED = {
    **dict.fromkeys((9, 10, 11), "peepholes"),
    16: "a projection",
    **dict.fromkeys(range(20, 24), "normalised gates"),
}
"""The positions of inputs that TensorFlow Lite Micro ignores, and the features of an LSTM to which they belong."""


class States(NamedTuple):
    """The states of an LSTM, each of shape (1, units)."""

    hidden: SSAValue
    cell: SSAValue


def carried_states(op: Operator) -> Sequence[Tensor]:
    return [input_of(op, position) for position in (HIDDEN, CELL)] if _steps(op) == 1 else []


def carried_lstm(to: GraphBuilder, op: Operator, states: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Import an LSTM of a single step, and return its states after the step."""
    after = _Cell(to, op).step(to.value(input_of(op, 0)), States(*states))
    to.define(op.outputs[0], to.reshape(after.hidden, op.outputs[0].shape))
    return after


def sequence_lstm(to: GraphBuilder, op: Operator) -> None:
    """Import UNIDIRECTIONAL_SEQUENCE_LSTM over several steps of one sample."""
    x, output = input_of(op, 0), op.outputs[0]
    steps, cell = _steps(op), _Cell(to, op)
    sequence = to.reshape(to.value(x), (steps, x.shape[2]))
    begun = [to.op(tdsl.FillOp, 0.0, TensorType(type, (1, cell.units))) for type in (cell.hidden, cell.cell)]

    def body(time: SSAValue, states: Sequence[SSAValue]) -> Sequence[SSAValue]:
        after = cell.step(to.op(tdsl.IndexOp, sequence, time), States(*states))
        return [*after, to.reshape(after.hidden, (cell.units,))]

    to.define(output, to.reshape(loop_over_steps(to, steps, begun, body)[-1], output.shape))


def _steps(op: Operator) -> int:
    x = input_of(op, 0)
    if len(x.shape) != 3 or x.shape[0 if not op.options["time_major"] else 1] != 1:
        raise VerifyException(f"expected a sequence of one sample, got shape {x.shape}")
    return x.shape[0 if op.options["time_major"] else 1]


class _Cell:
    """The computation of one LSTM step.

    hidden, cell: the element types of the states.
    gate: the element type of the sums of gates.
    share: the element type of activations.
    """

    def __init__(self, to: GraphBuilder, op: Operator):
        self.to, self.op = to, op
        x, output = input_of(op, 0), op.outputs[0]
        for position, what in _UNUSED.items():
            if optional_input(op, position) is not None:
                raise VerifyException(f"an LSTM with {what} is not supported")
        if op.options["activation"] != "TANH":
            raise VerifyException(f"the activation {op.options['activation']} is not supported, only TANH")
        if op.options["diagonal"]:
            raise VerifyException("diagonal weights of the state are not supported")
        self.units = output.shape[-1]
        self.hidden, self.cell = (element(input_of(op, position)) for position in (HIDDEN, CELL))
        if self.hidden != element(output):
            raise VerifyException(f"the state has the type {self.hidden}, the output {element(output)}")
        of_cell = activation_format(input_of(op, CELL))
        floats = activation_format(output).dtype.kind == "f"
        if of_cell.bits != (32 if floats else 16):
            raise VerifyException(
                f"the cell {input_of(op, CELL)} of an LSTM with outputs {output.dtype} is not supported"
            )
        self.gate = self.hidden if floats else power_of_two(16, -12)
        self.share = self.hidden if floats else power_of_two(16, -15)
        self.clip: float = op.options["cell_clip"]
        if not floats:
            # Cut off to a multiple of the cell's scale.
            scale = float(of_cell.decode(np.array(1, of_cell.dtype)))
            self.clip = int(self.clip / scale) * scale
        self.x = x

    def step(self, x: SSAValue, states: States) -> States:
        to, op = self.to, self.to.op
        enter, keep, candidate, leave = (self.activated(number, x, states.hidden) for number in range(len(GATES)))
        old, new = op(tdsl.MulOp, keep, states.cell, self.cell), op(tdsl.MulOp, enter, candidate, self.cell)
        cell = op(tdsl.AddOp, old, new, self.cell)
        if self.op.options["cell_clip"]:
            cell = limited(to, cell, -self.clip, self.clip)
        hidden = op(tdsl.MulOp, op(tdsl.TanhOp, cell, self.share), leave, self.hidden)
        return States(hidden, cell)

    def activated(self, number: int, x: SSAValue, hidden: SSAValue) -> SSAValue:
        state = activation_format(input_of(self.op, HIDDEN))
        entered = self.product(1 + number, x, activation_format(self.x), 12 + number)
        kept = self.product(5 + number, hidden, state, None)
        total = self.to.op(tdsl.AddOp, entered, kept, self.gate)
        return self.to.op(tdsl.TanhOp if GATES[number] == "cell" else tdsl.SigmoidOp, total, self.share)

    def product(self, position: int, x: SSAValue, format: NumberFormat, start: int | None) -> SSAValue:
        """Emit the product of a weight matrix and a vector, of shape (1, units).

        position: the input position of the weights.
        start: the input position of the bias; None for no bias.
        """
        weights = input_of(self.op, position)
        if weights.shape != (self.units, shaped(x).get_shape()[-1]):
            raise VerifyException(f"the weights {weights} have shape {weights.shape}, which does not fit")
        own = weights_format(weights, 0)
        begun = None if start is None else bias(self.op, own, format, self.units, start)
        return dense(self.to, x, constant_weights(weights, own), (1, self.units), begun, self.gate)
