"""Requests for groups of a tensor's elements, which `groups.py` describes in the types of tensors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Grouping:
    """A division of a tensor into runs, which contain the elements of the axes from `axis` on, and of runs into groups.

    All groups have `length` elements, except that the last group of a run may be shorter. length None: a run is one
    group.
    """

    axis: int
    length: int | None = None
