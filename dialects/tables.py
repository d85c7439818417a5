"""Tables of named contributions: first tinyml's rows in their declared order, then the rows of other packages.

For each kind of contribution, a package of tinyml declares a table. It contains tinyml's own rows and the function that
loads a row. The table provides names for help texts and suggestions, the installed rows, and the reasons why rows were
skipped.
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
    """Raise `PluginError` unless the row's name consists of lower-case words and digits, joined by hyphens."""
    if re.fullmatch("[a-z][a-z0-9-]*", row.name) is None:
        raise PluginError(f"{row}: expected a name of small letters, digits and -")


class Table(Generic[T]):
    """The contributions of one kind, by name. A contribution is imported when it is requested.

    * group: the group of entry points with which other packages add rows; None if other packages cannot add any.
    * what: the singular name of the kind, for messages.
    * load: a function that loads the contribution of a row. It raises `PluginError` for a plug-in of the wrong type.
    * home: the package that contains the modules of tinyml's rows.
    * built_in: tinyml's rows, installed or not.
    * check: a function that raises `PluginError` for an invalid name of a plug-in.
    """

    def __init__(
        self,
        group: str | None,
        what: str,
        load: Callable[[Row], T],
        *,
        home: str = "",
        built_in: Iterable[Row] = (),
        check: Callable[[Row], None] | None = None,
    ) -> None:
        self.group, self.what, self.load, self._check = group, what, load, check
        self.built_in: Mapping[str, Row] = {
            row.name: replace(row, value=f"{home}.{row.value}", group=group or "") for row in built_in
        }

    def __contains__(self, name: str) -> bool:
        """True for a name of a row that tinyml or another package declares, even if the contribution is not
        installed.
        """
        return name in self.built_in or name in self.rows()

    def rows(self) -> Mapping[str, Row]:
        return {row.name: row for row in (*self._installed(), *self.others())}

    def others(self) -> Iterator[Row]:
        """Yield the rows of other packages. Rows with names that are invalid or already in use are skipped."""
        taken = {row.name for row in self._installed()}

        def checked(row: Row) -> Row:
            if self._check is not None:
                self._check(row)
            if row.name in taken:
                raise PluginError(f"{row}: the {self.what} '{row.name}' already exists")
            taken.add(row.name)
            return row

        return each(plugins(self.group) if self.group else (), checked)

    def _installed(self) -> Sequence[Row]:
        return [row for row in self.built_in.values() if row.is_installed]

    def names(self) -> tuple[str, ...]:
        """The names of the installed contributions: tinyml's names first, then those that other packages declare."""
        return tuple(self.rows())

    def listed(self) -> str:
        """The names with their descriptions, separated by commas, as part of an option's help text.

        Each `%` is doubled, as help texts require.
        """
        return ", ".join(f"{name} ({row.summary})" for name, row in self.rows().items()).replace("%", "%%")

    def row(self, name: str) -> Row:
        """The row with this name. Raises `InputError` if no row has this name, or if the contribution is not
        installed.
        """
        row = self.built_in.get(name)
        if row is not None and row.is_installed:
            if self.group and any(plugin.name == name for plugin in plugins(self.group)):
                _ = [*self.others()]  # A warning states that the plug-in is skipped.
            return row
        rows = self.rows()
        if name in rows:
            return rows[name]
        if row is not None:
            raise InputError(f"the {self.what} '{name}' {needs(part_of(row.value))}")
        raise unknown(self.what, name, rows)

    def get(self, name: str) -> T:
        """The loaded object of the row with this name.

        Raises `InputError` if no row has this name, or if the contribution is not installed. Errors of `load` are
        propagated.
        """
        return self.load(self.row(name))

    def each(self) -> Iterator[T]:
        """Yield the loaded objects of all rows whose code is installed. Plug-ins that cannot be loaded are skipped."""
        return each(self.rows().values(), self.load)
