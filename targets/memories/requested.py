"""The parser of the option `--memory`: names of memories, with their sizes and, where no row specifies them, wait
states.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.targets.board import SIZES, Board, bytes_of
from tinyml.targets.memories.rows import Memory, MemoryKind, memories_of

_ENTRY = re.compile(r"([a-z][a-z0-9_]*)=([0-9]+[KMkm]?)(?::([0-9]{1,6})/([0-9]{1,6}))?")
_SYNTAX = "NAME=SIZE or NAME=SIZE:READ/WRITE, such as dtcm=64K:0/0"

STACK, FLASH = "stack", "flash"
"""Names of `--memory` for the bytes of the stack, and for the wait states of constants."""


@dataclass(frozen=True)
class Requested:
    """The memories that `--memory` specifies: those for buffers, in order, then the flash, and the bytes of stack."""

    memories: tuple[Memory, ...]
    flash: Memory
    stack: int = 0


def requested(text: str, board: Board) -> Requested:
    """Parse the value of `--memory` for a board. The value `board` selects all memories of the board whose wait states
    are known.

    Raises `InputError` for invalid syntax, for a name that occurs twice, for a size beyond that of a writable memory of
    the board, for a memory whose wait states are specified neither in the text nor in a row, for wait states of the
    stack, for the value `board` if no memories of the board are known, and for a text without a memory for buffers.
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
        if waits is not None:
            raise InputError(f"--memory: the stack has the wait states of its memory: write stack={match[2]}")
        return Memory(name, size, MemoryKind.SRAM, 0, 0)
    if (row := rows.get(name)) is None:
        if waits is None:
            known = did_you_mean(name, rows) or (f"; {board.name} has {', '.join(rows)}" if rows else "")
            raise InputError(f"--memory: no wait states of {name} are known: write {name}={match[2]}:READ/WRITE{known}")
        kind = MemoryKind.FLASH if name == FLASH else MemoryKind.SRAM
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
    """The board, with its RAM enlarged to the total size of the memories for buffers that `text` specifies, if this
    size is greater. Raises the errors of `requested`.
    """
    total = sum(memory.size for memory in requested(text, board).memories)
    return board if board.ram is None or total <= board.ram else replace(board, ram=total)
