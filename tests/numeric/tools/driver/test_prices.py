"""The price of a program in `auto` is the estimate of the compiled program, with the conversion of a call's floats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from programs.random_models import FAMILIES, RandomModel

import tinyml
from tinyml import load
from tinyml.dialects.context import context
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.costs import OPTIMIZE, cost_table
from tinyml.targets.registry import boards
from tinyml.tools.driver.choice.alternatives import BUILT_IN
from tinyml.tools.driver.choice.trials import Trials
from tinyml.tools.driver.stages import compile_formats
from tinyml.transforms.ir.cost.estimate import estimate_on

BOARDS = sorted(board.name for board in boards() if board.clock is not None and cost_table(board.name) is not None)

REFINED = 0.02
"""The share by which refined constants may change the estimate of a program: a shift or a zero more or less."""


@pytest.fixture(autouse=True)
def without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")


def saved(model: RandomModel, folder: Path) -> Path:
    """The path of the data of a model, written to a file."""
    parts: list[Any] = list(getattr(model.x, "values", lambda: [model.x])())
    arrays = {"x": np.concatenate([part.reshape(len(part), -1) for part in parts], 1).astype(np.float32)}
    if model.y is not None:
        arrays["y"] = model.y
    np.savez(folder / "val.npz", allow_pickle=False, **arrays)
    return folder / "val.npz"


@pytest.mark.long(seconds=6)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(6))
def test_the_price_of_an_alternative_is_that_of_its_compiled_program(family: str, seed: int, tmp_path: Path) -> None:
    """For random networks and estimators, on random boards and for random alternatives, the price in `auto` is the
    estimate of the module that is compiled: time with the floats that are read, flash and RAM.
    """
    random = Random(f"{family} {seed}")
    model = FAMILIES[family](random)
    val = saved(model, tmp_path)
    program, ctx = load(model.save(tmp_path)).module, context()
    for _ in range(2):
        board, alternative = random.choice(BOARDS), random.choice(BUILT_IN)
        options = PipelineOptions(
            data=str(val), target=board, format="fixed", outputs=random.choice(["scores", "class"])
        )
        trials = Trials(program, ctx, options, load_program_data(program, str(val)))
        trial = trials.of(alternative)
        price, options = trial.cost({}), replace(options, **alternative.options)
        compiled = compile_formats(trial.prepared.reals, trial.program({}), ctx, options, row_scales=options.row_scales)
        estimate = estimate_on(compiled.loops, board, OPTIMIZE)
        assert estimate is not None
        figures = (price.time, price.flash, price.ram)
        assert figures == pytest.approx((estimate.call, estimate.flash, estimate.ram), rel=REFINED), (
            board,
            alternative,
        )
        assert price.reading == estimate.reading


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("family", ["cnn", "recurrent", "attention", "estimator"])
def test_the_price_of_the_chosen_program_is_that_of_the_report(family: str, tmp_path: Path) -> None:
    random = Random(f"chosen {family}")
    model, board = FAMILIES[family](random), random.choice(BOARDS)
    data = [model.x] if model.y is None else [model.x, model.y]
    report = tinyml.compile(model.save(tmp_path), *data, board=board).report
    assert report.chosen is not None
    assert report.estimate is not None
    [taken] = [row for row in report.chosen["alternatives"] if row["name"] == report.chosen["name"]]
    parts = [report.estimate[f"{report.unit}_{part}"] for part in ("of_reading", "per_inference", "per_call")]
    assert (taken["time"], taken["reading"]) == (parts[2], parts[0])
    assert parts[0] + parts[1] == pytest.approx(parts[2], abs=1)
    assert (taken["flash"], taken["ram"]) == (report.estimate["flash_bytes"], report.estimate["ram_bytes"])
