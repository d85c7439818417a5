"""The picture of README.md and of the site: a bar chart of figures in two tables of the documentation."""

from __future__ import annotations

from programs.paths import ROOT

from measured.tables import tables
from tinyml.tools.reports.svg import Drawing

FILE = ROOT / "docs/site/beside-others.svg"

NETWORKS = "resnet8 (CIFAR-10)", "ds_cnn (keywords)", "vww96 (visual wake words)", "person_detect"
"""The networks drawn, by their labels in `results-networks`."""

WIDTH, ROW, TOP = 420, 44, 40
COLUMNS, BAR = (2, 222), 130
"""The left edges of the bars of time and of flash, and the length of the longer of two bars, in pixels."""

THEIRS, OURS = "#9aa5b1", "#1f7fd1"

NOTE = (
    "Thousands (k) of cycles on an ATmega328P, millions (M) of",
    "instructions on a Cortex-M4; its flash excludes constants.",
)


def picture() -> str:
    """The picture as SVG text, narrow enough for a phone.

    For each program it shows the name, two bars of time and two bars of flash. The longer bar of each pair has full
    length.
    """
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/results.md"))
    found = {table.name: table for table in tables(pages)}
    rows: list[tuple[str, str, list[str], list[str]]] = []
    for label, (time, our_time, flash, our_flash, *_) in found["beside-others"].rows.items():
        name, others = label.replace("`", "").split(" | ")
        rows.append((name, others.split(",")[0], [time, our_time, "k"], [flash, our_flash, ""]))
    networks = found["results-networks"]
    for name in NETWORKS:
        cells = dict(zip(networks.headings, networks.rows[name], strict=True))
        time, flash = (cells[heading] for heading in ("TFLM on M4", "TFLM, flash"))
        ours = cells["Cortex-M4"], cells["flash on M4"]
        rows.append((name.split(" (")[0], "TFLM", [time, ours[0], "M"], [flash, ours[1], ""]))
    drawing = Drawing(WIDTH, TOP + ROW * len(rows) + 16 * len(NOTE) + 8)
    for x, text in zip(COLUMNS, ("Time per inference", "Flash, bytes"), strict=True):
        drawing.text(x, 34, text, "start")
    for x, fill, text in ((2, OURS, "tinyml"), (72, THEIRS, "others")):
        drawing.rectangle(x, 6, 10, 10, fill=fill)
        drawing.text(x + 15, 15, text, "start")
    for number, (name, others, *columns) in enumerate(rows):
        y = TOP + ROW * number
        drawing.text(2, y + 14, f"{name}, tinyml vs. {others}", "start")
        for x, unit, (theirs, ours, scale) in zip(COLUMNS, ("time", "bytes"), columns, strict=True):
            ratio = float(ours.replace(",", "")) / float(theirs.replace(",", ""))
            bars = (ratio, OURS, ours), (1.0, THEIRS, theirs)
            for line, (share, fill, text) in enumerate(bars):
                length = BAR * share / max(ratio, 1.0)
                drawing.rectangle(x, y + 19 + 11 * line, length, 9, fill=fill, tip=f"{text} {scale} {unit}")
                drawing.text(x + length + 4, y + 27 + 11 * line, text + (f" {scale}" if scale else ""), "start")
    for line, text in enumerate(NOTE):
        drawing.text(2, TOP + ROW * len(rows) + 16 * (line + 1), text, "start")
    return drawing.finished()
