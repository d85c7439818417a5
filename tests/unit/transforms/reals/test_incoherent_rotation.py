"""Rotations that make coordinates small, and distances that stay."""

from __future__ import annotations

import numpy as np
import pytest
from programs.paths import FILECHECK
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.transforms.reals.rotate_distances import RotateDistancesPass, level_rotation

FILES = FILECHECK / "transforms"


@pytest.mark.parametrize("n", [1, 2, 7, 16])
def test_coordinates_become_small(n: int):
    random = np.random.default_rng(n)
    points = random.normal(size=(200, n)) * np.geomspace(1, 10, n)
    rotation = level_rotation(points)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(n), atol=1e-12)
    before, after = (np.abs(one).max() for one in (points, points @ rotation.T))
    assert after <= before
    assert n == 1 or after < 0.9 * before


def test_points_at_the_origin_turn_as_they_like():
    assert level_rotation(np.zeros((3, 4))).shape == (4, 4)


def test_distances_stay():
    program = (FILES / "reals" / "rotate_distances.mlir").read_text()
    module = Parser(context(), program).parse_module()
    inputs = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
    before = evaluate_reals(module, inputs).scores
    RotateDistancesPass(str(FILES / "Inputs" / "turned.npz")).apply(context(), module)
    module.verify()
    after = evaluate_reals(module, inputs).scores
    assert before is not None
    assert after is not None
    np.testing.assert_allclose(after, before, rtol=1e-5)
