"""`decode-constants`: replaces coded constants in flash by the integers they represent if these are no larger (L3).

A 12-bit number takes two bytes unless it is packed, and so does its 16-bit integer. Nothing is then left to decode on
the device, and a product takes as long as in fixed point.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Use
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import INTEGER, NumberFormat, element_format, number_format
from tinyml.dialects.num import accumulator_type
from tinyml.transforms.ir.buffers import buffer_reads, retype_elements

_PRODUCTS = num.DotAttr, num.StridedDotAttr, num.SparseDotAttr


@dataclass(frozen=True)
class DecodeConstantsPass(ModulePass):
    """Decode constants that only sums of products read if their integers take no more bytes.

    The accumulators must accept the integers. packed: as for `pack-constants`; constants that are packed regardless of
    the cost are unchanged.
    """

    name = "decode-constants"
    packed: str = "auto"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for constant in op.walk():
            if self.packed != "always" and isinstance(constant, scratch.ConstantOp):
                _decode(constant)


def _decode(constant: scratch.ConstantOp) -> None:
    type = scratch.memref_type(constant.result)
    format = number_format(type.element_type)
    if format is None or not isinstance(type.memory_space, scratch.Flash):
        return
    # The narrowest integers: accumulators have room for products of these constants, not of any value of the type.
    widths = range(2, format.dtype.itemsize * 8 + 1)
    integers = next((numbers for bits in widths if (numbers := format.as_integers(bits)) is not None), None)
    coded = format.coding is None or format.coding.name != INTEGER
    if coded and integers is not None and all(_sums(use, integers) for use in buffer_reads(constant.result)):
        raws = integers.encode(format.decode(constant.raws))
        constant.value = scratch.ConstantOp.of(raws, integers.type).value
        retype_elements(constant.result, integers.type)


def _sums(use: Use, format: NumberFormat) -> bool:
    """True if a use is a factor of a sum of products whose accumulator accepts `format` for it."""
    op = use.operation
    if not isinstance(op, num.RowSumOp) and not (isinstance(op, num.CallOp) and isinstance(op.routine, _PRODUCTS)):
        return False
    formats = [format if op.operands[use.index] is factor else element_format(factor.type) for factor in op.factors]
    return accumulator_type(op.sum).sums(*formats)
