"""Programs with formats, printed for a target and run on a device, against the evaluator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from programs.lowered import lowered
from tinyml.dialects.context import context
from tinyml.runtime.devices.registry import Runner
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import Mismatch, first_mismatch


def printed(module: ModuleOp, target: str, folder: Path, options: Mapping[str, Any] | None = None) -> Path:
    """The C files of a program, whose module is left as it is, in a new folder, which is returned."""
    ctx = context()
    program = lowered(module.clone(), ctx, **{**(options or {}), "target": target})
    folder.mkdir(parents=True)
    write_c(program, ctx, target, folder)
    return folder


def difference(
    module: ModuleOp, raws: NDArray[Any], source: Path, runner: Runner, build: Path, flags: Sequence[str] = ()
) -> Mismatch | None:
    """The first difference between a device and the evaluator on raws of shape (samples, elements)."""
    interface = interface_of(module)
    result = runner.run(runner.build(source, interface, build, extra_flags=flags), interface, raws)
    return first_mismatch(evaluate(module, raws), Outputs(result.labels, result.scores, result.more))
