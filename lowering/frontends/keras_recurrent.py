"""Recurrent layers of Keras as single operators of the converted model.

Keras's converter would write the steps of such a layer one after another. During the conversion, each LSTM, GRU and
SimpleRNN, and each RNN around one of their cells, is therefore a function that the converter keeps as one operator
(`RECURRENT`). Its operands are the sequence, the weights, the initial states and a description of the layer
(`tflite/keras_layers.py` lists them). The importer of TensorFlow Lite files makes a loop of it.

Layers with other cells or activations are unrolled by Keras.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.tflite.keras_layers import ACTIVATIONS, RECURRENT

_CELLS = {"LSTMCell": "LSTM", "GRUCell": "GRU", "SimpleRNNCell": "RNN"}
"""The name of the equivalent ONNX op for each class of cells."""

_LAYERS = ("LSTM", "GRU", "SimpleRNN", "RNN")
"""The classes of layers that run one cell over a sequence."""

MASKED = (
    "has a mask, with which it skips steps as the data ask for it: train without Masking and without mask_zero, on "
    "sequences of one length"
)

STATEFUL = f"this is supported with cells {', '.join(_CELLS)} and the activations {', '.join(ACTIVATIONS)}"


@contextmanager
def recurrent_operators(model: Any, name: str) -> Generator[bool]:
    """A context in which the recurrent layers of a model are operators when TensorFlow traces the model. The value is
    whether there are any.

    Raises `InputError` for a layer that keeps a state and is not of these, and from the context for a layer that is
    called with a mask.

    name: the name of the model in messages.
    """
    layers = [layer for layer in model._flatten_layers() if _kind(layer) is not None]
    for layer in model._flatten_layers():
        if _is_of_keras(layer, _LAYERS) and layer.stateful and layer not in layers:
            raise InputError(f"the layer '{layer.name}' keeps a state: {STATEFUL}", file=name)
    masked: list[Any] = []
    for layer in layers:
        object.__setattr__(layer, "call", _operator(layer, masked))
    try:
        yield bool(layers)
    except Exception as error:
        if not masked:
            raise
        raise InputError(f"the layer '{masked[0].name}' {MASKED}", file=name) from error
    finally:
        for layer in layers:
            object.__delattr__(layer, "call")


@contextmanager
def constant_variables(model: Any) -> Generator[None]:
    """A context in which the variables of a model are constants when TensorFlow traces the model."""
    keras, tensorflow = import_module("keras"), import_module("tensorflow")
    values = [(variable, tensorflow.constant(_array(variable))) for variable in model.variables]
    with keras.StatelessScope(state_mapping=values):
        yield


def _kind(layer: Any) -> str | None:
    """The ONNX op that computes what a layer of Keras computes; None if no such op does."""
    if not _is_of_keras(layer, _LAYERS) or not _is_of_keras(cell := layer.cell, tuple(_CELLS)):
        return None
    if layer.compute_dtype != "float32" or layer.cell.compute_dtype != "float32":
        return None
    kind = _CELLS[type(cell).__name__]
    return kind if all(activation in ACTIVATIONS for activation in _activations(cell, kind)) else None


def _is_of_keras(layer: Any, names: Sequence[str]) -> bool:
    kind = cast("type[Any]", type(layer))
    return kind.__name__ in names and kind.__module__.partition(".")[0] == "keras"


def _activations(cell: Any, kind: str) -> list[str]:
    """The activations of a cell, in the order of ONNX's."""
    inner = getattr(cell.activation, "__name__", "")
    gate = getattr(getattr(cell, "recurrent_activation", None), "__name__", "")
    return {"LSTM": [gate, inner, inner], "GRU": [gate, inner], "RNN": [inner]}[kind]


def _array(variable: Any) -> Any:
    return np.asarray(variable.value.numpy(), np.float32 if "float" in variable.dtype else None)


def _operator(layer: Any, masked: list[Any]) -> Callable[..., Any]:
    """A function that replaces the method `call` of a recurrent layer.

    masked: layers that were called with a mask are appended.
    """
    tensorflow = import_module("tensorflow")
    cell, kind = layer.cell, _kind(layer)
    assert kind is not None
    weights = [_array(weight) for weight in (cell.kernel, cell.recurrent_kernel)]
    weights += [_array(cell.bias)] if cell.use_bias else []
    units, states = weights[1].shape[0], 2 if kind == "LSTM" else 1

    def call(sequences: Any, initial_state: Any = None, mask: Any = None, training: bool = False) -> Any:
        if mask is not None:
            masked.append(layer)
            raise ValueError(MASKED)
        if initial_state is not None and not isinstance(initial_state, list | tuple):
            initial_state = [initial_state]
        stateful = bool(layer.stateful) and initial_state is None
        begun: list[Any] = [*(initial_state or ())] or [tensorflow.zeros((1, units))] * (states if stateful else 0)
        description = {
            "kind": kind,
            "activations": _activations(cell, kind),
            "bias": bool(cell.use_bias),
            "states": len(begun),
            "stateful": stateful,
            "reset_after": bool(getattr(cell, "reset_after", False)),
            "backwards": bool(layer.go_backwards),
            "sequence": bool(layer.return_sequences),
            "name": layer.name,
        }
        text = np.frombuffer(json.dumps(description).encode(), np.uint8).astype(np.int32)
        shape = (1, sequences.shape[1], units) if layer.return_sequences else (1, units)
        shapes = [shape, *[(1, units)] * (states if layer.return_state else 0)]
        results = _kept(tensorflow, shapes)(sequences, *map(tensorflow.constant, weights), *begun, text)
        return results if layer.return_state else results[0]

    return call


def _kept(tensorflow: Any, shapes: Sequence[tuple[int, ...]]) -> Any:
    """A function that the converter keeps as the operator `RECURRENT`, with results of the shapes `shapes`."""

    def placeholder(*operands: Any) -> Any:
        # Results that depend on no operand would be folded to constants.
        total = sum(tensorflow.reduce_sum(tensorflow.cast(operand, tensorflow.float32)) for operand in operands)
        return [tensorflow.fill(shape, total) for shape in shapes]

    implements = f'name: "{RECURRENT}" attr {{ key: "tfl_fusable_op" value {{ b: true }} }}'
    return tensorflow.function(placeholder, autograph=False, experimental_implements=implements)
