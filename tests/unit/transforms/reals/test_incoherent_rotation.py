"""Rotations reduce the magnitude of coordinates and preserve distances."""

from __future__ import annotations

import numpy as np
import pytest
from programs.paths import FILECHECK
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.transforms.reals.rotate_distances import RotateDistancesPass, level_rotation

FILES = FILECHECK / "transforms"


LEAST = {1: 1.0, 2: 0.7073, 7: 0.4901, 16: 0.421}
"""The share of the greatest coordinate that is reached, by dimensions; the best random rotation reaches 0.6."""


@pytest.mark.parametrize("n", LEAST)
def test_coordinates_become_small(n: int):
    random = np.random.default_rng(n)
    points = random.normal(size=(200, n)) * np.geomspace(1, 10, n)
    rotation = level_rotation(points)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(n), atol=1e-12)
    before, after = (np.abs(one).max() for one in (points, points @ rotation.T))
    assert after <= 1.001 * LEAST[n] * before


def test_points_at_a_right_angle_reach_their_least():
    """Rotated by arctan(1/7), (3, 4) and (-4, 3) have coordinates of the least magnitude, 5 times the square root of
    1/2.
    """
    points = np.array([[3.0, 4.0], [-4.0, 3.0]])
    assert np.abs(points @ level_rotation(points).T).max() == pytest.approx(5 * 0.5**0.5, rel=1e-3)


def test_what_no_rotation_makes_smaller_stays():
    points = np.array([[4.0, 4.0], [4.0, -4.0], [1.0, 0.0]])
    np.testing.assert_array_equal(level_rotation(points), np.eye(2))


def test_near_points_count_for_nothing():
    far = np.array([[3.0, 4.0, 0.0], [-4.0, 3.0, 0.0], [0.0, 0.0, 2.0]])
    near = np.array([[0.0, 1.49, 0.0], [1.0, 1.0, 0.2]])
    np.testing.assert_array_equal(level_rotation(np.concatenate([far, near])), level_rotation(far))
    np.testing.assert_array_equal(level_rotation(far / 64), level_rotation(far))


def test_points_at_the_origin_turn_as_they_like():
    assert level_rotation(np.zeros((3, 4))).shape == (4, 4)


def test_distances_stay():
    program, *_ = (FILES / "reals" / "rotate_distances.mlir").read_text().split("// -----")
    module = Parser(context(), program).parse_module()
    inputs = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
    before = evaluate_reals(module, inputs).scores
    RotateDistancesPass(str(FILES / "Inputs" / "turned.npz")).apply(context(), module)
    module.verify()
    after = evaluate_reals(module, inputs).scores
    assert before is not None
    assert after is not None
    np.testing.assert_allclose(after, before, rtol=1e-5)
