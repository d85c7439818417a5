"""Boards of packages with incomplete cost tables: costs that cannot be computed are unknown, and errors name the
file.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from programs.paths import ROOT

from tinyml.dialects.errors import InputError
from tinyml.targets import costs
from tinyml.tools.main import main

TOUR = ROOT / "docs" / "tour"
PROGRAM = [100, 0, 500, 20]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A context in which all boards use the cost table in one file. Yields the path of the file."""
    file = tmp_path / "table.json"

    def cost_file(target: str) -> Path:
        return file

    costs.cost_table.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(costs, "cost_file", cost_file)
        yield file
    costs.cost_table.cache_clear()


def compiled(folder: Path) -> tuple[int, dict[str, Any]]:
    """The exit code and the report of the compilation of a program with float inputs and a function."""
    code = main(["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), "-o", str(folder)])
    file = folder / "report.json"
    return code, json.loads(file.read_text()) if file.exists() else {}


@pytest.mark.long
@pytest.mark.parametrize("steps", [{}, {"addi i16": [1, 2, 0, 0]}, {"mulf f32": [0, 0, 0, 0]}], ids=str)
def test_costs_that_a_table_lacks_are_unknown(table: Path, tmp_path: Path, steps: dict[str, Any]):
    """If the table lacks the steps of a conversion, the report states that the cost of the conversion is unknown. The
    cost of the program is unknown only if the table contains no steps.
    """
    table.write_text(
        json.dumps({"unit": "cycles", "program": [0, 0, 0, 0] if "mulf f32" in steps else PROGRAM} | {"steps": steps})
    )
    code, report = compiled(tmp_path / "out")
    assert code == 0
    assert report["mismatch"] is None
    assert report["float_inputs"]["conversion"] is None
    assert report["float_inputs"]["in_software"] is (False if "mulf f32" in steps else None)
    assert (report["estimate"] is None) == (not steps)
    assert main(["open", str(tmp_path / "out"), "--text"]) == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        json.dumps({"unit": "cycles", "program": PROGRAM}),
        json.dumps({"unit": "cycles", "program": PROGRAM[1:], "steps": {"addi i16": PROGRAM}}),
        json.dumps({"unit": "cycles", "program": PROGRAM, "steps": {"addi i16": [1, 2, 3]}}),
        json.dumps({"unit": "cycles", "program": PROGRAM, "steps": {"addi i16": [1, 2, 3, "4"]}}),
        json.dumps({"unit": "cycles", "program": PROGRAM, "steps": [], "floats": 1}),
    ],
)
def test_a_file_that_is_no_cost_table_is_named(table: Path, text: str):
    table.write_text(text)
    with pytest.raises(InputError) as error:
        costs.cost_table("uno")
    assert str(error.value).startswith(f"{table}: no cost table: expected ")


@pytest.mark.long
def test_a_compilation_says_which_file_it_is(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    table.write_text("{}")
    assert compiled(tmp_path / "out")[0] == 1
    [*_, said] = capsys.readouterr().err.splitlines()
    assert said.startswith(f"error: {table}: no cost table: expected ")
    assert not (tmp_path / "out").exists()
