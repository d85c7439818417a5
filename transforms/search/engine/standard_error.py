"""The standard error of losses: smaller differences are not significant on other data."""

from __future__ import annotations

from collections.abc import Sequence

STANDARD_ERROR = 0.03
"""The relative standard error of losses by margins on some thousand samples: a candidate that is better by less may be
worse on other data.
"""


def nearly_least(losses: Sequence[float]) -> list[bool]:
    """A mask of the losses within one standard error of the least."""
    least = min(losses)
    return [loss <= least + STANDARD_ERROR * abs(least) for loss in losses]
