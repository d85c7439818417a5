"""The time of the program that `--format auto` chooses by estimates, relative to the fastest by measurement."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from programs.devices import roomy

from measured.measures.estimates import BOARDS
from measured.measures.unseen_networks import unseen
from measured.store import Values, by_parts
from tinyml.dialects.context import context
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.registry import board
from tinyml.tools.driver.choice.choose import AutoChoice, choose
from tinyml.tools.driver.choice.choose_program import bounds_of
from tinyml.tools.driver.choice.stopwatch import Stopwatch
from tinyml.tools.driver.request import Request
from tinyml.transforms.ir.outputs import CLASS
from tinyml.transforms.programs.kept_facts import kept_in

MODELS = 100
CLOSE, NEAR = 1.05, 1.15
"""The ratios of times that are counted; all above the first are named."""


@dataclass(frozen=True)
class JudgedChoice:
    """The choice for a model by estimates and by measurements.

    name: the model.
    by_estimates, by_measurements: the choices.
    ratio: the time of a call of the program chosen by estimates, relative to that of the program chosen by
        measurements. The times of programs are measured, and those of the conversion of floats are estimated.
    """

    name: str
    by_estimates: AutoChoice
    by_measurements: AutoChoice
    ratio: float

    @property
    def texts(self) -> str:
        """The model, the greater time, and the names of both programs if they differ."""
        one, other = self.by_estimates.taken.alternative.name, self.by_measurements.taken.alternative.name
        return f"{self.name}: {100 * (self.ratio - 1):.0f} % ({one} for {other})"


def judged(number: int, target: str) -> JudgedChoice:
    """The choice for model `number` on a board.

    target: the board, of which the variant with more memory is compiled for.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = unseen(number, folder)
        val = folder / "val.npz"
        model.write(val)
        request = Request(model=val, val=val, target=roomy(target), measure=True, out=folder / "out")
        if model.y is not None:
            request = replace(request, outputs=CLASS)
        chosen, data = board(request.target), load_program_data(model.module, str(val))
        options, bounds = request.pipeline_options(chosen), bounds_of(request, chosen)
        stopwatch = Stopwatch.of(request, chosen, data)
        assert stopwatch is not None
        with kept_in(folder / "facts"):
            by_estimates = choose(model.module, context(), options, data, bounds)
            by_measurements = choose(model.module, context(), options, data, bounds, stopwatch=stopwatch)
        taken, fastest = by_estimates.taken, by_measurements.taken
        measured = {row.alternative.name: row for row in by_measurements.tried if row.is_measured}
        beside = measured.get(taken.alternative.name)
        if beside is None or beside.schedule != taken.schedule:
            figures = stopwatch.figures(taken.trial.compiled(taken.schedule), taken.alternative.name)
            beside = replace(taken, figures=figures)
        assert beside.time is not None
        assert fastest.time is not None
        return JudgedChoice(f"{model.name} {number}", by_estimates, by_measurements, beside.time / fastest.time)


def choices(target: str) -> dict[str, Any]:
    """The ratios of times of the models of a board, and a summary of them. Those above `CLOSE` are named.

    Models that were already measured with the current version of the product are not measured again.

    target: one of `BOARDS`, whose position determines the numbers of the models.
    """
    numbers = map(str, range(BOARDS.index(target), MODELS, len(BOARDS)))

    def measured(number: str) -> Values:
        choice = judged(int(number), target)
        return {"name": choice.name, "ratio": round(choice.ratio, 3), "texts": choice.texts}

    rows = by_parts(f"choices-{target}", list(numbers), measured).values()
    ratios = {row["name"]: row["ratio"] for row in rows}
    return {
        "models": len(ratios),
        "close": sum(ratio <= CLOSE for ratio in ratios.values()),
        "near": sum(ratio <= NEAR for ratio in ratios.values()),
        "worst": 100 * (max(ratios.values()) - 1),
        "others": "; ".join(row["texts"] for row in rows if row["ratio"] > CLOSE),
        "ratios": ratios,
    }
