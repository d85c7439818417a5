"""The price of a program in `auto` is the estimate of the compiled program, with the conversion of a call's floats."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from programs.random_models import FAMILIES, RandomModel, estimator

import tinyml
from tinyml import load
from tinyml.dialects.context import context
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.costs import OPTIMIZE, cost_file, cost_table
from tinyml.targets.registry import boards, chip_of
from tinyml.tools.driver.choice.alternatives import BUILT_IN
from tinyml.tools.driver.choice.trials import Trials
from tinyml.transforms.ir.cost.estimate import estimate_on

BOARDS = [board for board in boards() if board.clock is not None and cost_table(board.name) is not None]
"""The boards with costs; bare cores have those of the boards."""

KINDS = sorted(
    {(cost_file(board.name), chip_of(board.name).name, board.features): board.name for board in BOARDS}.values()
)
"""A board of each kind of prices: cost table, kernels and features."""


def forest(random: Random) -> RandomModel:
    return estimator(random, ("forest", "tree", "boosting"))


MODELS = {**FAMILIES, "forest": forest}

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


@pytest.mark.long(seconds=4)
@pytest.mark.parametrize(("family", "board"), [*product(MODELS, KINDS)])
def test_the_price_of_an_alternative_is_that_of_its_compiled_program(family: str, board: str, tmp_path: Path) -> None:
    """For random networks and estimators on every kind of board, and for random alternatives, the price in `auto` is
    the estimate of the module that is compiled: time with the floats that are read, flash and RAM.
    """
    random = Random(f"{family} {board}")
    model = MODELS[family](random)
    val = saved(model, tmp_path)
    program, ctx = load(model.save(tmp_path)).module, context()
    alternative = random.choice(BUILT_IN)
    outputs = random.choice(["scores", "class"])
    options = PipelineOptions(data=str(val), target=board, format="fixed", outputs=outputs)
    trial = Trials(program, ctx, options, load_program_data(program, str(val))).of(alternative)
    price = trial.cost({})
    estimate = estimate_on(trial.compiled({}).loops, board, OPTIMIZE)
    assert estimate is not None
    figures = (price.time, price.flash, price.ram)
    assert figures == pytest.approx((estimate.call, estimate.flash, estimate.ram), rel=REFINED), alternative
    assert price.reading == estimate.reading


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("family", ["cnn", "recurrent", "attention", "estimator"])
def test_the_price_of_the_chosen_program_is_that_of_the_report(family: str, tmp_path: Path) -> None:
    random = Random(f"chosen {family}")
    model, board = FAMILIES[family](random), random.choice(BOARDS).name
    data = [model.x] if model.y is None else [model.x, model.y]
    report = tinyml.compile(model.save(tmp_path), *data, board=board).report
    assert report.chosen is not None
    assert report.estimate is not None
    [taken] = [row for row in report.chosen["alternatives"] if row["name"] == report.chosen["name"]]
    parts = [report.estimate[f"{report.unit}_{part}"] for part in ("of_reading", "per_inference", "per_call")]
    assert (taken["time"], taken["reading"]) == (parts[2], parts[0])
    assert parts[0] + parts[1] == pytest.approx(parts[2], abs=1)
    assert (taken["flash"], taken["ram"]) == (report.estimate["flash_bytes"], report.estimate["ram_bytes"])
