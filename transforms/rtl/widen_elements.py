"""`widen-elements`: lets nests without products process several elements in each iteration (hardware).

The elements are loaded and stored as words of memories. For example, the maxima of several channels are computed at
once, and copies transfer whole words.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, rtl
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.rtl.scheduling.operators import type_width
from tinyml.transforms.rtl.scheduling.regions import multiplies, reads_index, set_lanes
from tinyml.transforms.rtl.unrolling.nest_axes import shorten
from tinyml.transforms.rtl.unrolling.words import (
    accesses_of,
    element_of_word,
    rises_from,
    widen_memories,
    word_address,
    word_of,
)

LANES = 8, 4, 2
"""The numbers of elements that an iteration may process, the greatest first."""


@dataclass(frozen=True)
class WidenElementsPass(ModulePass):
    """Widen the last axis of each `num.nest` that only loads elements of rows that begin at whole words, computes with
    them without multiplications, and stores the results in such rows.

    Nests of other kinds, nests with reductions, and loops are unchanged.
    """

    name = "widen-elements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                for nest in [op for op in function.walk() if isinstance(op, num.NestOp)]:
                    lanes = next((lanes for lanes in LANES if _takes(nest, lanes)), None)
                    if lanes is not None:
                        _widen(nest, lanes)
                widen_memories(function)


def _takes(nest: num.NestOp, lanes: int) -> bool:
    """Whether an iteration of the last axis of a nest can process `lanes` elements, a power of two.

    Words begin at multiples of `lanes`. Two iterations therefore access either the same elements or no common elements.
    """
    body = nest.body.block
    if nest.shape[-1] % lanes or multiplies(body) or any(op.regions for op in body.ops):
        return False
    accesses = accesses_of(body)
    whole = all(access.is_certain and rises_from(access.address, body.args[-1], lanes) for access in accesses)
    return whole and not any(reads_index(op) for op in body.ops if op not in accesses)


def _widen(op: num.NestOp, lanes: int) -> None:
    body, nest = op.body.block, LoopBuilder(op)
    with nest.inside(body):
        _repeat(body, lanes, nest)
    set_lanes(op, lanes)
    shorten(op, op.shape[-1] // lanes)


def _repeat(body: Block, lanes: int, nest: LoopBuilder) -> None:
    counter, old = body.args[-1], list(body.ops)
    each: list[dict[SSAValue, SSAValue]] = [{} for _ in range(lanes)]
    for op in old:
        if isinstance(op, rtl.LoadOp):
            width = type_width(op.result)
            address = word_address(nest, op.address, counter, lanes)
            word = nest.insert(rtl.LoadOp(op.memory, address, IntegerType(lanes * width)))
            for lane, values in enumerate(each):
                values[op.result] = element_of_word(nest, word, lane, width)
        elif isinstance(op, rtl.StoreOp):
            address = word_address(nest, op.address, counter, lanes)
            word = word_of(nest, [values.get(op.value, op.value) for values in each])
            nest.put(rtl.StoreOp(word, op.memory, address))
        elif not isinstance(op.results[0].type, IndexType) and any(operand in each[0] for operand in op.operands):
            for values in each:
                values[op.results[0]] = nest.insert(op.clone(values))
    for op in reversed(old):
        if isinstance(op, rtl.StoreOp) or not any(result.uses.get_length() for result in op.results):
            Rewriter.erase_op(op)
