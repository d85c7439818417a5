"""The searches of the papers, compared on a model, and promotion within a third of the RAM of floating point."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path
from statistics import fmean

from measured.commands import Unmeasured, measure
from measured.measures.classifiers import FAMILIES, names
from measured.store import MEASURED, Values, read
from tinyml.tools.driver.compare_searches import compare_searches

ARITHMETICS = ("shiftry", "seedot:shiftry", "fixed")
"""Products of twice the width of operands, of their width, and tinyml's fixed point."""

ANSWERS = {
    "narrow": ("seedot:shiftry", "8"),
    "wide": ("shiftry", "8"),
    "demotion": ("shiftry", "demote"),
    "promotion": ("shiftry", "promote"),
    "ours": ("fixed", "8"),
    "ours_demotion": ("fixed", "demote"),
    "ours_promotion": ("fixed", "promote"),
    "ours_pareto": ("fixed", "pareto"),
}
"""The arithmetic of each figure, and its search or width."""

LESS = 2.9
"""The least factor by which MinUn's programs need less RAM than those in floating point."""


def searches(model: Path) -> Values:
    """The accuracies of a model on the test set by `tinyml bench --searches`, in percent, under the keys of `ANSWERS`.

    `bytes`: the arena and input of the program that demotion finds in Shiftry's arithmetic.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        file = Path(folder, "rows.json")
        compare_searches([model], ARITHMETICS, file, {way for _, way in ANSWERS.values()})
        rows = {row["arithmetic"]: row for row in json.loads(file.read_text()) if row["model"] == model.name}
    return {
        "float": rows["shiftry"]["float"],
        "bytes": rows["shiftry"]["demote"]["memory"],
        **{name: rows[arithmetic][way]["accuracy"] for name, (arithmetic, way) in ANSWERS.items()},
    }


def mean_changes(family: str) -> Values:
    """The mean changes of accuracy from floating point in the figures of `searches`, in points.

    family: a family of the models of `docs/results.md`, or `all`.

    Raises `Unmeasured` unless all models of the family are measured.
    """
    every = [name for each in ([*FAMILIES] if family == "all" else [family.lower()]) for name in names(each)]
    measured = read(MEASURED)
    if missing := [name for name in every if f"searches {name}" not in measured]:
        raise Unmeasured(f"'searches {missing[0]}' is not measured")
    found = [measured[f"searches {name}"] for name in every]
    return {name: round(fmean(each[name] - each["float"] for each in found), 4) + 0.0 for name in ANSWERS}


def within_a_third(model: Path) -> Values:
    """The figures of a program that promotion finds within 1/2.9 of the RAM of the program in floating point, with
    arena, input and stack.

    `f32`: the RAM in floating point. `ratio`: the factor by which the program needs less.
    """
    f32 = measure(f"bench {model.name} --format f32", model.parent)["ram"]
    search = f"--search promote --ram {int(f32 / LESS)} --formats posit,affine --metric margin --pack-buffers"
    found = measure(f"compile {model.name} {search}", model.parent)
    return {"f32": f32, "ratio": round(f32 / found["ram"], 2), **found}


def within_8_bits(model: Path, search: str) -> Values:
    """The figures of the program in fixed point that a search finds within the RAM of the program in 8 bits, with
    arena, input and stack; for `pareto`, also within its flash.
    """
    limit = measure(f"compile {model.name} --width 8", model.parent)
    flash = f" --flash {limit['flash']}" if search == "pareto" else ""
    return measure(f"compile {model.name} --format fixed --search {search} --ram {limit['ram']}{flash}", model.parent)
