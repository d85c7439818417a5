"""The breakdown of a model's flash and RAM, by constants, kernels, library and buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import c, scratch
from tinyml.tools.reports.memory_report import memory_report

if TYPE_CHECKING:
    from tinyml.runtime.devices.attribution import Attribution
    from tinyml.runtime.model.interface import Interface
    from tinyml.transforms.ir.cost.estimate import Estimate


def constant_names(program: ModuleOp) -> list[str]:
    """The names of the constant arrays in flash of a program at L5."""
    return [op.sym_name.data for op in _in_flash(program)]


def constant_bytes(program: ModuleOp) -> dict[str, int]:
    """The bytes of each constant array in flash of a program at L5, by name: the numbers of the model, and tables
    of functions.
    """
    return {op.sym_name.data: len(op.value.data.data) for op in _in_flash(program)}


def _in_flash(program: ModuleOp) -> list[c.ConstantOp]:
    constants = [op for op in program.walk() if isinstance(op, c.ConstantOp)]
    return [op for op in constants if not isinstance(op.parent_op(), c.LoadedOp)]


def far_constants(program: ModuleOp, estimate: Estimate | None, unit: str) -> dict[str, Any] | None:
    """The constants of a program at L5 that require far accesses: their `bytes`, their names (`arrays`), and the extra
    time of these accesses in one inference. The time is None without an estimate.

    None if no constant requires far accesses.
    """
    sizes = constant_bytes(program)
    far = [op.sym_name.data for op in program.walk() if isinstance(op, c.ConstantOp) and op.far is not None]
    if not far:
        return None
    more = None if estimate is None else round(estimate.far_time)
    return {"bytes": sum(sizes[name] for name in far), "arrays": far, f"{unit}_per_inference": more}


def flash(measured: Attribution) -> dict[str, Any]:
    """The bytes of flash of the program: `code`, `constants`, `kernels` and `library` (the last three by name),
    `start-up and harness`, and `total`.
    """
    parts = {"code": sum(measured.code.values())}
    groups = {"constants": measured.constants, "kernels": measured.kernels, "library": measured.library}
    rest = measured.build.flash_bytes - sum(parts.values()) - sum(sum(group.values()) for group in groups.values())
    return {**parts, **groups, "start-up and harness": rest, "total": measured.build.flash_bytes}


def arena_bytes(loops: ModuleOp) -> int:
    """The bytes of the arena of a program at L3, which include arrays that kernels need for decoded elements."""
    return sum(op.size for op in loops.walk() if isinstance(op, scratch.ArenaOp))


def ram(measured: Attribution, buffers: ModuleOp, loops: ModuleOp, interface: Interface) -> dict[str, Any]:
    """The bytes of RAM by kind; `peak` lists the buffers that are live at the operation with the most live bytes.

    buffers, loops: the program at L2 and at L3.
    """
    arena = arena_bytes(loops)
    return {
        "arena": arena,
        "peak": memory_report(buffers)["peak"],
        "input": interface.caller_bytes,
        "other static": measured.build.static_bytes - arena - interface.caller_bytes,
        "stack": measured.result.stack_bytes,
        "total": measured.build.ram_bytes(measured.result),
    }
