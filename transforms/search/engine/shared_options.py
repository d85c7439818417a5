"""Options that several searches have, so that each is worded once."""

from __future__ import annotations

from typing import Any

from tinyml.dialects.options import OptionGroup, option


def metric(default: str) -> Any:
    """Option `metric`."""
    return option(
        "metric by which candidates are compared: disagreement, accuracy, error or margin",
        default=default,
        metavar="NAME",
        group=OptionGroup.SEARCH,
    )


def widths(default: tuple[int, ...] = ()) -> Any:
    """Option `widths`; an empty tuple stands for the widths that the search describes."""
    return option("widths to choose from, in bits", default=default, metavar="N,N", group=OptionGroup.SEARCH)


def ram() -> Any:
    """Option `ram`."""
    return option(
        "limit on RAM, by default the board's: arena, input and stack, which is estimated where it is not measured",
        default=None,
        metavar="BYTES",
        group=OptionGroup.MEMORY,
    )


def loss(default: float | None) -> Any:
    """Option `loss`."""
    return option(
        "accuracy that may be lost in a search or by --format auto, in percentage points",
        default=default,
        metavar="POINTS",
        group=OptionGroup.SEARCH,
    )


def formats() -> Any:
    """Option `formats`."""
    return option(
        "other formats that single tensors may get (promote, pareto)",
        default=(),
        metavar="FORMAT,...",
        group=OptionGroup.SEARCH,
    )
