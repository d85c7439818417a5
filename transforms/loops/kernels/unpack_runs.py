"""Unpacking of packed RAM for kernels, a few elements at a time, into a local array (L3)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.transforms.ir.loop_nest import LoopNest, function_around, local_array

LEAST_BLOCK = 4
"""The fewest elements that are unpacked at once; a longer group of either operand raises it.

Larger blocks would take the stack that packing saves.
"""


class UnpackedRuns:
    """Rewriter of sums over packed runs; sums in one function share a local array for each storage type."""

    def __init__(self) -> None:
        self._arrays: dict[tuple[Operation, Attribute], SSAValue] = {}

    def sum(self, op: num.CallOp, kernel: num.KernelAttr) -> SSAValue:
        """The sum of an op whose second run is packed, by calls of the kernel on successive blocks."""
        lhs, rhs = op.arguments[1:]
        widths = [scratch.packed_bits(scratch.memref_type(run)) for run in (lhs, rhs)]
        length = max(LEAST_BLOCK, *(group_length(width) for width in widths if width is not None))
        nest, array = LoopNest(op), self._array(op, rhs, length)
        blocks, rest = divmod(num.run_length(rhs), length)

        def block(sum: SSAValue, first: SSAValue, count: int) -> SSAValue:
            weights, packed = (nest.insert(scratch.SliceOp(run, first, (count,))) for run in (lhs, rhs))
            whole = nest.insert(scratch.SliceOp(array, nest.index(0), (count,), element_format(rhs.type).type))
            nest.put(memref.CopyOp(packed, whole))
            return nest.insert(num.CallOp(op.routine, [sum, weights, whole], kernel))

        def whole(number: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
            return [block(sums[0], nest.times(number, length), length)]

        sum = op.sum
        if blocks == 1:
            sum = block(sum, nest.index(0), length)
        elif blocks:
            sum = nest.fold(nest.index(blocks), [sum], whole)[0]
        return block(sum, nest.index(blocks * length), rest) if rest else sum

    def _array(self, op: num.CallOp, run: SSAValue, length: int) -> SSAValue:
        """A local array of at least `length` elements of a run."""
        function = function_around(op)
        storage = element_format(run.type).storage
        known = self._arrays.get((function, storage))
        if known is None or num.run_length(known) < length:
            array = local_array(function, storage, length, "unpacked")
            if known is not None:
                known.replace_all_uses_with(array)
            self._arrays[function, storage] = array
        return self._arrays[function, storage]
