"""The program of every search is within `--flash` and `--ram` when it is built for an Uno and run there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs.paths import ROOT

import tinyml

FOLDER = ROOT / "tests/models/bonsai-mnist16"
SEARCHES = "by-accuracy", "by-size", "demote", "maxscale", "promote", "uniform"
DATA = {name: array[:60] for name, array in np.load(FOLDER / "val.npz").items()}


def compiled(**options: Any) -> dict[str, int]:
    """The bytes of flash, and of RAM including the stack, of the program of a trained Bonsai."""
    program = tinyml.compile(FOLDER / "bonsai_mnist16.sd", DATA["x"], DATA["y"], board="uno", **options)
    flash, ram = program.report.flash_bytes, program.report.ram_bytes.total
    assert flash is not None
    assert ram is not None
    return {"flash": flash, "ram": ram}


@pytest.fixture(scope="module")
def uniform() -> list[dict[str, int]]:
    """The bytes of the uniform programs of 8 and of 16 bits."""
    return [compiled(format="fixed", width=width) for width in (8, 16)]


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize("search", SEARCHES)
def test_the_built_program_is_within_the_limits(search: str, uniform: list[dict[str, int]]):
    """The program that a search finds is within limits on flash and RAM halfway between the bytes of the uniform
    programs of 8 and of 16 bits. The program of 16 bits exceeds them.
    """
    narrow, wide = uniform
    limits = {kind: (narrow[kind] + wide[kind]) // 2 for kind in ("flash", "ram")}
    assert all(narrow[kind] < limit < wide[kind] for kind, limit in limits.items())
    found = compiled(search=search, widths=(8, 16), jobs=1, **limits)
    assert all(found[kind] <= limit for kind, limit in limits.items())
