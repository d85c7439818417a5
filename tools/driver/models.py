"""Model folders, which hold a program and its data sets."""

from __future__ import annotations

from pathlib import Path

from tinyml.dialects.errors import InputError


def find_model(folder: Path) -> tuple[Path, Path, Path | None]:
    """Program, validation data and test data of a model's folder.

    The program is a file that a frontend reads, or seedot/input.sd; the data are val.npz and, if present, test.npz.
    Raises `InputError` without a program.
    """
    from tinyml.lowering.frontends.importers import importers

    patterns = [f"*.{suffix}" for suffix in sorted(importers())]
    programs = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
    programs.append(folder / "seedot" / "input.sd")
    program = next((path for path in programs if path.is_file()), None)
    if program is None:
        raise InputError(f"holds no program ({', '.join(patterns)} or seedot/input.sd)", file=str(folder))
    test = folder / "test.npz"
    return program, folder / "val.npz", test if test.is_file() else None
