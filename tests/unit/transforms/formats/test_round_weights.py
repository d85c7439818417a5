"""Data-dependent rounding of weights. Each weight becomes an adjacent number, and sums are accurate for correlated
inputs. The sum of magnitudes of no row exceeds the greatest such sum of weights rounded to nearest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracles.onnx_models import imported, model, node
from programs.paths import ROOT

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.formats.constants.input_moments import InputMoments, Moments
from tinyml.transforms.formats.constants.rounded_constants import round_weights, worth_moving

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


def moved_one_by_one(now: list[int], other: list[int], slopes: list[int], moments: np.ndarray, most: int) -> list[bool]:
    """The numbers of one row that `worth_moving` moves, by the cost of every single move, in exact integers."""

    def cost(moved: list[bool]) -> int:
        steps = np.array([b - a if is_moved else 0 for a, b, is_moved in zip(now, other, moved, strict=True)])
        return int(2 * steps @ np.array(slopes) + steps @ moments @ steps)

    def size(moved: list[bool]) -> int:
        return sum(abs(b if is_moved else a) for a, b, is_moved in zip(now, other, moved, strict=True))

    moved = [False] * len(now)
    while True:
        tried = [[is_moved ^ (i == j) for j, is_moved in enumerate(moved)] for i in range(len(now))]
        gains = [cost(moved) - cost(one) if size(one) <= most else 0 for one in tried]
        if max(gains) <= 0:
            return moved
        moved = tried[gains.index(max(gains))]


@pytest.mark.parametrize("seed", range(4))
def test_each_row_moves_the_number_with_the_greatest_gain(seed: int) -> None:
    """Rows end after different numbers of moves, and some reach the limit on the sum of magnitudes."""
    random = np.random.default_rng(seed)
    now, steps = random.integers(-3, 4, (6, 9)), random.choice([-1, 1], (6, 9))
    factors = random.integers(-3, 4, (5, 9))
    slopes, most = random.integers(-60, 60, (6, 9)), int(np.abs(now).sum(1).max())
    moments = factors.T @ factors
    reals = [part.astype(np.float64) for part in (now, now + steps, slopes, moments)]
    found = worth_moving(reals[0], reals[1], reals[2], reals[3], most)
    rows = zip(now.tolist(), (now + steps).tolist(), slopes.tolist(), strict=True)
    assert found.tolist() == [moved_one_by_one(*row, moments, most) for row in rows]


@pytest.mark.parametrize("even", [False, True])
def test_formats_of_one_scale_round_equally_unless_one_saturates(even: bool) -> None:
    """The greatest number that 6 bits represent is 7.75. Half a unit more rounds to 8 and saturates."""
    wide, narrow = FixedType(12, 2, to_even=even), FixedType(6, 2, to_even=even)
    below, above = np.nextafter(7.875, 0), 7.875
    assert wide.rounding_within(-1.0, below) == narrow.rounding_within(-1.0, below)
    assert wide.rounding_within(-1.0, above) != narrow.rounding_within(-1.0, above)
    assert narrow.rounding_within(-1.0, above) != FixedType(5, 2, to_even=even).rounding_within(-1.0, above)
    assert wide.rounding_within(-1.0, below) != FixedType(12, 3, to_even=even).rounding_within(-1.0, below)
    assert wide.rounding_within(-1.0, below) != FixedType(12, 2, to_even=not even).rounding_within(-1.0, below)


def test_formats_that_round_the_factors_equally_share_moments() -> None:
    file = ROOT / "examples/pruned-lenet/lenet.onnx"
    function = predict_function(read_onnx(file.read_bytes(), str(file)))
    moments = InputMoments(function, np.random.default_rng(0).random((8, 784)))
    filters, matrices = moments.windows.keys(), moments.factors.keys() - moments.windows.keys()
    for constants in (filters, matrices):
        wide = {op: moments.of(op, lambda _: FixedType(24, 4)) for op in constants}
        known = {op: found for op, found in wide.items() if found is not None}
        assert known
        for op, found in known.items():
            assert moments.of(op, lambda _: FixedType(20, 4)) is found
            assert moments.of(op, lambda _: FixedType(3, 4)) is not found


def test_a_matrix_that_each_step_reads_is_summed_along_its_last_axis() -> None:
    """An RNN of four units with one input reads all four weights of the input in each of its steps, of which there are
    four.
    """
    random = np.random.default_rng(0)
    constants = {"w": random.normal(size=(1, 4, 1)), "r": random.normal(size=(1, 4, 4))}
    constants = {name: array.astype(np.float32) for name, array in constants.items()}
    made = model([node("RNN", "x w r", hidden_size=4)], [4, 1, 1], constants)
    function = predict_function(imported(made))
    found = InputMoments(function, random.normal(size=(20, 4)))
    matrices = [op.lhs.owner for op in function.walk() if isinstance(op, tdsl.MatmulOp)]
    [weights] = [op for op in matrices if isinstance(op, tdsl.ConstOp) and op.raws.shape == (4, 1)]
    known = found.of(weights, lambda _: F32_FORMAT)
    assert known is not None
    assert (known.axes, known.rounded.shape) == ((-1,), (1, 1))


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
