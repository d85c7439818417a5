"""Compilation of programs in upstream MLIR dialects by LLVM: a second back end, which does not use the C printer."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import Build, RunResult
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.runner import Device, Runner
from tinyml.runtime.devices.toolchain import run_command
from tinyml.runtime.model.interface import Interface
from tinyml.targets.package import Package
from tinyml.targets.registry import HOST

if TYPE_CHECKING:
    import numpy as np

PACKAGES = (Package("mlir-19-tools", command="mlir-opt-19"), Package("clang-19", command="clang-19"))
"""The Debian packages with the tools; newer versions, and tools without a version in their names, are also accepted."""

_TOOLS = ("mlir-opt", "mlir-translate", "clang")
_MIN_VERSION = 19
"""The minimum version of MLIR that reads the generated text."""

_TO_LLVM = (
    "convert-scf-to-cf",
    "expand-strided-metadata",
    "finalize-memref-to-llvm{{index-bitwidth={bits}}}",
    "convert-arith-to-llvm{{index-bitwidth={bits}}}",
    "convert-cf-to-llvm{{index-bitwidth={bits}}}",
    "convert-func-to-llvm{{index-bitwidth={bits} use-bare-ptr-memref-call-conv=1}}",
    "reconcile-unrealized-casts",
)


def to_llvm(bits: int = sys.maxsize.bit_length() + 1) -> str:
    """The passes of mlir-opt, comma-separated, that lower a program to LLVM's dialect. Functions receive arrays as
    pointers.

    bits: the width of an index.
    """
    return ",".join(_TO_LLVM).format(bits=bits)


@cache
def _version(tool: str) -> int | None:
    output = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"version (\d+)\.", output)
    return None if match is None else int(match[1])


def _suffixes() -> Sequence[str]:
    """The suffixes of the names of LLVM tools on the PATH: the empty suffix first, then version suffixes in descending
    order.
    """
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    numbers = {
        int(file.name.rpartition("-")[2])
        for folder in folders
        for file in folder.glob(f"{_TOOLS[0]}-*")
        if file.name.rpartition("-")[2].isdecimal()
    }
    return ["", *(f"-{number}" for number in sorted(numbers, reverse=True))]


def _tools() -> Sequence[str]:
    """The paths (mlir-opt, mlir-translate, clang) of tools of one version; empty if there are no such tools.

    The versions must match, because a newer translator emits attributes that an older clang does not parse.
    """
    for suffix in _suffixes():
        paths = [path for tool in _TOOLS if (path := shutil.which(f"{tool}{suffix}")) is not None]
        if len(paths) == len(_TOOLS):
            versions = {_version(path) for path in paths}
            if len(versions) == 1 and (version := versions.pop()) is not None and version >= _MIN_VERSION:
                return paths
    return ()


def is_installed() -> bool:
    return bool(_tools())


def tools() -> Sequence[str]:
    """The paths (mlir-opt, mlir-translate, clang) of tools of one version.

    Raises `InputError`, which names the Debian packages, if there are no such tools.
    """
    if paths := _tools():
        return paths
    names = " ".join(package.name for package in PACKAGES)
    raise InputError(
        f"'mlir-opt', 'mlir-translate' and 'clang' are not installed; on Debian or Ubuntu: apt install {names}"
    )


def compile_upstream(module: Path, file: Path, flags: Sequence[str], triple: str = "") -> None:
    """Compile a module in upstream dialects to an object file.

    module, file: the paths of the module and of the object file.
    flags: the flags of clang.
    triple: LLVM's name of the target, whose pointers have 32 bits; empty for this computer.
    """
    optimizer, translate, clang = tools()
    passes = to_llvm(32) if triple else to_llvm()
    dialect, text = file.with_suffix(".llvm.mlir"), file.with_suffix(".ll")
    run_command(optimizer, [module, f"--pass-pipeline=builtin.module({passes})", "-o", dialect])
    run_command(translate, ["--mlir-to-llvmir", dialect, "-o", text])
    target = [f"--target={triple}"] if triple else []
    sections = "-ffunction-sections", "-fdata-sections", "-Wno-override-module"
    run_command(clang, [*target, *flags, *sections, "-c", text, "-o", file])


def build_upstream(
    runner: Runner,
    source_dir: Path,
    interface: Interface,
    workdir: Path,
    optimize: str | None = None,
    extra_flags: Sequence[str] = (),
) -> Build:
    """Compile NAME.mlir with LLVM and link it with the C files of a folder and the harness of the runner's chip.

    Return the linked program. The arguments have the same meaning as those of `Runner.build`.
    """
    level, triple = optimize or runner.optimize, runner.chip.triple
    # The flags of a board name its core.
    flags = [level, *(runner.board.flags if triple else ("-fPIC",))]
    workdir.mkdir(parents=True, exist_ok=True)
    compiled = workdir / f"{interface.name}.o"
    compile_upstream(source_dir / f"{interface.name}.mlir", compiled, flags, triple)
    return runner.build(source_dir, interface, workdir, level, [*extra_flags, str(compiled)])


@dataclass(frozen=True)
class LlvmRunner(Runner):
    """The runner of programs in upstream dialects on this computer.

    The folder of a program contains `NAME.mlir` in addition to the C files.
    """

    def build(
        self,
        source_dir: Path,
        interface: Interface,
        workdir: Path,
        optimize: str | None = None,
        extra_flags: Sequence[str] = (),
    ) -> Build:
        return build_upstream(runner_for(self.name), source_dir, interface, workdir, optimize, extra_flags)

    def run(self, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        return runner_for(self.name).run(build, interface, inputs)


def _missing() -> Sequence[str]:
    return () if is_installed() else (f"sudo apt-get install {' '.join(package.name for package in PACKAGES)}",)


LLVM = Device(HOST, LlvmRunner, _missing, "tinyml.tools.driver.upstream:llvm_files")
"""The device that runs programs in upstream dialects compiled by LLVM."""
