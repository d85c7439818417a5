"""Tree ensembles of ai.onnx.ml: versions 1 to 4, in which nodes name their tree, and version 5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, reals
from tinyml.lowering.frontends.layers.tree_ensembles import LEAF, Tree, forest
from tinyml.lowering.frontends.onnx.builder import Builder, Inputs, Value, handles
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.ml import ML, classified, one_sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

IS_LEAF = "LEAF"
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT")
"""The supported comparisons, in the numbering of ai.onnx.ml 5."""
_STRICT = ("BRANCH_LT", "BRANCH_GTE")
_TURNED = ("BRANCH_GTE", "BRANCH_GT")

AGGREGATES = ("AVERAGE", "SUM")
_NUMBERED_AGGREGATES = (*AGGREGATES, "MIN", "MAX")
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC")
_NUMBERED_TRANSFORMS = (*TRANSFORMS, "SOFTMAX_ZERO", "PROBIT")


def _tree(
    node: OnnxNode,
    modes: Sequence[str],
    features: NDArray[Any],
    values: NDArray[Any],
    branches: tuple[NDArray[Any], NDArray[Any]],
    votes: NDArray[Any],
    tracks: NDArray[Any],
) -> Tree:
    """Build a tree from arrays over its nodes.

    features, values: the feature and the threshold of each node.
    branches: for each node, the next node after a true and after a false comparison; `LEAF` for leaves.
    votes: the votes of each node.
    tracks: true where a missing value counts as a true comparison.
    """
    if unknown := sorted({*modes} - {*MODES, IS_LEAF}):
        raise node.error(f"comparisons {', '.join(unknown)} are not supported, only {', '.join(MODES)}")
    turned, strict = (np.array([mode in kinds for mode in modes], bool) for kinds in (_TURNED, _STRICT))
    true, false = branches
    first, second = np.where(turned, false, true), np.where(turned, true, false)
    return Tree(features, values, first, second, votes, turned != tracks.astype(np.bool_)).below(strict)


def _values(node: OnnxNode, name: str) -> NDArray[np.float64]:
    tensor: Any = node.attributes.get(f"{name}_as_tensor")
    return node.numbers(name) if tensor is None else np.asarray(tensor, np.float64).reshape(-1)


def _integers(node: OnnxNode, name: str) -> NDArray[np.int64]:
    return np.array(node.integers(name, ()), np.int64)


def _trees(node: OnnxNode, what: str, results: int) -> Iterator[Tree]:
    """Yield the trees of a node of ai.onnx.ml 1 to 4.

    what: the attribute prefix of leaves, `class` or `target`.
    results: the number of results.
    """
    ids, numbers = _integers(node, "nodes_treeids"), _integers(node, "nodes_nodeids")
    modes = node.attributes.get("nodes_modes", ())
    features, values = _integers(node, "nodes_featureids"), _values(node, "nodes_values")
    true, false = _integers(node, "nodes_truenodeids"), _integers(node, "nodes_falsenodeids")
    leaf_trees, leaf_nodes = _integers(node, f"{what}_treeids"), _integers(node, f"{what}_nodeids")
    columns, weights = _integers(node, f"{what}_ids"), _values(node, f"{what}_weights")
    tracks = _tracks(node, len(ids))
    nodes = [ids, numbers, features, values, true, false, tracks]
    leaves = [leaf_trees, leaf_nodes, columns, weights]
    if not isinstance(modes, tuple) or len({len(modes), *map(len, nodes)}) > 1 or len({*map(len, leaves)}) > 1:
        raise node.error("the attributes of its nodes, or those of its leaves, differ in length")
    if not all(isinstance(mode, str) for mode in modes):
        raise node.error("attribute 'nodes_modes' is not a list of strings")
    if columns.size and not 0 <= int(columns.min()) <= int(columns.max()) < results:
        raise node.error(f"a leaf votes for the result {int(columns.max())}, there are {results}")
    order = dict[tuple[int, int], int]()
    members = dict[int, list[int]]()
    for position, key in enumerate(zip(ids.tolist(), numbers.tolist(), strict=True)):
        members.setdefault(key[0], [])
        if key in order:
            raise node.error(f"tree {key[0]} has two nodes {key[1]}")
        order[key] = len(members[key[0]])
        members[key[0]].append(position)
    votes = {tree: np.zeros((len(nodes), results)) for tree, nodes in members.items()}
    for key, column, weight in zip(
        zip(leaf_trees.tolist(), leaf_nodes.tolist(), strict=True), columns.tolist(), weights.tolist(), strict=True
    ):
        if key not in order:
            raise node.error(f"tree {key[0]} has no node {key[1]}, for which there is a vote")
        votes[key[0]][order[key], column] += weight
    for tree, nodes in members.items():
        kinds = [str(modes[position]) for position in nodes]
        branches = tuple(
            np.array(
                [
                    LEAF if kind == IS_LEAF else order.get((tree, int(side[position])), -2)
                    for kind, position in zip(kinds, nodes, strict=True)
                ]
            )
            for side in (true, false)
        )
        yield _tree(node, kinds, features[nodes], values[nodes], (branches[0], branches[1]), votes[tree], tracks[nodes])


def _tracks(node: OnnxNode, count: int) -> NDArray[np.int64]:
    tracks = _integers(node, "nodes_missing_value_tracks_true")
    return tracks if tracks.size else np.zeros(count, np.int64)


def _start(node: OnnxNode, results: int) -> NDArray[np.float64]:
    start = _values(node, "base_values")
    if start.size not in (0, 1, results):
        raise node.error(f"{start.size} base_values do not fit {results} results")
    return np.broadcast_to(start if start.size else np.zeros(1), (results,)).astype(np.float64)


def _sums(to: Builder, x: SSAValue, trees: Sequence[Tree], start: NDArray[Any], aggregate: str) -> SSAValue:
    if aggregate not in AGGREGATES:
        raise to.error(f"aggregate_function {aggregate} is not supported, only {' and '.join(AGGREGATES)}")
    if aggregate == "AVERAGE":
        trees = [replace(tree, votes=tree.votes / len(trees)) for tree in trees]
    return forest(to, x, trees, start)


def _transformed(to: Builder, scores: SSAValue, transform: str) -> SSAValue:
    if transform not in TRANSFORMS:
        raise to.error(f"post_transform {transform} is not supported, only {', '.join(TRANSFORMS)}")
    match transform:
        case "SOFTMAX":
            return to.op(tdsl.SoftmaxOp, scores)
        case "LOGISTIC":
            return to.op(tdsl.SigmoidOp, scores)
        case _:
            return scores


@handles("TreeEnsembleClassifier", domain=ML)
def tree_ensemble_classifier(to: Builder, node: OnnxNode, inputs: Inputs) -> Sequence[Value]:
    """Import a tree classifier: the label and the scores.

    There is one score per class. If the leaves vote for only one of two classes, there is a single score, which is
    positive for the second class: the sum of the votes or, if no vote is negative, the sum minus 1/2, since the sum is
    then a probability. As in onnxruntime, a transform applies to the sum itself.
    """
    x, labels = one_sample(to, node, inputs), node.labels("classlabels_int64s", "classlabels_strings")
    trees, start = list(_trees(node, "class", len(labels))), _start(node, len(labels))
    voted = sorted({*_integers(node, "class_ids").tolist()})
    transform = node.text("post_transform", "NONE")
    if len(labels) == 2 and len(voted) == 1:
        base = _values(node, "base_values")
        start = base[-1:] if base.size else np.zeros(1)
        positive = bool((_values(node, "class_weights") >= 0).all())
        alone = [replace(tree, votes=tree.votes[:, voted]) for tree in trees]
        # A probability above 1/2 means the second class.
        scores = forest(to, x, alone, start - 0.5 * positive)
        sums = scores
        if positive and transform != "NONE":
            sums = to.op(tdsl.AddOp, scores, to.parameter(reals(np.full((1, 1), 0.5))))
        return classified(to, scores, labels), OrderedTensor.plain(_transformed(to, sums, transform))
    scores = forest(to, x, trees, start)
    return classified(to, scores, labels), OrderedTensor.plain(_transformed(to, scores, transform))


@handles("TreeEnsembleRegressor", domain=ML)
def tree_ensemble_regressor(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    targets = node.integer("n_targets", 1)
    trees, start = list(_trees(node, "target", targets)), _start(node, targets)
    aggregate = node.text("aggregate_function", "SUM")
    sums = _sums(to, one_sample(to, node, inputs), trees, start, aggregate)
    return OrderedTensor.plain(_transformed(to, sums, node.text("post_transform", "NONE")))


@handles("TreeEnsemble", domain=ML)
def tree_ensemble(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import the ensemble of ai.onnx.ml 5, with separate inner nodes and leaves, and one vote per leaf."""
    targets = node.integer("n_targets", 1)
    numbers: Any = node.attributes.get("nodes_modes")
    splits: Any = node.attributes.get("nodes_splits")
    weights: Any = node.attributes.get("leaf_weights")
    if any(tensor is None for tensor in (numbers, splits, weights)):
        raise node.error("needs the tensors nodes_modes, nodes_splits and leaf_weights")
    columns, features = _integers(node, "leaf_targetids"), _integers(node, "nodes_featureids")
    leaves, inner = len(columns), len(features)
    branches = [_integers(node, f"nodes_{side}nodeids") for side in ("true", "false")]
    ends = [_integers(node, f"nodes_{side}leafs") for side in ("true", "false")]
    tracks = _tracks(node, inner)
    if {len(array) for array in (*branches, *ends, splits, numbers, tracks)} != {inner} or len(weights) != leaves:
        raise node.error("the attributes of its nodes, or those of its leaves, differ in length")
    if leaves and not 0 <= int(columns.min()) <= int(columns.max()) < targets:
        raise node.error(f"a leaf votes for the target {int(columns.max())}, there are {targets}")
    modes: list[int] = np.asarray(numbers).tolist()
    kinds = [MODES[mode] if 0 <= mode < len(MODES) else f"number {mode}" for mode in modes]
    votes = np.zeros((leaves, targets))
    votes[np.arange(leaves), columns] = np.asarray(weights, np.float64).reshape(-1)
    trees: list[Tree] = []
    for root in node.integers("tree_roots", ()):
        values = np.asarray(splits, np.float64)
        trees.append(_reached(node, root, kinds, features, values, branches, ends, votes, tracks))
    aggregate = _numbered(node, "aggregate_function", _NUMBERED_AGGREGATES, 1)
    transform = _numbered(node, "post_transform", _NUMBERED_TRANSFORMS, 0)
    sums = _sums(to, one_sample(to, node, inputs), trees, np.zeros(targets), aggregate)
    return OrderedTensor.plain(_transformed(to, sums, transform))


def _numbered(node: OnnxNode, name: str, words: Sequence[str], default: int) -> str:
    """Convert a choice that ai.onnx.ml 5 encodes as a number to its name in ai.onnx.ml 1 to 4.

    words: the names by number.
    """
    number = node.integer(name, default)
    return words[number] if 0 <= number < len(words) else f"number {number}"


def _reached(
    node: OnnxNode,
    root: int,
    kinds: Sequence[str],
    features: NDArray[Any],
    splits: NDArray[Any],
    branches: Sequence[NDArray[Any]],
    ends: Sequence[NDArray[Any]],
    votes: NDArray[Any],
    tracks: NDArray[Any],
) -> Tree:
    """Build the tree below the node `root`, with inner nodes before leaves.

    kinds: the comparison of each inner node.
    features, splits: the feature and the threshold of each inner node.
    branches: for the true and the false side of each inner node, the index of the next inner node or leaf.
    ends: for each side, a mask of the inner nodes whose next node is a leaf.
    votes: the votes of the leaves, of shape (leaves, results).
    tracks: 1 where a missing value counts as a true comparison.
    """
    nodes, leaves = list[int](), list[int]()
    order = dict[int, int]()
    pending = [root]
    while pending:
        at = pending.pop()
        if not 0 <= at < len(kinds) or at in order:
            raise node.error(f"node {at} of a tree has several parents, or does not exist")
        order[at] = len(nodes)
        nodes.append(at)
        pending += [int(branch[at]) for branch, end in zip(branches, ends, strict=True) if not end[at]]
    sides: list[list[int]] = []
    for branch, end in zip(branches, ends, strict=True):
        side: list[int] = []
        for at in nodes:
            if end[at]:
                if not 0 <= int(branch[at]) < len(votes):
                    raise node.error(f"there is no leaf {int(branch[at])}")
                side.append(len(nodes) + len(leaves))
                leaves.append(int(branch[at]))
            else:
                side.append(order[int(branch[at])])
        sides.append(side)
    none, zero = np.full(len(leaves), LEAF), np.zeros(len(leaves))
    return _tree(
        node,
        [*(kinds[at] for at in nodes), *[IS_LEAF] * len(leaves)],
        np.concatenate([features[nodes], zero.astype(np.int64)]),
        np.concatenate([splits[nodes], zero]),
        (np.concatenate([sides[0], none]), np.concatenate([sides[1], none])),
        np.concatenate([np.zeros((len(nodes), votes.shape[1])), votes[leaves]]),
        np.concatenate([tracks[nodes], zero]),
    )
