"""Programs that evaluate boosted trees. The training objective determines how the sums of the trees become results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals
from tinyml.lowering.frontends.layers.tree_ensembles import Tree, forest

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASSES, VALUE, EXPONENTIAL, SHARE = "classes", "value", "exponential", "share"


@dataclass(frozen=True)
class Objective:
    """A training objective.

    kind: `CLASSES` for a classifier, which scores each class by a sum, or two classes by a single sum; `VALUE` for a
        regressor that returns the sums; `EXPONENTIAL` for a regressor that returns the exponentials of the sums;
        `SHARE` for a regressor that returns the logistic function of the sums.
    classes: the number of classes; 0 for a regressor.
    threshold: the value of the single sum above which the second class is predicted.
    """

    kind: str
    classes: int = 0
    threshold: float = 0.0


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Boosted trees, each of which adds to one of several sums.

    trees: trees with leaf values of shape (nodes, 1).
    members: the index of the sum to which each tree adds.
    results: the number of sums.
    """

    trees: Sequence[Tree]
    members: Sequence[int]
    results: int


@dataclass(frozen=True, eq=False)
class BoostedModel:
    """A trained model of boosted trees.

    features: the number of features.
    start: the initial values of the sums; None for zeros.
    """

    features: int
    trees: BoostedTrees
    objective: Objective
    start: NDArray[Any] | None = None


def boosted_program(file: str, model: BoostedModel) -> ModuleOp:
    """Build the program that evaluates boosted trees; classes have the labels 0, 1 and so on."""
    to = ModelBuilder(file)
    x = to.argument(TensorType(F32_FORMAT.type, (1, model.features)), "features")
    with to.importing("trees"):
        module = to.module(_results(to, _sums(to, x, model), model.objective))
    if model.objective.kind == CLASSES:
        tdsl.update_interface(module, classes=tuple(range(model.objective.classes)))
    return module


def boosted_values(to: ModelBuilder, x: SSAValue, model: BoostedModel) -> SSAValue:
    """Emit the results of boosted trees: the values of a regressor, or the scores of a classifier.

    A classifier has one score per class. A classifier of two classes may have a single score, which is positive for
    the second class.
    """
    *_, values = _results(to, _sums(to, x, model), replace(model.objective, threshold=0.0))
    return _above(to, values, model.objective.threshold)


def _sums(to: ModelBuilder, x: SSAValue, model: BoostedModel) -> SSAValue:
    return forest(to, x, _for_all_results(to, model.trees), model.start)


def _for_all_results(to: ModelBuilder, boosted: BoostedTrees) -> list[Tree]:
    """Convert the trees of `boosted`, each of which adds to one result, to trees whose leaves have a vote for every
    result.

    Raises `InputError` if the number of votes exceeds the limit on elements.
    """
    to.check_shape((max(sum(len(tree.first) for tree in boosted.trees), 1), boosted.results))
    trees: list[Tree] = []
    for tree, member in zip(boosted.trees, boosted.members, strict=True):
        votes = np.zeros((len(tree.first), boosted.results))
        votes[:, member] = tree.votes[:, 0]
        trees.append(replace(tree, votes=votes))
    return trees


def _results(to: ModelBuilder, sums: SSAValue, objective: Objective) -> list[SSAValue]:
    match objective.kind:
        case "classes" if tdsl.shape_of(sums)[1] == 1:
            return [to.emit(tdsl.SignOp, _above(to, sums, objective.threshold)).result, sums]
        case "classes":
            return [to.emit(tdsl.ArgmaxOp, sums).result, sums]
        case "exponential":
            return [to.op(tdsl.ExpOp, sums)]
        case "share":
            return [to.op(tdsl.SigmoidOp, sums)]
        case _:
            return [sums]


def _above(to: ModelBuilder, sums: SSAValue, threshold: float) -> SSAValue:
    if not threshold:
        return sums
    return to.op(tdsl.SubOp, sums, to.parameter(reals(np.full((1, 1), threshold))))
