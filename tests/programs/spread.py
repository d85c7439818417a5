"""Samples of the cases of a test, and numbers of examples of a property; `make exhaustive` selects all cases and more
examples. What is drawn is drawn by the commit, so that each commit runs other cases and a failure can be repeated.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, TypeVar

Case = TypeVar("Case")

EXHAUSTIVE = "EXHAUSTIVE"
"""The environment variable with which tests run every case."""

SEED = "SEED"
"""The environment variable with the seed of a run; `make test SEED=...` repeats a run."""

_GOLDEN = (5**0.5 - 1) / 2


def seed_of(folder: Path) -> str:
    """The seed of a run in a clone: the environment variable `SEED`, the hash of the commit, or without git the
    date.
    """
    if given := os.environ.get(SEED):
        return given
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return date.today().isoformat()


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


def drawn(cases: Sequence[Case], most: int, seed: str) -> list[Case]:
    """At most `most` of the cases. The choice depends only on the cases and the seed."""
    return Random(seed).sample(cases, min(most, len(cases)))


def examples(usual: int, exhaustive: int | None = None) -> int:
    """The number of examples of a property: `usual`, or in `make exhaustive` the number `exhaustive`, by default ten
    times as many.
    """
    if EXHAUSTIVE not in os.environ:
        return usual
    return 10 * usual if exhaustive is None else exhaustive
