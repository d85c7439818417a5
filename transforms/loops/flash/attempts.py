"""Flash limits for successive attempts, until the built program keeps its own limit."""

from __future__ import annotations


def next_attempt(within: int, taken: int, limit: int) -> int | None:
    """The estimated flash, in bytes, that the next attempt may use; None if the last one already spent nothing.

    within: the limit of the last attempt, whose program took `taken` bytes when built, more than `limit`. Estimates are
    off by a few percent.
    """
    return None if within == 1 else max(within - (taken - limit), 1)
