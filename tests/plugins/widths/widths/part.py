"""Where the bytes of a program go, as a part of the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import tinyml


def bytes_by_purpose(report: tinyml.Report) -> Iterable[str | Sequence[Sequence[object]]]:
    """A paragraph and a table, headings first."""
    yield f"The arena of {report.name}, beside all else."
    yield [["purpose", "bytes"], ["arena", report.ram_bytes.arena]]
