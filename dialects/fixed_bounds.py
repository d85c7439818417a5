"""How far sums of products of fixed-point numbers can go: the proofs that accumulators are wide enough."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from tinyml.dialects.products import Bound, Factor, Product

if TYPE_CHECKING:
    from tinyml.dialects.fixed import FixedType


def sum_bound(product: Product) -> Bound:
    """Bounds on every partial sum, in any order, in units of the product's last place; exact for constant factors.

    A constant adds up its products of either sign along each row; the worst row counts.
    """
    lhs, rhs = _raw_interval(product.lhs), _raw_interval(product.rhs)
    corners = [a * b for a in lhs for b in rhs]
    low = 0 if product.square else min(0, *corners)
    bounds = [(product.length * low, product.length * max(0, *corners))]
    bounds += [_of_rows(one, other) for one, other in ((product.lhs, rhs), (product.rhs, lhs)) if one.raws is not None]
    return max(low for low, _ in bounds), min(high for _, high in bounds)


def _raw_interval(factor: Factor) -> tuple[int, int]:
    """Between what raws lie."""
    import numpy as np

    if factor.raws is not None and factor.raws.size:
        return int(factor.raws.min()), int(factor.raws.max())
    format = cast("FixedType", factor.format)
    low, high = format.limits
    start, end = (int(format.encode(np.array(x))) if math.isfinite(x) else None for x in factor.interval)
    return low if start is None else start, high if end is None else end


def _of_rows(constant: Factor, other: tuple[int, int]) -> Bound:
    """A row whose positive raws add up to p and whose negative ones to -n, times anything in an interval."""
    import numpy as np

    assert constant.raws is not None
    raws = constant.raws.astype(np.int64)
    positive, negative = (np.maximum(side, 0).sum(-1).ravel().tolist() for side in (raws, -raws))
    least, greatest = min(other[0], 0), max(other[1], 0)
    lows = [p * least - n * greatest for p, n in zip(positive, negative, strict=True)]
    highs = [p * greatest - n * least for p, n in zip(positive, negative, strict=True)]
    return min(lows, default=0), max(highs, default=0)
