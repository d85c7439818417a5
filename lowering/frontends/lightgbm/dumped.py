"""Import of the JSON of LightGBM's `dump_model` (L0): trees are nested objects."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.boosted.json_fields import Fields
from tinyml.lowering.frontends.boosted.objectives import boosted_program
from tinyml.lowering.frontends.layers.tree_ensembles import LEAF, Tree
from tinyml.lowering.frontends.lightgbm.trees import (
    CATEGORICAL,
    LINEAR,
    ZERO_AS_MISSING,
    finite,
    in_turns,
    objective_of,
)


def import_dump(model: Fields, file: str) -> ModuleOp:
    """The program of a model; raises `InputError` for an invalid file and for an unsupported model."""
    results = model.integer("num_tree_per_iteration")
    trees = model.objects("tree_info")
    if not trees:
        raise model.error("the model has no trees")
    if results < 1 or len(trees) % results:
        raise model.error(f"{len(trees)} trees are no whole number of iterations of {results}")
    share = results / len(trees) if model.data.get("average_output") else 1.0
    objective = objective_of(model.text("objective"), results, file)
    boosted = in_turns([_tree(tree, share) for tree in trees], results)
    return boosted_program(file, model.index("max_feature_idx") + 1, boosted, None, objective)


def _tree(tree: Fields, share: float) -> Tree:
    features, thresholds, children, values = list[int](), list[float](), list[list[int]](), list[float]()
    # Each entry is a node and the list entry that is to hold its number.
    pending: list[tuple[Fields, list[int], int]] = [(tree["tree_structure"], [0], 0)]
    while pending:
        node, parent, side = pending.pop()
        parent[side] = len(features)
        children.append([LEAF, LEAF])
        if "split_feature" not in node:
            if "leaf_coeff" in node:
                raise node.error(LINEAR)
            features.append(0)
            thresholds.append(0.0)
            values.append(node.number("leaf_value"))
            continue
        if node.text("decision_type") != "<=":
            raise node.error(CATEGORICAL)
        if node.text("missing_type", "None") == "Zero":
            raise node.error(ZERO_AS_MISSING)
        features.append(node.index("split_feature"))
        thresholds.append(node.number("threshold", infinite=True))
        values.append(0.0)
        pending += [(node["right_child"], children[-1], 1), (node["left_child"], children[-1], 0)]
    votes = share * np.array(values).reshape(-1, 1)
    pairs: Any = np.array(children, np.int64)
    return Tree(np.array(features), finite(np.array(thresholds)), pairs[:, 0], pairs[:, 1], votes)
