"""Words of several elements: their addresses, the elements in them, and the memories that contain them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import rtl
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.indices import affine_sum
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.rtl.scheduling.operators import type_width


def accesses_of(body: Block) -> list[rtl.AccessOp]:
    return [op for op in body.ops if isinstance(op, rtl.AccessOp)]


def rises_from(address: SSAValue, axis: SSAValue, unit: int) -> bool:
    """Whether an address increases by 1 with the index `axis`, an argument of the body of a nest or a reduction, from a
    sum of multiples of `unit` that are indices of other axes or computed outside the body.
    """
    first, factors = affine_sum(address)
    if factors.pop(axis, 0) != 1 or any(part % unit for part in (first, *factors.values())):
        return False
    body = cast("Block", axis.owner)
    return not any(isinstance(value.owner, Operation) and body.is_ancestor(value.owner) for value in factors)


def word_address(
    nest: LoopBuilder, address: SSAValue, counter: SSAValue, lanes: int, stretch: tuple[int, int] = (1, 1)
) -> SSAValue:
    """Insert ops that compute the address of a word, which contains `lanes` elements, and return the address.

    address: the address of the word's first element as a function of `counter`, which now counts words.
    stretch: the length of a row with and without padding.
    """
    first, factors = affine_sum(address)
    word: SSAValue = counter
    for value, factor in factors.items():
        if value is not counter:
            word = nest.add(word, nest.times(value, factor * stretch[0] // stretch[1] // lanes))
    return nest.add(word, nest.index(first * stretch[0] // stretch[1] // lanes)) if first else word


def element_of_word(nest: LoopBuilder, word: SSAValue, lane: int, width: int) -> SSAValue:
    """Insert ops that extract element number `lane`, of `width` bits, from a word, and return it. Element 0 is in the
    lowest bits.
    """
    if lane:
        word = nest.insert(arith.ShRUIOp(word, nest.constant(lane * width, word.type)))
    return word if type_width(word) == width else nest.insert(arith.TruncIOp(word, IntegerType(width)))


def word_of(nest: LoopBuilder, elements: Sequence[SSAValue]) -> SSAValue:
    """Insert ops that concatenate elements of equal width, and return the word. The first element is in the lowest
    bits.
    """
    width = type_width(elements[0])
    type = IntegerType(len(elements) * width)
    word, *others = (nest.insert(arith.ExtUIOp(element, type)) for element in elements)
    for lane, other in enumerate(others, 1):
        moved = nest.insert(arith.ShLIOp(other, nest.constant(lane * width, type)))
        word = nest.insert(arith.OrIOp(word, moved))
    return word


def widen_memories(function: func.FuncOp) -> None:
    """Widen the words of each memory to the width of its widest access, and reduce the number of words accordingly."""
    for op in list(function.walk()):
        if isinstance(op, rtl.MemoryOp):
            type = op.result.type
            accesses = [use.operation for use in op.result.uses if isinstance(use.operation, rtl.AccessOp)]
            width = max([type.width.data, *(type_width(access.element) for access in accesses)])
            if width > type.width.data:
                depth = -(-type.depth.data * type.width.data // width)
                wider = rtl.MemoryOp(rtl.MemoryType(depth, width), op.content)
                wider.result.name_hint = op.result.name_hint
                Rewriter.replace_op(op, wider)
