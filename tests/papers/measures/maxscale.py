"""Accuracy by maxscale (SeeDot 7.5): all candidates of `--search maxscale`, from its journal."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from figures.commands import model_path

from papers.measures.classifiers import compiled
from papers.row import Values
from tinyml.tools.driver.stages import find_model

WIDTH = 16
MODELS = ("bonsai-mnist10", "protonn-usps10")
"""The families and data sets of the paper's figure 13."""


def curves(models: Path | None) -> Values:
    """Percent of the validation set that is right for maxscale 0 to 15, and the best maxscale, for each model."""
    return {name: _curve(model_path(name, models)) for name in MODELS}


def _curve(folder: Path) -> dict[str, float | list[float]]:
    program, val, _ = find_model(folder)
    with tempfile.TemporaryDirectory() as out:
        journal = Path(out, "journal")
        options = ["--format", "seedot", "--search", "maxscale", "--widths", str(WIDTH), "--target", "host"]
        model = ["compile", str(program), "--val", str(val)]
        assert compiled([*model, *options, "--journal", str(journal), "-o", f"{out}/o"])
        entries = [json.loads(line) for line in journal.read_text().splitlines()]
    # The search begins with the greatest maxscale. Programs that are the same are evaluated once: the last is repeated.
    outcomes = [entry for entry in entries if "formats" in entry]
    assert len(outcomes) == WIDTH, f"{folder.name}: {len(outcomes)} outcomes of {WIDTH}"
    right = [100 * (1 - entry["wrong"] / entry["seen"]) for entry in reversed(outcomes)]
    best = max(range(WIDTH), key=lambda maxscale: (right[maxscale], maxscale))
    return {"best": best, "most": round(right[best], 2), "right": [round(value, 2) for value in right]}


def drawing(curves: dict[str, Sequence[float]]) -> str:
    """The curves as an SVG, percent by maxscale."""
    left, top, wide, high = 50, 20, 480, 220

    def at(maxscale: int, percent: float) -> str:
        return f"{left + wide * maxscale / (WIDTH - 1):.1f},{top + high * (1 - percent / 100):.1f}"

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 140} {top + high + 50}" '
        f'width="{left + wide + 140}" role="img" aria-label="Accuracy on the validation set by maxscale">',
        "<style>text { font: 13px system-ui, sans-serif; fill: #1f2328 }</style>",
        f'<rect width="{left + wide + 140}" height="{top + high + 50}" fill="#ffffff"/>',
    ]
    for percent in range(0, 101, 20):
        y = top + high * (1 - percent / 100)
        lines.append(f'<path d="M{left} {y:.1f}h{wide}" stroke="#d1d9e0"/>')
        lines.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>')
    for maxscale in range(WIDTH):
        x = left + wide * maxscale / (WIDTH - 1)
        lines.append(f'<text x="{x:.1f}" y="{top + high + 18}" text-anchor="middle">{maxscale}</text>')
    lines.append(f'<text x="{left + wide / 2:.0f}" y="{top + high + 40}" text-anchor="middle">maxscale</text>')
    lines.append(f'<text x="{left - 40}" y="{top - 6}">% right</text>')
    for number, (name, right) in enumerate(curves.items()):
        colour, y = ("#0550ae", "#bc4c00")[number], top + 20 + 22 * number
        points = " ".join(at(maxscale, percent) for maxscale, percent in enumerate(right))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for point in points.split():
            x, _, height = point.partition(",")
            lines.append(f'<circle cx="{x}" cy="{height}" r="3" fill="{colour}"/>')
        lines.append(f'<path d="M{left + wide + 12} {y}h14" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{left + wide + 30}" y="{y + 4}">{name}</text>')
    return "\n".join([*lines, "</svg>\n"])
