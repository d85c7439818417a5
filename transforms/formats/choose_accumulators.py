"""`choose-accumulators`: gives every sum of products the narrowest accumulator that is proven not to overflow.

The proof is exact for constants: the sums of a row's weights of each sign, times the least and the greatest value of
the other operand, bound every partial sum. The proof is recorded in the IR next to the accumulator's type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import Factor, NumberFormat, Product
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.formats.constants.rounded_constants import narrowed_raws

_CURE = (
    "`follows` and `align` of its class say how it does, or SUMS_GO_ON = False of the format keeps the products apart "
    "(documentation: Adding a format, Sums)"
)


KnownSums = dict[object, tuple[Attribute, dict[str, Attribute]]]
"""The accumulators of sums and their proofs, by all that they follow from."""

MOST_KNOWN = 1 << 12
"""The most sums whose accumulators are kept."""


@dataclass(frozen=True)
class ChooseAccumulatorsPass(ModulePass):
    """Set `acc` and `bound` of every product of matrices at L1.

    spare: the most bits of precision that constant matrices may give up for a narrower accumulator; matrices with
    several readers give up none. Raises `InputError` for a negative number, and where no accumulator of the format is
    wide enough. Accumulators are kept for all programs to which one pass is applied, since candidates of a search have
    most of their sums in common.
    """

    name = "choose-accumulators"
    spare: int = 0

    @cached_property
    def _known(self) -> KnownSums:
        return {}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.spare < 0:
            raise InputError(f"spare must not be negative, got {self.spare}")
        for contraction in op.walk():
            if isinstance(contraction, tdsl.ContractionOp):
                choose(contraction, self._known)
                if self.spare:
                    _spare(contraction, self.spare)


def choose(op: tdsl.ContractionOp, known_sums: KnownSums | None = None) -> None:
    """Set the accumulator of one sum of products, given the known values and ranges of its operands.

    known_sums: the accumulators of other sums, to which this one is added. Raises `InputError` at the op if no
    accumulator of the format can sum all of its products.
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
                if len(known_sums) >= MOST_KNOWN:
                    del known_sums[next(iter(known_sums))]
                known_sums[key] = known
        op.acc, proof = known
        op.properties |= proof
    except InputError as error:
        raise error if error.line else error_at(op, error.message) from error
    except VerifyException as error:
        cure = "" if len(op.pairs) < 2 else f": {_CURE}"
        raise error_at(op, f"{error}{cure}") from error


def _key(op: tdsl.ContractionOp, products: Sequence[Product]) -> object:
    """All that the accumulator of a sum follows from."""
    factors = [factor for product in products for factor in (product.lhs, product.rhs)]
    initial = () if op.initial is None else (_facts(tdsl.factor_of(op.initial)),)
    kinds = [(product.length, product.square, product.sparse) for product in products]
    return type(op), op.out.type, *kinds, *map(_facts, factors), *initial


def _facts(factor: Factor) -> object:
    raws = factor.raws
    digest = None if raws is None else (raws.shape, sha256(np.ascontiguousarray(raws).data).digest())
    return factor.format.type, factor.interval, factor.raised, digest


def _order(op: tdsl.MatmulSumOp, result: NumberFormat) -> None:
    """Sort products so that each sum continues exactly in the units of the next: the finest last, otherwise stable.

    Where no product can be last, the order stays.
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


def _spare(op: tdsl.ContractionOp, most: int) -> None:
    """Narrow the constants of a sum by the fewest bits that permit a narrower accumulator, if any do."""
    constants = [value.owner for pair in op.pairs for value in pair if value.has_one_use()]
    originals = [constant for constant in constants if isinstance(constant, tdsl.ConstOp)]
    before = op.accumulator.bits
    for bits in range(1, most + 1):
        narrowed = [_replace(constant, tdsl.format_of(constant.result).narrowed(bits)) for constant in originals]
        choose(op)
        if op.accumulator.bits < before and _starts(op):
            for constant in originals:
                Rewriter.erase_op(constant)
            return
        for old, new in zip(originals, narrowed, strict=True):
            new.result.replace_all_uses_with(old.result)
            Rewriter.erase_op(new)
    choose(op)


def _starts(op: tdsl.ContractionOp) -> bool:
    """True if the first products are still as fine as the initial value of their sum."""
    return op.initial is None or op.accumulators[0].starts(tdsl.format_of(op.initial))


def _replace(constant: tdsl.ConstOp, format: NumberFormat) -> tdsl.ConstOp:
    """Create the same constant in another format, for all readers of the old one, which is kept."""
    new = constant.with_raws(narrowed_raws(constant.raws, tdsl.format_of(constant.result), format), format)
    Rewriter.insert_op(new, InsertPoint.before(constant))
    constant.result.replace_all_uses_with(new.result)
    return new
