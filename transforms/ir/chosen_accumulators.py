"""The narrowest accumulator for a sum of products that is proven not to overflow.

The proof is recorded together with the accumulator.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import Factor, NumberFormat, Product
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at

_CURE = (
    "`follows` and `align` of its class say how it does, or SUMS_GO_ON = False of the format keeps the products apart "
    "(documentation: Adding a format, Sums)"
)


KnownSums = dict[object, tuple[Attribute, dict[str, Attribute]]]
"""The accumulators of sums and their proofs, by the key of a sum."""

MAX_CACHED_SUMS = 1 << 12
"""Maximum number of cached sums."""


def choose(op: tdsl.ContractionOp, known_sums: KnownSums | None = None) -> None:
    """Set the accumulator of one sum of products, given the known values and ranges of its operands. The products of a
    `MatmulSumOp` are sorted first (`_order`). Raises `InputError` at the op if no accumulator of the format can sum
    all of its products.

    known_sums: a cache of chosen accumulators, to which this accumulator is added.
    """
    result = tdsl.format_of(op.out)
    try:
        if isinstance(op, tdsl.MatmulSumOp):
            _order(op, result)
        products = op.products
        key = None if known_sums is None else _key(op, products)
        if known_sums is None or (known := known_sums.get(key)) is None:
            bound = op.bound_of(products)
            op.acc = op.accumulator_for(products, bound).type
            op.verify_units()
            known = op.acc, num.proof(bound)
            if known_sums is not None:
                if len(known_sums) >= MAX_CACHED_SUMS:
                    del known_sums[next(iter(known_sums))]
                known_sums[key] = known
        op.acc, proof = known
        op.properties |= proof
    except InputError as error:
        raise error if error.line else error_at(op, error.message) from error
    except VerifyException as error:
        cure = f": {_CURE}" if isinstance(error, tdsl.ContinuationError) else ""
        raise error_at(op, f"{error}{cure}") from error


def _key(op: tdsl.ContractionOp, products: Sequence[Product]) -> tuple[object, ...]:
    """The key of a sum in the cache of accumulators. Sums with equal keys have the same accumulator."""
    factors = [factor for product in products for factor in (product.lhs, product.rhs)]
    initial = () if op.initial is None else (_facts(tdsl.factor_of(op.initial)),)
    kinds = [(product.length, product.square, product.sparse) for product in products]
    return type(op), op.out.type, *kinds, *map(_facts, factors), *initial


def _facts(factor: Factor) -> tuple[object, ...]:
    raws = factor.raws
    digest = None if raws is None else (raws.shape, sha256(np.ascontiguousarray(raws).data).digest())
    return factor.format.type, factor.interval, factor.raised, digest


def _order(op: tdsl.MatmulSumOp, result: NumberFormat) -> None:
    """Sort the products of a sum so that each partial sum can be converted to the unit of the next product without
    rounding.

    The product with the finest unit becomes the last; otherwise the order is stable. If there is no such product,
    the order is unchanged.

    result: the format of the result.
    """
    units = [result.accumulator(tdsl.format_of(lhs), tdsl.format_of(rhs), None) for lhs, rhs in op.pairs]
    # From the end: the last of those into whose units all others convert.
    left, order = [*range(len(units))], list[int]()
    while left:
        finest = (i for i in reversed(left) if all(units[i].follows(units[other]) for other in left))
        order.append(found := next(finest, left[-1]))
        left.remove(found)
    factors = [factor for place in reversed(order) for factor in op.pairs[place]]
    shifts = op.left_shifts
    op.set_left_shifts([shifts[place] for place in reversed(order)])
    op.operands = [*factors, *op.operands[len(op.factors) :]]
