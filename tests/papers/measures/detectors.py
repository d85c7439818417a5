"""Detectors of heads as `docs/networks.md` has them (MinUn, tables 3, 9 and 11; Shiftry, section 8.5)."""

from __future__ import annotations

from collections.abc import Callable

from figures.pages import column_of
from figures.store import MEASURED, read

from papers.row import Values

TABLE = "networks-faces"

M4_COREMARK, M7_COREMARK = 3.40, 5.01
"""Arm's figures per megahertz, in which the second instruction that an M7 issues at a time counts."""

STM32H747 = 240e6
"""Hertz of MinUn's board."""


def detector(label: str) -> Callable[[], Values]:
    """Summarises a row of the table; `seconds` estimates an inference on MinUn's M7 from the cycles of an M4."""

    def summary() -> Values:
        command, _ = column_of(TABLE, "compiled", label)
        values = read(MEASURED).get(command, {})
        if "core_cycles" not in values:
            return {}
        return {**values, "seconds": values["core_cycles"] * M4_COREMARK / M7_COREMARK / STM32H747}

    return summary
