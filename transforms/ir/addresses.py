"""Addresses of the elements of memrefs in flat arrays, folded as far as they are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.ir import SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.scratch import memref_type
from tinyml.transforms.ir.loop_nest import LoopNest


class AddressNest(LoopNest):
    """A loop nest in which an index is a value, or an integer where it is known."""

    def value(self, index: SSAValue | int) -> SSAValue:
        return self.index(index) if isinstance(index, int) else index

    def sum(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue | int:
        known = [x if isinstance(x, int) else const_evaluate_operand(x) for x in (a, b)]
        if known[0] is not None and known[1] is not None:
            return known[0] + known[1]
        if 0 in known:
            return b if known[0] == 0 else a
        return self.add(self.value(a), self.value(b))

    def row_major(self, array: SSAValue, indices: Sequence[SSAValue]) -> SSAValue | int:
        """The row-major index of an element."""
        shape = memref_type(array).get_shape()
        total: SSAValue | int = 0
        for axis, index in enumerate(indices):
            stride = prod(shape[axis + 1 :])
            constant = const_evaluate_operand(index)
            if constant is not None:
                total = self.sum(total, constant * stride)
            elif shape[axis] != 1:
                total = self.sum(total, self.times(index, stride))
        return total

    def each(self, count: SSAValue, body: Callable[[SSAValue], None]) -> None:
        """Run `body` at every index below a count."""

        def step(at: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            body(at)
            return []

        self.fold(count, [], step)
