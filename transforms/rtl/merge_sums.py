"""`merge-sums`: computes consecutive sums of equal length in one loop, each by a separate multiplier (hardware).

If the second sum continues the first, the two become one sum. An example is the sum of two products of matrices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.traits import MemoryEffectKind, has_effects

from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.rtl.scheduling.dependences import forward
from tinyml.transforms.rtl.scheduling.regions import is_pure
from tinyml.transforms.rtl.unrolling.unrolled_sum import UnrolledSum


@dataclass(frozen=True)
class MergeSumsPass(ModulePass):
    """Merge two consecutive loops that compute sums of equal length into one loop.

    If the loads of both loops use one port, an iteration of the merged loop takes as long as the iterations of both
    loops together. Loops are unchanged if the second loop needs results of the first loop other than the sum that it
    continues.
    """

    name = "merge-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                while any(map(_merge_first, function.walk())):
                    pass


def _merge_first(op: Operation) -> bool:
    """Merge a loop with the next loop in its block. Return whether `op` is a loop for which this was possible."""
    if (first := UnrolledSum.of(op)) is None:
        return False
    between: list[Operation] = []
    following = op.next_op
    while following is not None and not following.regions:
        between.append(following)
        following = following.next_op
    if following is None or (second := UnrolledSum.of(following)) is None:
        return False
    loop, other = first.loop, second.loop
    written = {value for each in between if has_effects(each, MemoryEffectKind.WRITE) for value in each.operands}
    if first.trips != second.trips or any(load.memory in written for load in second.loads):
        return False
    if (needed := _needed((value for op in other.body.walk() for value in op.operands), between, loop)) is None:
        return False
    for i, init in enumerate(other.iter_args):
        joins = init.owner is loop and init.uses.get_length() == 1
        if not joins and _needed([init], between, loop) != []:
            _add_later(other, i, loop)
    for each in needed:
        each.detach()
        Rewriter.insert_op(each, InsertPoint.before(loop))
    _merge(first, second)
    return True


def _add_later(sum: scf.ForOp, place: int, first: scf.ForOp) -> None:
    """Start a sum from 0, and add the initial value to the result instead. Unlike the initial value, 0 is available
    before the loop `first`.

    place: the index of the sum in the loop's carried values.
    first: the preceding loop, with which the loop of the sum is merged.
    """
    init, result = sum.iter_args[place], sum.results[place]
    sum.operands[3 + place] = LoopBuilder(first).constant(0, init.type)
    assert sum.next_op is not None
    total = LoopBuilder(sum.next_op).add(init, result)
    result.replace_uses_with_if(total, lambda use: use.operation is not total.owner)


def _needed(values: Iterable[SSAValue], between: list[Operation], first: scf.ForOp) -> list[Operation] | None:
    """The ops between two loops that compute `values`. None if `values` depend on results of the first loop, or on an
    op between the loops that has effects.
    """
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
    """Replace two loops by one loop, at the position of the first, that computes the sums of both."""
    loop, other = first.loop, second.loop
    goes_on = {i: loop.results.index(init) for i, init in enumerate(other.iter_args) if init.owner is loop}  # pyright: ignore
    own = [i for i in range(len(other.iter_args)) if i not in goes_on]
    nest = LoopBuilder(loop)

    def step(k: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
        new: dict[SSAValue, SSAValue] = {each.body.block.args[0]: k for each in (loop, other)}
        for op in (*first.computing(), *second.computing()):
            nest.put(op.clone(new))
        added, others = ([new.get(term, term) for term in each.terms] for each in (first, second))
        for i, place in goes_on.items():
            added[place] = nest.add(added[place], others[i])
        return [nest.add(*pair) for pair in zip(sums, [*added, *(others[i] for i in own)], strict=True)]

    merged = nest.fold(loop.ub, [*loop.iter_args, *(other.iter_args[i] for i in own)], step)
    counts = len(loop.iter_args)
    for i, result in enumerate(other.results):
        place = goes_on[i] if i in goes_on else counts + own.index(i)
        result.replace_all_uses_with(merged[place])
    forward(cast("scf.ForOp", merged[0].owner).body.block)
    Rewriter.erase_op(other)
    Rewriter.replace_op(loop, [], merged[:counts])
