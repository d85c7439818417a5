"""`choose-accumulators`: assigns to every sum of products the narrowest accumulator that is proven not to overflow
(L1).

The proof is exact for constants. For each row, it adds up the weights of each sign. The two totals, multiplied by the
least and the greatest value of the other operand, bound every partial sum. The proof is recorded in the IR next to the
accumulator's type.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.remarks import passed
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.formats.constants.rounded_constants import narrowed_raws
from tinyml.transforms.ir.chosen_accumulators import KnownSums, choose


@dataclass(frozen=True)
class ChooseAccumulatorsPass(ModulePass):
    """Set `acc` and `bound` of every matrix product and convolution at L1.

    spare: the maximum number of bits that constant matrices may lose for a narrower accumulator. Matrices with several
        readers lose none.

    Raises `InputError` if an option is negative, and if no accumulator of the format is wide enough. Accumulators are
    cached for all programs to which one pass object is applied, because the candidates of a search have most sums in
    common.
    """

    name = "choose-accumulators"
    spare: int = 0

    @cached_property
    def _known(self) -> KnownSums:
        return {}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.spare < 0:
            raise InputError(f"spare must not be negative, got {self.spare}")
        for contraction in [*op.walk()]:
            if isinstance(contraction, tdsl.ContractionOp):
                if isinstance(contraction, tdsl.SpmvOp):
                    contraction = _with_zeros(contraction)
                choose(contraction, self._known)
                if self.spare:
                    _spare(contraction, self.spare)


def _with_zeros(op: tdsl.SpmvOp) -> tdsl.ProductOp:
    """The dense product in place of a sparse one whose accumulator does not omit products with zero."""
    lhs, rhs, result = tdsl.format_of(op.lhs), tdsl.format_of(op.rhs), tdsl.format_of(op.out)
    sparse = op.lhs.owner
    if not isinstance(sparse, tdsl.ConstOp) or result.accumulator(lhs, rhs, None).omits_zeros(rhs):
        return op
    stored = tdsl.ConstOp(sparse.raws, lhs)
    stored.attributes |= sparse.attributes
    stored.result.name_hint = sparse.result.name_hint
    product = tdsl.MatmulOp(stored.result, op.rhs, result.type)
    product.attributes |= op.attributes
    passed(op, f"stores the zeros of {len(sparse.raws)} rows: sums in {rhs.type} do not omit products with zero")
    Rewriter.insert_op(stored, InsertPoint.before(op))
    Rewriter.replace_op(op, product)
    if not sparse.result.uses:
        Rewriter.erase_op(sparse)
    return product


def _spare(op: tdsl.ContractionOp, most: int) -> None:
    """Narrow the constants of a sum if this permits a narrower accumulator. Remove as few bits as possible, and at
    most `most`.
    """
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
    """Whether a sum has no initial value, or the scale of its first products is at least as fine as that of the initial
    value.
    """
    return op.initial is None or op.accumulators[0].starts(tdsl.format_of(op.initial))


def _replace(constant: tdsl.ConstOp, format: NumberFormat) -> tdsl.ConstOp:
    new = constant.with_raws(narrowed_raws(constant.raws, tdsl.format_of(constant.result), format), format)
    Rewriter.insert_op(new, InsertPoint.before(constant))
    constant.result.replace_all_uses_with(new.result)
    return new
