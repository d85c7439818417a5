"""The package in tests/plugins/kappa: a metric for searches, reports and `Program.score`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from programs.estimators import halves, sk
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.tools.main import main
from tinyml.transforms.formats.evaluation.metrics import figures, metric_named, spelled_metrics

TOUR = ROOT / "docs/tour"

metrics: Any = import_module("sklearn.metrics")


@pytest.fixture(autouse=True)
def package() -> Iterator[None]:
    folder = str(ROOT / "tests/plugins/kappa")
    with patch.object(sys, "path", [folder, *sys.path]), installed(*entry_points_of("kappa")):
        yield
    sys.modules.pop("kappa", None)


def test_help_and_messages_list_the_metric():
    assert spelled_metrics().endswith("mae or kappa")
    assert figures().endswith(", kappa")
    with pytest.raises(InputError, match=r"^unknown metric 'kapa', did you mean 'kappa'"):
        metric_named("kapa")


def test_a_program_and_its_report_have_the_figure():
    data = halves("iris")
    fitted = sk.LogisticRegression().fit(data.x, data.y)
    program = tinyml.compile(
        fitted, data.x, data.y, X_test=data.held_x, y_test=data.held_y, board="host", format="fixed", width=8,
        metric="kappa",
    )  # fmt: skip
    expected = metrics.cohen_kappa_score(data.held_y, program.predict(data.held_x))
    assert program.score(data.held_x, data.held_y, metric="kappa") == pytest.approx(expected)
    assert program.report.metric is not None
    assert program.report.metric["name"] == "kappa"
    assert program.report.metric["formats"] == pytest.approx(expected)


def test_a_search_compares_candidates_by_the_metric(tmp_path: Path):
    with np.load(TOUR / "val.npz") as held:
        np.savez(tmp_path / "val.npz", **held)
    options = ["--target", "host", "--search", "uniform", "--metric", "kappa", "-o", str(tmp_path / "out")]
    assert main(["compile", str(TOUR / "tour.sd"), "--val", str(tmp_path / "val.npz"), *options]) == 0
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert report["metric"]["name"] == "kappa"
