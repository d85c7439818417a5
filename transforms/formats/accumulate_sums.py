"""`accumulate-sums`: stores a loop-carried sum of products in accumulators, and rounds it once after the loop (L1).

Without this pass, SeeDot's `$(i = [a:b]) w[i] * x` would round, align and saturate in every iteration. One exact sum is
faster and more accurate, but each element needs an accumulator in memory. An argmax over the sums reads the
accumulators directly, because rounding can make different sums equal.

The pass proves that no sum overflows. The weights w[i] of each sign are added up over all iterations. The two totals
are multiplied by the least and the greatest value of x.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute
from xdsl.rewriter import InsertPoint

from tinyml.dialects import num, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import GREATEST_BITS
from tinyml.dialects.formats.number_format import Bound, Factor
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.formats.constants.rounded_constants import narrowed_raws
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.sums import RoundedSum, rounded_sums

SPARE_BITS = 5
"""A constant gives up fewer than this many bits of precision to make its sum fit."""


@dataclass(frozen=True)
class AccumulateSumsPass(ConditionalPass):
    """Replace loops at L1 that carry a rounded sum by loops that carry an accumulator and round it after the loop.

    The value that the loop carries must be zero initially and become `carried + constant[i] * x` in iteration i.
    Loops that do not match are unchanged. A sum is also unchanged if no accumulator is wide enough for it.
    """

    name = "accumulate-sums"

    def obstacle(self, module: ModuleOp) -> str | None:
        return None if any(rounded_sums(module)) else "no scf.for carries a rounded sum that starts from zero"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for rounded_sum in rounded_sums(op):
            _accumulate(rounded_sum)


def _accumulate(rounded_sum: RoundedSum) -> None:
    """Carry a sum in an accumulator, if an accumulator of at most `GREATEST_BITS` bits can represent it. Weights
    without other uses are narrowed by as few bits as this requires, fewer than `SPARE_BITS`. Sums in published
    formats are unchanged.
    """
    carried_sum = rounded_sum.sum
    known = tdsl.carried_product(carried_sum.loop, carried_sum.weight, carried_sum.factor)
    if known is None:
        return
    result = tdsl.format_of(rounded_sum.add.out)
    if result.AS_PUBLISHED:
        return
    factor = tdsl.format_of(carried_sum.factor)
    constant = carried_sum.constant
    has_one_use = constant.result.has_one_use() and carried_sum.weight.out.has_one_use()
    may_narrow = has_one_use and not tdsl.is_given(constant.result)
    for bits in range(SPARE_BITS if may_narrow else 1):
        weights = tdsl.format_of(constant.result)
        narrowed = weights.narrowed(bits) if bits else weights
        raws = narrowed_raws(constant.raws, weights, narrowed)
        summed = narrowed_raws(cast(Any, known.lhs.raws), weights, narrowed)
        bound = result.sum_bound([replace(known, lhs=Factor(narrowed, summed))])
        try:
            accumulator = result.accumulator(narrowed, factor, bound).in_memory
        except InputError:
            continue
        if accumulator.IN_REGISTER and accumulator.bits <= GREATEST_BITS:
            _rewrite(rounded_sum, tdsl.ConstOp(raws, narrowed), accumulator.type, bound)
            return


def _rewrite(rounded_sum: RoundedSum, constant: tdsl.ConstOp, accumulator: Any, bound: Bound | None) -> None:
    carried_sum, add, initial = rounded_sum.sum, rounded_sum.add, rounded_sum.initial
    loop, body = carried_sum.loop, carried_sum.loop.body.block
    type = TensorType(accumulator, tdsl.shape_of(add.out))
    constant.result.name_hint = carried_sum.constant.result.name_hint
    Rewriter.insert_op(constant, InsertPoint.before(carried_sum.constant))
    weight = tdsl.IndexOp(constant.result, body.args[0])
    zero = tdsl.ZeroOp(type)
    zero.out.name_hint = initial.out.name_hint
    Rewriter.insert_op(zero, InsertPoint.before(initial))
    initial.out.replace_all_uses_with(zero.out)
    carried = Rewriter.replace_value_with_new_type(carried_sum.carried, type)
    mac = tdsl.MacOp(carried, weight.out, carried_sum.factor)
    mac.out.name_hint = add.out.name_hint
    Rewriter.insert_op([weight, mac], InsertPoint.before(add))
    add.out.replace_all_uses_with(mac.out)
    for op in (add, rounded_sum.product):
        Rewriter.erase_op(op)
    old = loop.results[carried_sum.position]
    element = tdsl.format_of(old).type
    new = Rewriter.replace_value_with_new_type(old, type)
    finish = tdsl.FinishOp(new, element, bound)
    finish.out.name_hint = new.name_hint
    Rewriter.insert_op(finish, InsertPoint.after(loop))
    new.replace_uses_with_if(finish.out, lambda use: not isinstance(use.operation, tdsl.FinishOp | tdsl.ArgmaxOp))
    for op in (carried_sum.weight, initial, carried_sum.constant):
        if not op.results[0].uses:
            Rewriter.erase_op(op)


def renew_sums(module: ModuleOp) -> None:
    """Prove again that no loop-carried sum of a program at L1 overflows, after the constants have changed. An
    accumulator that became too narrow is widened.

    Raises `InputError` if no accumulator of at most `GREATEST_BITS` bits is wide enough, and for sums of which no
    proof is known.
    """
    for finish in [op for op in module.walk() if isinstance(op, tdsl.FinishOp)]:
        if (product := finish.product) is None:
            if finish.sum_bound is not None:
                raise error_at(
                    finish, "sums that a plan stores in accumulators cannot be trained: choose another --plan"
                )
            continue
        result, known = tdsl.format_of(finish.out), tdsl.accumulator_elements(finish.input)
        bound = result.sum_bound([product])
        needed = result.accumulator(product.lhs.format, product.rhs.format, bound).in_memory
        if needed.bits > GREATEST_BITS:
            raise InputError(
                f"a sum over {product.length} products needs more than {GREATEST_BITS} bits with the trained weights: "
                "a smaller --rate or --width helps"
            )
        if needed.bits > known.bits:
            _widen(finish, needed.type)
        finish.properties |= num.proof(bound)


def _widen(finish: tdsl.FinishOp, accumulator: Attribute) -> None:
    """Change the accumulator of the loop-carried sum that `finish` completes."""
    loop = cast(scf.ForOp, finish.input.owner)
    position = loop.results.index(cast(Any, finish.input))
    carried = loop.body.block.args[1 + position]
    step = cast(scf.YieldOp, loop.body.block.last_op).operands[position]
    type = TensorType(accumulator, tdsl.shape_of(finish.input))
    for value in (loop.iter_args[position], carried, step, loop.results[position]):
        Rewriter.replace_value_with_new_type(value, type)
