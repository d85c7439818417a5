"""Exact integers of many inputs at once, in numpy, for claims that are decided by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tinyml.dialects.lazy_numpy import np

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_EXACT_MAGNITUDE = 1 << 62
"""Magnitudes below which 64 bits are exact; above, elements are Python integers."""


@dataclass(frozen=True, eq=False)
class Truths:
    """A truth value for each input."""

    array: Array

    def choose(self, a: Any, b: Any) -> Any:
        if isinstance(a, bool | Truths) or isinstance(b, bool | Truths):
            return Truths((self.array & _truth(a)) | (~self.array & _truth(b)))
        return Values(np.where(self.array, _array(a), _array(b)))

    def __and__(self, other: Any) -> Truths:
        return Truths(self.array & _truth(other))

    def __or__(self, other: Any) -> Truths:
        return Truths(self.array | _truth(other))

    __rand__, __ror__ = __and__, __or__


@dataclass(frozen=True, eq=False)
class Values:
    """An integer for each input."""

    array: Array

    def _with(self, other: Any, calculate: Callable[[Any, Any], Any], most: Callable[[int, int], int]) -> Values:
        a, b = self.array, _array(other)
        if a.dtype != object and most(_most(a), _most(b)) >= _EXACT_MAGNITUDE:
            a = a.astype(object)
        result = calculate(a, b)
        small = result.dtype == object and (result.size == 0 or _most(result) < _EXACT_MAGNITUDE)
        return Values(result.astype(np.int64) if small else result)

    def __add__(self, other: Any) -> Values:
        return self._with(other, lambda a, b: a + b, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Values:
        return self._with(other, lambda a, b: a - b, lambda a, b: a + b)

    def __rsub__(self, other: Any) -> Values:
        return self._with(other, lambda a, b: b - a, lambda a, b: a + b)

    def __mul__(self, other: Any) -> Values:
        return self._with(other, lambda a, b: a * b, lambda a, b: a * b)

    def __floordiv__(self, divisor: Any) -> Values:
        return self._with(divisor, lambda a, b: a // b, max)

    def __mod__(self, divisor: Any) -> Values:
        return self._with(divisor, lambda a, b: a % b, max)

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other: Any) -> Truths:
        return Truths(np.asarray(self.array < _array(other)))

    def __le__(self, other: Any) -> Truths:
        return Truths(np.asarray(self.array <= _array(other)))

    def __gt__(self, other: Any) -> Truths:
        return Truths(np.asarray(self.array > _array(other)))

    def __ge__(self, other: Any) -> Truths:
        return Truths(np.asarray(self.array >= _array(other)))

    def equals(self, other: Any) -> Truths:
        return Truths(np.asarray(self.array == _array(other)))

    def entry(self, table: Sequence[int]) -> Values:
        """The value `table[self]`. For an index outside the table, the result is the nearest entry;
        `tools.proofs.reading` reports the error.
        """
        index = np.clip(self.array, 0, len(table) - 1).astype(np.int64)
        return Values(np.array(table, None if _fits(table) else object)[index])

    def reached(self, thresholds: Sequence[int]) -> Values:
        exact = np.array(thresholds, np.int64 if _fits(thresholds) and self.array.dtype != object else object)
        return Values(np.searchsorted(exact, self.array, side="right").astype(np.int64))


def _fits(integers: Sequence[int]) -> bool:
    return not integers or max(map(abs, integers)) < _EXACT_MAGNITUDE


def _most(array: Array) -> int:
    return max(abs(int(array.min())), abs(int(array.max()))) if array.size else 0


def _array(x: Any) -> Array:
    if isinstance(x, Values):
        return x.array
    return np.array(x, object if isinstance(x, int) and abs(x) >= _EXACT_MAGNITUDE else None)


def _truth(x: Any) -> Any:
    return x.array if isinstance(x, Truths) else x
