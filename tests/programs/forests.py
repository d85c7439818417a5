"""Random forests for tests, and an independent walk through their trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from programs.network_writer import NetworkWriter
from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.layouts.trees import Trees

Random = np.random.Generator


def random_trees(
    random: Random, trees: int, inner: int, features: int, leaves: int, least: float, most: float
) -> Trees:
    """Random trees with up to `inner` inner nodes each, thresholds from `least` to `most`, and leaves in any order."""
    chosen: list[int] = []
    children: list[list[int]] = []
    roots: list[int] = []

    def leaf() -> int:
        return -1 - int(random.integers(leaves))

    def grow(budget: int) -> int:
        if budget == 0:
            return leaf()
        node = len(chosen)
        chosen.append(int(random.integers(features)))
        children.append([0, 0])
        first = int(random.integers(budget))
        children[node] = [grow(first), grow(budget - 1 - first)]
        return node

    for _ in range(trees):
        roots.append(grow(int(random.integers(inner + 1))))
    thresholds = random.uniform(least, most, len(chosen))
    # Some are halves, which inputs often equal.
    thresholds[::3] = np.round(2 * thresholds[::3]) / 2
    numbers = np.array(children, np.int64).reshape(-1, 2)
    return Trees(np.array(chosen, np.int64), thresholds, numbers, np.array(roots, np.int64))


def random_votes(random: Random, leaves: int, results: int, *, signed: bool, pure: float) -> NDArray[np.float32]:
    """Random votes of shape (leaves, results). A fraction `pure` of the leaves has the vote 1 for one result and 0 for
    all others.

    signed: whether the other votes may be negative.
    """
    votes = random.uniform(-1 if signed else 0, 1, (leaves, results)) * (random.random((leaves, results)) < 0.5)
    alone = random.random(leaves) < pure
    votes[alone] = np.eye(results)[random.integers(results, size=alone.sum())]
    return votes.astype(np.float32)


def forest_program(trees: Trees, votes: NDArray[np.float32], features: int) -> ModuleOp:
    """A program of a forest. It returns the class and the sums of votes."""
    net = NetworkWriter((1, features), format=F32_FORMAT, name="forest")
    sums = net.insert(tdsl.ForestOp(net.input, net.constant(votes, name="votes"), trees))
    return net.module(net.insert(tdsl.ArgmaxOp(sums)), sums)


def reached(trees: Trees, thresholds: NDArray[Any], row: NDArray[Any]) -> list[int]:
    """For each tree, the number of the leaf that an input reaches, found node by node."""
    leaves: list[int] = []
    for node in trees.roots.tolist():
        while node >= 0:
            value = row[trees.features[node]]
            below = bool(value <= thresholds[node])
            if trees.missing is not None and np.isnan(value):
                below = bool(trees.missing[node])
            node = int(trees.children[node][0 if below else 1])
        leaves.append(-1 - node)
    return leaves


def expected_sums(trees: Trees, votes: NDArray[Any], inputs: NDArray[Any]) -> NDArray[np.float64]:
    """The sums of votes for each input, in double precision."""
    leaves = [reached(trees, trees.thresholds, row) for row in inputs]
    return np.array([np.asarray(votes, np.float64)[row].sum(0) for row in leaves])
