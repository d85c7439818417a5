"""Limits on flash for one attempt after the other, until a program keeps its limit when it is built."""

from __future__ import annotations


def next_attempt(within: int, taken: int, limit: int) -> int | None:
    """The limit by the estimate for the next attempt; None where nothing was spent any more.

    within: that of the last attempt, whose program takes more than `limit` bytes when it is built (`taken`). Estimates
    are a few percent off.
    """
    return None if within == 1 else max(within - (taken - limit), 1)
