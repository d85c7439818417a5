"""Models with several inputs in Python: arrays in order or by name, and errors for arrays that do not match."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from programs.paths import ROOT

import tinyml

RANDOM = np.random.default_rng(1)
WINDOW = RANDOM.normal(size=(60, 5, 2)).astype(np.float32)
STATIC = RANDOM.normal(size=(60, 4)).astype(np.float32)
WEIGHTS = RANDOM.normal(size=(14, 2)).astype(np.float32)
BOTH = np.concatenate([WINDOW.reshape(60, 10), STATIC], axis=1)
Y = (BOTH @ WEIGHTS).argmax(1)


def network(file: Path, first: list[int], second: list[int]) -> Path:
    """The file of a linear classifier with two inputs, of which the first is flattened.

    first, second: the shapes of the inputs.
    """
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("window", first), ("static", second))
    ]
    nodes = [
        helper.make_node("Flatten", ["window"], ["flat"]),
        helper.make_node("Concat", ["flat", "static"], ["both"], axis=1),
        helper.make_node("MatMul", ["both", "w"], ["y"]),
    ]
    count = int(np.prod(first) + np.prod(second))
    weights = numpy_helper.from_array(np.resize(WEIGHTS, (count, 2)), "w")
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])
    graph = helper.make_graph(nodes, "two", inputs, [output], [weights])
    file.write_bytes(helper.make_model(graph, ir_version=9).SerializeToString())
    return file


@pytest.mark.long
@pytest.mark.parametrize("name", ["tuple", "list", "dictionary", "one array"])
def test_several_inputs_are_taken_in_order_or_by_name(name: str, tmp_path: Path):
    given: dict[str, object] = {
        "tuple": (WINDOW, STATIC),
        "list": [WINDOW, STATIC],
        "dictionary": {"static": STATIC, "window": WINDOW},
        "one array": BOTH,
    }
    x, file = given[name], network(tmp_path / "two.onnx", [1, 5, 2], [1, 4])
    program = tinyml.compile(file, (WINDOW, STATIC), Y, board="host", width=16, X_test=x, y_test=Y)
    assert (program.scores(x) == program.scores(BOTH)).all()
    assert program.score(x, Y) == pytest.approx((program.report.accuracy or 0) / 100, abs=1e-4)
    assert program.measure(x, limit=2).samples == 2


def test_a_list_of_arrays_of_one_shape_is_as_many_inputs(tmp_path: Path):
    file = network(tmp_path / "two.onnx", [1, 4], [1, 4])
    program = tinyml.compile(file, [STATIC, -STATIC], board="host", width=16)
    assert (program.scores([STATIC, -STATIC]) == program.scores(np.c_[STATIC, -STATIC])).all()


@pytest.mark.parametrize(
    ("x", "said"),
    [
        ((WINDOW, STATIC, STATIC), r"X_val: expected 2 arrays \(window, static\), got 3"),
        ((WINDOW, STATIC[:5]), "X_val: the input 'static' has 5 samples, others 60"),
        ((STATIC, WINDOW), r"X_val: the input 'window' has 10 values, got an array of shape \(60, 4\)"),
        ({"window": WINDOW}, "X_val: there is no array for the input 'static'"),
        ({"windows": WINDOW, "static": STATIC}, r"X_val: the model has no input 'windows', did you mean 'window'\?"),
        ((WINDOW, np.full((60, 4), "a")), "X_val, input 'static': expected numbers, got <U1"),
    ],
)
def test_what_does_not_fit_is_one_line(x: object, said: str, tmp_path: Path):
    with pytest.raises(tinyml.InputError, match=f"^{said}"):
        tinyml.compile(network(tmp_path / "two.onnx", [1, 5, 2], [1, 4]), x, Y, board="host", width=16)


def test_a_model_with_one_input_takes_one_array():
    model = ROOT / "docs/tour/tour.sd"
    given: list[tuple[object, str]] = [({"x": STATIC}, "a dictionary"), ((STATIC, WINDOW), "2 arrays")]
    for x, said in given:
        with pytest.raises(tinyml.InputError, match=f"^X_val: the model has one input, got {said}: pass one array$"):
            tinyml.compile(model, x, board="host", width=8)
    rows = tuple(STATIC.reshape(60, 2, 2))
    assert tinyml.compile(model, rows, board="host", width=8).predict(rows).shape == (60,)
