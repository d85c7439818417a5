"""Ops of the domain ai.onnx.ml, which converters of scikit-learn emit. Trees are in `ml_trees.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.dialects.tdsl.base import spell
from tinyml.lowering.frontends.layers.affine import affine
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.layers.support_vectors import KernelFunction, kernel_sums, pair_coefficients, votes
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Label, Value, handles, needed
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import binary

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir import SSAValue

ML = "ai.onnx.ml"
"""The domain of the ops of this file."""


def classified(to: Builder, scores: SSAValue, labels: tuple[str | int, ...]) -> Label:
    """The index of the greatest of 1 x K scores, and the labels of the classes. A single score is positive for the
    second of two classes.
    """
    single = shape_of(scores)[1] == 1
    return Label(to.emit(tdsl.SignOp if single else tdsl.ArgmaxOp, scores).result, (1,), labels)


def one_sample(to: Builder, node: OnnxNode, inputs: Inputs) -> SSAValue:
    """Reshape an input to the features of one sample, 1 x N; all other extents must be 1."""
    x = to.tensor(needed(to, inputs, 0))
    if (batch := prod(shape_of(x)[:-1])) > 1:
        shape = spell(shape_of(x))
        raise node.error(
            f"takes {batch} samples at once, {shape}: export it for one, such as FloatTensorType([None, n])"
        )
    return x


def linear(to: Builder, node: OnnxNode, x: SSAValue, count: int, sums: Sequence[int]) -> SSAValue:
    """Emit a row of linear functions of x.

    count: the number of functions of the node.
    sums: the indices of the functions to compute.
    """
    coefficients, addends = node.numbers("coefficients"), node.numbers("intercepts")
    length = int(np.prod(shape_of(x)))
    if coefficients.size != count * length or addends.size not in (0, count):
        raise node.error(f"{coefficients.size} coefficients do not fit {count} sums of {length} features")
    weights: NDArray[Any] = coefficients.reshape(count, length)[sums]
    return to.reshape(affine(to, x, weights, addends[sums] if addends.size else None), (1, len(sums)))


@handles("LinearClassifier", domain=ML)
def linear_classifier(to: Builder, node: OnnxNode, inputs: Inputs) -> Sequence[Value]:
    """Import a linear classifier as a label and scores. The node's `post_transform` is applied to the scores, unless it
    is LOGISTIC and there are several scores.

    For two classes with opposite functions, only the function of the second class is computed.
    """
    x, labels = one_sample(to, node, inputs), node.labels("classlabels_ints", "classlabels_strings")
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
        # The softmax of two scores: exp(s) / (exp(s) + exp(-s)).
        scores = to.op(tdsl.SigmoidOp, to.op(tdsl.AddOp, scores, scores))
    elif transform == "SOFTMAX":
        scores = to.op(tdsl.SoftmaxOp, scores)
    return label, OrderedTensor.plain(scores)


@handles("LinearRegressor", domain=ML)
def linear_regressor(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    node.only("post_transform", "NONE")
    targets = node.integer("targets", 1)
    return OrderedTensor.plain(linear(to, node, one_sample(to, node, inputs), targets, [*range(targets)]))


def _sums(to: Builder, node: OnnxNode, inputs: Inputs, rows: int, sizes: Sequence[int]) -> SSAValue:
    """Emit the column of decisions or values that a node computes from support vectors.

    rows: the number of rows of coefficients.
    sizes: the number of support vectors of each class; a single number for a regressor.
    """
    x, number, addends = one_sample(to, node, inputs), sum(sizes), node.numbers("rho")
    vectors: Any = node.numbers("support_vectors")
    coefficients: Any = node.numbers("coefficients")
    kernel_params = node.numbers("kernel_params").tolist()
    node.only("post_transform", "NONE")
    length = prod(shape_of(x))
    if not number:
        raise node.error("a model without support vectors is not supported: LinearSVC or LinearSVR is exported without")
    if len(kernel_params) != 3 or not np.isfinite(kernel_params).all():
        raise node.error(f"kernel_params are {kernel_params}, expected three numbers")
    if vectors.size != number * length or coefficients.size != rows * number:
        raise node.error(f"its attributes do not fit {number} support vectors of {length} features")
    vectors, coefficients = vectors.reshape(number, length), coefficients.reshape(rows, number)
    if len(sizes) > 2:
        coefficients = pair_coefficients(to, coefficients, sizes)
    if addends.size != len(coefficients):
        raise node.error(f"{addends.size} numbers in rho do not fit {len(coefficients)} decisions")
    gamma, coef0, degree = kernel_params
    kernel = KernelFunction(node.text("kernel_type", "LINEAR").lower(), gamma, coef0, int(degree))
    return kernel_sums(to, x, kernel, vectors, coefficients, addends)


@handles("SVMClassifier", domain=ML)
def svm_classifier(to: Builder, node: OnnxNode, inputs: Inputs) -> Sequence[Value]:
    """Import a support vector classifier: the label and the votes of the classes.

    For two classes the scores are the decision function, which is positive for the second class.
    """
    labels = node.labels("classlabels_ints", "classlabels_strings")
    sizes = node.integers("vectors_per_class", ())
    if len(sizes) != len(labels) or len(labels) < 2 or min(sizes) < 0:
        raise node.error(f"{len(labels)} labels do not fit support vectors of {len(sizes)} classes")
    if node.numbers("prob_a").size:
        raise node.error("probabilities of pairs are not supported: export SVC with probability=False")
    decisions = _sums(to, node, inputs, len(sizes) - 1, sizes)
    # The decision is greater than 0 for the first class.
    scores = to.op(tdsl.NegOp, decisions) if len(sizes) == 2 else votes(to, decisions, len(sizes))
    return classified(to, scores, labels), OrderedTensor.plain(scores)


@handles("SVMRegressor", domain=ML)
def svm_regressor(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    node.only("one_class", 0)
    return OrderedTensor.plain(_sums(to, node, inputs, 1, [node.integer("n_supports", 0)]))


@handles("Scaler", domain=ML)
def scaler(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Scaler: `(x - offset) * scale`, with one offset and one scale for all features or one per feature."""
    x = needed(to, inputs, 0)
    for make, name, neutral in ((tdsl.SubOp, "offset", 0.0), (tdsl.MulOp, "scale", 1.0)):
        numbers = node.numbers(name)
        if numbers.size and (numbers != neutral).any():
            x = binary(to, make, x, Constant(numbers.reshape(1, -1)))
    return x


@handles("Normalizer", domain=ML)
def normalizer(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    x = to.stored(needed(to, inputs, 0))
    if isinstance(x.value.owner, tdsl.SoftmaxOp) and node.text("norm", "MAX") == "L1":
        return x
    node.only("norm", "L2")
    return OrderedTensor(to.op(tdsl.NormaliseOp, x.value, to.element), x.order)


@handles("ArrayFeatureExtractor", domain=ML)
def array_feature_extractor(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import a lookup of class labels by a predicted index, or of features at constant indices."""
    values, at = needed(to, inputs, 0), needed(to, inputs, 1)
    if isinstance(at, Label):
        if not isinstance(values, Constant) or values.array.dtype.kind not in "iuU":
            raise node.error("expected constant labels of classes, integers or strings")
        return replace(at, classes=tuple(values.array.ravel().tolist()))
    if not isinstance(at, Constant) or at.array.dtype.kind not in "iu" or not at.array.size:
        raise node.error("expected constant indices")
    indices, shape = at.array.ravel().tolist(), values.shape
    if not isinstance(values, Constant):
        return OrderedTensor.plain(to.picked(to.tensor(values), indices))
    if not shape or not all(0 <= index < shape[-1] for index in indices):
        raise node.error(f"indices {indices} do not lie in shape {list(shape)}")
    return Constant(np.take(values.array, indices, -1))


@handles("FeatureVectorizer", domain=ML)
def feature_vectorizer(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Concatenate the features of all inputs to one row, in models exported with one input per column."""
    rows = [to.stored(needed(to, inputs, number)).value for number in range(len(inputs))]
    rows = [to.reshape(row, (1, prod(shape_of(row)))) for row in rows]
    lengths = tuple(shape_of(row)[1] for row in rows)
    if node.integers("inputdimensions", lengths) != lengths:
        raise node.error(f"inputdimensions differ from the lengths of its inputs, {[*lengths]}")
    return OrderedTensor.plain(rows[0] if len(rows) == 1 else to.op(tdsl.ConcatOp, rows, 1))


@handles("ZipMap", domain=ML)
def zip_map(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import ZipMap: return the scores unchanged, and record the class labels for an attribute of the module."""
    to.classes = to.classes or node.labels("classlabels_int64s", "classlabels_strings")
    return needed(to, inputs, 0)
