"""Trials of candidates: a model is trained on a part of the samples, and its program is judged on another part.

The program has one width and is not built: the cost model estimates its time and memory, and the evaluator computes its
answers with the bits of the device.
"""

from __future__ import annotations

import gc
import json
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, in_reals
from tinyml.runtime.model.program_data import load_program_data
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.registry import board
from tinyml.tools.api.loading import load
from tinyml.tools.design.families import FAMILIES, Family, Parameters
from tinyml.tools.driver.choice.alternatives import BUILT_IN, NARROW_WIDTH, USUAL_WIDTH, Alternative
from tinyml.tools.driver.choice.choose import SPARE_STACK, compares_floats
from tinyml.tools.driver.choice.choose_program import SPARE_FLASH
from tinyml.tools.driver.choice.trials import EstimatedCost, Trials
from tinyml.tools.driver.compile_model import adapt_interface
from tinyml.tools.driver.compile_request import compile_request

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.tools.design.task import Limits, Task

NARROW, WIDE = (f"{width}, feature scales" for width in (NARROW_WIDTH, USUAL_WIDTH))
FLOATS = f"{NARROW_WIDTH}, float features"
"""The alternatives of `auto` with which candidates are judged: the narrow one or, for trees that compare floats, the
one of floats, and the wide one if the narrow one loses too much.
"""

LOST = 0.005
"""The loss of the metric from the model to the 8-bit program above which the program of 16 bits is judged, as the loss
that `auto` permits. For errors, ten times as much is the share by which they may grow.
"""

PROFILED = 500
"""The greatest number of samples from which ranges of numbers are profiled; more samples hardly widen them."""

SKETCHED = 8
"""The number of random samples of each class on which a model of the size of a candidate is trained."""

GROWTH_STEP = 4
"""A candidate of many equal parts is first trained with this fraction of them, whose program is a lower bound."""


@dataclass(frozen=True)
class Candidate:
    """A point of the space of a family.

    parameters: JSON, with sorted names, so that candidates can be compared.
    repeats: the number of times that samples of the classes with a demanded recall occur in the training data; 0 to
        repeat the samples of each class until all are equally frequent.
    """

    family: str
    parameters: str
    repeats: int = 1

    @staticmethod
    def of(family: str, parameters: Parameters, repeats: int = 1) -> Candidate:
        return Candidate(family, json.dumps(dict(parameters), sort_keys=True), repeats)

    @property
    def values(self) -> Parameters:
        return json.loads(self.parameters)

    def __str__(self) -> str:
        told = " ".join(f"{name}={value}" for name, value in self.values.items())
        more = {1: "", 0: " balanced"}.get(self.repeats, f" repeats={self.repeats}")
        return f"{self.family} {told}{more}"


@dataclass(frozen=True)
class Trial:
    """A candidate on a part of the table.

    share: the share of the training samples.
    fold: the number of the part on which the candidate is judged.
    """

    candidate: Candidate
    share: float
    fold: int


@dataclass(frozen=True, kw_only=True)
class Trained:
    """The result of a trial; a row of the journal. A figure is None if there is no program.

    family, parameters, repeats: the candidate.
    share, fold: the trial.
    model: the metric of the model on reals.
    program: the metric of the program.
    shortfall: the sum of the amounts by which the program misses demanded metrics.
    formats: the number formats of the program.
    time: the estimated time of a call with floats, in the unit of the board.
    flash, ram: the estimated bytes.
    seconds: the processor time of the trial.
    error: the reason if there is no program, or if it does not fit.
    key: a hash of everything that the row depends on.
    """

    family: str
    parameters: str
    repeats: int
    share: float
    fold: int
    model: float | None = None
    program: float | None = None
    shortfall: float | None = None
    formats: str | None = None
    time: float | None = None
    flash: float | None = None
    ram: float | None = None
    seconds: float | None = None
    error: str | None = None
    key: str

    @property
    def candidate(self) -> Candidate:
        return Candidate(self.family, self.parameters, self.repeats)

    @property
    def cost(self) -> Cost | None:
        if self.time is None or self.flash is None or self.ram is None:
            return None
        return Cost(self.time, self.flash, self.ram)


@dataclass(frozen=True)
class Cost:
    """The estimated time of a call in the unit of the board, and the bytes of flash and RAM."""

    time: float
    flash: float
    ram: float

    def is_within(self, other: Cost) -> bool:
        """Whether nothing of this cost exceeds that of the other one."""
        return self.time <= other.time and self.flash <= other.flash and self.ram <= other.ram


def limit_of(target: str, limits: Limits) -> Cost:
    """The greatest estimated cost of a program within the limits of a design and of its board.

    Raises `InputError` for a limit in milliseconds on a board without a clock.
    """
    chosen = board(target)
    if limits.milliseconds is not None and chosen.clock is None:
        raise InputError(f"the clock of {chosen.name} is unknown", file="milliseconds")
    time = float("inf") if limits.milliseconds is None else limits.milliseconds * 1e-3 * (chosen.clock or 0)
    flash = [each for each in (limits.flash, chosen.flash and SPARE_FLASH * chosen.flash) if each is not None]
    ram = [each for each in (limits.ram, chosen.ram) if each is not None]
    return Cost(time, min(flash, default=float("inf")), min(ram, default=float("inf")) - SPARE_STACK)


@dataclass(frozen=True)
class Problem:
    """The input of the processes that run trials.

    task: the samples from which the design is made, without those of the final test.
    target: the name of the board.
    limit: the greatest permitted cost.
    """

    task: Task
    target: str
    limit: Cost

    @cached_property
    def folds(self) -> Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        return [*self.task.splits(self.task.folds)]


def run_trials(problem: Problem, trials: Sequence[tuple[Trial, str]]) -> list[Trained]:
    """The results of trials, each given with its key."""
    return [_run(problem, trial, key) for trial, key in trials]


def _run(problem: Problem, trial: Trial, key: str) -> Trained:
    start = time.process_time()
    row = Trained(**asdict(trial.candidate), share=trial.share, fold=trial.fold, key=key)
    try:
        row = _tried(problem, trial, row)
    except InputError as error:
        row = replace(row, error=error.message)
    except (ArithmeticError, ValueError) as error:
        # Libraries refuse some tables, such as one with fewer samples of a class than features.
        row = replace(row, error=f"{type(error).__name__}: {' '.join(str(error).split())}")
    return replace(row, seconds=round(time.process_time() - start, 3))


def _tried(problem: Problem, trial: Trial, row: Trained) -> Trained:
    task, family = problem.task, FAMILIES.get(trial.candidate.family)
    others, part = problem.folds[trial.fold]
    samples = repeated(task, task.share(others, trial.share), trial.candidate.repeats)
    parameters = shortened(family, trial.candidate.values, trial.share)
    x, y = task.x[samples], task.y[samples]
    if family.parts is not None and (count := int(str(parameters[family.parts])) // GROWTH_STEP) >= 2:
        begun = trained(family, {**parameters, family.parts: count}, x, y, task.seed)
        if (refused := refusal(problem, Screen(begun, task, problem.target, others, part).cost)) is not None:
            return replace(row, error=f"with {count} {family.parts}, {refused}")
    model = trained(family, parameters, x, y, task.seed)
    screen = Screen(model, task, problem.target, others, part)
    cost = screen.cost
    row = replace(row, time=cost.time, flash=cost.flash, ram=cost.ram)
    if (refused := refusal(problem, cost)) is not None:
        return replace(row, error=refused)
    wanted = task.y[part]
    row = replace(row, model=task.figure(wanted, screen.of_model))
    answers, formats = screen.of_program, screen.formats
    found = task.figure(wanted, answers)
    if loses(task, row.model or 0.0, found) and formats == NARROW:
        wide = replace_formats(screen, WIDE)
        better = task.figure(wanted, wide.of_program)
        if refusal(problem, wide.cost) is None and loses(task, better, found):
            answers, formats, cost, found = wide.of_program, WIDE, wide.cost, better
    return replace(
        row,
        program=found,
        shortfall=task.shortfall(wanted, answers),
        formats=formats,
        time=cost.time,
        flash=cost.flash,
        ram=cost.ram,
    )


def loses(task: Task, model: float, program: float) -> bool:
    """Whether a program is so much worse than its model that a greater width is judged."""
    if task.classes is None:
        return (program - model if task.falls else model - program) > 10 * LOST * abs(model)
    return model - program > LOST


def refusal(problem: Problem, cost: Cost) -> str | None:
    """The reason why a program of a cost is not within the limits; None if it is."""
    limit = problem.limit
    over = {
        f"needs {cost.flash:,.0f} bytes of flash, more than {limit.flash:,.0f}": cost.flash > limit.flash,
        f"needs {cost.ram:,.0f} bytes of RAM, more than {limit.ram:,.0f}": cost.ram > limit.ram,
        f"takes {cost.time:,.0f} {board(problem.target).unit}, more than {limit.time:,.0f}": cost.time > limit.time,
    }
    return next((text for text, exceeded in over.items() if exceeded), None)


def repeated(task: Task, samples: NDArray[np.intp], repeats: int) -> NDArray[np.intp]:
    """Training samples, some of which are repeated as `Candidate.repeats` says."""
    if repeats == 1 or task.classes is None:
        return samples
    counts = np.bincount(task.y[samples], minlength=len(task.classes))
    if repeats == 0:
        times: NDArray[np.intp] = np.clip(counts.max() // np.maximum(counts, 1), 1, 20).astype(np.intp)
    else:
        times = np.ones(len(task.classes), np.intp)
        times[task.missed_classes] = repeats
    return np.repeat(samples, times[task.y[samples]])


def shortened(family: Family, parameters: Parameters, share: float) -> Parameters:
    """The parameters for a share of the samples, with fewer epochs."""
    if family.epochs is None or share >= 1:
        return parameters
    return {**parameters, family.epochs: max(int(int(str(parameters[family.epochs])) * share**0.5), 5)}


def trained(family: Family, parameters: Parameters, x: NDArray[Any], y: NDArray[Any], seed: int) -> Any:
    """A fitted model; the warnings of libraries, such as those about convergence, are dropped."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return family.fit(parameters, x, y, seed)


def known_cost(problem: Problem, candidate: Candidate) -> Cost | None:
    """The cost of a candidate before its training; a lower bound, or None if nothing is known.

    Where parameters determine the size, a model is trained on a few random samples, with their program's cost.
    """
    task, family = problem.task, FAMILIES.get(candidate.family)
    others, _ = problem.folds[0]
    if family.least_flash is not None:
        return Cost(0, family.least_flash(candidate.values, replace(task.shape, samples=len(others))), 0)
    if family.sized_by is None:
        return None
    kinds = 1 if task.classes is None else len(task.classes)
    rows = max(SKETCHED * kinds, task.x.shape[1] + 2 * kinds, 64)
    random = np.random.default_rng(task.seed)
    x = task.x.mean(0) + (task.x.std(0) + 1e-9) * random.standard_normal((rows, task.x.shape[1]))
    y = np.arange(rows) % kinds if task.classes is not None else random.standard_normal(rows)
    try:
        model = trained(family, {**candidate.values, **family.untrained}, x, y, task.seed)
        sketch = replace(task, x=x, y=y, groups=None)
        every = np.arange(rows)
        return Screen(model, sketch, problem.target, every, every).cost
    except (InputError, ArithmeticError, ValueError):
        return None


def size_key(candidate: Candidate) -> tuple[object, ...] | None:
    """The key of candidates of the same size; None if their size is not known before training."""
    family = FAMILIES.get(candidate.family)
    if family.least_flash is not None:
        return (candidate.family,)
    return (
        None if family.sized_by is None else (candidate.family, *(candidate.values[each] for each in family.sized_by))
    )


class Screen:
    """The program of a fitted model, without a build.

    model: trained on class indices or targets.
    samples, part: the indices of the samples that determine the ranges of numbers, and of those to be judged.
    formats: an alternative of `auto`; None for the narrow one that suits the model.
    """

    def __init__(
        self,
        model: Any,
        task: Task,
        target: str,
        samples: NDArray[np.intp],
        part: NDArray[np.intp],
        formats: str | None = None,
    ):
        self.model, self.task, self.target, self.samples, self.part = model, task, target, samples, part
        asked = {"model": Path("model"), "out": Path("out"), "target": target}
        asked |= {} if task.classes is None else {"outputs": "class"}
        # Without automatic collections, which take half of the time of a small compilation.
        collects = gc.isenabled()
        gc.disable()
        try:
            with temporary_folder() as folder:
                file = folder / "val.npz"
                stride = -(-len(samples) // PROFILED)
                np.savez(file, x=task.x[samples[::stride]].astype(np.float32))
                request = replace(compile_request(asked), val=file)
                program = load(model).module.clone()
                ctx = context()
                adapt_interface(program, request, ctx)
                data = load_program_data(program, str(file))
                trials = Trials(program, ctx, request.pipeline_options(board(target)), data)
                narrow = trials.of(_alternative(formats or NARROW))
                floats = formats is None and compares_floats(narrow.prepared.before)
                self.trial = trials.of(_alternative(FLOATS)) if floats else narrow
                self.estimate: EstimatedCost = self.trial.cost({})
                self._program = self.trial.prepared.candidates.program(self.trial.formats)
        finally:
            if collects:
                gc.enable()

    @property
    def formats(self) -> str:
        return self.trial.alternative.name

    @property
    def cost(self) -> Cost:
        """Raises `InputError` for a board without a cost model."""
        if self.estimate.time is None:
            raise InputError(f"the costs of {self.target} are unknown: choose a board with a cost table")
        return Cost(self.estimate.time, self.estimate.flash, self.estimate.ram)

    @cached_property
    def of_model(self) -> NDArray[Any]:
        """The answers of the model to the judged samples."""
        return np.asarray(self.model.predict(self.task.x[self.part]))

    @cached_property
    def of_program(self) -> NDArray[Any]:
        """The answers of the program to the judged samples."""
        inputs = encode_inputs(self._program, self.task.x[self.part].astype(np.float32))
        outputs = evaluate(self._program, inputs)
        if self.task.classes is not None:
            assert outputs.labels is not None
            return np.asarray(self.model.classes_)[outputs.labels]
        scores = in_reals(self._program, outputs).scores
        assert scores is not None
        return scores[:, 0]


def replace_formats(screen: Screen, formats: str) -> Screen:
    """The screen of the same model in other formats."""
    return Screen(screen.model, screen.task, screen.target, screen.samples, screen.part, formats)


def _alternative(name: str) -> Alternative:
    return next(each for each in BUILT_IN if each.name == name)
