"""Recognition of means, softmax and normalisations that modules write as elementwise ops and reductions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.elementwise import apply, core, is_number, like, recognises
from tinyml.lowering.frontends.mlir.graph import GraphWriter, Tensor, TensorOrigin

MOST_FACTORS = 4
"""Maximum factors of a normalised tensor: the centred tensor, its inverse deviation, and scales."""


def _factors(*tensors: Tensor) -> Sequence[Tensor]:
    """The factors of a product. A factor that is a product is expanded in turn. If there would be more than
    `MOST_FACTORS` factors, no factor is expanded.
    """
    found = [*tensors]
    while (at := next((i for i, each in enumerate(found) if each.made_by("Mul")), None)) is not None:
        made = found[at].made_by("Mul")
        if made is None or len(found) == MOST_FACTORS:
            return tensors
        found[at : at + 1] = made.inputs
    return found


@recognises("Div")
def _softmax(to: GraphWriter, powers: Tensor, sums: Tensor) -> Tensor | None:
    """Match a softmax: exp(x) divided by the sums of exp(x) along one axis. Returns None for other quotients."""
    power, total = powers.made_by("Exp"), core(sums).made_by("ReduceSum")
    if power is None or total is None or total.inputs[0] is not powers:
        return None
    axes = total.axes
    if len(axes) != 1 or sums.stored != tuple(1 if axis in axes else n for axis, n in enumerate(powers.shape)):
        return None
    x = power.inputs[0]
    difference = x.made_by("Sub")
    if difference is not None and difference.inputs[0].shape == x.shape == difference.inputs[0].stored:
        # Softmax is invariant to numbers that are subtracted from all elements along the axis, such as the maximum.
        x = difference.inputs[0] if difference.inputs[1].stored[axes[0]] == 1 else x
    return to.node("Softmax", [x], x.shape, axis=axes[0])


@recognises("Div")
def _mean(to: GraphWriter, sums: Tensor, count: Tensor) -> Tensor | None:
    """Match sums divided by the number of their terms, and return the mean. Returns None for other quotients."""
    total = core(sums).made_by("ReduceSum")
    if total is None or not is_number(count, prod(total.inputs[0].shape[axis] for axis in total.axes)):
        return None
    mean = to.node("ReduceMean", total.inputs, core(sums).shape, **dict[str, Any](total.attributes))
    return like(to, mean, sums)


@recognises("Mul")
def _mean_by_inverse(to: GraphWriter, sums: Tensor, inverse: Tensor) -> Tensor | None:
    """Match sums multiplied by the reciprocal of the number of their terms, and return the mean. Returns None for other
    products.
    """
    number = inverse.number
    return _mean(to, sums, to.constant(np.array(1 / float(number)))) if number else None


@recognises("Mul")
def _normalisation(to: GraphWriter, a: Tensor, b: Tensor) -> Tensor | None:
    """Match x / sqrt(mean(x^2) + epsilon), optionally with the mean of x subtracted from x and with a constant factor.
    Return the normalisation. Returns None for other products.

    A product in which the sum of squares replaces their mean is an L2 normalisation (`_unit_vectors`).
    """
    parts, shape = _factors(a, b), np.broadcast_shapes(a.shape, b.shape)
    roots = [part for part in parts if core(part).made_by("Rsqrt")]
    known = [part for part in parts if part.is_known]
    rest = [part for part in parts if part not in roots and not part.is_known]
    if len(roots) != 1 or len(rest) != 1:
        return None
    root, [x] = core(roots[0]).made_by("Rsqrt"), rest
    assert root is not None
    sum = root.inputs[0].made_by("Add")
    variance, epsilon = (root.inputs[0], 0.0) if sum is None else (sum.inputs[0], sum.inputs[1].number)
    variance = core(variance)
    difference = x.made_by("Sub")
    mean = None if difference is None else core(difference.inputs[1]).made_by("ReduceMean")
    centred = difference is not None and mean is not None and mean.inputs[0] is difference.inputs[0]
    moment = variance.made_by("ReduceMean", "ReduceSum")
    if centred and difference is not None and mean is not None and moment is None:
        moment = _second_moment(variance, mean)
        squared = difference.inputs[0]
    else:
        squared = x
    if moment is None or epsilon is None or x.stored != x.shape:
        return None
    square, axes = moment.inputs[0].made_by("Mul"), moment.axes
    if square is None or square.inputs != (squared, squared):
        return None
    if moment.op == "ReduceSum":
        return _unit_vectors(to, x, known, axes, roots[0]) if epsilon == 0 else None
    centred = centred and mean is not None and mean.axes == axes
    if axes != tuple(range(axes[0], len(x.shape))) or (squared is not x and not centred):
        return None
    if roots[0].stored != (*x.shape[: axes[0]], *(1 for _ in axes)):
        return None
    source = difference.inputs[0] if centred and difference is not None else x
    one = to.constant(np.array(1.0, np.float32))
    op = "LayerNormalization" if centred else "RMSNormalization"
    result = to.node(op, [source, one], shape, broadcasts=True, axis=axes[0], epsilon=float(epsilon))
    for factor in known:
        result = apply(to, "Mul", result, factor)
    return result


def _second_moment(variance: Tensor, mean: TensorOrigin) -> TensorOrigin | None:
    """Match a variance of the form mean(x^2) - mean(x)^2, as Flax exports it, and return the mean of x^2. The variance
    may be clamped at 0. Returns None for any other tensor.
    """
    if (limited := variance.made_by("Max")) is not None and is_number(limited.inputs[1], 0.0):
        variance = core(limited.inputs[0])
    made = variance.made_by("Sub")
    square = None if made is None else made.inputs[1].made_by("Mul")
    if made is None or square is None or square.inputs[0] is not square.inputs[1]:
        return None
    inner = core(square.inputs[0]).made_by("ReduceMean")
    return core(made.inputs[0]).made_by("ReduceMean") if inner is not None and inner.inputs == mean.inputs else None


def _unit_vectors(
    to: GraphWriter, x: Tensor, known: Sequence[Tensor], axes: Sequence[int], root: Tensor
) -> Tensor | None:
    """Match an L2 normalisation along one axis, with an optional factor, and return the normalised tensor. Returns None
    for any other product.
    """
    if len(axes) != 1 or root.stored != tuple(1 if at == axes[0] else n for at, n in enumerate(x.shape)):
        return None
    result = to.node("LpNormalization", [x], x.shape, axis=axes[0], p=2)
    for factor in known:
        result = apply(to, "Mul", result, factor)
    return result


@recognises("Mul")
def _scaled_normalisation(to: GraphWriter, x: Tensor, factor: Tensor) -> Tensor | None:
    """Merge a normalisation and a subsequent factor into one layer. Returns None if `x` is not a normalisation."""
    if not factor.is_known:
        return None
    made = x.made_by("LayerNormalization", "RMSNormalization")
    if made is None or not is_number(made.inputs[1], 1.0):
        return None
    return to.node(made.op, [made.inputs[0], factor], x.shape, **dict[str, Any](made.attributes))
