"""A program may use nine tenths of the flash for forests as code. On a board whose costs are unknown, the rest of the
program counts as empty. A kernel whose steps are not all in the cost table is unchanged.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import MemRefType, ModuleOp, i8

from tinyml.dialects import num
from tinyml.dialects.errors import TooLargeError
from tinyml.dialects.layouts.trees import ForestCode, Trees
from tinyml.targets.registry import HOST, board
from tinyml.transforms.ir.pipeline_names import LoweringPasses
from tinyml.transforms.loops import code_forests

FORESTS: Any = code_forests


def test_a_board_without_costs_has_an_empty_program_beside_forests():
    assert FORESTS._rest(ModuleOp([]), HOST, LoweringPasses(())) == (0.0, 0.0)


@pytest.mark.parametrize("target", ["uno", "cortex-m4", HOST])
def test_nine_tenths_of_the_flash_are_for_the_program(target: str):
    flash = board(target).flash
    assert FORESTS._usual_limit(target) == (None if flash is None else 0.9 * flash)


@pytest.mark.parametrize("steps", [None, {}, {"compare": SimpleNamespace(time=2.0)}])
def test_a_kernel_with_a_step_that_the_cost_table_lacks_is_unchanged(steps: Any, monkeypatch: pytest.MonkeyPatch):
    table = None if steps is None else SimpleNamespace(steps=steps)
    monkeypatch.setattr("tinyml.transforms.loops.code_forests.cost_table", lambda _: table)  # pyright: ignore
    kernel = SimpleNamespace(composed=SimpleNamespace(counts={"compare": 3, "vote": 1}))
    assert FORESTS._timed(kernel, "uno") is kernel


def forest(nodes: int) -> num.ForestOp:
    """A forest of trees with one inner node each, which vote for one of two results."""
    numbers = np.arange(nodes)
    trees = Trees(
        numbers % 2, (numbers % 100).astype(np.int8), np.stack([-1 - numbers % 50, -51 - numbers % 50], 1), numbers
    )
    votes = np.random.default_rng(0).integers(-9, 9, (100, 2)).astype(np.int8)
    outputs, input = test.TestOp(result_types=[MemRefType(i8, [2]), MemRefType(i8, [2])]).results
    return num.ForestOp(outputs, input, ForestCode(trees, votes))


def test_a_forest_whose_tables_are_too_long_becomes_plain_c():
    """On a Mega, LPM reads tables within the first 64 KB."""
    short, long = ([kernel.symbol for kernel in FORESTS._kernels(forest(nodes), "mega")] for nodes in (5000, 10000))
    assert short
    assert not any(symbol.startswith("tm_avr_forest_plain") for symbol in short)
    [symbol] = long
    assert symbol.startswith("tm_avr_forest_plain")


def test_a_forest_that_is_too_large_names_the_limit_and_the_cure():
    large = forest(10000)
    [kernel] = FORESTS._kernels(large, "mega")
    wanted = (
        r"10000 trees with 10000 inner nodes, thresholds and votes of up to 8 bits, about 1,000,000 bytes, do not fit "
        r"mega, whose 253952 bytes of flash have room for about 2539, as many as 2539 such trees have: train with fewer"
    )
    FORESTS._check_code([large], [SimpleNamespace(code=1.25 * 253952)], "mega")
    with pytest.raises(TooLargeError, match=wanted):
        FORESTS._check_code([large], [SimpleNamespace(code=1_000_000)], "mega")
    assert kernel.code < 253952
