"""Support vector machines of libsvm."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.layers.support_vectors import KernelFunction, kernel_sums, pair_coefficients, votes
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, handles, needed
from tinyml.lowering.frontends.onnx.building.values import Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.ml import ML
from tinyml.lowering.frontends.onnx.ops.ml.linear import classified

if TYPE_CHECKING:
    from xdsl.ir import SSAValue


def _sums(to: Builder, node: OnnxNode, inputs: Inputs, rows: int, sizes: Sequence[int]) -> SSAValue:
    """The column of decisions, or of values, of the support vectors in a node's attributes.

    rows: the number of rows of the coefficients. sizes: the number of support vectors of each class; one for a
    regressor.
    """
    x, number, addends = to.tensor(needed(to, inputs, 0)), sum(sizes), node.numbers("rho")
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
    """The label and the votes of the classes; for two classes the decision function, positive for the second."""
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
