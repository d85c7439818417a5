"""The progress of a search, and the listener that receives it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Status:
    """The progress of a search.

    phase: the name of the current phase; empty at the end.
    candidates: the total number of evaluated candidates.
    best: the least loss of a candidate that was evaluated on all samples.
    done, of: the number of evaluated candidates and the number of all candidates in the batch that is being
        evaluated.
    """

    phase: str
    candidates: int
    best: float
    done: int
    of: int


STATUS_LISTENER: ContextVar[Callable[[Status], None] | None] = ContextVar("STATUS_LISTENER", default=None)
"""A function that receives the progress of searches in this context."""
