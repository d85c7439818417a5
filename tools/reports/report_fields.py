"""The fields of the report of a compiled model, from which `report.json` is written and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from tinyml.dialects.options import options_of
from tinyml.lowering.options import CompileOptions

SCHEMA = 2
"""The version of the fields, which increases when one is removed or changes its meaning, not when one is added."""

TIMES = ("time_per_inference", "time_per_mac")
"""Fields in the board's unit, after which JSON names them: `cycles_per_inference`."""


@dataclass(frozen=True, kw_only=True)
class RamBytes:
    """Bytes of RAM by purpose.

    arena: working memory. input: the caller's array, 0 if the input lies in the arena or arrives row by row. static:
    .data and .bss, arena and input included. stack: the measured peak of the stack. total: static and stack together.
    static, stack and total are None if nothing was measured.
    """

    arena: int
    input: int
    static: int | None
    stack: int | None
    total: int | None


@dataclass(frozen=True, kw_only=True)
class FunctionReport:
    """The greatest error of a function (`exp`, `tanh`, `sigmoid`) between two formats, over every argument.

    scheme: how it is computed, None for the usual way. error: in reals, None for more than 2^16 arguments and for
    floats.
    """

    function: str
    scheme: str | None
    argument: str
    result: str
    error: float | None


@dataclass(frozen=True, kw_only=True)
class Report:
    """The report of a compiled model; docs/commands.md describes the fields.

    Fields that are None are unknown: accuracies without labels, measurements without the board's tools. Accuracies are
    percentages, sizes are bytes, and times are in `unit`, cycles or instructions of the board; `time_source` is the
    origin of milliseconds (`TimeSource`). `options` has the options of the compilation by name, other than those that
    are fields themselves, such as `format`. `search`, `requested`, `chosen`, `lines`, `warnings`, `memory`, `segments`,
    `hardware`, `stream`, `confusion`, `regression`, `rounded_sums`, `sensor`, `float_inputs` and `estimate` are as in
    `report.json`.
    """

    schema: int = SCHEMA
    model: str
    name: str
    target: str
    part: str
    unit: str
    options: Mapping[str, Any]
    input_layout: str | None
    format: str
    width: int
    parts: str | None
    row_scales: bool
    feature_scales: bool
    fold_affine: bool
    search: Mapping[str, Any] | None
    optimize: str
    accuracy_float: float | None
    accuracy: float | None
    disagreements: int
    samples: int
    confusion: Mapping[str, Any] | None
    regression: Mapping[str, Any] | None
    rounded_sums: Mapping[str, Any] | None
    functions: tuple[FunctionReport, ...]
    flash_bytes: int | None
    constants_bytes: int
    far_constants: Mapping[str, Any] | None
    flash_limit: int | None
    flash_within: int | None
    ram_bytes: RamBytes
    ram_limit: int | None
    segments: list[dict[str, str | int]]
    memory: Mapping[str, Any]
    stream: Mapping[str, Any] | None
    time_per_inference: float | None
    macs: int
    time_per_mac: float | None
    core_cycles_per_inference: float | None
    core_cycles_per_mac: float | None
    milliseconds_per_inference: float | None
    time_source: str | None
    hardware: Mapping[str, Any] | None
    fits: bool | None
    estimate: Mapping[str, Any] | None
    seconds: float
    mismatch: str | None
    requested: Mapping[str, Any]
    chosen: Mapping[str, Any] | None
    lines: Sequence[str]
    warnings: Sequence[Mapping[str, str]]
    sensor: Mapping[str, Any] | None
    float_inputs: Mapping[str, Any] | None

    def as_json(self) -> dict[str, Any]:
        """The report as `report.json` has it: options among the fields, and times named after the unit."""
        entries: dict[str, Any] = {}
        for field in fields(self):
            match field.name:
                case "options":
                    entries |= self.options
                case "ram_bytes":
                    entries[field.name] = asdict(self.ram_bytes)
                case "functions":
                    entries[field.name] = list(map(asdict, self.functions))
                case name:
                    entries[_spelled(name, self.unit)] = getattr(self, name)
        return entries

    @staticmethod
    def of(entries: Mapping[str, Any]) -> Report:
        """The report that `as_json` gave; entries that are no fields are left out.

        Raises `KeyError` for a report in which fields are missing.
        """
        unit: str = entries["unit"]
        values = {
            field.name: entries[_spelled(field.name, unit)] for field in fields(Report) if field.name != "options"
        }
        options = {option.name for option in options_of(CompileOptions)} - values.keys()
        values["ram_bytes"] = RamBytes(**values["ram_bytes"])
        values["functions"] = tuple(FunctionReport(**function) for function in values["functions"])
        return Report(**values, options={name: entries[name] for name in options & entries.keys()})


def _spelled(name: str, unit: str) -> str:
    """The name of a field in JSON."""
    return name.replace("time", unit, 1) if name in TIMES else name
