"""Words of several elements: their addresses, the elements in them, and the memories that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import rtl
from tinyml.transforms.ir.indices import affine_sum, build_constant, build_index


def width_of(value: SSAValue) -> int:
    return cast("IntegerType[int, Any]", value.type).width.data


def word_address(
    builder: Builder, address: SSAValue, counter: SSAValue, lanes: int, stretch: tuple[int, int] = (1, 1)
) -> SSAValue:
    """The address of a word of `lanes` elements, given that of its first element; `counter` now counts words.

    stretch: the length of a row with and without padding.
    """
    word: SSAValue = counter
    first, factors = affine_sum(address)

    def words(elements: int) -> SSAValue:
        return build_index(elements * stretch[0] // stretch[1] // lanes, builder)

    for value, factor in factors.items():
        if value is not counter:
            scaled = builder.insert(arith.MuliOp(value, words(factor))).result
            word = builder.insert(arith.AddiOp(word, scaled)).result
    return builder.insert(arith.AddiOp(word, words(first))).result if first else word


def element_of_word(builder: Builder, word: SSAValue, lane: int, width: int) -> SSAValue:
    """An element of `width` bits; elements at lower addresses are in lower bits."""
    if lane:
        amount = build_constant(lane * width, word.type, builder)
        word = builder.insert(arith.ShRUIOp(word, amount)).result
    return builder.insert(arith.TruncIOp(word, IntegerType(width))).result


def word_of(builder: Builder, elements: Sequence[SSAValue]) -> SSAValue:
    """Concatenate elements of equal width, the first in the low bits."""
    width = width_of(elements[0])
    type = IntegerType(len(elements) * width)
    word = builder.insert(arith.ExtUIOp(elements[0], type)).result
    for lane, element in enumerate(elements[1:], 1):
        amount = build_constant(lane * width, type, builder)
        moved = builder.insert(arith.ShLIOp(builder.insert(arith.ExtUIOp(element, type)).result, amount)).result
        word = builder.insert(arith.OrIOp(word, moved)).result
    return word


def widen_memories(function: func.FuncOp) -> None:
    """Widen the words of memories to the accesses of them."""
    for op in list(function.walk()):
        if isinstance(op, rtl.MemoryOp):
            type = op.result.type
            users = [use.operation for use in op.result.uses]
            values = [user.result if isinstance(user, rtl.LoadOp) else user.operands[0] for user in users]
            width = max([type.width.data, *map(width_of, values)])
            if width > type.width.data:
                depth = -(-type.depth.data * type.width.data // width)
                wider = rtl.MemoryOp(rtl.MemoryType(depth, width), op.content)
                wider.result.name_hint = op.result.name_hint
                Rewriter.replace_op(op, wider)
