"""The geometry of windows along one axis of an image: the rows or columns that a row or column of a result needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Index = TypeVar("Index", int, "NDArray[np.int64]")
"""An index, or an array of indices."""


class WindowAxis(NamedTuple):
    """Windows along the height or the width of an image. Window i belongs to index i of the result.

    Window i covers the indices of the image from `start(i)` to `end(i)`, which is excluded. Indices outside of the
    image are padding. Adjacent parts of a result both need the indices between them that their windows share, the halo.

    kernel: the number of indices in a window.
    stride: the distance of adjacent windows.
    before: the number of indices of padding before the image.
    """

    kernel: int
    stride: int = 1
    before: int = 0

    @property
    def halo(self) -> int:
        """The number of indices that adjacent windows share."""
        return max(self.kernel - self.stride, 0)

    def start(self, i: Index) -> Index:
        return i * self.stride - self.before

    def end(self, i: Index) -> Index:
        return self.start(i) + self.kernel

    def span(self, count: int) -> int:
        """The number of indices, including padding, that `count` adjacent windows cover."""
        return (count - 1) * self.stride + self.kernel

    def inside(self, first: int, end: int, extent: int) -> tuple[int, int]:
        """The range of indices of an image of `extent` indices that windows `first` to `end` (excluded) cover."""
        return max(0, self.start(first)), min(extent, self.end(end - 1))
