"""Models with several outputs whose files do not state whether these are class scores or values; `y` determines it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.estimators import sk, skl2onnx

import tinyml
from tinyml.lowering.frontends.onnx import importer


def network(x: NDArray[Any], y: NDArray[Any], file: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Fit a regressor to x and y, write its ONNX file to `file`, and return it. tinyml does not recognise the converter
    of the file, from which it would otherwise infer that the model is a regressor.
    """
    regressor = sk.MLPRegressor(hidden_layer_sizes=(4,), solver="lbfgs", max_iter=200, random_state=0).fit(x, y)
    file.write_bytes(skl2onnx.to_onnx(regressor, x[:1]).SerializeToString())
    monkeypatch.setattr(importer, "CONVERTER", "another")
    return regressor


@pytest.mark.long
@pytest.mark.parametrize("reconstructs", [False, True])
def test_values_as_y_make_a_program_of_values(reconstructs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    random = np.random.default_rng(0)
    x = (random.normal(size=(120, 2)) @ random.normal(size=(2, 4))).astype(np.float32)
    y = x if reconstructs else np.stack([x[:, 0] - x[:, 1], np.sin(x[:, 2])], 1)
    regressor = network(x, y, tmp_path / "model.onnx", monkeypatch)
    program = tinyml.compile(tmp_path / "model.onnx", x, y, board="host", format="fixed", width=16)
    assert program.predict(x).shape == y.shape
    assert program.classes is None
    assert program.score(x, y) == pytest.approx(regressor.score(x, y), abs=0.01)
    classes = tinyml.compile(tmp_path / "model.onnx", x, y.argmax(1), board="host", format="fixed", width=16)
    assert (classes.predict(x) == regressor.predict(x).argmax(1)).mean() > 0.97
    rows = np.eye(y.shape[1])[y.argmax(1)]
    one_hot = tinyml.compile(tmp_path / "model.onnx", x, rows, board="host", format="fixed", width=16)
    np.testing.assert_array_equal(one_hot.predict(x), classes.predict(x))
