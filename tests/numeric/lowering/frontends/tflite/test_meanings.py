"""Floating-point operators of TensorFlow Lite, normalisations composed of several operators, and operators that move
elements.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.on_boards import difference, printed
from programs.spread import spread_product
from programs.tflite_models import TfliteModel, computed_by_tflm, raws

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

RANDOM = np.random.default_rng(8)
X = RANDOM.normal(size=(7, 4, 6)).astype(np.float32)
"""Samples 4 x 6; the model takes 1 x 4 x 6."""
MATRIX = RANDOM.normal(size=(1, 4, 4)).astype(np.float32)
ROW = RANDOM.normal(size=6).astype(np.float32)
LEFT = RANDOM.normal(size=(1, 3, 4)).astype(np.float32)
TRANSPOSED = RANDOM.normal(size=(1, 5, 6)).astype(np.float32)

Operator = tuple[str, list[Any], dict[str, Any], Callable[["Array"], "Array"]]
"""Kind, operands (None for x, arrays for constants), options, and the values, (samples, ...)."""

OPERATORS: dict[str, Operator] = {
    "ABS": ("ABS", [None], {}, np.abs),
    "SQUARE": ("SQUARE", [None], {}, np.square),
    "SQUARED_DIFFERENCE": ("SQUARED_DIFFERENCE", [None, ROW], {}, lambda x: np.square(x - ROW)),
    "DIV": ("DIV", [None, ROW], {}, lambda x: x / ROW),
    "NEG": ("NEG", [None], {}, np.negative),
    "EXP": ("EXP", [None], {}, np.exp),
    "POW": ("POW", [None, np.float32(2)], {}, np.square),
    "SUM": ("SUM", [None, np.array([2])], {"KeepDims": True}, lambda x: x.sum(2, keepdims=True)),
    "SUM of both axes": ("SUM", [None, np.array([-1, 1])], {}, lambda x: x.sum((1, 2))),
    "REDUCE_MIN": ("REDUCE_MIN", [None, np.array([1])], {}, lambda x: x.min(1)),
    "LOG_SOFTMAX": ("LOG_SOFTMAX", [None], {}, lambda x: x - np.log(np.exp(x).sum(2, keepdims=True))),
    "GATHER": ("GATHER", [None, np.array([3, 1, 1, 0])], {"Axis": 1}, lambda x: x[:, [3, 1, 1, 0]]),
    "GATHER in steps": ("GATHER", [None, np.array([5, 3, 1])], {"Axis": -1}, lambda x: x[:, :, [5, 3, 1]]),
    "constant @ x": ("BATCH_MATMUL", [LEFT, None], {}, lambda x: LEFT @ x),
    "x @ constant^T": ("BATCH_MATMUL", [None, TRANSPOSED], {"AdjY": True}, lambda x: x @ TRANSPOSED[0].T),
    "x @ x^T": ("BATCH_MATMUL", [None, None], {"AdjY": True}, lambda x: x @ x.transpose(0, 2, 1)),
    "x^T @ x": ("BATCH_MATMUL", [None, None], {"AdjX": True}, lambda x: x.transpose(0, 2, 1) @ x),
}


def network(kind: str, operands: list[Any], shape: tuple[int, ...], options: dict[str, Any]) -> bytes:
    """The bytes of a model with one operator on a float tensor 1 x 4 x 6.

    kind: the name of the operator.
    operands: its operands; None stands for the tensor, other values are constants.
    shape: the shape of the result without the batch.
    options: the options of the operator.
    """
    model = TfliteModel()
    x, y = model.tensor((1, 4, 6), "float32"), model.tensor((1, *shape), "float32")
    inputs = [
        x if each is None else model.constant(each, "float32" if np.asarray(each).dtype.kind == "f" else "int32")
        for each in operands
    ]
    model.op(kind, inputs, y, **options)
    return model.finish([x], [y])


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_on_floats(name: str):
    kind, operands, options, compute = OPERATORS[name]
    expected = compute(X)
    module = read_tflite(network(kind, operands, expected.shape[1:], options), "m.tflite")
    [found, *_] = [np.asarray(each) for each in evaluate_reals(module, X.reshape(7, -1)).tensors]
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.long
@pytest.mark.parametrize(
    ("device", "name"), spread_product(8, DEVICES, ["SQUARED_DIFFERENCE", "GATHER", "x @ x^T", "REDUCE_MIN"])
)
def test_devices_compute_the_same_bits(device: str, name: str, tmp_path: Path):
    kind, operands, options, compute = OPERATORS[name]
    module = read_tflite(network(kind, operands, compute(X).shape[1:], options), "m.tflite")
    np.savez(tmp_path / "val.npz", x=X)
    given = {"format": "fixed", "width": 16, "data": str(tmp_path / "val.npz"), "target": "host"}
    pipelines.run(module, context(), pipelines.flatten("reals-to-formats", given))
    source = printed(module, device, tmp_path / "c")
    assert difference(module, encode_inputs(module, X.reshape(7, -1)), source, runner_for(device), tmp_path) is None


class Spelled:
    """A model of a normalisation of x (1 x 4 x 6), to which operators are appended one by one."""

    def __init__(self) -> None:
        self.model = TfliteModel()
        self.x = self.model.tensor((1, 4, 6), "float32")

    def __call__(self, kind: str, *operands: Any, shape: tuple[int, ...] = (1, 4, 6), **options: Any) -> int:
        inputs = [each if isinstance(each, int) else self.model.constant(each, each.dtype.name) for each in operands]
        result = self.model.tensor(shape, "float32")
        self.model.op(kind, inputs, result, **options)
        return result

    def mean(self, of: int, axis: int, kind: str = "MEAN") -> int:
        shape = (1, 4, 1) if axis == 2 else (1, 1, 6)
        return self(kind, of, np.array([axis], np.int32), shape=shape, KeepDims=True)


EPSILON = np.float32(0.3)
GAMMA, BETA = RANDOM.normal(size=(2, 6)).astype(np.float32)


def keras(w: Spelled, axis: int, activation: int) -> int:
    """Write Keras's normalisation along an axis, x * (gamma / sd) + (beta - mean * (gamma / sd)), and return the index
    of its result.

    activation: the activation of the last operator.
    """
    mean = w.mean(w.x, axis)
    spread = w.mean(w("SQUARED_DIFFERENCE", w.x, mean), axis)
    small = (1, 4, 1) if axis == 2 else (1, 1, 6)
    factor = w("MUL", w("RSQRT", w("ADD", spread, EPSILON, shape=small), shape=small), GAMMA)
    return w("ADD", w("MUL", w.x, factor), w("SUB", BETA, w("MUL", mean, factor)), FusedActivationFunction=activation)


@pytest.mark.parametrize("axis", [1, 2])
def test_a_normalisation_before_a_fused_relu(axis: int):
    w = Spelled()
    module = read_tflite(w.model.finish([w.x], [keras(w, axis, activation=1)]), "m.tflite")
    assert any(isinstance(op, tdsl.NormaliseOp) for op in module.walk())
    [found, *_] = [np.asarray(each) for each in evaluate_reals(module, X.reshape(7, -1)).tensors]
    scaled = GAMMA * (X - X.mean(axis, keepdims=True)) / np.sqrt(X.var(axis, keepdims=True) + EPSILON)
    np.testing.assert_allclose(found.reshape(X.shape), np.maximum(scaled + BETA, 0), rtol=1e-4, atol=1e-5)


def test_a_spelled_softsign():
    w = Spelled()
    content = w.model.finish([w.x], [w("DIV", w.x, w("ADD", w("ABS", w.x), np.float32(1)))])
    scores = np.asarray(evaluate_reals(read_tflite(content, "m.tflite"), X.reshape(7, -1)).tensors[0])
    np.testing.assert_allclose(scores.reshape(X.shape), X / (1 + np.abs(X)), rtol=1e-5)


def test_roots_of_anything_else_are_refused():
    """A root is rejected if it is the result of the model, or if it divides a tensor other than the one whose squares
    are averaged.
    """
    w = Spelled()
    spread = w.mean(w("SQUARED_DIFFERENCE", w.x, w.mean(w.x, 2)), 2)
    with pytest.raises(InputError, match=r"operator 3 \(SQRT,.*\) is not supported"):
        read_tflite(w.model.finish([w.x], [w("SQRT", spread, shape=(1, 4, 1))]), "m.tflite")
    w = Spelled()
    root = w("RSQRT", w.mean(w("SQUARE", w.x), 2), shape=(1, 4, 1))
    with pytest.raises(InputError, match=r"operator 2 \(RSQRT,.*\) is not supported"):
        read_tflite(w.model.finish([w.x], [w("MUL", w("EXP", w.x), root)]), "m.tflite")


MOVEMENTS: dict[str, tuple[str, Any, dict[str, Any], tuple[int, ...]]] = {
    "rows": ("GATHER", np.array([3, 0, 0, 2]), {"Axis": 1}, (1, 4, 6, 8)),
    "channels": ("GATHER", np.array([7, 5, 3, 1]), {"Axis": 3}, (1, 4, 6, 4)),
    "single": ("GATHER", np.array(2), {"Axis": 2}, (1, 4, 8)),
    "depth to space": ("DEPTH_TO_SPACE", None, {"BlockSize": 2}, (1, 8, 12, 2)),
    "space to depth": ("SPACE_TO_DEPTH", None, {"BlockSize": 2}, (1, 2, 3, 32)),
    "every other pixel": ("RESIZE_NEAREST_NEIGHBOR", np.array([2, 3]), {"HalfPixelCenters": True}, (1, 2, 3, 8)),
    "aligned corners": ("RESIZE_NEAREST_NEIGHBOR", np.array([7, 4]), {"AlignCorners": True}, (1, 7, 4, 8)),
    "reflected": ("MIRROR_PAD", np.array([[0, 0], [3, 1], [0, 2], [1, 0]]), {"Mode": 0}, (1, 8, 8, 9)),
    "symmetric": ("MIRROR_PAD", np.array([[0, 0], [4, 0], [2, 1], [0, 0]]), {"Mode": 1}, (1, 8, 9, 8)),
}


@pytest.mark.parametrize("name", MOVEMENTS)
def test_movements_keep_the_bytes_of_tensorflow_lite(name: str):
    kind, second, options, shape = MOVEMENTS[name]
    model = TfliteModel()
    x, y = (model.tensor(each, "int8", 0.5, 3) for each in ((1, 4, 6, 8), shape))
    model.op(kind, [x] if second is None else [x, model.constant(second)], y, **options)
    content = model.finish([x], [y])
    given = raws(np.random.default_rng(1), (4, 1, 4, 6, 8))
    scores = evaluate(read_tflite(content, "m.tflite"), given.reshape(4, -1)).scores
    assert scores is not None
    [expected] = computed_by_tflm(content, given)
    np.testing.assert_array_equal(scores.reshape(4, -1), expected)


@pytest.mark.parametrize("dtype", ["int32", "int8", "uint8", "int16", "int64"])
def test_casts_of_computed_numbers_are_refused(dtype: str):
    model = TfliteModel()
    x, y, z = (model.tensor((1, 4), each) for each in ("float32", dtype, "float32"))
    model.op("CAST", [x], y)
    model.op("CAST", [y], z)
    with pytest.raises(
        InputError, match=r"m.tflite: operator 0 \(CAST,.*\) on 't1' of type .* is not supported: floats"
    ) as error:
        read_tflite(model.finish([x], [z]), "m.tflite")
    assert "\n" not in str(error.value)


def test_quantised_operators_without_a_form_are_refused():
    model = TfliteModel()
    x, y = (model.tensor((1, 4), "int8", 0.5, 0) for _ in range(2))
    model.op("ABS", [x], y)
    with pytest.raises(InputError, match=r"operator 0 \(ABS,.*\): a quantised one is not supported"):
        read_tflite(model.finish([x], [y]), "m.tflite")
