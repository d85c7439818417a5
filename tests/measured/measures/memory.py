"""Memory by packer and by search strategy.

Packed arenas are compared with arenas without reuse (Shiftry, figure 12), and optimal placement with first fit (MinUn,
tables 9 and 10). Strategies for bit widths are compared in the RAM that Shiftry's search needs (MinUn 7.5), with both
packers.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from programs.face_results import write_detector
from programs.graphs import squeezenet
from programs.paths import MODELS
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from measured.commands import model_path
from measured.measures.classifiers import FAMILIES, compiled, mean, names
from measured.store import Values, by_parts
from tinyml.dialects.context import context
from tinyml.dialects.scratch import ArenaOp, MoveOp, memref_type, size_in_bytes
from tinyml.lowering import pipelines
from tinyml.tools.driver.stages import find_model, load_program
from tinyml.transforms.buffers.liveness.live_ranges import live_ranges as ranges_of_buffers
from tinyml.transforms.buffers.packing.modes import pack
from tinyml.transforms.buffers.packing.rectangles import Rectangle
from tinyml.transforms.formats.spread_maps import SpreadMapsPass
from tinyml.transforms.schedules.plans.graph import Graph

GRAPHS = 2000
"""Random graphs that are packed."""


def arena(formats: Path, mode: str, target: str) -> int:
    """The bytes of the arena of a program at L1 by a packer. With the packer `none`, every op has a buffer of its own:
    element-wise ops are not fused, and results do not overwrite operands.

    formats: the file of the program.
    mode: the packer.
    """
    module = load_program(formats, context())
    steps = pipelines.flatten("formats-to-buffers", {"target": target, "mode": mode})
    if mode == "none":
        steps = [SpreadMapsPass(), *(step for step in steps if step.name != "update-in-place")]
    pipelines.run(module, context(), steps)
    return sum(op.size for op in module.walk() if isinstance(op, ArenaOp))


def reuse(models: Path | None) -> Values:
    """The sizes of FastGRNN's arenas without reuse and packed, in floating point and in the formats of Shiftry's
    demotion, as geometric means in percent of the size in floating point without reuse.

    `bytes`: the sizes in bytes for each model.
    """
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
    """The percentage of memory that optimal placements save on random graphs compared with first fit: mean, maximum and
    the number of graphs on which they save any.

    First fit processes buffers in the order of their start. Keys with the prefix `orders_` compare with the lowest
    result of first fit in six orders.
    """
    random, proved = Random(1), 0
    saved: dict[str, list[float]] = {"": [], "orders_": []}
    for _ in range(GRAPHS):
        rectangles = _graph(random, random.randrange(6, 40))
        best = pack(rectangles, "auto")
        heights = {"": in_order_of_start(rectangles), "orders_": pack(rectangles, "first-fit").height}
        for name, height in heights.items():
            saved[name].append(100 * (1 - best.height / height))
        proved += best.optimal
    values: dict[str, float] = {"proved": proved, "graphs": GRAPHS}
    for name, percents in saved.items():
        values[f"{name}mean"] = round(sum(percents) / GRAPHS, 2)
        values[f"{name}most"] = round(max(percents), 1)
        values[f"{name}gain"] = sum(percent > 0 for percent in percents)
    return values


def in_order_of_start(rectangles: Sequence[Rectangle]) -> int:
    """The height by standard first fit: one pass in the order of start, with each buffer at the lowest free offset."""
    placed: list[tuple[int, Rectangle]] = []
    for shape in sorted(rectangles, key=lambda shape: shape.first):
        alive = sorted((at, other) for at, other in placed if other.last >= shape.first and shape.last >= other.first)
        offset = 0
        for at, other in alive:
            if offset + shape.size <= at:
                break
            offset = max(offset, at + other.size)
        placed.append((offset, shape))
    return max(offset + shape.size for offset, shape in placed)


def on_squeezenets(_models: Path | None) -> Values:
    """The bytes of SqueezeNet 1.0 and 1.1 by ordinary execution, for both kinds of first fit and for optimal
    placement.
    """
    values: dict[str, float] = {}
    for version in ("1.0", "1.1"):
        rectangles = live_ranges(squeezenet(version))
        best = pack(rectangles, "auto")
        assert best.optimal
        heights = {"first": in_order_of_start(rectangles), "orders": pack(rectangles, "first-fit").height}
        values |= {f"v{version.replace('.', '_')}_{name}": height for name, height in heights.items()}
        values[f"v{version.replace('.', '_')}_best"] = best.height
    return values


def on_detectors(models: Path | None) -> Values:
    """The bytes of Face-A, Face-B and Face-C in 8 and 16 bits, for both kinds of first fit and for optimal placement.

    The buffers of a program are packed without updates in place and without overlaps.
    """
    folder = model_path("rnnpool-face", models)
    parts = [f"face-{letter} {width}" for letter in "abc" for width in (8, 16)]
    rows = by_parts("faces-packed", parts, lambda part: _detector(folder, *part.split()))
    return {f"{part[5]}_{part[7:]}_{name}": height for part, row in rows.items() for name, height in row.items()}


def _detector(folder: Path, name: str, width: str) -> Values:
    with tempfile.TemporaryDirectory() as out:
        model = write_detector(name, folder, Path(out))
        module = load_program(model, context())
        options = {"format": "fixed", "width": int(width), "data": str(Path(out, "search.npz"))}
        pipelines.run(module, context(), pipelines.flatten("reals-to-formats", options))
    return _heights(module, in_place=False)


def _heights(module: ModuleOp, *, in_place: bool) -> Values:
    """The bytes in which the buffers of a program at L1 fit, by both kinds of first fit and by optimal placement, and
    the number of buffers.

    in_place: whether results may overwrite operands.
    """
    steps = pipelines.flatten("formats-to-buffers", {})
    last = next(i for i, step in enumerate(steps) if step.name == "pack-scratch")
    pipelines.run(module, context(), [step for step in steps[:last] if in_place or step.name != "update-in-place"])
    [function] = (op for op in module.ops if isinstance(op, func.FuncOp))
    rectangles = [
        Rectangle(str(number), size_in_bytes(memref_type(buffer.result)), 1, *span)
        for number, (buffer, span) in enumerate(ranges_of_buffers(function).ranges.items())
    ]
    best = pack(rectangles, "auto")
    assert best.optimal
    return {
        "first": in_order_of_start(rectangles), "orders": pack(rectangles, "first-fit").height, "best": best.height,
        "buffers": len(rectangles),
    }  # fmt: skip


def in_ten_bits(models: Path | None) -> Values:
    """The bytes of the arenas of the detectors `a`, `b` and `c` in posits of 10 bits that are packed to the bit."""
    folder = model_path("rnnpool-face", models)
    rows = by_parts("faces-in-10-bits", list("abc"), lambda letter: {"arena": _packed(folder, f"face-{letter}")})
    return {letter: row["arena"] for letter, row in rows.items()}


def _packed(folder: Path, name: str) -> int:
    with tempfile.TemporaryDirectory() as out:
        model = write_detector(name, folder, Path(out), 1)
        module = load_program(model, context())
        options = {"format": "posit", "width": 10, "data": str(Path(out, "search.npz"))}
        pipelines.run(module, context(), pipelines.flatten("reals-to-formats", options))
    pipelines.run(module, context(), pipelines.flatten("formats-to-buffers", {"pack_buffers": True}))
    return sum(op.size for op in module.walk() if isinstance(op, ArenaOp))


def on_promoted(models: Path | None) -> Values:
    """The percentage of memory that optimal placements of promoted classifiers save compared with first fit in the
    order of start (`first`) and in the best of six orders (`orders`).

    Promotion finds the programs in Shiftry's arithmetic, within the RAM that demotion needs. `{first,orders}_most` is
    the maximum, `{first,orders}_gain` the number of programs with any saving. The prefix `in_place_` denotes programs
    whose results overwrite operands.
    """
    rows: dict[str, Values] = {}
    for name in (name for family in FAMILIES for name in names(family)):
        ram = list[str]()
        for way in ("demote", "promote"):
            with tempfile.TemporaryDirectory() as folder:
                report = _compiled(name, ["--format", "shiftry", "--search", way, *ram], Path(folder, "out"), models)
                ram = ["--ram", str(report["ram_bytes"]["arena"] + report["ram_bytes"]["input"])]
                formats = Path(folder, "out/ir/1-formats.mlir")
                programs = [load_program(formats, context()) for _ in range(2)]
        plain, in_place = (
            _heights(module, in_place=flag) for flag, module in zip((False, True), programs, strict=True)
        )
        rows[name] = {**plain, **{f"in_place_{key}": value for key, value in in_place.items()}}
    found: Values = {"count": len(rows), "models": rows}
    for kind in ("", "in_place_"):
        for way in ("first", "orders"):
            saved = [100 * (1 - row[f"{kind}best"] / row[f"{kind}{way}"]) for row in rows.values()]
            found |= {f"{kind}{way}_most": round(max(saved), 1), f"{kind}{way}_gain": sum(one > 0 for one in saved)}
    return found


def live_ranges(graph: Graph) -> list[Rectangle]:
    """The tensors of a graph as rectangles. A tensor is live from the op that computes it to the last op that reads it.
    Inputs are live from the first op, and tensors that no op reads until the last op.
    """
    ops = len(graph.nodes)
    first = {node.result: step for step, node in enumerate(graph.nodes)}
    last = {read.tensor: step for step, node in enumerate(graph.nodes) for read in node.reads}
    return [
        Rectangle(name, graph.size(name) // 8, 1, first.get(name, 0), last.get(name, ops - 1)) for name in graph.tensors
    ]


def _graph(random: Random, ops: int) -> list[Rectangle]:
    """The results of the ops of a random graph as rectangles; each op reads one to three of the latest results."""
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
    """A function that measures, by family and strategy, the changes of accuracy from floating point in points.

    `{family}_{strategy}`: the mean of a family.
    `all_{strategy}`: the mean of all models.
    `{family}_{strategy}_lost`, `all_{strategy}_lost`: the points lost compared with promotion.
    `saved`: among programs by promotion, the maximum percentage by which the optimal packing is below first fit.
    `{strategy}_least`, `{strategy}_most`: the extremes of the search time in seconds.
    `models`: the figures of each model.
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
    found |= {
        f"{key}_lost": round(found[f"{key.split('_')[0]}_promotion"] - change, 2)
        for key, change in found.items()
        if not key.endswith("_promotion")
    }
    spent = {way: [row[way]["seconds"] for row in rows.values()] for way in WAYS}
    found |= {f"{way}_least": min(seconds) for way, seconds in spent.items()}
    found |= {f"{way}_most": max(seconds) for way, seconds in spent.items()}
    saved = [100 * (1 - row["promotion"]["arena"] / row["first_fit"]) for row in rows.values()]
    return {**found, "saved": round(max(saved), 1), "count": len(rows), "models": rows}


def _row(name: str, format: str, models: Path | None) -> Values:
    """For each strategy, the change of accuracy, the bytes of the arena and of the input, and the seconds of the
    search; also the arena of promotion by first fit.
    """
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


ENOUGH = 1.05
"""The ratio of RAM that fails to RAM that suffices, at which `least` ends."""

PROMOTION = "--search", "promote", "--metric", "margin", "--pack-buffers"

MIXED, POSITS = ("--formats", "posit,affine"), ("--format", "posit")
"""Formats of promoted programs: whichever of two loses less, tensor by tensor, or posits alone."""

LEAST_OF = "bonsai-mnist16-10", "fastgrnn-mnist16-10", "protonn-gesturepod"
"""A model of each family; others take an hour."""


def least(*formats: str) -> Callable[[Path | None], Values]:
    """A function that divides the arena and input of floating-point programs by those of promoted programs.

    Programs may lose at most 0.2 points of accuracy. For each model, promotion runs within several limits on memory.
    The next limit is the geometric mean of the greatest limit that fails and the least limit that suffices. The search
    ends when their ratio is at most `ENOUGH`. Widths are chosen on the validation set; the test set determines whether
    they suffice, as in the paper.

    `less`: the minimum ratio over `models`. `more`: the maximum. `worst`: the worst change of accuracy.
    The ratio of each model is stored under its family.

    formats: the options that select the formats of the program.
    """
    return lambda models: _least_of_all(formats, models)


def _least_of_all(formats: Sequence[str], models: Path | None) -> Values:
    rows = by_parts(f"least-ram-{formats[-1]}", LEAST_OF, lambda name: _least(name, formats, models))
    ratios = {name.split("-")[0]: row["floats"] / row["ram"] for name, row in rows.items()}
    worst = min(row["change"] for row in rows.values())
    ends = {"less": min(ratios.values()), "more": max(ratios.values())}
    return {**ends, **ratios, "worst": worst, "count": len(rows), "models": rows}


def _least(name: str, formats: Sequence[str], models: Path | None) -> Values:
    floats = _arena_and_input(name, models, "--format", "f32")
    assert floats is not None
    fails, best = floats["ram"] // 7, floats
    while best["ram"] > ENOUGH * fails:
        limit = round((fails * best["ram"]) ** 0.5)
        found = _arena_and_input(name, models, *PROMOTION, *formats, "--ram", str(limit))
        if found is not None and found["change"] >= -0.2:
            best = found
        else:
            fails = limit
    return {"floats": floats["ram"], **best}


TIMES_LESS = 2.9
"""The least factor by which MinUn's posits take less RAM than floats (figure 7)."""


def third_in_posits(*families: str) -> Callable[[Path | None], Values]:
    """A function that measures the changes of accuracy of programs in promoted posits whose arena and input need at
    most 1/2.9 of the bytes in floating point.

    `change`: the mean over all models with a program within the limit. `worst`: the worst of them.
    `{family}`: the mean of a family.
    `least`, `most`: the extremes of the factors by which the programs need less memory.
    `beyond`: the number of models without a program within the limit at any width.
    """
    return lambda models: _third_of_all(families, models)


def _third_of_all(families: Sequence[str], models: Path | None) -> Values:
    every = [name for family in families for name in names(family)]
    rows = by_parts("third-in-posits", every, lambda name: _third(name, models))
    within = {name: row for name, row in rows.items() if "change" in row}
    changes = {name: row["change"] for name, row in within.items()}
    less = [row["floats"] / row["ram"] for row in within.values()]
    found = {
        family: round(sum(of) / len(of), 3)
        for family in families
        if (of := [changes[name] for name in names(family) if name in changes])
    }
    return {
        **found, "change": round(sum(changes.values()) / len(changes), 3), "worst": min(changes.values()),
        "least": min(less), "most": max(less), "count": len(within), "beyond": len(rows) - len(within), "models": rows,
    }  # fmt: skip


def _third(name: str, models: Path | None) -> Values:
    floats = _arena_and_input(name, models, "--format", "f32")
    assert floats is not None
    limit = str(int(floats["ram"] / TIMES_LESS))
    return {"floats": floats["ram"], **(_arena_and_input(name, models, *PROMOTION, *POSITS, "--ram", limit) or {})}


def _arena_and_input(name: str, models: Path | None, *options: str) -> Values | None:
    """The bytes of arena and input of a program for this computer, and its change of accuracy; None if compilation
    fails.
    """
    program, val, test = find_model(model_path(name, models))
    with tempfile.TemporaryDirectory() as folder:
        given = ["--val", str(val), "--test", str(test), "--target", "host", *options, "-o", f"{folder}/out"]
        if not compiled(["compile", str(program), *given]):
            return None
        found = json.loads(Path(folder, "out/report.json").read_text())
    ram = found["ram_bytes"]["arena"] + found["ram_bytes"]["input"]
    return {"ram": ram, "change": round(found["accuracy"] - found["accuracy_float"], 4)}


def explored(models: Path | None) -> Values:
    """The number of candidates that demotion (`demote`) and promotion (`promote`) evaluate in Shiftry's arithmetic, and
    the number of tensors with formats (`tensors`).

    These figures are means over three models, one of each family. Promotion runs within the RAM that demotion needs.
    `demote_least`, `promote_least`, `demote_most` and `promote_most` are the extremes of the search time in seconds.
    """
    rows: dict[str, dict[str, int]] = {}
    spent: dict[str, list[float]] = {"demote": [], "promote": []}
    for name in ("fastgrnn-mnist16-10", "protonn-letter26", "bonsai-letter26"):
        ram: list[str] = []
        for way in ("demote", "promote"):
            with tempfile.TemporaryDirectory() as folder:
                report = _compiled(name, ["--format", "shiftry", "--search", way, *ram], Path(folder, "out"), models)
            ram = ["--ram", str(report["ram_bytes"]["arena"] + report["ram_bytes"]["input"])]
            rows.setdefault(name, {})[way] = report["search"]["candidates"]
            spent[way].append(round(sum(report["search"]["seconds"].values()), 1))
            rows[name]["tensors"] = len(report["search"]["tensors"])
    ends = {f"{way}_least": min(seconds) for way, seconds in spent.items()}
    ends |= {f"{way}_most": max(seconds) for way, seconds in spent.items()}
    return {**ends, **{key: round(sum(row[key] for row in rows.values()) / len(rows), 1) for key in rows[name]}}


def defragmented(_models: Path | None) -> Values:
    """The number of moves that Shiftry's packer makes in the examples' programs, in Shiftry's arithmetic of 16 bits."""
    moves = 0
    for file in (MODELS[name] for name in ("protonn", "bonsai", "fastgrnn")):
        module = load_program(file, context())
        options = {"format": "shiftry", "width": 16, "data": str(file.with_name("val.npz")), "mode": "shiftry"}
        for steps in ("reals-to-formats", "formats-to-buffers"):
            pipelines.run(module, context(), pipelines.flatten(steps, options))
        moves += sum(isinstance(op, MoveOp) for op in module.walk())
    return {"moves": moves, "models": 3}


def metrics(models: Path | None) -> Values:
    """For each of two metrics by which demotion compares candidates, the mean change of accuracy in points, and the
    mean sum of the bytes of arena and constants.
    """
    found: dict[str, float] = {}
    names = "bonsai-letter26", "protonn-letter26"
    for metric in ("disagreement", "accuracy"):
        for name in names:
            options = ["--format", "shiftry", "--search", "demote", "--metric", metric]
            with tempfile.TemporaryDirectory() as folder:
                report = _compiled(name, options, Path(folder, "out"), models)
            measured = {
                "change": report["accuracy"] - report["accuracy_float"],
                "bytes": report["ram_bytes"]["arena"] + report["constants_bytes"],
            }
            for key, value in measured.items():
                found[f"{metric}_{key}"] = found.get(f"{metric}_{key}", 0) + round(value / len(names), 2)
    return found


def _compiled(name: str, options: Sequence[str], out: Path, models: Path | None) -> Values:
    program, val, test = find_model(model_path(name, models))
    data = ["--val", str(val), *(["--test", str(test)] if test else [])]
    command = ["compile", str(program), *data, "--target", "host", "--widths", "8,16", *options, "-o", str(out)]
    assert compiled(command), " ".join(command)
    return json.loads((out / "report.json").read_text())
