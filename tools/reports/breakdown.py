"""The breakdown of a model's time, flash and RAM, from measurements per line of its C file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import c
from tinyml.tools.reports.memory_report import memory_report

if TYPE_CHECKING:
    from tinyml.dialects import c
    from tinyml.runtime.devices.attribution import Attribution
    from tinyml.runtime.model.interface import Interface
    from tinyml.tools.reports.facts.spent_time import Spent
    from tinyml.transforms.ir.cost.estimate import Estimate

CALL_AND_RETURN = "call and return"
"""The entry for code that belongs to no operation: saving and restoring registers, returning the label."""


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


def operations(spent: Spent, unit: str) -> list[dict[str, Any]]:
    """Entries with the time, the code and the calls of each operation, in the order of the C file.

    An operation with several steps also has an entry for each step.

    spent: the measured time of the whole inference.
    """

    def entry(part: Spent) -> dict[str, Any]:
        return {"operation": part.name, unit: round(part.time, 2), "code_bytes": part.code}

    return [
        {
            **entry(whole),
            "calls": _longest_first((call.name, call.time) for line in whole.lines for call in line.parts),
            "steps": [entry(part) for part in whole.parts if part.line is None],
        }
        for whole in spent.parts
    ]


def functions(measured: Attribution) -> dict[str, float]:
    """The total time in each kernel and library function that the model calls, by name, longest first."""
    return _longest_first(call for calls in measured.calls.values() for call in calls.items())


def _longest_first(calls: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The total time of each function in a list of (name, time) pairs, by name, longest first."""
    time: defaultdict[str, float] = defaultdict(float)
    for function, spent in calls:
        time[function] += spent
    return {name: round(spent, 2) for name, spent in sorted(time.items(), key=lambda item: -item[1])}


def flash(measured: Attribution) -> dict[str, Any]:
    """The bytes of flash of the program: `code`, `constants`, `kernels` and `library` (the last three by name),
    `start-up and harness`, and `total`.
    """
    parts = {"code": sum(measured.code.values())}
    groups = {"constants": measured.constants, "kernels": measured.kernels, "library": measured.library}
    rest = measured.build.flash_bytes - sum(parts.values()) - sum(sum(group.values()) for group in groups.values())
    return {**parts, **groups, "start-up and harness": rest, "total": measured.build.flash_bytes}


def ram(measured: Attribution, buffers: ModuleOp, interface: Interface) -> dict[str, Any]:
    """The bytes of RAM by kind; `peak` lists the buffers that are live at the operation with the most live bytes."""
    memory = memory_report(buffers)
    return {
        "arena": memory["height"],
        "peak": memory["peak"],
        "input": interface.caller_bytes,
        "other static": measured.build.static_bytes - memory["height"] - interface.caller_bytes,
        "stack": measured.result.stack_bytes,
        "total": measured.build.ram_bytes(measured.result),
    }
