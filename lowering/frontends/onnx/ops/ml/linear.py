"""Linear models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.layers.weighted_sums import affine
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, handles, needed
from tinyml.lowering.frontends.onnx.building.values import Label, Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.ml import ML

if TYPE_CHECKING:
    from numpy.typing import NDArray


def classified(to: Builder, scores: SSAValue, labels: tuple[str | int, ...]) -> Label:
    """The class with the greatest of scores 1 x classes; a single score is positive for the second of two classes."""
    single = shape_of(scores)[1] == 1
    return Label(to.emit(tdsl.SignOp if single else tdsl.ArgmaxOp, scores).result, (1,), labels)


def linear(to: Builder, node: OnnxNode, x: SSAValue, count: int, sums: Sequence[int]) -> SSAValue:
    """A row of linear functions of x: those with the indices `sums` among the `count` functions of a node."""
    coefficients, addends = node.numbers("coefficients"), node.numbers("intercepts")
    length = int(np.prod(shape_of(x)))
    if coefficients.size != count * length or addends.size not in (0, count):
        raise node.error(f"{coefficients.size} coefficients do not fit {count} sums of {length} features")
    weights: NDArray[Any] = coefficients.reshape(count, length)[sums]
    return to.reshape(affine(to, x, weights, addends[sums] if addends.size else None), (1, len(sums)))


@handles("LinearClassifier", domain=ML)
def linear_classifier(to: Builder, node: OnnxNode, inputs: Inputs) -> Sequence[Value]:
    """The label and the scores: probabilities for a softmax or two classes, otherwise the linear functions.

    For two classes with opposite functions, only the second is computed.
    """
    x, labels = to.tensor(needed(to, inputs, 0)), node.labels("classlabels_ints", "classlabels_strings")
    coefficients, addends = node.numbers("coefficients"), node.numbers("intercepts")
    transform = node.text("post_transform", "NONE")
    if transform not in ("NONE", "LOGISTIC", "SOFTMAX"):
        raise node.error(f"post_transform {transform} is not supported, only NONE, LOGISTIC and SOFTMAX")
    half = coefficients.size // 2
    opposite = len(labels) == 2 and not (coefficients[:half] + coefficients[half:]).any() and not addends.sum()
    sums = [1] if opposite else [*range(len(labels))]
    scores = linear(to, node, x, len(labels), sums)
    label = classified(to, scores, labels)
    if opposite and transform == "LOGISTIC":
        scores = to.op(tdsl.SigmoidOp, scores)
    elif opposite and transform == "SOFTMAX":
        # The share of exp(s) in exp(s) + exp(-s).
        scores = to.op(tdsl.SigmoidOp, to.op(tdsl.AddOp, scores, scores))
    elif transform == "SOFTMAX":
        scores = to.op(tdsl.SoftmaxOp, scores)
    return label, OrderedTensor.plain(scores)


@handles("LinearRegressor", domain=ML)
def linear_regressor(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    node.only("post_transform", "NONE")
    targets = node.integer("targets", 1)
    return OrderedTensor.plain(linear(to, node, to.tensor(needed(to, inputs, 0)), targets, [*range(targets)]))
