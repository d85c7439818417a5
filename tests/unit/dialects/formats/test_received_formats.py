"""Faults of a package's number format are attributed to the package, not called a defect of tinyml."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import sk
from programs.paths import ROOT
from programs.plugins import forget, install

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import PluginError

X = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
Y = X[:, 0] > 0
FOLDERS = {"tapered": ROOT / "tests/plugins/tapered", "lns": ROOT / "examples/lns"}
NAME = '    name = "tapered.t"\n'

FAULTS = {
    "storage": ("tapered", 10, "return IntegerType(16)", "return None", "storage: expected a builtin type"),
    "encode": ("tapered", 10, "self.scale + 1))", "self.scale))", r"\d+ is not the raw value of any !tapered"),
    "for_range": ("lns", 8, "min(top, TOPS[-1])", "max(top, 21)", r"!lns\.l<8, 21> needs a width in \[4, 8\]"),
    "family": ("tapered", 10, NAME, f"{NAME}    FAMILY = 3\n", "FAMILY: expected a name, got 3"),
    "family without sums": (
        *("tapered", 10, NAME, f"{NAME}    FAMILY = 'nobody'\n"),
        "FAMILY: 'nobody', but sums of its products are of the family 'exact'",
    ),
}
"""A package of tests, the width of its format, a text in its code, what replaces it, and the message."""


@pytest.fixture(autouse=True)
def forgotten() -> Generator[None]:
    yield
    forget()


def compiled(name: str, width: int, code: str, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    point = {"tapered": "TAPERED", "lns": "LNS"}[name]
    assert f"\n{point} = " in code
    install(folder, patch, "xdsl.universe", code, entry=f"{name} = {{}}:{point}")
    model = sk.LogisticRegression().fit(X, Y)
    return tinyml.compile(model, X, Y, board="host", format=name, width=width)


def code_of(name: str) -> str:
    return (FOLDERS[name] / f"{name}.py").read_text()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_format_names_its_package(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    name, width, old, new, said = FAULTS[fault]
    code = code_of(name)
    assert old in code
    with pytest.raises(PluginError, match=said) as error:
        compiled(name, width, code.replace(old, new), tmp_path, monkeypatch)
    assert f"plug-in '{name}' of package 'evil-package'" in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert isinstance(error.value, InputError)


@pytest.mark.parametrize(("name", "width"), [("tapered", 10), ("lns", 8)])
def test_sound_formats_are_received(name: str, width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert compiled(name, width, code_of(name), tmp_path, monkeypatch).name
