"""Two programs side by side: where their difference comes from, and the page that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tinyml.tools.reports.facts.page_facts import PageFacts
from tinyml.tools.reports.facts.spent_time import Spent, draw_flame
from tinyml.tools.reports.pages.html import escape, figure, page, section, table
from tinyml.tools.reports.tables import spell_figure

MOST_REASONS = 4
"""Maximum number of operations named as reasons."""

SMALL = 0.02
"""Differences below this share of the first program's time are not named."""

PICTURES = {"time": "Time", "memory": "Memory", "formats": "Number formats", "loops": "Loops"}
"""The pictures of both programs that stand below each other, with their headings."""


@dataclass(frozen=True)
class ComparedOperation:
    """An operation of both programs or of one, with its time, code and kernels in each; None where it is missing."""

    name: str
    time: tuple[float | None, float | None]
    code: tuple[float | None, float | None]
    kernels: tuple[str, str]

    @property
    def more(self) -> float:
        """The extra time that the second program takes."""
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
    """The likely cause of a difference in time: an operation that only one program has, or another kernel."""
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


def compare_page(compared: ComparedPrograms) -> str:
    """The text of the HTML file."""
    first, second = compared.names
    reasons = "".join(f"<li>{escape(text)}</li>" for text in compared.reasons())
    sections = {
        "why": ("Why", f'<ul class="next">{reasons}</ul>'),
        "figures": ("Figures", _figures(compared)),
        "operations": ("Operations", _operations(compared)),
    }
    if tensors := compared.tensors():
        rows = [
            (name, *(text if text is None or len(text) < 60 else f"{text[:59]}…" for text in row))
            for name, *row in tensors
        ]
        sections["tensors"] = (
            "Formats that differ",
            table(("tensor", first, second), rows, caption="Formats of tensors"),
        )
    sections |= {name: (heading, _pictures(compared, name)) for name, heading in PICTURES.items()}
    shown = {name: pair for name, pair in sections.items() if pair[1]}
    body = "\n".join(section(name, heading, content) for name, (heading, content) in shown.items())
    links = [(name, heading) for name, (heading, _) in shown.items()]
    return page(f"{first} and {second}: tinyml", body, heading=f"{first} and {second}", links=links)


def _figures(compared: ComparedPrograms) -> str:
    rows = [(name, *values, "" if ratio is None else f"{ratio:.2f}") for name, *values, ratio in _spelled(compared)]
    return table(("figure", *compared.names, "second / first"), rows, caption="Figures of both programs")


def _spelled(compared: ComparedPrograms) -> list[tuple[str, str, str, float | None]]:
    return [
        (name, spell_figure(first), spell_figure(second), ratio) for name, first, second, ratio in compared.figures()
    ]


def _operations(compared: ComparedPrograms) -> str:
    unit = " / ".join(dict.fromkeys(compared.units))
    rows = [
        (one.name, *one.time, one.more if None not in one.time else None, *one.code, _kernels(*one.kernels))
        for one in compared.operations()
    ]
    first, second = compared.names
    headings = "operation", f"{unit}, {first}", second, "difference", f"code, {first}", f"code, {second}", "kernels"
    return table(headings, rows, caption="Operations by their names")


def _kernels(first: str, second: str) -> str:
    return first if first == second else f"{first or '-'} → {second or '-'}"


def _pictures(compared: ComparedPrograms, name: str) -> str:
    """The pictures called `name` of both programs; flame charts have the scale of the slower program."""
    shown: list[str] = []
    times = [facts.time for facts in compared.facts]
    slowest = max((time.time for time in times if time is not None), default=0.0)
    for program, facts, time in zip(compared.names, compared.facts, times, strict=True):
        picture = facts.pictures.get(name)
        if picture is None:
            continue
        if name == "time" and time is not None and compared.units[0] == compared.units[1]:
            picture = draw_flame(time, facts.report["unit"], picture.title, slowest)
        shown.append(f"<h3>{escape(program)}</h3>{figure(picture, '', of=program)}")
    return "".join(shown)
