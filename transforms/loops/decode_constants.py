"""`decode-constants`: replaces coded constants in flash by the integers that they represent, if flash has room (L3).

For example, an unpacked 12-bit number needs two bytes, and so does the 16-bit integer that it represents. With integers
in flash the device decodes nothing, and a product is as fast as in fixed point. Standard posits do not correspond to
integers of few bits. They are split into significand and exponent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeGuard

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Use

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import INTEGER, NumberFormat, element_format, number_format
from tinyml.dialects.num import accumulator_type
from tinyml.targets.registry import HOST, board
from tinyml.transforms.ir.buffers import buffer_reads, retype_elements
from tinyml.transforms.ir.conditional_pass import ConditionalPass

_PRODUCTS = num.DotAttr.name, num.StridedDotAttr.name, num.SPARSE_DOT

FLASH_SHARE = 0.5
"""The part of a board's flash that constants may take, including those that are split; code needs the rest."""


@dataclass(frozen=True)
class DecodeConstantsPass(ConditionalPass):
    """Decode the elements of constants in flash to integers, if the integers need no more bytes or if flash has room.

    Only sums of products may read the constant, and their accumulators must accept the integers. Standard posits are
    split into significand and exponent (`!posit.unpacked`) for the quire that sums them. An element then needs 2, 4 or
    8 bytes, depending on the width of a shifted significand. In program order, each constant of posits is split if all
    constants then need at most half of the flash. Constants that do not meet these
    conditions are unchanged.

    target: the board.
    flash: the flash in bytes, of which constants may occupy half; the default is the flash of the board.
    packed: as for `pack-constants`; with `always` no constant is decoded.

    Raises `InputError` for a limit that is not positive, and for an unknown target if there are standard posits.
    """

    name = "decode-constants"
    target: str = HOST
    flash: int | None = None
    packed: str = "auto"

    def obstacle(self, module: ModuleOp) -> str | None:
        if self.packed == "always":
            return "only if packed is not always"
        constants = (inner for inner in module.walk() if isinstance(inner, scratch.ConstantOp))
        formats = [format for constant in constants if (format := _format(constant)) is not None]
        return None if any(map(_is_coded, formats)) else "the raws of all constants in flash are integers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.flash is not None and self.flash <= 0:
            raise InputError(f"the limit on flash is at least 1 byte, got {self.flash}")
        if self.packed == "always":
            return
        constants = [each for each in op.walk() if isinstance(each, scratch.ConstantOp)]
        for constant in constants:
            _decode(constant)
        candidates = [(each, format) for each in constants if (format := _unpacked(each)) is not None]
        if not candidates:
            return
        flash = self.flash or board(self.target).flash
        left = math.inf if flash is None else FLASH_SHARE * flash - sum(map(_size, constants))
        for constant, format in candidates:
            added = constant.raws.size * (format.dtype.itemsize - constant.raws.dtype.itemsize)
            if added <= left:
                _replace(constant, format)
                left -= added


def _size(constant: scratch.ConstantOp) -> int:
    return scratch.size_in_bytes(scratch.memref_type(constant.result))


def _decode(constant: scratch.ConstantOp) -> None:
    if (format := _format(constant)) is None:
        return
    # The narrowest integers: the accumulators have room for products of these constants, but not of every value of the
    # type.
    widths = range(2, format.dtype.itemsize * 8 + 1)
    integers = next((numbers for bits in widths if (numbers := format.as_integers(bits)) is not None), None)
    if (
        _is_coded(format)
        and integers is not None
        and all(_sums(use, integers) for use in buffer_reads(constant.result))
    ):
        _replace(constant, integers)


def _format(constant: scratch.ConstantOp) -> NumberFormat | None:
    type = scratch.memref_type(constant.result)
    return number_format(type.element_type) if isinstance(type.memory_space, scratch.Flash) else None


def _is_coded(format: NumberFormat) -> bool:
    return format.coding is None or format.coding.name != INTEGER


def _replace(constant: scratch.ConstantOp, format: NumberFormat) -> None:
    old = element_format(constant.result.type)
    constant.value = scratch.ConstantOp.of(format.encode(old.decode(constant.raws)), format.type).value
    retype_elements(constant.result, format.type)


def _unpacked(constant: scratch.ConstantOp) -> NumberFormat | None:
    """The format of a constant after it is split into significand and exponent. None unless all readers of the constant
    are sums of products whose accumulators accept one and the same such format.
    """
    if _format(constant) is None:
        return None
    found = set[NumberFormat | None]()
    for use in buffer_reads(constant.result):
        op = use.operation
        if not _adds_products(op):
            return None
        lhs, rhs = (element_format(factor.type) for factor in op.factors)
        which = 0 if op.operands[use.index] is op.factors[0] else 1
        found.add(accumulator_type(op.sum).unpacked((lhs, rhs), which, constant.raws))
    return found.pop() if len(found) == 1 else None


def _adds_products(op: Operation) -> TypeGuard[num.RowSumOp | num.CallOp]:
    return isinstance(op, num.RowSumOp) or (isinstance(op, num.CallOp) and op.routine.name in _PRODUCTS)


def _sums(use: Use, format: NumberFormat) -> bool:
    op = use.operation
    if not _adds_products(op):
        return False
    formats = [format if op.operands[use.index] is factor else element_format(factor.type) for factor in op.factors]
    return accumulator_type(op.sum).sums(*formats)
