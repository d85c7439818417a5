"""ONNX's own tests of its ops: each op is computed correctly or rejected in one line (only in `make exhaustive`)."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from math import prod
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import numpy_helper
from programs.spread import EXHAUSTIVE

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.evaluator.evaluator import evaluate_reals, predict_function

COUNTS = {"right": 592, "refused": 1070, "no arrays": 215, "raws": 7}
"""The number of tests by their outcome, which docs/importing.md states."""


def computed(model: onnx.ModelProto, inputs: Sequence[NDArray[Any]]) -> Sequence[NDArray[Any]] | None:
    """The outputs of a model; None if the input of its program is raws. The program computes all samples of a written
    batch.
    """
    module = read_onnx(model.SerializeToString(), "node.onnx")
    argument = predict_function(module).body.block.args[0]
    if tdsl.format_of(argument).dtype.kind != "f":
        return None
    samples = sum(each.size for each in inputs) // prod(tdsl.shape_of(argument))
    x = np.concatenate([each.astype(np.float32).reshape(samples, -1) for each in inputs], 1)
    outputs = evaluate_reals(module, x)
    return outputs.tensors or (outputs.classes,)


def with_constants(model: onnx.ModelProto, inputs: Sequence[NDArray[Any]]) -> onnx.ModelProto:
    """A model in which all inputs except the first are replaced by constants."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    names = [each.name for each in model.graph.input]
    del result.graph.input[1:]
    result.graph.initializer.extend(
        numpy_helper.from_array(array, name) for array, name in zip(inputs[1:], names[1:], strict=True)
    )
    return result


def outcome(case: Any) -> str:
    """The outcome of a test: `right`, `refused`, `refused in several lines`, `no arrays` if its inputs or outputs are
    not all arrays, or `raws` if the input of the program is raws. Raises `AssertionError` for a wrong result.
    """
    inputs, outputs = case.data_sets[0]
    if not all(isinstance(each, np.ndarray | np.generic) for each in (*inputs, *outputs)):
        return "no arrays"
    inputs, model = [np.asarray(each) for each in inputs], case.model
    try:
        try:
            got = computed(model, inputs)
        except InputError:
            if len(inputs) < 2:
                raise
            got = computed(with_constants(model, inputs), inputs[:1])
    except InputError as error:
        return "refused" if "\n" not in str(error) else "refused in several lines"
    if got is None:
        return "raws"
    assert len(got) == len(outputs)
    for mine, theirs in zip(got, outputs, strict=True):
        # tinyml computes numbers of 16 bits in floats, the node test in numbers of 8 or 11 significant bits.
        coarse = {"bfloat16": 2.0**-6, "float16": 2.0**-7}.get(theirs.dtype.name, 1e-3)
        np.testing.assert_allclose(mine.ravel(), theirs.astype(np.float64).ravel(), rtol=coarse, atol=1e-5)
    return "right"


@pytest.mark.skipif(EXHAUSTIVE not in os.environ, reason="ONNX generates its tests in half a minute")
def test_every_test_of_onnx_is_right_or_refused():
    loader: Any = import_module("onnx.backend.test.loader")
    with warnings.catch_warnings(action="ignore"):
        found = Counter[str]()
        for case in loader.load_model_tests(kind="node"):
            try:
                found[outcome(case)] += 1
            except Exception as error:
                raise AssertionError(f"{case.name}: {error}") from error
    assert found == COUNTS
