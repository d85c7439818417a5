"""Bounds on sums of products of integers times powers of two: the proofs that accumulators are wide enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.product import Bound, Factor, Product
from tinyml.dialects.lazy_numpy import np


def sum_bound(products: Sequence[Product], initial: Factor | None) -> Bound:
    """A bound on every partial sum, in any order within a product, in units in the last place of the finest product.

    initial: the numbers from which sums start.
    """
    scales = [_scale(product.lhs) + _scale(product.rhs) for product in products]
    bounds = [(_product_bound(product), scale) for product, scale in zip(products, scales, strict=True)]
    if initial is not None:
        bounds.append((_interval(initial), _scale(initial)))
    finest = max(scale for _, scale in bounds)
    lows, highs = zip(*((low << finest - scale, high << finest - scale) for (low, high), scale in bounds), strict=True)
    return sum(lows), sum(highs)


def _format(factor: Factor) -> ExactNumbers:
    return cast(ExactNumbers, factor.format)


def _scale(factor: Factor) -> int:
    return _format(factor).scale


def _product_bound(product: Product) -> Bound:
    """The bound on one product, in units in its last place; exact for constant factors.

    Products of a constant and factors of either sign add up along each row; the worst row determines the bound.
    """
    lhs, rhs = _interval(product.lhs), _interval(product.rhs)
    corners = [a * b for a in lhs for b in rhs]
    low = 0 if product.square else min(0, *corners)
    bounds = [(product.length * low, product.length * max(0, *corners))]
    bounds += [
        _of_rows(factor, other) for factor, other in ((product.lhs, rhs), (product.rhs, lhs)) if factor.raws is not None
    ]
    return max(low for low, _ in bounds), min(high for _, high in bounds)


def _interval(factor: Factor) -> tuple[int, int]:
    """The least and the greatest integer of a factor."""
    format = _format(factor)
    if factor.raws is not None and factor.raws.size:
        ends = np.array([factor.raws.min(), factor.raws.max()])
        low, high = format.integers(ends).tolist()
        return low, high
    low, high = format.integer_limits
    start, end = (
        int(format.integers(format.encode(np.array(x)))) if math.isfinite(x) else None for x in factor.interval
    )
    return low if start is None else start, high if end is None else end


def _of_rows(constant: Factor, other: tuple[int, int]) -> Bound:
    """The bound on rows of a constant times numbers in an interval, from the sums of either sign."""
    assert constant.raws is not None
    integers = _format(constant).integers(constant.raws)
    positive, negative = (np.maximum(side, 0).sum(-1).ravel().tolist() for side in (integers, -integers))
    least, greatest = min(other[0], 0), max(other[1], 0)
    lows = [p * least - n * greatest for p, n in zip(positive, negative, strict=True)]
    highs = [p * greatest - n * least for p, n in zip(positive, negative, strict=True)]
    return min(lows, default=0), max(highs, default=0)
