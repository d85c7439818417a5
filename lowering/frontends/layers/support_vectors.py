"""Support vector machines: kernels of an input and the support vectors, sums of kernels, and votes between pairs of
classes.

libsvm (Chang and Lin, "LIBSVM: A Library for Support Vector Machines", 2011, section 4) computes a decision function
for each pair of classes, which votes for one class of the pair. The class with the most votes is predicted. Ties go to
the class with the lowest index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.affine import affine
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

KERNELS = ("linear", "rbf", "poly", "sigmoid")
FEWER_VECTORS = (
    "a greater C, a smaller gamma (NuSVC: nu; SVR: a greater epsilon) or fewer samples leave fewer, PCA makes them "
    "shorter, Nystroem(n_components=...) and LinearSVC need none"
)
"""Advice for a smaller support vector machine."""

MAX_FACTORS = 8
"""The maximum degree of a polynomial kernel; each degree requires one product."""

REACH = 3.0
"""The distance from the centre up to which kernels are exact, in multiples of the distance of the farthest vector."""


@dataclass(frozen=True)
class KernelFunction:
    """A kernel of libsvm: `linear` u v, `rbf` exp(-gamma |u - v|^2), `poly` (gamma u v + coef0)^degree, `sigmoid`
    tanh(gamma u v + coef0)."""

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3


def kernel_sums(
    to: ModelBuilder,
    x: SSAValue,
    kernel: KernelFunction,
    vectors: Array,
    coefficients: Array,
    addends: Array,
    smaller: str = FEWER_VECTORS,
    *,
    far: bool = False,
) -> SSAValue:
    """Emit the column `coefficients k(vectors, x) + addends`. A linear kernel reduces to one matrix product.

    vectors: the support vectors, one in each row; a row has the length of x.
    coefficients: a row for each sum, with the coefficient of each support vector.
    smaller: advice on reducing the number of vectors (`StoredExamples`).
    far: whether inputs may lie far from all vectors.
    """
    if kernel.name == "linear":
        return affine(to, x, coefficients @ vectors, addends)
    to.stores(len(vectors), "support vectors", smaller)
    return affine(to, _kernels(to, x, kernel, vectors, far), coefficients, addends)


def _kernels(to: ModelBuilder, x: SSAValue, kernel: KernelFunction, vectors: Array, far: bool) -> SSAValue:
    if kernel.name == "rbf":
        return _gaussians(to, x, kernel.gamma, vectors, far)
    if kernel.name not in KERNELS:
        raise to.error(f"kernel '{kernel.name}' is not supported, only {', '.join(KERNELS)}")
    products = affine(to, x, kernel.gamma * vectors, np.full(len(vectors), kernel.coef0))
    if kernel.name == "sigmoid":
        return to.op(tdsl.TanhOp, products)
    if not 1 <= kernel.degree <= MAX_FACTORS:
        raise to.error(f"a polynomial kernel of degree {kernel.degree} is not supported, only of 1 to {MAX_FACTORS}")
    power = products
    for _ in range(kernel.degree - 1):
        power = to.op(tdsl.MulOp, power, products)
    return power


def limited_products(to: ModelBuilder, x: SSAValue, factor: float, vectors: Array, addends: Array) -> SSAValue:
    """Emit the column factor (2 v x - |v|^2) + addends, and clamp it. The bounds are those of the product 2 factor v x
    for |x| up to `REACH` times the length of the longest vector, extended to contain the addends.

    The column is one of two terms of a squared distance; the other term is factor |x|^2. If x lies far from all
    vectors, both terms saturate. Without the clamp the saturated terms could cancel, and x would count as near a
    vector.
    """
    squares = (vectors**2).sum(1)
    most = 2 * REACH * abs(factor) * float(squares.max())
    near = affine(to, x, 2 * factor * vectors, addends - factor * squares)
    return to.op(tdsl.ClipOp, near, min(-most, float(addends.min())), max(most, float(addends.max())))


def _gaussians(to: ModelBuilder, x: SSAValue, gamma: float, vectors: Array, far: bool) -> SSAValue:
    """Emit the column exp(-gamma |v - x|^2), one number per support vector v, and return it. The squared distance is
    computed as |v|^2 - 2 v x + |x|^2, with one matrix product.

    The mean of the vectors is first subtracted from the vectors and from x, which makes intermediate values small.

    vectors: the support vectors, one in each row.
    far: whether x may lie far from all vectors; the terms of the squared distance are then limited.
    """
    centre = vectors.mean(0)
    vectors = vectors - centre
    length = len(centre)
    column = to.reshape(x, (length, 1))
    if centre.any():
        column = to.op(tdsl.SubOp, column, to.parameter(reals(centre.reshape(-1, 1))))
    square = to.op(tdsl.MatmulOp, to.reshape(column, (1, length)), column)
    beyond = to.op(tdsl.MulOp, square, to.parameter(reals(np.array([[gamma]]))))
    if far:
        near = limited_products(to, column, gamma, vectors, np.zeros(len(vectors)))
    else:
        near = affine(to, column, 2 * gamma * vectors, -gamma * (vectors**2).sum(1))
    return to.op(tdsl.ExpOp, to.op(tdsl.SubOp, near, beyond))


def pair_coefficients(to: ModelBuilder, of_classes: Array, sizes: Sequence[int]) -> Array:
    """For each pair of classes, the coefficients of its decision function, as an array of shape (pairs, support
    vectors).

    of_classes: libsvm's coefficients of shape (classes - 1, support vectors), with a row per opposing class.
    sizes: the number of support vectors of each class; the vectors are sorted by class.
    """
    ends, shape = np.cumsum([0, *sizes]), (len(sizes) * (len(sizes) - 1) // 2, of_classes.shape[1])
    to.check_shape(shape)
    pairs = np.zeros(shape)
    for pair, (i, j) in enumerate(combinations(range(len(sizes)), 2)):
        of_i, of_j = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        pairs[pair, of_i] = of_classes[j - 1, of_i]
        pairs[pair, of_j] = of_classes[i, of_j]
    return pairs


def votes(to: ModelBuilder, decisions: SSAValue, classes: int) -> SSAValue:
    """Emit the votes for each class, 1 x classes, from the decision functions of all pairs of classes.

    decisions: a value per pair; a positive value is a vote for the first class of the pair.
    """
    to.check_shape((classes, shape_of(decisions)[0]))
    signs = np.zeros((classes, shape_of(decisions)[0]))
    for pair, (i, j) in enumerate(combinations(range(classes), 2)):
        signs[i, pair], signs[j, pair] = 1, -1
    # The second class gets 1 minus the step.
    sums = affine(to, to.op(tdsl.StepOp, decisions), signs, np.arange(classes, dtype=float))
    return to.reshape(sums, (1, classes))
