"""The record that a search attaches to a program, as a part of reports."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.formats.number_format import element_format
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.search.engine.result import FRONT_ATTRIBUTE, SEARCH_ATTRIBUTE


def points_report(formats: ModuleOp) -> list[dict[str, Any]] | None:
    """The candidates that a search recorded in a program at L1; None for a search that records no costs."""
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
