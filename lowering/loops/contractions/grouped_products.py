"""Products with weights whose elements share scales in groups (L2 to L3): each group has a sum of its own.

The products of a group are those of plain elements, in the kernels that there are. Their sum is shifted into the units
of the whole before it joins, so that the whole is exact and is rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd, prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.numbers import exact_numbers
from tinyml.dialects.formats.groups import GroupsAttr
from tinyml.lowering.loops.operands import elements_from, flash_array
from tinyml.transforms.ir.loop_nest import Indices, LoopNest


class GroupedWeights:
    """Weights in groups, as an array of plain elements and the shift of each group.

    value: a constant, at most reshaped, if its format has groups. Raises `InputError` for any other.
    """

    def __init__(self, value: SSAValue, groups: GroupsAttr, nest: LoopNest):
        self.nest, self.groups = nest, groups
        self.shape, format = tdsl.shape_of(value), tdsl.format_of(value)
        self.elements, hint = value, value.name_hint or "weights"
        if format.groups is not None:
            root = scratch.root(value).owner
            if not isinstance(root, scratch.ConstantOp):
                raise InputError(f"weights that share scales in groups have to be constants, got {value.type}")
            hint = root.result.name_hint or "weights"
            element = exact_numbers(format).element.type
            self.elements = flash_array(nest, root.raws.reshape(self.shape), element, hint)
        self._shifts = flash_array(nest, groups.by_run.reshape(-1), i8, f"{hint}_shifts")

    @property
    def runs(self) -> int:
        """The number of runs of a row."""
        return prod(self.shape[1:]) // self.groups.run.data

    @property
    def is_whole(self) -> bool:
        """True if a row is one group."""
        return self.runs == self.groups.each == 1

    def joined(self, sum: SSAValue, part: Callable[[SSAValue], SSAValue], place: SSAValue) -> SSAValue:
        """A sum and the part that group number `place` adds to an empty one."""
        nest = self.nest
        zero = nest.insert(num.ZeroOp(sum.type))
        zero.name_hint = "part"
        return nest.insert(num.AddShiftedOp(sum, part(zero), nest.load(self._shifts, [place])))

    def over_groups(
        self, sum: SSAValue, row: SSAValue, part: Callable[[SSAValue, SSAValue, int], SSAValue]
    ) -> SSAValue:
        """A sum and the parts of all groups of a row. part: adds `length` products from one on in the row."""
        nest, run = self.nest, self.groups.run.data
        length = self.groups.length.data
        whole, rest = divmod(run, length)

        def of_run(number: SSAValue, sum: SSAValue) -> SSAValue:
            first = nest.times(number, run)
            place = nest.times(nest.add(nest.times(row, self.runs), number), self.groups.each)

            def of_group(group: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
                at = nest.add(first, nest.times(group, length))
                return [self.joined(carried[0], lambda zero: part(zero, at, length), nest.add(place, group))]

            sum = nest.fold(nest.index(whole), [sum], of_group)[0] if whole > 1 else of_group(nest.index(0), [sum])[0]
            if rest:
                at = nest.add(first, nest.index(whole * length))
                sum = self.joined(sum, lambda zero: part(zero, at, rest), nest.add(place, nest.index(whole)))
            return sum

        if self.runs == 1:
            return of_run(nest.index(0), sum)
        return nest.fold(nest.index(self.runs), [sum], lambda number, sums: [of_run(number, sums[0])])[0]


LEAST_PIECE = 4
"""The fewest elements in a row that are multiplied by a call of a kernel, not one by one."""


def of_windows(op: tdsl.Conv2dOp, nest: LoopNest) -> Callable[[SSAValue, Indices], SSAValue] | None:
    """A function that adds the products of a filter in groups and a window of an image to a sum, in pieces.

    Pieces have one length, and each lies in one line of the window and in one group. None for pieces of fewer than
    `LEAST_PIECE` elements, for lines that are not contiguous, and for runs that are parts of a filter.
    """
    (_, taps, width, channels), (_, height, across, depth) = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs)
    groups = tdsl.format_of(op.lhs).groups
    if groups is None or channels < depth or op.spread[1] > 1 or groups.run.data != taps * width * channels:
        return None
    run, line = groups.run.data, width * channels
    size = gcd(line, groups.length.data, run)
    if size < LEAST_PIECE:
        return None
    weights = GroupedWeights(op.lhs, groups, nest)

    def products(sum: SSAValue, indices: Indices) -> SSAValue:
        n, y, x, row = indices
        top = nest.add(nest.times(n, height), nest.times(y, op.steps[0]))

        def piece(sum: SSAValue, tap: SSAValue, number: SSAValue) -> SSAValue:
            at = nest.add(nest.times(tap, line), nest.times(number, size))
            start = nest.times(nest.add(top, nest.times(tap, op.spread[0])), across)
            pixel = nest.add(start, nest.times(x, op.steps[1]))
            first = nest.add(nest.times(pixel, depth), nest.times(number, size))
            filter = elements_from(weights.elements, nest.add(nest.times(row, run), at), size, nest)
            window = elements_from(op.rhs, first, size, nest)

            def added(sum: SSAValue) -> SSAValue:
                return nest.insert(num.CallOp(num.DotAttr(), [sum, filter, window]))

            if weights.is_whole:
                return added(sum)
            group = nest.insert(arith.DivSIOp(at, nest.index(groups.length.data)))
            return weights.joined(sum, added, nest.add(nest.times(row, groups.each), group))

        def of_line(tap: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            if line == size:
                return [piece(carried[0], tap, nest.index(0))]
            return nest.fold(nest.index(line // size), carried, lambda at, sums: [piece(sums[0], tap, at)])

        return nest.fold(nest.index(taps), [sum], of_line)[0]

    if weights.is_whole:
        return lambda sum, indices: weights.joined(sum, lambda zero: products(zero, indices), indices[-1])
    return products


def of_row(weights: GroupedWeights, term: tdsl.Term) -> Callable[[SSAValue, Indices], SSAValue]:
    """A function that adds the products of one row of weights and one column of another matrix to a sum."""
    nest, (length, columns) = weights.nest, tdsl.shape_of(term.rhs)

    def products(sum: SSAValue, indices: Indices) -> SSAValue:
        i, j = indices

        def part(zero: SSAValue, at: SSAValue, count: int) -> SSAValue:
            row = elements_from(weights.elements, nest.add(nest.times(i, length), at), count, nest)
            first = at if columns == 1 else nest.add(nest.times(at, columns), j)
            column = elements_from(term.rhs, first, (count - 1) * columns + 1, nest)
            attribute = num.DotAttr() if columns == 1 else num.StridedDotAttr.of(columns)
            return nest.insert(num.CallOp(attribute, [zero, row, column]))

        return weights.over_groups(sum, i, part)

    return products
