"""`tinyml bench --searches`: what the searches of the papers find, in any arithmetic, in one table."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.estimate import estimate_on
from tinyml.targets.boards import board
from tinyml.targets.costs import OPTIMIZE
from tinyml.tools.atomic_file import json_results
from tinyml.tools.bench import find_model
from tinyml.tools.progress import Progress
from tinyml.tools.search_request import SearchRequest, watched
from tinyml.tools.stages import load_program
from tinyml.tools.table import wide_console
from tinyml.transforms.candidates import round_less
from tinyml.transforms.contexts import context
from tinyml.transforms.outcomes import Metric, Yardstick, outcome_of

WIDE, NARROW = 16, 8
"""The two widths of Shiftry, of which all are."""

WAYS = ("16", "8", "maxscale", "demote", "promote", "pareto")
"""Uniform widths, then searches: SeeDot's with 16 bits, Shiftry's with its permitted loss, MinUn's with the RAM that
Shiftry's result works in for a limit, as in MinUn 7.5, and ours in the RAM and flash that these two take at most."""

BEST = "best"
"""The best of the other ways that stay within the same limits as ours, in accuracy and in what it loses."""

METRIC: Metric = "margin"
"""What ours goes by, and the validation set is looked at with."""

BOARD = board("uno")


@dataclass(frozen=True)
class Arithmetic:
    """A number format by name, and the scheme of its functions, if not its own."""

    format: str
    functions: str | None

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
    class than on reals, and that is expected to by its margins (`Border`). memory: bytes that the program works in,
    without the stack. ram, flash: bytes in all, as the cost model has them.
    """

    accuracy: float
    differ: float
    loss: float
    memory: int
    ram: int
    flash: int


def bench_searches(folders: Sequence[Path], arithmetics: Sequence[str], json_file: Path | None) -> list[dict[str, Any]]:
    """One row for each model and arithmetic, and the mean change against float of each arithmetic; printed.

    folders: of models, as `tinyml bench` takes them. arithmetics: as `Arithmetic.parse` takes them.
    """
    with json_results(json_file) as rows:
        rows += [row for folder in folders for row in _rows(folder, [Arithmetic.parse(one) for one in arithmetics])]
        print_rows(rows)
    return rows


def _rows(folder: Path, arithmetics: Sequence[Arithmetic]) -> list[dict[str, Any]]:
    model = _Model(folder)
    rows: list[dict[str, Any]] = []
    with Progress(folder.name, len(arithmetics) * len(WAYS)) as progress:
        for arithmetic in arithmetics:
            found: dict[str, Result] = {}
            for way in WAYS:
                progress.step(f"{arithmetic} {way}")
                with watched(progress):
                    found[way] = model.result(arithmetic, _options(way, found))
            results = {way: dataclasses.asdict(one) for way, one in found.items()}
            row = {"model": folder.name, "arithmetic": str(arithmetic), "float": model.accuracy}
            rows.append({**row, **results, BEST: _best_other(found)})
    return rows


def _options(way: str, found: dict[str, Result]) -> dict[str, str]:
    """Of the pipeline."""
    if way.isdecimal():
        return {"width": way}
    options: dict[str, dict[str, Any]] = {"maxscale": {"widths": [WIDE]}, "demote": {"widths": [NARROW, WIDE]}}
    if way == "promote":
        options[way] = {"widths": [NARROW, WIDE], "ram": found["demote"].memory}
    if way == "pareto":
        ram, flash = _limits(found)
        options[way] = {"ram": ram, "flash": flash}
    return SearchRequest(way, options[way]).spelled(BOARD)


def _limits(found: dict[str, Result]) -> tuple[int, int]:
    """RAM and flash that both demotion and promotion keep to."""
    both = found["demote"], found["promote"]
    return max(one.ram for one in both), max(one.flash for one in both)


def _best_other(found: dict[str, Result]) -> dict[str, float]:
    ram, flash = _limits(found)
    others = [one for way, one in found.items() if way != "pareto" and one.ram <= ram and one.flash <= flash]
    return {"accuracy": max(one.accuracy for one in others), "loss": min(one.loss for one in others)}


class _Model:
    """A model on reals with its data. accuracy: percent of right answers on the test set."""

    def __init__(self, folder: Path):
        from tinyml.runtime.data import load_data
        from tinyml.runtime.evaluator import evaluate_reals
        from tinyml.runtime.model_interface import interface_of
        from tinyml.runtime.shared_evaluator import SharedEvaluator

        program, self.val, test = find_model(folder)
        self.reals = load_program(program, context())
        elements = interface_of(self.reals).input_length
        self.test_data = load_data(str(test or self.val), elements=elements)
        if self.test_data.y is None:
            raise InputError("searches are compared by their accuracy: the data need labels `y`", file=str(folder))
        self.yardstick = Yardstick(self.reals, load_data(str(self.val), elements=elements))
        self.evaluator = SharedEvaluator(self.yardstick.inputs)
        self.accuracy = _percent(evaluate_reals(self.reals, self.test_data.x).classes == self.test_data.y)

    def result(self, arithmetic: Arithmetic, options: dict[str, str]) -> Result:
        """What the model is in an arithmetic. options: of the pipeline that gives it formats."""
        from tinyml.runtime.evaluator import encode_inputs, evaluate
        from tinyml.transforms.working_memory import working_memory

        common = {"data": json.dumps(str(self.val)), "format": json.dumps(arithmetic.format)}
        if arithmetic.functions is not None:
            common["functions"] = json.dumps(arithmetic.functions)
        target = {"target": json.dumps(BOARD.printed_for)}
        passes = pipelines.flatten("reals-to-formats", common | target | options)
        refining = pipelines.flatten("refine-formats", target)
        module = self.reals.clone()
        pipelines.run(module, context(), passes[: -len(refining)])
        memory = working_memory(module.clone())
        summed = module.clone()
        pipelines.run(summed, context(), ["choose-accumulators"])
        seen = outcome_of(round_less(summed), self.yardstick, self.evaluator, METRIC, inf)
        pipelines.run(module, context(), refining)
        tested = evaluate(module, encode_inputs(module, self.test_data.x)).classes
        lowering = [*pipelines.flatten("formats-to-buffers", {}), *pipelines.flatten("buffers-to-loops", target)]
        pipelines.run(module, context(), lowering)
        cost = estimate_on(module, BOARD.device, OPTIMIZE)
        assert cost is not None
        return Result(
            _percent(tested == self.test_data.y),
            self.yardstick.loss(seen, "disagreement"),
            self.yardstick.loss(seen, METRIC),
            memory,
            round(cost.ram),
            round(cost.flash),
        )


def _percent(true: Any) -> float:
    return round(100 * float(true.mean()), 4)


def print_rows(rows: Sequence[dict[str, Any]]) -> None:
    """Accuracies, in brackets the bytes of RAM that programs work in; then how much differs where searches look."""
    _print(
        "Right on the test set, % (RAM without stack, bytes)",
        rows,
        lambda row, way: f"{row[way]['accuracy']:.2f}" + (f" ({row[way]['memory']})" if way in WAYS else ""),
        lambda row, way: row[way]["accuracy"] - row["float"],
    )
    _print(
        "Expected to differ from float by the margins on the validation set, % (that do differ, %)",
        rows,
        lambda row, way: f"{row[way]['loss']:.2f}" + (f" ({row[way]['differ']:.2f})" if way in WAYS else ""),
        lambda row, way: row[way]["loss"],
    )


def _print(
    title: str,
    rows: Sequence[dict[str, Any]],
    cell: Callable[[dict[str, Any], str], str],
    change: Callable[[dict[str, Any], str], float],
) -> None:
    """One table, with the mean change against float of each arithmetic at its end."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("model", no_wrap=True)
    for heading in ("arithmetic", "float", *WAYS, "best other"):
        table.add_column(heading, justify="right", no_wrap=True)
    ways = (*WAYS, BEST)
    for row in rows:
        cells = [cell(row, way) for way in ways]
        table.add_row(row["model"], row["arithmetic"], f"{row['float']:.2f}", *cells)
    table.add_section()
    for arithmetic in dict.fromkeys(row["arithmetic"] for row in rows):
        own = [row for row in rows if row["arithmetic"] == arithmetic]
        means = (sum(change(row, way) for row in own) / len(own) for way in ways)
        table.add_row("mean change", arithmetic, "", *(f"{mean:+.2f}" for mean in means))
    wide_console().print(table)
