"""Normalisations written out as elementary ops: each spelling is recognised in ONNX and in TensorFlow Lite files, along
each axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.onnx_models import imported, model, node
from programs.tflite_models import TfliteModel
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.evaluator.evaluator import evaluate_reals

Array = NDArray[Any]

RANDOM = np.random.default_rng(3)
SHAPE = (1, 4, 6)
X = RANDOM.normal(size=(5, *SHAPE)).astype(np.float32)
GAMMA, BETA = RANDOM.normal(size=(2, 6)).astype(np.float32)
EPSILON, TINY = np.array([0.3, 1e-12], np.float32).reshape(2, 1)


class OnnxGraph:
    """A writer of ONNX nodes. Opset 18 has the axes of reductions as inputs."""

    NAMES = {
        "add": "Add", "div": "Div", "maximum": "Max", "minimum": "Min", "mul": "Mul", "neg": "Neg", "sqrt": "Sqrt",
        "sub": "Sub", "mean": "ReduceMean", "sum": "ReduceSum", "exp": "Exp", "reduce_max": "ReduceMax",
    }  # fmt: skip

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, Array] = {}
        self.x = "x"

    def __call__(self, kind: str, *operands: Any, axis: int | None = None) -> str:
        names = [each if isinstance(each, str) else self.constant(each) for each in operands]
        names += [] if axis is None else [self.constant(np.array([axis]))]
        result = f"v{len(self.nodes)}"
        if kind == "rsqrt":
            return self("reciprocal", self("sqrt", *names))
        if kind == "squared_difference":
            return self("square", self("sub", *names))
        if kind == "square":
            self.nodes.append(node("Pow", f"{names[0]} {self.constant(np.float32(2))}", result))
        elif kind == "reciprocal":
            self.nodes.append(node("Reciprocal", names[0], result))
        else:
            self.nodes.append(node(self.NAMES[kind], " ".join(names), result))
        return result

    def constant(self, array: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array)
        return name

    def module(self, result: str) -> ModuleOp:
        return imported(model(self.nodes, SHAPE, self.constants, outputs=[result], opset=18))


class TfliteGraph:
    """A writer of TensorFlow Lite operators."""

    def __init__(self) -> None:
        self.model = TfliteModel()
        self.x = self.model.tensor(SHAPE, "float32")
        self.shapes: dict[int, tuple[int, ...]] = {self.x: SHAPE}

    def __call__(self, kind: str, *operands: Any, axis: int | None = None) -> int:
        if kind == "reciprocal":
            return self("div", np.float32(1), *operands)
        inputs = [each if isinstance(each, int) else self.model.constant(each, "float32") for each in operands]
        shapes = [self.shapes.get(each, ()) if isinstance(each, int) else each.shape for each in operands]
        shape, options = tuple(np.broadcast_shapes(*shapes)), {}
        if axis is not None:
            inputs.append(self.model.constant(np.array([axis], np.int32), "int32"))
            shape, options = tuple(1 if at == axis else n for at, n in enumerate(shape)), {"KeepDims": True}
        result = self.model.tensor(shape, "float32")
        self.shapes[result] = shape
        self.model.op(kind.upper(), inputs, result, **options)
        return result

    def module(self, result: int) -> ModuleOp:
        return read_tflite(self.model.finish([self.x], [result]), "m.tflite")


Graph = Any


def keras(w: Graph, axis: int) -> Any:
    """The normalisation x * (gamma / sd) + (beta - mean * (gamma / sd)), which Keras computes."""
    mean = w("mean", w.x, axis=axis)
    spread = w("mean", w("squared_difference", w.x, mean), axis=axis)
    factor = w("mul", w("rsqrt", w("add", spread, EPSILON)), GAMMA)
    return w("add", w("mul", w.x, factor), w("sub", BETA, w("mul", mean, factor)))


def quotient(w: Graph, axis: int) -> Any:
    """The normalisation gamma * ((x - mean) / sd) + beta, which PyTorch's exporter writes."""
    less = w("sub", w.x, w("mean", w.x, axis=axis))
    root = w("sqrt", w("add", EPSILON, w("mean", w("mul", less, less), axis=axis)))
    return w("add", w("mul", GAMMA, w("div", less, root)), BETA)


def difference_written_twice(w: Graph, axis: int) -> Any:
    mean = w("mean", w.x, axis=axis)
    spread = w("mean", w("square", w("sub", w.x, mean)), axis=axis)
    root = w("sqrt", w("add", spread, EPSILON))
    return w("add", w("mul", w("div", w("sub", w.x, mean), root), GAMMA), BETA)


def second_moment(w: Graph, axis: int) -> Any:
    """A variance of the form mean(x^2) - mean(x)^2, limited at 0, which Flax computes."""
    mean, square = w("mean", w.x, axis=axis), w("mean", w("square", w.x), axis=axis)
    spread = w("maximum", w("sub", square, w("square", mean)), np.float32(0))
    factor = w("mul", w("rsqrt", w("add", spread, EPSILON)), GAMMA)
    return w("add", w("mul", w("sub", w.x, mean), factor), BETA)


def negated(w: Graph, axis: int) -> Any:
    """The addend beta + (-mean) * factor, which Keras 3 computes."""
    mean = w("mean", w.x, axis=axis)
    spread = w("mean", w("squared_difference", w.x, mean), axis=axis)
    factor = w("mul", w("rsqrt", w("add", spread, EPSILON)), GAMMA)
    return w("add", w("mul", w.x, factor), w("add", w("mul", w("neg", mean), factor), BETA))


def mean_square(w: Graph, axis: int) -> Any:
    root = w("rsqrt", w("add", w("mean", w("square", w.x), axis=axis), EPSILON))
    return w("mul", w("mul", w.x, root), GAMMA)


def scaled_first(w: Graph, axis: int) -> Any:
    root = w("sqrt", w("add", w("mean", w("mul", w.x, w.x), axis=axis), EPSILON))
    return w("div", w("mul", w.x, GAMMA), root)


def norm(w: Graph, axis: int) -> Any:
    return w("mul", w.x, w("rsqrt", w("add", w("sum", w("mul", w.x, w.x), axis=axis), EPSILON)))


def limited_square(w: Graph, axis: int) -> Any:
    """A unit vector as `tf.math.l2_normalize` computes it."""
    return w("mul", w.x, w("rsqrt", w("maximum", w("sum", w("square", w.x), axis=axis), TINY)))


def limited_norm(w: Graph, axis: int) -> Any:
    """A unit vector as `torch.nn.functional.normalize` computes it."""
    return w("div", w.x, w("maximum", w("sqrt", w("sum", w("square", w.x), axis=axis)), TINY))


def _standard(x: Array, axis: int) -> Array:
    return GAMMA * (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + EPSILON) + BETA


def _mean_square(x: Array, axis: int) -> Array:
    return GAMMA * x / np.sqrt((x * x).mean(axis, keepdims=True) + EPSILON)


def _unit(x: Array, axis: int) -> Array:
    return x / np.sqrt((x * x).sum(axis, keepdims=True))


SPELLINGS: dict[Callable[[Graph, int], Any], Callable[[Array, int], Array]] = {
    keras: _standard,
    quotient: _standard,
    difference_written_twice: _standard,
    second_moment: _standard,
    negated: _standard,
    mean_square: _mean_square,
    scaled_first: _mean_square,
    norm: lambda x, axis: x / np.sqrt((x * x).sum(axis, keepdims=True) + EPSILON),
    limited_square: _unit,
    limited_norm: _unit,
}


def _results(module: ModuleOp) -> Array:
    return np.asarray(evaluate_reals(module, X.reshape(len(X), -1)).tensors[0]).reshape(X.shape)


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("graph", [OnnxGraph, TfliteGraph])
@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda each: each.__name__)
def test_a_spelling_is_one_normalisation(spelling: Callable[[Graph, int], Any], graph: Callable[[], Graph], axis: int):
    w = graph()
    module = w.module(spelling(w, axis))
    assert sum(isinstance(op, tdsl.NormaliseOp) for op in module.walk()) == 1
    # The axis counts from the sample's.
    np.testing.assert_allclose(_results(module), SPELLINGS[spelling](X, axis + 1), rtol=1e-4, atol=1e-5)


def softmax(w: Graph, axis: int) -> Any:
    power = w("exp", w("sub", w.x, w("reduce_max", w.x, axis=axis)))
    return w("div", power, w("sum", power, axis=axis))


def bare_softmax(w: Graph, axis: int) -> Any:
    power = w("exp", w.x)
    return w("div", power, w("sum", power, axis=axis))


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("graph", [OnnxGraph, TfliteGraph])
@pytest.mark.parametrize("spelling", [softmax, bare_softmax])
def test_a_spelling_is_one_softmax(spelling: Callable[[Graph, int], Any], graph: Callable[[], Graph], axis: int):
    w = graph()
    module = w.module(spelling(w, axis))
    assert [op.name for op in module.walk() if isinstance(op, tdsl.SoftmaxOp | tdsl.ExpOp)] == ["tdsl.softmax"]
    powers = np.exp(X.astype(np.float64))
    np.testing.assert_allclose(_results(module), powers / powers.sum(axis + 1, keepdims=True), rtol=1e-4, atol=1e-6)


def test_shares_along_another_axis_are_no_softmax():
    """A product with the exponential of the negated sums of another tensor stays as it is."""
    w = OnnxGraph()
    power = w("exp", w.x)
    shares = w("div", power, w("add", w("sum", w("exp", w("neg", w.x)), axis=2), np.float32(1)))
    with pytest.raises(InputError, match="divides by a tensor that is neither a constant nor known to be positive"):
        w.module(shares)


def _of_another(w: Graph) -> Any:
    """A root that divides another tensor than the one whose squares are averaged."""
    return w("mul", w("exp", w.x), w("rsqrt", w("mean", w("square", w.x), axis=2)))


def _of_two_axes(w: Graph) -> Any:
    """A difference of moments along two axes."""
    mean = w("mean", w.x, axis=1)
    moments = w("sub", w("mean", w("square", w.x), axis=2), w("square", mean))
    return w("mul", w("sub", w.x, mean), w("rsqrt", w("add", moments, EPSILON)))


def _negative_epsilon(w: Graph) -> Any:
    return w("div", w.x, w("sqrt", w("add", w("mean", w("square", w.x), axis=2), np.float32(-0.1))))


def _far_limit(w: Graph) -> Any:
    """A norm whose lower limit rows of a usual size reach."""
    return w("div", w.x, w("maximum", w("sqrt", w("sum", w("square", w.x), axis=2)), np.float32(0.1)))


@pytest.mark.parametrize("graph", [OnnxGraph, TfliteGraph])
@pytest.mark.parametrize("write", [_of_another, _of_two_axes, _negative_epsilon, _far_limit])
def test_other_roots_are_refused(write: Callable[[Graph], Any], graph: Callable[[], Graph]):
    w = graph()
    with pytest.raises(InputError, match=r"(?i)r?sqrt.*not supported"):
        w.module(write(w))


def _of_onnx(nodes: Sequence[Any], constants: dict[str, Array], opset: int) -> Array:
    module = imported(model(nodes, SHAPE, constants, opset=opset))
    assert sum(isinstance(op, tdsl.NormaliseOp) for op in module.walk()) == 1
    return _results(module)


def test_a_norm_as_pytorch_exports_it():
    """`torch.nn.functional.normalize` exports ReduceL2, Clip, Expand and Div."""
    nodes = [
        node("ReduceL2", "x", "n", axes=[-1], keepdims=1),
        node("Clip", "n tiny", "c"),
        node("Shape", "x", "s"),
        node("Expand", "c s", "e"),
        node("Div", "x e"),
    ]
    np.testing.assert_allclose(_of_onnx(nodes, {"tiny": TINY}, 17), _unit(X, 3), rtol=1e-5, atol=1e-6)


def test_means_without_their_axes():
    """Means whose axes Unsqueeze restores."""
    axis = {"a": np.array([2])}
    nodes = [
        node("ReduceMean", "x a", "m0", keepdims=0),
        node("Unsqueeze", "m0 a", "m"),
        node("Sub", "x m", "d"),
        node("Mul", "d d", "p"),
        node("ReduceMean", "p a", "v0", keepdims=0),
        node("Add", "v0 e", "v1"),
        node("Sqrt", "v1", "r0"),
        node("Unsqueeze", "r0 a", "r"),
        node("Div", "d r", "q"),
        node("Mul", "q g", "z"),
        node("Add", "z b"),
    ]
    found = _of_onnx(nodes, {**axis, "e": EPSILON, "g": GAMMA, "b": BETA}, 18)
    np.testing.assert_allclose(found, _standard(X, 3), rtol=1e-4, atol=1e-5)


def test_a_mean_along_another_axis_than_it_broadcasts():
    """A mean over the last axis of a square matrix, without its axis, broadcasts along the other axis."""
    nodes = [
        node("Mul", "x x", "p"),
        node("ReduceMean", "p a", "v", keepdims=0),
        node("Sqrt", "v", "r"),
        node("Div", "x r"),
    ]
    with pytest.raises(InputError, match="Sqrt 'Sqrt_r': the op is not supported"):
        imported(model(nodes, [4, 4], {"a": np.array([1])}, opset=18))
