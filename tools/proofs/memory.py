"""Arrays of unbounded integers that emitted arithmetic loads and stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tinyml.dialects.machine.exact_integers import Number, choose


class Cells:
    """The integers of an array; None for an integer that is unknown. If a claim has many inputs, each input may have a
    separate index.

    numbers: the integers of the whole array.
    first: the position of index 0 in the whole array.
    whole: the integers of another instance's array, which this instance shares; they replace `numbers`.
    """

    def __init__(self, numbers: Sequence[Number | None], first: Number = 0, whole: list[Number | None] | None = None):
        self._numbers = [*numbers] if whole is None else whole
        self._first = first

    @property
    def numbers(self) -> Sequence[Number | None]:
        """All integers of the array; None for unknown integers."""
        return self._numbers

    def beyond(self, index: Number) -> Cells:
        """The same array with indices relative to `index`."""
        return Cells((), self._first + index, self._numbers)

    def load(self, index: Number, promise: Callable[[str, Any], None]) -> Number:
        at = self._at(index, promise)
        if isinstance(at, int):
            number = self._numbers[at]
            assert number is not None, "what is read was written before"
            return number
        found: Number = 0
        for place, number in enumerate(self._numbers):
            found = choose((at >= place) & (at <= place), number, found)
        return found

    def store(self, index: Number, value: Number, promise: Callable[[str, Any], None]) -> None:
        at = self._at(index, promise)
        if isinstance(at, int):
            self._numbers[at] = value
            return
        for place, number in enumerate(self._numbers):
            self._numbers[place] = choose((at >= place) & (at <= place), value, number)

    def _at(self, index: Number, promise: Callable[[str, Any], None]) -> Number:
        """The position in the whole array. An index outside the array is clamped to the nearest position."""
        at, last = self._first + index, len(self._numbers) - 1
        promise(f"an index lies in an array of {last + 1}", (at >= 0) & (at <= last))
        return min(max(at, 0), last) if isinstance(at, int) else at
