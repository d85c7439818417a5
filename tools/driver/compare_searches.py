"""`tinyml bench --searches`: the results of the papers' searches, in any arithmetic, in one table."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import fmean
from typing import Any

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import format_named
from tinyml.lowering import pipelines
from tinyml.lowering.cost.estimate_cost import EstimateCostPass
from tinyml.lowering.cost.measure_cost import MeasureCostPass
from tinyml.lowering.options import PipelineOptions
from tinyml.targets.registry import HOST, USUAL, board
from tinyml.tools.cli.atomic_file import json_results
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.models import find_model
from tinyml.tools.driver.search_request import SearchRequest, watched
from tinyml.tools.driver.stages import load_program, passes_to_formats
from tinyml.tools.reports.table import wide_console
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.evaluation.candidates import leave_out_roundings
from tinyml.transforms.formats.evaluation.evaluator import evaluate_program
from tinyml.transforms.formats.evaluation.reference import Metric, Reference
from tinyml.transforms.search.costs.pipelines_below import cost_of
from tinyml.transforms.search.costs.working_memory import working_memory

WIDE, NARROW = 16, 8
"""The two widths of Shiftry, which all ways use."""

WAYS = ("16", "8", "maxscale", "demote", "promote", "pareto")
"""Uniform widths, then searches: SeeDot's with 16 bits, Shiftry's with its permitted loss, MinUn's with the RAM that
Shiftry's result works in for a limit, without the stack, as in MinUn 7.5, and ours, in our arithmetic only, in the RAM
and flash that these two take at most."""

BEST = "best"
"""The best of the other ways that stay within the same limits as ours, in accuracy and in what it loses."""

MEAN = "mean change"
"""The name that rows of means have in place of a model."""

METRIC: Metric = "margin"
"""The metric of our search, by which the validation set is judged too."""

BOARD = board(USUAL)


@dataclass(frozen=True)
class Arithmetic:
    """A number format by name, and the scheme of its functions, if not its own."""

    format: str
    functions: str | None

    @property
    def ways(self) -> Sequence[str]:
        published = format_named(context(), self.format, None).AS_PUBLISHED
        return [way for way in WAYS if way != "pareto" or not published]

    @classmethod
    def parse(cls, text: str) -> Arithmetic:
        """`FORMAT` or `FORMAT:SCHEME`."""
        format, _, functions = text.partition(":")
        return cls(format, functions or None)

    def __str__(self) -> str:
        return self.format if self.functions is None else f"{self.format}:{self.functions}"


@dataclass(frozen=True)
class Result:
    """accuracy: percent of right answers on the test set. differ, loss: percent of the validation set that has another
    class than on reals, and that is expected to by its margins (`MarginModel`). memory: bytes of arena and input. ram,
    flash: bytes in all, with the stack, as measured, or else estimated. limits: those that the search had, by the same
    names. seconds: of processors, for choosing formats, and for what this needs.
    """

    accuracy: float
    differ: float
    loss: float
    memory: int
    ram: int
    flash: int
    limits: dict[str, int]
    seconds: float


def compare_searches(
    folders: Sequence[Path], arithmetics: Sequence[str], json_file: Path | None
) -> list[dict[str, Any]]:
    """One row for each model and arithmetic, then one for the mean of each arithmetic; printed.

    folders: of models, as `tinyml bench` takes them. arithmetics: as `Arithmetic.parse` takes them.
    """
    with json_results(json_file) as rows:
        rows += [row for folder in folders for row in _rows(folder, [Arithmetic.parse(text) for text in arithmetics])]
        rows += _means(rows)
        print_rows(rows)
    return rows


def _rows(folder: Path, arithmetics: Sequence[Arithmetic]) -> list[dict[str, Any]]:
    model = _Model(folder)
    rows: list[dict[str, Any]] = []
    with Progress(folder.name, sum(len(arithmetic.ways) for arithmetic in arithmetics)) as progress:
        for arithmetic in arithmetics:
            found: dict[str, Result] = {}
            for way in arithmetic.ways:
                progress.step(f"{arithmetic} {way}")
                with watched(progress):
                    found[way] = model.result(arithmetic, way, _limits(way, found))
            results = {way: dataclasses.asdict(result) for way, result in found.items()}
            best = {BEST: _best_other(found)} if "pareto" in found else {}
            rows.append(
                {"model": folder.name, "arithmetic": str(arithmetic), "float": model.accuracy, **results, **best}
            )
    return rows


def _means(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row per arithmetic: mean change of accuracy against float, and mean loss, of every way."""
    means: list[dict[str, Any]] = []
    for arithmetic in dict.fromkeys(row["arithmetic"] for row in rows):
        own = [row for row in rows if row["arithmetic"] == arithmetic]
        mean: dict[str, Any] = {"model": MEAN, "arithmetic": arithmetic, "float": fmean(row["float"] for row in own)}
        for way in (way for way in (*WAYS, BEST) if way in own[0]):
            change = fmean(row[way]["accuracy"] - row["float"] for row in own)
            mean[way] = {"accuracy": round(change, 4), "loss": round(fmean(row[way]["loss"] for row in own), 4)}
        means.append(mean)
    return means


def _search(way: str, limits: dict[str, int]) -> SearchRequest | None:
    """The search of a way; None for a uniform width."""
    if way.isdecimal():
        return None
    widths = {"maxscale": [WIDE], "demote": [NARROW, WIDE], "promote": [NARROW, WIDE]}
    options: dict[str, Any] = {"widths": widths[way]} if way in widths else {}
    if "memory" in limits:
        # The host has no cost table, so that no stack is counted.
        return SearchRequest(way, options | {"ram": limits["memory"], "target": HOST})
    return SearchRequest(way, options | limits)


def _limits(way: str, found: dict[str, Result]) -> dict[str, int]:
    """The limits of a search, from the results of earlier ways."""
    if way == "promote":
        return {"memory": found["demote"].memory}
    if way != "pareto":
        return {}
    both = found["demote"], found["promote"]
    return {"ram": max(result.ram for result in both), "flash": max(result.flash for result in both)}


def _best_other(found: dict[str, Result]) -> dict[str, float]:
    limits = found["pareto"].limits
    others = [
        result
        for way, result in found.items()
        if way != "pareto" and result.ram <= limits["ram"] and result.flash <= limits["flash"]
    ]
    return {"accuracy": max(result.accuracy for result in others), "loss": min(result.loss for result in others)}


class _Model:
    """A model on reals with its data. accuracy: percent of right answers on the test set."""

    def __init__(self, folder: Path):
        from tinyml.runtime.evaluator.evaluator import evaluate_reals
        from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator
        from tinyml.runtime.model.data import load_data
        from tinyml.runtime.model.model_interface import interface_of

        program, self.val, test = find_model(folder)
        self.reals = load_program(program, context())
        elements = interface_of(self.reals).input_length
        self.test_data = load_data(str(test or self.val), elements=elements)
        if self.test_data.y is None:
            raise InputError("searches are compared by their accuracy: the data need labels `y`", file=str(folder))
        self.reference = Reference(self.reals, load_data(str(self.val), elements=elements))
        self.evaluator = SharedEvaluator(self.reference.inputs)
        self.accuracy = _percent(evaluate_reals(self.reals, self.test_data.x).classes == self.test_data.y)

    def result(self, arithmetic: Arithmetic, way: str, limits: dict[str, int]) -> Result:
        """The figures of the model in an arithmetic, by one of the `WAYS`."""
        from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate

        options = PipelineOptions(
            data=str(self.val),
            format=arithmetic.format,
            functions=arithmetic.functions,
            width=int(way) if way.isdecimal() else None,
            target=BOARD.name,
        )
        search = _search(way, limits)
        passes = passes_to_formats(options, None if search is None else search.search_pass(options))
        refining = pipelines.flatten("refine-formats", vars(options))
        module, start = self.reals.clone(), time.process_time()
        pipelines.run(module, context(), passes[: -len(refining)])
        seconds = time.process_time() - start
        memory = working_memory(module.clone())
        summed = module.clone()
        ChooseAccumulatorsPass().apply(context(), summed)
        seen = evaluate_program(leave_out_roundings(summed), self.reference, self.evaluator, METRIC, inf)
        MeasureCostPass(BOARD.name).apply(context(), module)
        pipelines.run(module, context(), refining)
        tested = evaluate(module, encode_inputs(module, self.test_data.x)).classes
        if cost_of(module) is None:
            for step in ("formats-to-buffers", "buffers-to-loops"):
                pipelines.run(module, context(), pipelines.flatten(step, vars(options)))
            EstimateCostPass(BOARD.name).apply(context(), module)
        cost = cost_of(module)
        assert cost is not None
        return Result(
            _percent(tested == self.test_data.y),
            self.reference.loss(seen, "disagreement"),
            self.reference.loss(seen, METRIC),
            memory,
            int(cost.ram),
            int(cost.flash),
            limits,
            round(seconds, 2),
        )


def _percent(true: Any) -> float:
    return round(100 * float(true.mean()), 4)


def print_rows(rows: Sequence[dict[str, Any]]) -> None:
    """Accuracies, in brackets the bytes of RAM that programs work in; then how much differs where searches look."""
    _print(
        "Right on the test set, % (RAM without stack, bytes)",
        rows,
        lambda one: f"{one['accuracy']:.2f}" + (f" ({one['memory']})" if "memory" in one else ""),
        lambda mean: f"{mean['accuracy']:+.2f}",
    )
    _print(
        "Expected to differ from float by the margins on the validation set, % (that do differ, %)",
        rows,
        lambda one: f"{one['loss']:.2f}" + (f" ({one['differ']:.2f})" if "differ" in one else ""),
        lambda mean: f"{mean['loss']:.2f}",
    )


def _print(
    title: str,
    rows: Sequence[dict[str, Any]],
    cell: Callable[[dict[str, Any]], str],
    mean: Callable[[dict[str, Any]], str],
) -> None:
    """One table, with the means at its end."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("model", no_wrap=True)
    for heading in ("arithmetic", "float", *WAYS, "best other"):
        table.add_column(heading, justify="right", no_wrap=True)
    section = False
    for row in rows:
        if row["model"] == MEAN and not section:
            table.add_section()
            section = True
        spell = mean if row["model"] == MEAN else cell
        cells = [spell(row[way]) if way in row else "-" for way in (*WAYS, BEST)]
        table.add_row(row["model"], row["arithmetic"], "" if row["model"] == MEAN else f"{row['float']:.2f}", *cells)
    wide_console().print(table)
