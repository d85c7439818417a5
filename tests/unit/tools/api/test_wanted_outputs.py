"""The expected outputs `y` of models whose output is not a single class: a class for each pixel, or an array for each
of several outputs, passed in Python and in a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import tinyml

RANDOM = np.random.default_rng(0)
SAMPLES, CHANNELS = 30, 3
X = RANDOM.normal(size=(SAMPLES, 2, 4, 5)).astype(np.float32)
WEIGHTS = RANDOM.normal(size=(CHANNELS, 2, 1, 1)).astype(np.float32)
IMAGES: NDArray[Any] = np.einsum("oi,nihw->nohw", WEIGHTS[:, :, 0, 0], X)
MEANS: NDArray[Any] = IMAGES.mean((2, 3))


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """The file of a network with two outputs: the images of a convolution, and their means."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"]), helper.make_node("GlobalAveragePool", ["y"], ["z"])]
    shapes = {"x": [1, 2, 4, 5], "y": [1, CHANNELS, 4, 5], "z": [1, CHANNELS, 1, 1]}
    x, y, z = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items())
    graph = helper.make_graph(nodes, "two", [x], [y, z], [numpy_helper.from_array(WEIGHTS, "w")])
    file = tmp_path / "two.onnx"
    file.write_bytes(helper.make_model(graph, ir_version=9).SerializeToString())
    return file


def test_classes_of_pixels_give_an_accuracy(network: Path):
    wrong = IMAGES.argmax(1)
    wrong[:, 0, 0] = (wrong[:, 0, 0] + 1) % CHANNELS
    report = tinyml.compile(network, X, wrong, format="fixed", board="cortex-m4").report
    assert report.accuracy_float == 95
    assert report.accuracy == pytest.approx(95, abs=1)


def test_several_outputs_have_figures_of_their_own(network: Path):
    report = tinyml.compile(network, X, (IMAGES, MEANS + 1), format="fixed", board="cortex-m4").report
    assert report.regression is not None
    assert report.regression["formats"]["mae"] < 1e-2
    [second] = report.by_output
    assert second["number"] == 1
    assert second["formats"]["mae"] == pytest.approx(1, abs=1e-2)
    assert second["accuracy"] is None


@pytest.mark.long
def test_an_output_may_have_nothing_to_compare_with(network: Path):
    report = tinyml.compile(network, X, (None, MEANS.argmax(1)), format="fixed", board="cortex-m4").report
    assert report.accuracy is None
    assert report.by_output[0]["accuracy_float"] == 100


@pytest.mark.long
def test_a_file_has_an_array_for_each_output(network: Path, tmp_path: Path):
    file = tmp_path / "val.npz"
    np.savez(file, x=X, y=IMAGES.argmax(1), y_1=MEANS)
    report = tinyml.compile(network, str(file), format="fixed", board="cortex-m4").report
    assert report.accuracy_float == 100
    assert report.by_output[0]["formats"]["r2"] == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ((IMAGES, MEANS, MEANS), "the program has 2 outputs, got 3 arrays"),
        ({"y": IMAGES}, "expected an array, or for several outputs a tuple of arrays, got a dictionary"),
        (
            (IMAGES, MEANS[:, :2]),
            r"to contain 30 samples of shape \(3, 1, 1\) or the classes of their elements",
        ),
        ((IMAGES, MEANS.argmax(1) + 1), "contains 3 in sample .*, the classes of an element are 0 to 2"),
        (IMAGES.argmax(1) - 1, "contains -1 in sample 0, the classes of an element are 0 to 2"),
    ],
)
def test_what_does_not_fit_is_refused(y: Any, message: str, network: Path):
    with pytest.raises(tinyml.InputError, match=message):
        tinyml.compile(network, X, y, format="fixed", board="cortex-m4")
