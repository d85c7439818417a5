"""The versions of the tools with which a program was built and measured."""

from __future__ import annotations

import shutil
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tinyml.runtime.devices.toolchain import run_command
from tinyml.targets.chip import Chip


@cache
def tools_of(chip: Chip) -> str:
    """A string that identifies the installed versions of a chip's compiler, libraries, packages and Python modules.

    The text is empty if the compiler is not installed.
    """
    if (compiler := shutil.which(chip.command("cc"))) is None:
        return ""
    found = [run_command(compiler, ["--version"]).splitlines()[0]]
    names = [run_command(compiler, [f"-print-file-name={name}"]).strip() for name in ("libc.a", "libm.a", "libgcc.a")]
    names += [run_command(compiler, [f"-print-prog-name={name}"]).strip() for name in ("as", "ld", "cc1")]
    names += [shutil.which(package.command) or "" for package in chip.packages if package.command]
    for path in map(Path, filter(None, names)):
        if path.is_file():
            found.append(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}")
    for module in chip.modules:
        try:
            found.append(f"{module} {version(module)}")
        except PackageNotFoundError:
            found.append(module)
    return "; ".join(found)
