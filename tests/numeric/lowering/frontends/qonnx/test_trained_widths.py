"""A network that Brevitas trained with many widths classifies digits as in PyTorch."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.spread import spread

import tinyml
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.evaluator.evaluator import evaluate_model
from tinyml.tools.api.program import CompileWarning

FOLDER = Path(__file__).parents[4] / "models" / "few_bits"
NAMES = [file.stem for file in sorted(FOLDER.glob("w?a?.onnx"))]


def digits() -> dict[str, NDArray[Any]]:
    """The unseen digits `x`, their classes `y`, and the classes that PyTorch computes, by the name of the network."""
    with np.load(FOLDER / "digits.npz") as stored:
        return dict(stored)


@pytest.mark.long
@pytest.mark.parametrize("number", spread(range(len(NAMES)), 3))
def test_the_classes_are_those_of_pytorch(number: int):
    """The class that PyTorch computes has the greatest score. If several classes have it, PyTorch's rounding errors
    decide between them, and the program returns the first.
    """
    file, stored = FOLDER / f"{NAMES[number]}.onnx", digits()
    outputs = evaluate_model(read_onnx(file.read_bytes(), str(file)), stored["x"].reshape(len(stored["x"]), -1))
    assert outputs.scores is not None
    greatest = outputs.scores.max(1)
    theirs = np.take_along_axis(outputs.scores, stored[file.stem][:, None].astype(np.int64), 1)[:, 0]
    np.testing.assert_allclose(theirs, greatest, rtol=1e-6)
    unequal = outputs.classes != stored[file.stem]
    assert unequal.mean() < 0.03
    assert (np.isclose(outputs.scores, greatest[:, None], rtol=1e-6).sum(1)[unequal] > 1).all()


@pytest.mark.long
def test_a_model_of_few_bits_is_compared_with_itself():
    """The reference of a network with weights of one bit is the network in its own formats, not the one on reals, whose
    answers differ for a tenth of the digits. Therefore no warning reports a loss.
    """
    stored = digits()
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileWarning)
        program = tinyml.compile(FOLDER / "w1a2.onnx", stored["x"], stored["y"].astype(np.int64), board="cortex-m4")
    classes: NDArray[Any] = np.asarray(program.predict(stored["x"]))
    right = 100 * float((classes == stored["y"]).mean())
    assert program.report.accuracy == pytest.approx(right, abs=1e-3)
    assert program.report.accuracy_float == program.report.accuracy
    assert program.report.disagreements == 0
