"""The geometry of windows along one axis of an image: the rows or columns that a row or column of a result needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar


class _Arithmetic(Protocol):
    def __mul__(self, other: int, /) -> Any: ...
    def __add__(self, other: int, /) -> Any: ...
    def __sub__(self, other: int, /) -> Any: ...


Index = TypeVar("Index", bound=_Arithmetic)
"""An index, an array of indices, or an index that is computed in the program."""


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
        return i * self.stride + (self.kernel - self.before)

    def span(self, count: int) -> int:
        """The number of indices, including padding, that `count` adjacent windows cover."""
        return (count - 1) * self.stride + self.kernel

    def inside(
        self,
        first: Index,
        end: Index,
        extent: int,
        minimum: Callable[[Index, int], Index],
        maximum: Callable[[Index, int], Index],
    ) -> tuple[Index, Index]:
        """The range of indices of an image of `extent` indices that windows `first` to `end` (excluded) cover. The
        range is empty, with its end not above its first index, if they cover only padding.

        first: not negative, so that a start without padding needs no limit.
        minimum, maximum: the lesser and the greater of an index and a number.
        """
        covered = self.start(first), self.end(end - 1)
        return maximum(covered[0], 0) if self.before else covered[0], minimum(covered[1], extent)
