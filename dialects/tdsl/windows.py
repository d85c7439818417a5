"""Windows over the axes of images: properties of ops, and the number of windows along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i64
from xdsl.utils.exceptions import VerifyException


def integers(attribute: DenseArrayBase[IntegerType], name: str, count: int) -> tuple[int, ...]:
    """The values of a property; raises `VerifyException` unless there are `count`."""
    values = tuple(int(value) for value in attribute.get_values())
    if len(values) != count:
        raise VerifyException(f"{name} needs {count} values, got {len(values)}")
    return values


def integer_array(values: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """A property that holds integers."""
    return DenseArrayBase.from_list(i64, values)


def windows(extent: int, kernel: int, before: int, after: int, stride: int, dilation: int = 1) -> int:
    """The number of windows along an axis; raises `VerifyException` if none fits."""
    if kernel < 1 or stride < 1 or dilation < 1 or before < 0 or after < 0:
        raise VerifyException("windows, strides and dilations are at least 1, padding at least 0")
    span = extent + before + after - dilation * (kernel - 1) - 1
    if span < 0:
        raise VerifyException(f"a window of {kernel} does not fit in {extent} elements with this padding")
    return span // stride + 1
