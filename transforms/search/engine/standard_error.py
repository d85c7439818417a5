"""The standard error of losses: differences that are too small to mean anything on other data."""

from __future__ import annotations

from collections.abc import Sequence

STANDARD_ERROR = 0.03
"""The standard error of losses by margins on some thousand samples, as a part of them: a candidate that loses less by
less than this may lose more on other data."""


def nearly_least(losses: Sequence[float]) -> list[bool]:
    """A mask of the losses within one standard error of the least."""
    least = min(losses)
    return [loss <= least + STANDARD_ERROR * abs(least) for loss in losses]
