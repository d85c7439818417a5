"""`merge-sums`: computes consecutive sums of equal length in one loop, each by a separate multiplier (hardware).

If the second sum continues the first, the two become one sum. An example is the sum of two products of matrices.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.traits import MemoryEffectKind, has_effects

from tinyml.dialects import num
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.rtl.scheduling.dependences import forward
from tinyml.transforms.rtl.scheduling.regions import is_pure
from tinyml.transforms.rtl.unrolling.unrolled_sum import UnrolledSum, sums_of


@dataclass(frozen=True)
class MergeSumsPass(ModulePass):
    """Merge two consecutive reductions, each an innermost `num.reduce` whose values are all sums, into one reduction
    if their lengths are equal.

    If the loads of both reductions use one port, an iteration of the merged reduction takes as long as the iterations
    of both reductions together. Reductions are unchanged if the second needs results of the first other than the sum
    that it continues.
    """

    name = "merge-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                while any(_merge_first(*pair) for pair in pairwise(sums_of(function))):
                    pass


def _merge_first(first: UnrolledSum, second: UnrolledSum) -> bool:
    """Merge a reduction with the next reduction in its block. Return whether this was possible."""
    loop, other = first.reduction, second.reduction
    between: list[Operation] = []
    following = loop.next_op
    while following is not None and not following.regions:
        between.append(following)
        following = following.next_op
    if following is not other:
        return False
    written = {value for each in between if has_effects(each, MemoryEffectKind.WRITE) for value in each.operands}
    if loop.numbers != other.numbers or any(load.memory in written for load in second.loads):
        return False
    if (needed := _needed((value for op in other.body.walk() for value in op.operands), between, loop)) is None:
        return False
    for i, init in enumerate(other.starts):
        joins = init.owner is loop and init.uses.get_length() == 1
        if not joins and _needed([init], between, loop) != []:
            _add_later(other, i, loop)
    for each in needed:
        each.detach()
        Rewriter.insert_op(each, InsertPoint.before(loop))
    _merge(first, second)
    return True


def _add_later(sum: num.ReduceOp, place: int, first: num.ReduceOp) -> None:
    """Start a sum from 0, and add the initial value to the result instead. Unlike the initial value, 0 is available
    before the reduction `first`.

    place: the index of the sum in the carried values.
    first: the preceding reduction, with which the reduction of the sum is merged.
    """
    init, result = sum.starts[place], sum.results[place]
    sum.operands[place] = LoopBuilder(first).constant(0, init.type)
    assert sum.next_op is not None
    total = LoopBuilder(sum.next_op).add(init, result)
    result.replace_uses_with_if(total, lambda use: use.operation is not total.owner)


def _needed(values: Iterable[SSAValue], between: list[Operation], first: num.ReduceOp) -> list[Operation] | None:
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
    """Replace two reductions by one reduction, at the position of the first, that computes the sums of both."""
    loop, other = first.reduction, second.reduction
    goes_on = {i: loop.results.index(init) for i, init in enumerate(other.starts) if init.owner is loop}  # pyright: ignore
    own = [i for i in range(len(other.starts)) if i not in goes_on]
    nest, starts = LoopBuilder(loop), [*loop.starts, *(other.starts[i] for i in own)]
    body = Block(arg_types=[IndexType(), *(start.type for start in starts)])
    with nest.inside(body):
        k, *sums = body.args
        new: dict[SSAValue, SSAValue] = {each.body.block.args[0]: k for each in (loop, other)}
        for op in (*first.computing(), *second.computing()):
            nest.put(op.clone(new))
        added, others = ([new.get(term, term) for term in each.terms] for each in (first, second))
        for i, place in goes_on.items():
            added[place] = nest.add(added[place], others[i])
        terms = [*added, *(others[i] for i in own)]
        nest.put(num.NextOp(*(nest.add(*pair) for pair in zip(sums, terms, strict=True))))
    merged = num.ReduceOp([num.SUM] * len(starts), starts, loop.numbers, Region(body))
    nest.put(merged)
    counts = len(loop.starts)
    for i, result in enumerate(other.results):
        result.replace_all_uses_with(merged.results[goes_on[i] if i in goes_on else counts + own.index(i)])
    forward(body)
    Rewriter.erase_op(other)
    Rewriter.replace_op(loop, [], merged.results[:counts])
