"""Support vector machines of libsvm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.ir import SSAValue

from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.layers.support_vectors import (
    KERNELS,
    KernelFunction,
    kernel_sums,
    pair_coefficients,
    votes,
)
from tinyml.lowering.frontends.sklearn.fitted import Handler, array, only


def _kernel(estimator: Any, to: ModelBuilder) -> KernelFunction:
    only(to, estimator, "kernel", *KERNELS, instead="a kernel of your own is not part of the estimator")
    gamma = float(array(to, estimator, "_gamma"))
    return KernelFunction(estimator.kernel, gamma, float(estimator.coef0), int(estimator.degree))


def support_vector_classifier(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """The votes of the classes; for two classes the decision function."""
    only(to, estimator, "break_ties", False, instead="fit it with break_ties=False, as is usual")
    vectors, coefficients = (array(to, estimator, name, 2) for name in ("support_vectors_", "dual_coef_"))
    sizes = array(to, estimator, "n_support_").astype(int).tolist()
    pairs = coefficients if len(sizes) == 2 else pair_coefficients(to, coefficients, sizes)
    decisions = kernel_sums(to, x, _kernel(estimator, to), vectors, pairs, array(to, estimator, "intercept_"))
    return decisions if len(sizes) == 2 else votes(to, decisions, len(sizes))


def support_vector_regressor(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    vectors, coefficients = (array(to, estimator, name, 2) for name in ("support_vectors_", "dual_coef_"))
    return kernel_sums(to, x, _kernel(estimator, to), vectors, coefficients, array(to, estimator, "intercept_"))


SUPPORT_VECTORS: Mapping[str, Handler] = {
    "SVC": support_vector_classifier,
    "NuSVC": support_vector_classifier,
    "SVR": support_vector_regressor,
    "NuSVR": support_vector_regressor,
}
