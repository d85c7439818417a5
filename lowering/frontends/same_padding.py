"""The padding that frameworks call SAME."""

from __future__ import annotations


def same_padding(extent: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """Elements before and behind an axis, so that there is a window for each `stride` elements of it.

    An odd number of elements to add is one more behind than before.
    """
    span = (kernel - 1) * dilation + 1
    missing = max((-(-extent // stride) - 1) * stride + span - extent, 0)
    return missing // 2, missing - missing // 2
