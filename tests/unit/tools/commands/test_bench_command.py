"""The output of `tinyml bench` and its errors."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT
from programs.tflite_models import TfliteModel

from tinyml.tools.driver import compare_searches
from tinyml.tools.driver.request import SearchRequest
from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A copy of the tour's program that tests may damage."""
    return Path(shutil.copytree(TOUR, tmp_path / "model"))


def test_bench_reads_folders_and_writes_json(model: Path, tmp_path: Path) -> None:
    reports = tmp_path / "reports.json"
    assert main(["bench", str(model), "--target", "cortex-m0", "--json", str(reports)]) == 0
    [report] = json.loads(reports.read_text())
    assert report["instructions_per_inference"] > 0
    assert report["core_cycles_per_inference"] is None


def test_bench_takes_models_that_keep_their_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, file, reports = TfliteModel(), tmp_path / "dense.tflite", tmp_path / "reports.json"
    x, y = model.tensor((1, 5), "int8", 0.5, 3), model.tensor((1, 4), "int8", 1.0)
    weights = model.constant(np.ones((4, 5)), "int8", scales=[0.25, 0.5, 0.75, 1.0])
    model.op("FULLY_CONNECTED", [x, weights, model.constant([1, 2, 3, 4], scales=[0.125, 0.25, 0.375, 0.5])], y)
    file.write_bytes(model.finish([x], [y]))
    assert main(["bench", str(file), "--target", "cortex-m4", "--json", str(reports)]) == 0
    assert "core cycles/MAC" in capsys.readouterr().out
    [report] = json.loads(reports.read_text())
    instructions, cycles = report["instructions_per_inference"], report["core_cycles_per_inference"]
    assert instructions < cycles < 2 * instructions
    assert report["core_cycles_per_mac"] == round(cycles / 20, 2)
    # Of four channels: weights, biases, multipliers and shifts.
    assert report["constants_bytes"] == 4 * (5 + 4 + 4 + 1)
    assert report["flash_bytes"] > report["constants_bytes"]


@pytest.mark.long(seconds=5)
def test_bench_compares_searches(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tinyml bench --searches` lists programs of uniform width and programs found by searches. Their memory and their
    losses are in the expected order, and within the limits.
    """
    monkeypatch.setattr(compare_searches, "WAYS", [way for way in compare_searches.WAYS if not way.startswith("by-")])
    search = compare_searches._search  # pyright: ignore[reportPrivateUsage]

    def with_little_effort(way: str, limits: dict[str, int]) -> SearchRequest | None:
        asked = search(way, limits)
        return asked if asked is None or way != "pareto" else replace(asked, options={**asked.options, "effort": 150})

    monkeypatch.setattr(compare_searches, "_search", with_little_effort)
    reports = tmp_path / "rows.json"
    assert main(["bench", str(model), "--searches", "fixed,shiftry:seedot", "--json", str(reports)]) == 0
    ours, published, *means = rows = json.loads(reports.read_text())
    assert [row["arithmetic"] for row in rows] == ["fixed", "shiftry:seedot"] * 2
    for row in (ours, published):
        assert row["8"]["memory"] <= row["promote"]["memory"] <= row["demote"]["memory"] <= row["16"]["memory"]
        assert row["promote"]["limits"] == {"memory": row["demote"]["memory"]}
    assert all(ours["pareto"][resource] <= limit for resource, limit in ours["pareto"]["limits"].items())
    assert ours["pareto"]["loss"] <= ours["best"]["loss"] <= ours["demote"]["loss"]
    assert "pareto" not in published
    assert [one["8"]["loss"] for one in means] == pytest.approx([ours["8"]["loss"], published["8"]["loss"]], abs=1e-4)
    assert capsys.readouterr().out.count("mean change") == 4


def test_bench_of_searches_needs_labels(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with np.load(model / "val.npz") as data:
        np.savez(model / "test.npz", x=data["x"])
    assert main(["bench", str(model), "--searches", "fixed"]) == 1
    assert "need labels" in capsys.readouterr().err


@pytest.mark.long(seconds=5)
def test_bench_compares_formats(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows_file, picture = tmp_path / "rows.json", tmp_path / "means.svg"
    asked = [
        "bench",
        str(model),
        "--target",
        "cortex-m0",
        "--formats",
        "f32,fixed:8,affine,synthesised:4,fixed+promote",
    ]
    assert main([*asked, "--json", str(rows_file), "--picture", str(picture)]) == 0
    rows = json.loads(rows_file.read_text())
    assert [row["way"] for row in rows] == ["f32", "fixed 8", "affine", "synthesised 4", "fixed, promote"]
    assert rows[1]["ram"] < rows[0]["ram"]
    assert rows[1]["time"] < rows[0]["time"]
    assert capsys.readouterr().out.count("mean of 1") == 5
    assert "fixed, promote" in picture.read_text()


@pytest.mark.parametrize("formats", ["fixed:", ":8", "fixed:8+promote", "fixed:x", "synthesised+promote"])
def test_bench_refuses_what_is_no_format(model: Path, formats: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", str(model), "--formats", formats]) == 1
    assert "expected FORMAT:BITS or FORMAT+SEARCH" in capsys.readouterr().err
