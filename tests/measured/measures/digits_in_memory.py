"""Stored figures of Gural and Murmann's network for digits: time and memory by plan, and the use of an Uno's RAM.

The tables of other pages show the commands' figures.
"""

from __future__ import annotations

from measured.measures.classifiers import FAMILIES, names
from measured.store import MEASURED, Values, read

PLANS = ("ordinary", "replace", "single-transpose", "herringbone", "rows", "pixels")
RAM = 2048


def by_plan() -> Values:
    """For each plan in `docs/schedules.md`, the milliseconds at 16 MHz and, under the key `{plan}_arena`, the bytes of
    the arena.
    """
    rows = {plan: _compiled(plan) for plan in PLANS}
    return {
        **{plan: row["time"] / 16e3 for plan, row in rows.items()},
        **{f"{plan}_arena": row["arena"] for plan, row in rows.items()},
    }


def loaded() -> Values:
    """The use of an Uno's RAM if the weights are in RAM and the network is streamed by pixels (`docs/memory.md`).

    `weights`, `activations`: their bytes. `ram`: all bytes, with Arduino's core and the greatest stack. `free`: the
        other bytes of the Uno.
    `herringbone`: `ram` with the arena and the stack of the plan `herringbone`.
    """
    board = read(MEASURED)["board gural-mnist10-4-bits --plan pixels"]
    pixels, herringbone = _compiled("pixels"), _compiled("herringbone")
    return {
        "weights": board["weights"], "activations": pixels["arena"], "ram": board["ram"], "free": RAM - board["ram"],
        "herringbone": board["ram"] + herringbone["ram"] - pixels["ram"],
    }  # fmt: skip


def beside_classifiers() -> Values:
    """The percentages of right answers of the published network in 4 bits on all images (`accuracy`), and of the
    classifiers of `docs/results.md` for ten digits in 8 bits, as extremes (`least`, `most`).
    """
    measured = read(MEASURED)
    others = [name for family in FAMILIES for name in names(family) if "mnist" in name and name.endswith("10")]
    right = [measured[f"compile {name} --width 8"]["accuracy"] for name in others]
    own = measured["digits cnn-gural-mnist10-4bit"]
    return {"accuracy": own["accuracy"], "images": own["images"], "least": min(right), "most": max(right)}


def _compiled(plan: str) -> Values:
    return read(MEASURED)[f"compile gural-mnist10-4-bits --reuse-input --pack-buffers --plan {plan}"]
