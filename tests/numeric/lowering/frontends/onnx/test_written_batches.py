"""Models with a written number of samples: the program computes one sample if the model computes each sample alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from oracles.onnx_models import Array, imported, model, node, reference

from tinyml.dialects.errors import InputError
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.dialects.tdsl import shape_of
from tinyml.runtime.evaluator.evaluator import evaluate_reals, predict_function

RANDOM = np.random.default_rng(5)
BATCH = 64


def reals(*shape: int) -> Array:
    return RANDOM.normal(size=shape).astype(np.float32)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


DENSE = {"w": reals(8, 6), "b": reals(6), "v": reals(6, 3)}
IMAGE = {"k": reals(4, 2, 3, 3), "s": reals(4), "m": reals(4), "v": np.abs(reals(4)) + 0.5, "d": reals(3, 4 * 4 * 4)}
NORMALISED = [node("Conv", "x k", "c"), node("BatchNormalization", "c s m m v", "n"), node("Relu", "n", "r")]

MODELS: dict[str, tuple[list[onnx.NodeProto], list[int], dict[str, Array]]] = {
    "dense layers": (
        [node("Gemm", "x w b", "h"), node("Relu", "h", "r"), node("MatMul", "r v", "z"), node("Softmax", "z")],
        [8],
        DENSE,
    ),
    "an image, flattened": (
        [*NORMALISED, node("Flatten", "r", "f"), node("Gemm", "f d", transB=1)],
        [2, 6, 6],
        IMAGE,
    ),
    "an image, reshaped to the written number": (
        [*NORMALISED, node("Reshape", "r t", "f"), node("Gemm", "f d", transB=1)],
        [2, 6, 6],
        {**IMAGE, "t": ints(BATCH, -1)},
    ),
    "an image, reshaped to an open number": (
        [*NORMALISED, node("Reshape", "r t", "f"), node("Gemm", "f d", transB=1)],
        [2, 6, 6],
        {**IMAGE, "t": ints(-1, 64)},
    ),
    "a residual, a mean and a transposition": (
        [
            *NORMALISED,
            node("Add", "r c", "a"),
            node("ReduceMean", "a", "p", axes=[2], keepdims=0),
            node("Transpose", "p", "q", perm=[0, 2, 1]),
            node("Concat", "q q", "y", axis=2),
        ],
        [2, 6, 6],
        IMAGE,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_each_sample_is_that_of_the_batch(name: str):
    nodes, shape, constants = MODELS[name]
    made = model(nodes, [BATCH, *shape], constants)
    module = imported(made)
    assert shape_of(predict_function(module).body.block.args[0]) == (1, *shape)
    x = RANDOM.normal(size=(BATCH, int(np.prod(shape)))).astype(np.float32)
    scores = evaluate_reals(module, x).scores
    assert scores is not None
    np.testing.assert_allclose(scores, reference(made, x[None]).reshape(BATCH, -1), rtol=1e-4, atol=1e-5)


MIXED: dict[str, tuple[list[onnx.NodeProto], dict[str, Array]]] = {
    "a product over the samples": ([node("Gemm", "x w", "h", transA=1), node("Relu", "h")], {"w": reals(BATCH, 5)}),
    "an addend for each sample": ([node("Gemm", "x w c")], {"w": reals(8, 6), "c": reals(BATCH, 6)}),
    "a factor for each sample": ([node("Gemm", "x w", "h"), node("Mul", "h c")], {"w": reals(8, 6), "c": reals(64, 1)}),
    "a mean over the samples": ([node("Gemm", "x w", "h"), node("ReduceMean", "h", axes=[0])], {"w": reals(8, 6)}),
    "a softmax over the samples": ([node("Gemm", "x w", "h"), node("Softmax", "h", axis=0)], {"w": reals(8, 6)}),
    "samples that become features": (
        [node("Gemm", "x w", "h"), node("Reshape", "h t")],
        {"w": reals(8, 6), "t": ints(1, 384)},
    ),
    "rows that become several": (
        [node("Gemm", "x w", "h"), node("Reshape", "h t")],
        {"w": reals(8, 6), "t": ints(-1, 3)},
    ),
    "a flattened sequence": ([node("Gemm", "x w", "h"), node("Flatten", "h", axis=0)], {"w": reals(8, 6)}),
    "a transposition": ([node("Gemm", "x w", "h"), node("Transpose", "h")], {"w": reals(8, 6)}),
    "a slice of the samples": (
        [node("Gemm", "x w", "h"), node("Slice", "h s e a")],
        {"w": reals(8, 6), "s": ints(1), "e": ints(3), "a": ints(0)},
    ),
    "no layer": ([node("Mul", "x c")], {"c": reals(8)}),
}


@pytest.mark.parametrize("name", MIXED)
def test_what_combines_samples_keeps_its_extent(name: str):
    nodes, constants = MIXED[name]
    module = imported(model(nodes, [BATCH, 8], constants))
    assert shape_of(predict_function(module).body.block.args[0]) == (BATCH, 8)


def _refused(made: Any) -> str:
    with pytest.raises(InputError) as caught:
        imported(made)
    return str(caught.value)


def test_an_error_says_that_the_first_extent_may_be_the_batch():
    token = ELEMENT_LIMIT.set(25_000)
    try:
        made = model([node("Gemm", "x w", "h"), node("Softmax", "h", axis=0)], [5000, 4], {"w": reals(4, 6)})
        assert _refused(made) == (
            "test.onnx: Gemm 'Gemm_h': shape [5000, 6] has more than 25000 elements; --max-elements raises the limit; "
            "the first extent of its inputs, 5000, counts as a part of the sample: if it is the batch, export the "
            "model with a batch of 1"
        )
    finally:
        ELEMENT_LIMIT.reset(token)


def test_a_batch_normalisation_of_another_axis_is_refused():
    constants = {"s": reals(8), "m": reals(8), "v": np.abs(reals(8)) + 0.5}
    nodes = [node("Transpose", "x", "t"), node("BatchNormalization", "t s m m v")]
    assert "8 factors do not fit the 1 channels (axis 1) of shape [8, 1]" in _refused(model(nodes, [1, 8], constants))
