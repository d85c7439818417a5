"""Tables of named contributions: tinyml's rows in their order, then those of other packages.

A room declares the table of a kind with its own rows, and the function that loads a row. Everything else follows: the
names for help texts and suggestions, the installed rows, and the skipped ones with reasons.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.extensions import needs, part_of
from tinyml.dialects.plugins import PluginError, Row, each, plugins

T = TypeVar("T")


def check_hyphenated(row: Row) -> None:
    """Raise `PluginError` for a name that does not consist of lower-case words and digits, joined by hyphens."""
    if re.fullmatch("[a-z][a-z0-9-]*", row.name) is None:
        raise PluginError(f"{row}: expected a name of small letters, digits and -")


class Table(Generic[T]):
    """The contributions of a kind by name; only requested ones are imported.

    group: the group of entry points by which other packages add rows, None if they cannot. what: the singular of the
    kind, for messages. load: loads a row; raises `PluginError` for a plug-in of another type. home: the package that
    contains the modules of tinyml's rows. ours: tinyml's rows, installed or not. check: raises `PluginError` for an
    invalid name of a plug-in.
    """

    def __init__(
        self,
        group: str | None,
        what: str,
        load: Callable[[Row], T],
        *,
        home: str = "",
        ours: Iterable[Row] = (),
        check: Callable[[Row], None] | None = None,
    ) -> None:
        self.group, self.what, self.load, self._check = group, what, load, check
        self.ours: Mapping[str, Row] = {
            row.name: replace(row, value=f"{home}.{row.value}", group=group or "") for row in ours
        }

    def __contains__(self, name: str) -> bool:
        """True for a name of tinyml, installed or not, and for one of another package."""
        return name in self.ours or name in self.rows()

    def rows(self) -> Mapping[str, Row]:
        """The installed rows, by name."""
        return {row.name: row for row in (*self._installed(), *self.others())}

    def others(self) -> Iterator[Row]:
        """Yield the rows of other packages; rows with invalid names are skipped."""
        taken = {row.name for row in self._installed()}

        def checked(row: Row) -> Row:
            if self._check is not None:
                self._check(row)
            if row.name in taken:
                raise PluginError(f"{row}: a {self.what} '{row.name}' already exists")
            taken.add(row.name)
            return row

        return each(plugins(self.group) if self.group else (), checked)

    def _installed(self) -> Sequence[Row]:
        return [row for row in self.ours.values() if row.is_installed]

    def names(self) -> tuple[str, ...]:
        """The installed names, those of other packages last."""
        return tuple(self.rows())

    def listed(self) -> str:
        """The names with their lines, for the help text of an option, in which `%` is doubled."""
        return ", ".join(f"{name} ({row.summary})" for name, row in self.rows().items()).replace("%", "%%")

    def row(self, name: str) -> Row:
        """The row of a name; raises `InputError` if there is none, or if it is not installed."""
        row = self.ours.get(name)
        if row is not None and row.is_installed:
            return row
        rows = self.rows()
        if name in rows:
            return rows[name]
        if row is not None:
            raise InputError(f"the {self.what} '{name}' {needs(part_of(row.value))}")
        raise unknown(self.what, name, rows)

    def get(self, name: str) -> T:
        """The contribution of a name; raises as `row` and `load` do."""
        return self.load(self.row(name))

    def each(self) -> Iterator[T]:
        """Yield all installed contributions; plug-ins that cannot be loaded are skipped."""
        return each(self.rows().values(), self.load)
