"""The options that several searches have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tinyml.dialects.options import OptionGroup, option
from tinyml.transforms.formats.evaluation.metrics import spelled_metrics


def metric_option(default: str) -> Any:
    """The pass option `metric`, with the default `default`."""
    return option(
        f"metric by which candidates are compared: {spelled_metrics()}",
        default=default,
        metavar="NAME",
        group=OptionGroup.SEARCH,
    )


def widths_option(default: tuple[int, ...] = ()) -> Any:
    """The pass option `widths`. An empty tuple selects the default widths of the search."""
    return option("widths to choose from, in bits", default=default, metavar="N,N", group=OptionGroup.SEARCH)


def ram_option() -> Any:
    """The pass option `ram`, which limits RAM."""
    return option(
        "limit on RAM for arena, input and stack, by default the board's; the stack is estimated if it is not measured",
        default=None,
        metavar="BYTES",
        group=OptionGroup.MEMORY,
    )


def flash_option() -> Any:
    """The pass option `flash`, which limits the flash of the program."""
    return option(
        "limit on the flash of the program; larger, faster kernels may use it, with and without a search",
        default=None,
        metavar="BYTES",
        group=OptionGroup.MEMORY,
    )


def loss_option(default: float | None) -> Any:
    """The pass option `loss`, which limits the accuracy that may be lost."""
    return option(
        "accuracy that may be lost in a search or by --format auto, in percentage points",
        default=default,
        metavar="POINTS",
        group=OptionGroup.SEARCH,
    )


def formats_option() -> Any:
    """The pass option `formats`, which lists alternative formats for single tensors."""
    return option(
        "other formats or types that may be assigned to single tensors (promote, pareto, weights)",
        default=(),
        metavar="FORMAT,...",
        group=OptionGroup.SEARCH,
    )


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """The options of searches that a compilation without a search has, too."""

    ram: int | None = ram_option()
    flash: int | None = flash_option()
    loss: float | None = loss_option(None)
    metric: str = metric_option("accuracy")
