"""What a search chose, as a picture: bits of each tensor, and loss against RAM and time of the candidates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    figure.savefig(file)


def _widths(axes: Any, tensors: list[dict[str, Any]]) -> None:
    places = range(len(tensors))
    axes.barh(places, [one["width"] for one in tensors], color=COLOURS["front"])
    axes.set_yticks(places, [one["name"] for one in tensors], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("bits")


def _against(axes: Any, points: list[dict[str, Any]], cost: str, label: str) -> None:
    kinds = {
        "others": [one for one in points if not one["front"]],
        "front": [one for one in points if one["front"]],
        "chosen": [one for one in points if one["chosen"]],
    }
    for kind, found in kinds.items():
        costs, losses = [one[cost] for one in found], [one["loss"] for one in found]
        axes.scatter(costs, losses, color=COLOURS[kind], label=kind, s=18)
    axes.set_xlabel(label)
    axes.set_ylabel("loss")
    axes.legend()
