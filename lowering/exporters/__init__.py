"""Writers of programs in the file formats of other tools, in a table keyed by the names that `tinyml export` accepts.

A package adds its own exporters by entry points of the group `tinyml.exporters`, with a name and an `Exporter` as the
value. The name is also the suffix of the files, unless the exporter states another suffix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects.plugins import EXPORTERS as GROUP
from tinyml.dialects.plugins import Row
from tinyml.dialects.rows import rows_of
from tinyml.dialects.tables import Table

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

Exporter: TypeAlias = "Callable[[ModuleOp], bytes]"
"""A function from a program to a file's content. Raises `InputError` for ops that the format cannot represent."""


def _loaded(row: Row) -> Exporter:
    write = row.load_function("writes a program")
    return lambda module: row.expect(write(module), bytes)


EXPORTERS = Table(
    GROUP,
    "exporter",
    _loaded,
    home="tinyml.lowering.exporters",
    built_in=rows_of("exporters"),
)


def written_suffixes() -> tuple[str, ...]:
    return tuple(f".{suffix}" for row in EXPORTERS.rows().values() for suffix in row.names or (row.name,))
