"""The memories of a compiled program, for its report: bytes, accesses and the proof of the choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import SSAValue

from tinyml.dialects import scratch
from tinyml.dialects.functions import defined_functions
from tinyml.tools.reports.report_fields import Report
from tinyml.transforms.buffers.place_memories import MEMORIES, MEMORY_CHOICE, digest_of
from tinyml.transforms.ir.cost.memory_accesses import Accesses, accesses_of

FLASH, STACK, CALLER = "flash", "stack", "input"
"""The rows of accesses outside the stated memories: constants in flash, local arrays, and the caller's input."""


def memories_report(bits: ModuleOp) -> dict[str, Any]:
    """The memories of a program on L4 and the accesses to each in one inference.

    `rows`: for each memory its name, size, wait states, the bytes of its arena, of copied constants and of the stack,
    and the accesses. `wait_cycles`, `bound`, `proof` and `checked` state the choice.
    """
    records = [_plain(row) for row in cast("ArrayAttr[DictionaryAttr]", bits.attributes[MEMORIES])]
    accesses = accesses_by_memory(bits)
    rows = [
        {
            **{key: record[key] for key in ("name", "size", "read", "write", "stack")},
            "arena": record["bytes"],
            "constants": sum(each["bytes"] for each in record["hot"]),
            **_fields(accesses.get(record["name"], Accesses())),
        }
        for record in records
    ]
    others = {name: _fields(accesses[name]) for name in (FLASH, STACK, CALLER) if name in accesses}
    choice = _plain(cast(DictionaryAttr, bits.attributes[MEMORY_CHOICE]))
    return {
        "rows": rows,
        "others": others,
        "wait_cycles": choice["cost"],
        "bound": choice["bound"],
        "proof": choice["proof"],
        "checked": choice["checked"],
    }


def accesses_by_memory(bits: ModuleOp) -> Mapping[str, Accesses]:
    """The accesses of a program on L4 in one inference, by the name of the memory, `FLASH`, `STACK` or `CALLER`."""
    records = [_plain(row) for row in cast("ArrayAttr[DictionaryAttr]", bits.attributes[MEMORIES])]
    totals: dict[str, Accesses] = {}
    for array, counted in accesses_of(defined_functions(bits)[0]).items():
        name = _memory_of(array, records)
        totals[name] = totals.get(name, Accesses()).plus(counted)
    return totals


def _memory_of(array: SSAValue, records: Iterable[Mapping[str, Any]]) -> str:
    match array.owner:
        case scratch.ViewOp() as view:
            offset = view.offset.value.data
            return next(r["name"] for r in records if r["offset"] <= offset < r["offset"] + r["bytes"])
        case scratch.ConstantOp() as constant:
            digest = digest_of(constant.value)
            return next((r["name"] for r in records if any(each["digest"] == digest for each in r["hot"])), FLASH)
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


def _plain(record: DictionaryAttr) -> dict[str, Any]:
    """A record of attributes as numbers, strings and lists of records."""

    def value(attribute: Any) -> Any:
        if isinstance(attribute, ArrayAttr):
            return [_plain(each) for each in cast("ArrayAttr[DictionaryAttr]", attribute)]
        return attribute.data if isinstance(attribute, StringAttr) else cast("IntegerAttr", attribute).value.data

    return {name: value(attribute) for name, attribute in record.data.items()}


def memories_part(report: Report) -> Iterable[str | list[list[object]]]:
    """Write the part of the report about memories; nothing for a program without `--memory`."""
    memories = report.memory.get("memories")
    if memories is None:
        return
    proof = (
        f"proved by the {memories['proof']}" if memories["proof"] else f"no choice takes less than {memories['bound']}"
    )
    checked = f", checked by {memories['checked']} search" if memories["checked"] else ""
    yield f"The accesses wait for {memories['wait_cycles']} cycles in one inference ({proof}{checked})."
    names = ["memory", "bytes", "arena", "constants", "stack", "loads", "stores", "wait states"]
    rows: list[list[object]] = [
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
