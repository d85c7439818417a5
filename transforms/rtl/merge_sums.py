"""`merge-sums`: sums of equal length that follow each other are added in one loop, each by its own multiplier.

Where the second one goes on from the first, as the sum of two products of matrices does, they become one sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import rtl
from tinyml.transforms.ir.indices import AffineSum, affine_sum
from tinyml.transforms.rtl.scheduling.regions import is_pure
from tinyml.transforms.rtl.unrolling.unrolled_sum import UnrolledSum


@dataclass(frozen=True)
class MergeSumsPass(ModulePass):
    """Merge neighbouring sums. Where their loads share a port, an iteration takes as long as both did."""

    name = "merge-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                while any(_merge_first(op.parent, op) for op in function.walk() if isinstance(op, scf.ForOp)):
                    pass


def _merge_first(block: Block | None, loop: scf.ForOp) -> bool:
    """Merge a loop with the next one in its block; False if that is impossible."""
    between: list[Operation] = []
    other = loop.next_op
    while other is not None and not other.regions:
        between.append(other)
        other = other.next_op
    if block is None or not isinstance(other, scf.ForOp):
        return False
    first, second = UnrolledSum.of(loop), UnrolledSum.of(other)
    if first is None or second is None or first.trips != second.trips:
        return False
    stored = {op.memory for op in between if isinstance(op, rtl.StoreOp)}
    if any(load.memory in stored for load in second.loads):
        return False
    if (needed := _needed((value for op in other.body.walk() for value in op.operands), between, loop)) is None:
        return False
    for i, init in enumerate(other.iter_args):
        joins = init.owner is loop and init.uses.get_length() == 1
        if not joins and _needed([init], between, loop) != []:
            _add_later(other, i, loop)
    for op in needed:
        op.detach()
        block.insert_op_before(op, loop)
    _merge(first, second)
    return True


def _add_later(sum: scf.ForOp, place: int, first: scf.ForOp) -> None:
    """Let a sum start from 0, which is available before the first loop, and add its initial value to the result."""
    init, result = sum.iter_args[place], sum.results[place]
    type = cast("IntegerType[int, Any]", init.type)
    zero = Builder(InsertPoint.before(first)).insert(arith.ConstantOp(IntegerAttr(0, type)))
    sum.operands[3 + place] = zero.result
    total = Builder(InsertPoint.after(sum)).insert(arith.AddiOp(init, result))
    result.replace_uses_with_if(total.result, lambda use: use.operation is not total)


def _needed(values: Iterable[SSAValue], between: list[Operation], first: scf.ForOp) -> list[Operation] | None:
    """The ops between two loops that values need; None for values that need results of the first loop."""
    needed: set[Operation] = set()
    queue = [*values]
    while queue:
        value = queue.pop()
        if value.owner is first:
            return None
        if (owner := value.owner) in between and isinstance(owner, Operation) and owner not in needed:
            if not is_pure(owner):
                return None
            needed.add(owner)
            queue += owner.operands
    return [op for op in between if op in needed]


def _merge(first: UnrolledSum, second: UnrolledSum) -> None:
    """Replace two loops by one at the position of the first."""
    loop, other = first.loop, second.loop
    goes_on = {i: loop.results.index(init) for i, init in enumerate(other.iter_args) if init.owner is loop}  # pyright: ignore
    own = [i for i in range(len(other.iter_args)) if i not in goes_on]
    inits = [*loop.iter_args, *(other.iter_args[i] for i in own)]
    body = Block(arg_types=[value.type for value in (loop.lb, *inits)])
    builder = Builder(InsertPoint.at_end(body))
    counts = len(loop.iter_args)
    new: dict[SSAValue, SSAValue] = {loop.body.block.args[0]: body.args[0], other.body.block.args[0]: body.args[0]}
    for each in (first, second):
        for op in each.computing():
            if isinstance(op, rtl.LoadOp) and (same := _loaded(body, op, new)) is not None:
                new[op.result] = same
            else:
                builder.insert(op.clone(new))
    added = [new.get(term, term) for term in first.terms]
    for i, place in goes_on.items():
        added[place] = builder.insert(arith.AddiOp(added[place], new.get(second.terms[i], second.terms[i]))).result
    added += [new.get(second.terms[i], second.terms[i]) for i in own]
    sums = [builder.insert(arith.AddiOp(c, term)).result for c, term in zip(body.args[1:], added, strict=True)]
    builder.insert(scf.YieldOp(*sums))
    merged = scf.ForOp(loop.lb, loop.ub, loop.step, inits, Region(body))
    Builder(InsertPoint.before(loop)).insert(merged)
    for i, result in enumerate(other.results):
        place = goes_on[i] if i in goes_on else counts + own.index(i)
        result.replace_all_uses_with(merged.results[place])
    Rewriter.erase_op(other)
    Rewriter.replace_op(loop, [], merged.results[:counts])


def _loaded(body: Block, load: rtl.LoadOp, new: dict[SSAValue, SSAValue]) -> SSAValue | None:
    """The value that a body has already loaded from the same address; None if there is none."""
    constant, factors = affine_sum(load.address)
    address = AffineSum(constant, {new.get(value, value): factor for value, factor in factors.items()})
    loads = (op for op in body.ops if isinstance(op, rtl.LoadOp))
    alike = (op for op in loads if (op.memory, op.result.type) == (load.memory, load.result.type))
    return next((op.result for op in alike if affine_sum(op.address) == address), None)
