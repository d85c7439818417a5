"""Detectors of heads as `docs/networks.md` has them (MinUn, tables 3, 9 and 11; Shiftry, section 8.5)."""

from __future__ import annotations

from figures.pages import column_of
from figures.store import MEASURED, read

from papers.row import Values

TABLE = "networks-faces"

M4_COREMARK, M7_COREMARK = 3.40, 5.01
"""Arm's figures per megahertz, in which the second instruction that an M7 issues at a time counts."""

STM32H747 = 240e6
"""Hertz of MinUn's board."""


def detectors() -> Values:
    """The detectors of the table that have been measured, `b` and `c`.

    `seconds` estimates an inference on MinUn's M7 from the cycles of an M4.
    """
    measured, found = read(MEASURED), dict[str, Values]()
    for letter in "BC":
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
