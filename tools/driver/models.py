"""Model folders, which hold a program and its data sets."""

from __future__ import annotations

from pathlib import Path

from tinyml.dialects.errors import InputError

_INSIDE = {"sd": ("seedot/input.sd",)}
"""Further paths of a program inside its model's folder, by the program's suffix."""


def find_model(folder: Path) -> tuple[Path, Path, Path | None]:
    """Program, validation data and test data of a model's folder.

    The program is a file that a frontend reads, or seedot/input.sd, the first in the order of the table of frontends;
    the data are val.npz and, if present, test.npz. Raises `InputError` without a program.
    """
    from tinyml.lowering.frontends.importers import importers

    patterns = [pattern for suffix in importers() for pattern in (f"*.{suffix}", *_INSIDE.get(suffix, ()))]
    programs = (path for pattern in patterns for path in sorted(folder.glob(pattern)) if path.is_file())
    if (program := next(programs, None)) is None:
        raise InputError(f"holds no program ({', '.join(patterns)})", file=str(folder))
    test = folder / "test.npz"
    return program, folder / "val.npz", test if test.is_file() else None


def model_of(path: Path) -> tuple[Path, Path | None, Path | None]:
    """Program, validation data and test data of a folder, or of a program by itself, which has no data."""
    return find_model(path) if path.is_dir() else (path, None, None)
