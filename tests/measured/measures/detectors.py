"""Head detectors, with figures that `docs/networks.md` shows (MinUn, tables 3, 9 and 11; Shiftry, section 8.5)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
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


SEARCHED = 2
"""Pictures on which widths of posits are searched: a program in posits takes seconds for each."""

POSITS_RAM = {"face-c": 203_000, "face-b": 192_000, "face-a": 197_000}
"""Bytes of MinUn's programs in posits (table 3)."""

EVERYWHERE = {"fixed": "fixed", "posits": "posit", "zero-skew": "affine"}
"""Formats of 8 bits by their names in MinUn's table 8."""


def everywhere(models: Path | None) -> Values:
    """The average precision of Face-C by format with all values in 8 bits, and in floating point.

    It is computed from the evaluator's outputs. The host's program must compute equal outputs for one picture.
    """
    rows = by_parts(
        "face-c-8-bits",
        list(EVERYWHERE),
        lambda name: _on_host("face-c", models, ["--format", EVERYWHERE[name], "--width", "8"]),
    )
    return {name: row["average_precision"] for name, row in rows.items()} | {"float": rows["fixed"]["float"]}


def under_both_limits(models: Path | None) -> Values:
    """The figures of Face-A with all values in 8 bits on a Cortex-M4: bytes of RAM and flash, and average precisions.

    RAM includes image and stack. Formats have the names of MinUn's table 8: fixed point and zero-skew.
    """
    folder, board = model_path("rnnpool-face", models), "cortex-m4"

    def measured(name: str) -> Values:
        with tempfile.TemporaryDirectory() as out:
            options = ["--format", EVERYWHERE[name], "--width", "8"]
            found = compiled("face-a", folder, Path(out), options, board)
        precisions = {key: round(found[key], 6) for key in ("average_precision", "float")}
        return {"ram": found["ram_bytes"]["total"], "flash": found["flash_bytes"], **precisions}

    return by_parts("face-a-8-bits", ["zero-skew", "fixed"], measured)


def demoted(ram: int) -> Callable[[Path | None], Values]:
    """A function that measures Face-C in Shiftry's arithmetic after Shiftry's search within `ram` bytes.

    It returns the average precisions of the program and in floating point, and the bytes of the arena.
    """

    def measured(models: Path | None) -> Values:
        options = _searched("shiftry", "demote", ram)
        return by_parts("face-c-demoted", [str(ram)], lambda _: _on_host("face-c", models, options))[str(ram)]

    return measured


def in_posits(models: Path | None) -> Values:
    """The average precisions and arena bytes of the detectors `a`, `b` and `c` in posits of 8 and 16 bits, assigned by
    MinUn's search Haunter.
    """
    rows = by_parts(
        "faces-in-posits",
        list(POSITS_RAM),
        lambda name: _on_host(name, models, _searched("posit", "promote", POSITS_RAM[name]), SEARCHED),
    )
    return {name[-1]: row for name, row in rows.items()}


def in_ten_and_twelve_bits(models: Path | None) -> Values:
    """The average precision and arena bytes of Face-B in posits of 10 and 12 bits, packed to the bit."""
    options = [*_searched("posit", "promote", POSITS_RAM["face-b"], "10,12"), "--pack-buffers"]
    rows = by_parts("faces-in-10-and-12-bits", ["face-b"], lambda name: _on_host(name, models, options, SEARCHED))
    return rows["face-b"]


def _searched(format: str, search: str, ram: int, widths: str = "8,16") -> list[str]:
    return ["--format", format, "--search", search, "--widths", widths, "--ram", str(ram), "--metric", "error"]


def _on_host(name: str, models: Path | None, options: Sequence[str], searched: int | None = None) -> Values:
    """The figures of a detector on the host: bytes of the arena and of constants, and average precisions in its formats
    and in floating point.

    options: the options of `tinyml compile`.
    searched: as in `face_results.write_detector`.
    """
    with tempfile.TemporaryDirectory() as out:
        found = compiled(name, model_path("rnnpool-face", models), Path(out), options, "host", searched)
    return {
        "arena": found["ram_bytes"]["arena"],
        "constants": found["constants_bytes"],
        **{key: round(found[key], 6) for key in ("average_precision", "float")},
    }


def detectors() -> Values:
    """The figures of the detectors `a`, `b` and `c` of the table that have been measured.

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
    """Whether detectors need at most the given RAM in bytes and lose at most 3 points of average precision.

    found: the figures by the letter of the detector.
    ram: the limits in bytes by the same letters.
    """
    return all(
        found[letter]["ram"] <= limit and found[letter]["average_precision"] >= found[letter]["float"] - 0.03
        for letter, limit in ram.items()
    )
