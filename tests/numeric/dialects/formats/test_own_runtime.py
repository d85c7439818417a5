"""A number format of a package, whose functions are in a C header of the package: it computes the evaluator's bits on
every kind of device, and errors in the header are reported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed
from programs.spread import spread

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.extend.testing import check_numbers, check_sums, is_available
from tinyml.runtime.model.headers import definition_of

FUNCTIONS = "half_from_f32", "half_to_f32"


@pytest.fixture(autouse=True)
def half(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the package that defines the format; remove its runtime functions after the test."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "tests" / "plugins" / "half"), *sys.path])
    with installed(*entry_points_of("half")):
        import_module("half")
        yield
    del sys.modules["half"]
    for name in FUNCTIONS:
        del RUNTIME_FUNCTIONS[name]


@pytest.mark.long
def test_numbers_and_sums_are_those_of_reals() -> None:
    format = import_module("half").HalfType.of_width(None)
    check_numbers(format)
    check_sums(format)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.parametrize("board", spread(["host", "uno", "cortex-m4", "riscv"], 2))
def test_a_program_gives_the_bits_of_the_evaluator(board: str) -> None:
    """A program compiles for boards with and without a C library; compilation fails unless the board's outputs equal
    the evaluator's. The C contains one definition of the header's function, and the accuracy is 93.75 %. Warnings
    about the time of this format, which computes in floats, are ignored.
    """
    if not is_available(board):
        pytest.skip("its compiler or its simulator is not installed")
    with np.load(ROOT / "docs/tour/val.npz") as file:
        data = dict(file)
    program = tinyml.compile(ROOT / "docs/tour/tour.sd", data["x"], data["y"], format="half", board=board)
    assert program.c.count("half_from_f32(float value)") == 1
    assert program.report.accuracy == pytest.approx(93.75)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "the header cannot be read: "),
        (
            '#include "f23.h"\nstatic inline float half_to_f32(int16_t raw)\n{\n}\n',
            "own/own.h includes tinyml/f23.h, and",
        ),
    ],
)
def test_a_header_that_is_wrong_is_named(text: str | None, message: str, tmp_path: Path) -> None:
    header = tmp_path / "own" / "own.h"
    header.parent.mkdir()
    if text is not None:
        header.write_text(text)
    RUNTIME_FUNCTIONS["half_to_f32"] = replace(RUNTIME_FUNCTIONS["half_to_f32"], header=header)
    with pytest.raises(InputError, match=message):
        definition_of("half_to_f32", "host")


def test_a_header_may_include_those_of_the_runtime(tmp_path: Path) -> None:
    header = tmp_path / "own.h"
    header.write_text(
        '#include "f32.h"\nstatic inline float half_to_f32(int16_t raw)\n{\n    return tm_expf(raw);\n}\n'
    )
    RUNTIME_FUNCTIONS["half_to_f32"] = replace(RUNTIME_FUNCTIONS["half_to_f32"], header=header)
    names = [name for name, _ in definition_of("half_to_f32", "host")]
    assert names == ["tinyml/f32.h", f"{tmp_path.name}/own.h"]
