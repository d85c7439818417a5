"""The notebooks of docs/notebooks: each cell prints its stored output.

Cells run one after another in an empty folder, in this process and without Jupyter. If a cell ends with an expression,
its value is part of the output. Cells with the tag `board` need the compilers with which the figures were measured.
With `--update-docs` the outputs are written again.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from measured.store import has_measured_compilers
from programs.paths import ROOT

from tinyml import CompileWarning

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))

Cell = dict[str, Any]


def outputs(cell: Cell, names: dict[str, Any]) -> list[Cell]:
    """Execute a cell, and return its outputs in the form in which notebooks store them.

    names: the global variables, which the cell may change.
    """
    parsed = ast.parse("".join(cell["source"]))
    last = parsed.body[-1] if parsed.body else None
    expression = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
    if expression:
        parsed.body.pop()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", CompileWarning)
        exec(compile(parsed, cell["id"], "exec"), names)
        value = eval(compile(expression, cell["id"], "eval"), names) if expression else None
    found: list[Cell] = []
    if texts := [f"{each.category.__name__}: {each.message}\n" for each in warned]:
        found.append({"name": "stderr", "output_type": "stream", "text": texts})
    if text := printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        found.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return found


def run(notebook: Cell) -> Iterator[tuple[Cell, list[Cell]]]:
    """Yield each code cell that can run here, with its outputs."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        on_board = "board" in cell["metadata"].get("tags", [])
        if cell["cell_type"] == "code" and (not on_board or has_measured_compilers()):
            yield cell, outputs(cell, names)


@pytest.mark.long
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.name)
def test_cells_show_what_is_stored(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(file.read_text(encoding="utf-8"))
    if request.config.getoption("--update-docs"):
        for cell, shown in run(notebook):
            cell["outputs"] = shown
        file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    cells = list(run(notebook))
    assert cells
    for cell, shown in cells:
        assert shown == cell["outputs"], cell["id"]


def test_a_stale_output_is_noticed():
    stored = {"name": "stdout", "output_type": "stream", "text": ["2\n"]}
    cell: Cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": ["print(1 + 1)\n", "3 + 1"],
        "outputs": [stored],
    }
    [(_, [printed, value])] = run({"cells": [cell]})
    assert printed == stored
    assert value["data"] == {"text/plain": ["4"]}
