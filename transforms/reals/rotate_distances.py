"""`rotate-distances`: rotates and scales the space of distances to suit formats with one scale per tensor (L0).

All coordinates of W x and of the prototypes b in |W x - b|^2 have one scale. The greatest coordinate determines the
scale. The distance does not change if both vectors are rotated, |Q W x - Q b|^2. It grows by s^2 if both vectors are
scaled by s. The rotation Q minimises the greatest coordinate (`level_rotation`). The factor s scales this coordinate to
the end of its range. W and the prototypes absorb Q and s, and the factor of the distance absorbs 1 / s^2. The device
needs no additional computation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.runtime.model.program_data import load_program_data
from tinyml.transforms.formats.constants.input_moments import second_moments
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.sums import squared_distances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat, Reals


@dataclass(frozen=True)
class RotateDistancesPass(ConditionalPass):
    """Rotate and scale the constants of squared distances at L0.

    The pass applies to distances between prototypes and a product of a constant matrix and a vector. The prototypes
    must be a constant, or indexed out of a constant by a loop. Neither the matrix nor the prototypes may have other
    uses. Other distances are unchanged. The rewrite is useful only for formats whose differences are exact, which
    excludes floats.

    data: .npz file with inputs `x` on which the distances are measured.

    Raises `InputError` for data that do not match the program.
    """

    name = "rotate-distances"
    ACTS_ON = (tdsl.SubOp,)
    data: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.obstacle(op) is None:
            rotate_distances(op, self.data)


STARTS = 50
"""The number of random rotations; the best one is improved."""

SWEEPS = 20
"""Maximum number of sweeps over all planes."""

NEAR_ORIGIN_SHARE = 0.3
"""Points nearer to the origin than this share of the greatest distance are ignored."""

NEAR_SHARE = 0.7
"""A share of the greatest distance, below sqrt(1/2): nearer points never have the greatest coordinate."""


def level_rotation(points: Reals) -> NDArray[np.float64]:
    """An orthogonal matrix Q of shape (n, n) for which the greatest magnitude in `points @ Q.T` is small.

    The search starts from the best of several random rotations, as in incoherence processing (Chee et al., "QuIP",
    2023). It then rotates planes of two coordinates one after the other, as in Jacobi's method. The angle of each
    rotation minimises the greater magnitude of the two coordinates.

    points: the coordinates of each point, of shape (count, n).
    """
    n = points.shape[1]
    norms = np.linalg.norm(points, axis=1)
    points = points[norms > NEAR_ORIGIN_SHARE * norms.max()]
    if not len(points):
        return np.eye(n)
    random = np.random.default_rng(0)
    starts = [np.eye(n), *(np.linalg.qr(random.normal(size=(n, n)))[0] for _ in range(STARTS))]
    rotation = min(starts, key=lambda start: float(np.abs(points @ start.T).max()))
    turned = points @ rotation.T
    angles = np.geomspace(0.002, 0.8, 12)
    cosines, sines = (np.concatenate([part(angles), part(-angles)])[:, None] for part in (np.cos, np.sin))
    for _ in range(SWEEPS):
        moved = False
        for i in range(n):
            for j in range(i):
                a, b = turned[:, i], turned[:, j]
                # At any angle the farthest point has a coordinate of at least sqrt(1/2) of its distance, and nearer
                # points have smaller ones.
                squares = a * a + b * b
                far = np.flatnonzero(squares >= NEAR_SHARE**2 * squares.max())
                a, b = a[far], b[far]
                greatest = max(np.abs(a).max(), np.abs(b).max())
                first, second = cosines * a - sines * b, sines * a + cosines * b
                reached = np.maximum(np.abs(first).max(1), np.abs(second).max(1))
                best = int(reached.argmin())
                if reached[best] < (1 - 1e-6) * greatest:
                    moved = True
                    [cosine], [sine] = cosines[best], sines[best]
                    plane = np.array([[cosine, -sine], [sine, cosine]])
                    rotation[[i, j]] = plane @ rotation[[i, j]]
                    turned[:, [i, j]] = turned[:, [i, j]] @ plane.T
        if not moved:
            break
    return rotation


FILLED_SHARE = 0.99
"""The used share of a range: 8-bit numbers end at 127 of 128."""

MAX_ZEROS = 0.1
"""The greatest share of zeros in a matrix, not counting zero columns: sparse matrices stay sparse."""


def rotate_distances(module: ModuleOp, data: str) -> None:
    """Rotate and scale all distances of a program on reals.

    data: the .npz file on which the distances are measured.
    """
    distances = list(_distances(module))
    if distances:
        inputs = load_program_data(module, data).x.astype("f8")
        for distance in distances:
            distance.rotate(*_observed(module, distance.product, inputs))


@dataclass(frozen=True)
class _Distance:
    """A squared distance between a product and prototypes.

    matrix, prototypes: constants.
    product: the product of the matrix and a vector.
    factor: the constant by which the distance is multiplied, if this is its only use; None otherwise.
    """

    product: tdsl.ProductOp
    matrix: tdsl.ConstOp
    prototypes: tdsl.ConstOp
    factor: tdsl.ConstOp | None

    def rotate(self, vectors: Reals, projected: Reals) -> None:
        """Rotate and scale the matrix and the prototypes.

        vectors: the vectors by which the matrix is multiplied, of shape (samples, length).
        projected: the products, of shape (samples, length).
        """
        rows, prototypes = self.matrix.raws.astype(np.float64), self.prototypes.raws.astype(np.float64)
        points = prototypes.reshape(-1, len(rows))
        rotation = level_rotation(np.concatenate([projected, points]))
        rows, points = rotation @ rows, points @ rotation.T
        greatest = max(float(np.abs(values).max()) for values in (projected @ rotation.T, points))
        stretch = 1.0
        if self.factor is not None and greatest:
            stretch = _stretch(greatest, float(np.abs(rows).max()), _unforeseen(vectors))
            _replace(self.factor, self.factor.raws / stretch**2)
        _replace(self.matrix, stretch * rows)
        _replace(self.prototypes, (stretch * points).reshape(prototypes.shape))


def _distances(module: ModuleOp) -> Iterator[_Distance]:
    for square, difference in squared_distances(module):
        for projected, points in ((difference.lhs, difference.rhs), (difference.rhs, difference.lhs)):
            product, prototypes = projected.owner, _constant(points)
            if not (isinstance(product, tdsl.ProductOp) and product.shifts is None and projected.has_one_use()):
                continue
            matrix = tdsl.own_constant(product.lhs)
            if matrix is not None and prototypes and _is_dense(matrix):
                yield _Distance(product, matrix, prototypes, _factor(square.out))
                break


def _constant(value: SSAValue) -> tdsl.ConstOp | None:
    if not value.has_one_use() or not tdsl.is_real(value):
        return None
    return tdsl.own_constant(value.owner.input if isinstance(value.owner, tdsl.IndexOp) else value)


def _factor(distance: SSAValue) -> tdsl.ConstOp | None:
    if not isinstance(product := distance.get_user_of_unique_use(), tdsl.MulOp):
        return None
    factor = _constant(product.other(distance))
    return factor if factor is not None and factor.raws.size == 1 else None


def _is_dense(matrix: tdsl.ConstOp) -> bool:
    raws = matrix.raws
    zeros = int((raws[:, raws.any(0)] == 0).sum())
    return zeros <= MAX_ZEROS * raws.size and tdsl.format_of(matrix.result).type == f32


def _stretch(greatest: float, weight: float, square: float) -> float:
    """The factor for coordinates and weights that causes the least rounding errors. With this factor, either the
    coordinates or the weights fill the range of their format.

    greatest: the greatest magnitude of coordinates.
    weight: the greatest magnitude of weights.
    square: the result of `_unforeseen` for the multiplied vectors.
    """

    def unit(magnitude: float) -> float:
        return 2.0 ** math.ceil(math.log2(magnitude))

    def error(stretch: float) -> float:
        return (2 * unit(stretch * greatest) ** 2 + unit(stretch * weight) ** 2 * square) / stretch**2

    return min((FILLED_SHARE * unit(magnitude) / magnitude for magnitude in (greatest, weight)), key=error)


def _unforeseen(vectors: Reals) -> float:
    """The mean square of the unpredictable part of each element of a vector, summed over the elements. An element is
    predicted from the earlier elements of its vector.

    When weights are rounded (`round_weights`), the errors of predictable parts compensate for each other.
    """
    moments = second_moments(vectors, np.ones(len(vectors)))
    floor = 1e-9 * (1.0 + np.trace(moments))
    root = cast(Any, np.linalg).cholesky(moments + floor * np.eye(len(moments)))
    return float((np.diag(root) ** 2).sum())


def _observed(module: ModuleOp, product: tdsl.ProductOp, inputs: Reals) -> tuple[Reals, Reals]:
    """Return the vectors by which a matrix is multiplied, and the products, each of shape (samples, length)."""
    seen: dict[SSAValue, list[Reals]] = {product.rhs: [], product.out: []}

    def observe(value: SSAValue, values: Reals) -> None:
        if value in seen:
            seen[value].append(values.swapaxes(1, 2).reshape(-1, values.shape[1]))

    evaluate_reals(module, inputs, observe)
    vectors, projected = (np.concatenate(parts) for parts in seen.values())
    return vectors, projected


def _replace(constant: tdsl.ConstOp, reals: Reals) -> None:
    format: NumberFormat = tdsl.format_of(constant.result)
    new = constant.with_raws(reals.astype(constant.raws.dtype), format)
    new.result.name_hint = constant.result.name_hint
    Rewriter.replace_op(constant, new)
