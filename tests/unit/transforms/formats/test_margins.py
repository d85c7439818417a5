"""The bound on the share of changed samples that the metric `margin` respects."""

from __future__ import annotations

import math

import pytest

from tinyml.transforms.formats.evaluation.margins import DEVIATIONS, least_share


@pytest.mark.parametrize(("changed", "samples"), [(0, 7), (1, 1), (1, 400), (7, 10), (589, 1000), (1000, 1000)])
def test_the_count_exceeds_the_least_share_by_two_deviations(changed: int, samples: int):
    """The equation whose solution is the end of Wilson's interval."""
    least = least_share(changed, samples)
    deviation = math.sqrt(least * (1 - least) / samples)
    assert changed / samples - least == pytest.approx(DEVIATIONS * deviation, abs=1e-12)
