"""The page of a program's levels, in columns whose lines are linked by their source operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from tinyml.tools.reports.pages.html import page, paragraph

LEVELS_PAGE = "levels.html"

EXPLANATION = (
    "Each column is a level. Lines that belong to the same operation of L2 light up together under the pointer; the "
    "first line of an operation is a link to the next level. From L2 on these links are the locations in the IR and, "
    "of assembly, those of the C compiler. An operation of L1 is linked to the one that writes its value's buffer, and "
    "one of L0 to the value of the same name."
)


@dataclass(frozen=True)
class LevelLine:
    """A line of text of a level.

    source: the operation or constant of L2 to which it belongs.
    cost: in the board's unit.
    """

    text: str
    source: str | None = None
    cost: float | None = None


@dataclass(frozen=True)
class ProgramLevel:
    """A level of a program, with its name and its lines in order."""

    name: str
    lines: Sequence[LevelLine]


def levels_page(name: str, unit: str, levels: Sequence[ProgramLevel]) -> str:
    """The text of the HTML page.

    unit: the unit of the costs shown next to lines of C and instructions.
    """
    sources = dict.fromkeys(line.source for level in levels for line in level.lines if line.source is not None)
    numbers = {source: number for number, source in enumerate(sources)}
    firsts = [{line.source for line in level.lines} for level in levels]
    columns = "".join(_column(i, level, numbers, firsts) for i, level in enumerate(levels))
    note = f"Beside C and assembly: {unit} of an inference, functions that are called included."
    content = f'{paragraph(EXPLANATION)}{paragraph(note)}<div class="levels">{columns}</div>'
    return page(f"{name}: levels", content, heading=f"The levels of {name}", extra="levels")


def _column(level: int, shown: ProgramLevel, numbers: Mapping[str, int], firsts: Sequence[set[str | None]]) -> str:
    seen: set[str] = set()
    lines: list[str] = []
    costs = any(line.cost is not None for line in shown.lines)
    for line in shown.lines:
        text = f"{_cost(line)}{escape(line.text)}" if costs else escape(line.text)
        if line.source is None:
            lines.append(f"<span>{text}</span>")
            continue
        number = numbers[line.source]
        if line.source in seen:
            lines.append(f'<span data-s="{number}">{text}</span>')
            continue
        seen.add(line.source)
        others = [*range(level + 1, len(firsts)), *range(level)]
        target = next((other for other in others if line.source in firsts[other]), level)
        lines.append(
            f'<a id="l{level}-{number}" data-s="{number}" href="#l{target}-{number}" '
            f'title="{escape(line.source)}">{text or " "}</a>'
        )
    return (
        f'<section><h2 id="level{level}">{escape(shown.name)}</h2>'
        f'<div class="code" role="region" tabindex="0" aria-labelledby="level{level}"><pre>{"".join(lines)}</pre></div>'
        "</section>"
    )


def _cost(line: LevelLine) -> str:
    return f"<b>{line.cost:,.0f}</b> " if line.cost else "<b></b> "
