"""Networks whose files do not state that they classify: a single output for two classes, and quantised scores."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from programs.paths import ROOT

import tinyml

X = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
Y = (X @ [1.0, -2.0, 0.5] + 0.3 > 0).astype(int)


def network(file: Path, end: str | None) -> Path:
    """The ONNX file of a linear function of three features.

    end: the op after it, such as `Sigmoid`; None for none.
    """
    weights = numpy_helper.from_array(np.array([[6], [-12], [3]], np.float32), "w")
    bias = numpy_helper.from_array(np.array([1.8], np.float32), "b")
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["y" if end is None else "logit"])]
    nodes += [] if end is None else [helper.make_node(end, ["logit"], ["y"])]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, n]) for name, n in (("x", 3), ("y", 1)))
    graph = helper.make_graph(nodes, "decision", [x], [y], [weights, bias])
    file.write_bytes(helper.make_model(graph, ir_version=9).SerializeToString())
    return file


@pytest.mark.long
@pytest.mark.parametrize("end", ["Sigmoid", None])
@pytest.mark.parametrize("y", [Y, Y.astype(float)[:, None], Y.astype(bool)], ids=["integers", "column", "truths"])
def test_a_single_output_decides_between_two_classes(end: str | None, y: Any, tmp_path: Path):
    file = network(tmp_path / "decision.onnx", end)
    program = tinyml.compile(file, X, y, board="host", width=16)
    assert program.report.accuracy == pytest.approx(100, abs=1)
    assert program.report.regression is None
    assert (program.predict(X) == Y).mean() == program.score(X, y) > 0.98
    assert "int16_t decision_predict(" in program.h


@pytest.mark.long
@pytest.mark.parametrize("end", ["Sigmoid", None])
def test_names_make_classes_of_a_single_output(end: str | None, tmp_path: Path):
    names = np.array(["no", "yes"])
    file = network(tmp_path / "decision.onnx", end)
    for y in (Y, names[Y], None):
        program = tinyml.compile(file, X, y, board="host", width=16, classes=["no", "yes"])
        assert (program.predict(X) == names[Y]).mean() > 0.98
    with pytest.raises(tinyml.InputError, match=r"^classes names classes, but the model computes none$"):
        tinyml.compile(file, X, board="host", width=16, classes=["no", "yes", "perhaps"])


def test_labels_of_signs_are_kept(tmp_path: Path):
    program = tinyml.compile(network(tmp_path / "decision.onnx", None), X, 2 * Y - 1, board="host", width=16)
    assert program.classes == [-1, 1]
    assert (program.predict(X) == 2 * Y - 1).mean() == program.score(X, 2 * Y - 1) > 0.98


@pytest.mark.long
def test_numbers_stay_numbers(tmp_path: Path):
    """A network that ends with a sigmoid is compiled as a regressor if targets are fractions, or if there are no
    targets.
    """
    file = network(tmp_path / "decision.onnx", "Sigmoid")
    shares = 1 / (1 + np.exp(-(X @ [6.0, -12.0, 3.0] + 1.8)))
    for y in (shares, None):
        program = tinyml.compile(file, X, y, board="host", width=16)
        assert program.score(X, shares) > 0.999
        assert "void decision_predict(" in program.h


@pytest.mark.long
def test_a_quantised_file_gives_a_class_where_data_hold_classes():
    file, x = ROOT / "tests/models/keras/mobile-int8.tflite", np.random.default_rng(0).normal(size=(20, 8, 8, 3))
    wanted = tinyml.compile(file, board="host").scores(x).argmax(axis=1)
    with warnings.catch_warnings(action="ignore"):
        program = tinyml.compile(file, x, wanted, board="host")
        named = tinyml.compile(file, x, board="host", classes=["a", "b"])
    assert "int16_t mobile_int8_predict(" in program.h
    assert (program.predict(x) == wanted).all()
    assert program.scores(x).shape == (20, 2)
    assert (named.predict(x) == np.array(["a", "b"])[wanted]).all()
