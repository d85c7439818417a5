"""Memory by packer: with and without reuse (Shiftry, figure 12), by first fit and at best (MinUn, tables 9 and 10)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from figures.commands import model_path

from papers.measures.classifiers import compiled, mean
from papers.row import Values
from tinyml.dialects.context import context
from tinyml.dialects.scratch import ArenaOp
from tinyml.lowering import pipelines
from tinyml.tools.driver.stages import find_model, load_program
from tinyml.transforms.buffers.pack_scratch import HEIGHT
from tinyml.transforms.buffers.packing.modes import pack
from tinyml.transforms.buffers.packing.rectangles import Rectangle

GRAPHS = 2000
"""Random graphs that are packed."""


def arena(formats: Path, mode: str, target: str) -> int:
    """Bytes of the arena of a program at L1 by a packer; by `none` buffers are not updated in place either."""
    module, reused = load_program(formats, context()), mode != "none"
    steps = pipelines.flatten("formats-to-buffers", {"target": target, "mode": mode})
    pipelines.run(module, context(), [step for step in steps if reused or step.name != "update-in-place"])
    return sum(op.attributes[HEIGHT].value.data for op in module.walk() if isinstance(op, ArenaOp))  # type: ignore[attr-defined]


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
