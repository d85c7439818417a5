"""Memory by packer and by strategy.

With and without reuse (Shiftry, figure 12), by first fit and at best (MinUn, tables 9 and 10), and strategies for bit
widths in the RAM of Shiftry's search (MinUn 7.5), with both packers.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from measured.commands import model_path
from measured.measures.classifiers import compiled, mean, names
from measured.store import Values, by_parts
from tinyml.dialects.context import context
from tinyml.dialects.scratch import ArenaOp
from tinyml.lowering import pipelines
from tinyml.tools.driver.stages import find_model, load_program
from tinyml.transforms.buffers.packing.modes import pack
from tinyml.transforms.buffers.packing.rectangles import Rectangle

GRAPHS = 2000
"""Random graphs that are packed."""


def arena(formats: Path, mode: str, target: str) -> int:
    """Bytes of the arena of a program at L1 by a packer; by `none` buffers are not updated in place either."""
    module, reused = load_program(formats, context()), mode != "none"
    steps = pipelines.flatten("formats-to-buffers", {"target": target, "mode": mode})
    pipelines.run(module, context(), [step for step in steps if reused or step.name != "update-in-place"])
    return sum(op.size for op in module.walk() if isinstance(op, ArenaOp))


def reuse(models: Path | None) -> Values:
    """Bytes of FastGRNN's arenas, in floats and in demoted numbers (Shiftry's), each buffer by itself or packed."""
    rows: dict[str, dict[str, int]] = {}
    for name in ("fastgrnn-fsdd10", "fastgrnn-mnist16-10"):
        program, val, _ = find_model(model_path(name, models))
        row: dict[str, int] = {}
        for kind, options in (
            ("floats", ["--format", "f32"]),
            ("mixed", ["--format", "shiftry", "--search", "demote"]),
        ):
            with tempfile.TemporaryDirectory() as folder:
                command = ["compile", str(program), "--val", str(val), "--target", "host", *options, "-o", folder]
                assert compiled([*command, "--force"])
                formats = Path(folder, "ir/1-formats.mlir")
                row |= {kind: arena(formats, "none", "uno"), f"{kind}_packed": arena(formats, "auto", "uno")}
        rows[name] = row
    percent = {
        kind: round(100 * mean(row[kind] / row["floats"] for row in rows.values()), 1)
        for kind in ("floats_packed", "mixed", "mixed_packed")
    }
    return {**percent, "models": len(rows), "bytes": rows}


def on_graphs(_models: Path | None) -> Values:
    """Percent that optimal placements take less than first fit on random graphs: the mean, the most, how many gain."""
    random, saved, proved = Random(1), list[float](), 0
    for _ in range(GRAPHS):
        rectangles = _graph(random, random.randrange(6, 40))
        greedy, best = (pack(rectangles, mode) for mode in ("first-fit", "auto"))
        saved.append(100 * (1 - best.height / greedy.height))
        proved += best.optimal
    return {
        "mean": round(sum(saved) / GRAPHS, 2),
        "most": round(max(saved), 1),
        "gain": sum(percent > 0 for percent in saved),
        "proved": proved,
        "graphs": GRAPHS,
    }


def _graph(random: Random, ops: int) -> list[Rectangle]:
    """The results of a random graph's ops, each of which reads one to three of the last results."""
    reach, last = random.randrange(2, 9), list(range(ops))
    for op in range(1, ops):
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            last[random.randrange(max(0, op - reach), op)] = op
    return [Rectangle(f"t{op}", 2 ** random.randrange(8), 1, op, last[op]) for op in range(ops)]


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
