"""The results of a model, by the objective that it was trained for, from the sums of its trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.tree_ensembles import Tree, forest

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASSES, VALUE, EXPONENTIAL, SHARE = "classes", "value", "exponential", "share"


@dataclass(frozen=True)
class Objective:
    """An objective.

    kind: `CLASSES` for a classifier, whose scores are the sums, one of which stands for two classes; `VALUE` for the
    sums themselves, `EXPONENTIAL` and `SHARE` for their exponential or logistic function.
    """

    kind: str
    classes: int = 0


def boosted_program(
    file: str, features: int, trees: Sequence[Tree], start: NDArray[Any] | None, objective: Objective
) -> ModuleOp:
    """The program of boosted trees. features: the number of features. start: the initial values of the sums."""
    to = ModelBuilder(file)
    x = to.argument(TensorType(F32_FORMAT.type, (1, features)), "features")
    with to.importing("trees"):
        sums = forest(to, x, trees, start)
        module = to.module(_results(to, sums, objective))
    if objective.kind == CLASSES:
        tdsl.set_classes(module, range(objective.classes))
    return module


def _results(to: ModelBuilder, sums: SSAValue, objective: Objective) -> list[SSAValue]:
    match objective.kind:
        case "classes" if tdsl.shape_of(sums)[1] == 1:
            return [to.emit(tdsl.SignOp, sums).result, sums]
        case "classes":
            return [to.emit(tdsl.ArgmaxOp, sums).result, sums]
        case "exponential":
            return [to.op(tdsl.ExpOp, sums)]
        case "share":
            return [to.op(tdsl.SigmoidOp, sums)]
        case _:
            return [sums]
