"""Strategies for bit widths in the RAM of Shiftry's search (MinUn 7.5), with first fit and optimal packing."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from figures.commands import model_path

from papers.measures.classifiers import compiled, names
from papers.measures.memory import arena
from papers.parts import by_parts
from papers.row import Values
from tinyml.tools.driver.stages import find_model

WAYS = {"demotion": "demote", "size": "by-size", "accuracy": "by-accuracy", "promotion": "promote"}
"""Searches by their names in figures; all but the first within the arena and input of the first."""


PAIRS = {
    "fastgrnn": ("fsdd10", "mnist16-10"),
    "protonn": ("gesturepod", "letter26"),
    "bonsai": ("letter26", "mnist16-10"),
}
"""Two models of each family: posits take minutes for each of them, and larger ones an hour."""


def strategies(format: str) -> Callable[[Path | None], Values]:
    """Measures changes of accuracy from floats in points, by family and strategy, and what optimal packing saves.

    `{family}_{strategy}` is the mean of a family, `all_{strategy}` that of all models; `saved` the most percent by
    which the optimum is below first fit, of programs by promotion; `{strategy}_least` and `{strategy}_most` seconds of
    the search; `models` has the single figures.
    """
    return lambda models: _strategies(format, models)


def _strategies(format: str, models: Path | None) -> Values:
    families = {family: names(family, PAIRS) for family in PAIRS}
    every = [name for of in families.values() for name in of]
    rows = by_parts(f"strategies-{format}", every, lambda name: _row(name, format, models))
    found = {
        f"{family}_{way}": round(sum(rows[name][way]["change"] for name in of) / len(of), 2)
        for family, of in {**families, "all": list(rows)}.items()
        for way in WAYS
    }
    spent = {way: [row[way]["seconds"] for row in rows.values()] for way in WAYS}
    found |= {f"{way}_least": min(seconds) for way, seconds in spent.items()}
    found |= {f"{way}_most": max(seconds) for way, seconds in spent.items()}
    saved = [100 * (1 - row["promotion"]["arena"] / row["first_fit"]) for row in rows.values()]
    return {**found, "saved": round(max(saved), 1), "count": len(rows), "models": rows}


def _row(name: str, format: str, models: Path | None) -> Values:
    """Change of accuracy, arena and input of a model by each strategy, and promotion's arena by first fit."""
    row: Values = {}
    for way, search in WAYS.items():
        limit = [] if way == "demotion" else ["--ram", str(row["demotion"]["arena"] + row["demotion"]["input"])]
        with tempfile.TemporaryDirectory() as folder:
            report = _compiled(name, ["--format", format, "--search", search, *limit], Path(folder, "out"), models)
            ram = report["ram_bytes"]
            change = round(report["accuracy"] - report["accuracy_float"], 4)
            seconds = round(sum(report["search"]["seconds"].values()), 1)
            row = {**row, way: {"change": change, "arena": ram["arena"], "input": ram["input"], "seconds": seconds}}
            if way == "promotion":
                row["first_fit"] = arena(Path(folder, "out/ir/1-formats.mlir"), "first-fit", "host")
    return row


def _compiled(name: str, options: Sequence[str], out: Path, models: Path | None) -> Values:
    program, val, test = find_model(model_path(name, models))
    data = ["--val", str(val), *(["--test", str(test)] if test else [])]
    command = ["compile", str(program), *data, "--target", "host", "--widths", "8,16", *options, "-o", str(out)]
    assert compiled(command), " ".join(command)
    return json.loads((out / "report.json").read_text())
