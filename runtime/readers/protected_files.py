"""Protection of a command's input files against being overwritten by the command's outputs.

A command enables the protection by calling `protect_inputs`. Without this call, no file is protected.
"""

from __future__ import annotations

import os
import stat
from contextvars import ContextVar
from pathlib import Path

from tinyml.dialects.errors import InputError

_INPUTS: ContextVar[dict[tuple[int, int], str] | None] = ContextVar("_INPUTS", default=None)
"""The names of the protected inputs, by device and inode; None if the protection is disabled."""

_DEVICES = Path("/dev")
"""The folder of links such as `stdout`, through which users choose to write to other files."""

FORCE = "; --force overwrites it"


def protect_inputs(force: bool) -> None:
    """Enable the protection of files that are read after this call, in the current context. With `force`, no file is
    protected.
    """
    _INPUTS.set(None if force else {})


def protects() -> bool:
    return _INPUTS.get() is not None


def note_input(path: str | Path, status: os.stat_result | None = None) -> None:
    """Record a file as an input of the command, if it is a regular file.

    status: the status of the open file; by default, that of the path.
    """
    if (inputs := _INPUTS.get()) is None:
        return
    try:
        status = status or os.stat(path)
    except (OSError, ValueError):
        return
    if stat.S_ISREG(status.st_mode):
        inputs.setdefault((status.st_dev, status.st_ino), str(path))


def release_input(path: Path) -> None:
    """Remove the protection of a file, for example of a page that the command itself has written."""
    if (inputs := _INPUTS.get()) is not None and path.is_file():
        status = os.stat(path)
        inputs.pop((status.st_dev, status.st_ino), None)


def check_output(path: str | Path) -> Path:
    """The path of the file or folder to which an output path resolves.

    If the input files of the command are protected, raises `InputError` for an output that is one of them, under any
    name or link, and for a symbolic link to a file outside its folder. Raises `OSError` or `RuntimeError` for circular
    links.
    """
    link, final = Path(path), Path(path).resolve()
    if (inputs := _INPUTS.get()) is None:
        return final
    if link.is_symlink() and link.parent != _DEVICES and not final.is_relative_to(link.parent.resolve()):
        raise InputError(f"is a link to a file outside its folder, {final}{FORCE}", file=str(path))
    try:
        status = os.stat(final)
    except FileNotFoundError:
        return final
    if (name := inputs.get((status.st_dev, status.st_ino))) is not None:
        same = "" if name == str(path) else f", {name}"
        raise InputError(f"is an input of this command{same}: choose another file{FORCE}", file=str(path))
    return final
