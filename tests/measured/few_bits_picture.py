"""The picture of a network of few bits on a Cortex-M4, by the bits of weights and of activations."""

from __future__ import annotations

from programs.paths import ROOT

from measured.picture import OURS
from measured.tables import tables
from tinyml.tools.reports.svg import Drawing

FILE = ROOT / "docs/networks/few-bits.svg"

PANELS = "accuracy compiled, %", "flash, bytes", "RAM, bytes", "instructions"
"""The columns of `few-bits` drawn. The best number of a panel has the darkest colour."""

CELL, LEFT, TOP, GAP = (62, 24), 36, 58, 30
"""The width and the height of a cell, the margins of a panel, and the space between panels, in pixels."""


def picture() -> str:
    """The picture as SVG text: a panel for each figure, with a row for each width of weights and a column for each
    width of activations.
    """
    page = (ROOT / "docs/quantised-pytorch.md").read_text(encoding="utf-8")
    [table] = [table for table in tables(page) if table.name == "few-bits"]
    pairs = [label.split(" | ") for label in table.rows]
    rows, columns = (sorted({int(pair[part]) for pair in pairs}) for part in (0, 1))
    width, height = LEFT + len(columns) * CELL[0], TOP + len(rows) * CELL[1]
    drawing = Drawing(2 * width + GAP + 4, 2 * height + GAP, "Accuracy and costs by bits of weights and activations")
    for number, heading in enumerate(PANELS):
        x, y = number % 2 * (width + GAP), number // 2 * (height + GAP)
        at = table.headings.index(heading)
        cells = {label: row[at] for label, row in table.rows.items()}
        drawing.text(x + LEFT, y + 18, heading.removesuffix(" compiled, %") + (", %" if number == 0 else ""), "start")
        drawing.text(x + LEFT, y + 36, "bits of weights (rows) and of activations", "start")
        for column, bits in enumerate(columns):
            drawing.text(x + LEFT + (column + 0.5) * CELL[0], y + TOP - 6, str(bits))
        for row, bits in enumerate(rows):
            drawing.text(x + LEFT - 8, y + TOP + row * CELL[1] + 16, str(bits), "end")
        for (weights, activations), share in _shares(cells, best_is_greatest=number == 0).items():
            text = cells[f"{weights} | {activations}"]
            corner = x + LEFT + columns.index(activations) * CELL[0], y + TOP + rows.index(weights) * CELL[1]
            tip = f"weights of {weights} bits, activations of {activations} bits: {text}"
            drawing.shade(*corner, CELL[0] - 2, CELL[1] - 2, OURS, 0.08 + 0.52 * share, tip)
            drawing.text(corner[0] + CELL[0] / 2 - 1, corner[1] + 16, text, kind="on")
    return drawing.finished()


def _shares(cells: dict[str, str], *, best_is_greatest: bool) -> dict[tuple[int, int], float]:
    """The position of each number between the worst (0) and the best (1), by bits of weights and activations."""
    numbers = {label: float(text.replace(",", "")) for label, text in cells.items()}
    low, high = min(numbers.values()), max(numbers.values())
    found: dict[tuple[int, int], float] = {}
    for label, number in numbers.items():
        weights, activations = map(int, label.split(" | "))
        share = (number - low) / ((high - low) or 1.0)
        found[weights, activations] = share if best_is_greatest else 1 - share
    return found
