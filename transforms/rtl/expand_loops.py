"""`expand-loops`: fully unrolls innermost loops of a few iterations without products (hardware).

An example is the maximum over a window of 2 x 2 pixels. The surrounding loop over channels can then be pipelined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.transforms.scf_for_loop_unroll import UnrollLoopPattern

from tinyml.dialects import num
from tinyml.dialects.loops import trips_from_zero
from tinyml.dialects.rewriting import LocatedPattern, Rewriter
from tinyml.transforms.ir.closed_nests import open_unclosed
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.rtl.scheduling.regions import multiplies
from tinyml.transforms.rtl.unrolling.nest_axes import shorten

MAX_ITERATIONS = 4
"""The maximum number of iterations that a loop is expanded to, including those of the loops in it."""

_LOOPS = scf.ForOp | num.NestOp | num.ReduceOp


@dataclass(frozen=True)
class ExpandLoopsPass(ModulePass):
    """Replace innermost loops of at most four iterations inside other loops by copies of their bodies, one for each
    iteration.

    A loop is an axis of a `num.nest`, a `num.reduce`, or an `scf.for` that counts from 0. Its iterations include those
    of loops in its body that have been expanded. Loops with products, and loops that are not inside another loop, are
    unchanged. A reduction of a single element is no loop: it is replaced by its body. A reduction around expanded ones
    becomes an `scf.for`, because it joins several terms in each iteration.
    """

    name = "expand-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                for inner in list(function.walk(region_first=True)):
                    if isinstance(inner, num.ReduceOp) and len(inner.numbers) == 1:
                        _expand_reduction(inner)
                copies: Counter[Operation | None] = Counter()
                # Inner loops come first: a loop whose inner loops have been expanded may be expanded too.
                for loop in list(function.walk(region_first=True)):
                    if isinstance(loop, _LOOPS) and not multiplies(loop.body.block):
                        _expand(loop, copies)
                # A reduction that remains, and whose inner reductions have been expanded, adds several terms in turn.
                open_unclosed(function)


def _expand(loop: _LOOPS, copies: Counter[Operation | None]) -> None:
    body, around = loop.body.block, loop.parent_op()
    if any(op.regions for op in body.ops):
        return
    while _takes(trips := _trips(loop) * (copies[loop] or 1)):
        inner = isinstance(loop, num.NestOp) and len(loop.shape) > 1
        if not inner and not isinstance(around, _LOOPS):
            return
        outer = loop if inner else around
        copies[outer] = trips if inner else (copies[outer] or 1) * trips
        match loop:
            case num.NestOp():
                _expand_axis(loop)
            case num.ReduceOp():
                _expand_reduction(loop)
            case _:
                LocatedPattern(UnrollLoopPattern()).match_and_rewrite(loop, PatternRewriter(loop))
        if not inner:
            return


def _takes(iterations: int) -> bool:
    return 0 < iterations <= MAX_ITERATIONS


def _trips(loop: _LOOPS) -> int:
    match loop:
        case num.NestOp():
            return loop.shape[-1]
        case num.ReduceOp():
            return len(loop.numbers)
        case _:
            return trips_from_zero(loop) or 0


def _expand_axis(nest: num.NestOp) -> None:
    body, builder = nest.body.block, LoopBuilder(nest)
    ops = [*body.ops]
    with builder.inside(body):
        for number in range(1, nest.shape[-1]):
            new: dict[SSAValue, SSAValue] = {body.args[-1]: builder.index(number)}
            for op in ops:
                builder.put(op.clone(new))
    shorten(nest, 1)


def _expand_reduction(reduction: num.ReduceOp) -> None:
    builder, (number, *carried) = LoopBuilder(reduction), reduction.body.block.args
    values: Sequence[SSAValue] = reduction.starts
    *ops, end = reduction.body.block.ops
    for at in reduction.numbers:
        new: dict[SSAValue, SSAValue] = {number: builder.index(at), **dict(zip(carried, values, strict=True))}
        for op in ops:
            builder.put(op.clone(new))
        values = [new.get(value, value) for value in end.operands]
    Rewriter.replace_op(reduction, [], values)
