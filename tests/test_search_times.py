"""Each part of a search is timed separately (`make search-times`)."""

import time

import pytest
from measured.search_times import REST, Parts


class Work:
    """Methods that call each other and advance a simulated clock by some seconds."""

    def __init__(self) -> None:
        self.clock = 0.0

    def outer(self) -> None:
        self.clock += 1
        self.inner()
        self.clock += 2

    def inner(self) -> None:
        self.clock += 4


def test_a_part_has_its_own_seconds_alone(monkeypatch: pytest.MonkeyPatch):
    work = Work()
    monkeypatch.setattr(time, "process_time", lambda: work.clock)
    parts = Parts()
    parts.time(work, "outer", "outer")
    parts.time(work, "inner", "inner")
    work.clock += 8
    work.outer()
    work.inner()
    parts.switch()
    assert parts.seconds == {REST: 8, "outer": 3, "inner": 8}
