"""The place of a blob of weights: an address in flash, or a section of the linker."""

from __future__ import annotations

import re

from tinyml.targets.kernel_table import FarConstants
from tinyml.targets.registry import table_entries

NEAR = 1 << 16
"""The bytes that a pointer of a chip with a separate address space for constants reaches."""

_ADDRESS, _SECTION = re.compile(r"0x[0-9A-Fa-f]+|0|[1-9][0-9]*"), re.compile(r"[A-Za-z_.$][A-Za-z0-9_.$-]*")
"""The spellings of addresses in C, and the names of sections."""


def address_of(place: str) -> int | None:
    """The address that `place` spells; None for anything else, such as the name of a section."""
    return int(place, 0) if _ADDRESS.fullmatch(place) is not None else None


def is_section(place: str) -> bool:
    return _SECTION.fullmatch(place) is not None


def far_section(target: str) -> str | None:
    """The linker section of a board's far constants; None if a blob on this board cannot be far."""
    return next((far.section for far in table_entries(target, FarConstants)), None)
