"""`tinyml bench --searches`: what the searches of the papers find, in any arithmetic, in one table."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.targets.boards import board
from tinyml.tools.atomic_file import json_results
from tinyml.tools.bench import find_model
from tinyml.tools.progress import Progress
from tinyml.tools.search_request import SearchRequest, watched
from tinyml.tools.stages import load_program
from tinyml.transforms.contexts import context

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.data import Data
    from tinyml.runtime.evaluator import Outputs

WIDE, NARROW = 16, 8
"""The two widths of Shiftry, of which all are."""

WAYS = ("16", "8", "maxscale", "demote", "promote")
"""Uniform widths, then searches: SeeDot's with 16 bits, Shiftry's with its permitted loss, and MinUn's with the RAM
that Shiftry's result works in for a limit, as in MinUn 7.5."""


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
    """accuracy: percent of right answers on the test set. ram: bytes that the program works in, without the stack."""

    accuracy: float
    ram: int


def bench_searches(folders: Sequence[Path], arithmetics: Sequence[str], json_file: Path | None) -> list[dict[str, Any]]:
    """One row for each model and arithmetic, and the mean change against float of each arithmetic; printed.

    folders: of models, as `tinyml bench` takes them. arithmetics: as `Arithmetic.parse` takes them.
    """
    with json_results(json_file) as rows:
        rows += [row for folder in folders for row in _rows(folder, [Arithmetic.parse(one) for one in arithmetics])]
        print_rows(rows)
    return rows


def _rows(folder: Path, arithmetics: Sequence[Arithmetic]) -> list[dict[str, Any]]:
    from tinyml.runtime.data import load_data
    from tinyml.runtime.evaluator import evaluate_reals
    from tinyml.runtime.model_interface import interface_of

    program, val, test = find_model(folder)
    reals = load_program(program, context())
    data = load_data(str(test or val), elements=interface_of(reals).input_length)
    if data.y is None:
        raise InputError("searches are compared by their accuracy: the data need labels `y`", file=str(folder))
    real_accuracy = _percent(evaluate_reals(reals, data.x), data)
    rows: list[dict[str, Any]] = []
    with Progress(folder.name, len(arithmetics) * len(WAYS)) as progress:
        for arithmetic in arithmetics:
            found: dict[str, Result] = {}
            for way in WAYS:
                progress.step(f"{arithmetic} {way}")
                with watched(progress):
                    found[way] = _result(reals, arithmetic, _options(way, found), val, data)
            results = {way: dataclasses.asdict(one) for way, one in found.items()}
            rows.append({"model": folder.name, "arithmetic": str(arithmetic), "float": real_accuracy, **results})
    return rows


def _options(way: str, found: dict[str, Result]) -> dict[str, str]:
    """Of the pipeline."""
    if way.isdecimal():
        return {"width": way}
    options: dict[str, dict[str, Any]] = {
        "maxscale": {"widths": [WIDE]},
        "demote": {"widths": [NARROW, WIDE]},
        "promote": {"widths": [NARROW, WIDE], "ram": found["demote"].ram if "demote" in found else 0},
    }
    return SearchRequest(way, options[way]).spelled(board("uno"))


def _result(reals: ModuleOp, arithmetic: Arithmetic, options: dict[str, str], val: Path, data: Data) -> Result:
    from tinyml.runtime.evaluator import encode_inputs, evaluate
    from tinyml.transforms.working_memory import working_memory

    common = {"data": json.dumps(str(val)), "format": json.dumps(arithmetic.format)}
    if arithmetic.functions is not None:
        common["functions"] = json.dumps(arithmetic.functions)
    passes = pipelines.flatten("reals-to-formats", common | options)
    refining = len(pipelines.flatten("refine-formats", {}))
    module = reals.clone()
    pipelines.run(module, context(), passes[:-refining])
    ram = working_memory(module.clone())
    pipelines.run(module, context(), passes[-refining:])
    outputs = evaluate(module, encode_inputs(module, data.x))
    return Result(_percent(outputs, data), ram)


def _percent(outputs: Outputs, data: Data) -> float:
    return round(100 * float((outputs.classes == data.y).mean()), 4)


def print_rows(rows: Sequence[dict[str, Any]]) -> None:
    """Accuracies, and in brackets the bytes of RAM that programs with mixed widths work in."""
    from rich.console import Console
    from rich.table import Table

    table = Table()
    table.add_column("model", no_wrap=True)
    for heading in ("arithmetic", "float %", *(f"{way} %" for way in WAYS)):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        cells = [f"{row[way]['accuracy']:.2f} ({row[way]['ram']})" for way in WAYS]
        table.add_row(row["model"], row["arithmetic"], f"{row['float']:.2f}", *cells)
    table.add_section()
    for arithmetic in dict.fromkeys(row["arithmetic"] for row in rows):
        own = [row for row in rows if row["arithmetic"] == arithmetic]
        means = (sum(row[way]["accuracy"] - row["float"] for row in own) / len(own) for way in WAYS)
        table.add_row("mean change", arithmetic, "", *(f"{mean:+.2f}" for mean in means))
    Console(width=max(Console().width, 145)).print(table)
