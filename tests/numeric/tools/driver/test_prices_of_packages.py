"""The price in `auto` of a program with a board, a format or an op of another package is the estimate of the compiled
program.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed
from programs.problems import fitted
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml import load
from tinyml.dialects.context import context
from tinyml.extend.chips import board, chip_of
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.costs import OPTIMIZE
from tinyml.tools.driver.choice.alternatives import BUILT_IN, Alternative, considered
from tinyml.tools.driver.choice.trials import EstimatedCost, Trials
from tinyml.tools.driver.stages import compile_formats
from tinyml.transforms.ir.cost.estimate import Estimate, estimate_on

FEATURES, ROWS, SAMPLES = 6, 5, 40

FIXED = [row for row in BUILT_IN if row.options == {"format": "fixed", "width": 8}]


def priced(
    program: ModuleOp, ctx: Context, x: NDArray[np.float32], target: str, row: Alternative, folder: Path
) -> tuple[EstimatedCost, Estimate]:
    """The price of an alternative in `auto`, and the estimate of its compiled program."""
    np.savez(folder / "val.npz", allow_pickle=False, x=x)
    data = str(folder / "val.npz")
    options = PipelineOptions(data=data, target=target)
    trial = Trials(program, ctx, options, load_program_data(program, data)).of(row)
    cost, options = trial.cost({}), replace(options, **row.options)
    compiled = compile_formats(trial.prepared.reals, trial.program({}), ctx, options, row_scales=options.row_scales)
    estimate = estimate_on(compiled.loops, target, OPTIMIZE)
    assert estimate is not None
    return cost, estimate


def assert_equal(cost: EstimatedCost, estimate: Estimate) -> None:
    assert estimate.reading
    assert (cost.reading, cost.time) == (estimate.reading, estimate.time + estimate.reading)
    assert (cost.flash, cost.ram) == (estimate.flash, estimate.ram)


def regression() -> tuple[ModuleOp, NDArray[np.float32]]:
    given = fitted("Ridge", "", FEATURES, "like", 0)
    return load(given.estimator).module, given.x


STRANGE = replace(board("blackpill"), name="strange-m4", aliases=(), ram=20480, platformio="")

CHIP = replace(chip_of("blackpill"), name="strange", boards=(STRANGE,))


def test_of_a_board(tmp_path: Path) -> None:
    """A board whose chip copies one of tinyml's has the prices of the original."""
    groups = {"strange": "tinyml.chips", "strange-m4": "tinyml.boards"}
    with installed(*(EntryPoint(name, f"{__name__}:CHIP", group) for name, group in groups.items())):
        program, x = regression()
        [row] = FIXED
        cost, estimate = priced(program, context(), x, STRANGE.name, row, tmp_path)
        assert_equal(cost, estimate)
        assert cost == priced(program, context(), x, "blackpill", row, tmp_path)[0]


@pytest.mark.parametrize("target", ["uno", "cortex-m4", "esp32-c3"])
def test_of_a_format(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tests" / "plugins" / "tapered"), *sys.path])
    with installed(*entry_points_of("tapered")):
        monkeypatch.setattr(import_module("tapered").TaperedType, "FOR_AUTO", (12,))
        [row] = [row for row in considered() if row.options.get("format") == "tapered"]
        program, x = regression()
        assert_equal(*priced(program, context(), x, target, row, tmp_path))


BLEND = f"""
func.func @predict(%x: tensor<{FEATURES}x1xf32>) -> tensor<{ROWS}x1xf32> {{
  %w = tdsl.const dense<WEIGHTS> : tensor<{ROWS}x{FEATURES}xf32> -> tensor<{ROWS}x{FEATURES}xf32>
  %c = tdsl.const dense<0.25> : tensor<{ROWS}x1xf32> -> tensor<{ROWS}x1xf32>
  %s = tdsl.matmul %w, %x : tensor<{ROWS}x{FEATURES}xf32>, tensor<{FEATURES}x1xf32> -> tensor<{ROWS}x1xf32>
  %y = gated.blend %s, %s, %c : tensor<{ROWS}x1xf32>, tensor<{ROWS}x1xf32>, tensor<{ROWS}x1xf32> -> tensor<{ROWS}x1xf32>
  func.return %y : tensor<{ROWS}x1xf32>
}}"""


@pytest.mark.parametrize("target", ["uno", "cortex-m4", "esp32-c3"])
def test_of_an_op(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tests" / "plugins" / "gated"), *sys.path])
    random = np.random.default_rng(0)
    weights = random.normal(size=(ROWS, FEATURES)).astype(np.float32)
    with installed(*entry_points_of("gated")):
        ctx = context()
        program = Parser(ctx, BLEND.replace("WEIGHTS", str(weights.tolist()))).parse_module()
        [row] = FIXED
        x = random.uniform(-1, 1, (SAMPLES, FEATURES)).astype(np.float32)
        assert_equal(*priced(program, ctx, x, target, row, tmp_path))
