"""Classifiers: sizes and times compared with floating point, accuracy by maxscale, and products with weights that are
converted to floats.

The measure of accuracy by maxscale is that of SeeDot 7.5; the products are those of SeeDot's figure 8.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from typing import Any

from programs.hybrid import POINT
from programs.plugins import installed

from measured.commands import measure, model_path
from measured.recurrent import folder_of
from measured.store import FOLDER, MEASURED, Values, by_parts, read
from measured.tables import shown
from tinyml.tools.driver.stages import find_model
from tinyml.tools.main import main as tinyml

FAMILIES = {
    "protonn": ("gesturepod", "letter26", "mnist10", "mnist16-10", "mnist2"),
    "bonsai": ("letter26", "mnist10", "mnist16-10"),
    "fastgrnn": ("fsdd10", "fsdd10-lr", "mnist16-10", "usps10-edgeml"),
}
"""The models of `docs/results.md`."""

SMALL = {"protonn": ("gesturepod", "letter26", "mnist16-10", "usps10"), "bonsai": ("letter26", "mnist16-10", "usps10")}
"""Models with at most 256 inputs, with two models for usps10, a data set of the papers."""


def names(family: str, models: dict[str, tuple[str, ...]] = FAMILIES) -> list[str]:
    return [f"{family}-{model}" for model in models[family]]


def mean(ratios: Iterable[float]) -> float:
    """The geometric mean of positive ratios."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms))


def beside_floats(family: str, narrow: str, figure: str) -> Callable[[], Values]:
    """A function that divides a figure of f32 programs by the same figure of other programs of the same models.

    The function returns mean, minimum and maximum of these ratios. The time of an f32 program that does not fit the
    board is that on a larger board with the same core; `larger` is the number of such programs. `lost`: the points of
    accuracy lost, averaged over the models that lose any (SeeDot 7.1.1). `losing`: the number of these models.

    narrow: the command that measures the other programs, with `{}` for the name of the model.
    figure: the key of the figure.
    family: the family of the models, such as `protonn`.
    """

    def summary() -> Values:
        measured = read(MEASURED)
        pairs = [(measured[f"bench {name} --format f32"], measured[narrow.format(name)]) for name in names(family)]
        ratios = _spread([wide[figure] / low[figure] for wide, low in pairs if figure in wide])
        losses = [-low["change"] for _, low in pairs if low["change"] < 0]
        larger = sum(not wide["fits"] for wide, _ in pairs if figure in wide)
        return {**ratios, "larger": larger, "lost": sum(losses) / max(len(losses), 1), "losing": len(losses)}

    return summary


def _spread(ratios: list[float]) -> Values:
    return {"mean": mean(ratios), "least": min(ratios), "most": max(ratios), "models": len(ratios)}


def peers(family: str, column: str, ours: str) -> Callable[[], Values]:
    """A function that divides times of SeeDot's or Shiftry's own programs (`docs/results.md`) by those of tinyml's
    programs.

    It returns mean, minimum and maximum of these ratios, and `ahead`: the minimum over the models of the accuracy of
    tinyml's program minus that of the paper's program, in points.

    column: the heading of the column with the figures of the paper's programs.
    ours: the command that measures tinyml's program, with `{}` for the name of the model.
    family: the family of the models, such as `protonn`.
    """

    def summary() -> Values:
        measured = read(MEASURED)
        pairs = [(cell, measured[ours.format(name)]) for name, cell in _peers(family, column).items()]
        ahead = min(own["accuracy"] - float(cell[0]) for cell, own in pairs)
        return {
            **_spread([1000 * float(cell[3].replace(",", "")) / own["time"] for cell, own in pairs]),
            "ahead": ahead,
        }

    return summary


def _peers(family: str, column: str) -> dict[str, list[str]]:
    """The accuracy, flash, RAM and thousands of cycles of SeeDot's or Shiftry's own programs, by model.

    column: the heading of the column of `results-classifiers` with these figures.
    family: the family of the models, such as `protonn`.
    """
    theirs = read(FOLDER / "results-classifiers.json")
    return {name: theirs[name][column].split("; ") for name in names(family) if theirs[name][column] != "-"}


def peers_changes(family: str) -> Values:
    """The mean changes of accuracy from floating point, in points, over the models with programs of SeeDot and Shiftry,
    and the number of these models.

    `seedot_tool`, `shiftry_tool`: of SeeDot's and Shiftry's own programs.
    `demotion`, `ours`: of tinyml's programs by demotion, in Shiftry's arithmetic and in tinyml's fixed point.

    family: the family of the models, such as `protonn`.
    """
    seedot, shiftry = (_peers(family, column) for column in ("SeeDot, 16 bit", "Shiftry, 8/16 bit"))
    assert seedot.keys() == shiftry.keys()
    found: dict[str, float] = {"count": len(seedot)}
    floats = [read(MEASURED)[f"compile {name} --width 8"]["float"] for name in seedot]
    for tool, cells in (("seedot_tool", seedot), ("shiftry_tool", shiftry)):
        found[tool] = fmean(float(cell[0]) - exact for cell, exact in zip(cells.values(), floats, strict=True))
    rows = [shown("searches-compared")[name] for name in seedot]
    for key, heading in (("demotion", "demotion"), ("ours", "demotion, ours")):
        found[key] = fmean(float(row[heading]) - float(row["float"]) for row in rows)
    return found


def drops(columns: dict[str, str], rows: dict[str, str]) -> Callable[[], Values]:
    """A function that returns the mean changes of accuracy in `docs/searches.md`, under the keys `{row}_{column}`.

    columns: the headings of columns by their names in keys.
    rows: the labels of rows by their names in keys.
    """

    def summary() -> Values:
        table = shown("searches-means")
        return {
            f"{row}_{column}": float(table[label][heading])
            for row, label in rows.items()
            for column, heading in columns.items()
        }

    return summary


NEAR = 10
"""Points of accuracy above guessing."""


def guessing(column: str) -> Callable[[], Values]:
    """A function that counts the models of a column of `docs/searches.md` that are at most `NEAR` points better than
    guessing.

    The function also returns `most`: the greatest percentage of right answers of all other models, 0 if there are none.
    """

    def summary() -> Values:
        right = {name: float(row[column]) for name, row in shown("searches-compared").items()}
        better = [value for name, value in right.items() if not is_guessing(name, value)]
        return {"guessing": len(right) - len(better), "models": len(right), "most": max(better, default=0.0)}

    return summary


def is_guessing(name: str, right: float) -> bool:
    """Whether a model is at most `NEAR` points better than guessing.

    right: the percentage of right answers.
    """
    return right <= 100 / _classes(name) + NEAR


def _classes(name: str) -> int:
    """The number of classes of a model: the last number in its name, or 6 for GesturePod's gestures."""
    numbers = re.findall(r"\d+", name)
    return int(numbers[-1]) if numbers else 6


def on_board(board: str, widths: tuple[int, ...]) -> Callable[[Path | None], Values]:
    """A function that measures ProtoNN and Bonsai models on a board, in floating point and in fixed point of the given
    widths.

    For each family and width it returns mean, minimum and maximum of the time in floating point divided by that in
    fixed point, the mean of the points lost (`_lost`), and the number of models that are more accurate than in floating
    point (`_better`). Models whose program in floating point does not fit the board are left out.
    """

    def measured(models: Path | None) -> Values:
        found: dict[str, Any] = {}
        for family in ("protonn", "bonsai"):
            floats = list[Values]()
            fixed = {width: list[Values]() for width in widths}
            for name in names(family, SMALL):
                wide = measure(f"bench {name} --format f32 --target {board}", models)
                if "error" in wide:
                    continue
                floats.append(wide)
                for width in widths:
                    fixed[width].append(
                        measure(f"bench {name} --format fixed --width {width} --target {board}", models)
                    )
            for width in widths:
                ratios = [
                    wide["core_cycles"] / low["core_cycles"] for wide, low in zip(floats, fixed[width], strict=True)
                ]
                lost = [-low["change"] for low in fixed[width]]
                found[f"{family}_{width}"] = round(mean(ratios), 2)
                found[f"{family}_{width}_least"] = round(min(ratios), 2)
                found[f"{family}_{width}_most"] = round(max(ratios), 2)
                found[f"{family}_{width}_lost"] = round(sum(lost) / len(lost), 3)
                found[f"{family}_{width}_better"] = sum(points < 0 for points in lost)
            found[f"{family}_models"] = len(floats)
        return found

    return measured


def in_seedots_arithmetic(models: Path | None) -> Values:
    """For each family, the mean time in floating point divided by that in SeeDot's arithmetic of 32 bits with the best
    maxscale, on an MKR1000, and the mean of the points lost (`_lost`).
    """
    found: dict[str, Any] = {}
    for family in ("protonn", "bonsai"):
        ratios, lost = list[float](), list[float]()
        for name in names(family, SMALL):
            wide = measure(f"bench {name} --format f32 --target mkr1000", models)
            narrow = measure(f"compile {name} --search maxscale --format seedot --widths 32 --target mkr1000", models)
            if "error" not in wide:
                ratios.append(wide["core_cycles"] / narrow["core_cycles"])
                lost.append(-narrow["change"])
        found |= {family: round(mean(ratios), 2), f"{family}_lost": round(sum(lost) / len(lost), 3)}
    return found


SIGNALLED = 128
"""The exit code of a command that a signal ended, less the signal's number."""


def compiled(arguments: list[str]) -> bool:
    """Whether a command of `tinyml` succeeds; its output is not printed. Raises `SystemExit` if a signal ended it."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = tinyml(arguments)
    if code > SIGNALLED:
        raise SystemExit(code)
    return code == 0


def sparse_shares(models: Path | None) -> Values:
    """The percentage of the estimated cycles on an Uno that products with sparse matrices take: `mean`, `least` and
    `most` over the models in 16 bits with such products, `models`, their number, and `all`, the number of all models.
    """
    shares: list[float] = []
    compared = [*names("protonn", SMALL), *names("bonsai", SMALL)]
    for name in compared:
        program, val, _ = find_model(model_path(name, models))
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "out")
            assert compiled(["compile", str(program), "--val", str(val), "--width", "16", "-o", str(out)])
            operations = json.loads((out / "report.json").read_text())["estimate"]["operations"]
        if sparse := sum(one["cycles"] for one in operations if "spmv(" in one["operation"]):
            shares.append(100 * sparse / sum(one["cycles"] for one in operations))
    found = {"mean": sum(shares) / len(shares), "least": min(shares), "most": max(shares)}
    return {**{key: round(share, 1) for key, share in found.items()}, "models": len(shares), "all": len(compared)}


def published(name: str, board: str) -> Callable[[Path | None], Values]:
    """A function that measures a model of a published data set in 8 bits on a board."""

    def measured(models: Path | None) -> Values:
        values = measure(f"bench {name} --format fixed --width 8 --target {board}", models)
        input = values["ram"] - values["working"]
        kept = {key: values[key] for key in ("accuracy", "float", "ram", "flash", "fits")}
        return {**kept, "input": input, "seconds": round(values["time"] / 16e6, 2)}

    return measured


def step_by_step(name: str) -> Callable[[Path | None], Values]:
    """A function that measures a recurrent model in 16 bits on an Uno; a callback provides its input in steps."""

    def measured(models: Path | None) -> Values:
        values = measure(f"compile {name} --width 16 --input callback", models)
        kept = {key: values[key] for key in ("accuracy", "float", "ram", "flash", "fits")}
        return {**kept, "seconds": round(values["time"] / 16e6, 2)}

    return measured


def trained_here(name: str) -> Callable[[Path | None], Values]:
    """A function that measures a FastGRNN of `recurrent.MODELS` on an Uno in 8 bits and, under the key `sixteen`, in 16
    bits with the input provided step by step.
    """

    def measured(models: Path | None) -> Values:
        folder = folder_of(name, lambda other: model_path(other, models)).parent
        return {**published(name, "uno")(folder), "sixteen": step_by_step(name)(folder)}

    return measured


BUILD = [
    *("arduino-builder", "-compile", "-fqbn", "arduino:avr:uno", "-tools", "/usr/bin"),
    *("-hardware", "/usr/share/arduino-builder", "-hardware", "/usr/share/arduino/hardware"),
    *("-prefs", "compiler.cpp.extra_flags=-DDECIMAL_DIG=9"),
]


def sketch_bytes(name: str, options: list[str], models: Path | None) -> int | None:
    """The size of the sketch `Serial` of a model, built for an Uno by Arduino's tools; None if the build fails."""
    program, val, _ = find_model(model_path(name, models))
    with tempfile.TemporaryDirectory() as folder:
        out, build = Path(folder, "out"), Path(folder, "build")
        build.mkdir()
        if not compiled(["compile", str(program), "--val", str(val), "--target", "uno", *options, "-o", str(out)]):
            return None
        [sketch] = out.glob("arduino/*/examples/Serial/Serial.ino")
        command = [*BUILD, "-build-path", str(build), "-libraries", str(out / "arduino"), str(sketch)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        uses = re.search(r"Sketch uses (\d+) bytes", done.stdout)
        return int(uses[1]) if uses else None


SKETCHES = {
    "floats": ["--format", "f32"],
    "seedot": ["--format", "seedot", "--width", "16"],
    "shiftry": ["--format", "shiftry", "--search", "demote"],
    "fixed_8": ["--width", "8"],
}
"""Options of a sketch by what it computes in: the papers' arithmetic, and ours."""

IN_SKETCHES = {"protonn": ("gesturepod", "letter26"), "bonsai": ("mnist16-10", "usps10")}
"""Two models of each family; an Uno holds the sketch in floats of one of them."""


def sketches(family: str) -> Callable[[Path | None], Values]:
    """A function that measures the sizes of sketches of a family, in the arithmetic of the papers and in that of
    tinyml.

    For each arithmetic it returns the geometric mean of the sizes in percent of those of sketches in floating point.
    """

    def measured(models: Path | None) -> Values:
        sizes = {
            name: {kind: sketch_bytes(name, options, models) for kind, options in SKETCHES.items()}
            for name in names(family, IN_SKETCHES)
        }
        complete = {name: row for name, row in sizes.items() if all(row.values())}
        kinds = list(SKETCHES)[1:]
        percent = {kind: 100 * mean(row[kind] / row["floats"] for row in complete.values()) for kind in kinds}  # type: ignore[operator]
        return {**{kind: round(value, 1) for kind, value in percent.items()}, "models": len(complete), "sizes": sizes}

    return measured


def compression() -> Values:
    """The factors by which programs need less RAM than in floating point, and their changes of accuracy, from the
    figures of `docs/results.md`.

    `least`, `most`: the extremes of the factors. `change`, `worst`: the mean and the worst change of accuracy.
    `FORMAT`, `FAMILY FORMAT`: the points that programs in a format lose on average, over all models and over one
    family. `fixed 8 by scores` has the scales of the rule `scores`, as `posit 8` has. `windowless 8` is the better one
    of `!posit.p<8, 0>` and `!posit.p<8, 2>` for each model, as in the paper.
    """
    measured = read(MEASURED)
    families = {"": [name for family in FAMILIES for name in names(family)]}
    families |= {f"{family} ": names(family) for family in FAMILIES}
    less = [measured[f"third {name}"]["ratio"] for name in families[""]]
    changes = [measured[f"third {name}"]["change"] for name in families[""]]
    kinds: dict[str, Callable[[str], Values]] = {
        "fixed 8": lambda name: measured[f"compile {name} --width 8"],
        "fixed 8 by scores": lambda name: measured[f"scalings {name} --width 8"]["fixed_scores"],
        "posit 8": lambda name: measured[f"bench {name} --format posit --width 8"],
        "windowless 8": lambda name: max(
            (measured[f"standard-posits {name} --width 8 --es {es}"] for es in (0, 2)), key=itemgetter("change")
        ),
        "affine 8": lambda name: measured[f"bench {name} --format affine --width 8"],
        "fixed 16": lambda name: measured[f"compile {name} --width 16"],
        "bf16": lambda name: measured[f"bench {name} --format bf16"],
    }
    lost = {
        f"{family}{format}": 0.0 - round(sum(values(name)["change"] for name in every) / len(every), 4)
        for family, every in families.items()
        for format, values in kinds.items()
    }
    return {
        "least": min(less), "most": max(less), "change": fmean(changes), "worst": min(changes), **lost,
    }  # fmt: skip


def usps() -> Values:
    """The figures of FastGRNN on USPS in 8-bit fixed point (`docs/papers/shiftry.md`)."""
    return read(MEASURED)["bench fastgrnn-usps10-genuine --format fixed --width 8"]


WIDTH = 16
MODELS = ("bonsai-mnist10", "protonn-usps10")
"""The families and data sets of the paper's figure 13."""


def curves(models: Path | None) -> Values:
    """For each model, the percentage of right answers on the validation set for maxscale 0 to 15 (`right`), the best
    maxscale and its percentage (`most`), and the percentages for maxscale 4, 7 and 8 (`at_4`, `at_7`, `at_8`).
    """
    return {name: _curve(model_path(name, models)) for name in MODELS}


def exploration(models: Path | None) -> Values:
    """The seconds of `search-maxscale` on one core for generating and evaluating the programs of ProtoNN on usps10."""
    begun = time.process_time()
    found = _curve(model_path(MODELS[1], models))
    return {"seconds": round(time.process_time() - begun, 1), "programs": len(found["right"])}


def _curve(folder: Path) -> dict[str, Any]:
    program, val, _ = find_model(folder)
    with tempfile.TemporaryDirectory() as out:
        journal = Path(out, "journal")
        options = ["--format", "seedot", "--search", "maxscale", "--widths", str(WIDTH), "--target", "host"]
        model = ["compile", str(program), "--val", str(val), "--jobs", "1"]
        assert compiled([*model, *options, "--journal", str(journal), "-o", f"{out}/o"])
        entries = [json.loads(line) for line in journal.read_text().splitlines()]
    # The search begins with the greatest maxscale. Programs that are the same are evaluated once: the last is repeated.
    outcomes = [entry for entry in entries if "formats" in entry]
    assert len(outcomes) == WIDTH, f"{folder.name}: {len(outcomes)} outcomes of {WIDTH}"
    right = [100 * (1 - entry["wrong"] / entry["seen"]) for entry in reversed(outcomes)]
    best = max(range(WIDTH), key=lambda maxscale: (right[maxscale], maxscale))
    shown = {f"at_{maxscale}": round(right[maxscale], 2) for maxscale in (4, 7, 8)}
    return {"best": best, "most": round(right[best], 2), **shown, "right": [round(value, 2) for value in right]}


def drawing(curves: dict[str, Sequence[float]]) -> str:
    """An SVG plot of the percentage of right answers by maxscale, with a curve for each model."""
    left, top, wide, high = 50, 20, 480, 220

    def at(maxscale: int, percent: float) -> str:
        return f"{left + wide * maxscale / (WIDTH - 1):.1f},{top + high * (1 - percent / 100):.1f}"

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 140} {top + high + 50}" '
        f'width="{left + wide + 140}" role="img" aria-label="Accuracy on the validation set by maxscale">',
        "<style>text { font: 13px system-ui, sans-serif; fill: #1f2328 }</style>",
        f'<rect width="{left + wide + 140}" height="{top + high + 50}" fill="#ffffff"/>',
    ]
    for percent in range(0, 101, 20):
        y = top + high * (1 - percent / 100)
        lines.append(f'<path d="M{left} {y:.1f}h{wide}" stroke="#d1d9e0"/>')
        lines.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>')
    for maxscale in range(WIDTH):
        x = left + wide * maxscale / (WIDTH - 1)
        lines.append(f'<text x="{x:.1f}" y="{top + high + 18}" text-anchor="middle">{maxscale}</text>')
    lines.append(f'<text x="{left + wide / 2:.0f}" y="{top + high + 40}" text-anchor="middle">maxscale</text>')
    lines.append(f'<text x="{left - 40}" y="{top - 6}">% right</text>')
    for number, (name, right) in enumerate(curves.items()):
        colour, y = ("#0550ae", "#bc4c00")[number], top + 20 + 22 * number
        points = " ".join(at(maxscale, percent) for maxscale, percent in enumerate(right))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for point in points.split():
            x, _, height = point.partition(",")
            lines.append(f'<circle cx="{x}" cy="{height}" r="3" fill="{colour}"/>')
        lines.append(f'<path d="M{left + wide + 12} {y}h14" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{left + wide + 30}" y="{y + 4}">{name}</text>')
    return "\n".join([*lines, "</svg>\n"])


def hybrids(family: str) -> Callable[[Path | None], Values]:
    """A function that measures programs on an Arduino Mega whose 8-bit weights are converted to floats before each
    product.

    It returns ratios of cycles as geometric means over the models that fit: `times` to 16-bit fixed point, `floats` to
    floating point. `change` is the mean change of accuracy from floating point in points.

    family: the family of the models, such as `protonn`.
    """

    def measured(models: Path | None) -> Values:
        rows = by_parts(f"hybrids-{family}", names(family, SMALL), lambda name: _hybrid(name, models))
        fitting = [row for row in rows.values() if row]
        return {
            "times": round(mean(row["hybrid"] / row["fixed"] for row in fitting), 1),
            "floats": round(mean(row["hybrid"] / row["floats"] for row in fitting), 2),
            "change": round(sum(row["change"] for row in fitting) / len(fitting), 2),
            "count": len(fitting),
            "models": rows,
        }

    return measured


def _hybrid(name: str, models: Path | None) -> Values:
    """The cycles of a model with 8-bit weights converted to floats, in floating point and in fixed point; empty if one
    of the three programs does not fit.
    """
    formats = {
        "hybrid": ["--format", "f32", "--weights", "hybrid:8"],
        "floats": ["--format", "f32"],
        "fixed": ["--width", "16"],
    }
    with installed(POINT):
        found = {
            kind: measure(" ".join(["compile", name, *options, "--target", "mega"]), models)
            for kind, options in formats.items()
        }
    if any("error" in values for values in found.values()):
        return {}
    return {"change": found["hybrid"]["change"], **{kind: values["time"] for kind, values in found.items()}}


def by_math(models: Path | None) -> Values:
    """Cycles of ProtoNN on an MKR1000 with exp of `math.h`, divided by those with exp by a table.

    `seedot`: in 32 bits with SeeDot's tables. `ours`: with tinyml's tables. `seedot_16`, `ours_16`: in 16 bits.
    `_least` and `_most` are the extremes over the models.
    """
    values: Values = {}
    for width, suffix in ((32, ""), (16, "_16")):
        rows = by_parts(f"math-{width}", names("protonn", SMALL), lambda name, w=width: _by_math(name, w, models))
        for kind in ("seedot", "ours"):
            ratios = [row["math"] / row[kind] for row in rows.values()]
            found = {"": mean(ratios), "_least": min(ratios), "_most": max(ratios)}
            values |= {f"{kind}{suffix}{end}": round(ratio, 2) for end, ratio in found.items()}
        values |= {f"models{suffix}": rows, "count": len(rows)}
    return values


def _by_math(name: str, width: int, models: Path | None) -> Values:
    schemes = {"math": " --functions math", "seedot": " --functions seedot", "ours": ""}
    return {
        kind: measure(f"compile {name} --width {width} --target mkr1000{functions}", models)["core_cycles"]
        for kind, functions in schemes.items()
    }
