"""The table of boards in docs/boards.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tinyml.targets.board import Board, TimeSource
from tinyml.targets.registry import boards

SPELLED_SOURCES: Mapping[TimeSource, str] = {"simulated": "simulated", "published": "estimated", "least": "at least"}
"""Times of a board by their origin, in a word."""


def board_table() -> str:
    """A row for each board with memories of its own."""
    heads = (
        "target",
        "board",
        "core",
        "MHz",
        "flash, bytes",
        "RAM, bytes",
        "times",
        "not in them",
        "source of the figures",
    )
    lines = [
        heads,
        ("---",) * len(heads),
        *(row for board in boards() if board.flash is not None for row in _rows(board)),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _rows(board: Board) -> Iterator[tuple[str, ...]]:
    yield (
        ", ".join(f"`{name}`" for name in board.names),
        board.title,
        board.core,
        "-" if board.clock is None else f"{board.clock / 1e6:g}",
        f"{board.flash:,}",
        f"{board.ram:,}",
        "-" if board.time_source is None else SPELLED_SOURCES[board.time_source],
        board.waits or "-",
        board.source or "-",
    )
