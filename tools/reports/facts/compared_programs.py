"""Two programs beside each other: figures, operations, kernels and formats, and where the difference comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tinyml.tools.reports.facts.page_facts import PageFacts
from tinyml.tools.reports.facts.spent_time import Spent

MOST_REASONS = 4
"""The most operations that are named as reasons."""

SMALL = 0.02
"""The share of the first program's time below which a difference is no reason."""


@dataclass(frozen=True)
class ComparedOperation:
    """An operation of both programs or of one, with its time, code and kernels in each; None where it is missing."""

    name: str
    time: tuple[float | None, float | None]
    code: tuple[float | None, float | None]
    kernels: tuple[str, str]

    @property
    def more(self) -> float:
        """The time that the second program takes more."""
        return (self.time[1] or 0.0) - (self.time[0] or 0.0)


@dataclass(frozen=True)
class ComparedPrograms:
    """Two programs by their names, such as the folders in which they lie."""

    names: tuple[str, str]
    facts: tuple[PageFacts, PageFacts]

    @property
    def units(self) -> tuple[str, str]:
        """Their units of time."""
        first, second = (facts.report["unit"] for facts in self.facts)
        return first, second

    def figures(self) -> list[tuple[str, Any, Any, float | None]]:
        """Rows of figures of both, with the second relative to the first where both are numbers."""
        return [(name, *values, _ratio(*values)) for name, values in self._figures()]

    def _figures(self) -> Iterator[tuple[str, tuple[Any, Any]]]:
        def both(name: str, *path: str) -> tuple[str, tuple[Any, Any]]:
            first, second = (_at(facts.report, path or (name,)) for facts in self.facts)
            return name, (first, second)

        yield both("board", "target")
        yield both("format")
        yield both("width")
        yield both("plan")
        yield both("accuracy")
        yield both("accuracy of the float model", "accuracy_float")
        times = [facts.report[f"{facts.report['unit']}_per_inference"] for facts in self.facts]
        yield " / ".join(dict.fromkeys(self.units)), (times[0], times[1])
        yield both("milliseconds", "milliseconds_per_inference")
        yield both("flash", "flash_bytes")
        yield both("of it constants", "constants_bytes")
        yield both("RAM", "ram_bytes", "total")
        yield both("arena", "ram_bytes", "arena")
        yield both("stack", "ram_bytes", "stack")

    def operations(self) -> list[ComparedOperation]:
        """The operations of both by name, in the order of the first program, then those that only the second has."""
        times = [_parts(facts.time) for facts in self.facts]
        kernels = [facts.kernels for facts in self.facts]

        def pair(name: str, field: str) -> tuple[Any, Any]:
            first, second = (getattr(one.get(name), field, None) for one in times)
            return first, second

        return [
            ComparedOperation(
                name, pair(name, "time"), pair(name, "code"), (kernels[0].get(name, ""), kernels[1].get(name, ""))
            )
            for name in dict.fromkeys([*times[0], *times[1]])
        ]

    def tensors(self) -> list[tuple[str, str | None, str | None]]:
        """Tensors by name whose format differs, or that only one program has."""
        formats = [{tensor.name: tensor.format for tensor in facts.tensors} for facts in self.facts]
        rows = [
            (name, formats[0].get(name), formats[1].get(name)) for name in dict.fromkeys([*formats[0], *formats[1]])
        ]
        return [row for row in rows if row[1] != row[2]]

    def reasons(self) -> Sequence[str]:
        """Sentences on the operations that make most of the difference in time."""
        first, second = (facts.time for facts in self.facts)
        if first is None or second is None:
            return ["One of the programs has neither measured nor estimated times."]
        if self.units[0] != self.units[1]:
            return [f"Times are in {self.units[0]} and in {self.units[1]}: they cannot be compared."]
        more, unit = second.time - first.time, self.units[0]
        if abs(more) < SMALL * first.time:
            return [f"Both take about the same time: {first.time:,.0f} and {second.time:,.0f} {unit}."]
        sign, word = (1, "more") if more > 0 else (-1, "less")
        said = [f"{self.names[1]} takes {abs(more):,.0f} {unit} {word} than {self.names[0]}."]
        operations = sorted(self.operations(), key=lambda one: -sign * one.more)
        for one in operations[:MOST_REASONS]:
            if sign * one.more < SMALL * first.time:
                break
            said.append(f"{one.name}: {abs(one.more):,.0f} {unit} {word}{_why(one)}.")
        return said


def _why(one: ComparedOperation) -> str:
    """The difference that goes with that of the times."""
    if one.time[0] is None or one.time[1] is None:
        return ", as only one of them has it"
    first, second = (kernels or "no kernel" for kernels in one.kernels)
    return f", by {second} instead of {first}" if first != second else ""


def _parts(spent: Spent | None) -> dict[str, Spent]:
    return {} if spent is None else {part.name: part for part in spent.parts}


def _at(report: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = report
    for name in path:
        value = value[name]
    return value


def _ratio(first: Any, second: Any) -> float | None:
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in (first, second)) or not first:
        return None
    return second / first
