"""Expansion of contractions into loops over dot products, and of these into loops over products (L3).

A sum of products is a single loop in the order of the summed index, or a nest for a tree of sums. A binary tree needs
no memory for its products: a level is a loop of two iterations that carries a sum, with the level below nested in it.
Products in excess of whole trees form one smaller tree for each power of two in their number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import memref
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.transforms.ir.loop_nest import Indices, LoopNest

Mac: TypeAlias = Callable[[SSAValue, SSAValue], SSAValue]
"""Insert the addition of a product, given the partial sum and the index of the product."""


def sum_of_products(nest: LoopNest, start: SSAValue, length: int, mac: Mac) -> SSAValue:
    """The sum of start and `length` products, in the order that the accumulator of `start` prescribes."""
    accumulator = num.accumulator_type(start)
    if accumulator.below is None:
        return nest.fold(nest.index(length), [start], lambda k, sums: [mac(sums[0], k)])[0]
    size = 1 << _height(accumulator)

    def whole(i: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
        return [nest.insert(num.JoinOp(sums[0], _tree(nest, accumulator, nest.times(i, size), size, mac)))]

    sum, rest = start, length % size
    if length >= size:
        sum = nest.fold(nest.index(length // size), [start], whole)[0]
    if rest:
        sum = nest.insert(num.JoinOp(sum, _tree(nest, accumulator, nest.index(length - rest), rest, mac)))
    return sum


def _tree(nest: LoopNest, accumulator: Accumulator, first: SSAValue, count: int, mac: Mac) -> SSAValue:
    """The sum of `count` products starting at index `first`; count is at most the size of a tree."""
    zero = nest.insert(num.ZeroOp(accumulator.type))
    below = accumulator.below
    if below is None:
        return mac(zero, first)
    half = 1 << _height(below)

    def side(i: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
        at = nest.add(first, nest.times(i, half))
        return [nest.insert(num.JoinOp(sums[0], _tree(nest, below, at, half, mac)))]

    if count == 2 * half:
        return nest.fold(nest.index(2), [zero], side)[0]
    sum = nest.insert(num.JoinOp(zero, _tree(nest, below, first, min(count, half), mac)))
    if count > half:
        at = nest.add(first, nest.index(half))
        sum = nest.insert(num.JoinOp(sum, _tree(nest, below, at, count - half, mac)))
    return sum


def _height(accumulator: Accumulator) -> int:
    return 0 if accumulator.below is None else 1 + _height(accumulator.below)


def expand_contraction(op: num.ContractOp, first: int = 0) -> None:
    """Replace a contraction by loops over its windows and its rows starting at index `first`; one row needs no loop."""
    nest = LoopNest(op)
    sparse = [each for each in op.sums if isinstance(each, num.SparseProductsOp)]
    lengths = [each.lengths for each in sparse]

    def rows(window: Indices) -> None:
        def row(index: SSAValue, entries: Sequence[SSAValue]) -> list[SSAValue]:
            _inline(op, [*window, index], dict(zip(sparse, entries, strict=True)), nest)
            nest.location = op.location
            walked = zip(entries, lengths, strict=True)
            return [nest.add(entry, nest.unsigned(nest.load(row_lengths, [index]))) for entry, row_lengths in walked]

        if op.rows - first > 1 or sparse:
            nest.fold(nest.index(op.rows), [nest.index(0)] * len(sparse), row, first)
        else:
            row(nest.index(first), [])

    nest.over(op.shape[:-1], rows)
    Rewriter.erase_op(op)


def _inline(
    op: num.ContractOp, indices: Indices, entries: Mapping[num.SparseProductsOp, SSAValue], nest: LoopNest
) -> None:
    """Insert the body for given indices, with dot products. entries: the row's first entry in each sparse matrix."""
    for argument, index in zip(op.body.block.args, indices, strict=True):
        index.name_hint = index.name_hint or argument.name_hint
        argument.replace_all_uses_with(index)
    for each in list(op.body.block.ops):
        nest.location = each.location
        match each:
            case num.ProductsOp():
                sum = _dots(each, op, indices, nest)
            case num.SparseProductsOp():
                parts = each.values, each.gaps, each.lengths, each.vector
                sum = nest.insert(num.SparseDotOp(each.sum, *parts, indices[-1], entries[each]))
            case memref.StoreOp() if len(op.shape) > 1:
                _store(each, nest)
                continue
            case _:
                each.detach()
                nest.put(each)
                continue
        sum.name_hint = each.result.name_hint
        each.result.replace_all_uses_with(sum)
        Rewriter.erase_op(each)


def _dots(op: num.ProductsOp, around: num.ContractOp, indices: Indices, nest: LoopNest) -> SSAValue:
    """Add the products of all runs of a window to a sum."""
    (runs, pitch, _), sum, row = op.spaces, op.sum, indices[-1]
    part = op.length // runs
    for run in range(runs):
        start, first = nest.times(row, op.row_pitch), _first(op, around, indices, nest)
        if run:
            start, first = nest.add(start, nest.index(run * part)), nest.add(first, nest.index(run * pitch))
        weights = nest.insert(scratch.SliceOp(op.weights, start, (part,)))
        if op.channels is None:
            window = nest.insert(scratch.SliceOp(op.vector, first, (part,)))
            sum = nest.insert(num.DotOp(sum, weights, window))
        else:
            begin = nest.add(first, row) if len(around.shape) > 1 else row
            channel = nest.insert(scratch.SliceOp(op.vector, begin, ((part - 1) * op.stride + 1,)))
            sum = nest.insert(num.StridedDotOp(sum, weights, channel, op.stride))
    return sum


def _first(op: num.ProductsOp, around: num.ContractOp, indices: Indices, nest: LoopNest) -> SSAValue:
    """The element offset of the start of a window."""
    if len(around.shape) == 1:
        return nest.index(0)
    first = nest.times(indices[-2], op.spaces.step)
    return nest.add(nest.times(indices[-3], op.spaces.pitch), first) if around.lines > 1 else first


def _store(op: memref.StoreOp, nest: LoopNest) -> None:
    """Store an element at its linear index in the whole buffer, so that outer loops compute their part of it once."""
    number: SSAValue | None = None
    for index, extent in zip(op.indices, scratch.memref_type(op.memref).get_shape(), strict=True):
        number = index if number is None else nest.add(nest.times(number, extent), index)
    assert number is not None
    run = nest.insert(scratch.SliceOp(op.memref, nest.index(0), (scratch.elements_of(op.memref),)))
    nest.store(op.value, run, [number])
    Rewriter.erase_op(op)
