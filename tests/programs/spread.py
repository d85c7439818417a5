"""Samples of the cases of a test, and numbers of examples of a property; `make exhaustive` selects all cases and more
examples.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import product
from random import Random
from typing import Any, TypeVar

Case = TypeVar("Case")

EXHAUSTIVE = "EXHAUSTIVE"
"""The environment variable with which tests run every case."""

_GOLDEN = (5**0.5 - 1) / 2


def spread(cases: Iterable[Case], most: int) -> list[Case]:
    """At most `most` of the cases, in their order. They are distributed over the list in such a way that all axes of a
    product vary.
    """
    every = [*cases]
    if EXHAUSTIVE in os.environ:
        return every
    chosen = sorted(range(len(every)), key=lambda number: number * _GOLDEN % 1)[:most]
    return [every[number] for number in sorted(chosen)]


def spread_product(most: int, *axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """At most `most` of the tuples with one element of each axis, chosen by `spread`."""
    return spread(product(*axes), most)


def covering(cases: Sequence[Case], values: Callable[[Case], Iterable[Hashable]], seed: str) -> list[Case]:
    """A small selection of cases in which every value of any case occurs. In `make exhaustive`, all cases.

    values: a function that returns the values of a case, one for each axis.
    seed: determines which of the cases with equally many new values is chosen.
    """
    if EXHAUSTIVE in os.environ or len(cases) == 1:
        return [*cases]
    values_of = [frozenset(values(case)) for case in cases]
    missing = {value for each in values_of for value in each}
    order = Random(seed).sample(range(len(cases)), len(cases))
    chosen: list[int] = []
    while missing:
        best = max(order, key=lambda number: len(values_of[number] & missing))
        chosen.append(best)
        missing -= values_of[best]
    # A test without parameters has no values.
    return [cases[number] for number in sorted(chosen)] or [*cases]


def one_of(cases: Sequence[Case], seed: str) -> Case:
    """One of the cases. The choice depends only on the cases and the seed."""
    return Random(seed).choice(cases)


def examples(usual: int, exhaustive: int | None = None) -> int:
    """The number of examples of a property: `usual`, or in `make exhaustive` the number `exhaustive`, by default ten
    times as many.
    """
    if EXHAUSTIVE not in os.environ:
        return usual
    return 10 * usual if exhaustive is None else exhaustive
