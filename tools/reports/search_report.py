"""The record that a search attaches to a program, as a part of reports and as a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.tools.reports.svg import COLOURS, Drawing, shortened, ticks

KINDS = {"others": "#a9a9a9", "front": COLOURS[0], "chosen": "#d5442f"}

HEIGHT, TOP, BOTTOM = 330, 40, 270

PANEL, GAP = 230, 74

ROWS = 40
"""Maximum number of tensors whose bits are drawn."""


def points_report(formats: ModuleOp) -> list[dict[str, Any]] | None:
    """The candidates that a search recorded in a program at L1; None for a search that records no costs."""
    from tinyml.runtime.evaluator.evaluator import predict_function
    from tinyml.transforms.search.engine.result import FRONT_ATTRIBUTE

    points: Any = predict_function(formats).attributes.get(FRONT_ATTRIBUTE)
    if points is None:
        return None
    return [
        {
            **{name: entry.data[name].value.data for name in ("loss", "time", "flash", "ram")},
            "origin": entry.data["origin"].data,
            **{name: name in entry.data for name in ("front", "chosen")},
        }
        for entry in points
    ]


def tensors_report(formats: ModuleOp) -> list[dict[str, Any]] | None:
    """The formats that a search chose in a program at L1, tensor by tensor; None without a search."""
    from tinyml.dialects.formats.number_format import element_format
    from tinyml.runtime.evaluator.evaluator import predict_function
    from tinyml.transforms.search.engine.result import SEARCH_ATTRIBUTE

    account: Any = predict_function(formats).attributes.get(SEARCH_ATTRIBUTE)
    if account is None:
        return None
    return [
        {
            "name": entry.data["name"].data,
            "format": str(entry.data["format"]),
            "width": element_format(entry.data["format"]).bits,
            "range": [entry.data["range"].low.data, entry.data["range"].high.data],
            "error": entry.data["error"].value.data,
            "why": entry.data["why"].data,
        }
        for entry in account
    ]


def draw_search(search: Mapping[str, Any], name: str, unit: str) -> Drawing:
    """Draw the search that a report describes: a panel with the bits of tensors and, if it considered costs, two with
    candidates.
    """
    points: Sequence[Mapping[str, Any]] = search["points"] or ()
    panels = 3 if points else 1
    title = f"{name}: search {search['name']}, {search['candidates']} candidates"
    picture = Drawing(30 + panels * (PANEL + GAP), HEIGHT, title)
    picture.text(picture.width / 2, 16, title)
    _widths(picture, search["tensors"] or ())
    if points:
        _against(picture, 2 * GAP + PANEL + 20, points, "ram", "RAM, bytes")
        _against(picture, 3 * GAP + 2 * PANEL, points, "time", f"{unit} of an inference")
    return picture


def _widths(picture: Drawing, tensors: Sequence[Mapping[str, Any]]) -> None:
    shown = tensors[:ROWS]
    if not shown:
        return
    row, left = min((BOTTOM - TOP) / len(shown), 26), 110
    scale = (PANEL + GAP - left - 30) / max(tensor["width"] for tensor in shown)
    for i, tensor in enumerate(shown):
        y = TOP + i * row
        tip = f"{tensor['name']}: {tensor['format']}; {tensor['why']}"
        picture.rectangle(left, y, tensor["width"] * scale, row - 1, fill=KINDS["front"], tip=tip)
        if row >= 9:
            picture.text(left - 4, y + row / 2 + 3, shortened(tensor["name"], 18), "end", kind="small")
            picture.text(
                left + tensor["width"] * scale + 4, y + row / 2 + 3, str(tensor["width"]), "start", kind="small"
            )
    more = f", and {len(tensors) - ROWS} more" if len(tensors) > ROWS else ""
    picture.text(left + 60, BOTTOM + 30, f"bits of each tensor{more}")


def _against(picture: Drawing, left: float, points: Sequence[Mapping[str, Any]], cost: str, label: str) -> None:
    kinds = {
        "others": [point for point in points if not point["front"]],
        "front": [point for point in points if point["front"]],
        "chosen": [point for point in points if point["chosen"]],
    }
    costs, losses = [point[cost] for point in points], [point["loss"] for point in points]
    low, high, most = min(costs), max(costs), max(losses)
    low, high = low - 0.05 * (high - low) - 1, high + 0.05 * (high - low) + 1
    most = most * 1.05 or 1.0

    def across(value: float) -> float:
        return left + PANEL * (value - low) / (high - low)

    def at(point: Mapping[str, Any]) -> tuple[float, float]:
        return across(point[cost]), BOTTOM - (BOTTOM - TOP) * point["loss"] / most

    picture.line(left, TOP, left, BOTTOM)
    picture.line(left, BOTTOM, left + PANEL, BOTTOM)
    picture.marks_below(BOTTOM, ((across(tick), f"{tick:,}") for tick in ticks(low, high, 5)), kind="small")
    for part in range(5):
        y = BOTTOM - (BOTTOM - TOP) * part / 4
        picture.line(left - 4, y, left, y)
        picture.text(left - 7, y + 4, f"{most * part / 4:.3g}", "end", kind="small")
    picture.text(left + PANEL / 2, BOTTOM + 34, label)
    picture.text(left - 46, (TOP + BOTTOM) / 2, "loss", turned=True)
    for kind, members in kinds.items():
        for point in members:
            tip = (
                f"{kind}: loss {point['loss']:.4g}, time {point['time']:,.0f}, {point['flash']:,.0f} bytes of flash, "
                f"{point['ram']:,.0f} bytes of RAM ({point['origin']})"
            )
            picture.dot(*at(point), 5 if kind == "chosen" else 3.5, KINDS[kind], tip, reached=kind != "others")
    for i, (kind, colour) in enumerate(KINDS.items()):
        picture.dot(left + PANEL - 60, TOP + 4 + 14 * i, 4, colour)
        picture.text(left + PANEL - 52, TOP + 8 + 14 * i, kind, "start", kind="small")
