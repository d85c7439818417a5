"""Elements of HTML pages: escaped text, tables, figures and sections, the complete file, and its display in a
browser.
"""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from tinyml.tools.cli.filled_templates import filled
from tinyml.tools.reports.svg import Drawing, picture_style

TEMPLATES = files("tinyml.tools.reports.pages") / "templates"


LONG_COLUMN = 24
"""The length in characters from which a text column has a minimum width, so that the table scrolls instead."""


class Cell(NamedTuple):
    """A cell of a table, with a class of the style sheet such as `good` or `bad`."""

    text: str
    kind: str


def paragraph(text: str, kind: str = "") -> str:
    """An HTML paragraph of plain text, with the classes `kind` of the style sheet."""
    return f"<p{marked(kind)}>{escape(text)}</p>"


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str, ir: Sequence[str] = ()) -> str:
    """An HTML table. The first cell of each row is the row's heading; columns of numbers are right-aligned.

    Cells that are None are empty; floats are rounded to whole numbers.

    ir: the headings of columns that are shown only with the terms of the IR.
    caption: the caption, which screen readers also announce as the name of the region.
    """
    rows = [*rows]
    kinds = [_kind([row[i] for row in rows], first=i == 0) for i in range(len(headings))]
    kinds = [f"{kind} ir".lstrip() if name in ir else kind for kind, name in zip(kinds, headings, strict=True)]
    head = "".join(
        f'<th scope="col"{marked(kind)}>{escape(text)}</th>' for text, kind in zip(headings, kinds, strict=True)
    )
    body = "".join(f"<tr>{_cells(row, kinds)}</tr>" for row in rows)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}"><table><caption>{escape(caption)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _kind(cells: Sequence[object], *, first: bool) -> str:
    """The style class of a column: `n` for numbers, `t` for texts that would become tall on a narrow screen, otherwise
    an empty text.

    first: true for the first column, whose cells are headings.
    """
    if not first and all(map(_is_number, cells)):
        return "n"
    return "t" if max((len(spelled(cell)) for cell in cells), default=0) > LONG_COLUMN else ""


def _cells(row: Sequence[object], kinds: Sequence[str]) -> str:
    given = [
        (cell.text, f"{kind} {cell.kind}") if isinstance(cell, Cell) else (cell, kind)
        for cell, kind in zip(row, kinds, strict=True)
    ]
    cells = [f"<td{marked(kind)}>{escape(spelled(cell))}</td>" for cell, kind in given]
    cells[0] = f'<th scope="row"{marked(kinds[0])}>{escape(spelled(row[0]))}</th>'
    return "".join(cells)


def _is_number(cell: object) -> bool:
    if isinstance(cell, Cell):
        return _is_number(cell.text)
    if not isinstance(cell, str):
        return not isinstance(cell, bool)
    return not cell or cell.replace(",", "").lstrip("+-").replace(".", "", 1).replace("e-", "").isdigit()


def spelled(cell: object) -> str:
    """The text of a table cell: empty for None, `yes` or `no` for a bool, and a number rounded to an integer."""
    match cell:
        case None:
            return ""
        case bool():
            return "yes" if cell else "no"
        case int() | float():
            return f"{cell:,.0f}"
        case _:
            return str(cell)


def figure(picture: Drawing, caption: str, *, of: str = "") -> str:
    """A picture with its caption.

    of: the name of the program, on a page about several programs.
    """
    label = f"{of}: {picture.title}" if of else picture.title
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        f'<figure><div class="wide" role="region" tabindex="0" aria-label="{escape(label)}">'
        f"{picture.inline()}</div>{below}</figure>"
    )


def details(summary: str, content: str) -> str:
    """Content that the user expands by a click on the summary."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def section(name: str, heading: str, *content: str, kind: str = "") -> str:
    """A section with a heading of the second level; empty parts of its content are omitted.

    name: the anchor.
    content: HTML.
    kind: a class of the style sheet.
    """
    parts = "\n".join(part for part in content if part)
    return f'<section id="{name}"{marked(kind)}><h2>{escape(heading)}</h2>\n{parts}\n</section>'


IR_SWITCH = '<label class="switch"><input type="checkbox" id="terms"> show the terms of the IR</label>'
"""The switch that shows content of the class `ir`."""


def page(
    title: str, content: str, *, heading: str | None = None, links: Sequence[Sequence[str]] = (), extra: str = ""
) -> str:
    """The complete HTML file of a page.

    heading: the first heading, by default the title.
    links: anchor, text and optional class of each entry of the table of contents.
    extra: the name of an additional style sheet and script.
    """
    items = "".join(
        f'<li{marked(" ".join(kinds))}><a href="#{name}">{escape(text)}</a></li>' for name, text, *kinds in links
    )
    names = ("page", extra) if extra else ("page",)
    words = {
        "title": escape(title),
        "heading": escape(heading or title),
        "style": "".join((TEMPLATES / f"{name}.css").read_text("utf-8") for name in names) + picture_style(),
        "script": "".join((TEMPLATES / f"{name}.js").read_text("utf-8") for name in names),
        "links": f'<nav aria-label="Contents"><ul>{items}</ul></nav>' if items else "",
        "content": content,
    }
    return filled(TEMPLATES / "page.html.in", words)


def marked(kind: str) -> str:
    """The `class` attribute of an element; empty without classes."""
    return f' class="{kind}"' if kind else ""


def show(page: Path) -> None:
    """Print the path of a page and, if standard output is a terminal, open it in the browser."""
    print(page)
    if sys.stdout.isatty():
        webbrowser.open(page.resolve().as_uri())
