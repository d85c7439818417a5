"""Computed integers and truth values in models of TensorFlow Lite: indices, masks and numbers, compared with TFLM."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.lowered import lowered
from programs.spread import spread
from programs.tflite_models import TfliteModel, computed_by_tflm, raws, tflite

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import first_mismatch

INT32, FLOAT = tflite.TensorType.INT32, tflite.TensorType.FLOAT32

WORDS, LENGTH, TEXT = 37, 5, 6
"""The numbers of known words, of elements of an embedding, and of words of a text."""


def embedding(dtype: str, input_type: str) -> bytes:
    """A classifier of texts as Keras converts an Embedding: a table, the mean over the words and, for a table of
    floats, a dense layer.

    dtype: the type of the table.
    input_type: float32 for an input that a CAST converts, int32 for indices.
    """
    random, model = np.random.default_rng(3), TfliteModel()
    given: dict[str, Any] = {"scales": 0.02, "zero_point": 3} if dtype == "int8" else {}
    table = raws(random, (WORDS, LENGTH)) if dtype == "int8" else random.normal(size=(WORDS, LENGTH))
    x = words = model.tensor((1, TEXT), input_type)
    if input_type == "float32":
        words = model.tensor((1, TEXT), "int32")
        model.op("CAST", [x], words, InDataType=FLOAT, OutDataType=INT32)
    taken = model.tensor((1, TEXT, LENGTH), dtype, **given)
    model.op("GATHER", [model.constant(table, dtype, **given), words], taken, Axis=0)
    mean = model.tensor((1, LENGTH), dtype, **given)
    model.op("MEAN", [taken, model.constant([1])], mean)
    if dtype == "int8":
        return model.finish([x], [mean])
    weights = model.constant(random.normal(size=(3, LENGTH)), "float32")
    result = model.tensor((1, 3), "float32")
    model.op("FULLY_CONNECTED", [mean, weights, model.constant(np.zeros(3), "float32")], result)
    return model.finish([x], [result])


def texts(input_type: str) -> np.ndarray:
    return np.random.default_rng(4).integers(0, WORDS, (20, 1, TEXT)).astype(input_type)


@pytest.mark.parametrize("input_type", ["float32", "int32"])
def test_an_embedding_in_floats(input_type: str):
    content, x = embedding("float32", input_type), texts(input_type)
    [expected] = computed_by_tflm(content, x)
    scores = evaluate_reals(read_tflite(content, "text.tflite"), x.reshape(len(x), -1).astype(np.float32)).scores
    assert scores is not None
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)


def test_an_embedding_in_bytes():
    """An int8 embedding computes TFLM's bytes. Its indices are imported as reals; the table and the mean are raws of
    the file's format.
    """
    content, x = embedding("int8", "int32"), texts("int32")
    [expected] = computed_by_tflm(content, x)
    module = read_tflite(content, "text.tflite")
    np.testing.assert_array_equal(evaluate(module, encode_inputs(module, x.reshape(len(x), -1))).scores, expected)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("target", spread(["host", "uno", "cortex-m4", "riscv"], 2))
def test_devices_give_the_results_of_tflm(target: str, dtype: str, tmp_path: Path):
    """Devices compute the evaluator's bits, and TFLM's results within 1e-5. A model in floats remains in floats."""
    content, x = embedding(dtype, "int32"), texts("int32")
    [expected] = computed_by_tflm(content, x)
    np.savez(tmp_path / "val.npz", x=x.reshape(len(x), -1).astype(np.float32))
    module, ctx = read_tflite(content, "text.tflite"), context()
    options = {"data": str(tmp_path / "val.npz"), "target": target, "format": "f32"}
    if dtype == "float32":
        pipelines.run(module, ctx, pipelines.flatten("reals-to-formats", options))
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    raws, interface = encode_inputs(module, x.reshape(len(x), -1)), interface_of(module)
    of_evaluator = evaluate(module, raws)
    lowered(module, ctx := context(), **options)
    write_c(module, ctx, target, tmp_path)
    runner = runner_for(target)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build"), interface, raws)
    assert first_mismatch(of_evaluator, Outputs(result.labels, result.scores)) is None
    assert result.scores is not None
    np.testing.assert_allclose(result.scores, expected, rtol=1e-5, atol=1e-6)


def test_indices_outside_a_table_are_limited():
    content = embedding("float32", "float32")
    module = read_tflite(content, "text.tflite")
    x = np.array([[-3, 1e9, 40, 35.9, -0.4, np.inf]], np.float32)
    inside = np.array([[0, WORDS - 1, WORDS - 1, 35, 0, WORDS - 1]], np.float32)
    np.testing.assert_array_equal(evaluate_reals(module, x).scores, evaluate_reals(module, inside).scores)


def masked() -> tuple[bytes, np.ndarray]:
    """The bytes of a model that selects numbers by truth values, and samples of its inputs, in each of which the inputs
    follow one another.
    """
    model, random = TfliteModel(), np.random.default_rng(5)
    a, b, x = model.tensor((1, 4), "bool"), model.tensor((1, 4), "bool"), model.tensor((1, 4), "float32")
    opposite, both, either, number, chosen, result = (
        model.tensor((1, 4), dtype) for dtype in ("bool", "bool", "bool", "float32", "float32", "float32")
    )
    model.op("LOGICAL_NOT", [a], opposite)
    model.op("LOGICAL_AND", [opposite, b], both)
    model.op("LOGICAL_OR", [both, a], either)
    model.op("SELECT_V2", [either, x, model.constant([0.25], "float32")], chosen)
    model.op("CAST", [both], number, InDataType=tflite.TensorType.BOOL, OutDataType=FLOAT)
    model.op("ADD", [chosen, number], result)
    masks = random.integers(0, 2, (16, 8))
    return model.finish([a, b, x], [result]), np.hstack([masks, random.normal(size=(16, 4))]).astype(np.float32)


def counted() -> tuple[bytes, np.ndarray]:
    """The bytes of a model that computes on integers, and samples of its input."""
    model, random = TfliteModel(), np.random.default_rng(6)
    x = model.tensor((1, 6), "int32")
    total, product, part, number = (model.tensor((1, extent), "int32") for extent in (6, 6, 3, 3))
    result = model.tensor((1, 3), "float32")
    model.op("ADD", [x, model.constant([[7]])], total)
    model.op("MUL", [total, x], product)
    model.op("STRIDED_SLICE", [product, *map(model.constant, ([0, 1], [1, 6], [1, 2]))], part)
    model.op("MAXIMUM", [part, model.constant([[3, -2, 5]])], number)
    model.op("CAST", [number], result, InDataType=INT32, OutDataType=FLOAT)
    return model.finish([x], [result, number]), random.integers(-20, 20, (16, 1, 6)).astype(np.int32)


@pytest.mark.parametrize("make", [masked, counted])
def test_masks_and_numbers(make: Callable[[], tuple[bytes, np.ndarray]]):
    content, x = make()
    module = read_tflite(content, "model.tflite")
    got = evaluate_reals(module, x.reshape(len(x), -1).astype(np.float32)).tensors
    for mine, expected in zip(got, computed_by_tflm(content, x, len(got)), strict=True):
        np.testing.assert_allclose(mine.reshape(expected.shape), expected, rtol=1e-6)


def one(kind: str, dtypes: str, *constants: tuple[Any, ...], **options: Any) -> bytes:
    """The bytes of a model of one operator on a tensor (1, 4).

    kind: the name of the operator.
    dtypes: the types of its input and of its output, separated by a space.
    constants: for each further operand, the arguments of `TfliteModel.constant`.
    options: the options of the operator.
    """
    model = TfliteModel()
    x, y = (model.tensor((1, 4), dtype) for dtype in dtypes.split())
    model.op(kind, [x, *(model.constant(*each) for each in constants)], y, **options)
    return model.finish([x], [y])


REFUSED = {
    "fractions": (one("CAST", "float32 int32"), "operator 0 (CAST, which computes 't1') on 't1' of type int32 is not"),
    "narrower": (one("CAST", "int32 int8"), "operator 0 (CAST, which computes 't1') on 't1' of type int8 is not"),
    "truth": (one("CAST", "int32 bool"), "operator 0 (CAST, which computes 't1') on 't1' of type bool is not"),
    "quotient": (one("DIV", "int32 int32", ([[2]],)), "operator 0 (DIV, which computes 't1') on 't0' of type int32"),
    "comparison": (one("LESS", "int32 bool", ([[2]],)), "operator 0 (LESS, which computes 't1') on 't0' of type int32"),
    "scores": (
        one("SELECT_V2", "bool float32", ([[0.5]], "float32"), ([[-1e9]], "float32")),
        "operator 0 (SELECT_V2, which computes 't1'): a mask of scores that is not constant is not supported",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_uses_are_refused(name: str):
    content, message = REFUSED[name]
    with pytest.raises(InputError) as raised:
        read_tflite(content, "model.tflite")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
