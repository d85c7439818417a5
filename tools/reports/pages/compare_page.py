"""A comparison of two programs: the causes of their difference, and the page that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tinyml.tools.reports.facts.figures import figures_of
from tinyml.tools.reports.facts.page_facts import PageFacts
from tinyml.tools.reports.facts.spent_time import Spent, draw_flame
from tinyml.tools.reports.pages.html import escape, figure, page, section, table

MAX_REASONS = 4
"""Maximum number of operations named as reasons."""

SMALL_SHARE = 0.02
"""Differences below this share of the first program's time are not named."""

COMPARED_FIGURES = (
    "board", "format", "width", "plan", "accuracy", "R2", "RMSE", "MAE", "threshold", "false alarms",
    "anomalies found", "time from floats", "time of an inference",
    "milliseconds", "flash", "constants", "RAM", "arena", "stack",
)  # fmt: skip
"""The figures that the page compares."""

PICTURES = {"time": "Time", "memory": "Memory", "formats": "Number formats", "loops": "Loops"}
"""The pictures of both programs that are shown one below the other, with their headings."""


@dataclass(frozen=True)
class ComparedOperation:
    """An operation of one or both programs, with its time, code and kernels in each program.

    The entry of a program is None if the program lacks the operation.
    """

    name: str
    time: tuple[float | None, float | None]
    code: tuple[float | None, float | None]
    kernels: tuple[str, str]

    @property
    def more(self) -> float:
        """The additional time of the operation in the second program."""
        return (self.time[1] or 0.0) - (self.time[0] or 0.0)


@dataclass(frozen=True)
class ComparedPrograms:
    """Two programs to compare, each with a name, for example the name of its folder."""

    names: tuple[str, str]
    facts: tuple[PageFacts, PageFacts]

    @property
    def units(self) -> tuple[str, str]:
        """The units of time of the two programs."""
        first, second = (facts.report.unit for facts in self.facts)
        return first, second

    def figures(self) -> list[tuple[str, str, str, str]]:
        """Rows of figures that at least one program has: the name, the text of each program's figure, and the ratio of
        the figures.

        The ratio is empty unless both figures are numbers.
        """
        rows: list[tuple[str, str, str, str]] = []
        pairs = [figures_of(facts.report) for facts in self.facts]
        for name in COMPARED_FIGURES:
            first, second = (figures[name] for figures in pairs)
            if (first.value, second.value) != (None, None):
                rows.append((name, first.text, second.text, _ratio(first.value, second.value)))
            if (first.exact, second.exact) != (None, None):
                ratio = _ratio(first.exact, second.exact)
                rows.append((f"{name} of the float model", first.reference, second.reference, ratio))
        return rows

    def operations(self) -> list[ComparedOperation]:
        """The operations of both programs by name: first those of the first program in its order, then those that only
        the second program has.
        """
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
        """The tensors whose format differs, or that only one program has: the name, and the format in each program or
        None.
        """
        formats = [{tensor.name: tensor.format for tensor in facts.tensors} for facts in self.facts]
        rows = [
            (name, formats[0].get(name), formats[1].get(name)) for name in dict.fromkeys([*formats[0], *formats[1]])
        ]
        return [row for row in rows if row[1] != row[2]]

    def reasons(self) -> Sequence[str]:
        """Sentences about the operations whose time differs most between the programs."""
        first, second = (facts.time for facts in self.facts)
        if first is None or second is None:
            return ["One of the programs has neither measured nor estimated times."]
        if self.units[0] != self.units[1]:
            return [f"Times are in {self.units[0]} and in {self.units[1]}: they cannot be compared."]
        more, unit = second.time - first.time, self.units[0]
        if abs(more) < SMALL_SHARE * first.time:
            return [f"Both need about the same time: {first.time:,.0f} and {second.time:,.0f} {unit}."]
        sign, word = (1, "more") if more > 0 else (-1, "less")
        said = [f"{self.names[1]} takes {abs(more):,.0f} {unit} {word} than {self.names[0]}."]
        operations = sorted(self.operations(), key=lambda one: -sign * one.more)
        for one in operations[:MAX_REASONS]:
            if sign * one.more < SMALL_SHARE * first.time:
                break
            said.append(f"{one.name}: {abs(one.more):,.0f} {unit} {word}{_why(one)}.")
        return said


def _why(one: ComparedOperation) -> str:
    """The likely reason why an operation takes different times, as the end of a sentence: only one program has the
    operation, or the kernels differ. Empty if neither is the case.
    """
    if one.time[0] is None or one.time[1] is None:
        return ", as only one of them has it"
    first, second = (kernels or "no kernel" for kernels in one.kernels)
    return f", by {second} instead of {first}" if first != second else ""


def _parts(spent: Spent | None) -> dict[str, Spent]:
    return {} if spent is None else {part.name: part for part in spent.parts}


def _ratio(first: float | str | None, second: float | str | None) -> str:
    if not isinstance(first, int | float) or not isinstance(second, int | float) or not first:
        return ""
    return f"{second / first:.2f}"


def compare_page(compared: ComparedPrograms) -> str:
    """The text of the HTML page."""
    first, second = compared.names
    headings = "figure", first, second, "second / first"
    reasons = "".join(f"<li>{escape(text)}</li>" for text in compared.reasons())
    sections = {
        "why": ("Why", f'<ul class="next">{reasons}</ul>'),
        "figures": ("Figures", table(headings, compared.figures(), caption="Figures of both programs")),
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
    shown: list[str] = []
    times = [facts.time for facts in compared.facts]
    slowest = max((time.time for time in times if time is not None), default=0.0)
    for program, facts, time in zip(compared.names, compared.facts, times, strict=True):
        picture = facts.pictures.get(name)
        if picture is None:
            continue
        if name == "time" and time is not None and compared.units[0] == compared.units[1]:
            picture = draw_flame(time, facts.report.unit, picture.title, slowest)
        shown.append(f"<h3>{escape(program)}</h3>{figure(picture, '', of=program)}")
    return "".join(shown)
