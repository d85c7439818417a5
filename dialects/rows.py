"""The rows of `rows.txt`, which describe the contributions of tinyml's core and extensions without importing them.

An extension of tinyml declares its contributions in `rows.txt`, as another package declares entry points. A row of an
extension that is not installed remains, so that messages can name the extension.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported, missing_part, needs
from tinyml.dialects.modules import is_installed
from tinyml.dialects.plugins import Row


@cache
def sections() -> Mapping[str, Sequence[Row]]:
    """The rows of `rows.txt`, by the name of their section."""
    found: dict[str, list[Row]] = {}
    rows: list[Row] = []
    for line in Path(__file__).with_name("rows.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            rows = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            name, _, columns = map(str.strip, line.partition(" = "))
            value, help, parts = map(str.strip, f"{columns}||".split("|")[:3])
            rows.append(Row(name, value, help, _parts(parts)))
    return found


def _parts(text: str) -> Mapping[str, str]:
    """The names of the parts of a row and their aliases, each mapped to the name of the part.

    text: a word for each part, optionally followed by `=` and aliases.
    """
    return {name: names[0] for names in (word.split("=") for word in text.split()) for name in names}


def rows_of(section: str) -> Sequence[Row]:
    """The rows of a section of `rows.txt`, installed or not, in their order."""
    return sections()[section]


def functions_of_options(section: str, options: object) -> Iterator[tuple[Callable[..., Any], Any]]:
    """For each option whose value is not None, yield the function that a section names for the option, and this value.

    Raises `InputError` for a function of an extension that is not installed.
    """
    for row in sections()[section]:
        if (value := getattr(options, row.name)) is not None:
            if (part := missing_part(where := f"tinyml.{row.value}")) is not None:
                raise InputError(f"the option '--{row.name.replace('_', '-')}' {needs(part)}")
            yield imported(where), value


def objects_of(section: str) -> list[Any]:
    """The objects that the installed rows of a section name."""
    return [imported(where) for row in sections()[section] if is_installed(where := f"tinyml.{row.value}")]


def modules_of(section: str) -> Sequence[str]:
    """The modules that a section of `rows.txt` lists and that are installed."""
    return [name for row in sections()[section] if is_installed(name := f"tinyml.{row.name}")]
