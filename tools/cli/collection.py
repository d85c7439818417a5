"""The frequency of garbage collection while programs are compiled."""

from __future__ import annotations

import gc

COLLECT_EVERY = 1_000_000
"""The number of new objects between two runs of the garbage collector.

With Python's default of 700, collection takes a quarter of the time of a long compilation.
"""


def collect_rarely() -> None:
    """Collect garbage less often than Python does by default."""
    usual = gc.get_threshold()
    gc.set_threshold(max(COLLECT_EVERY, usual[0]), *usual[1:])
