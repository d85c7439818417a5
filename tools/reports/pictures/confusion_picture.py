"""A picture of confusion: the answers to samples of each class, on reals beside as compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tinyml.tools.reports.pictures.svg import Drawing, shortened

RIGHT, WRONG = "#66b05c", "#ee7f80"
SIDE, LABELS, TOP = 300, 80, 60
"""Pixels of a table's side, of the names of classes and above the tables."""


def draw_confusion(confusion: Mapping[str, Any]) -> Drawing:
    """Two tables, with a row for each class and a column for each answer; deeper colours are more samples of a row."""
    names: list[str] = confusion["classes"]
    title = "Answers to samples of each class, by the float model and as compiled"
    picture = Drawing(2 * (SIDE + LABELS) + 60, SIDE + TOP + 30, title)
    for i, (kind, heading) in enumerate((("float", "float model"), ("compiled", "compiled"))):
        _table(picture, LABELS + i * (SIDE + LABELS + 30), confusion[kind], names, heading)
    return picture


def _table(picture: Drawing, left: float, counts: Sequence[Sequence[int]], names: Sequence[str], heading: str) -> None:
    cell = SIDE / len(names)
    picture.text(left + SIDE / 2, 16, heading)
    for row, samples in enumerate(counts):
        total = sum(samples)
        if cell >= 9:
            picture.text(left - 5, TOP + (row + 0.5) * cell + 3, shortened(names[row], 14), "end", kind="small")
            if len(names[row]) * 5 < cell or row % (1 + int(len(names[row]) * 5 / cell)) == 0:
                picture.text(left + (row + 0.5) * cell, TOP - 6, shortened(names[row], 10), kind="small")
        for column, count in enumerate(samples):
            x, y = left + column * cell, TOP + row * cell
            tip = f"{names[row]} answered as {names[column]}: {count:,} of {total:,} samples"
            colour = RIGHT if row == column else WRONG
            share = count / total if total else 0.0
            if count:
                # Opaque paper below keeps black text readable.
                picture.rectangle(x, y, cell, cell, fill="#fff")
                deep = 0.25 + 0.75 * share
                picture.rectangle(x, y, cell, cell, fill=colour, tip=tip, opacity=deep)
                if cell >= 6 * len(str(count)):
                    picture.text(x + cell / 2, y + cell / 2 + 3, str(count), kind="on")
    picture.frame(left, TOP, SIDE, SIDE)
    picture.text(left + SIDE / 2, TOP + SIDE + 18, "answer (columns) to samples of a class (rows)", kind="small")
