"""Unbounded integers, in which the results of formats and runtime functions are specified.

A specified result is one function over integers, which accepts three kinds of numbers. For Python integers, it returns
a number. For arrays, it returns the results for many inputs. For formulas, it returns a formula for a solver. It shares
no code with the arithmetic that is checked against it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias


class Truth(Protocol):
    """The result of a comparison: an array over many inputs, or a formula."""

    def choose(self, a: Any, b: Any) -> Any: ...
    def __and__(self, other: Any) -> Any: ...
    def __or__(self, other: Any) -> Any: ...


Number: TypeAlias = Any
"""An int, or an object with its operators. The divisors of `//` and `%` are positive, and quotients are rounded down.
"""

Condition: TypeAlias = "bool | Truth"


def choose(condition: Condition, a: Number, b: Number) -> Number:
    """`a` if the condition is true, otherwise `b`."""
    if isinstance(condition, bool):
        return a if condition else b
    return condition.choose(a, b)


def clamped(x: Number, low: int, high: int) -> Number:
    return choose(x < low, low, choose(x > high, high, x))


def entry(table: Sequence[int], index: Number) -> Number:
    """`table[index]`, for an index that may be an integer, an array or a formula."""
    return table[index] if isinstance(index, int) else index.entry(table)


def count_reached(thresholds: Sequence[int], x: Number) -> Number:
    """The number of thresholds that are at most x. `thresholds` is ascending."""
    return bisect_right(thresholds, x) if isinstance(x, int) else x.reached(thresholds)


def half_up(x: Number, divisor: int) -> Number:
    """x / divisor, rounded to nearest, halves upwards."""
    return x if divisor == 1 else (2 * x + divisor) // (2 * divisor)


def half_away(x: Number, divisor: int) -> Number:
    """x / divisor, rounded to nearest, halves away from zero."""
    if divisor == 1:
        return x
    return choose(x < 0, 0 - half_up(0 - x, divisor), half_up(x, divisor))


def half_even(x: Number, divisor: int) -> Number:
    """x / divisor, rounded to nearest, halves to even."""
    if divisor == 1:
        return x
    whole = x // divisor
    twice_rest = 2 * (x - whole * divisor)
    up = (twice_rest > divisor) | ((twice_rest >= divisor) & (whole % 2 >= 1))
    return choose(up, whole + 1, whole)


def nearest_odd(x: Number, divisor: int) -> Number:
    """The odd integer nearest to x / divisor; of two equally near integers, the greater."""
    return x // (2 * divisor) * 2 + 1


def towards_zero(x: Number, divisor: int) -> Number:
    """x / divisor, rounded towards zero."""
    return choose(x < 0, 0 - (0 - x) // divisor, x // divisor)
