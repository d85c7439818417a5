"""Options that take a family of formats refuse the type of a tensor, which they would not obey, in one line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import sk
from programs.paths import ROOT

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import family_spelled, format_spelled
from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"

X = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)

REFUSALS = {
    "!fixed.q<8, 7>": "name its family, fixed, and the width 8",
    "!posit.p<8, 2>": "name its family, posit, and the width 8",
    "!fixed.s<4, 3, even>": "name its family, fixed, and the width 4",
    "!zeroskew.q<8, 0.1, 3>": "name its family, zeroskew, and the width 8",
    "!fixed.q<8": "name its family, fixed; the type",
    "!other.q<8, 7>": "name a family, such as fixed; the type",
}


def refusal(type: str) -> str:
    return f"'{type}' is the type of one tensor, and no option gives it to all: {REFUSALS[type]}"


@pytest.mark.parametrize("type", REFUSALS)
@pytest.mark.parametrize("option", ["format", "weights"])
def test_a_type_is_no_family(type: str, option: str) -> None:
    model = sk.LogisticRegression().fit(X, X[:, 0] > 0)
    options: dict[str, Any] = {"format": "fixed", "width": 16, option: type}
    with pytest.raises(InputError, match=re.escape(refusal(type))) as caught:
        tinyml.compile(model, X, X[:, 0] > 0, board="host", **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("option", ["--format", "--weights"])
def test_the_command_refuses_a_type(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--val", str(TOUR / "val.npz"), "-o", str(tmp_path / "out")]
    assert main(["compile", str(TOUR / "tour.sd"), *data, option, "!posit.p<8, 2>"]) == 1
    assert refusal("!posit.p<8, 2>") in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_sweep_refuses_a_type() -> None:
    with pytest.raises(InputError, match=re.escape(refusal("!fixed.q<8, 7>"))):
        tinyml.sweep([TOUR / "tour.sd"], data=TOUR / "val.npz", formats=["!fixed.q<8, 7>"], boards=["uno"])


def test_a_proof_takes_a_type_and_a_pass_takes_none() -> None:
    assert str(format_spelled(context(), "!fixed.q<8, 7>").type) == "!fixed.q<8, 7>"
    with pytest.raises(InputError, match=re.escape(refusal("!fixed.q<8, 7>"))):
        family_spelled(context(), "!fixed.q<8, 7>")
