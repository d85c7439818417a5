"""Lowering of contractions with any index maps (L2 to L3): to sums over single elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.lowering.loops.contractions.products import Products, grouped, lower_sums
from tinyml.lowering.loops.lowerings import lowers
from tinyml.transforms.ir.index_maps import mapped
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder

if TYPE_CHECKING:
    from tinyml.lowering.loops.contractions.grouped_products import GroupedWeights


@lowers(tdsl.ContractionOp)
def lower_contraction(op: tdsl.ContractionOp, nest: LoopBuilder) -> None:
    """Lower a contraction to sums over single elements, at the positions that its index maps compute."""

    def products(term: tdsl.Term) -> Products:
        weights = grouped(term, nest)
        lhs_value = term.lhs if weights is None else weights.elements
        shape = *tdsl.shape_of(op.out), *term.summed

        def product(indices: Indices, summed: Indices, sum: SSAValue) -> SSAValue:
            sides = (lhs_value, term.lhs_map), (term.rhs, term.rhs_map)
            lhs, rhs = (nest.load(value, mapped(map, shape, [*indices, *summed], [], nest)) for value, map in sides)
            return nest.insert(num.MacOp(sum, lhs, rhs))

        def step(indices: Indices, summed: Indices, sum: SSAValue) -> SSAValue:
            if weights is None or weights.is_whole:
                return product(indices, summed, sum)
            group = _group_at(weights, indices[op.ROW_AXIS], summed, nest)
            return weights.joined(sum, partial(product, indices, summed), group)

        def row(sum: SSAValue, indices: Indices) -> SSAValue:
            return _over_summed(term.summed, sum, partial(step, indices), nest)

        if weights is None or not weights.is_whole:
            return row
        return lambda sum, indices: weights.joined(sum, lambda zero: row(zero, indices), indices[op.ROW_AXIS])

    lower_sums(op, None, products, nest)


def _group_at(weights: GroupedWeights, row: SSAValue, summed: Indices, nest: LoopBuilder) -> SSAValue:
    run, length = weights.groups.run.data, weights.groups.length.data
    position = nest.index(0)
    for index, extent in zip(summed, weights.shape[1:], strict=True):
        position = nest.add(nest.times(position, extent), index)
    number, at = _delinearised(position, [weights.runs, run], nest)
    group, _ = _delinearised(at, [weights.groups.each, length], nest)
    return nest.add(nest.times(nest.add(nest.times(row, weights.runs), number), weights.groups.each), group)


def _over_summed(
    extents: Sequence[int], sum: SSAValue, step: Callable[[Indices, SSAValue], SSAValue], nest: LoopBuilder
) -> SSAValue:
    """Emit a sum over the summed indices, and return it.

    The code is one loop per index. For an accumulator that adds its terms as a tree (`Accumulator.below`), it is the
    tree of all products.

    extents: the extents of the indices.
    sum: the initial value.
    step: adds the product at given indices to a sum.
    """
    if not extents:
        return step([], sum)
    if num.accumulator_type(sum).below is not None:
        return nest.sum_of_products(sum, prod(extents), lambda sum, k: step(_delinearised(k, extents, nest), sum))

    def inner(index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        return [_over_summed(extents[1:], carried[0], lambda rest, sum: step([index, *rest], sum), nest)]

    return nest.fold(nest.index(extents[0]), [sum], inner)[0]


def _delinearised(index: SSAValue, extents: Sequence[int], nest: LoopBuilder) -> Indices:
    *outer, last = extents
    if not outer:
        return [index]
    rest = nest.insert(arith.DivSIOp(index, nest.index(last)))
    return [*_delinearised(rest, outer, nest), nest.insert(arith.RemSIOp(index, nest.index(last)))]
