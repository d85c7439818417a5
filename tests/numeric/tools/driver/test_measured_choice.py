"""Choices of `--format auto` by measured times instead of estimates."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from programs.devices import need_tools
from programs.estimators import halves, sk
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.targets import costs
from tinyml.tools.driver.choice import choose

OTHER_COSTS = """
from dataclasses import replace
from tinyml.targets.cortex_m.chip import CHIP as CORTEX_M
[M4] = [board for board in CORTEX_M.boards if board.name == "cortex-m4"]
CHIP = replace(CORTEX_M, name="mistaken", boards=(replace(M4, name="mistaken", costs="cortex-m0", larger=""),))
"""
"""A package whose board is a Cortex-M4 with the cost table of a Cortex-M0, which has no 16-bit multiply-accumulate."""


@pytest.fixture(scope="module")
def perceptron() -> Any:
    digits = halves("digits")
    return sk.MLPClassifier((16,), max_iter=600, random_state=0).fit(digits.x, digits.y)


@pytest.fixture
def mistaken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """The name of the board of the package `OTHER_COSTS`."""
    need_tools("cortex-m4")
    (tmp_path / "mistaken.py").write_text(OTHER_COSTS)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    points = [EntryPoint("mistaken", "mistaken:CHIP", f"tinyml.{group}") for group in ("chips", "boards")]
    with installed(*points):
        yield "mistaken"
    costs.cost_table.cache_clear()
    sys.modules.pop("mistaken", None)


def compiled(model: Any, board: str, **options: Any) -> tinyml.Program:
    digits = halves("digits")
    return tinyml.compile(model, digits.held_x, digits.held_y, board=board, **options)


def rows_of(program: tinyml.Program) -> dict[str, Any]:
    assert program.report.chosen is not None
    return {row["name"]: row for row in program.report.chosen["alternatives"]}


@pytest.mark.long(seconds=20)
@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
def test_measurements_decide_where_the_cost_table_is_wrong(
    perceptron: Any, mistaken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the cost table of another core, 8 bits are faster than 16. The simulator shows the opposite. The report of the
    measurement repeats the choice without the simulator, and the same program follows from the replayed command.
    """
    estimated, measured = compiled(perceptron, mistaken), compiled(perceptron, mistaken, measure=True)
    assert estimated.report.chosen is not None
    assert measured.report.chosen is not None
    assert estimated.report.chosen["name"] == "fixed 8"
    assert measured.report.chosen["name"] == "fixed 16"
    rows, taken = rows_of(measured), rows_of(measured)["fixed 16"]
    assert rows["fixed 8"]["time"] < taken["time"]
    assert rows["fixed 8"]["measured"]["inference"] > taken["measured"]["inference"]
    assert rows["fixed 8"]["verdict"] == "keeps the loss, but another alternative is faster"
    # Both are measured with the same inputs.
    assert taken["measured"]["inference"] == measured.report.time_per_inference
    assert rows["fixed 8"]["measured"]["inference"] == estimated.report.time_per_inference
    assert taken["measured"]["flash"] == measured.report.flash_bytes
    assert taken["measured"]["ram"] == measured.report.ram_bytes.total
    assert any(line.startswith("Decided by measurement") for line in measured.report.lines)
    assert "measure" not in measured.report.chosen["command"]
    # What is estimated more than 30 % above the fastest is not built.
    least = min(row["time"] for row in rows.values() if row["time"] and row["measured"])
    for row in rows.values():
        assert (row["measured"] is not None) == (row["time"] is not None and row["time"] <= 1.3 * least) or (
            "feature scales" in row["name"]
        )
    measured.save(tmp_path / "measured")
    estimated.save(tmp_path / "estimated")
    monkeypatch.setenv("PATH", "")
    again = compiled(perceptron, mistaken, measured=tmp_path / "measured")
    assert again.report.chosen == measured.report.chosen
    assert again.report.lines == measured.report.lines
    assert again.report.time_per_inference is None
    assert again.c == measured.c
    with pytest.raises(InputError, match="contains no measured figures: it was compiled without measure"):
        compiled(perceptron, mistaken, measured=tmp_path / "estimated")
    other = sk.LinearDiscriminantAnalysis().fit(halves("digits").x, halves("digits").y)
    with pytest.raises(InputError, match=r"has no figures of '.*': the model, the data, options or tinyml have"):
        compiled(other, mistaken, measured=tmp_path / "measured")
    report = json.loads((tmp_path / "measured" / "report.json").read_text())
    report["chosen"]["alternatives"][0]["measured"] = {"program": 3}
    (tmp_path / "measured" / "report.json").write_text(json.dumps(report))
    with pytest.raises(InputError, match="expected measured figures of alternatives"):
        compiled(perceptron, mistaken, measured=tmp_path / "measured")


def test_without_the_tools_of_a_board_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is one line, which names the missing tools and what to do without them."""
    monkeypatch.setenv("PATH", "")
    digits = halves("digits")
    model = sk.LinearDiscriminantAnalysis().fit(digits.x, digits.y)
    with pytest.raises(InputError) as error:
        compiled(model, "uno", measure=True)
    assert error.value.message == (
        "measure=True cannot run programs: the compiler or simulator of uno is not installed; measured takes the "
        "figures of an earlier compilation, without measure=True estimates decide"
    )
    with pytest.raises(InputError, match="measure=True is for the choice of format='auto': omit it for given formats"):
        compiled(model, "uno", measure=True, width=8)
    with pytest.raises(InputError, match="the model keeps its number formats: measure=True needs quantization='anew'"):
        tinyml.compile(ROOT / "tests/models/keras/images-int8.tflite", board="uno", measure=True)


@pytest.mark.long(seconds=12)
def test_a_format_of_a_package_is_measured_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """An alternative of any format is measured if its estimate is near; here, each estimate counts as near."""
    need_tools("uno")
    monkeypatch.setattr(sys, "path", [str(ROOT / "tests" / "plugins" / "tapered"), *sys.path])
    monkeypatch.setattr(choose, "NEAR_RATIO", float("inf"))
    digits = halves("digits")
    model = sk.LinearDiscriminantAnalysis().fit(digits.x[:, 20:28], digits.y)
    with installed(*entry_points_of("tapered")):
        monkeypatch.setattr(import_module("tapered").TaperedType, "FOR_AUTO", (12,))
        program = tinyml.compile(model, digits.held_x[:60, 20:28], digits.held_y[:60], board="uno", measure=True)
    row = rows_of(program)["tapered 12"]
    assert row["measured"]["inference"] == pytest.approx(row["time"] - row["reading"], rel=0.5)
