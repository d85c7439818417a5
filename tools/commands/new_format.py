"""The command `tinyml new-format`, which writes a package with a working number format, ready to be adapted.

The package is self-contained: once it is installed, tinyml and every other xDSL tool find it through an entry point
`xdsl.universe`. docs/adding-a-format.md walks through it.
"""

from __future__ import annotations

import argparse
import keyword
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.atomic_file import write_file
from tinyml.tools.cli.atomic_folder import atomic_folder, only_empty

TEMPLATE = "format_template"
FILES = {"pyproject.toml.in": "pyproject.toml", "format.py.in": "{name}.py", "test_format.py.in": "test_{name}.py"}


@dataclass(frozen=True, kw_only=True)
class NewFormatRequest:
    """The options of `tinyml new-format`."""

    name: str = option("name of the format, its dialect and its module", flags=())
    folder: Path = option("folder to write", flags=())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(NewFormatRequest))


def run(arguments: argparse.Namespace) -> int:
    request = parsed(arguments, NewFormatRequest)
    for file in _new_format(request.name, request.folder):
        print(f"Wrote {file}")
    print(f"Install it with: pip install -e {request.folder}")
    return 0


def _new_format(name: str, folder: Path) -> list[Path]:
    """Write the package of a format with this name into a folder; returns the files written.

    Raises `InputError` for a name that is not a lower-case Python identifier or is taken by a module or a dialect, and
    for an existing folder that is not empty.
    """
    from tinyml.dialects.context import registry

    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"a format's name is a Python identifier in lower case, got '{name}'")
    if name in registry().all_dialects:
        raise InputError(f"there is a dialect '{name}' already")
    if find_spec(name) is not None:
        raise InputError(f"there is a Python module '{name}' already")
    words = {"name": name, "package": name.replace("_", "-"), "type": name.title().replace("_", "") + "Type"}
    written = {template: file.format(name=name) for template, file in FILES.items()}
    with atomic_folder(folder, only_empty) as pending:
        for template, file in written.items():
            text = (files("tinyml.tools") / TEMPLATE / template).read_text("utf-8")
            write_file(pending / file, Template(text).substitute(words))
    return [folder / file for file in written.values()]
