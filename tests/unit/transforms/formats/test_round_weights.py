"""Data-dependent rounding of weights. Each weight becomes an adjacent number, and sums are accurate for correlated
inputs. The sum of magnitudes of no row exceeds the greatest such sum of weights rounded to nearest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.transforms.formats.constants.input_moments import Moments
from tinyml.transforms.formats.constants.rounded_constants import round_weights

FORMAT = FixedType(8, 7)
UNIT = 2.0**-7


def moments(rows: np.ndarray, inputs: np.ndarray, rounded: np.ndarray | None = None) -> Moments:
    return Moments.of(rows, inputs, inputs if rounded is None else rounded, np.ones(len(inputs)))


def products(weights: np.ndarray, inputs: np.ndarray, **of: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The raws of weights rounded by data, and the mean squared errors of products for weights rounded to nearest and
    by data. The inputs of these products are not those that the rounding uses.

    of: further arguments of `moments`.
    """
    train, test = np.split(inputs, 2)
    raws = round_weights(weights, FORMAT, moments(weights, train, **of))
    nearest = FORMAT.encode(weights)
    assert raws.dtype == nearest.dtype
    assert (np.abs(FORMAT.decode(raws) - weights) < UNIT).all()
    assert np.abs(FORMAT.decode(raws)).sum(1).max() <= np.abs(FORMAT.decode(nearest)).sum(1).max()
    before, after = (((test @ (FORMAT.decode(found) - weights).T) ** 2).mean() for found in (nearest, raws))
    return raws, before, after


@pytest.mark.parametrize("seed", range(3))
def test_the_mean_error_goes(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = random.normal(0.0, 0.2, (12, 60)).clip(-0.9, 0.9)
    _, before, after = products(weights, random.normal(3.0, 1.0, (1000, 60)))
    assert after < before / 2


@pytest.mark.parametrize("seed", range(3))
def test_errors_cancel_where_inputs_belong_together(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = random.normal(0.0, 0.2, (12, 60)).clip(-0.9, 0.9)
    few = random.normal(0.0, 1.0, (1000, 8)) @ random.normal(0.0, 1.0, (8, 60))
    _, before, after = products(weights, few + random.normal(0.0, 0.1, (1000, 60)))
    assert after < before / 3


def test_rounded_inputs_are_made_up_for() -> None:
    """If the rounding of the inputs reduces them by 1 %, the weights are rounded so that the mean of the products
    changes by less than a tenth of what this reduction alone would cause.
    """
    random = np.random.default_rng(0)
    weights = np.stack([random.uniform(0.3, 0.4, 50), np.full(50, 0.5)])
    inputs = random.uniform(0.5, 1.0, (500, 50))
    raws = round_weights(weights, FORMAT, moments(weights, inputs, 0.99 * inputs))
    error = (0.99 * inputs) @ FORMAT.decode(raws[0]) - inputs @ weights[0]
    assert abs(error.mean()) < 0.1 * 0.01 * 0.35 * 0.75 * 50


@pytest.mark.parametrize("block", [1, 8])
def test_vectors_that_a_loop_adds_up(block: int) -> None:
    """A loop that adds multiples of vectors, `block` of them in each iteration, has its vectors rounded like the
    columns of a matrix.
    """
    random = np.random.default_rng(0)
    rows, inputs = random.normal(0.0, 0.2, (6, 40)), random.normal(1.0, 1.0, (300, 40))
    columns = rows.reshape(6, -1, block).swapaxes(0, 1)
    found = round_weights(columns, FORMAT, replace(moments(rows, inputs), axes=(0, -1) if block > 1 else (0,)))
    np.testing.assert_array_equal(
        found.swapaxes(0, 1).reshape(6, 40), round_weights(rows, FORMAT, moments(rows, inputs))
    )


def test_exact_weights_stay() -> None:
    """Weights that the format represents exactly are unchanged, among them zeros, which sparse storage omits."""
    weights = FORMAT.decode(np.arange(-120, 120, 10).reshape(2, 12))
    inputs = moments(weights, np.full((4, 12), 1.0), np.full((4, 12), 0.9))
    np.testing.assert_array_equal(FORMAT.decode(round_weights(weights, FORMAT, inputs)), weights)


def test_independent_inputs_without_a_mean_change_nothing() -> None:
    weights = np.random.default_rng(0).normal(0.0, 0.2, (3, 20))
    inputs = Moments(np.eye(20), weights)
    np.testing.assert_array_equal(round_weights(weights, FORMAT, inputs), FORMAT.encode(weights))


def test_a_format_that_knows_no_other_side() -> None:
    weights = np.random.default_rng(0).normal(0.0, 0.2, (3, 20))
    inputs = Moments(np.ones((20, 20)), weights @ np.ones((20, 20)))
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
