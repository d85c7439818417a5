"""The time of an inference: by operation, by step, by line of C and by the functions that a line calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.tools.reports.breakdown import CALL_AND_RETURN

if TYPE_CHECKING:
    from tinyml.runtime.devices.attribution import Attribution


@dataclass(frozen=True)
class Spent:
    """A part of the time, with the parts that it consists of; what is left is its own.

    time: in the board's unit. code: bytes of flash; None where that is not known. line: of the C file.
    """

    name: str
    time: float
    code: float | None
    parts: tuple[Spent, ...] = ()
    line: int | None = None


def estimated_time(report: Mapping[str, Any]) -> Spent | None:
    """The operations as the cost model estimates them; None without an estimate."""
    if (estimate := report["estimate"]) is None:
        return None
    unit = report["unit"]
    parts = tuple(Spent(one["operation"], one[unit], one["code_bytes"]) for one in estimate["operations"])
    total = estimate[f"{unit}_per_inference"]
    if (rest := total - sum(part.time for part in parts)) > 0:
        parts = (*parts, Spent(CALL_AND_RETURN, rest, None))
    return Spent(f"estimated {unit}", total, None, parts)


def measured_time(
    measured: Attribution, sources: Mapping[int, tuple[str, ...]], lines: Sequence[str], unit: str
) -> Spent:
    """The operations as they were measured, down to lines of C and the functions that these call.

    sources: the operation and its step of each line; lines: of the C file, the first at index 0.
    """
    grouped: dict[tuple[str, ...], list[Spent]] = {}
    for number in [*sorted({*measured.code, *measured.time} - {0}), 0]:
        calls = tuple(Spent(name, time, None) for name, time in measured.calls.get(number, {}).items())
        text = lines[number - 1].strip() if number else "without a line"
        spent = Spent(text, measured.time.get(number, 0.0), measured.code.get(number, 0), calls, number or None)
        grouped.setdefault(sources.get(number, (CALL_AND_RETURN,)), []).append(spent)
    parts: dict[str, list[Spent]] = {}
    for names, spent in grouped.items():
        whole = parts.setdefault(names[0], [])
        whole += spent if len(names) == 1 else [_joined(names[1], spent)]
    operations = [_joined(name, spent) for name, spent in parts.items()]
    operations.sort(key=lambda one: one.name == CALL_AND_RETURN)
    return _joined(f"measured {unit}", operations)


def _joined(name: str, parts: Sequence[Spent]) -> Spent:
    return Spent(name, sum(part.time for part in parts), sum(part.code or 0 for part in parts), tuple(parts))
