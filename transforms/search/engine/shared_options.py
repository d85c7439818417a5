"""Options that several searches share, with a single wording."""

from __future__ import annotations

from typing import Any

from tinyml.dialects.options import OptionGroup, option


def metric(default: str) -> Any:
    """The option `metric`."""
    return option(
        "metric by which candidates are compared: disagreement, accuracy, error or margin",
        default=default,
        metavar="NAME",
        group=OptionGroup.SEARCH,
    )


def widths(default: tuple[int, ...] = ()) -> Any:
    """The option `widths`; an empty tuple stands for the widths that the search describes."""
    return option("widths to choose from, in bits", default=default, metavar="N,N", group=OptionGroup.SEARCH)


def ram() -> Any:
    """The option `ram`."""
    return option(
        "limit on RAM: in a search, arena, input and stack; without one, arena and input under --plan auto",
        default=None,
        metavar="BYTES",
        group=OptionGroup.MEMORY,
    )


def loss(default: float | None) -> Any:
    """The option `loss`."""
    return option(
        "accuracy that may be lost, in percentage points", default=default, metavar="POINTS", group=OptionGroup.SEARCH
    )


def formats() -> Any:
    """The option `formats`."""
    return option(
        "other formats that single tensors may get (promote, pareto)",
        default=(),
        metavar="FORMAT,...",
        group=OptionGroup.SEARCH,
    )
