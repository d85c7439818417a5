"""`tinyml.design`: from a labelled table to the front of programs for a board, and the best of them."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.options import options_of
from tinyml.dialects.package_metadata import DISTRIBUTION, install_command
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.targets.registry import DEFAULT_TARGET, board
from tinyml.tools.api.arguments import checked_values, python_terms, text
from tinyml.tools.api.compilation import compile
from tinyml.tools.api.program import CompileWarning, Program
from tinyml.tools.api.row_table import RowTable
from tinyml.tools.cli.atomic_output import atomic_folder, write_file
from tinyml.tools.design.design_page import design_page
from tinyml.tools.design.families import FAMILIES
from tinyml.tools.design.front import Judged, front, interval, luck_of_winner
from tinyml.tools.design.search import Budget, Savings, Search
from tinyml.tools.design.task import MAX_VALIDATION, TEST_SHARE, Limits, Places, Task, encoded, task_of
from tinyml.tools.design.trials import (
    Candidate,
    Cost,
    Problem,
    Trained,
    limit_of,
    repeated,
    trained,
)
from tinyml.tools.driver.design_options import USUAL_SECONDS, DesignOptions
from tinyml.tools.reports.facts.figures import figures_of
from tinyml.transforms.formats.evaluation.metrics import ACCURACY
from tinyml.transforms.search.engine.workers import Workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.tools.api.keywords import DesignKeywords

PROGRAMS = 6
"""The greatest number of candidates that `auto` compiles for the front."""

FEW_SAMPLES = 40
"""The number of samples by which `auto` should choose formats; it distrusts fewer than 30."""

RECORD, PAGE = "design.json", "design.html"

REPEATED = ("flash", "ram", "milliseconds", "seconds", "candidates", "families", "metric", "at_least", "folds", "seed")
"""The options that a replay takes from the record."""


@dataclass(frozen=True)
class DesignedProgram:
    """A program of the front, with its model.

    program: the compiled program.
    model: the fitted model of scikit-learn or another library.
    family, parameters: the candidate; `repeats` of rows are explained in docs/design.md.
    cross_validated: the mean metric of the candidate's 8-bit or 16-bit programs over the folds.
    cross_validated_model: the same of its models on reals.
    validation: the metric of the compiled program on the samples that chose its formats.
    validation_model: the metric of the model on these samples.
    expected: `cross_validated_model`, less what the compiled program loses on the validation samples.
    shortfall: the sum of the amounts by which the candidate misses demanded metrics.
    time: the time of a call with floats, in `unit`: measured, and the conversion of floats estimated.
    milliseconds: this time at the clock of the board; None if it is unknown.
    flash, ram: bytes.
    """

    program: Program
    model: Any
    family: str
    parameters: Mapping[str, Any]
    repeats: int
    cross_validated: float
    cross_validated_model: float
    validation: float
    validation_model: float
    expected: float
    shortfall: float
    time: float
    unit: str
    milliseconds: float | None
    flash: int
    ram: int

    @property
    def name(self) -> str:
        """The family and the parameters as text."""
        return str(Candidate.of(self.family, self.parameters, self.repeats))


@dataclass(frozen=True)
class Design:
    """The result of `design`.

    front: the programs that no other program dominates in the expected metric, time, flash and RAM, the fastest first.
    best: the program with the best expected metric within all limits and demands.
    metric: the name of the metric; `rmse` is in the unit of the targets, others are fractions of 1.
    test: the metric of `best` on samples that nothing has seen; None without such samples.
    test_interval: its 95 % confidence interval.
    test_samples: the number of these samples.
    luck: the amount by which `best.cross_validated` is expected to flatter, because it is the greatest of several; None
        if it is unknown.
    savings: the numbers of candidates that were not trained, or not on all samples.
    results: every trial, in order.
    seconds: the processor time.
    """

    front: Sequence[DesignedProgram]
    best: DesignedProgram
    board: str
    metric: str
    classes: Sequence[Any] | None
    test: float | None
    test_interval: tuple[float, float] | None
    test_samples: int
    luck: float | None
    savings: Savings
    results: Sequence[Trained]
    seconds: float
    record: Mapping[str, Any] = field(repr=False)

    @property
    def page(self) -> str:
        """The report as an HTML page."""
        return design_page(cast("Any", self), summary(self))

    def __str__(self) -> str:
        return "\n".join(summary(self))

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write `design.html`, `design.json`, and a folder for each program of the front as `Program.save` does, and
        return the path. `best` is the folder of the best program. `model.joblib` in a folder is the fitted model.

        force: as for `Program.save`.

        Raises `InputError` for a folder that contains other files than those of a design.
        """
        with python_terms({}), atomic_folder(Path(folder), _removable) as new:
            write_file(new / PAGE, self.page)
            for name, each in self.named().items():
                each.program.save(new / name, force=force)
                _save_model(each.model, new / f"{name}.joblib")
            files = sorted(str(file.relative_to(new)) for file in new.rglob("*") if not file.is_dir())
            write_file(new / RECORD, json.dumps({**self.record, "files": [*files, RECORD]}, indent=1) + "\n")
        return Path(folder)

    def named(self) -> Mapping[str, DesignedProgram]:
        """The programs of the front by the names of their folders."""
        numbered = {f"front-{i}": each for i, each in enumerate(self.front, 1) if each is not self.best}
        return {"best": self.best, **numbered}


def design(
    X: object,
    y: object,
    *,
    board: str | None = None,
    X_test: object = None,
    y_test: object = None,
    groups: object = None,
    verbose: bool = True,
    **options: Unpack[DesignKeywords],
) -> Design:
    """Train models of many families on a table, compile them, and return the programs that no other one dominates.

    X: numbers (samples, features), as an array, a data frame or lists.
    y: the class of each sample, in any type of labels, or its target value. Numbers of which some are not whole are
        target values, unless `metric` is a metric of classes.
    board: the name of the board; an Arduino Uno by default. It must have a cost table.
    X_test, y_test: samples from which only the final figure is computed, by default a fifth of X and y.
    groups: a label for each sample, such as the person; samples of one group stay in one part of all splits.
    verbose: true to print a table of the candidates as they are trained.
    options: the options of `tinyml design`, with underscores in their names.

    An interrupt (Ctrl-C) ends the search, and the best programs until then are compiled. Warnings of the compiler about
    the best program are issued as `CompileWarning`s. Raises `InputError` for a table from which no model can be
    trained, for bad options, and if no program is within the limits, and `TypeError` for an unknown keyword and for an
    option value of the wrong type.
    """
    values = checked_values("design", options, options_of(DesignOptions))
    target = DEFAULT_TARGET if board is None else text("board", board)
    with python_terms({}):
        return designed(X, y, X_test, y_test, groups, target, DesignOptions(**values), print if verbose else _silent)


def designed(
    x: object,
    y: object,
    x_test: object,
    y_test: object,
    groups: object,
    target: str,
    options: DesignOptions,
    say: Callable[[str], object],
    places: Places | None = None,
) -> Design:
    """The design of a table; arguments and errors as for `design`.

    say: called with each line of the table of candidates.
    places: the names of the parts of the table, for messages.
    """
    _require_sklearn()
    record = None if options.replay is None else _read_record(options.replay)
    if record is not None:
        options = replace(options, **record["options"])
        target = record["board"]
    _check(options)
    task = task_of(
        x,
        y,
        groups,
        metric=options.metric,
        at_least=_demands(options.at_least or ()),
        folds=options.folds,
        seed=options.seed,
        places=places,
    )
    families = _families(options.families, task)
    if record is not None and record["table"] != task.digest:
        raise InputError("is the record of another table", file=str(options.replay))
    own, test = _without_test(task, x_test, y_test)
    limits = Limits(options.flash, options.ram, options.milliseconds)
    problem = Problem(own, target, limit_of(target, limits))
    unlimited = options.seconds is None and options.candidates is None
    seconds = USUAL_SECONDS if unlimited else options.seconds
    budget = Budget(seconds, options.candidates, None if record is None else record["trials"])
    start = time.process_time()
    with ExitStack() as stack:
        journal = stack.enter_context(RowTable(options.journal, Trained, "a design"))
        workers = stack.enter_context(Workers(options.jobs, options.backend, options.cluster))
        lines = Lines(say, task.metric, target)
        search = Search(problem, families, budget, workers, journal, lambda row: lines.show(row, budget))
        lines.head(problem, families)
        search.run()
        if budget.stopped:
            say("interrupted: the best programs until now are compiled")
        found = search.finalists()
        if not found:
            raise _nothing(search)
        programs, caught = _programs(found, problem, limits, budget, say)
    best, edge = chosen(programs, task.falls)
    for warning in caught[id(best)]:
        warnings.warn(warning, CompileWarning, stacklevel=3)
    of_test = None if test is None else encoded(task, best.program.predict(test.x), "predictions")
    made = Design(
        front=edge,
        best=best,
        board=target,
        metric=task.metric,
        classes=task.classes,
        test=None if test is None or of_test is None else test.figure(test.y, of_test),
        test_interval=None if test is None or of_test is None else interval(test, of_test),
        test_samples=0 if test is None else len(test),
        luck=luck_of_winner(found, _of(found, best), falls=task.falls),
        savings=search.savings,
        results=search.rows,
        seconds=round(max(budget.spent, time.process_time() - start), 1),
        record={
            DISTRIBUTION: version(DISTRIBUTION),
            "board": target,
            "options": {name: getattr(options, name) for name in REPEATED},
            "table": task.digest,
            "trials": budget.done,
            "programs": [_entry(each) for each in edge],
            "best": edge.index(best),
        },
    )
    for line in [*summary(made), f"{made.seconds:,.0f} s of processor time"]:
        say(line)
    return made


def chosen(programs: Sequence[DesignedProgram], falls: bool) -> tuple[DesignedProgram, list[DesignedProgram]]:
    """The best program, and the front. Of programs with the same expected metric, the fastest is the best."""

    def merit(each: DesignedProgram) -> tuple[float, float]:
        return -each.shortfall, -each.expected if falls else each.expected

    best = max(programs, key=lambda each: (*merit(each), -each.time))
    edge = front(programs, lambda each: (merit(each), Cost(each.time, each.flash, each.ram)))
    return best, edge


def summary(made: Design) -> list[str]:
    """Lines about the best program and its figures."""
    best, falls = made.best, made.metric == "rmse"

    def spelled(value: float) -> str:
        return f"{value:.4g}" if falls or made.classes is None else f"{100 * value:.1f} %"

    lines = [
        f"best: {best.name}: {best.time:,.0f} {best.unit} a call, {best.flash:,} bytes of flash, {best.ram:,} of RAM",
        f"{made.metric} in cross-validation: model {spelled(best.cross_validated_model)}, program "
        f"{spelled(best.cross_validated)}; compiled program on the validation part {spelled(best.validation)}, "
        f"its model {spelled(best.validation_model)}",
    ]
    if made.luck is not None:
        lines.append(
            f"winner's curse: the best of several is lucky: its cross-validation flatters by about {spelled(made.luck)}"
        )
    if made.test is not None and made.test_interval is not None:
        low, high = made.test_interval
        lines.append(
            f"{made.metric} on {made.test_samples:,} samples that nothing has seen: {spelled(made.test)} "
            f"(95 % interval {spelled(low)} to {spelled(high)})"
        )
    if best.shortfall > 0:
        lines.append(
            f"warning: no candidate reaches the demanded metrics; the best misses them by {best.shortfall:.3f}"
        )
    saved = made.savings
    lines.append(
        f"{saved.proposed} candidates: before training, {saved.cannot_fit} were known not to fit, and "
        f"{saved.dominated} to be dominated whatever their metric; {saved.stopped} were stopped early"
    )
    return lines


class Lines:
    """The table of candidates as lines of text."""

    def __init__(self, say: Callable[[str], object], metric: str, target: str):
        self.say, self.metric, self.unit = say, metric, board(target).unit
        self.number = 0

    def head(self, problem: Problem, families: Sequence[str]) -> None:
        task = problem.task
        kinds = "target values" if task.classes is None else f"{len(task.classes)} classes"
        self.say(
            f"{len(task):,} samples of {task.shape.features} features, {kinds}; {problem.target}; {', '.join(families)}"
        )
        self.say(
            f"{'':>4} {'s':>6} {'samples':>7} {'fold':>4} {'model':>7} {'program':>7} {self.unit:>9} {'flash':>7} "
            f"{'RAM':>6}  candidate"
        )

    def show(self, row: Trained, budget: Budget) -> None:
        self.number += 1
        figures = [_spelled(row.model), _spelled(row.program)]
        sizes = ["-" if each is None else f"{each:,.0f}" for each in (row.time, row.flash, row.ram)]
        told = f": {row.error}" if row.error else ""
        self.say(
            f"{self.number:>4} {budget.spent:>6.1f} {100 * row.share:>5.0f} % {row.fold + 1:>4} {figures[0]:>7} "
            f"{figures[1]:>7} {sizes[0]:>9} {sizes[1]:>7} {sizes[2]:>6}  {row.candidate}{told}"
        )


def _spelled(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _silent(line: str) -> None:
    """Drop a line."""


def _programs(
    found: Sequence[Judged], problem: Problem, limits: Limits, budget: Budget, say: Callable[[str], object]
) -> tuple[list[DesignedProgram], dict[int, list[str]]]:
    """The compiled programs of the front of candidates, the best candidate first, and the warnings of each by its id.

    Raises `InputError` if none is within the limits.
    """
    task = problem.task
    edge = front(found, lambda each: (each.merit(task.falls), each.cost))
    ordered = sorted(edge, key=found.index)
    if len(ordered) > PROGRAMS:
        # Evenly from the best to the fastest.
        ordered = [ordered[i * (len(ordered) - 1) // (PROGRAMS - 1)] for i in range(PROGRAMS)]
    ordered = list(dict.fromkeys([*ordered, *found[:PROGRAMS]]))
    parts = max(min(task.folds, len(task) // FEW_SAMPLES), 2, -(-len(task) // MAX_VALIDATION))
    others, part = next(task.splits(parts))
    made: list[DesignedProgram] = []
    caught: dict[int, list[str]] = {}
    reasons: list[str] = []
    for each in ordered:
        if made and (len(made) >= PROGRAMS or budget.allows("programs", 1.0, 1) <= 0):
            break
        start = time.process_time() + _of_children()
        try:
            program, told = _compiled(each, task, problem.target, others, part)
            if (over := _excess(program, limits)) is not None:
                raise InputError(over)
            made.append(program)
            caught[id(program)] = told
            say(f"compiled {program.name}: {_spelled(program.expected)}, {program.time:,.0f} {program.unit}")
        except InputError as error:
            reasons.append(error.message)
            say(f"not compiled: {each.candidate}: {error.message}")
        except KeyboardInterrupt:
            if not made:
                raise
            break
        finally:
            budget.note("programs", time.process_time() + _of_children() - start)
    if not made:
        raise InputError(f"no compiled program is within the limits: {reasons[0]}")
    return made, caught


def _compiled(
    each: Judged, task: Task, target: str, others: NDArray[np.intp], part: NDArray[np.intp]
) -> tuple[DesignedProgram, list[str]]:
    family, candidate = FAMILIES.get(each.candidate.family), each.candidate
    samples = repeated(task, others, candidate.repeats)
    model = trained(family, candidate.values, task.x[samples], task.labelled(samples), task.seed)
    x = _frame(task, part)
    metric = compiled_metric(task, candidate.repeats)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", CompileWarning)
        program = compile(model, x, task.labelled(part), board=target, **({"metric": metric} if metric else {}))
    report, y = program.report, task.y[part]
    of_model = task.figure(y, encoded(task, model.predict(task.x[part]), "predictions"))
    of_program = task.figure(y, encoded(task, program.predict(task.x[part]), "predictions"))
    figures = figures_of(report)
    call, inference = figures["time from floats"].value, report.time_per_inference
    if inference is None:
        # The board's tools are not installed.
        inference = figures["estimated time"].value
    time = call if isinstance(call, int | float) else inference
    time = each.cost.time if not isinstance(time, int | float) else float(time)
    milliseconds = report.milliseconds_per_inference
    if milliseconds is not None and isinstance(inference, int | float) and inference:
        milliseconds *= time / inference
    made = DesignedProgram(
        program=program,
        model=model,
        family=candidate.family,
        parameters=candidate.values,
        repeats=candidate.repeats,
        cross_validated=each.program,
        cross_validated_model=each.model,
        validation=of_program,
        validation_model=of_model,
        expected=each.model + of_program - of_model,
        shortfall=each.shortfall,
        time=time,
        unit=report.unit,
        milliseconds=milliseconds,
        flash=round(each.cost.flash) if report.flash_bytes is None else report.flash_bytes,
        ram=round(each.cost.ram) if report.ram_bytes.total is None else report.ram_bytes.total,
    )
    return made, [str(warning.message) for warning in caught]


def compiled_metric(task: Task, repeats: int) -> str | None:
    """The metric by which `auto` chooses formats; None for its default. A model of repeated samples is judged by the
    first demand for which they are repeated.
    """
    if task.classes is None:
        return None
    if repeats > 1:
        return next(name for name in task.at_least if name.startswith("recall:"))
    return None if task.metric == ACCURACY else task.metric


def _frame(task: Task, part: NDArray[np.intp]) -> Any:
    """Samples with the names of their features, if there are any and pandas is installed."""
    if task.names is None or find_spec("pandas") is None:
        return task.x[part]
    pandas: Any = import_module("pandas")
    return pandas.DataFrame(task.x[part], columns=[*task.names])


def _excess(program: DesignedProgram, limits: Limits) -> str | None:
    if limits.flash is not None and program.flash > limits.flash:
        return f"the program takes {program.flash:,} bytes of flash, more than {limits.flash:,}"
    if limits.ram is not None and program.ram > limits.ram:
        return f"the program takes {program.ram:,} bytes of RAM, more than {limits.ram:,}"
    if limits.milliseconds is not None and (program.milliseconds or 0) > limits.milliseconds:
        return f"a call takes {program.milliseconds:.3g} ms, more than {limits.milliseconds:g}"
    return None


def _of_children() -> float:
    """The processor time of ended child processes, such as compilers and simulators."""
    times = os.times()
    return times.children_user + times.children_system


def _of(found: Sequence[Judged], best: DesignedProgram) -> Judged:
    wanted = Candidate.of(best.family, best.parameters, best.repeats)
    return next(each for each in found if each.candidate == wanted)


def _entry(each: DesignedProgram) -> dict[str, Any]:
    left_out = ("program", "model")
    return {name: getattr(each, name) for name in DesignedProgram.__dataclass_fields__ if name not in left_out}


def _require_sklearn() -> None:
    """Import scikit-learn, before worker processes limit the threads of its libraries."""
    if find_spec("sklearn") is None:
        raise InputError(f"designs need scikit-learn: {install_command('sklearn')}")
    import_module("sklearn.ensemble")


def _check(options: DesignOptions) -> None:
    least = {"flash": 1, "ram": 1, "milliseconds": 1e-9, "seconds": 1e-9, "candidates": 1, "folds": 2}
    for name, low in least.items():
        value = getattr(options, name)
        if value is not None and value < low:
            expected = "a positive number" if 0 < low <= 1 else f"at least {low}"
            raise InputError(f"expected {expected}, got {value:g}", file=name)


def _demands(texts: Sequence[str]) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for each in texts:
        name, sign, value = each.rpartition("=")
        try:
            found[name] = float(value)
        except ValueError:
            sign = ""
        if not sign or not 0 < found[name] <= 1:
            raise InputError(f"expected METRIC=VALUE with a value from 0 to 1, got {each!r}", file="at_least")
    return found


def _families(asked: Sequence[str] | None, task: Task) -> list[str]:
    suits = "regresses" if task.classes is None else "classifies"
    if asked is not None:
        for name in asked:
            if not getattr(FAMILIES.get(name), suits):
                kind = "target values" if task.classes is None else "classes"
                raise InputError(f"the family '{name}' has no models of {kind}", file="families")
        return list(dict.fromkeys(asked))
    return [name for name, row in FAMILIES.rows().items() for family in _loadable(row) if getattr(family, suits)]


def _loadable(row: Any) -> list[Any]:
    """The family of a row; none for a package that cannot be loaded, about which a warning is printed."""
    found: list[Any] = []
    with row.left_out():
        found.append(FAMILIES.load(row))
    return found


def _without_test(task: Task, x_test: object, y_test: object) -> tuple[Task, Task | None]:
    """The samples of the design, and those of the final figure."""
    if x_test is None:
        own, rest = next(task.splits(round(1 / TEST_SHARE)))
        return task.part(own), task.part(rest)
    if y_test is None:
        raise InputError("X_test needs y_test")
    places = Places("X_test", "y_test", "")
    given = task_of(x_test, y_test, None, metric=task.metric, at_least=None, folds=2, seed=task.seed, places=places)
    if given.shape.features != task.shape.features:
        raise InputError(f"expected {task.shape.features} features, got {given.shape.features}", file="X_test")
    labels = given.labelled(np.arange(len(given)))
    return task, replace(task, x=given.x, y=encoded(task, labels, "y_test"), groups=None)


def _nothing(search: Search) -> InputError:
    reasons = [row.error for row in search.rows if row.error]
    told = f"no program of {search.savings.proposed} candidates can be within the limits"
    return InputError(f"{told}; the last of {len(reasons)} that were trained {reasons[-1]}" if reasons else told)


def _read_record(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = {}
    try:
        record = json.loads(read_bytes(path, "record"))
        named = record["options"].keys() == {*REPEATED} and all(
            isinstance(record[name], kind) for name, kind in (("board", str), ("table", str), ("trials", dict))
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        named = False
    if not named:
        raise InputError("is not the record of a design", file=str(path))
    if record.get(DISTRIBUTION) != version(DISTRIBUTION):
        raise InputError(f"is the record of version {record.get(DISTRIBUTION)} of {DISTRIBUTION}", file=str(path))
    return record


def _removable(folder: Path) -> Sequence[str]:
    """The files of the folder of an earlier design."""
    there = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if not file.is_dir())
    if not there:
        return ()
    try:
        listed = json.loads((folder / RECORD).read_text("utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError("already exists and was not written by tinyml design", file=str(folder)) from None
    if others := [file for file in there if file not in listed]:
        raise InputError(f"contains {others[0]}, not written by tinyml: choose another folder", file=str(folder))
    return sorted(there, key=RECORD.__eq__)


def _save_model(model: Any, file: Path) -> None:
    joblib: Any = import_module("joblib")
    joblib.dump(model, file)
