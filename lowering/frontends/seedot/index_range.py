"""Ranges of the integers in a SeeDot program, precise enough to find indices outside a tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import SSAValue

Source: TypeAlias = SSAValue | None
"""A source of variation of an integer: the index of a loop, or None for the data."""

DATA = frozenset[Source]((None,))


@dataclass(frozen=True)
class IndexRange:
    """The range low <= integer <= high.

    sources: everything that the integer varies with, if it is known to reach both ends; None if these are only bounds.
    """

    low: int
    high: int
    sources: frozenset[Source] | None = frozenset()

    def combine(self, other: IndexRange, operator: str) -> IndexRange:
        """The range of `self operator other`, operator one of + - *; exact where the two vary independently."""
        a, b = (self.low, self.high), (other.low, other.high)
        match operator:
            case "+":
                ends = [x + y for x in a for y in b]
            case "-":
                ends = [x - y for x in a for y in b]
            case _:
                ends = [x * y for x in a for y in b]
        if self.sources is None or other.sources is None or self.sources & other.sources:
            return IndexRange(min(ends), max(ends), None)
        return IndexRange(min(ends), max(ends), self.sources | other.sources)

    def choice(self, other: IndexRange, by_data: bool) -> IndexRange:
        """The range of `condition ? self : other`; either can be taken if the data decide."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        if by_data and self.sources is not None and other.sources is not None:
            return IndexRange(low, high, self.sources | other.sources | DATA)
        return IndexRange(low, high, None)

    def complaint(self, size: int, extent: int) -> str | None:
        """The error in taking `size` elements from here on along an axis of `extent`; None unless it is certain."""
        last = extent - size
        low, high = (self.low, self.high) if self.sources is not None else (self.high, self.low)
        if low >= 0 and high <= last:
            return None
        reach = str(self.low) if self.low == self.high else f"{self.low} to {self.high}"
        what = f"index {reach}" if size == 1 else f"a slice of {size} elements from {reach} on"
        return f"{what} does not fit in an axis of {extent}"
