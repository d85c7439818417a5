"""Options declared as dataclass fields with help text and command-line syntax."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NewType, get_type_hints

from tinyml.dialects.errors import InputError
from tinyml.dialects.tables import Table

Seconds = NewType("Seconds", float)
"""The type of options that are durations, possibly infinite."""

Size = NewType("Size", int)
"""The type of options that are sizes of memories in bytes, spelled with or without a suffix K or M."""

_HELP, _METAVAR, _CHOICES, _FLAGS, _BARE, _GROUP = "help", "metavar", "choices", "flags", "bare", "group"
_EXCLUSIVE, _WRITES = "exclusive", "writes"

FOLDER = ("/",)
"""The value of `writes` for an option that names a folder."""


class OptionGroup(Enum):
    """The groups of options in help texts, in the order in which they are listed. The value of a group is its
    heading.
    """

    MODEL = "model"
    BOARD = "board"
    NUMBERS = "numbers"
    MEMORY = "memory"
    TRAINING = "training"
    SEARCH = "search for the format of each tensor"
    RESULT = "result"
    COMMON = "options of every command"


def option(
    help: str | Callable[[], str],
    *,
    default: Any = MISSING,
    metavar: str | None = None,
    choices: tuple[str, ...] | Callable[[], tuple[str, ...]] | Table[Any] = (),
    flags: tuple[str, ...] | None = None,
    bare: Any = None,
    group: OptionGroup | None = None,
    exclusive: str | None = None,
    writes: tuple[str, ...] = (),
) -> Any:
    """Return a dataclass field that is declared as an option.

    * help: the text, or a function that creates it on demand.
    * default: the default value; without a default value, the option is required.
    * metavar: the placeholder for the value in help texts.
    * choices: the allowed values, a function that returns them on demand, or a table whose names are the allowed
      values.
    * flags: spellings on the command line, `--` and the field's name by default; `()` for a positional argument. A
      positional argument may be repeated if the field is a tuple.
    * bare: the value if the option is specified without a value; None if a value is required.
    * group: the heading under which help texts list the option.
    * exclusive: a name; options with the same name are mutually exclusive.
    * writes: the suffixes of the output file that the option names, or `FOLDER`; empty for other options.
    """
    settings = {_HELP: help, _METAVAR: metavar, _CHOICES: choices, _FLAGS: flags, _BARE: bare, _GROUP: group}
    settings |= {_EXCLUSIVE: exclusive, _WRITES: writes}
    return field(default=default, metadata=settings)


@dataclass(frozen=True)
class Option:
    """One option of a dataclass.

    field: the dataclass field that declares the option.
    type: the evaluated annotation of the field.
    varies: true if the default depends on another option. Help texts omit such a default.
    """

    field: Field[Any]
    type: Any
    varies: bool = False

    @property
    def name(self) -> str:
        return self.field.name

    @property
    def required(self) -> bool:
        return self.field.default is MISSING

    @property
    def default(self) -> Any:
        return self.field.default

    @property
    def help(self) -> str:
        help: str | Callable[[], str] = self.field.metadata[_HELP]
        return help() if callable(help) else help

    @property
    def help_with_default(self) -> str:
        """The help text, followed by the default.

        The default is omitted if it is not a single text, number or path, or if `varies` is true.
        """
        shown = isinstance(self.default, str | int | float | Path) and not isinstance(self.default, bool)
        return f"{self.help} (default: {self.default})" if shown and not self.varies else self.help

    @property
    def metavar(self) -> str | None:
        return self.field.metadata[_METAVAR]

    @property
    def choices(self) -> tuple[str, ...]:
        choices: tuple[str, ...] | Callable[[], tuple[str, ...]] | Table[Any] = self.field.metadata[_CHOICES]
        if isinstance(choices, Table):
            return choices.names()
        return choices() if callable(choices) else choices

    def absence(self, value: str) -> str | None:
        """The reason why a value of the option is not available, such as an extension that is not installed; None if it
        is available.
        """
        table = self.field.metadata[_CHOICES]
        if not isinstance(table, Table) or value not in table.built_in:
            return None
        try:
            table.row(value)
        except InputError as error:
            return error.message
        return None

    @property
    def flags(self) -> tuple[str, ...]:
        flags = self.field.metadata[_FLAGS]
        return (f"--{self.name.replace('_', '-')}",) if flags is None else flags

    @property
    def bare(self) -> Any:
        return self.field.metadata[_BARE]

    @property
    def group(self) -> OptionGroup | None:
        return self.field.metadata[_GROUP]

    @property
    def exclusive(self) -> str | None:
        return self.field.metadata[_EXCLUSIVE]

    @property
    def writes(self) -> tuple[str, ...]:
        return self.field.metadata[_WRITES]


def options_of(declaration: type) -> list[Option]:
    """The options of a dataclass in the order of its fields. The options of base classes come first."""
    hints = _type_hints(declaration)
    return [Option(field, hints[field.name]) for field in fields(declaration) if _HELP in field.metadata]


@cache
def _type_hints(declaration: type) -> dict[str, Any]:
    """The types of a dataclass's fields by name. The result is cached, because each compilation requests it
    repeatedly.
    """
    return get_type_hints(declaration)
