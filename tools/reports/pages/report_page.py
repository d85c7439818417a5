"""The page of a compiled program, `report.html`: answers, memory, time, formats, loops, search, boards and advice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tinyml.tools.driver.output_folder import MEASURED
from tinyml.tools.reports.breakdown import CALL_AND_RETURN
from tinyml.tools.reports.facts.figures import ERRORS, figures_of
from tinyml.tools.reports.facts.page_facts import PageFacts
from tinyml.tools.reports.facts.spent_time import Spent
from tinyml.tools.reports.pages.html import details, escape, figure, page, paragraph, section, table
from tinyml.tools.reports.report_fields import Report
from tinyml.tools.reports.svg import shortened

LONGEST_TABLE = 400
"""Maximum lines of C in the table below a flame chart, the slowest ones."""

HEADLINE = (
    "accuracy",
    "R2",
    "time from floats",
    "time of an inference",
    "estimated time",
    "flash",
    "RAM",
    "arena and input",
    "format",
)
"""The figures at the top of the page, those that are known."""

LARGE_SHARE = 0.5
"""The share of the time above which an operation is named."""


def report_page(facts: PageFacts) -> str:
    """The text of the HTML file."""
    report = facts.report
    sections = {
        "answers": ("Answers", _answers(facts)),
        "memory": ("Memory", _memory(facts)),
        "time": ("Time and flash", _time(facts)),
        "formats": ("Number formats", _formats(facts)),
        "loops": ("Loops", _loops(facts)),
        "search": ("Search" if report.search is not None else "Alternatives", _search(facts)),
        "boards": ("Boards", _boards(facts)),
        "next": ("What to try next", [_advice_list(facts)]),
    }
    shown = {name: (heading, text) for name, (heading, parts) in sections.items() if (text := "\n".join(parts))}
    body = "\n".join(section(name, heading, content) for name, (heading, content) in shown.items())
    heading = f"{report.name} on {report.target}"
    mark = "" if facts.measured is None else MEASURED
    links = [(name, heading) for name, (heading, _) in shown.items()]
    return page(f"{heading}: tinyml", _headline(report) + mark + body, heading=heading, links=links)


def _headline(report: Report) -> str:
    """The figures that matter most, with what stands beside each in small print, and the verdict on the board."""
    figures = figures_of(report)
    shown = [figure for name in HEADLINE if (figure := figures[name]).value is not None]
    items = "".join(
        f"<div><dt>{escape(each.name)}</dt><dd>{escape(each.text)}<small>{escape(each.note)}</small></dd></div>"
        for each in shown
    )
    verdict = ""
    if report.flash_limit is not None and report.fits is not None:
        said, kind = ("It fits the board.", "good") if report.fits else ("It does not fit the board.", "bad")
        verdict = paragraph(said, kind)
    return f'<dl class="figures">{items}</dl>{verdict}'


def _answers(facts: PageFacts) -> Iterator[str]:
    report, pictures = facts.report, facts.pictures
    samples, regression = report.samples, report.regression
    if samples and regression is None:
        yield paragraph(
            f"Of {samples:,} samples the compiled program answers {report.disagreements:,} otherwise than the float "
            "model; an answer that differs may be the better one."
        )
    if regression is not None:
        figures = figures_of(report)
        errors = [error for name in ERRORS if (error := figures[name]).value is not None]
        if errors:
            rows = [(error.name, error.text, error.reference) for error in errors]
            yield table(("error", "compiled", "float model"), rows, caption="Errors against the targets")
        yield paragraph(f"Its numbers differ from the float model's by {regression['difference']:.3g} on average.")
    if report.confusion is not None:
        yield figure(pictures["confusion"], "A row for each class. What is off the diagonal, in red, is wrong.")
        yield details("The same as tables", _confusion_tables(report.confusion))
    if (picture := pictures.get("errors")) is not None:
        yield figure(
            picture,
            "First the samples that the compiled program answers otherwise than the float model, then others that are "
            "wrong. errors.npz has them.",
        )


def _confusion_tables(confusion: Mapping[str, Any]) -> str:
    names = confusion["classes"]
    return "".join(
        table(
            ("class", *names),
            [(name, *row) for name, row in zip(names, confusion[kind], strict=True)],
            caption=f"Answers of the {kind} program",
        )
        for kind in ("float", "compiled")
    )


def _memory(facts: PageFacts) -> Iterator[str]:
    memory, ram = facts.report.memory, facts.report.ram_bytes
    if not memory["map"]:
        yield paragraph("The program keeps nothing in an arena.")
        return
    peak = memory["peak"]
    alive = ", ".join(f"{each['buffer']} ({each['bytes']:,})" for each in peak["buffers"])
    yield paragraph(
        f"The arena of {memory['height']:,} bytes is fullest at {peak['operation']}, where {peak['bytes']:,} bytes are "
        f"alive: {alive}. " + _packing(memory)
    )
    if ram.total is not None:
        parts = f"{ram.arena:,} bytes of arena, {ram.input:,} of input, {ram.stack:,} of stack"
        yield paragraph(f"RAM in total: {ram.total:,} bytes, of which {parts}.")
    yield figure(
        facts.pictures["memory"], "Buffers over time, addresses upwards; below, the bytes that are alive at each point."
    )
    rows = [(row["buffer"], row["bytes"], row["offset"], row["first"], row["last"]) for row in memory["map"]]
    headings = "buffer", "bytes", "offset", "first point", "last point"
    yield details("The buffers as a table", table(headings, rows, caption="Buffers of the arena"))


def _packing(memory: Mapping[str, Any]) -> str:
    shown = "that much is alive at the peak" if memory["proof"] == "peak" else f"proved by {memory['proof']}"
    if memory["checked"] is not None:
        shown += f", checked by {memory['checked']}"
    if memory["height"] == memory["lower_bound"]:
        return f"No packing of these buffers is smaller ({shown})."
    less = f"No packing takes less than {memory['lower_bound']:,} bytes ({shown})"
    return f"{less}; {memory['waste']:,} are free at the peak."


def _time(facts: PageFacts) -> Iterator[str]:
    report, unit = facts.report, facts.report.unit
    constants, flash = report.constants_bytes, report.flash_bytes
    if flash is not None:
        yield paragraph(
            f"Of {flash:,} bytes of flash the model's numbers and tables take {constants:,}; the rest is code."
        )
    if (time := facts.time) is None:
        return
    if facts.measured is None:
        yield paragraph(
            f"The {unit} below are those of the cost model; tinyml open measures them down to lines of C, where the "
            "tools of the board are installed."
        )
    else:
        yield paragraph(
            f"Counted by the simulator: all {unit} belong to the line of C that the compiler says they are from."
        )
    below = "" if facts.measured is None else ", below it steps, lines of C and the functions that they call"
    yield figure(facts.pictures["time"], f"The whole inference, below it operations{below}. The width is the time.")
    kernels = facts.kernels
    rows = [
        (part.name, part.time, f"{100 * part.time / (time.time or 1):.1f}", part.code, kernels.get(part.name, ""))
        for part in time.parts
    ]
    headings = "operation", unit, "%", "bytes of code", "kernels"
    yield details("The operations as a table", table(headings, rows, caption="Time and code of operations"))
    if facts.measured is not None:
        lines = sorted(_lines(time, ""), key=lambda row: -float(row[2]))[:LONGEST_TABLE]
        headings = "line of C", "operation", unit, "bytes of code"
        ordered = [(text, name, spent, code) for text, name, spent, code in lines if spent or code]
        yield details("Lines of C as a table", table(headings, ordered, caption="Lines of C, the slowest first"))


def _lines(spent: Spent, operation: str) -> Iterator[tuple[str, str, float, float | None]]:
    for part in spent.parts:
        if part.line:
            yield f"{part.line}: {part.name}", operation or CALL_AND_RETURN, part.time, part.code
        else:
            yield from _lines(part, operation or part.name)


def _formats(facts: PageFacts) -> Iterator[str]:
    if "formats" not in facts.pictures:
        return
    known = any(tensor.counts is not None for tensor in facts.tensors if tensor.kind != "constant")
    source = "histograms on the measured samples" if known else "their range on the validation data"
    yield figure(
        facts.pictures["formats"],
        f"Each axis is what a format represents: of constants a histogram, of values {source}, thick between the outer "
        "percentiles, with a line at the median."
        if not known
        else f"Each axis is what a format represents; of constants and values {source}. Heights are square roots of "
        "counts.",
    )
    rows = [
        (
            tensor.name,
            tensor.kind,
            "x".join(map(str, tensor.shape)),
            shortened(tensor.format, 60),
            tensor.bits,
            "" if tensor.low is None else f"{tensor.low:.4g}",
            "" if tensor.high is None else f"{tensor.high:.4g}",
        )
        for tensor in facts.tensors
    ]
    headings = "tensor", "kind", "shape", "format", "bits", "least", "greatest"
    yield details("The tensors as a table", table(headings, rows, caption="Tensors and their formats"))


def _loops(facts: PageFacts) -> Iterator[str]:
    segments: Sequence[Mapping[str, Any]] = facts.report.segments
    if segments:
        rows = [(each["first"], each["last"], each["by"]) for each in segments]
        yield table(("from", "to", "by"), rows, caption="Segments that are not computed op by op")
    if "loops" in facts.pictures:
        yield figure(facts.pictures["loops"], "A frame repeats what is in it; a coloured bar is a kernel of the chip.")


def _search(facts: PageFacts) -> Iterator[str]:
    report = facts.report
    if report.search is not None:
        yield figure(
            facts.pictures["search"],
            "Each dot is a candidate; the front and the choice can be reached by the keyboard.",
        )
        searched: Sequence[Mapping[str, Any]] = report.search["points"] or ()
        points = [point for point in searched if point["front"] or point["chosen"]]
        rows = [
            (each["origin"], f"{each['loss']:.4g}", each["time"], each["flash"], each["ram"], each["chosen"])
            for each in sorted(points, key=lambda point: point["time"])
        ]
        headings = "candidate", "loss", report.unit, "flash", "RAM", "chosen"
        if rows:
            yield details("The front as a table", table(headings, rows, caption="The front of the search"))
    if (chosen := report.chosen) is not None:
        rows = [
            (
                *(each[name] for name in ("name", "time", "flash", "ram")),
                "" if (lost := _points(each)) is None else f"{lost:.2f}",
                each["verdict"],
            )
            for each in chosen["alternatives"]
        ]
        headings = "alternative", f"{report.unit} (estimated)", "flash", "RAM", "points lost", "verdict"
        yield table(headings, rows, caption="What --format auto considered")


def _boards(facts: PageFacts) -> Iterator[str]:
    if (picture := facts.pictures.get("limits")) is None:
        return
    note = (
        ""
        if all(not board.least for board in facts.limits)
        else (" “At least” stands where a board has another core: only constants and working memory are the same.")
    )
    yield figure(picture, f"The board of the program first, then others with a chip of this kind.{note}")


def _advice_list(facts: PageFacts) -> str:
    """A list of advice; empty if there is none."""
    items = "".join(f"<li>{escape(text)}</li>" for text in _advice(facts))
    return f'<ul class="next">{items}</ul>' if items else ""


def _advice(facts: PageFacts) -> Iterator[str]:
    report = facts.report
    for warning in report.warnings:
        yield f"{_capital(warning['text'])}; {warning['cure']}."
    yield from (f"{line.removeprefix('Next: ')}." for line in report.lines if line.startswith("Next: "))
    if (chosen := report.chosen) is not None:
        yield from _alternatives(chosen, report.unit)
    time = facts.time
    if time is not None and time.parts:
        part = max(time.parts, key=lambda part: part.time)
        if part.time > LARGE_SHARE * time.time:
            share = 100 * part.time / time.time
            yield f"{part.name} takes {share:.0f} % of the time: a model with less of it gains most."
    ram, limit = report.ram_bytes, report.ram_limit
    if report.options["plan"] == "ordinary" and limit is not None and ram.total is not None and 2 * ram.total > limit:
        yield "tinyml plan MODEL lists orders of execution that take less RAM; --plan auto chooses one."
    for board in facts.limits[1:]:
        own = facts.limits[0]
        if board.fits and (2 * board.flash <= own.flash or 2 * board.ram <= own.ram):
            yield f"It would also fit {board.name}, with {board.flash:,} bytes of flash and {board.ram:,} of RAM."
            break


def _alternatives(chosen: Mapping[str, Any], unit: str) -> Iterator[str]:
    """The gain in time from a higher permitted loss."""
    taken = next((row for row in chosen["alternatives"] if row["verdict"] == "taken"), None)
    if taken is None or taken["time"] is None:
        return
    lost = _points(taken)
    for row in chosen["alternatives"]:
        points = _points(row)
        if points is None or lost is None or row["time"] is None or row is taken:
            continue
        if points > lost and row["time"] < 0.9 * taken["time"] and points - lost <= 2:
            saved = 100 * (1 - row["time"] / taken["time"])
            yield f"{points - lost:.2f} points more of loss would buy {saved:.0f} % of the {unit}: {row['name']}."


def _points(row: Mapping[str, Any]) -> float | None:
    """The points that an alternative loses, by its latest evaluation; None where it was not evaluated."""
    looks = [row[name] for name in ("loss", "look") if row[name] is not None]
    return looks[0]["points"] if looks else None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
