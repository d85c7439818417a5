"""A picture of loop nests: a frame for each loop around what it repeats, a bar for each kernel."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.tools.reports.facts.loop_nests import NestFacts
from tinyml.tools.reports.pictures.svg import COLOURS, Drawing, shortened

WIDTH, LINE, INDENT = 960, 20, 16
MOST = 120
"""The most lines; nests after them are counted only."""


def draw_loops(nests: Sequence[NestFacts]) -> Drawing:
    """The nests from top to bottom, each with the name of its operation."""
    shown: list[NestFacts] = []
    lines = 0
    for nest in nests:
        if shown and lines + _lines(nest) > MOST:
            break
        lines += _lines(nest)
        shown.append(nest)
    left = len(nests) - len(shown)
    height = sum(_height(nest) + 8 for nest in shown) + (24 if left else 4)
    picture = Drawing(WIDTH, height, "The loop nests of the program, in order")
    colours: dict[str, str] = {}
    y = 4.0
    for nest in shown:
        colour = colours.setdefault(nest.operation, COLOURS[len(colours) % len(COLOURS)])
        for row, name in enumerate(_names(nest)):
            picture.text(4, y + 14 + 14 * row, shortened(name, 46), "start")
        _draw(picture, nest, 270, y, WIDTH - 274, colour)
        y += _height(nest) + 8
    if left:
        picture.text(4, y + 12, f"and {left} nests more", "start")
    return picture


def _names(nest: NestFacts) -> Sequence[str]:
    """The operations in a nest, as many as there is room for."""
    names = list(dict.fromkeys(name for name in nest.operations if name))
    room = max(int(_height(nest) // 14), 1)
    return names if len(names) <= room else [*names[: room - 1], f"{len(names) - room + 1} more"]


def _draw(picture: Drawing, nest: NestFacts, x: float, y: float, width: float, colour: str) -> None:
    letters = int(width / 5.4)
    if nest.kind == "loop":
        turns = "" if nest.turns is None else f"  × {nest.turns:,}"
        picture.frame(x, y, width, _height(nest), tip=f"{nest.label}{turns}, of {nest.operation}")
        picture.text(x + 6, y + 14, shortened(f"{nest.label}{turns}", letters), "start")
        y += LINE
        for each in nest.inner:
            _draw(picture, each, x + INDENT, y, width - INDENT - 4, colour)
            y += _height(each) + 3
    elif nest.kind == "kernel":
        picture.rectangle(x, y, width, LINE - 2, fill=colour, tip=f"kernel {nest.label}")
        picture.text(x + 6, y + 12, shortened(nest.label, letters), "start", kind="on")
    else:
        picture.text(x + 6, y + 13, shortened(nest.label, letters), "start", kind="small")


def _height(nest: NestFacts) -> float:
    if nest.kind != "loop":
        return LINE - 2
    return LINE + sum(_height(each) + 3 for each in nest.inner) + 3


def _lines(nest: NestFacts) -> int:
    return 1 + sum(map(_lines, nest.inner))
