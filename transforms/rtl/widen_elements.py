"""`widen-elements`: lets loops over elements without products process several elements in each iteration (hardware).

The elements are loaded and stored as words of memories. For example, the maxima of several channels are computed at
once, and copies transfer whole words.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import rtl
from tinyml.dialects.loops import trips_of
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.rtl.scheduling.operators import type_width
from tinyml.transforms.rtl.scheduling.regions import multiplies, set_lanes
from tinyml.transforms.rtl.unrolling.element_loops import ElementLoop
from tinyml.transforms.rtl.unrolling.words import element_of_word, rises_from, widen_memories, word_address, word_of

LANES = 8, 4, 2
"""The numbers of elements that an iteration may process, the greatest first."""


@dataclass(frozen=True)
class WidenElementsPass(ModulePass):
    """Widen loops that only load elements of rows that begin at whole words, compute with them without multiplications,
    and store the results in such rows.

    Innermost loops of other kinds are unchanged.
    """

    name = "widen-elements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                for found in [each for each in map(ElementLoop.of, function.walk()) if each is not None]:
                    lanes = next((lanes for lanes in LANES if _takes(found, lanes)), None)
                    if lanes is not None:
                        _widen(found.loop, lanes)
                widen_memories(function)


def _takes(found: ElementLoop, lanes: int) -> bool:
    """Whether an iteration of a loop can process `lanes` elements, a power of two.

    Words begin at multiples of `lanes`. Two iterations therefore access either the same elements or no common elements.
    """
    if found.loop.iter_args or found.trips % lanes or multiplies(found.loop):
        return False
    addresses = [access.address for access in (*found.loads, *found.stores)]
    whole = all(rises_from(address, found.loop, lanes) for address in addresses)
    return whole and bool(found.stores) and all(store.condition is None for store in found.stores)


def _widen(loop: scf.ForOp, lanes: int) -> None:
    body = loop.body.block
    counter, end, old = body.args[0], body.last_op, list(body.ops)
    assert end is not None
    nest = LoopBuilder(end)
    each: list[dict[SSAValue, SSAValue]] = [{} for _ in range(lanes)]
    for op in old[:-1]:
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
    for op in reversed(old[:-1]):
        if isinstance(op, rtl.StoreOp) or not any(result.uses.get_length() for result in op.results):
            Rewriter.erase_op(op)
    loop.operands[1] = LoopBuilder(loop).index((trips_of(loop) or 0) // lanes)
    set_lanes(loop, lanes)
