"""Requests for groups of a tensor's elements, which `groups.py` describes in the types of tensors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Grouping:
    """A division of a tensor into runs, and of runs into groups. A run contains the elements of the axes from `axis`
    on.

    length: the number of elements of a group; None if a run is one group. The last group of a run may be shorter.
    """

    axis: int
    length: int | None = None
