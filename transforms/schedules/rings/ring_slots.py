"""The size of a ring buffer, derived from the times at which its slices are computed and last read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


def ring_slots(made: Numbers, times: Sequence[Numbers], first: Sequence[Numbers]) -> int:
    """The least number of slots with which each slice is stored until it is read for the last time.

    Slice n overwrites slice n - slots.

    made: the time at which each slice is computed, in order.
    times: for each reader, the times of its steps; a step may read slices that are computed at the same time.
    first: for each reader, the first slice that each step reads, or the number of slices for a step that reads none.
    """
    steps, reads = np.concatenate(times), np.concatenate(first)
    order = np.argsort(steps, kind="stable")
    # Entry i is the first slice that step i or a later one reads.
    still = np.append(np.minimum.accumulate(reads[order][::-1])[::-1], len(made))
    following = np.searchsorted(steps[order], made, side="left")
    numbers = np.arange(len(made))
    return max(int((numbers - np.minimum(still[following], numbers) + 1).max()), 1)
