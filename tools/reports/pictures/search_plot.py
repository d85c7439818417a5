"""A picture of a search's result: bits of each tensor, and the candidates' loss against RAM and time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.tools.reports.pictures.plots import save_picture

if TYPE_CHECKING:
    from tinyml.targets.board import Board

COLOURS = {"others": "#bbbbbb", "front": "#4477aa", "chosen": "#cc3311"}


def plot_search(report: dict[str, Any], board: Board, file: Path) -> None:
    """Draw the search of a report into a file."""
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    search = report["search"]
    points: list[dict[str, Any]] = search["points"] or []
    panels = 3 if points else 1
    figure: Any = Figure(figsize=(5 * panels, 4.5), layout="constrained")
    axes = figure.subplots(1, panels, squeeze=False)[0]
    figure.suptitle(f"{report['name']}: search {search['name']}, {search['candidates']} candidates")
    _widths(axes[0], search["tensors"])
    if points:
        _against(axes[1], points, "ram", "RAM, bytes")
        _against(axes[2], points, "time", f"{board.unit} of an inference")
    save_picture(figure, file)


def _widths(axes: Any, tensors: list[dict[str, Any]]) -> None:
    rows = range(len(tensors))
    axes.barh(rows, [tensor["width"] for tensor in tensors], color=COLOURS["front"])
    axes.set_yticks(rows, [tensor["name"] for tensor in tensors], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("bits")


def _against(axes: Any, points: list[dict[str, Any]], cost: str, label: str) -> None:
    kinds = {
        "others": [point for point in points if not point["front"]],
        "front": [point for point in points if point["front"]],
        "chosen": [point for point in points if point["chosen"]],
    }
    for kind, members in kinds.items():
        costs, losses = [point[cost] for point in members], [point["loss"] for point in members]
        axes.scatter(costs, losses, color=COLOURS[kind], label=kind, s=18)
    axes.set_xlabel(label)
    axes.set_ylabel("loss")
    axes.legend()
