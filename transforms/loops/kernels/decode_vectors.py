"""Decoding of vectors to integers for kernels that take integers, once, before the loop over rows (L3)."""

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
"""The width of the decoded integers."""

LONGEST = 64
"""The most elements that are decoded into a local array, which then has 128 bytes."""


def decoded_format(op: Operation) -> NumberFormat | None:
    """The integer format to which the vector of a dot product can be decoded before the loop; None if it cannot."""
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
        """The dot product with the decoded vector, by a kernel."""
        format, needed = decoded_format(op), _needed(op)
        assert format is not None
        assert needed is not None
        nest, values = LoopNest(_anchor(op)), dict[SSAValue, SSAValue]()
        for address_op in needed:
            nest.put(copy := address_op.clone(value_mapper=values))
            values[address_op.results[0]] = copy.results[0]
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
        anchor = _anchor(op)
        function = function_around(op)
        kind = function, length, self._before[anchor]
        self._before[anchor] += 1
        if kind not in self._arrays:
            self._arrays[kind] = local_array(function, storage, length, "decoded")
        return self._arrays[kind]


def _anchor(op: num.DotOp) -> Operation:
    """The op before which the vector is decoded: the loop around, if there is one."""
    loop = op.parent_op()
    return loop if isinstance(loop, scf.ForOp) else op


def _needed(op: num.DotOp) -> list[Operation] | None:
    """The ops in the enclosing loop that compute the vector's address, in order.

    None if the address or the elements may change from one iteration to the next.
    """
    if not isinstance(loop := op.parent_op(), scf.ForOp):
        return []
    needed: list[Operation] = []
    pending = [op.rhs]
    while pending:
        value = pending.pop()
        if isinstance(owner := value.owner, Operation) and owner.parent_op() is loop:
            if not isinstance(owner, scratch.SliceOp | arith.ConstantOp | arith.AddiOp | arith.MuliOp):
                return None
            needed.append(owner)
            pending += owner.operands
        elif value.owner is loop.body.block:
            return None
    stored = {scratch.root(store.memref) for store in loop.walk() if isinstance(store, memref.StoreOp)}
    return None if scratch.root(op.rhs) in stored else [op for op in loop.body.block.ops if op in needed]
