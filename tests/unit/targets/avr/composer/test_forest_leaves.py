"""The time that the composer states for the leaves of a forest equals the sum of the cycles of their instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tinyml.dialects.layouts.trees import ForestCode, Trees
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import cycles
from tinyml.targets.avr.composer.forest_leaves import Leaves

TAKEN = 1
"""The cycles that a branch takes more where it is taken."""


def leaves(votes: NDArray[Any]) -> Leaves:
    """The leaves of a tree with one inner node. Half of the samples reach each of its two leaves.

    votes: the votes of each leaf, of shape (leaves, results).
    """
    trees = Trees(np.array([0]), np.array([5], np.int16), np.array([[-1, -2]]), np.array([0]), np.array([[0.5, 0.5]]))
    return Leaves(ForestCode(trees, votes))


@pytest.mark.parametrize("element", ["int16", "int32"])
def test_a_record_without_a_mask_adds_to_all_results(element: str):
    dense = leaves(np.array([[-30, 20, 10], [50, -60, 70]], element))
    assert not dense.masked
    assert dense.record_cycles == cycles(dense.record_added(()))


@pytest.mark.parametrize("votes", [[-30, -31, 7], [300, 301, 7]])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_record_with_a_mask_skips_the_others(count: int, votes: list[int]):
    """The stated time of a record with a mask equals the cycles of its instructions. For a result that the mask
    excludes, a branch is taken and the addition is not executed.
    """
    rows = np.zeros((2, 9), np.int16 if min(votes) < 0 else np.int32)
    rows[:, :count] = [[votes[0]], [votes[1]]]
    rows[1, 4] = votes[2]
    sparse = leaves(rows)
    assert sparse.masked
    records = [leaf for leaf in (0, 1) if sparse.pure(leaf) is None]
    assert len(records) == (1 if count == 1 else 2)
    masks = ["r18", "r19"]
    every = cycles(sparse.record_added(masks)) + cycles(a.lpm(mask, "Z+") for mask in masks)
    added = cycles(sparse.record_added(masks)) / 9 - cycles((a.lsr("r18"), a.brcc(ahead=1)))
    numbers = np.mean([np.count_nonzero(rows[leaf]) for leaf in records])
    assert sparse.record_cycles == pytest.approx(every - (9 - numbers) * (added - TAKEN))
