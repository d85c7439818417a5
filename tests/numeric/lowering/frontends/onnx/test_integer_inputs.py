"""Inputs of integers: indices, masks and numbers, compared with onnxruntime."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import onnx
import pytest
from onnx import helper
from oracles.onnx_models import Array, imported, model, node, onnxruntime

from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import evaluate_reals

KINDS = {"int32": onnx.TensorProto.INT32, "int64": onnx.TensorProto.INT64, "bool": onnx.TensorProto.BOOL}


def with_inputs(given: onnx.ModelProto, arrays: Mapping[str, Array]) -> onnx.ModelProto:
    """Replace the inputs of a model in place by inputs with the names, types and shapes of `arrays`, in this order, and
    return the model.
    """
    del given.graph.input[:]
    for name, array in arrays.items():
        kind = KINDS.get(str(array.dtype), onnx.TensorProto.FLOAT)
        given.graph.input.append(helper.make_tensor_value_info(name, kind, array.shape))
    return given


def check(given: onnx.ModelProto, arrays: Mapping[str, Array]) -> None:
    """Assert that the program of a model with the inputs `arrays` computes what onnxruntime does."""
    given = with_inputs(given, arrays)
    session = onnxruntime.InferenceSession(onnx.shape_inference.infer_shapes(given).SerializeToString())
    expected = session.run(None, dict(arrays))
    x = np.concatenate([array.ravel() for array in arrays.values()]).astype(np.float32)
    got = evaluate_reals(imported(given), x[None]).tensors
    assert len(got) == len(expected)
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine.ravel(), theirs.ravel().astype(np.float64), rtol=1e-6)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(6)


@pytest.mark.parametrize("indices", [(), (1,), (5,), (2, 3)])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_elements_at_computed_indices(axis: int, indices: tuple[int, ...], random: np.random.Generator):
    """`Gather` along an axis by an input of indices equals onnxruntime's, for no, one and several indices, including
    negative ones.
    """
    shape = (7, 1, 4) if axis == 0 else (2, 3, 11)
    extent = shape[axis]
    data = random.normal(size=shape).astype(np.float32)
    numbers = random.integers(-extent, extent, indices, np.int64)
    check(model([node("Gather", "data i", axis=axis)], []), {"data": data, "i": np.asarray(numbers)})


@pytest.mark.parametrize("extent", [1, 2, 3, 8, 9, 100])
def test_every_index_of_an_axis(extent: int):
    table = np.arange(extent, dtype=np.float32) + 1000
    indices = np.arange(-extent, extent, dtype=np.int32)
    check(model([node("Gather", "table i")], [], {"table": table}), {"i": indices})


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
@pytest.mark.parametrize(
    ("indices", "data"), [((3, 1), (5, 2)), ((2, 2, 2), (4, 3, 2)), ((1, 3), (4, 4, 4)), ((3, 1), (3,))]
)
def test_updates_at_computed_indices(
    reduction: str, indices: tuple[int, ...], data: tuple[int, ...], random: np.random.Generator
):
    arrays = {
        "data": random.normal(size=data).astype(np.float32),
        "i": random.integers(-3, 3, indices, np.int64),
        "u": random.normal(size=(*indices[:-1], *data[indices[-1] :])).astype(np.float32),
    }
    if reduction == "none":  # Of several updates of one element, any may be the last.
        arrays["i"] = np.stack([np.arange(indices[0]) % data[0]] * math.prod(indices[1:]), -1).reshape(indices)
    check(model([node("ScatterND", "data i u", reduction=reduction)], [], opset=18), arrays)


def test_masks_select_elements(random: np.random.Generator):
    nodes = [
        node("Not", "a", "n"),
        node("And", "n b", "c"),
        node("Or", "c k", "m"),
        node("Where", "m x z", "w"),
        node("Cast", "c", "f", to=onnx.TensorProto.FLOAT),
        node("Add", "w f", "y"),
    ]
    arrays = {
        "a": random.integers(0, 2, (3, 4)).astype(bool),
        "b": random.integers(0, 2, (4,)).astype(bool),
        "x": random.normal(size=(3, 4)).astype(np.float32),
    }
    constants = {"k": np.array([True, False, False, True]), "z": np.array(0.25, np.float32)}
    check(model(nodes, [], constants), arrays)


def test_integers_are_numbers(random: np.random.Generator):
    """Sums, products and movements of integers equal onnxruntime's, whether they are returned or converted to floats at
    the end.
    """
    nodes = [
        node("Unsqueeze", "i one", "u"),
        node("Mul", "u three", "p"),
        node("Concat", "p u", "c", axis=0),
        node("Sub", "c three", "s"),
        node("Cast", "s", "f", to=onnx.TensorProto.FLOAT),
        node("Mul", "f half", "y"),
    ]
    constants = {"one": np.array([0]), "three": np.array([3]), "half": np.array([0.5], np.float32)}
    check(model(nodes, [], constants, outputs=("y", "s")), {"i": random.integers(-50, 50, 6, np.int64)})


REFUSED = {
    "quotient": (model([node("Div", "i i")], []), "int64", "Div 'Div_y': reads int64, which is not supported here"),
    "activation": (model([node("Relu", "i")], []), "int64", "Relu 'Relu_y': reads int64"),
    "sum of truth values": (model([node("Add", "i i")], []), "bool", "Add 'Add_y': reads bool"),
    "narrower": (
        model([node("Cast", "i", to=onnx.TensorProto.INT8)], []),
        "int64",
        "Cast 'Cast_y': reads int64",
    ),
    "mask of scores": (
        model([node("Where", "i c d")], [], {"c": np.zeros(4, np.float32), "d": np.array(-1e9, np.float32)}),
        "bool",
        "Where 'Where_y': a mask of scores that is not constant is not supported",
    ),
    "shapes": (
        model([node("ScatterND", "c i d")], [], {"c": np.zeros(4, np.float32), "d": np.zeros(3, np.float32)}),
        "int64",
        r"updates of shape \[3\] and indices of shape \[4\] do not fit data of shape \[4\]",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_uses_are_refused(name: str):
    given, dtype, message = REFUSED[name]
    with pytest.raises(InputError, match=message):
        imported(with_inputs(given, {"i": np.zeros(4, dtype)}))
