"""Feature scales are powers of two that single precision represents."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinyml.transforms.reals import scale_features

SCALING: Any = scale_features


def test_the_least_powers_of_two_that_are_not_below():
    given = {2.0**-130: -126, 2.0**-126: -126, 1.5 * 2.0**-126: -125, 0.5: -1, 0.75: 0, 1.0: 0, 1.25: 1, 2.0: 1}
    given |= {2.0**127: 127, 1.5 * 2.0**127: 127, 2.0**200: 127}
    found = SCALING._power_of_two(np.array([*given]))
    assert found.tolist() == [2.0**exponent for exponent in given.values()]


def ranges(*features: tuple[float, float]) -> tuple[list[float], list[float]]:
    found = SCALING._ranges(np.array(features).T)
    return found.scales.tolist(), found.zeros.tolist()


def test_features_far_from_zero_have_one():
    """A feature has a zero other than 0 if its greatest magnitude exceeds eight times half of its range. If half of the
    range is 1, a magnitude of 8 does not exceed this limit, and 8 plus a 64th does.
    """
    assert ranges((6.0, 8.0)) == ([8.0], [0.0])
    assert ranges((6.015625, 8.015625)) == ([1.0], [7.015625])
    assert ranges((-8.015625, -6.015625)) == ([1.0], [-7.015625])
    # In the middle of 100 and 103.1, in steps of 2 / 64.
    assert ranges((100.0, 103.1)) == ([2.0], [101.5625])


def test_a_feature_that_never_varies_counts_in_units_of_itself():
    assert ranges((5.0, 5.0), (0.0, 0.0), (-3.0, -3.0)) == ([8.0, 1.0, 4.0], [0.0, 0.0, 0.0])
