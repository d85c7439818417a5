"""Exact integers as formulas for the solver Z3, in linear arithmetic over unbounded integers.

A product of two unknowns becomes one unknown within its interval; equal factors share this unknown. An entry of a long
table is also represented by an unknown. A proof then applies to every number in the interval, and the solver needs
neither multiplications nor table lookups. Comparisons that the intervals decide become constants.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.machine.exact_integers import choose
from tinyml.dialects.package_metadata import install_command

if TYPE_CHECKING:
    from types import ModuleType


def solver() -> ModuleType:
    """The package of the solver Z3; raises `InputError` if it is not installed."""
    try:
        import z3
    except ImportError as error:
        raise InputError(f"proofs need the solver Z3: {install_command('prove')}") from error
    return z3


RUNS = 8
"""Maximum runs of consecutive integers in a table that is written as a formula."""


@dataclass(eq=False)
class Unknowns:
    """The inputs of a claim, the unknowns for products and table entries, and the known facts about these unknowns.

    facts: the known facts as Z3 terms.
    shared: unknowns by their keys (`one`).
    kept: terms whose numbers `identity` returned, so that Z3 does not reuse the numbers.
    """

    facts: list[Any] = field(default_factory=list[Any])
    shared: dict[tuple[Any, ...], Formula] = field(default_factory=dict[Any, Any])
    kept: list[Any] = field(default_factory=list[Any])
    """Terms whose ids are in keys of `shared`; the references keep them alive."""

    def identity(self, term: Any) -> int:
        """An integer that is equal for terms that simplify to the same term."""
        simple = solver().simplify(term)
        self.kept.append(simple)
        return simple.get_id()

    def one(self, key: tuple[Any, ...], low: int, high: int) -> Formula:
        """The unknown in [low, high] that belongs to a key, created at the first use of the key."""
        if key not in self.shared:
            self.shared[key] = self.fresh(f"shared{len(self.shared)}", low, high)
        return self.shared[key]

    def fresh(self, name: str, low: int, high: int) -> Formula:
        """Create an unknown in [low, high]."""
        term = solver().Int(name)
        self.facts += [term >= low, term <= high]
        return Formula(term, low, high, self)


@dataclass(frozen=True, eq=False)
class Claim:
    """A truth value, represented by a formula of unknowns."""

    term: Any
    unknowns: Unknowns

    def choose(self, a: Any, b: Any) -> Any:
        if isinstance(a, bool | Claim) or isinstance(b, bool | Claim):
            return Claim(solver().If(self.term, _truth(a), _truth(b)), self.unknowns)
        x, y = (_formula(side, self.unknowns) for side in (a, b))
        return Formula(solver().If(self.term, x.term, y.term), min(x.low, y.low), max(x.high, y.high), self.unknowns)

    def __and__(self, other: Any) -> Any:
        if isinstance(other, bool):
            return self if other else False
        return Claim(solver().And(self.term, other.term), self.unknowns)

    def __or__(self, other: Any) -> Any:
        if isinstance(other, bool):
            return True if other else self
        return Claim(solver().Or(self.term, other.term), self.unknowns)

    __rand__, __ror__ = __and__, __or__


@dataclass(frozen=True, eq=False)
class Formula:
    """An integer in [low, high], represented by a formula of unknowns."""

    term: Any
    low: int
    high: int
    unknowns: Unknowns

    def _made(self, term: Any, ends: Sequence[int]) -> Any:
        low, high = min(ends), max(ends)
        return low if low == high else Formula(term, low, high, self.unknowns)

    def __add__(self, other: Any) -> Any:
        low, high, term = _parts(other)
        return self._made(self.term + term, (self.low + low, self.high + high))

    def __sub__(self, other: Any) -> Any:
        low, high, term = _parts(other)
        return self._made(self.term - term, (self.low - high, self.high - low))

    def __rsub__(self, other: Any) -> Any:
        low, high, term = _parts(other)
        return self._made(term - self.term, (low - self.high, high - self.low))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            return self._made(self.term * other, (self.low * other, self.high * other))
        factors = sorted(map(self.unknowns.identity, (self.term, other.term)))
        corners = [a * b for a, b in product((self.low, self.high), (other.low, other.high))]
        low = max(min(corners), 0) if factors[0] == factors[1] else min(corners)
        return self.unknowns.one(("product", *factors), low, max(corners))

    def __floordiv__(self, divisor: int) -> Any:
        return self._made(self.term / divisor, (self.low // divisor, self.high // divisor))

    def __mod__(self, divisor: int) -> Any:
        if self.low // divisor == self.high // divisor:
            return self - self.low // divisor * divisor
        return self._made(self.term % divisor, (0, divisor - 1))

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other: Any) -> Any:
        low, high, term = _parts(other)
        if self.high < low or self.low >= high:
            return self.high < low
        return Claim(self.term < term, self.unknowns)

    def __gt__(self, other: Any) -> Any:
        low, high, term = _parts(other)
        if self.low > high or self.high <= low:
            return self.low > high
        return Claim(self.term > term, self.unknowns)

    def __le__(self, other: Any) -> Any:
        return self < other + 1

    def __ge__(self, other: Any) -> Any:
        return self > other - 1

    def equals(self, other: Any) -> Any:
        low, high, term = _parts(other)
        if self.high < low or self.low > high:
            return False
        return Claim(self.term == term, self.unknowns)

    def entry(self, table: Sequence[int]) -> Any:
        """The value `table[self]`. If the index is outside the table, the result is the nearest entry."""
        first, last = (min(max(end, 0), len(table) - 1) for end in (self.low, self.high))
        starts = [first, *(i for i in range(first + 1, last + 1) if table[i] != table[i - 1] + 1)]
        if len(starts) > RUNS:
            entries = table[first : last + 1]
            key = ("entry", tuple(entries), first, self.unknowns.identity(self.term))
            return self.unknowns.one(key, min(entries), max(entries))
        result: Any = self + (table[starts[-1]] - starts[-1])
        for start, end in reversed([*pairwise(starts)]):
            result = choose(self < end, self + (table[start] - start), result)
        return result

    def reached(self, thresholds: Sequence[int]) -> Any:
        low, high = bisect_right(thresholds, self.low), bisect_right(thresholds, self.high)
        return self._reached(thresholds, low, high)

    def _reached(self, thresholds: Sequence[int], low: int, high: int) -> Any:
        if low == high:
            return low
        middle = (low + high) // 2
        above, below = self._reached(thresholds, middle + 1, high), self._reached(thresholds, low, middle)
        return Claim(self.term >= thresholds[middle], self.unknowns).choose(above, below)


def _parts(x: Any) -> tuple[int, int, Any]:
    return (x, x, x) if isinstance(x, int) else (x.low, x.high, x.term)


def _formula(x: Any, unknowns: Unknowns) -> Formula:
    return Formula(solver().IntVal(x), x, x, unknowns) if isinstance(x, int) else x


def _truth(x: Any) -> Any:
    return solver().BoolVal(x) if isinstance(x, bool) else x.term
