"""Build the wheel of the core, which omits the files of excluded extensions."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from layout.sources import ROOMS, name_of, room_files
from programs.paths import ROOT

from tinyml.dialects.extensions import extension_of

WHOLE = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "examples")


def out(path: str) -> bool:
    """Whether a path belongs to an extension that the wheel of the core omits."""
    row = extension_of(path)
    return row is not None and not row.in_core


def files_of(extension: str) -> Iterator[Path]:
    """Yield the files of an extension."""
    for path in room_files("*"):
        if (row := extension_of(name_of(path))) is not None and row.name == extension:
            yield path


def build(folder: Path) -> Path:
    """Build the wheel of the core in a folder and return its path. The earlier content of the folder is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "source"
    source.mkdir(parents=True)
    for name in WHOLE:
        (source / name).symlink_to(ROOT / name)
    for room in ROOMS:
        (source / room).mkdir()
    for path in room_files("*"):
        if not out(name_of(path)):
            copy = source / name_of(path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    command = [sys.executable, "-m", "pip", "--quiet", "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    subprocess.run([*command, str(source)], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel
