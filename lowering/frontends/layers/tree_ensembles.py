"""Conversion of forests from arrays of nodes, the form in which training libraries store forests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.layouts.trees import Trees
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, Parameter
from tinyml.lowering.frontends.layers.thresholds import GREATEST, before_scaling, features_of, single_thresholds

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAF = -1
"""The child index that marks a leaf."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree. Inner nodes and leaves share one numbering; the root is node 0.

    features, thresholds: the comparison of each inner node; ignored for leaves.
    first: the child for feature <= threshold; `LEAF` for leaves.
    second: the other child; `LEAF` for leaves.
    votes: the number that each leaf adds to each result of the forest, of shape (nodes, results); ignored for
        inner nodes.
    missing: for each inner node, true if a missing value leads to the first child, false if it leads to the
        second; None for a model that accepts no missing values.
    double: true for a library that compares features in double precision, false for one that rounds features to
        single precision.
    """

    features: NDArray[Any]
    thresholds: NDArray[Any]
    first: NDArray[Any]
    second: NDArray[Any]
    votes: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    double: bool = False

    def below(self, strict: NDArray[Any] | bool = True) -> Tree:
        """Convert nodes that compare feature < threshold to equivalent nodes that compare feature <= threshold.

        strict: a mask of the nodes to convert.
        """
        # No number is below the least double.
        with np.errstate(over="ignore"):
            before = np.nextafter(self.thresholds.astype(np.float64), -np.inf)
        return replace(self, thresholds=np.where(strict, before, self.thresholds))


def forest(
    to: ModelBuilder,
    x: SSAValue,
    trees: Sequence[Tree],
    start: NDArray[Any] | None = None,
    stored: tdsl.StoredExamples | None = None,
) -> SSAValue:
    """Emit the sums of the votes of all trees, 1 x results. Raises `InputError` if there are no trees.

    start: the initial values of the sums, of shape (results,).
    stored: the parts that make the forest large, for advice to the user; by default the inner nodes.
    """
    if not trees:
        raise to.error("the model has no trees")
    row, trees = _on_inputs(to, x, trees)
    # Numbers beyond single precision are rejected when they become parameters.
    with np.errstate(over="ignore"):
        arrays, votes = _numbered(to, trees)
        prior = None if start is None else start.reshape(1, -1).astype(np.float32)
    row = to.reshape(row, (1, prod(shape_of(row))))
    sums = to.op(tdsl.ForestOp, row, to.parameter(Parameter(votes, name="votes")), arrays)
    sums.name_hint = "sums"
    to.stores(*(stored or (arrays.inner, f"inner nodes in {len(trees)} trees", tdsl.SMALLER_FORESTS)))
    if prior is None or not prior.any():
        return sums
    return to.op(tdsl.AddOp, sums, to.parameter(Parameter(prior, name="start")))


def _on_inputs(to: ModelBuilder, x: SSAValue, trees: Sequence[Tree]) -> tuple[SSAValue, Sequence[Tree]]:
    """Trace the features `x` of trees back to a row before scalers. Return this row, and trees with
    single-precision thresholds on the row.

    If the features come from several rows, the returned row is their concatenation. Without scalers, it is `x`
    itself.
    """
    features = features_of(x, to.scalings)
    inner = [tree.first != LEAF for tree in trees]
    indices, thresholds = (
        np.concatenate([np.asarray(getattr(tree, name))[where] for tree, where in zip(trees, inner, strict=True)])
        for name in ("features", "thresholds")
    )
    counts = [int(where.sum()) for where in inner]
    double = np.repeat(np.array([tree.double for tree in trees]), counts)
    indices = indices.astype(np.int64)
    # Nodes that compare features out of range make no op.
    scaled = np.array([bool(feature.steps) for feature in features])[np.minimum(indices, len(features) - 1)]
    if scaled.any():
        distinct = dict.fromkeys(feature.row for feature in features)
        rows = dict(zip(distinct, accumulate((prod(shape_of(row)) for row in distinct), initial=0), strict=False))
        thresholds = before_scaling(features, indices, thresholds, double)
        indices = np.array([rows[feature.row] + feature.element for feature in features])[indices]
        columns = [to.reshape(row, (1, prod(shape_of(row)))) for row in rows]
        x = columns[0] if len(columns) == 1 else to.op(tdsl.ConcatOp, columns, 1)
    thresholds = np.where(scaled | double, single_thresholds(thresholds, double), thresholds)
    ends = np.cumsum(counts)[:-1]
    return x, [
        replace(tree, features=_placed(where, indices_of_tree), thresholds=_placed(where, limits))
        for tree, where, indices_of_tree, limits in zip(
            trees, inner, np.split(indices, ends), np.split(thresholds, ends), strict=True
        )
    ]


def _placed(where: NDArray[np.bool_], numbers: NDArray[Any]) -> NDArray[Any]:
    placed = np.zeros(len(where), numbers.dtype)
    placed[where] = numbers
    return placed


def _numbered(to: ModelBuilder, trees: Sequence[Tree]) -> tuple[Trees, NDArray[Any]]:
    """Renumber the nodes of all trees in one sequence, with parents before children. Return the trees and the distinct
    votes of leaves. Raises `InputError` for nodes that do not form a tree.
    """
    features, thresholds, children = list[int](), list[float](), list[list[int]]()
    roots, missing = list[int](), list[bool]()
    leaves: list[NDArray[Any]] = []
    for tree in trees:
        roots.append(len(features) if tree.first[0] != LEAF else -1 - len(leaves))
        seen, count = set[int](), len(tree.first)
        # Each entry is a node and the list entry that receives its number.
        pending: list[tuple[int, list[int], int]] = [(0, roots, len(roots) - 1)]
        while pending:
            node, parent, side = pending.pop()
            if not 0 <= node < count or node in seen:
                raise to.error(f"node {node} of a tree has several parents, or does not exist")
            seen.add(node)
            if tree.first[node] == LEAF:
                parent[side] = -1 - len(leaves)
                leaves.append(tree.votes[node])
                continue
            parent[side] = len(features)
            features.append(int(tree.features[node]))
            # A node that only separates missing values has an infinite threshold, which no number exceeds.
            thresholds.append(min(float(tree.thresholds[node]), GREATEST))
            missing.append(tree.missing is not None and bool(tree.missing[node]))
            children.append([0, 0])
            pending += [(int(tree.second[node]), children[-1], 1), (int(tree.first[node]), children[-1], 0)]
    votes = np.array(leaves, np.float64).reshape(len(leaves), -1)
    distinct, numbers = np.unique(votes.astype(np.float32), axis=0, return_inverse=True)
    numbers = numbers.reshape(-1)
    pairs = np.array(children, np.int64).reshape(-1, 2)
    ends = np.array(roots, np.int64)
    arrays = Trees(
        np.array(features, np.int64),
        np.array(thresholds, np.float64),
        np.where(pairs < 0, -1 - numbers[np.minimum(-1 - pairs, len(leaves) - 1) * (pairs < 0)], pairs),
        np.where(ends < 0, -1 - numbers[(-1 - ends) * (ends < 0)], ends),
        missing=np.array(missing, np.bool_) if any(tree.missing is not None for tree in trees) else None,
    )
    return arrays, distinct
