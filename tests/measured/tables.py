"""The tables of the documentation that follow a `<!-- figures: NAME -->`. Their cells are written from `docs/figures/`.

The page lists the rows and columns of a table. The first cell of a row is its label. After `<!-- figures: NAME by N
-->` the label is the first N cells, joined by ` | `.

If the column's declaration in `TABLES` names a command that has been measured, a cell is formatted from the command's
figures. Other cells are those of `docs/figures/NAME.json`. A cell may contain several figures, separated by semicolons.
After `<!-- figures: NAME part N -->` the table shows only the Nth figure of each cell.
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from programs.paths import ROOT

from measured.columns import NAMES, TABLES
from measured.store import FOLDER, MEASURED, Figures, read

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_TABLE = re.compile(
    r"<!-- figures: (?P<name>[\w-]+)(?: by (?P<by>\d))?(?: part (?P<part>\d))? -->\n"
    r"\|(?P<headings>.*)\|\n\|[-|: ]+\|\n(?P<body>(?:\|.*\|\n)+)"
)


class MissingFigure(Exception):
    """Raised for a cell of a page for which no file in `docs/figures/` has a figure."""


@dataclass(frozen=True)
class Table:
    """A table of a page: the heading of each column of figures, and the cells of each row by the row's label.

    part: for cells of several figures, the number of the figure to show, from 1; None for all figures.
    """

    name: str
    part: int | None
    headings: list[str]
    rows: dict[str, list[str]]

    @classmethod
    def matched(cls, table: re.Match[str]) -> Table:
        by = int(table["by"] or 1)
        rows = [_cells(row[1:-1]) for row in table["body"].splitlines()]
        labelled = {" | ".join(row[:by]): row[by:] for row in rows}
        assert len(labelled) == len(rows), f"{table['name']}: two rows of one label"
        return cls(table["name"], int(table["part"] or 0) or None, _cells(table["headings"])[by:], labelled)

    def renewed(self, measured: Figures) -> Iterator[str]:
        """Yield each row of the table as a line of Markdown. Each cell contains its figure from `measured` or,
        if the figure is not measured, from the table's file in `docs/figures/`.
        """
        taken = read(FOLDER / f"{self.name}.json")
        for label in self.rows:
            cells = [
                self._part(self._cell(label, heading, taken.get(label, {}), measured)) for heading in self.headings
            ]
            yield f"| {' | '.join([label, *cells])} |\n".replace("|  |", "| |").replace("|  |", "| |")

    def _part(self, cell: str) -> str:
        """The figure in a cell that the table shows: number `part`, or the whole cell if `part` is None or the cell has
        one figure.
        """
        figures = cell.split("; ")
        return cell if self.part is None or len(figures) == 1 else figures[self.part - 1]

    def _cell(self, label: str, heading: str, taken: Mapping[str, str], measured: Figures) -> str:
        command, cell = column_of(self.name, heading, label)
        if has_figures(command, measured):
            return Cells().vformat(cell, (), measured[command])
        if heading in taken:
            return taken[heading]
        if command in measured:
            return "does not fit" if "does not fit" in measured[command]["error"] else "-"
        raise MissingFigure(f"{self.name}: '{heading}' of '{label}' is neither measured nor in {self.name}.json")


class Cells(string.Formatter):
    """A formatter for format strings with the fields `{name}`, `{name.name}` and `{name/name}`, the ratio of two
    measured values.

    Numbers have commas between thousands. The specification `:k` prints thousands and `:M` millions, with three
    significant digits; `:M4` prints millions with four. All digits before the point are printed. The specification
    `:yes` prints `yes` for a true value and nothing for a false one. Other specifications are Python's.
    """

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        if "/" in field_name:
            dividend, divisor = (kwargs[name] for name in field_name.split("/"))
            return dividend / divisor, field_name
        value = kwargs
        for name in field_name.split("."):
            if name not in value:
                raise MissingFigure(f"nothing measured is named '{field_name}'")
            value = value[name]
        return value, field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "yes":
            return "yes" if value else ""
        if scaled := re.fullmatch(r"([kM])(\d?)", format_spec):
            number, digits = value / {"k": 1e3, "M": 1e6}[scaled[1]], int(scaled[2] or 3)
            return f"{number:,.0f}" if number >= 10 ** (digits - 1) else f"{number:#.{digits}g}"
        return format(value, format_spec or ",.0f")


def tables(page: str) -> list[Table]:
    """The tables of a page whose cells are figures."""
    return [Table.matched(table) for table in _TABLE.finditer(page)]


def shown(name: str) -> dict[str, dict[str, str]]:
    """The cells of a table as its page shows them, by the label of the row and the heading of the column."""
    [table] = [one for page in PAGES for one in tables(page.read_text(encoding="utf-8")) if one.name == name]
    return {label: dict(zip(table.headings, cells, strict=True)) for label, cells in table.rows.items()}


def renewed(page: str) -> str:
    """The text of a page with current cells from `docs/figures/`; raises `MissingFigure` for a cell without figure."""
    measured = read(MEASURED)

    def again(table: re.Match[str]) -> str:
        return table[0].removesuffix(table["body"]) + "".join(Table.matched(table).renewed(measured))

    return _TABLE.sub(again, page)


def rewrite(pages: Iterable[Path], renewed: Callable[[str], str]) -> int:
    """Write pages again; return the number of pages with missing figures, which are unchanged.

    renewed: returns the new text of a page.
    """
    missing = 0
    for page in pages:
        before = page.read_text(encoding="utf-8")
        try:
            after = renewed(before)
        except MissingFigure as error:
            print(f"error: {page.name}: {error}", file=sys.stderr)
            missing += 1
            continue
        if after != before:
            page.write_text(after, encoding="utf-8")
    return missing


def column_of(table: str, heading: str, label: str) -> tuple[str, str]:
    """The command and the cell format of a column for the row of a label; both are empty for a column that is not
    measured.

    table: the name of the table.
    heading: the heading of the column.
    label: the label of the row.
    """
    command, cell = (part.replace("{row}", name_of(label)) for part in TABLES.get(table, {}).get(heading, ("", "")))
    return command, cell


def has_figures(command: str, measured: Figures) -> bool:
    """Whether a command has been measured and its program was not rejected."""
    return command in measured and "error" not in measured[command]


def name_of(label: str) -> str:
    """The model of a row as commands name it, with the options that the row adds."""
    plain = re.sub(r" \([^()]*\)$", "", label).replace("`", "")
    return NAMES.get(plain, plain)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.split("|")]
