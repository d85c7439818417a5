"""User errors in the terms of Python: arguments in place of command-line options and temporary files."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from tinyml.dialects.errors import InputError
from tinyml.tools.cli.user_errors import as_input_error

SPELLED = {"target": "board", "val": "X_val", "test": "X_test", "out": "save(folder)"}
"""The arguments of `compile` that have another name than the option of the command line."""


Arguments: TypeAlias = tuple[str, str]
"""The names of two arguments: inputs and their labels, such as `X_val` and `y_val`."""


@contextmanager
def python_terms(files: Mapping[Path, Arguments]) -> Generator[None]:
    """A context in which user errors are `InputError`s that name arguments; defects of tinyml are raised unchanged.

    files: temporary files, and the arguments whose content they hold.
    """
    try:
        yield
    except Exception as error:
        if (known := as_input_error(error)) is None:
            raise
        # Subclasses, such as `MismatchError`, keep their type.
        made = type(error) if isinstance(error, InputError) else InputError
        message, file = _in_python(known.message), known.file
        for x, y in (arguments for path, arguments in files.items() if str(path) == file):
            named = message.replace("`x`", x).replace("`y`", y)
            message, file = named, None if named != message else f"{x}, {y}"
        raise made(message, file=file, line=known.line, column=known.column) from error


def _in_python(message: str) -> str:
    """A message with the options of the command line spelled as arguments."""
    return re.sub(r"--([a-z][a-z-]*)", lambda found: _argument(found[1]), message)


def _argument(option: str) -> str:
    name = option.replace("-", "_")
    return SPELLED.get(name, name)
