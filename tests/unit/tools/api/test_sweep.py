"""Sweeps: one row per program, resumption from a table, and errors before any work begins."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.paths import ROOT

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.tools.api import sweep as module

TOUR = ROOT / "docs/tour/tour.sd"
DATA = np.load(ROOT / "docs/tour/val.npz")
X, Y = DATA["x"], DATA["y"]


def swept(**options: Any) -> list[tinyml.SweepRow]:
    given: dict[str, Any] = {"boards": ["host"], "formats": ["fixed:8", "posit:8"], "data": (X, Y), "jobs": 1}
    # This computer takes another time in each run.
    return [replace(row, time=None) for row in tinyml.sweep({"tour": TOUR}, **given | options)]


@pytest.mark.long
def test_a_row_has_what_the_program_reports():
    [row] = swept(formats=["fixed:8"])
    report = tinyml.compile(TOUR, X, Y, board="host", format="fixed", width=8).report
    assert (row.model, row.board, row.format, row.chosen, row.error) == ("tour", "host", "fixed:8", "fixed 8", None)
    assert (row.accuracy, row.accuracy_float, row.samples) == (report.accuracy, report.accuracy_float, len(X))
    assert (row.flash, row.ram, row.arena) == (report.flash_bytes, report.ram_bytes.total, report.ram_bytes.arena)


@pytest.mark.long
def test_rows_are_in_the_order_of_the_arguments():
    rows = tinyml.sweep(
        {"b": TOUR, "a": TOUR}, formats=["posit:8", "fixed:8"], boards=["host"], data={"a": (X, Y), "b": (X,)}, jobs=2
    )
    assert [(row.model, row.format) for row in rows] == [
        ("b", "posit:8"),
        ("b", "fixed:8"),
        ("a", "posit:8"),
        ("a", "fixed:8"),
    ]
    assert [row.accuracy is None for row in rows] == [True, True, False, False]


@pytest.mark.long
def test_a_sweep_goes_on_from_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    table = tmp_path / "rows.csv"
    rows = swept(csv=table)
    whole = table.read_text()
    compiled: list[str] = []

    def counted(problem: Any, cases: Any) -> Any:
        compiled.extend(case.format for case in cases)
        return measured(problem, cases)

    measured = module._measured  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(module, "_measured", counted)
    assert swept(csv=table) == rows
    assert compiled == []
    # A sweep that was killed while it wrote its last row.
    table.write_text(whole[:-20])
    assert swept(csv=table) == rows
    assert compiled == ["posit:8"]
    whole = table.read_text()
    # Other data are another measurement; the rows of the first one stay.
    assert swept(csv=table, data=(X[:8], Y[:8]))[0].samples == 8
    assert table.read_text().startswith(whole)


@pytest.mark.long
def test_bytes_that_are_no_text_stay_and_nothing_is_added_for_them(tmp_path: Path):
    table = tmp_path / "rows.csv"
    swept(csv=table)
    content = table.read_bytes()
    name = content.split(b"\n")[1].split(b",")[0]
    changed = content.replace(b"\n" + name, b"\n" + b"caf\xe9" * 50, 1)
    table.write_bytes(changed)
    for samples in (8, 6):
        swept(csv=table, data=(X[:samples], Y[:samples]))
    assert table.read_bytes().startswith(changed)
    assert b"\0" not in table.read_bytes()
    assert table.read_bytes().count(b"\n") == 3 * content.count(b"\n") - 2


def test_a_program_that_does_not_fit_is_a_row():
    [row] = swept(boards=["uno"], formats=["fixed"], searches=["promote"], ram=1)
    assert row.error is not None
    assert "ram" in row.error
    assert "--ram" not in row.error
    assert (row.search, row.chosen, row.flash) == ("promote", None, None)


def test_processes_get_problems_as_text():
    problem = module._Problem.of({"tour": TOUR}, (X, Y), {})  # pyright: ignore[reportPrivateUsage]
    case = module._Case("tour", "host", "fixed:8", None)  # pyright: ignore[reportPrivateUsage]
    assert pickle.loads(pickle.dumps(problem)).key(case) == problem.key(case)


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "board": ({"boards": ["unno"]}, InputError, "unknown target 'unno', did you mean 'uno'?"),
    "format": ({"formats": ["fixde"]}, InputError, "unknown number format 'fixde', did you mean 'fixed'?"),
    "width": ({"formats": ["fixed:x"]}, InputError, "expected FORMAT:BITS, got 'fixed:x'"),
    "search": (
        {"searches": ["promot"], "formats": ["fixed"]},
        InputError,
        "unknown search 'promot', did you mean 'promote'?",
    ),
    "options": (
        {"searches": ["promote"]},
        InputError,
        "search chooses the width of each tensor: use widths instead of width",
    ),
    "one name": ({"boards": "uno"}, InputError, "boards: expected a sequence of names, got 'uno'"),
    "varied": ({"width": 8}, TypeError, "sweep() got an unexpected keyword argument 'width', did you mean 'formats'?"),
    "too many arrays": (
        {"data": (X, Y, X, Y, X)},
        InputError,
        "data: expected X_val, y_val, X_test and y_test, got 5 arrays",
    ),
}


@pytest.mark.parametrize(("options", "kind", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_ends_before_any_work(
    options: dict[str, Any], kind: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "compile", None)
    with pytest.raises(kind) as caught:
        swept(**options)
    assert str(caught.value) == message


def test_another_file_is_left_as_it_is(tmp_path: Path):
    notes = tmp_path / "notes.csv"
    notes.write_text("day,weather\n1,rain\n")
    with pytest.raises(InputError, match="is not a table of a sweep and is not overwritten"):
        swept(csv=notes)
    assert notes.read_text() == "day,weather\n1,rain\n"
    for beginning in ("m", "model", "model,board"):
        notes.write_text(beginning)
        with pytest.raises(InputError, match="is not a table of a sweep and is not overwritten"):
            swept(csv=notes)
        assert notes.read_text() == beginning
