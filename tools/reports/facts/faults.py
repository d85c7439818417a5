"""The faults of the data that determine number formats, as reports state them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SCORES_OFF = 0.05
"""Maximum error of scores that callers read, as a share of the range of all scores: 0.05 for probabilities."""

FEW_SAMPLES = 30
"""The number of samples or groups below which the bound decides instead of the estimate."""


@dataclass(frozen=True)
class DataFaults:
    """The faults of the data that determine formats.

    few: the number of samples, if it is too small; otherwise None.
    poor: the accuracy or the error of the model on reals, in words, if it is no better than a guess; otherwise
        empty.
    missing: classes without a sample, if there are labels.
    apart: the fraction of numbers in one data set that lie far from the range of the other set; 0 if the sets are
        similar.
    """

    few: int | None = None
    poor: str = ""
    missing: Sequence[str] = ()
    apart: float = 0.0


NO_FAULTS = DataFaults()
