"""Functions of the runtime's headers, compiled for this computer to be called from Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

import tinyml.runtime

FLAGS = ["-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-shared", "-fPIC"]


def needs_gcc() -> None:
    """Skip the test if no C compiler is installed."""
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")


def c_library(folder: Path, source: str) -> ctypes.CDLL:
    """A shared library of C source that includes headers of the runtime, compiled in a folder without a warning.

    Skips the test if no C compiler is installed.
    """
    needs_gcc()
    (folder / "each.c").write_text(source)
    include = Path(str(tinyml.runtime.__file__)).parent / "include"
    subprocess.run(["gcc", *FLAGS, f"-I{include}", str(folder / "each.c"), "-o", str(folder / "each.so")], check=True)
    return ctypes.CDLL(str(folder / "each.so"))
