"""Programs in posits of few bits need no more memory than in 8 bits: no vector is decoded to the stack."""

from __future__ import annotations

import numpy as np
import pytest
from programs.paths import ROOT
from programs.spread import spread_product

import tinyml

MODELS = "bonsai-mnist16", "small-network"
BOARDS = "cortex-m4", "uno"
REGISTERS = 24
"""The most bytes by which the stack may be deeper than in 8 bits, for registers that functions save."""


@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.long(seconds=20)
@pytest.mark.parametrize(("model", "board"), spread_product(2, MODELS, BOARDS))
def test_fewer_bits_need_no_more_memory(model: str, board: str):
    folder = ROOT / "tests/models" / model
    with np.load(folder / "val.npz") as data:
        x = data["x"][:32]
    [program] = folder.glob("*.sd")
    static, stack = dict[int, int](), dict[int, int]()
    for width in (8, 7, 6, 5, 4):
        ram = tinyml.compile(program, x, board=board, format="posit", width=width).report.ram_bytes
        assert ram.static is not None
        assert ram.stack is not None
        static[width], stack[width] = ram.static, ram.stack
    assert max(static.values()) == static[8]
    assert max(stack.values()) <= stack[8] + REGISTERS
