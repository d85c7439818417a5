"""The search for a program that takes less than a third of the time and differs by one change.

The change is another format or schedule, one bit less, a larger permitted loss, other formats for a quantised model, or
a larger board with the same chip. If `auto` chose the program, all alternatives are estimated already. Otherwise the
program is compared with a lower bound on the time of its products first, so that most compilations estimate no other
program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering import pipelines
from tinyml.runtime.model.program_data import load_program_data
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.costs import CostTable, cost_table
from tinyml.targets.registry import chip_of
from tinyml.tools.driver.choice.alternatives import ORDINARY_EXECUTION, Alternative, considered
from tinyml.tools.driver.choice.candidates import Candidate, Outcome
from tinyml.tools.driver.choice.choose_program import bounds_of
from tinyml.tools.driver.choice.replay import spelled_options
from tinyml.tools.driver.choice.trials import Trials
from tinyml.tools.driver.compile_program import board_that_fits
from tinyml.tools.driver.request import USUAL_GROWTH
from tinyml.tools.reports.facts.faster_program import FasterProgram
from tinyml.tools.reports.facts.faults import SCORES_OFF
from tinyml.tools.reports.warnings import QUICK
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass
from tinyml.transforms.ir.cost.estimate import estimate_on
from tinyml.transforms.ir.outputs import SCORES
from tinyml.transforms.schedules.table import AUTO

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.tools.driver.choice.choose import AutoChoice, Bounds
    from tinyml.tools.driver.choice.statistics import Loss
    from tinyml.tools.driver.compilation import Compilation

FACTOR = 3.0
"""The ratio of times above which a faster program is named."""

USUAL = 2.0
"""The time of usual programs in 8 bits, as a multiple of the bound of their products. Programs of requested formats are
not compared with others unless they take three times as long; a quantised model is compared earlier, because its
requantisations take time, too.
"""

GUESSED = 0.1
"""The share of unmeasured steps in an estimate above which no warning rests on it."""

PRODUCT = ("multiply i8 i16", "add i16")
"""The steps of a product of 8 bits, by which the time of all products is bounded."""

WIDEST = 16
"""The maximum width, in bits, of the uniform programs with which a program of requested formats is compared."""


def faster_program(compilation: Compilation) -> FasterProgram | None:
    """The fastest program that takes less than a third of the time of the compiled one and needs one change of the
    request; None if none was found.

    A larger loss counts as a change if it is small for the factor (`permitted_for`). The time of the compiled program
    is that of its measurement, or else its estimate. Nothing follows from an estimate of which a large part is guessed.
    """
    estimate = estimate_on(compilation.compiled.loops, compilation.board.name, f"-{compilation.request.optimize}")
    table = cost_table(compilation.board.name)
    if estimate is None or table is None or compilation.board.fabric is not None:
        return None
    time, measured = estimate.call, compilation.measured and compilation.measured.cost
    if measured:
        time = measured + (estimate.reading or 0)
    elif estimate.guessed_time > GUESSED * time:
        return None
    milliseconds = compilation.board.milliseconds(time, None)
    if milliseconds is not None and milliseconds <= QUICK:
        return None
    if compilation.choice is not None:
        return _of_choice(compilation, compilation.choice, time)
    suspicious = FACTOR if compilation.compiled.kept else USUAL * FACTOR
    if time <= suspicious * least_time(compilation.compiled.macs, table):
        return None
    return _of_request(compilation, time)


def least_time(products: int, table: CostTable) -> float:
    """The time of a program's products with 8 bits in plain C, in the unit of the table.

    products: the number of multiply-accumulates.
    """
    steps = (table.steps.get(step) or table.generic_cost(step) for step in PRODUCT)
    return products * sum(step.time for step in steps)


def permitted_for(factor: float, growth: bool) -> float:
    """The loss in points, or for a program that computes numbers the growth of the error in percent, that is named
    beside a factor of time: a point, or the usual growth, for each factor of three.

    growth: whether the program computes numbers.
    """
    return math.log(factor, FACTOR) * (USUAL_GROWTH if growth else 1.0)


Change: TypeAlias = tuple[str, str]
"""A change of the request, as an option in command-line syntax, and what it costs."""


def _first(
    rows: Iterable[Candidate], time: float, unit: str, change: Callable[[Candidate, float], Change | None]
) -> FasterProgram | None:
    """The fastest of some candidates that takes less than a third of a time and needs one change.

    change: the change that compiles a candidate, which is faster by the given factor; None if there is none.
    """
    known = [
        row for row in rows if row.time and (row.is_measured or row.cost.guessed <= GUESSED * (row.cost.time or 0))
    ]
    for row in sorted(known, key=lambda row: row.time or 0):
        factor = time / (row.time or 1)
        if factor > FACTOR and (found := change(row, factor)) is not None:
            return FasterProgram(found[0], factor, row.time or 0, unit, found[1])
    return None


def _of_choice(compilation: Compilation, choice: AutoChoice, time: float) -> FasterProgram | None:
    """The fastest program among the alternatives of `auto`."""

    def change(row: Candidate, factor: float) -> Change | None:
        if choice.bounds.admit(row.cost):
            return _admitted(row, choice.bounds, factor)
        return _on_larger_board(compilation, row, choice.bounds)

    return _first(choice.tried, time, compilation.board.unit, change)


def _of_request(compilation: Compilation, time: float) -> FasterProgram | None:
    """The fastest program of other options than the requested ones."""
    bounds = bounds_of(compilation.request, compilation.board)

    def change(row: Candidate, factor: float) -> Change | None:
        if not bounds.admit(row.cost):
            return None
        if compilation.request.val is None:
            return row.alternative.name, "its loss is unknown without --val"
        with suppress(InputError):
            loss = row.trial.look()
            return (row.alternative.name, loss.change) if _is_permitted(loss, bounds, factor) else None
        return None

    with temporary_folder() as folder:
        return _first(_other_options(compilation, folder), time, compilation.board.unit, change)


def _is_permitted(loss: Loss, bounds: Bounds, factor: float) -> bool:
    """Whether a loss is small enough to be named beside a factor of time (`permitted_for`)."""
    if (loss.scores or 0) > SCORES_OFF:
        return False
    bounds = bounds.by_error() if loss.error is not None else bounds
    return loss.points <= bounds.loss + permitted_for(factor, loss.error is not None)


def _admitted(row: Candidate, bounds: Bounds, factor: float) -> Change | None:
    """The change that admits an alternative that fits, and its costs."""
    loss = row.loss or row.look
    if loss is None or row.outcome is Outcome.INVALID or not _is_permitted(loss, bounds, factor):
        return None
    options = spelled_options({**row.alternative.options, **row.schedule})
    if row.loss is not None and row.loss.allowed(bounds.loss):
        return options, f"{row.loss.change}, but the samples do not prove it"
    if row.loss is None:
        # Refined constants lose less.
        return options, f"{loss.change} or less"
    return f"--loss {math.ceil(10 * loss.points) / 10:g}", f"{loss.change} with {row.alternative.name}"


def _on_larger_board(compilation: Compilation, row: Candidate, bounds: Bounds) -> Change | None:
    """The larger board of the same chip on which an alternative keeps the loss, and its costs."""
    request, board = compilation.request, compilation.board
    if request.flash is not None or request.ram is not None:
        return None
    larger = board_that_fits(board, row.cost.flash, row.cost.ram).partition(" ")[0]
    if not larger or chip_of(larger) is not chip_of(board.name):
        return None
    with suppress(InputError):
        look = row.look or row.trial.look(bounds.loss)
        if look.allowed(bounds.loss):
            needs = f"{row.cost.flash:,.0f} bytes of flash and {row.cost.ram:,.0f} of RAM"
            return f"--target {larger}", f"{look.change}, needs {needs} with {row.alternative.name}"
    return None


def _other_options(compilation: Compilation, folder: Path) -> Iterator[Candidate]:
    """Yield the programs of other options, whose alternatives have these options in command-line syntax as names.

    folder: a folder for inputs, from which formats are chosen without validation data.
    """
    request, board, kept = compilation.request, compilation.board, compilation.compiled.kept
    val = request.val
    if val is None:
        val = folder / "inputs.npz"
        np.savez(val, allow_pickle=False, x=compilation.data.x)
    program = _on_reals(compilation)
    usual_format = format_named(compilation.ctx, USUAL_FORMAT, None)
    if any(
        op.format_fault([usual_format] * (1 + len(op.inputs))) for op in program.walk() if isinstance(op, tdsl.TensorOp)
    ):
        # Ops with formats of their own, such as those of a front end: no profile would lead to other formats.
        return
    anew = {"quantization": "anew"} if kept else {}
    usual = replace(request, val=val, quantization="keep", search=None)
    options = usual.pipeline_options(board)
    # Scores are judged only if they were asked for.
    scored = request.outputs == SCORES
    trials = Trials(program, compilation.ctx, options, load_program_data(program, str(val)), scored=scored)
    uniform = [row.options for row in considered() if set(row.options) == {"format", "width"}]
    changes = [{**anew, **options} for options in uniform if options["width"] <= WIDEST]
    if not kept and request.width is not None and request.width > 2:
        changes.append({"width": request.width - 1})
    if not kept and request.plan != AUTO:
        changes.append({"plan": AUTO})
    for change in changes:
        arithmetic = {name: value for name, value in change.items() if name != "quantization"}
        cleared = dict.fromkeys(("weights", "functions", "scale_by"), None) if "format" in change else {}
        with suppress(InputError):
            trial = trials.of(Alternative(spelled_options(change), {**cleared, **arithmetic}))
            yield Candidate(trial, trial.cost(ORDINARY_EXECUTION), ORDINARY_EXECUTION)


def _on_reals(compilation: Compilation) -> ModuleOp:
    if not compilation.compiled.kept:
        return compilation.program
    program = compilation.program.clone()
    pipelines.run(program, compilation.ctx, [LiftToRealsPass()])
    return program
