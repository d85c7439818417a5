"""Elements of pages: escaped text, tables, figures and sections, the file around them, and its display."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from tinyml.tools.driver.packages.filled_templates import filled
from tinyml.tools.reports.svg import Drawing, picture_style

TEMPLATES = files("tinyml.tools.reports.pages") / "templates"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f"<p{_class(kind)}>{escape(text)}</p>"


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str) -> str:
    """A table, the first cell of each row its heading; columns of numbers are aligned at the right.

    Cells that are None stay empty; floats are rounded to whole numbers.
    """
    rows = [*rows]
    kinds = ["n" if i and all(_is_number(row[i]) for row in rows) else "" for i in range(len(headings))]
    head = "".join(
        f'<th scope="col"{_class(kind)}>{escape(text)}</th>' for text, kind in zip(headings, kinds, strict=True)
    )
    body = "".join(f"<tr>{_cells(row, kinds)}</tr>" for row in rows)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}"><table><caption>{escape(caption)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(row: Sequence[object], kinds: Sequence[str]) -> str:
    cells = [f"<td{_class(kind)}>{escape(spelled(cell))}</td>" for cell, kind in zip(row, kinds, strict=True)]
    cells[0] = f'<th scope="row">{escape(spelled(row[0]))}</th>'
    return "".join(cells)


def _is_number(cell: object) -> bool:
    if not isinstance(cell, str):
        return not isinstance(cell, bool)
    return not cell or cell.replace(",", "").removeprefix("-").replace(".", "", 1).replace("e-", "").isdigit()


def spelled(cell: object) -> str:
    """The text of a cell."""
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
    """A picture with its caption. of: the program, on a page about several."""
    label = f"{of}: {picture.title}" if of else picture.title
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        f'<figure><div class="wide" role="region" tabindex="0" aria-label="{escape(label)}">'
        f"{picture.inline()}</div>{below}</figure>"
    )


def details(summary: str, content: str) -> str:
    """Content that opens under a summary."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def section(name: str, heading: str, *content: str) -> str:
    """A section with a heading of the second level; `name` is its anchor."""
    parts = "\n".join(part for part in content if part)
    return f'<section id="{name}"><h2>{escape(heading)}</h2>\n{parts}\n</section>'


def page(
    title: str, content: str, *, heading: str | None = None, links: Sequence[tuple[str, str]] = (), extra: str = ""
) -> str:
    """The file of a page.

    links: anchor and text of each entry of its contents. extra: the name of a style sheet and script of its own.
    """
    items = "".join(f'<li><a href="#{name}">{escape(text)}</a></li>' for name, text in links)
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


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def show(page: Path) -> None:
    """Print the path of a page and, if standard output is a terminal, open it in the browser."""
    print(page)
    if sys.stdout.isatty():
        webbrowser.open(page.resolve().as_uri())
