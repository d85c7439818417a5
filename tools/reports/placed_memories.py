"""The memories of a compiled program, for its report: bytes, accesses and the proof of the choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import scratch
from tinyml.dialects.functions import defined_functions
from tinyml.tools.reports.report_views import Report
from tinyml.transforms.buffers.memories.records import Placed, Record, digest_of
from tinyml.transforms.ir.cost.memory_accesses import Accesses, accesses_of

FLASH, STACK, CALLER = "flash", "stack", "input"
"""The rows of accesses outside the stated memories: constants in flash, local arrays, and the caller's input."""


def memories_report(bits: ModuleOp, stated: str) -> dict[str, Any]:
    """The memories of a program at L4, and the accesses to each in one inference.

    `rows` contains for each memory its name, size, wait states, the bytes of its arena, of copied constants and of the
    stack, and the accesses. `wait_cycles`, `bound`, `proof` and `checked` describe the choice of memories.

    stated: the value of `--memory`.
    """
    record, accesses = _record(bits), accesses_by_memory(bits)
    rows = [
        {
            "name": memory.name,
            "size": memory.size,
            "read": memory.read,
            "write": memory.write,
            "arena": memory.bytes,
            "constants": sum(memory.hot.values()),
            "stack": memory.stack,
            **_fields(accesses.get(memory.name, Accesses())),
        }
        for memory in record.memories
    ]
    others = {name: _fields(accesses[name]) for name in (FLASH, STACK, CALLER) if name in accesses}
    choice = {"wait_cycles": record.cost, "bound": record.bound, "proof": record.proof, "checked": record.checked}
    return {"memories": {"rows": rows, "others": others, **choice}, "stated": stated}


def _record(bits: ModuleOp) -> Record:
    found = [op.memories for op in bits.walk() if isinstance(op, scratch.ArenaOp) and op.memories is not None]
    return Record.of(found[0])


def accesses_by_memory(bits: ModuleOp) -> Mapping[str, Accesses]:
    """The accesses of a program at L4 in one inference, by the name of the memory, `FLASH`, `STACK` or `CALLER`."""
    memories = _record(bits).memories
    totals: dict[str, Accesses] = {}
    for array, counted in accesses_of(defined_functions(bits)[0]).items():
        name = _memory_of(array, memories)
        totals[name] = totals.get(name, Accesses()).plus(counted)
    return totals


def _memory_of(array: SSAValue, memories: Sequence[Placed]) -> str:
    match array.owner:
        case scratch.ViewOp() as view:
            offset = view.offset.value.data
            return next(memory.name for memory in memories if memory.holds(offset))
        case scratch.ConstantOp() as constant:
            digest = digest_of(constant.value)
            return next((memory.name for memory in memories if digest in memory.hot), FLASH)
        case memref.AllocaOp():
            return STACK
        case _:
            return CALLER


def _fields(accesses: Accesses) -> dict[str, Any]:
    return {
        "loads": accesses.reads,
        "stores": accesses.writes,
        "bytes_loaded": accesses.read_bytes,
        "bytes_stored": accesses.written_bytes,
        "exact": accesses.exact,
    }


def memories_part(report: Report) -> Iterable[str | Sequence[Sequence[object]]]:
    """Yield the part of the report about memories; nothing for a program without `--memory`."""
    memories = report.memory.get("memories")
    if memories is None:
        return
    proof = (
        f"proved by the {memories['proof']}" if memories["proof"] else f"no choice takes less than {memories['bound']}"
    )
    checked = f", checked by {memories['checked']} search" if memories["checked"] else ""
    yield f"The accesses wait for {memories['wait_cycles']} cycles in one inference ({proof}{checked})."
    names = ["memory", "bytes", "arena", "constants", "stack", "loads", "stores", "wait states"]
    rows: list[Sequence[object]] = [
        [
            r["name"],
            r["size"],
            r["arena"],
            r["constants"],
            r["stack"],
            r["loads"],
            r["stores"],
            f"{r['read']}/{r['write']}",
        ]
        for r in memories["rows"]
    ]
    rows += [[name, "", "", "", "", r["loads"], r["stores"], ""] for name, r in memories["others"].items()]
    yield [list(names), *rows]
