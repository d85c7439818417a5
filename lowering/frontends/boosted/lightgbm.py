"""Import of LightGBM's models (L0): the text of `save_model` and the JSON of `dump_model`.

The text consists of lines `name=value`, in a block per tree. In the JSON, the nodes of a tree are nested objects. A
node sends a sample left if the feature is at most the threshold. For a missing value, the walk through the tree
continues at the child that the node defines as its default. If the feature had no missing value in training, a missing
value is treated as zero. The leaf values of the first trees include the initial values of the sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.boosted.json_fields import Fields, as_integers
from tinyml.lowering.frontends.boosted.objectives import (
    CLASSES,
    EXPONENTIAL,
    SHARE,
    VALUE,
    BoostedModel,
    BoostedTrees,
    Objective,
    boosted_program,
)
from tinyml.lowering.frontends.layers.tree_ensembles import LEAF, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray


OBJECTIVES: Mapping[str, str] = {
    **dict.fromkeys(("binary", "multiclass", "multiclassova"), CLASSES),
    **dict.fromkeys(
        ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg"), VALUE
    ),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), EXPONENTIAL),
    "cross_entropy": SHARE,
}
"""The kinds of objectives, by name."""

SEVERAL = ("multiclass", "multiclassova")
"""Objectives with one result per class."""

ZERO_AS_MISSING = "zeros as missing values are not supported: train with zero_as_missing=false"
CATEGORICAL = "categorical splits are not supported: encode categories as numbers"
ROOTS = "square roots of targets are not supported: train with reg_sqrt=false"
LINEAR = "linear trees are not supported: train with linear_tree=false"


def _objective_of(text: str, results: int, file: str) -> Objective:
    """Parse an objective such as `binary sigmoid:1`, a name with parameters, for `results` sums. Raises `InputError`
    for an unsupported objective, for a number of sums that does not match the objective, and for the parameter
    `sqrt`.

    Other parameters are ignored: a factor in the logistic function preserves the order of the sums, and hence the
    predictions.
    """
    name, *parameters = text.split() or [""]
    if name not in OBJECTIVES:
        raise InputError(f"the objective {name[:60]!r} is not supported, only {', '.join(OBJECTIVES)}", file=file)
    if "sqrt" in parameters:
        raise InputError(ROOTS, file=file)
    kind = OBJECTIVES[name]
    if results > 1 and name not in SEVERAL:
        raise InputError(f"the objective {name} has one result, and the file trees for {results}", file=file)
    return Objective(kind, max(results, 2) if kind == CLASSES else 0)


def _in_turns(trees: Sequence[Tree], results: int) -> BoostedTrees:
    """Assign tree i to result i modulo `results`, since each training iteration produces one tree per result."""
    return BoostedTrees(trees, [number % results for number in range(len(trees))], results)


FIRST = "tree"
"""The text of the first line of a model file."""
END = "end of trees"

_CATEGORICAL, _DEFAULT_LEFT = 1, 2
"""The bits of `decision_type` for a categorical feature and for missing values that go left."""
_MISSING = ("None", "Zero", "NaN")
"""The values that are treated as missing at a node, by bits 2 and 3 of `decision_type`."""


def read_lightgbm(content: bytes, file: str) -> ModuleOp:
    """Import a model in LightGBM's text format. Raises `InputError` for an invalid file and for an unsupported
    model.
    """
    return boosted_program(file, lightgbm_model(content.decode("utf-8"), file))


def lightgbm_model(text: str, file: str) -> BoostedModel:
    """Parse a model in LightGBM's text format. Raises `InputError` as `read_lightgbm` does."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != FIRST:
        raise InputError("expected a model as LightGBM's save_model('model.txt') writes it", file=file)
    end = lines.index(END) if END in lines else len(lines)
    starts = [number for number, line in enumerate(lines[:end]) if line.startswith("Tree=")]
    if not starts:
        raise InputError("the model has no trees", file=file)
    header = _Section(lines[: starts[0]], file, 1)
    results = header.integer("num_tree_per_iteration")
    if results < 1 or len(starts) % results:
        raise InputError(f"{len(starts)} trees are not a whole number of iterations of {results}", file=file)
    share = results / len(starts) if "average_output" in header.values else 1.0
    blocks = [_Section(lines[a:b], file, a + 1) for a, b in zip(starts, [*starts[1:], end], strict=True)]
    objective = _objective_of(header.text("objective"), results, file)
    boosted = _in_turns([_listed_tree(block, share) for block in blocks], results)
    return BoostedModel(header.integer("max_feature_idx") + 1, boosted, objective)


class _Section:
    """A block of lines `name=value`.

    first: the line number of the block's first line, for messages.
    """

    def __init__(self, lines: list[str], file: str, first: int) -> None:
        self.file, self.first = file, first
        pairs = (line.partition("=") for line in lines)
        self.values: Mapping[str, str] = {name.strip(): value.strip() for name, _, value in pairs}

    def error(self, message: str) -> InputError:
        return InputError(message, file=self.file, line=self.first)

    def text(self, name: str) -> str:
        if not self.values.get(name):
            raise self.error(f"the block has no {name}")
        return self.values[name]

    def integer(self, name: str) -> int:
        [number] = self.integers(name, 1).tolist()
        return number

    def integers(self, name: str, length: int) -> NDArray[np.int64]:
        return as_integers(self.numbers(name, length), name, self.error)

    def numbers(self, name: str, length: int, *, infinite: bool = False) -> NDArray[np.float64]:
        try:
            numbers = np.array([float(word) for word in self.text(name).split()])
        except ValueError as error:
            raise self.error(f"expected numbers as {name}") from error
        if len(numbers) != length:
            raise self.error(f"expected {length} numbers as {name}, got {len(numbers)}")
        if (wrong := numbers[~(np.isfinite(numbers) | (infinite & (numbers == np.inf)))]).size:
            raise self.error(f"expected finite numbers as {name}, got {wrong[0]}")
        return numbers


def _listed_tree(block: _Section, share: float) -> Tree:
    """Build a tree from a block of LightGBM's text. Inner nodes come first, then the leaves, which the file numbers
    -1, -2 and so on. Raises `InputError` for an invalid or unsupported tree.

    share: the factor of the leaf values.
    """
    leaves = block.integer("num_leaves")
    values: Any = block.numbers("leaf_value", leaves)
    if block.values.get("is_linear", "0") != "0":
        raise block.error(LINEAR)
    inner = leaves - 1
    votes = np.concatenate([np.zeros(inner), share * values]).reshape(-1, 1)
    none: Any = np.full(leaves, LEAF)
    if not inner:
        return Tree(np.zeros(1, int), np.zeros(1), none, none, votes)
    kinds = block.integers("decision_type", inner)
    if (kinds & _CATEGORICAL).any():
        raise block.error(CATEGORICAL)
    if (kinds >> 2 & 3 == _MISSING.index("Zero")).any():
        raise block.error(ZERO_AS_MISSING)
    sides: list[Any] = []
    for name in ("left_child", "right_child"):
        child = block.integers(name, inner)
        if (wrong := child[(child < -leaves) | (child >= inner)]).size:
            raise block.error(f"expected {inner} nodes and {leaves} leaves as {name}, got {wrong[0]}")
        sides.append(np.concatenate([np.where(child < 0, inner - 1 - child, child), none]))
    zeros = np.zeros(leaves, np.int64)
    features = np.concatenate([block.integers("split_feature", inner), zeros])
    thresholds = np.concatenate([block.numbers("threshold", inner, infinite=True), zeros])
    told = np.concatenate([kinds >> 2 & 3 == _MISSING.index("NaN"), zeros]).astype(np.bool_)
    missing = _directions(told, np.concatenate([kinds & _DEFAULT_LEFT, zeros]).astype(np.bool_), thresholds)
    return Tree(features, thresholds, sides[0], sides[1], votes, missing, double=True)


def _directions(told: NDArray[np.bool_], left: NDArray[np.bool_], thresholds: NDArray[Any]) -> NDArray[np.bool_]:
    """A mask of the nodes that send a missing value left.

    told: true for nodes that send a missing value to their default side; other nodes treat it as 0.
    left: true for nodes whose default side is left.
    thresholds: the threshold of each node.
    """
    return np.where(told, left, thresholds >= 0)


def import_dump(model: Fields, file: str) -> ModuleOp:
    """Import LightGBM's JSON. Raises `InputError` for an invalid file and for an unsupported model."""
    results = model.integer("num_tree_per_iteration")
    trees = model.objects("tree_info")
    if not trees:
        raise model.error("the model has no trees")
    if results < 1 or len(trees) % results:
        raise model.error(f"{len(trees)} trees are not a whole number of iterations of {results}")
    share = results / len(trees) if model.data.get("average_output") else 1.0
    objective = _objective_of(model.text("objective"), results, file)
    boosted = _in_turns([_nested_tree(tree, share) for tree in trees], results)
    return boosted_program(file, BoostedModel(model.index("max_feature_idx") + 1, boosted, objective))


def _nested_tree(tree: Fields, share: float) -> Tree:
    features, thresholds, children, values = list[int](), list[float](), list[list[int]](), list[float]()
    told, left = list[bool](), list[bool]()
    # Each entry is a node and the list entry that receives its number.
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
            told.append(False)
            left.append(False)
            values.append(node.number("leaf_value"))
            continue
        if node.text("decision_type") != "<=":
            raise node.error(CATEGORICAL)
        if (kind := node.text("missing_type", "None")) == "Zero":
            raise node.error(ZERO_AS_MISSING)
        told.append(kind == "NaN")
        left.append(bool(node.data.get("default_left")))
        features.append(node.index("split_feature"))
        thresholds.append(node.number("threshold", infinite=True))
        values.append(0.0)
        pending += [(node["right_child"], children[-1], 1), (node["left_child"], children[-1], 0)]
    votes = share * np.array(values).reshape(-1, 1)
    pairs: Any = np.array(children, np.int64)
    limits = np.array(thresholds)
    missing = _directions(np.array(told), np.array(left), limits)
    return Tree(np.array(features), limits, pairs[:, 0], pairs[:, 1], votes, missing, double=True)
