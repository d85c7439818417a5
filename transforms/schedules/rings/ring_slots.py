"""The size of a ring buffer, which follows from when its slices are computed and when they are last read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


def ring_slots(made: Numbers, times: Sequence[Numbers], first: Sequence[Numbers]) -> int:
    """The slots that hold each slice until it has been read for the last time; slice n overwrites slice n - slots.

    made: the time at which each slice is computed, in order. times: for each reader, the times of its steps; a step
    reads slices that are computed at its own time. first: the first slice that each of these steps reads; the number of
    slices for a step that reads none.
    """
    steps, reads = np.concatenate(times), np.concatenate(first)
    order = np.argsort(steps, kind="stable")
    # Entry i is the first slice that step i and later ones still read.
    still = np.append(np.minimum.accumulate(reads[order][::-1])[::-1], len(made))
    following = np.searchsorted(steps[order], made, side="left")
    numbers = np.arange(len(made))
    return max(int((numbers - np.minimum(still[following], numbers) + 1).max()), 1)
