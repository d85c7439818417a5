"""Recurrent layers of Keras, which the conversion of a Keras model writes as one operator each (`keras_recurrent.py`).

The inputs of the operator are the sequence (1, steps, features), Keras's weights (`kernel`, `recurrent_kernel` and, if
the layer has one, `bias`), the initial states (1, units), if any, and the UTF-8 bytes, as int32, of a JSON object that
describes the layer. The outputs are the sequence of states (1, steps, units) or the last state (1, units), and, if the
layer returns them, the last states.

The layer is imported as ONNX's LSTM, GRU or RNN. It therefore becomes the loop that the layers of other files become.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.onnx.builder import Constant, Value
from tinyml.lowering.frontends.tflite.builder import GraphBuilder
from tinyml.lowering.frontends.tflite.meanings import Writer, integers, value_of
from tinyml.lowering.frontends.tflite.model import Operator, Tensor
from tinyml.lowering.frontends.tflite.operands import input_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECURRENT = "TINYML_RECURRENT"
"""The name of the custom operator."""

GATES = {"LSTM": (0, 3, 1, 2), "GRU": (0, 1, 2), "RNN": (0,)}
"""For each gate in ONNX's order, its position in Keras's order."""

ACTIVATIONS: Mapping[str, tuple[str, float, float]] = {
    "elu": ("Elu", 1.0, 0.0),
    "hard_sigmoid": ("HardSigmoid", 1 / 6, 0.5),
    "leaky_relu": ("LeakyRelu", 0.2, 0.0),
    "relu": ("Relu", 0.0, 0.0),
    "sigmoid": ("Sigmoid", 0.0, 0.0),
    "softplus": ("Softplus", 0.0, 0.0),
    "softsign": ("Softsign", 0.0, 0.0),
    "tanh": ("Tanh", 0.0, 0.0),
}
"""For each activation of Keras, by its name, ONNX's activation with its factors `alpha` and `beta`."""

_NUMBERED = re.compile(r"tinyml_input_(\d+)_")


def numbered_name(number: int, name: str) -> str:
    """A name for input `number` of a model, from which `in_order` and `input_name` restore the order and the name.

    The converter sorts the inputs of a saved model.
    """
    return f"tinyml_input_{number}_{name}"


def in_order(inputs: Sequence[Tensor]) -> Sequence[Tensor]:
    """The inputs of a graph in the order of their numbers; in their own order if some of them have none."""
    numbers = [_NUMBERED.match(_served(tensor)) for tensor in inputs]
    known = [int(number[1]) for number in numbers if number is not None]
    if len(known) < len(numbers):
        return inputs
    return [tensor for _, tensor in sorted(zip(known, inputs, strict=True), key=itemgetter(0))]


def input_name(tensor: Tensor) -> str:
    """The name of an input in the model that was converted."""
    return _NUMBERED.sub("", _served(tensor), count=1)


def _served(tensor: Tensor) -> str:
    return tensor.name.removeprefix("serving_default_").removesuffix(":0")


_WITH_FACTORS = {"Elu": 1, "HardSigmoid": 2, "LeakyRelu": 1}
"""The number of factors of ONNX's activations that have any: `alpha` and, for two, `beta`."""


@dataclass(frozen=True)
class _Layer:
    """The description of a layer.

    kind: an ONNX op in `GATES`.
    activations: names of `ACTIVATIONS`, in ONNX's order.
    states: the number of initial states that are inputs.
    stateful: whether the states persist from one inference to the next.
    reset_after: for GRU, whether the reset gate multiplies the product of the weights and the state.
    backwards: whether the last step of the sequence is computed first.
    sequence: whether the first output is the sequence of states, in the order of execution.
    """

    kind: str
    activations: Sequence[str]
    bias: bool
    states: int
    stateful: bool
    reset_after: bool
    backwards: bool
    sequence: bool
    name: str

    @classmethod
    def of(cls, op: Operator) -> _Layer:
        """The description of the layer of an operator. Raises `VerifyException` for an invalid operator."""
        text = op.inputs[-1] if op.inputs else None
        try:
            fields = json.loads(bytes(() if text is None or text.data is None else text.data.ravel().tolist()))
            layer = cls(**fields)
        except (ValueError, TypeError, RecursionError) as error:
            raise VerifyException("the description of the layer is not valid") from error
        flags = layer.bias, layer.stateful, layer.reset_after, layer.backwards, layer.sequence
        known = layer.kind in GATES and isinstance(layer.activations, list)
        if not known or not all(name in ACTIVATIONS for name in layer.activations) or {*map(type, flags)} != {bool}:
            raise VerifyException("the description of the layer is not valid")
        count = 2 if layer.kind == "LSTM" else 1
        if layer.states not in (0, count) or (layer.stateful and not layer.states):
            raise VerifyException(f"expected {count} initial states, got {layer.states}")
        if len(op.inputs) != 4 + layer.bias + layer.states or len(op.outputs) not in (1, 1 + count):
            raise VerifyException(f"{len(op.inputs)} inputs and {len(op.outputs)} outputs do not fit the layer")
        for tensor in (*op.inputs[:-1], *op.outputs):
            if tensor is None or tensor.dtype != "float32":
                raise VerifyException("a recurrent layer of Keras is supported in float32 only")
        return layer

    def begun(self, op: Operator) -> Sequence[Tensor]:
        """The initial states, of shape (1, units)."""
        first = 3 + self.bias
        return [input_of(op, first + state) for state in range(self.states)]


def persistent_states(op: Operator) -> Sequence[Tensor]:
    """The initial values of the states of a stateful layer; none for any other layer."""
    layer = _Layer.of(op)
    return layer.begun(op) if layer.stateful else []


def carried_layer(to: GraphBuilder, op: Operator, states: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Import one inference of a stateful layer, and return its states after the inference."""
    layer = _Layer.of(op)
    return _imported(to, op, layer, [OrderedTensor.plain(state) for state in states])


def recurrent_layer(to: GraphBuilder, op: Operator) -> None:
    """Import a recurrent layer of Keras whose states begin anew in each inference."""
    layer = _Layer.of(op)
    _imported(to, op, layer, [value_of(to, tensor) for tensor in layer.begun(op)])


def _imported(to: GraphBuilder, op: Operator, layer: _Layer, begun: Sequence[Value]) -> Sequence[SSAValue]:
    """Import a layer, define its outputs, and return its last states, of shape (1, units).

    begun: the initial states, of shape (1, units); empty for zeros.
    """
    write, units = Writer(to, op), op.outputs[0].shape[-1]
    x = input_of(op, 0)
    entered, kept = (_weights(op, layer, position, units) for position in (1, 2))
    if len(x.shape) != 3 or x.shape[0] != 1 or entered.shape != (1, len(GATES[layer.kind]) * units, x.shape[2]):
        raise VerifyException(f"the sequence of shape {x.shape} does not fit the weights")
    if kept.shape[2] != units:
        raise VerifyException(f"the weights of the state do not fit {units} units")
    one = [_reshaped(write, state, (1, 1, units)) for state in begun]
    outputs = "Y" if layer.sequence else "", "Y_h", *(["Y_c"] if layer.kind == "LSTM" else [])
    whole, *last = write.several(
        layer.kind,
        (value_of(to, x), entered, kept, _bias(op, layer, units), None, *one),
        outputs,
        layout=1,
        hidden_size=units,
        direction="reverse" if layer.backwards else "forward",
        linear_before_reset=int(layer.reset_after),
        **_activations(layer),
    )
    states = [to.reshape(write.to.tensor(state), (1, units)) for state in last]
    if layer.sequence:
        steps = write.to.tensor(write("Squeeze", whole, integers((2,))))
        # ONNX returns the states in the order of the sequence, Keras in the order of execution.
        results = [to.op(tdsl.ReverseOp, steps, 1) if layer.backwards else steps]
    else:
        results = [states[0]]
    for output, value in zip(op.outputs, [*results, *states], strict=False):
        to.define(output, to.reshape(value, output.shape))
    return states


def _reshaped(write: Writer, value: Value, shape: tuple[int, ...]) -> Value:
    return write("Reshape", value, integers(shape))


def _gates(array: NDArray[Any], kind: str) -> NDArray[Any]:
    """Reorder the gates along the last axis from Keras's order to ONNX's."""
    parts = np.split(array, len(GATES[kind]), axis=-1)
    return np.concatenate([parts[number] for number in GATES[kind]], axis=-1)


def _weights(op: Operator, layer: _Layer, position: int, units: int) -> Constant:
    """The weights at an input position as ONNX stores them, of shape (1, gates * units, length)."""
    array = _constant(op, position)
    if array.ndim != 2 or array.shape[1] != len(GATES[layer.kind]) * units:
        raise VerifyException(f"weights of shape {array.shape} do not fit {units} units")
    return Constant(np.ascontiguousarray(_gates(array, layer.kind).T[None]))


def _bias(op: Operator, layer: _Layer, units: int) -> Constant | None:
    """The biases of the inputs and of the states, of shape (1, 2 * gates * units); None for a layer without bias."""
    if not layer.bias:
        return None
    array, length = _constant(op, 3), len(GATES[layer.kind]) * units
    if array.shape not in ((length,), (2, length)):
        raise VerifyException(f"a bias of shape {array.shape} does not fit {units} units")
    rows = array if array.ndim == 2 else np.stack([array, np.zeros_like(array)])
    return Constant(_gates(rows, layer.kind).reshape(1, -1))


def _constant(op: Operator, position: int) -> NDArray[Any]:
    tensor = input_of(op, position)
    if tensor.data is None:
        raise VerifyException(f"{tensor} must be constant")
    return tensor.data


def _activations(layer: _Layer) -> Mapping[str, Any]:
    """The attributes of the ONNX node that describe the activations."""
    written = [ACTIVATIONS[name] for name in layer.activations]
    alpha, beta = (tuple(known[at] for name, *known in written if _WITH_FACTORS.get(name, 0) > at) for at in (0, 1))
    names = tuple(name for name, *_ in written)
    return {"activations": names, "activation_alpha": alpha, "activation_beta": beta}
