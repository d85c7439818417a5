"""The files that a command line asks to write, checked before any work is done."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path, PosixPath
from typing import cast

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import FOLDER
from tinyml.runtime.readers.protected_files import FORCE, check_output, note_input, protects

_READ = ("mlir", "npy", "npz", "csv")
"""The suffixes of files that commands read, besides those of frontends."""


class OutputFile(PosixPath):
    """A file or folder to write, as a command line names it."""

    written: tuple[str, ...] = ()
    """The suffixes of files that the command writes there, or `FOLDER`."""


def output_file(written: tuple[str, ...], text: str) -> OutputFile:
    """The file to write that an argument names."""
    path = OutputFile(text)
    path.written = written
    return path


def check_paths(arguments: argparse.Namespace) -> None:
    """Protect the files among the arguments that are read, and check those that are written, as `check_file` does.

    Raises `InputError` also if two of them are the same file. What writes a folder checks it itself (`atomic_folder`).
    """
    paths = list(_paths(vars(arguments).values()))
    for path in paths:
        if not isinstance(path, OutputFile):
            note_input(path)
    seen: set[Path] = set()
    for path in paths:
        if isinstance(path, OutputFile) and path.written != FOLDER:
            final = check_file(path, path.written)
            if final in seen and not final.is_char_device():
                raise InputError("two outputs would be this file", file=str(path))
            seen.add(final)


def check_file(path: Path, written: tuple[str, ...]) -> Path:
    """The file that a path leads to (`check_output`).

    written: the suffixes of files that the command writes. Raises `InputError` also for an existing file with the
    suffix of a model or of data that the command does not write.
    """
    from tinyml.lowering.frontends.importers import importers

    try:
        final = check_output(path)
    except (OSError, RuntimeError) as error:
        raise InputError(str(getattr(error, "strerror", None) or error), file=str(path)) from error
    kind = final.suffix.removeprefix(".").lower()
    if final.suffix not in written and kind in {*_READ, *importers()} and final.is_file() and protects():
        raise InputError(f"exists already; what is written is {' or '.join(written)}{FORCE}", file=str(path))
    return final


def _paths(values: Iterable[object]) -> Iterator[Path]:
    for value in values:
        if isinstance(value, Path):
            yield value
        elif isinstance(value, list | tuple):
            yield from _paths(cast(Iterable[object], value))
