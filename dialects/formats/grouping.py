"""The request to divide the elements of a tensor into groups. `groups.py` describes the groups of an existing tensor
type.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Grouping:
    """A division of a tensor into runs, and of each run into groups.

    axis: a run contains the elements of all axes from this one on.
    length: the number of elements of a group; None if each run is one group. The last group of a run may be shorter.
    """

    axis: int
    length: int | None = None
