"""Ring buffers of the computed size, written and read step by step: no ring is smaller or larger than necessary."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyml.transforms.schedules.rings.ring_slots import ring_slots


class Reader(NamedTuple):
    """A reader of a ring. Each of the three lists has an entry for every step of the reader.

    times: the time of the step.
    first, last: the first and the last slice that the step reads; it reads none if first is greater than last.
    """

    times: list[int]
    first: list[int]
    last: list[int]


class Traffic(NamedTuple):
    """Writes to a ring, and readers of it.

    made: for each slice, the time at which it is computed.
    """

    made: list[int]
    readers: list[Reader]


@st.composite
def traffic(draw: st.DrawFn) -> Traffic:
    """Random traffic: slices computed at increasing times, and readers that never go back and read only computed
    slices.
    """
    made = np.cumsum(draw(st.lists(st.integers(1, 3), min_size=1, max_size=12))).tolist()
    readers: list[Reader] = []
    for _ in range(draw(st.integers(1, 3))):
        times = sorted(draw(st.lists(st.integers(made[0], made[-1] + 4), min_size=1, max_size=8, unique=True)))
        last = [sum(each <= time for each in made) - 1 for time in times]
        first = sorted(draw(st.integers(0, end + 1)) for end in last)
        first = [min(start, end + 1) for start, end in zip(first, last, strict=True)]
        nothing = [start > end for start, end in zip(first, last, strict=True)]
        first = [len(made) if none else start for none, start in zip(nothing, first, strict=True)]
        readers.append(Reader(times, first, last))
    return Traffic(made, readers)


def suffices(slots: int, traffic: Traffic) -> bool:
    """Whether, in a ring of `slots` slots, no slice is overwritten before its last read."""
    events = [(time, 0, -1, index) for index, time in enumerate(traffic.made)]
    for number, reader in enumerate(traffic.readers):
        events += [(time, 1, number, step) for step, time in enumerate(reader.times)]
    ring: dict[int, int] = {}
    for _, reads, number, index in sorted(events):
        if not reads:
            ring[index % slots] = index
            continue
        reader = traffic.readers[number]
        if any(ring[slice % slots] != slice for slice in range(reader.first[index], reader.last[index] + 1)):
            return False
    return True


@pytest.mark.long
@settings(max_examples=300)
@given(traffic())
def test_a_ring_is_as_large_as_it_has_to_be(traffic: Traffic):
    times, first = ([np.array(each) for each in part] for part in list(zip(*traffic.readers, strict=True))[:2])
    slots = ring_slots(np.array(traffic.made), times, first)
    assert suffices(slots, traffic)
    assert slots == 1 or not suffices(slots - 1, traffic)
