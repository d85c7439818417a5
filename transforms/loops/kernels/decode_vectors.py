"""Vectors whose raws are no integers, for kernels that take integers: decoded once, before the loop over rows (L3)."""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.transforms.ir.loop_nest import LoopNest, function_around, local_array

BITS = 16
"""The width of the integers."""

LONGEST = 64
"""Elements that are decoded into a local array, of 128 bytes."""


def decoded_format(op: Operation) -> NumberFormat | None:
    """The integers to which the vector of a dot product can be decoded before the loop; None where it cannot."""
    if not isinstance(op, num.DotOp) or num.run_length(op.rhs) > LONGEST or _needed(op) is None:
        return None
    format = element_format(op.rhs.type)
    return format.as_integers(BITS) if isinstance(format, ExactFormat) else None


class DecodedVectors:
    """Rewrites dot products; equally long vectors of different loops share an array."""

    def __init__(self) -> None:
        self._arrays: dict[tuple[Operation, int, int], SSAValue] = {}
        self._before: Counter[Operation] = Counter()

    def sum(self, op: num.DotOp, kernel: str) -> SSAValue:
        """The dot product of the integers by a kernel."""
        format, needed = decoded_format(op), _needed(op)
        assert format is not None
        assert needed is not None
        nest, values = LoopNest(_place(op)), dict[SSAValue, SSAValue]()
        for one in needed:
            nest.put(copy := one.clone(value_mapper=values))
            values[one.results[0]] = copy.results[0]
        coded, length = values.get(op.rhs, op.rhs), num.run_length(op.rhs)
        array = self._array(op, length, format.storage)
        whole = nest.insert(scratch.SliceOp(array, nest.index(0), (length,), format.type))

        def decode(at: list[SSAValue]) -> None:
            nest.store(nest.insert(num.ConvertOp(nest.load(coded, at), format.type)), whole, at)

        nest.over((length,), decode)
        product = num.DotOp(op.sum, op.lhs, whole)
        product.kernel = StringAttr(kernel)
        return LoopNest(op).insert(product)

    def _array(self, op: num.DotOp, length: int, storage: Attribute) -> SSAValue:
        place = _place(op)
        function = function_around(op)
        kind = function, length, self._before[place]
        self._before[place] += 1
        if kind not in self._arrays:
            self._arrays[kind] = local_array(function, storage, length, "decoded")
        return self._arrays[kind]


def _place(op: num.DotOp) -> Operation:
    loop = op.parent_op()
    return loop if isinstance(loop, scf.ForOp) else op


def _needed(op: num.DotOp) -> list[Operation] | None:
    """The ops of the loop around that compute the place of the vector, in order; None where the place or its content
    may change from one iteration to the next."""
    if not isinstance(loop := op.parent_op(), scf.ForOp):
        return []
    found: list[Operation] = []
    pending = [op.rhs]
    while pending:
        value = pending.pop()
        if isinstance(owner := value.owner, Operation) and owner.parent_op() is loop:
            if not isinstance(owner, scratch.SliceOp | arith.ConstantOp | arith.AddiOp | arith.MuliOp):
                return None
            found.append(owner)
            pending += owner.operands
        elif value.owner is loop.body.block:
            return None
    stored = {scratch.root(one.memref) for one in loop.walk() if isinstance(one, memref.StoreOp)}
    return None if scratch.root(op.rhs) in stored else [one for one in loop.body.block.ops if one in found]
