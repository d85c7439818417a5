"""Comparison of the papers' searches in any arithmetic (`tinyml bench --searches`)."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.table import Table

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import format_named
from tinyml.lowering import pipelines
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals, in_reals
from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.registry import DEFAULT_TARGET, HOST, board
from tinyml.tools.cli.atomic_output import json_results
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.request import SearchRequest, watched
from tinyml.tools.driver.stages import find_model, load_program, passes_to_formats
from tinyml.tools.reports.tables import print_table
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.evaluation.candidates import evaluate_program, leave_out_roundings
from tinyml.transforms.formats.evaluation.reference import Reference
from tinyml.transforms.formats.evaluation.regression_errors import RegressionErrors
from tinyml.transforms.formats.measure_cost import MeasureCostPass
from tinyml.transforms.ir.pipeline_names import cost_of
from tinyml.transforms.loops.estimate_cost import EstimateCostPass
from tinyml.transforms.search.costs.candidate_costs import working_memory

WIDE, NARROW = 16, 8
"""Shiftry's two widths, which all ways use."""

WAYS = ("16", "8", "maxscale", "demote", "by-size", "by-accuracy", "promote", "pareto")
"""Uniform widths, then searches: SeeDot's with 16 bits; Shiftry's with its permitted loss; MinUn's baselines and
its own search, limited to the RAM of Shiftry's result without the stack, as in MinUn 7.5; and ours, in our arithmetic
only, limited to the larger of the RAM and flash of Shiftry's and MinUn's results."""

BASELINES = ("by-size", "by-accuracy")

WITHIN_DEMOTED = (*BASELINES, "promote")
"""The ways that are limited to the RAM of Shiftry's result."""

BEST = "best"
"""The best accuracy and the least loss among the other ways, without `BASELINES`, that stay within the limits of our
search."""

MEAN = "mean change"
"""The entry of rows of means in the column of the model."""

METRIC = "margin"
"""The metric of our search, which also scores the validation set."""

BOARD = board(DEFAULT_TARGET)


@dataclass(frozen=True)
class ArithmeticChoice:
    """The name of a number format, and the scheme of its functions; None for the format's default scheme."""

    format: str
    functions: str | None

    @property
    def ways(self) -> Sequence[str]:
        published = format_named(context(), self.format, None).AS_PUBLISHED
        return [way for way in WAYS if way != "pareto" or not published]

    @classmethod
    def parse(cls, text: str) -> ArithmeticChoice:
        """Parse an arithmetic spelled `FORMAT` or `FORMAT:SCHEME`."""
        format, _, functions = text.partition(":")
        return cls(format, functions or None)

    def __str__(self) -> str:
        return self.format if self.functions is None else f"{self.format}:{self.functions}"


@dataclass(frozen=True)
class ModelFigures:
    """The figures of a model compiled in one way. For a regressor, accuracy is R² in percent, and differ and loss are
    both its `disagreement` (docs/searches.md).

    accuracy: the percentage of correct answers on the test set.
    differ: the percentage of the validation set whose class differs from the class on reals.
    loss: the percentage of the validation set whose class is expected to differ by its margins (`MarginModel`).
    memory: bytes of arena and input.
    ram, flash: total bytes, including the stack, measured or else estimated.
    limits: the limits of the search, by the same names.
    seconds: the processor time of choosing formats and of everything that this requires.
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
    folders: Sequence[Path], arithmetics: Sequence[str], json_file: Path | None, ways: Container[str] = WAYS
) -> list[dict[str, Any]]:
    """Compute and print a row per model and arithmetic, then the means of each arithmetic; return the rows.

    folders: model folders.
    arithmetics: in the syntax of `ArithmeticChoice.parse`.
    json_file: a file for the rows as JSON; None for no file.
    ways: the searches and widths to compare; a search within the memory of another one requires it.
    """
    with json_results(json_file) as rows:
        choices = [ArithmeticChoice.parse(text) for text in arithmetics]
        rows += [row for folder in folders for row in _rows(folder, choices, ways)]
        rows += _means(rows)
        print_rows(rows)
    return rows


def _rows(folder: Path, arithmetics: Sequence[ArithmeticChoice], ways: Container[str]) -> list[dict[str, Any]]:
    model = _Model(folder)
    rows: list[dict[str, Any]] = []
    chosen = [[way for way in arithmetic.ways if way in ways] for arithmetic in arithmetics]
    with Progress(folder.name, sum(map(len, chosen))) as progress:
        for arithmetic, own in zip(arithmetics, chosen, strict=True):
            results: dict[str, ModelFigures] = {}
            for way in own:
                progress.step(f"{arithmetic} {way}")
                with watched(progress):
                    results[way] = model.result(arithmetic, way, _limits(way, results))
            row: dict[str, Any] = {"model": folder.name, "arithmetic": str(arithmetic), "float": model.accuracy}
            row |= {way: dataclasses.asdict(result) for way, result in results.items()}
            rows.append(row | ({BEST: _best_other(results)} if "pareto" in results else {}))
    return rows


def _means(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row per arithmetic with, for every search, the mean change of accuracy from floating point and the mean
    loss.
    """
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
    if way.isdecimal():
        return None
    widths = {"maxscale": [WIDE], **{name: [NARROW, WIDE] for name in ("demote", *WITHIN_DEMOTED)}}
    options: dict[str, Any] = {"widths": widths[way]} if way in widths else {}
    if "memory" in limits:
        # The host has no cost table, so the search does not count the stack.
        return SearchRequest(way, options | {"ram": limits["memory"], "target": HOST})
    return SearchRequest(way, options | limits)


def _limits(way: str, results: dict[str, ModelFigures]) -> dict[str, int]:
    """The limits of a search by resource, computed from the results of earlier searches and widths; empty for a search
    without limits and for a uniform width.

    way: one of the `WAYS`.
    results: the figures of earlier searches and widths, by their names in `WAYS`.
    """
    if way in WITHIN_DEMOTED:
        return {"memory": results["demote"].memory}
    if way != "pareto":
        return {}
    both = results["demote"], results["promote"]
    return {"ram": max(result.ram for result in both), "flash": max(result.flash for result in both)}


def _best_other(results: dict[str, ModelFigures]) -> dict[str, float]:
    limits = results["pareto"].limits
    others = [
        result
        for way, result in results.items()
        if way not in (*BASELINES, "pareto") and result.ram <= limits["ram"] and result.flash <= limits["flash"]
    ]
    return {"accuracy": max(result.accuracy for result in others), "loss": min(result.loss for result in others)}


class _Model:
    """A model on reals with its data.

    accuracy: the percentage of correct answers on the test set, or R² in percent.
    folder: the folder of the model.
    """

    def __init__(self, folder: Path):
        program, self.val, test = find_model(folder)
        self.reals = load_program(program, context())
        self.test_data = load_program_data(self.reals, str(test or self.val))
        if self.test_data.y is None and self.test_data.targets is None:
            raise InputError("searches are compared by their accuracy: the data need labels `y`", file=str(folder))
        self.reference = Reference(self.reals, load_program_data(self.reals, str(self.val)))
        self.evaluator = SharedEvaluator(self.reference.inputs)
        self.accuracy = self.score(evaluate_reals(self.reals, self.test_data.x))

    def score(self, outputs: Outputs) -> float:
        if self.test_data.targets is not None and outputs.scores is not None:
            return round(100 * RegressionErrors.of(outputs.scores, self.test_data.targets).r2, 4)
        return _percent(outputs.classes == self.test_data.y)

    def result(self, arithmetic: ArithmeticChoice, way: str, limits: dict[str, int]) -> ModelFigures:
        """The figures of the model in an arithmetic, compiled in one of the `WAYS`.

        way: a search or a uniform width.
        limits: the limits of the search by resource.
        """
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
        tested = in_reals(module, evaluate(module, encode_inputs(module, self.test_data.x)))
        if cost_of(module) is None:
            for step in ("formats-to-buffers", "buffers-to-loops"):
                pipelines.run(module, context(), pipelines.flatten(step, vars(options)))
            EstimateCostPass(BOARD.name).apply(context(), module)
        cost = cost_of(module)
        assert cost is not None
        return ModelFigures(
            self.score(tested),
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
    """Print a table of accuracies and working RAM on the test set, and a table of losses on the validation set."""
    _print(
        "Right on the test set, % (RAM without stack, bytes)",
        rows,
        lambda entry: f"{entry['accuracy']:.2f}" + (f" ({entry['memory']})" if "memory" in entry else ""),
        lambda mean: f"{mean['accuracy']:+.2f}",
    )
    _print(
        "Expected to differ from float by the margins on the validation set, % (that do differ, %)",
        rows,
        lambda entry: f"{entry['loss']:.2f}" + (f" ({entry['differ']:.2f})" if "differ" in entry else ""),
        lambda mean: f"{mean['loss']:.2f}",
    )


def _print(
    title: str,
    rows: Sequence[dict[str, Any]],
    cell: Callable[[dict[str, Any]], str],
    mean: Callable[[dict[str, Any]], str],
) -> None:
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
    print_table(table, 175)
