"""`accumulate-sums`: a sum of products that a loop carries runs in accumulators and is rounded once, after the loop.

SeeDot's `$(i = [a:b]) w[i] * x` would round, align and saturate in every iteration. As one exact sum it is faster and
more accurate; the price is an accumulator's bytes of memory for each element. The greatest sum is sought among the
sums themselves, before rounding makes some of them equal. The proof that nothing overflows adds up the w[i] of either
sign over all iterations, times the least and the greatest that x can be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.product import Bound, Factor
from tinyml.transforms.formats.constants.narrow_constants import narrowed_raws

GREATEST_BITS = 32
"""Wider accumulators would cost more memory and time than the rounding they save."""

SPARE_BITS = 5
"""A constant gives up fewer than this many bits of precision where that makes its sum fit."""


@dataclass(frozen=True)
class AccumulateSumsPass(ModulePass):
    """Rewrites loops at L1 whose carried value is `carried + constant[i] * x`, from zero, with i the loop's index."""

    name = "accumulate-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [one for one in op.walk() if isinstance(one, scf.ForOp)]:
            for position in range(len(loop.iter_args)):
                if (found := CarriedSum.find(loop, position)) is not None:
                    found.accumulate()


@dataclass
class CarriedSum:
    """A sum of products that a loop carries, from zero: the ops that make it up."""

    loop: scf.ForOp
    position: int
    initial: tdsl.FillOp
    add: tdsl.AddOp
    product: tdsl.MulOp
    weight: tdsl.IndexOp
    constant: tdsl.ConstOp
    factor: SSAValue

    @property
    def carried(self) -> SSAValue:
        return self.loop.body.block.args[1 + self.position]

    @staticmethod
    def find(loop: scf.ForOp, position: int) -> CarriedSum | None:
        body = loop.body.block
        carried = body.args[1 + position]
        initial = loop.iter_args[position].owner
        add = cast(scf.YieldOp, body.last_op).operands[position].owner
        if not (isinstance(initial, tdsl.FillOp) and initial.value.value.data == 0 and initial.out.has_one_use()):
            return None
        if not (isinstance(add, tdsl.AddOp) and add.parent is body and add.out.has_one_use()):
            return None
        addends = [operand for operand in (add.lhs, add.rhs) if operand is not carried]
        if len(addends) != 1 or not carried.has_one_use():
            return None
        product = addends[0].owner
        if not (isinstance(product, tdsl.MulOp) and product.parent is body and product.out.has_one_use()):
            return None
        for weight, factor in ((product.lhs, product.rhs), (product.rhs, product.lhs)):
            index = weight.owner
            if (
                isinstance(index, tdsl.IndexOp)
                and index.index is body.args[0]
                and isinstance(index.input.owner, tdsl.ConstOp)
                and tdsl.shape_of(weight) == tdsl.shape_of(add.out)
                and not isinstance(factor.owner, tdsl.ConstOp)
            ):
                return CarriedSum(loop, position, initial, add, product, index, index.input.owner, factor)
        return None

    def accumulate(self) -> None:
        known = tdsl.carried_product(self.loop, self.weight, self.factor)
        if known is None:
            return
        result = tdsl.format_of(self.add.out)
        if result.AS_PUBLISHED:
            return
        factor = tdsl.format_of(self.factor)
        only_here = self.constant.result.has_one_use() and self.weight.out.has_one_use()
        for bits in range(SPARE_BITS if only_here else 1):
            weights = tdsl.format_of(self.constant.result)
            narrowed = weights.narrowed(bits) if bits else weights
            raws = narrowed_raws(self.constant.raws, weights, narrowed)
            summed = narrowed_raws(cast(Any, known.lhs.raws), weights, narrowed)
            bound = result.sum_bound([replace(known, lhs=Factor(narrowed, summed))])
            try:
                accumulator = result.accumulator(narrowed, factor, bound).in_memory
            except InputError:
                continue
            if accumulator.bits <= GREATEST_BITS:
                self._rewrite(tdsl.ConstOp(raws, narrowed), accumulator.type, bound)
                return

    def _rewrite(self, constant: tdsl.ConstOp, accumulator: Any, bound: Bound | None) -> None:
        loop, body = self.loop, self.loop.body.block
        shape = tdsl.shape_of(self.add.out)
        type = TensorType(accumulator, shape)
        constant.result.name_hint = self.constant.result.name_hint
        Rewriter.insert_op(constant, InsertPoint.before(self.constant))
        weight = tdsl.IndexOp(constant.result, body.args[0])
        zero = tdsl.ZeroOp(type)
        zero.out.name_hint = self.initial.out.name_hint
        Rewriter.insert_op(zero, InsertPoint.before(self.initial))
        self.initial.out.replace_all_uses_with(zero.out)
        carried = Rewriter.replace_value_with_new_type(body.args[1 + self.position], type)
        mac = tdsl.MacOp(carried, weight.out, self.factor)
        mac.out.name_hint = self.add.out.name_hint
        Rewriter.insert_op([weight, mac], InsertPoint.before(self.add))
        self.add.out.replace_all_uses_with(mac.out)
        for op in (self.add, self.product):
            op.detach()
            op.erase()
        old = loop.results[self.position]
        element = tdsl.format_of(old).type
        new = Rewriter.replace_value_with_new_type(old, type)
        finish = tdsl.FinishOp(new, element, bound)
        finish.out.name_hint = new.name_hint
        Rewriter.insert_op(finish, InsertPoint.after(loop))
        new.replace_uses_with_if(finish.out, lambda use: not isinstance(use.operation, tdsl.FinishOp | tdsl.ArgmaxOp))
        for op in (self.weight, self.initial, self.constant):
            if not op.results[0].uses:
                op.detach()
                op.erase()
