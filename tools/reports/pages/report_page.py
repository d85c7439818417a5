"""The page `report.html` of a compiled program: from answers, memory and time to proofs, boards and advice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tinyml.lowering.options import DEFAULT_LOSS
from tinyml.tools.reports.facts.figures import ALARMS, ERRORS, figures_of
from tinyml.tools.reports.facts.page_facts import PageFacts
from tinyml.tools.reports.facts.plain_terms import plain_memory, plain_operation, plain_time
from tinyml.tools.reports.facts.spent_time import CALL_AND_RETURN, Spent
from tinyml.tools.reports.facts.tensor_facts import plain_tensor
from tinyml.tools.reports.pages.html import (
    IR_SWITCH,
    Cell,
    details,
    escape,
    figure,
    marked,
    page,
    paragraph,
    section,
    table,
)
from tinyml.tools.reports.report_parts import Content, parts_of
from tinyml.tools.reports.report_views import Report
from tinyml.tools.reports.svg import shortened
from tinyml.tools.reports.warnings import LOST_POINTS

MEASURED = "<!-- measured -->"
"""The mark of a report whose times were measured per line of C."""

LONGEST_TABLE = 400
"""Maximum lines of C in the table below a flame chart; the slowest ones are listed."""

HEADLINE = (
    "accuracy",
    "metric",
    "R2",
    "threshold",
    *ALARMS,
    "time from floats",
    "time of an inference",
    "estimated time",
    "flash",
    "RAM",
    "arena and input",
    "format",
)
"""The figures at the top of the page, if they are known."""

OF_THE_IR = ("loops",)
"""Sections that are shown only with the terms of the IR."""

LARGE_SHARE = 0.5
"""The share of the time above which an operation is named."""


def report_page(facts: PageFacts) -> str:
    """The text of the HTML page."""
    report = facts.report
    sections = {
        "answers": ("Answers", _answers(facts)),
        "memory": ("Memory", _memory(facts)),
        "time": ("Time and flash", _time(facts)),
        "formats": ("Number formats", _formats(facts)),
        "proofs": ("Proofs", _proofs(facts)),
        "loops": ("Loops", _loops(facts)),
        "search": ("Search" if report.search is not None else "Alternatives", _search(facts)),
        "boards": ("Boards", _boards(facts)),
        **{
            f"part-{name}": (heading, [_shown(heading, content) for content in contents])
            for name, heading, contents in parts_of(report)
        },
        "next": ("What to try next", [_bulleted(_advice(facts))]),
    }
    shown = {name: (heading, text) for name, (heading, parts) in sections.items() if (text := "\n".join(parts))}
    kinds = {name: "ir" if name in OF_THE_IR else "" for name in shown}
    body = "\n".join(section(name, heading, text, kind=kinds[name]) for name, (heading, text) in shown.items())
    heading = f"{report.name} on {report.target}"
    mark = "" if facts.measured is None else MEASURED
    links = [(name, heading, kinds[name]) for name, (heading, _) in shown.items()]
    top = _verdict(report) + _warnings(report) + _headline(report) + mark + IR_SWITCH
    return page(f"{heading}: tinyml", top + body, heading=heading, links=links)


def _shown(heading: str, content: Content) -> str:
    if isinstance(content, str):
        return paragraph(content)
    headings, *rows = content
    return table([str(heading) for heading in headings], rows, caption=heading)


def _headline(report: Report) -> str:
    figures = figures_of(report)
    shown = [figure for name in HEADLINE if (figure := figures[name]).value is not None]
    kinds = {"accuracy": _kind_of_loss(report)}
    items = "".join(
        f"<div><dt>{escape(each.name)}</dt><dd{marked(kinds.get(each.name, ''))}>{escape(each.text)}"
        f"<small>{escape(each.note)}</small></dd></div>"
        for each in shown
    )
    return f'<dl class="figures">{items}</dl>'


def _kind_of_loss(report: Report) -> str:
    if report.accuracy is None or report.accuracy_float is None:
        return ""
    lost = report.accuracy_float - report.accuracy
    return "good" if lost <= DEFAULT_LOSS else "fair" if lost <= LOST_POINTS else "bad"


def _verdict(report: Report) -> str:
    """The HTML that states whether the program fits the board, and how much it loses, in the colour of the worse
    result. Empty if neither is known.
    """
    kind, said = _kind_of_loss(report), ""
    if report.detection is not None:
        said = f"calls {report.detection['formats']['alarms']:.2%} of the normal samples anomalies"
    elif report.accuracy is not None and report.accuracy_float is not None:
        lost = report.accuracy_float - report.accuracy
        said = f"loses {lost:.2f} points of accuracy" if lost > 0 else "loses no accuracy"
    if report.flash_limit is None or report.fits is None:
        return paragraph(f"It {said}.", f"verdict {kind}") if said else ""
    if not report.fits:
        return paragraph("It does not fit the board.", "verdict bad")
    return paragraph(f"It fits the board{f' and {said}' if said else ''}.", f"verdict {kind or 'good'}")


def _warnings(report: Report) -> str:
    texts = [f"{_capital(warning['text'])}; {warning['cure']}." for warning in report.warnings]
    return section("warnings", "Warnings", _bulleted(texts)) if texts else ""


def _answers(facts: PageFacts) -> Iterator[str]:
    report, pictures = facts.report, facts.pictures
    samples, regression = report.samples, report.regression
    if samples and regression is None:
        yield paragraph(
            f"The answers of the compiled program and of the float model differ for {report.disagreements:,} of "
            f"{samples:,} samples. An answer that differs may be the better one."
            if report.disagreements
            else f"The compiled program and the float model give the same answer for all {samples:,} samples."
        )
    if regression is not None:
        figures = figures_of(report)
        errors = [error for name in ERRORS if (error := figures[name]).value is not None]
        if errors:
            rows = [(error.name, error.text, error.reference) for error in errors]
            yield table(("error", "compiled", "float model"), rows, caption="Errors against the targets")
        yield paragraph(f"Its numbers differ from the float model's by {regression['difference']:.3g} on average.")
    if report.detection is not None:
        yield from _detector(report)
    if report.confusion is not None:
        yield _recall_table(report.confusion)
        yield figure(pictures["confusion"], "A row for each class. What is off the diagonal, in red, is wrong.")
        yield details("The same as tables", _confusion_tables(report.confusion))
    if (picture := pictures.get("errors")) is not None:
        yield figure(
            picture,
            "First the samples for which the answers of the compiled program and of the float model differ, then other "
            "wrong answers. errors.npz has them. A bar is a feature, from its least to its greatest value in the data.",
        )


def _detector(report: Report) -> Iterator[str]:
    figures, detection = figures_of(report), report.detection
    assert detection is not None
    yield paragraph(
        f"A sample whose score is below the threshold, {figures['threshold'].text}, is an anomaly. False alarms are "
        "normal samples that are called anomalies; without labels all samples count as normal."
    )
    rows = [(rate.name, rate.text, rate.reference) for name in ALARMS if (rate := figures[name]).value is not None]
    if detection["formats"]["auc"] is not None:
        found, exact = (f"{detection[kind]['auc']:.4f}" for kind in ("formats", "reals"))
        rows.append(("area under the curve", found, exact))
    yield table(("rate", "compiled", "float model"), rows, caption="Anomalies and false alarms")
    yield paragraph(
        f"Of samples far from the data, {detection['far']:.1%} are classified differently from the float model."
    )


def _recall_table(confusion: Mapping[str, Any]) -> str:
    rows: list[tuple[str | Cell, ...]] = []
    for at, name in enumerate(confusion["classes"]):
        samples = sum(confusion["float"][at])
        if samples == 0:
            rows.append((name, "0", "", "", ""))
            continue
        exact, found = (100 * confusion[kind][at][at] / samples for kind in ("float", "compiled"))
        kind = "good" if found >= exact else "fair" if exact - found <= LOST_POINTS else "bad"
        change = Cell(f"{found - exact:+.1f}", kind)
        rows.append((name, f"{samples:,}", f"{exact:.1f}", f"{found:.1f}", change))
    headings = "class", "samples", "float, %", "compiled, %", "change"
    return table(headings, rows, caption="Samples of each class that are found")


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
    memory, ram = plain_memory(facts.report.memory), facts.report.ram_bytes
    if not memory["map"]:
        yield paragraph("The program has no arena.")
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
    names = (row["buffer"] for row in facts.report.memory["map"])
    rows = [
        (row["buffer"], row["bytes"], row["offset"], row["first"], row["last"], name)
        for row, name in zip(memory["map"], names, strict=True)
    ]
    headings = "buffer", "bytes", "offset", "first point", "last point", "in the IR"
    yield details("The buffers as a table", table(headings, rows, caption="Buffers of the arena", ir=headings[-1:]))


def _packing(memory: Mapping[str, Any]) -> str:
    proof = "that much is alive at the peak" if memory["proof"] == "peak" else f"proved by {memory['proof']}"
    shown = f"{memory['packer']} packed it; {proof}"
    if memory["checked"] is not None:
        shown += f", checked by {memory['checked']}"
    if memory["height"] == memory["lower_bound"]:
        return f"No packing of these buffers is smaller ({shown})."
    less = f"No packing needs less than {memory['lower_bound']:,} bytes ({shown})"
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
        (
            plain_operation(part.name),
            part.time,
            f"{100 * part.time / (time.time or 1):.1f}",
            part.code,
            part.name,
            kernels.get(part.name, ""),
        )
        for part in time.parts
    ]
    headings = "operation", unit, "%", "bytes of code", "in the IR", "kernels"
    caption = "Time and code of operations"
    yield details("The operations as a table", table(headings, rows, caption=caption, ir=headings[-2:]))
    if facts.measured is not None:
        lines = sorted(_lines(plain_time(time), ""), key=lambda row: -float(row[2]))[:LONGEST_TABLE]
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
            plain_tensor(tensor),
            tensor.kind,
            "x".join(map(str, tensor.shape)),
            tensor.words,
            "" if tensor.low is None else f"{tensor.low:.4g}",
            "" if tensor.high is None else f"{tensor.high:.4g}",
            tensor.name,
            shortened(tensor.format, 60),
        )
        for tensor in facts.tensors
    ]
    headings = "numbers", "kind", "shape", "format", "least", "greatest", "in the IR", "type"
    caption = "Numbers of the program and their formats"
    yield details("The formats as a table", table(headings, rows, caption=caption, ir=headings[-2:]))


def _proofs(facts: PageFacts) -> Iterator[str]:
    if (found := facts.proofs) is None:
        return
    stated, proved = (sum(row[name] for row in found["ops"]) for name in ("statements", "proved"))
    yield paragraph(
        f"Of {stated:,} statements about the operations and sums of the program, {proved:,} are proved for all inputs: "
        "the results are the documented ones, and nothing overflows."
    )
    for one in found["false"]:
        yield paragraph(f"False: {one['statement']}: {one['wrong']}.", "verdict bad")
    rows = [(row["op"], row["statements"], row["proved"], row["by_solver"]) for row in found["ops"]]
    headings = "subject", "statements", "proved", "of these by the solver"
    yield details("The statements as a table", table(headings, rows, caption="Statements, by their subject"))
    if found["open"]:
        reasons = [f"{shortened(one['statement'], 90)}: {one['reason']}." for one in found["open"]]
        yield details(f"{len(reasons):,} that are open", _bulleted(reasons))


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
        yield table(headings, rows, caption="What was considered")


def _boards(facts: PageFacts) -> Iterator[str]:
    if (picture := facts.pictures.get("limits")) is None:
        return
    note = (
        ""
        if all(not board.least for board in facts.limits)
        else (" “At least” stands where a board has another core: only constants and working memory are the same.")
    )
    yield figure(picture, f"The board of the program first, then others with a chip of this kind.{note}")


def _bulleted(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul class="next">{items}</ul>' if items else ""


def _advice(facts: PageFacts) -> Iterator[str]:
    report = facts.report
    yield from (f"{line.removeprefix('Next: ')}." for line in report.lines if line.startswith("Next: "))
    if (chosen := report.chosen) is not None:
        yield from _alternatives(chosen, report.unit)
    time = facts.time
    if time is not None and time.parts:
        part = max(time.parts, key=lambda part: part.time)
        if part.time > LARGE_SHARE * time.time:
            share = 100 * part.time / time.time
            name = _capital(plain_operation(part.name))
            yield f"{name}: {share:.0f} % of the time, so that a model with less of it gains most."
    ram, limit = report.ram_bytes, report.ram_limit
    if report.options["plan"] == "ordinary" and limit is not None and ram.total is not None and 2 * ram.total > limit:
        yield "tinyml plan MODEL lists orders of execution that need less RAM; --plan auto chooses one."
    for board in facts.limits[1:]:
        own = facts.limits[0]
        if board.fits and (2 * board.flash <= own.flash or 2 * board.ram <= own.ram):
            yield f"It would also fit {board.name}, with {board.flash:,} bytes of flash and {board.ram:,} of RAM."
            break


def _alternatives(chosen: Mapping[str, Any], unit: str) -> Iterator[str]:
    """Yield sentences that state how much faster the program would be if a greater loss were permitted.

    Only alternatives that take less than 90 % of the time and lose at most 2 points more are mentioned.
    """
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
    looks = [row[name] for name in ("loss", "look") if row[name] is not None]
    return looks[0]["points"] if looks else None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
