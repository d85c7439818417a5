"""The memories of a board as rows: name, size, kind, wait states, and who reads them.

`--memory` names some of them, with sizes and, where no row has any, wait states. A package adds the rows of its boards
by an entry point of the group `tinyml.memories`, whose name is a board and whose value is a sequence of `Memory`s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import cast

from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.dialects.plugins import MEMORIES as GROUP
from tinyml.dialects.plugins import Row
from tinyml.dialects.tables import Table
from tinyml.targets.board import SIZES, Board, bytes_of


class MemoryKind(Enum):
    """The kind of a memory, by its name in messages."""

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
    * read, write: the cycles of the core that a load and a store wait if no cache has the data; None if unpublished.
    * readers: the bus masters that reach the memory, the core first.
    * section: the section of the linker script of the board's usual software; None if it has none.
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
        """The macro of C that places a variable in this memory."""
        return f"TM_MEMORY_{self.name.upper()}"

    @property
    def own_section(self) -> str:
        """The section of variables in this memory. Without a rule of the linker script it is a part of `.bss`."""
        return f".bss.tinyml.{self.name}" if self.section is None else self.section


_TCM, _SRAM, _PSRAM = MemoryKind.TCM, MemoryKind.SRAM, MemoryKind.PSRAM
_M55_TCM = "Arm 101051, Cortex-M55 Technical Reference Manual (TCM without wait states)"
_M7_TCM = "Arm DDI 0489, Cortex-M7 Technical Reference Manual (TCM without wait states)"
_RT1062 = "NXP IMXRT1060RM, memory map; Teensyduino, imxrt1062_t41.ld"
_MISSES = "forum.pjrc.com, thread 73428 (a byte that misses the cache, at 600 MHz)"
_ESP32 = "ESP32 data sheet, memory map; arduino-esp32, boards.txt (RAM of a program)"

ROWS: Mapping[str, Sequence[Memory]] = {
    "teensy41": (
        Memory("dtcm", 512 << 10, _TCM, 0, 0, section="", source=f"{_RT1062}, less the program's code; {_M7_TCM}"),
        Memory("ocram", 512 << 10, _SRAM, section=".dmabuffers", source=_RT1062),
        Memory("psram", 8 << 20, _PSRAM, 300, 300, section=".externalram", source=f"PJRC, Teensy 4.1; {_MISSES}"),
        Memory("flash", 8126464, MemoryKind.CACHED_FLASH, 240, source=_MISSES),
    ),
    "portenta-h7": (
        Memory("dtcm", 128 << 10, _TCM, 0, 0, source=f"ST RM0399, 2.4 Embedded SRAM; {_M7_TCM}"),
        Memory("sram", 523624, _SRAM, section="", source="ST RM0399, 2.4 Embedded SRAM (AXI SRAM)"),
        Memory("sdram", 8 << 20, _PSRAM, source="Arduino ABX00042, Portenta H7 data sheet"),
    ),
    "pico2": (
        Memory("sram", 512 << 10, _SRAM, 0, 0, section="", source="RP2350 data sheet, 4.2 SRAM (one cycle)"),
        Memory("scratch", 4 << 10, _SRAM, 0, 0, section=".scratch_x.tinyml", source="RP2350 data sheet, 4.2 SRAM"),
    ),
    "esp32": (
        Memory("sram", 327680, _SRAM, 0, 0, section="", source=_ESP32),
        Memory("psram", 4 << 20, _PSRAM, section=".ext_ram.bss", source="ESP32 data sheet, 3.1.4 External RAM"),
    ),
    "cortex-m55": (
        Memory("dtcm", 448 << 10, _TCM, 0, 0, source=f"Arm DAI 0547, AN547, memory map; {_M55_TCM}"),
        Memory("sram", 2 << 20, _SRAM, section="", source="Arm DAI 0547, AN547, memory map"),
    ),
    "alif-ensemble-e7": (
        Memory("dtcm", 1 << 20, _TCM, 0, 0, section="", source=f"Zephyr, ensemble_rtss_hp.dtsi; {_M55_TCM}"),
        Memory("sram0", 4 << 20, _SRAM, source="Alif Ensemble E7 data sheet"),
    ),
    "stm32n6570-dk": (
        Memory("dtcm", 128 << 10, _TCM, 0, 0, source=f"ST RM0486, memory map; {_M55_TCM}"),
        Memory("sram", 4 << 20, _SRAM, section="", source="Zephyr, boards/st/stm32n6570_dk"),
    ),
}
"""The memories of boards by the names of the boards, those without wait states first."""

_ENTRY = re.compile(r"([a-z][a-z0-9_]*)=([0-9]+[KMkm]?)(?::([0-9]{1,6})/([0-9]{1,6}))?")
_SYNTAX = "NAME=SIZE or NAME=SIZE:READ/WRITE, such as dtcm=64K:0/0"

STACK, FLASH = "stack", "flash"
"""Names of `--memory` for the bytes of the stack, and for the wait states of constants."""


def _loaded(row: Row) -> Sequence[Memory]:
    rows = cast("Sequence[object]", row.load(Sequence))
    return [row.expect(memory, Memory) for memory in rows]


BOARDS = Table[Sequence[Memory]](GROUP, "board with memories", _loaded)
"""The rows that packages add, by the names of boards."""


def memories_of(board: Board) -> Sequence[Memory]:
    """The rows of a board, of tinyml or of a package; empty for a board without rows."""
    name = board.name if board.name in ROWS or board.name in BOARDS else board.name.rsplit("-", 2)[0]
    if name in ROWS:
        return ROWS[name]
    return BOARDS.get(name) if name in BOARDS else ()


@dataclass(frozen=True)
class Requested:
    """The memories that `--memory` states: the writable ones in the stated order, the flash, and bytes of stack."""

    memories: tuple[Memory, ...]
    flash: Memory
    stack: int = 0


def requested(text: str, board: Board) -> Requested:
    """Parse the value of `--memory` for a board. `board` stands for all rows of the board with known wait states.

    Raises `InputError` for another syntax, a name that occurs twice, a size beyond that of the row, and a memory whose
    wait states neither the text nor a row states.
    """
    rows = {row.name: row for row in memories_of(board)}
    if text == "board":
        if not rows:
            raise InputError(f"--memory: no memories of {board.name} are known: state them, as {_SYNTAX}")
        text = ",".join(f"{row.name}={row.size}" for row in rows.values() if row.read is not None)
    found: dict[str, Memory] = {}
    for entry in text.split(","):
        memory = _parsed(entry.strip(), rows, board)
        if memory.name in found:
            raise InputError(f"--memory: {memory.name} occurs twice")
        found[memory.name] = memory
    stack = found.pop(STACK, None)
    flash = found.pop(FLASH, rows.get(FLASH) or Memory(FLASH, board.flash or 1 << 32, MemoryKind.FLASH, 0, 0))
    memories = tuple(found.values())
    if not memories:
        raise InputError("--memory: no memory for buffers: state one, such as sram=256K:1/1")
    return Requested(memories, flash, 0 if stack is None else stack.size)


def _parsed(entry: str, rows: Mapping[str, Memory], board: Board) -> Memory:
    match = _ENTRY.fullmatch(entry)
    if match is None:
        raise InputError(f"--memory: expected {_SYNTAX}, got {entry!r}")
    name, size = match[1], bytes_of(match[2])
    if size is None:
        raise InputError(f"--memory: expected the size of {name} as {SIZES}, got {match[2]!r}")
    waits = None if match[3] is None else (int(match[3]), int(match[4]))
    if name == STACK:
        return Memory(name, size, _SRAM, 0, 0)
    if (row := rows.get(name)) is None:
        if waits is None:
            known = did_you_mean(name, rows) or (f"; {board.name} has {', '.join(rows)}" if rows else "")
            raise InputError(f"--memory: no wait states of {name} are known: write {name}={match[2]}:READ/WRITE{known}")
        kind = MemoryKind.FLASH if name == FLASH else _SRAM
        return Memory(name, size, kind, *waits)
    if row.kind.writable and size > row.size:
        raise InputError(f"--memory: {name} of {board.name} has {row.size} bytes, got {match[2]}")
    if waits is None and row.read is None:
        raise InputError(
            f"--memory: the wait states of {name} of {board.name} are not published: write {name}={match[2]}:READ/WRITE"
        )
    row = replace(row, size=size)
    return row if waits is None else replace(row, read=waits[0], write=waits[1])


def with_requested(board: Board, text: str) -> Board:
    """A board whose RAM is that of the stated memories, if they have more. Raises the errors of `requested`."""
    total = sum(memory.size for memory in requested(text, board).memories)
    return board if board.ram is None or total <= board.ram else replace(board, ram=total)
