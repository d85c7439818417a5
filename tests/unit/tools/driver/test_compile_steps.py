"""The steps of a compilation: the facts that each step records, and requests that are rejected before the first
step.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from programs.paths import ROOT

from tinyml.dialects.errors import InputError
from tinyml.targets.registry import board
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.compilation import Compilation
from tinyml.tools.driver.compile_model import STEPS, build_folder
from tinyml.tools.driver.request import Request

TOUR = ROOT / "docs/tour"


def request(**options: Any) -> Request:
    given: dict[str, Any] = {"val": TOUR / "val.npz", "target": "host", **options}
    return Request(model=TOUR / "tour.sd", out=Path(), **given)


@pytest.mark.long
def test_each_fact_is_written_once(tmp_path: Path):
    """Every fact is written by exactly one step. An exception is the request, to which several steps add options."""
    with Progress("tour", len(STEPS)) as progress:
        made = Compilation(
            requested=request(),
            board=board("host"),
            folder=tmp_path,
            must_fit=True,
            packagings=(),
            pages=True,
            progress=progress,
        )
        asked = dict(vars(made))
        writers: dict[str, list[str]] = {}
        for step in STEPS:
            before = dict(vars(made))
            step(made)
            for name, value in vars(made).items():
                if name not in before or before[name] is not value:
                    writers.setdefault(name, []).append(step.__name__)
    assert {field.name for field in fields(Compilation)} == vars(made).keys()
    assert writers.pop("request") == ["compile_levels"]
    assert made.requested is asked["requested"]
    assert {name: steps for name, steps in writers.items() if len(steps) > 1} == {}
    assert {"program", "data", "compiled", "choice", "accuracies", "measured", "report"} <= writers.keys()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"width": 77}, "widths from 2 to 32"),
        ({"target": "uno", "route": True}, "--route is for programmable logic"),
        ({"target": "cortex-m4", "input": "serial"}, "the serial port of cortex-m4 is unknown"),
        ({"input": "push", "plan": "rows"}, "omit --plan"),
        ({"val": TOUR / "W.npy"}, "expected an .npz file"),
    ],
)
def test_what_cannot_be_compiled_is_refused_before_work_begins(
    options: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    asked = request(**options)
    with pytest.raises(InputError, match=said):
        build_folder(asked, board(asked.target), tmp_path, must_fit=True)
    assert capsys.readouterr().err == ""
    assert not any(tmp_path.iterdir())
