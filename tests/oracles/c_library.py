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
    """Skip the test where there is no C compiler."""
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")


def c_library(folder: Path, source: str) -> ctypes.CDLL:
    """Source that includes headers of the runtime, compiled without a warning in a folder; skips without a compiler."""
    needs_gcc()
    (folder / "each.c").write_text(source)
    include = Path(str(tinyml.runtime.__file__)).parent / "include"
    subprocess.run(["gcc", *FLAGS, f"-I{include}", str(folder / "each.c"), "-o", str(folder / "each.so")], check=True)
    return ctypes.CDLL(str(folder / "each.so"))
