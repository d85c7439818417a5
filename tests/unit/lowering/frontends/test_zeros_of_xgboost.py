"""A file of XGBoost does not state whether zeros were missing values in training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tinyml

FILE = Path(__file__).parents[3] / "models/boosted/xgboost_iris.json"


@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("zero", [False, True])
def test_zeros_are_named(left: int, zero: bool, tmp_path: Path) -> None:
    """The warning is issued for data with zeros, and for trees of which some nodes send missing values left: without
    missing values in training, all nodes of `hist` send them right.
    """
    model: Any = json.loads(FILE.read_text())
    for tree in model["learner"]["gradient_booster"]["model"]["trees"]:
        tree["default_left"] = [left] * len(tree["left_children"])
    file = tmp_path / "model.json"
    file.write_text(json.dumps(model))
    x = np.random.default_rng(0).uniform(0.5, 6, (60, 4)).astype("f4")
    x[:, 1] = 0 if zero else 1
    program = tinyml.compile(file, x, board="host", format="f32")
    warned = [warning["name"] for warning in program.report.warnings]
    assert ("zeros" in warned) == (zero and left == 1)
