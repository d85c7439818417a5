"""Sums of products with weights whose elements share scales in groups (L2 to L3). Each group has a separate sum.

The products of a group are computed by the same kernels as products of weights without groups. The sum of a group is
shifted to the units of the total before it is added. The total is therefore exact and is rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.numbers import exact_numbers
from tinyml.dialects.formats.groups import GroupsAttr
from tinyml.lowering.loops.operands import elements_from, flash_array
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


class GroupedWeights:
    """Weights in groups, as an array of elements without scales and an array with the shift of each group.

    value: a constant whose format has groups, or a reshape of such a constant.

    Raises `InputError` for any other value.
    """

    def __init__(self, value: SSAValue, groups: GroupsAttr, nest: LoopBuilder):
        self.nest, self.groups = nest, groups
        self.shape, format = tdsl.shape_of(value), tdsl.format_of(value)
        self.elements, hint = value, value.name_hint or "weights"
        if format.groups is not None:
            root = scratch.constant_root(value)
            if root is None:
                raise InputError(f"weights that share scales in groups have to be constants, got {value.type}")
            hint = root.result.name_hint or "weights"
            element = exact_numbers(format).element.type
            self.elements = flash_array(nest, root.raws.reshape(self.shape), element, hint)
        self._shifts = flash_array(nest, groups.by_run.reshape(-1), i8, f"{hint}_shifts")

    @property
    def runs(self) -> int:
        """The number of groups in a row of weights."""
        return prod(self.shape[1:]) // self.groups.run.data

    @property
    def is_whole(self) -> bool:
        """Whether each row is a single group."""
        return self.runs == self.groups.each == 1

    def joined(self, sum: SSAValue, add_products: Callable[[SSAValue], SSAValue], place: SSAValue) -> SSAValue:
        """Add the sum of products of one group, shifted to the units of the total, to a total. Return the new
        total.

        add_products: adds the products of the group to an initial sum.
        place: the index of the group.
        """
        nest = self.nest
        zero = nest.insert(num.ZeroOp(sum.type))
        zero.name_hint = "part"
        return nest.insert(num.AddShiftedOp(sum, add_products(zero), nest.load(self._shifts, [place])))

    def over_groups(
        self, sum: SSAValue, row: SSAValue, add_products: Callable[[SSAValue, SSAValue, int], SSAValue]
    ) -> SSAValue:
        """Add the products of all groups of a row to a total, and return the new total.

        add_products: adds to a sum the products that begin at an index of the row; its last argument is the number of
            products.
        """
        nest, run = self.nest, self.groups.run.data
        length = self.groups.length.data
        whole, rest = divmod(run, length)

        def of_run(number: SSAValue, sum: SSAValue) -> SSAValue:
            first = nest.times(number, run)
            place = nest.times(nest.add(nest.times(row, self.runs), number), self.groups.each)

            def of_group(group: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
                at = nest.add(first, nest.times(group, length))
                return [self.joined(carried[0], lambda zero: add_products(zero, at, length), nest.add(place, group))]

            sum = nest.fold(nest.index(whole), [sum], of_group)[0] if whole > 1 else of_group(nest.index(0), [sum])[0]
            if rest:
                at = nest.add(first, nest.index(whole * length))
                sum = self.joined(sum, lambda zero: add_products(zero, at, rest), nest.add(place, nest.index(whole)))
            return sum

        if self.runs == 1:
            return of_run(nest.index(0), sum)
        return nest.fold(nest.index(self.runs), [sum], lambda number, sums: [of_run(number, sums[0])])[0]


def of_row(weights: GroupedWeights, term: tdsl.Term) -> Callable[[SSAValue, Indices], SSAValue]:
    """A function that adds to a sum the products of a row of weights and a column of another matrix."""
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
