"""Packed working memory for kernels, which read whole elements: a local array takes a few of them at a time (L3)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.transforms.ir.loop_nest import LoopNest, function_around, local_array

LEAST_BLOCK = 4
"""Elements that are unpacked at once, or as many as a group of them has, or of what they are multiplied by. More would
take stack from what packing saves."""


class UnpackedRuns:
    """Rewrites sums over runs; all of a function share one array for each size of elements."""

    def __init__(self) -> None:
        self._arrays: dict[tuple[Operation, Attribute], SSAValue] = {}

    def sum(self, op: num.DotOp | num.DistanceOp, kernel: str) -> SSAValue:
        """The sum of an op whose second run is packed: calls of the kernel on blocks, one after the other."""
        widths = [scratch.packed_bits(scratch.memref_type(run)) for run in (op.lhs, op.rhs)]
        length = max(LEAST_BLOCK, *(group_length(width) for width in widths if width is not None))
        nest, array = LoopNest(op), self._array(op, length)
        blocks, rest = divmod(num.run_length(op.rhs), length)

        def block(sum: SSAValue, first: SSAValue, count: int) -> SSAValue:
            weights, packed = (nest.insert(scratch.SliceOp(run, first, (count,))) for run in (op.lhs, op.rhs))
            whole = nest.insert(scratch.SliceOp(array, nest.index(0), (count,), element_format(op.rhs.type).type))
            nest.put(memref.CopyOp(packed, whole))
            part = type(op)(sum, weights, whole)
            part.kernel = StringAttr(kernel)
            return nest.insert(part)

        def whole(number: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
            return [block(sums[0], nest.times(number, length), length)]

        sum = op.sum
        if blocks == 1:
            sum = block(sum, nest.index(0), length)
        elif blocks:
            sum = nest.fold(nest.index(blocks), [sum], whole)[0]
        return block(sum, nest.index(blocks * length), rest) if rest else sum

    def _array(self, op: num.DotOp | num.DistanceOp, length: int) -> SSAValue:
        """An array of at least so many elements."""
        function = function_around(op)
        storage = element_format(op.rhs.type).storage
        known = self._arrays.get((function, storage))
        if known is None or num.run_length(known) < length:
            array = local_array(function, storage, length, "unpacked")
            if known is not None:
                known.replace_all_uses_with(array)
            self._arrays[function, storage] = array
        return self._arrays[function, storage]
