"""Programs with formats, printed for a target, run on a device, and compared with the evaluator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from programs.lowered import lowered
from tinyml.dialects.context import context
from tinyml.runtime.devices.registry import LLVM, Runner
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import HOST
from tinyml.tools.driver.measure import Mismatch, first_mismatch
from tinyml.tools.driver.upstream import upstream_files


def printed(module: ModuleOp, target: str, folder: Path, options: Mapping[str, Any] | None = None) -> Path:
    """Write the files of a program for a board or for `LLVM` to a new folder, and return the folder. The module is
    unchanged.
    """
    board = HOST if target == LLVM else target
    ctx, given = context(), {**(options or {}), "target": board}
    buffers = lowered(module.clone(), ctx, end="formats-to-buffers", **given)
    write_program(buffers, target, folder, given)
    return folder


def write_program(buffers: ModuleOp, target: str, folder: Path, options: Mapping[str, Any]) -> None:
    """Write the files of a program at L2 for a board or for `LLVM` to a folder. The module is unchanged."""
    board, ctx = HOST if target == LLVM else target, context()
    folder.mkdir(parents=True, exist_ok=True)
    program = lowered(buffers.clone(), ctx, start="buffers-to-loops", **options)
    write_c(program, ctx, board, folder)
    if target == LLVM:
        [source] = folder.glob("*.c")
        source.unlink()
        for name, text in upstream_files(buffers, _of_llvm(options)).items():
            (folder / name).write_text(text)


def _of_llvm(options: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in options.items() if name != "target"}


def difference(
    module: ModuleOp, raws: NDArray[Any], source: Path, runner: Runner, build: Path, flags: Sequence[str] = ()
) -> Mismatch | None:
    """The first difference between a device and the evaluator on raws of shape (samples, elements); None if there is
    none.

    source: the folder with the program's files.
    build: the folder for the build.
    flags: additional flags of the C compiler.
    """
    interface = interface_of(module)
    result = runner.run(runner.build(source, interface, build, extra_flags=flags), interface, raws)
    return first_mismatch(evaluate(module, raws), Outputs(result.labels, result.scores, result.more))
