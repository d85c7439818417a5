"""Parts of the report that other packages add, by entry points of the group `tinyml.reports`.

The name of the entry point is the heading of the section, with spaces for its hyphens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, cast

from tinyml.dialects.plugins import REPORTS as GROUP
from tinyml.dialects.plugins import PluginError, Row, each
from tinyml.dialects.tables import Table, check_hyphenated
from tinyml.tools.reports.report_views import Report

Content: TypeAlias = str | Sequence[Sequence[object]]
"""A paragraph, or a table: its headings, then its rows."""

Part: TypeAlias = Callable[[Report], Iterable[Content]]
"""A function from a report to the content of its part; None without content."""


def _loaded(row: Row) -> Part:
    write = row.load_function("writes a part of the report")

    def part(report: Report) -> Iterator[Content]:
        for content in cast("Iterable[object]", row.expect(write(report), Iterable)):
            if not isinstance(content, str):
                lines = cast("Sequence[Sequence[object]]", row.expect(content, Sequence))
                for line in lines:
                    row.expect(line, list, tuple)
                if len({len(line) for line in lines}) != 1:
                    raise PluginError(f"{row}: expected a table, whose rows are as long as its headings")
            yield cast(Content, content)

    return part


OURS = (Row("memories", "placed_memories:memories_part"),)
PARTS = Table[Part](
    GROUP, "part of the report", _loaded, home="tinyml.tools.reports", built_in=OURS, check=check_hyphenated
)


def parts_of(report: Report) -> Iterator[tuple[str, str, Sequence[Content]]]:
    """Yield the name, the heading and the content of each part that has content. Parts whose package fails are
    skipped.
    """

    def written(row: Row) -> tuple[str, str, Sequence[Content]]:
        with row.blamed():
            return row.name, row.name.replace("-", " ").capitalize(), list(PARTS.load(row)(report))

    rows = [row for row in PARTS.rows().values() if not row.is_built_in or row.name in report.memory]
    return (part for part in each(rows, written) if part[2])
