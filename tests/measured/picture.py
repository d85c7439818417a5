"""The picture of README.md and of the site: bars of the figures in two tables of README.md."""

from __future__ import annotations

from programs.paths import ROOT

from measured.tables import tables
from tinyml.tools.reports.svg import Drawing

FILE = ROOT / "docs/site/beside-others.svg"

WIDTH, ROW, TOP = 750, 27, 40
TIME, FLASH, BAR = 250, 510, 170
"""The left edges of the bars of both columns, and the length of the bar of others, in pixels."""

THEIRS, OURS = "#9aa5b1", "#1f7fd1"


def picture() -> str:
    """The picture as SVG: for each program two bars of time and two of flash, that of others of full length."""
    found = {table.name: table for table in tables((ROOT / "README.md").read_text(encoding="utf-8"))}
    rows: list[tuple[str, str, list[str], list[str]]] = []
    for label, (time, our_time, flash, our_flash, *_) in found["beside-others"].rows.items():
        name, others = label.split(" | ")
        rows.append((name, others.split(",")[0], [time, our_time, "k"], [flash, our_flash, ""]))
    for name, (our_time, time, our_flash, flash) in found["results-networks"].rows.items():
        rows.append((name.split(" (")[0], "TFLM", [time, our_time, "M"], [flash, our_flash, ""]))
    drawing = Drawing(WIDTH, TOP + ROW * len(rows) + 22)
    drawing.text(TIME, 20, "Time of an inference", "start")
    drawing.text(FLASH, 20, "Flash", "start")
    drawing.rectangle(18, 12, 10, 10, fill=OURS)
    drawing.text(33, 20, "tinyml", "start")
    drawing.rectangle(85, 12, 10, 10, fill=THEIRS)
    drawing.text(100, 20, "others", "start")
    for number, (name, others, *columns) in enumerate(rows):
        y = TOP + ROW * number
        drawing.text(TIME - 12, y + 10, f"{name}, beside {others}", "end")
        for x, unit, (theirs, ours, scale) in zip((TIME, FLASH), ("time", "bytes"), columns, strict=True):
            ratio = float(ours.replace(",", "")) / float(theirs.replace(",", ""))
            for line, (share, fill, text) in enumerate(((ratio, OURS, ours), (1.0, THEIRS, theirs))):
                drawing.rectangle(x, y + 12 * line, BAR * share, 9, fill=fill, tip=f"{text} {scale} {unit}")
                drawing.text(x + BAR * share + 4, y + 8 + 12 * line, text + (f" {scale}" if scale else ""), "start")
    note = (
        "Cycles of an ATmega328P, in thousands (k), or instructions of a Cortex-M4, in millions (M); "
        "flash in bytes, on the M4 beside constants"
    )
    drawing.text(18, TOP + ROW * len(rows) + 12, note, "start")
    return drawing.finished()
