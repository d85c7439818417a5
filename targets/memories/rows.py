"""The memories of a board as rows: name, size, kind, wait states, and the bus masters that can access them.

The rows of a board are in `memories.py` in the folder of its chip. A package adds the rows of its boards by an entry
point of the group `tinyml.memories`, whose name is a board and whose value is a sequence of `Memory`s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import cast

from tinyml.dialects.modules import is_installed
from tinyml.dialects.plugins import MEMORIES as GROUP
from tinyml.dialects.plugins import Row
from tinyml.dialects.tables import Table
from tinyml.targets.board import Board
from tinyml.targets.registry import chip_of


class MemoryKind(Enum):
    """The kind of a memory. The value of a member describes the kind to users."""

    TCM = "tightly coupled memory"
    SRAM = "SRAM"
    PSRAM = "external RAM"
    FLASH = "flash"
    CACHED_FLASH = "external flash behind a cache"

    @property
    def writable(self) -> bool:
        return self in (MemoryKind.TCM, MemoryKind.SRAM, MemoryKind.PSRAM)


@dataclass(frozen=True)
class Memory:
    """A memory of a board.

    * name: a name in C, lower case.
    * size: the bytes that a program may use.
    * kind: the kind of the memory.
    * read, write: the cycles that the core waits for a load and for a store if no cache contains the data; None if
      unpublished.
    * readers: the bus masters that can access the memory, the core first.
    * section: the section of the linker script of the board's usual software; None if there is none.
    * source: the publication of size and wait states.
    """

    name: str
    size: int
    kind: MemoryKind
    read: int | None = None
    write: int | None = None
    readers: tuple[str, ...] = ("core", "DMA")
    section: str | None = None
    source: str = ""

    @property
    def macro(self) -> str:
        """The name of the C macro that places a variable in this memory."""
        return f"TM_MEMORY_{self.name.upper()}"

    @property
    def own_section(self) -> str:
        """The name of the section that contains variables in this memory. If the linker script has no rule for it, it
        is a part of `.bss`.
        """
        return f".bss.tinyml.{self.name}" if self.section is None else self.section


def _loaded(row: Row) -> Sequence[Memory]:
    rows = cast("Sequence[object]", row.load(Sequence))
    return [row.expect(memory, Memory) for memory in rows]


BOARDS = Table[Sequence[Memory]](GROUP, "board with memories", _loaded)
"""The rows that packages add, by the names of boards."""


def memories_of(board: Board) -> Sequence[Memory]:
    """The memories of a board, in the order in which tinyml or a package declares them; empty for a board without rows.
    The rows of tinyml begin with the memory for which the core never waits.
    """
    built_in = rows_of_chip(chip_of(board.name).folder.name)
    name = board.name if board.name in built_in or board.name in BOARDS else board.name.rsplit("-", 2)[0]
    if name in built_in:
        return built_in[name]
    return BOARDS.get(name) if name in BOARDS else ()


def rows_of_chip(folder: str) -> Mapping[str, Sequence[Memory]]:
    """The memories of each board of a chip of tinyml, by the name of the board; empty if the extension with these
    memories is not installed.

    folder: the name of the chip's folder.
    """
    module = f"tinyml.targets.{folder}.memories"
    return cast("Mapping[str, Sequence[Memory]]", import_module(module).ROWS) if is_installed(module) else {}
