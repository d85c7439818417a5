"""The optional extensions of the core, and functions that import their modules.

`extensions.txt` has a section for each extension, headed by its name: regular expressions for the paths of its files,
one a line. The first section with a match contains the file. Sections marked `in the core` are part of the core's
wheel; the others are distributed separately. The core refers to a module of such an extension by a string, such as
`tinyml.tools.driver.listen:heard_in`, and imports it on demand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from tinyml.dialects.errors import InputError
from tinyml.dialects.modules import is_installed

CORE = "core"
"""The name for the part of tinyml whose files belong to no extension."""

_PACKAGE = "tinyml."


class Extension(NamedTuple):
    """A section of `extensions.txt`.

    name: the name of the extension.
    in_core: true for a section marked `in the core`: the core's wheel contains the extension.
    patterns: regular expressions for the beginning of the paths of the extension's files.
    """

    name: str
    in_core: bool
    patterns: tuple[re.Pattern[str], ...]


@cache
def extensions() -> tuple[Extension, ...]:
    """All optional extensions of tinyml, from the sections of `extensions.txt`."""
    found: list[Extension] = []
    for section in Path(__file__).with_suffix(".txt").read_text("utf-8").split("\n\n"):
        heading, *patterns = section.strip().splitlines()
        name, _, where = heading.removeprefix("[").partition("]")
        found.append(Extension(name, where == " in the core", tuple(map(re.compile, patterns))))
    return tuple(found)


def extension_of(path: str) -> Extension | None:
    """The extension that contains a file; None for a file of the core.

    path: relative to the folder that contains `dialects`.
    """
    return next((row for row in extensions() if any(pattern.match(path) for pattern in row.patterns)), None)


def part_of(where: str) -> str:
    """The name of the extension that contains a module of tinyml.

    where: the module as `MODULE`, or an object in it as `MODULE:NAME`.
    """
    path = where.partition(":")[0].removeprefix(_PACKAGE).replace(".", "/")
    found = extension_of(path) or extension_of(f"{path}/")
    return CORE if found is None else found.name


def missing_part(where: str) -> str | None:
    """The name of the extension that contains a module of tinyml; None if this extension is installed.

    where: the module as `MODULE`, or an object in it as `MODULE:NAME`.
    """
    part = part_of(where)
    return None if part == CORE or is_installed(where) else part


@contextmanager
def parts_installed() -> Generator[None]:
    """A context in which the import of a module of an extension that is not installed raises `InputError`.

    The import may also be made by an installed extension that needs a module of another extension.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        where = error.name or ""
        part = missing_part(where) if where.startswith(_PACKAGE) else None
        if part is None:
            raise
        raise InputError(f"this {needs(part)}") from None


def imported(where: str) -> Any:
    """The module `where` or, if `where` is `MODULE:NAME`, the object `NAME` of the module.

    Raises `InputError` for a module that belongs to an extension that is not installed, or imports such a module.
    """
    module, _, name = where.partition(":")
    if (part := missing_part(module)) is not None:
        raise InputError(f"this {needs(part)}")
    with parts_installed():
        found = import_module(module)
    return getattr(found, name) if name else found


def part_on_call(where: str) -> Callable[..., Any]:
    """A function that imports `MODULE:NAME` of an extension when it is called, and calls it. The call raises
    `InputError` if the extension is not installed.
    """
    return lambda *arguments, **named: imported(where)(*arguments, **named)


def needs(part: str) -> str:
    return f"needs the part '{part}' of tinyml, which is not installed"
