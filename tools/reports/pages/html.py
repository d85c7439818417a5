"""Elements of pages: escaped text, tables, figures and sections, and the file around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from tinyml.tools.driver.packages.filled_templates import filled
from tinyml.tools.reports.pictures.svg import Drawing, picture_style

TEMPLATES = files("tinyml.tools.reports.pages") / "templates"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f"<p{_class(kind)}>{escape(text)}</p>"


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str, words: int = 1) -> str:
    """A table, the first cell of each row its heading. words: the columns of text at the left; the others are numbers.

    Cells that are None stay empty; floats are rounded to whole numbers.
    """
    head = "".join(f'<th scope="col"{_class("" if i < words else "n")}>{escape(h)}</th>' for i, h in enumerate(headings))
    body = "".join(f"<tr>{_cells(row, words)}</tr>" for row in rows)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}"><table><caption>{escape(caption)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(row: Sequence[object], words: int) -> str:
    cells = [f'<th scope="row">{escape(spelled(row[0]))}</th>']
    cells += [f"<td{_class('' if i < words else 'n')}>{escape(spelled(cell))}</td>" for i, cell in enumerate(row) if i]
    return "".join(cells)


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


def figure(picture: Drawing, caption: str) -> str:
    """A picture with what there is to see in it."""
    return (
        f'<figure><div class="wide" role="region" tabindex="0" aria-label="{escape(picture.title)}">'
        f"{picture.inline()}</div><figcaption>{escape(caption)}</figcaption></figure>"
    )


def details(summary: str, content: str) -> str:
    """Content that opens under a summary."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def section(name: str, heading: str, *content: str) -> str:
    """A section with a heading of the second level; `name` is its anchor."""
    parts = "\n".join(part for part in content if part)
    return f'<section id="{name}"><h2>{escape(heading)}</h2>\n{parts}\n</section>'


def page(title: str, content: str, *, heading: str | None = None, links: Sequence[tuple[str, str]] = ()) -> str:
    """The file of a page. links: anchor and text of each entry of its contents."""
    items = "".join(f'<li><a href="#{name}">{escape(text)}</a></li>' for name, text in links)
    words = {
        "title": escape(title),
        "heading": escape(heading or title),
        "style": (TEMPLATES / "page.css").read_text("utf-8") + picture_style(),
        "script": (TEMPLATES / "page.js").read_text("utf-8"),
        "links": f'<nav aria-label="Contents"><ul>{items}</ul></nav>' if items else "",
        "content": content,
    }
    return filled(TEMPLATES / "page.html.in", words)


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
