"""Programs that call the kernels of a chip of a test package compute the evaluator's bits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from programs.plugins import package_of

import tinyml
from tinyml.extend.testing import is_available
from tinyml.targets.chip import Chip

ROWS = "tm_pulse_two_rows_s8_s8_s32"


@pytest.fixture(autouse=True)
def chip() -> Iterator[Chip]:
    with package_of("pulse") as chip:
        yield chip


@pytest.mark.long
@pytest.mark.parametrize(
    ("rows", "width", "called"), [(2, 8, ROWS), (3, 8, "tm_pulse_dot_s8_s8_s32"), (3, 16, "tm_pulse_dot_s16_s16_s32")]
)
def test_programs_call_the_kernels_of_the_table(rows: int, width: int, called: str, tmp_path: Path):
    """The C of a program calls the kernel that the package's table lists for its shape and width. If the tools of the
    chip are installed, the program, compiled with the kernel's assembly, computes the evaluator's outputs.
    """
    random = np.random.default_rng(rows)
    file = tmp_path / "program.sd"
    file.write_text(f"let X = (9, 1) in [-1.0, 1.0] in\nlet W = ({rows}, 9) in [-1.0, 1.0] in\nargmax(W * X)\n")
    weights, x = (random.uniform(-1, 1, (extent, 9)).astype(np.float32) for extent in (rows, 40))
    np.save(tmp_path / "W.npy", weights)
    program = tinyml.compile(file, x, np.argmax(x @ weights.T, 1), board="pulse", width=width, packed="never")
    assert f" {called}(" in program.c
    if is_available("pulse"):
        assert program.report.flash_bytes is not None
