"""Loops for sums of products at L3: a single loop in the order of the summed index, or a nest for a tree of sums.

A binary tree needs no memory for its products: a level is a loop of two iterations that carries a sum, with the level
below nested in it. Products in excess of whole trees form one smaller tree for each power of two in their number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from tinyml.dialects import num
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.transforms.ir.loop_nest import LoopNest

Mac: TypeAlias = Callable[[SSAValue, SSAValue], SSAValue]
"""Inserts the addition of a product, given the partial sum and the index of the product."""


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
