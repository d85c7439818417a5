"""Transformers: scalers, projections onto components, and kernel features."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.affine import affine
from tinyml.lowering.frontends.layers.dense_layers import limited
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals
from tinyml.lowering.frontends.layers.support_vectors import KERNELS, KernelFunction, kernel_sums
from tinyml.lowering.frontends.layers.thresholds import Scaling
from tinyml.lowering.frontends.sklearn.composites import together
from tinyml.lowering.frontends.sklearn.fitted import array, only

if TYPE_CHECKING:
    from numpy.typing import NDArray


def shifted(to: ModelBuilder, x: SSAValue, offset: NDArray[Any]) -> SSAValue:
    """Emit features 1 x N minus an offset per feature."""
    return to.op(tdsl.SubOp, x, to.parameter(reals(offset.reshape(1, -1)))) if offset.any() else x


def scaled(to: ModelBuilder, x: SSAValue, factor: NDArray[Any]) -> SSAValue:
    """Emit features 1 x N times a factor per feature."""
    return x if (factor == 1).all() else to.op(tdsl.MulOp, x, to.parameter(reals(factor.reshape(1, -1))))


def _divided(to: ModelBuilder, estimator: Any, x: SSAValue, centre: str | None, scale: str) -> SSAValue:
    """Emit (x - centre) / scale. The centre is 0, or the scale 1, if its name or the value of its attribute is None.

    centre, scale: names of fitted attributes.
    """
    if not hasattr(estimator, scale):
        array(to, estimator, scale)
    result, steps = x, list[Any]()
    if centre is not None and getattr(estimator, centre) is not None:
        steps.append((np.subtract, array(to, estimator, centre)))
        result = shifted(to, result, steps[-1][1])
    if getattr(estimator, scale) is not None:
        steps.append((np.divide, array(to, estimator, scale)))
        result = scaled(to, result, 1 / steps[-1][1])
    return _recorded(to, x, result, steps)


def _recorded(to: ModelBuilder, x: SSAValue, result: SSAValue, steps: Sequence[Any]) -> SSAValue:
    """Record the steps by which a scaler computes `result` from `x`, and return `result`. The thresholds of trees
    that read `result` are converted by these steps.

    Nothing is recorded unless every element of `result` increases with its feature.
    """
    factors = [numbers for function, numbers in steps if function in (np.multiply, np.divide)]
    if result is not x and all((numbers > 0).all() for numbers in factors):
        to.scalings[result] = Scaling(x, steps)
    return result


def standard_scaler(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    centred = getattr(estimator, "with_mean", True)
    return _divided(to, estimator, x, "mean_" if centred else None, "scale_")


def robust_scaler(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    return _divided(to, estimator, x, "center_", "scale_")


def max_abs_scaler(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    return _divided(to, estimator, x, None, "scale_")


def min_max_scaler(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit `x * scale_ + min_`, clamped if the estimator has `clip` set."""
    factors, addends = array(to, estimator, "scale_"), array(to, estimator, "min_")
    result = shifted(to, scaled(to, x, factors), -addends)
    steps: list[Any] = [(np.multiply, factors), (np.add, addends)]
    if getattr(estimator, "clip", False):
        low, high = map(float, estimator.feature_range)
        result = limited(to, result, low, high)
        steps += [(np.maximum, np.full_like(factors, low)), (np.minimum, np.full_like(factors, high))]
    return _recorded(to, x, result, steps)


def normalizer(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    only(to, estimator, "norm", "l2", instead="StandardScaler needs no norm")
    return to.op(tdsl.NormaliseOp, x)


def pca(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit `(x - mean_) components_^T`. With whitening, each component is also divided by its standard deviation."""
    components = array(to, estimator, "components_", 2)
    if getattr(estimator, "whiten", False):
        deviations = np.sqrt(array(to, estimator, "explained_variance_"))
        least = np.finfo(np.asarray(estimator.explained_variance_).dtype).eps
        components = components / np.maximum(deviations, least).reshape(-1, 1)
    projected = affine(to, x, components, -components @ array(to, estimator, "mean_"))
    return to.reshape(projected, (1, len(components)))


def truncated_svd(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    components = array(to, estimator, "components_", 2)
    return to.reshape(affine(to, x, components), (1, len(components)))


def binarized(to: ModelBuilder, x: SSAValue, threshold: float | None) -> SSAValue:
    """Emit 1 for features above a threshold, else 0. The threshold None leaves the features unchanged."""
    if threshold is None:
        return x
    return to.op(tdsl.StepOp, shifted(to, x, np.full(shape_of(x), float(threshold))))


def binarizer(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    return binarized(to, x, estimator.threshold)


def simple_imputer(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the features with missing values replaced by `statistics_`. Features that had no value in training are
    dropped, unless the estimator has `keep_empty_features` set.

    Raises `InputError` if missing values are marked by another value than NaN, and for indicators of missing values.
    """
    only(to, estimator, "add_indicator", False, instead="fit it with add_indicator=False")
    if not isinstance(estimator.missing_values, float) or not np.isnan(estimator.missing_values):
        raise to.error(f"missing_values={estimator.missing_values!r} is not supported: mark missing values by NaN")
    values = array(to, estimator, "statistics_")
    known = ~np.isnan(values) | bool(getattr(estimator, "keep_empty_features", False))
    x = x if known.all() else to.picked(x, np.flatnonzero(known).tolist())
    return to.op(tdsl.ImputeOp, x, np.nan_to_num(values[known]).astype(np.float32).tolist())


def polynomial_features(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the products of features in the order of `powers_`. Products that differ only in their last factor are
    computed by one multiplication op.
    """
    products: dict[tuple[int, ...], SSAValue] = {}

    def product(factors: tuple[int, ...]) -> SSAValue:
        if factors not in products:
            last = to.picked(x, [factors[-1]])
            products[factors] = to.op(tdsl.MulOp, product(factors[:-1]), last) if factors[1:] else last
        return products[factors]

    columns: list[SSAValue] = []
    powers = array(to, estimator, "powers_", 2).astype(int)
    to.check_shape(powers.shape)
    rows = [tuple(np.repeat(np.arange(len(row)), row).tolist()) for row in powers]
    for (constant, first), group in groupby(rows, lambda row: (not row, row[:-1])):
        if constant:
            columns.append(to.op(tdsl.ReshapeOp, to.parameter(reals(np.ones((1, 1)))), (1, 1)))
            continue
        factors = to.picked(x, [row[-1] for row in group])
        columns.append(to.op(tdsl.MulOp, factors, product(first)) if first else factors)
    return together(to, columns)


def nystroem(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    """Emit the kernel values of the input and the components, multiplied by the normalisation matrix."""
    only(to, estimator, "kernel", *KERNELS, instead="kernel='rbf' is the usual one")
    components, rotation = (array(to, estimator, name, 2) for name in ("components_", "normalization_"))
    gamma, coef0, degree = estimator.gamma, estimator.coef0, estimator.degree
    function = KernelFunction(
        estimator.kernel,
        1 / components.shape[1] if gamma is None else float(gamma),
        1.0 if coef0 is None else float(coef0),
        3 if degree is None else int(degree),
    )
    features = kernel_sums(to, x, function, components, rotation, np.zeros(len(rotation)))
    return to.reshape(features, (1, len(rotation)))
