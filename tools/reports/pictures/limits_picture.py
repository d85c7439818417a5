"""A picture of flash and RAM that a program takes, beside what boards have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.tools.reports.pictures.svg import COLOURS, Drawing, shortened

WIDTH, ROW = 960, 22
PANELS = (230, 570), (610, 950)
"""The left and right ends of the bars of flash and of RAM, in pixels."""
TOO_MUCH = "#ee7f80"


@dataclass(frozen=True)
class BoardLimits:
    """The flash and RAM of a board, in bytes, and of a program on it, None where that is not known.

    least: true if these are the least that the program takes on this core, since it was not compiled for it.
    """

    name: str
    flash: int
    ram: int
    taken_flash: int | None
    taken_ram: int | None
    least: bool

    @property
    def fits(self) -> bool | None:
        """True or false where that is known."""
        if (self.taken_flash or 0) > self.flash or (self.taken_ram or 0) > self.ram:
            return False
        return None if self.least or self.taken_flash is None or self.taken_ram is None else True


def draw_limits(boards: Sequence[BoardLimits], title: str) -> Drawing:
    """A row for each board, the bars of which end where its memory does."""
    picture = Drawing(WIDTH, ROW * len(boards) + 26, title)
    for (left, _), text in zip(PANELS, ("flash", "RAM"), strict=True):
        picture.text(left, 14, f"{text}, share of the board's", "start")
    for row, board in enumerate(boards):
        y = 22 + row * ROW
        picture.text(4, y + 15, shortened(board.name, 36), "start")
        for (left, right), limit, taken in zip(
            PANELS, (board.flash, board.ram), (board.taken_flash, board.taken_ram), strict=True
        ):
            if taken is not None:
                share = taken / limit
                least = "at least " if board.least else ""
                text = f"{least}{taken:,} of {limit:,}, {100 * share:.0f} %"
                colour = COLOURS[0] if share <= 1 else TOO_MUCH
                picture.rectangle(
                    left, y + 3, (right - left) * min(share, 1), ROW - 6, fill=colour, tip=f"{board.name}: {text}"
                )
                picture.text(right - 6, y + 15, text, "end", kind="small")
            picture.frame(left, y + 3, right - left, ROW - 6)
    return picture
