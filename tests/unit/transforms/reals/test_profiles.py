"""Profiles of tensors in long loops need bounded memory, and profiles of forests contain the frequencies of paths."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.forests import forest_program, random_trees, random_votes, reached
from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.seedot.importer import import_seedot
from tinyml.transforms.reals.analysis import profiles
from tinyml.transforms.reals.analysis.profiles import percentiles_of, record_profiles

LOOP = "let X = (4, 1) in [-1.0, 1.0] in\nlet h = X in loop(i = [0:100], h) let h = tanh(h) in h"


def profile_of_loop(inputs: NDArray[np.float64]) -> tdsl.Profile:
    module = import_seedot(LOOP, "f.sd")
    record_profiles(module, inputs)
    [loop] = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    recorded = loop.attributes[tdsl.PROFILE]
    [profile] = cast("ArrayAttr[Attribute]", recorded)
    assert isinstance(profile, tdsl.Profile)
    return profile


def test_samples_of_long_loops_are_thinned(monkeypatch: pytest.MonkeyPatch):
    kept: list[int] = []
    concatenate = np.concatenate

    def count(arrays: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        kept.append(sum(map(len, arrays)))
        return concatenate(arrays)

    inputs = np.random.default_rng(0).uniform(-1, 1, (8, 4))
    whole = profile_of_loop(inputs)
    monkeypatch.setattr(profiles, "MAX_SAMPLED", 2048)
    monkeypatch.setattr(np, "concatenate", count)
    thinned = profile_of_loop(inputs)
    # The value in the loop and the one that the loop carries.
    assert max(kept) <= 2 * 2048 < 2 * 100 * inputs.size
    assert (thinned.low, thinned.high) == (whole.low, whole.high)
    actual, desired = ([value.data for value in profile.percentiles] for profile in (thinned, whole))
    np.testing.assert_allclose(actual, desired, atol=0.1)


def test_forests_have_the_shares_of_samples_that_go_to_each_child():
    """The recorded fractions of samples that reach each child of a node equal those counted by a walk through the
    trees.
    """
    random = np.random.default_rng(5)
    trees = random_trees(random, 4, 9, 3, 8, -1, 1)
    module = forest_program(trees, random_votes(random, 8, 2, signed=True, pure=0.3), 3)
    inputs = random.normal(0.4, 0.5, (50, 3)).astype(np.float32)
    record_profiles(module, inputs)
    [forest] = [op for op in module.walk() if isinstance(op, tdsl.ForestOp)]
    found = forest.trees
    visited = 0
    for row in inputs:
        for node in trees.roots.tolist():
            while node >= 0:
                visited += 1
                node = int(trees.children[node][0 if row[trees.features[node]] <= trees.thresholds[node] else 1])
    assert found.visits == pytest.approx(visited / len(inputs))
    assert trees.visits != pytest.approx(found.visits, rel=0.01)
    ends = [leaf for row in inputs for leaf in reached(trees, trees.thresholds, row)]
    leaves, _ = found.leaves_by_tree
    shares = np.bincount(leaves, found.leaf_shares, minlength=8)
    np.testing.assert_allclose(shares, np.bincount(ends, minlength=8) / len(inputs), atol=1e-6)


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_percentiles_are_those_of_numpy(count: int):
    values = np.random.default_rng(count).normal(size=count).round(2)
    expected: list[float] = np.percentile(values, tdsl.PERCENTILES).tolist()
    assert percentiles_of(values, tdsl.PERCENTILES) == expected
