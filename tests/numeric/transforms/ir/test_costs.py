"""Estimates of the cost model are close to the figures of simulators, for the models in the repository, generated
estimators, forests, copies and front ends.
"""

from __future__ import annotations

import dataclasses
import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from programs.compiled import CompiledModels
from programs.devices import roomy
from programs.kernel_tables import tile_families
from programs.paths import MODELS
from programs.problems import ESTIMATORS, Problem, fitted, problem
from programs.sounds import recording
from programs.spread import spread, spread_product
from xdsl.dialects.builtin import IndexType

from tinyml import load
from tinyml.dialects.context import context
from tinyml.lowering.frontends.signals.micro_frontend import MicroFrontend
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.board import Board
from tinyml.targets.costs import OF_ZERO, OPTIMIZE, cost_file, cost_table, kernel_cost
from tinyml.targets.registry import DEFAULT_TARGET, board
from tinyml.targets.tiles import Tile
from tinyml.tools.calibration.costs import main, measure, measured_boards
from tinyml.tools.calibration.fitting import Measurement, fit, non_negative, table
from tinyml.tools.calibration.programs.copies import copy_equations
from tinyml.tools.calibration.programs.networks import FITTED, KINDS, network
from tinyml.tools.driver.stages import compile_kept, compile_stages
from tinyml.transforms.ir.cost.demand import Demand, StepCounts
from tinyml.transforms.ir.cost.estimate import estimate_of, estimate_on
from tinyml.transforms.ir.outputs import CLASS, SCORES

WITHIN = 0.1

TIME_ABOVE = {"avr35": 1.0}
"""What estimates may exceed on boards whose products take the longer the greater their factors are: those of models are
less than random numbers."""


HALF_A_DIGIT = 0.005
"""The rounding of the times in the tables."""

FORMATS: tuple[tuple[str, int | None], ...] = (("fixed", 8), ("fixed", 16), ("f32", None))


@pytest.mark.long
@pytest.mark.parametrize(("model", "chosen"), spread_product(4, MODELS, measured_boards().values()), ids=str)
def test_estimates_are_near_what_is_measured(model: str, chosen: Board, compiled_models: CompiledModels) -> None:
    """The estimated time, flash and RAM of a model differ from the measured ones by at most the fraction `WITHIN`. The
    estimated time may exceed the measured one by the fraction in `TIME_ABOVE` for some boards. Formats alternate
    over models and boards.
    """
    turn = [*MODELS].index(model) + [*measured_boards().values()].index(chosen)
    format, width = FORMATS[turn % len(FORMATS)]
    # What the other tests compile these models for is large enough.
    large = chosen if chosen.name == roomy(DEFAULT_TARGET) else dataclasses.replace(chosen, flash=1 << 20, ram=1 << 18)
    report = json.loads((compiled_models.folder(model, format, width, large) / "report.json").read_text())
    estimate = report["estimate"]
    time = f"{chosen.unit}_per_inference"
    above = TIME_ABOVE.get(chosen.name, WITHIN)
    assert (1 - WITHIN) * report[time] <= estimate[time] <= (1 + above) * report[time]
    assert estimate["flash_bytes"] == pytest.approx(report["flash_bytes"], rel=WITHIN)
    assert estimate["ram_bytes"] == pytest.approx(report["ram_bytes"]["total"], rel=WITHIN)


BOARDS = DEFAULT_TARGET, "cortex-m0", "cortex-m4", "riscv"

FAMILIES = {"Tree": "trees", "Forest": "trees", "Boosting": "trees", "KNeighbors": "neighbours"}
"""The families of estimators whose time depends on the data, by a part of their names; all others are one family."""

SMALL = 1000
"""Programs that take less are a family of their own."""

FEW = 30
"""Cycles or instructions that count as little, whatever a program takes."""

BOUNDS: dict[str, dict[str, float]] = {
    "others": dict.fromkeys(BOARDS, 0.15),
    "neighbours": dict.fromkeys(BOARDS, 0.1),
    "small": {DEFAULT_TARGET: 0.3, "cortex-m0": 0.45, "cortex-m4": 0.55, "riscv": 0.65},
    "trees": {DEFAULT_TARGET: 0.16, "cortex-m0": 0.4, "cortex-m4": 0.42, "riscv": 0.5},
}
"""The relative error of estimates of time that is reached, by family and board; docs/costs.md says why not 15 %."""

WITHIN_OF_FORESTS = 0.3
"""The relative error of estimates for forests of several results; docs/costs.md says why not 15 %."""

LEFT_OUT = 28
"""A forest whose trees ask the same questions: the C compiler joins their paths, so that it takes less than half."""

NEVER_FITTED = 47, 58, 64, 99
"""Problems that are not among those that the tables were fitted with, of which all others here are."""


def generated() -> list[tuple[int, tuple[str, int], str]]:
    """Cases of generated estimators of every kind: the number of the estimator, a format and a board."""
    formats = ("fixed", 8), ("fixed", 16), ("fixed", 32)
    numbers = [number for number in range(len(ESTIMATORS)) if number != LEFT_OUT]
    cases = product(numbers, formats, BOARDS)
    return [*cases, *product(NEVER_FITTED, formats, (DEFAULT_TARGET, "riscv"))]


def family_of(name: str, time: float) -> str:
    found = next((family for part, family in FAMILIES.items() if part in name), "others")
    return "small" if found == "others" and time < SMALL else found


@pytest.mark.long
@pytest.mark.parametrize(("number", "format", "target"), spread(generated(), 4))
def test_estimates_for_generated_estimators_are_within_bounds(
    number: int, format: tuple[str, int], target: str, tmp_path: Path
) -> None:
    given = problem(number)
    estimated, time = estimated_and_measured(given, format, target, tmp_path)
    assert estimated == pytest.approx(time, rel=BOUNDS[family_of(given.name, time)][target], abs=FEW)


WITHIN_OF_NETWORKS = 0.3
"""The relative error of estimates of networks to whose sizes no table was fitted; docs/costs.md shows the errors."""

NETWORK_FORMATS = ("fixed", 8), ("zeroskew", 8), ("fixed", 16), ("f32", None)


@pytest.mark.long(seconds=4)
@pytest.mark.parametrize(("kind", "target"), spread_product(4, KINDS, BOARDS))
def test_estimates_for_networks_are_near(kind: str, target: str, tmp_path: Path) -> None:
    """No step of a network of another size is guessed, and its estimated time is near the measured one."""
    turn = [*KINDS].index(kind) + BOARDS.index(target)
    made = network(kind, FITTED.stop + 50 + turn)
    format, width = NETWORK_FORMATS[turn % len(NETWORK_FORMATS)]
    if made.is_quantised:
        format, width = NETWORK_FORMATS[0]
    large = board(roomy(target))
    found = measure(made.write(tmp_path / "network"), large, format, width, None, "never", False, {})
    table = cost_table(target)
    assert found is not None
    assert table is not None
    estimated = estimate_of(found.demand, table)
    measured = found.call[0] + sum(time for time, _ in found.operations.values())
    assert estimated.guessed == ()
    assert estimated.time == pytest.approx(measured, rel=WITHIN_OF_NETWORKS)


FORESTS = "DecisionTreeClassifier", "RandomForestClassifier", "GradientBoostingClassifier"


@pytest.mark.long
@pytest.mark.parametrize(
    ("estimator", "format", "features", "target"),
    spread_product(8, FORESTS, (*FORMATS, ("fixed", 32)), (3, 6, 9, 16), BOARDS),
)
def test_estimates_for_forests_with_several_results_are_near(
    estimator: str, format: tuple[str, int | None], features: int, target: str, tmp_path: Path
) -> None:
    given = fitted(estimator, "", features, "like", 7000 + features)
    estimated, time = estimated_and_measured(given, format, target, tmp_path)
    assert estimated == pytest.approx(time, rel=WITHIN_OF_FORESTS, abs=FEW)


def estimated_and_measured(
    given: Problem, format: tuple[str, int | None], target: str, folder: Path
) -> tuple[float, float]:
    """The estimated time of an inference, and the mean of the measured times.

    Trees are measured on all samples for compilation, since samples take different paths; other estimators are measured
    on five of them.
    """
    module = load(given.estimator).module
    classifies = IndexType() in predict_function(module).function_type.outputs
    np.savez(folder / "val.npz", x=given.x)
    options = PipelineOptions(
        data=str(folder / "val.npz"),
        format=format[0],
        width=format[1],
        target=target,
        outputs=CLASS if classifies else SCORES,
    )
    compiled = compile_stages(module, context(), options)
    estimate = estimate_on(compiled.loops, target, OPTIMIZE)
    assert estimate is not None
    interface, runner = interface_of(compiled.formats), runner_for(target)
    (folder / f"{interface.name}.c").write_text(compiled.source)
    (folder / f"{interface.name}.h").write_text(compiled.header)
    build = runner.build(folder, interface, folder, OPTIMIZE)
    samples = given.x if family_of(given.name, 0) == "trees" else given.x[:5]
    cycles = runner.run(build, interface, encode_inputs(compiled.formats, samples)).cycles
    assert cycles is not None
    return estimate.time, float(cycles.mean())


@pytest.mark.parametrize("chosen", measured_boards().values(), ids=lambda board: board.name)
def test_a_step_takes_at_most_as_long_of_zero(chosen: Board) -> None:
    table = cost_table(chosen.name)
    assert table is not None
    for step, cost in table.steps.items():
        assert cost.time <= table.steps[step.removesuffix(OF_ZERO)].time


@pytest.mark.long
@pytest.mark.parametrize("chosen", spread(measured_boards().values(), 1), ids=lambda board: board.name)
def test_copies_take_the_time_in_the_table(chosen: Board) -> None:
    file = cost_file(chosen.name)
    assert file is not None
    rows = json.loads(file.read_text())["steps"]
    for step, time in fit(copy_equations(chosen.name), {}).items():
        assert time > 0
        assert rows[step][0] == pytest.approx(time, rel=0.01, abs=HALF_A_DIGIT)


@pytest.mark.long
@pytest.mark.parametrize("chosen", spread(measured_boards().values(), 1), ids=lambda board: board.name)
def test_estimates_for_front_ends_are_near(chosen: Board, tmp_path: Path) -> None:
    """The estimated time of microWakeWord's front end differs from the time measured on a recording by at most the
    fraction `WITHIN`. The cost tables are fitted to other samples, noise with tones.
    """
    front_end = MicroFrontend(samples=800, scale=26 / 255)
    compiled = compile_kept(front_end.module(), context(), PipelineOptions(data="", target=chosen.name))
    estimate = estimate_on(compiled.loops, chosen.name, OPTIMIZE)
    assert estimate is not None
    interface, runner = interface_of(compiled.formats), runner_for(chosen.name)
    (tmp_path / f"{interface.name}.c").write_text(compiled.source)
    (tmp_path / f"{interface.name}.h").write_text(compiled.header)
    build = runner.build(tmp_path, interface, tmp_path, OPTIMIZE)
    cycles = runner.run(build, interface, recording()[None, 4_000:4_800].astype(np.int16)).cycles
    assert cycles is not None
    assert estimate.time == pytest.approx(float(cycles[0]), rel=WITHIN)


def test_least_squares_without_negative_costs() -> None:
    a = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
    assert non_negative(a, a @ [2.0, 3.0]) == pytest.approx([2.0, 3.0])
    # Unbounded, the first would be -1.
    assert non_negative(a, a @ [-1.0, 3.0]) == pytest.approx([0.0, a[:, 1] @ (a @ [-1.0, 3.0]) / 14])


def test_a_fit_finds_the_costs_behind_measurements() -> None:
    random = np.random.default_rng(3)
    costs = {"add i16": 2.0, "store 2": 5.0, "tm_dot": 40.0, "loop": 0.0}
    programs = [{step: float(random.integers(0, 50)) for step in costs} for _ in range(40)]
    measured = [sum(costs[step] * count for step, count in program.items()) for program in programs]
    equations = list(zip(programs, measured, strict=True))
    assert fit(equations, {}) == pytest.approx(costs, abs=1e-6)
    assert fit(equations, {"add i16": 2.0, "tm_dot": 40.0}) == pytest.approx(costs, abs=1e-6)


def test_only_the_deepest_composed_kernel_has_its_stack_in_a_program() -> None:
    [family, *_] = tile_families("cortex-m4")
    kernels = [kernel for length in (8, 64) if (kernel := family.kernel(Tile(2, 1, length, 0, length, 2, 0)))]
    shallow, deep = (kernel.stack for kernel in kernels)
    assert 0 < shallow < deep

    def measured(names: list[str], stack: float) -> Measurement:
        demand = Demand({"y": StepCounts(dict.fromkeys(names, 1.0), dict.fromkeys(names, 1.0))})
        demand.kernels = {kernel.symbol: kernel_cost(kernel) for kernel in kernels if kernel.symbol in names}
        return Measurement(demand, {"y": (9.0, 9.0)}, (1.0, 1.0), 50.0, stack)

    both = [kernel.symbol for kernel in kernels]
    measurements = [measured([], 30), measured(both[:1], 30 + shallow), measured([*both, "deeper"], 30 + deep + 7)]
    made = table(board("cortex-m4"), measurements, {}, {})
    assert made["program"][3] == pytest.approx(30)
    assert made["steps"]["deeper"][3] == pytest.approx(7)


def test_an_unknown_table_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--add", DEFAULT_TARGET, "unheard-of"]) == 1
    assert capsys.readouterr().err.startswith("error: unknown cost table 'unheard-of' (one of ")
