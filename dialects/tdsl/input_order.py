"""The order of the axes of an input whose channels come first in the model's file.

A sample has no batch axis here: an image in a file is channels x height x width, a sequence channels x steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute

from tinyml.dialects.own_attributes import OwnAttribute, numbers
from tinyml.dialects.tdsl.attributes import of_input

__all__ = ["ORDER", "channels_last", "named_axes", "order_axes", "row_by_row"]


def _is_order(axes: tuple[int, ...]) -> bool:
    return len(axes) in (3, 4) and axes[0] == 0 and sorted(axes) == [*range(len(axes))]


ORDER = OwnAttribute(
    "tdsl.order",
    of_input(numbers(i64, "an order of 3 or 4 axes of which 0 is the first, as in array<i64: 0, 2, 3, 1>", _is_order)),
    "For each axis of the input its number in the tensor of a file whose channels come first.",
)


def channels_last(rank: int) -> tuple[int, ...]:
    """The order in which the channels of N x C x ... are moved to the end, as ops on images read them."""
    return (0, *range(2, rank), 1)


def row_by_row() -> tuple[int, ...]:
    """The order N x H x C x W of an image that arrives row by row: a row holds the rows of all channels one by one."""
    return (0, 2, 1, 3)


def order_axes(order: Attribute | None) -> tuple[int, ...] | None:
    """The axes of an attribute `tdsl.order`; None without one."""
    return tuple(cast("DenseArrayBase[Any]", order).get_values()) if isinstance(order, DenseArrayBase) else None


def named_axes(axes: Sequence[int]) -> str:
    """The axes of a sample in words, such as `height x width x channels`."""
    names = ("channels", "height", "width") if len(axes) == 4 else ("channels", "steps")
    return " x ".join(names[axis - 1] for axis in axes[1:])
