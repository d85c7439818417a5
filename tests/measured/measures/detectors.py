"""Detectors of heads as `docs/networks.md` has them (MinUn, tables 3, 9 and 11; Shiftry, section 8.5)."""

from __future__ import annotations

import tempfile
from pathlib import Path

from programs.face_results import compiled

from measured.commands import model_path
from measured.store import MEASURED, Values, by_parts, read
from measured.tables import column_of

TABLE = "networks-faces"

M4_COREMARK, M7_COREMARK = 3.40, 5.01
"""Arm's figures per megahertz, in which the second instruction that an M7 issues at a time counts."""

STM32H747 = 240e6
"""Hertz of MinUn's board."""


EVERYWHERE = {"fixed": "fixed", "posits": "posit", "zero-skew": "affine"}
"""Formats of 8 bits by their names in MinUn's table 8."""


def everywhere(models: Path | None) -> Values:
    """The average precision of Face-C with 8 bits everywhere, by format, and in floats.

    By the evaluator's outputs, which those of the host's program for a picture equal.
    """
    rows = by_parts("face-c-8-bits", list(EVERYWHERE), lambda name: _face_c(models, "--format", EVERYWHERE[name]))
    return {name: row["average_precision"] for name, row in rows.items()} | {"float": rows["fixed"]["float"]}


def demoted(models: Path | None) -> Values:
    """The average precision of Face-C in Shiftry's arithmetic and by its search, in floats, and bytes of its arena.

    In the memory that MinUn's program takes.
    """
    options = "--format", "shiftry", "--search", "demote", "--widths", "8,16", "--ram", "185000", "--metric", "error"
    return by_parts("face-c-demoted", ["demotion"], lambda _: _face_c(models, *options))["demotion"]


def _face_c(models: Path | None, *options: str) -> Values:
    folder, width = model_path("rnnpool-face", models), () if "--search" in options else ("--width", "8")
    with tempfile.TemporaryDirectory() as out:
        found = compiled("face-c", folder, Path(out), [*options, *width], board="host")
    return {"arena": found["ram_bytes"]["arena"], **{name: found[name] for name in ("average_precision", "float")}}


def detectors() -> Values:
    """The detectors of the table that have been measured, `a`, `b` and `c`.

    `seconds` estimates an inference on MinUn's M7 from the cycles of an M4.
    """
    measured, found = read(MEASURED), dict[str, Values]()
    for letter in "ABC":
        command, _ = column_of(TABLE, "compiled", f"Face-{letter} | 8 and 16")
        if values := measured.get(command):
            seconds = values["core_cycles"] * M4_COREMARK / M7_COREMARK / STM32H747
            found[letter.lower()] = {**values, "seconds": seconds}
    return found


def keeps(found: Values, ram: dict[str, int]) -> bool:
    """True if detectors keep limits on RAM in bytes, and lose at most 3 points of average precision."""
    return all(
        found[letter]["ram"] <= limit and found[letter]["average_precision"] >= found[letter]["float"] - 0.03
        for letter, limit in ram.items()
    )
