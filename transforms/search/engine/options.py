"""Options that several searches have, so that each is worded once."""

from __future__ import annotations

from typing import Any

from tinyml.dialects.options import option


def metric(default: str) -> Any:
    """Option `metric`."""
    return option(
        "what candidates are compared by: disagreement, accuracy, error or margin", default=default, metavar="NAME"
    )


def widths(default: tuple[int, ...] = ()) -> Any:
    """Option `widths`; an empty tuple stands for the widths that the search describes."""
    return option("bits to choose from", default=default, metavar="N,N")


def ram() -> Any:
    """Option `ram`."""
    return option(
        "most RAM: arena, input and stack; without a search, arena and input for --plan auto",
        default=None,
        metavar="BYTES",
    )


def loss(default: float | None) -> Any:
    """Option `loss`."""
    return option("how much accuracy may be lost", default=default, metavar="POINTS")


def formats() -> Any:
    """Option `formats`."""
    return option("formats that single tensors may have instead (promote, pareto)", default=(), metavar="FORMAT,...")
