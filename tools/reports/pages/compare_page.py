"""The page of two programs side by side."""

from __future__ import annotations

from tinyml.tools.reports.facts.compared_programs import ComparedPrograms
from tinyml.tools.reports.pages.html import escape, figure, page, section, table
from tinyml.tools.reports.pictures.flame_picture import draw_flame

PICTURES = {"time": "Time", "memory": "Memory", "formats": "Number formats", "loops": "Loops"}
"""The pictures of both programs that stand below each other, with their headings."""


def compare_page(compared: ComparedPrograms) -> str:
    """The whole file."""
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
    return [(name, _number(first), _number(second), ratio) for name, first, second, ratio in compared.figures()]


def _number(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,.2f}".removesuffix(".00") if isinstance(value, int | float) else str(value)


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
    """The pictures of a name of both programs; bars of time are as wide as the time relative to the slower one."""
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
