"""Weights rounded on data: each to a neighbour, the mean error gone, no row greater than before."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.dialects.f32 import F32_FORMAT
from tinyml.dialects.fixed import FixedType
from tinyml.transforms.round_weights import Moments, round_weights

FORMAT = FixedType(8, 7)
UNIT = 2.0**-7


def moments(inputs: np.ndarray) -> Moments:
    return Moments(inputs.mean(0), inputs.mean(0), inputs.var(0))


@pytest.mark.parametrize("seed", range(5))
def test_the_mean_error_goes(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = random.normal(0.0, 0.2, (12, 60)).clip(-0.9, 0.9)
    inputs = random.normal(3.0, 1.0, (500, 60))
    raws = round_weights(weights, FORMAT, moments(inputs))
    nearest = FORMAT.encode(weights)
    assert raws.dtype == nearest.dtype
    assert (np.abs(FORMAT.decode(raws) - weights) < UNIT).all()
    assert np.abs(FORMAT.decode(raws)).sum(1).max() <= np.abs(FORMAT.decode(nearest)).sum(1).max()
    errors = [(inputs @ (FORMAT.decode(found) - weights).T) for found in (nearest, raws)]
    before, after = ((error**2).mean() for error in errors)
    assert after < before / 2


def test_exact_weights_stay() -> None:
    """Zeros among them, which sparse storage leaves out."""
    weights = FORMAT.decode(np.arange(-120, 120, 10).reshape(2, 12))
    inputs = Moments(np.full(12, 1.0), np.full(12, 0.9), np.full(12, 0.0))
    np.testing.assert_array_equal(FORMAT.decode(round_weights(weights, FORMAT, inputs)), weights)


def test_inputs_without_a_mean_change_nothing() -> None:
    weights = np.random.default_rng(0).normal(0.0, 0.2, (3, 20))
    inputs = Moments(np.zeros(20), np.zeros(20), np.ones(20))
    np.testing.assert_array_equal(round_weights(weights, FORMAT, inputs), FORMAT.encode(weights))


def test_a_format_that_knows_no_other_side() -> None:
    weights = np.random.default_rng(0).normal(0.0, 0.2, (3, 20))
    inputs = Moments(np.ones(20), np.ones(20), np.zeros(20))
    np.testing.assert_array_equal(round_weights(weights, F32_FORMAT, inputs), F32_FORMAT.encode(weights))


@pytest.mark.parametrize("format", [FixedType(8, 7), FixedType(8, -2), FixedType(16, 12), FixedType(13, 9)])
def test_the_other_side(format: FixedType) -> None:
    low, high = format.decode(np.array(format.limits))
    reals = np.random.default_rng(1).uniform(low, high, 1000)
    near, far = format.decode(format.encode(reals)), format.decode(format.encode_away(reals))
    unit = format.decode(np.array(1))
    inexact = near != reals
    np.testing.assert_array_equal(np.abs(far - near)[inexact], unit)
    assert ((near - reals) * (far - reals) <= 0).all()
    np.testing.assert_array_equal(format.encode_away(near), format.encode(near))
    beyond = np.array([2 * low, 2 * high])
    np.testing.assert_array_equal(format.encode_away(beyond), format.encode(beyond))
