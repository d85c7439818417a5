"""`free-ports`: provides separate memory ports for loads of a loop that would otherwise wait for each other (hardware).

Small constant memories are copied for each of their loads in a block. If a loop loads several elements from one memory,
elements that do not change while the loop runs are loaded before it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import rtl
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.verilog.fabric import fabric_around
from tinyml.transforms.ir.intervals import intervals
from tinyml.transforms.rtl.scheduling.dependences import are_apart
from tinyml.transforms.rtl.scheduling.regions import is_pipelined


@dataclass(frozen=True)
class FreePortsPass(ModulePass):
    """Reduce the number of loads that use the read port of one memory. If several ops of a block load from a constant
    that fits in a block RAM, each of them loads from a separate copy of the constant, so that they can load in the
    same cycle. Loop-invariant loads move before their loop.

    A load is moved only if the loop contains another load from the same memory, and no store that may write to the
    loaded address.
    """

    name = "free-ports"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                for inner in list(function.walk()):
                    if isinstance(inner, rtl.MemoryOp):
                        _copy(inner, fabric_around(function).bram_bits)
                known = intervals(function)
                for inner in list(function.walk()):
                    if is_pipelined(inner):
                        for load in _early(inner):
                            if all(are_apart(load, store, known) for store in _stores(inner, load)):
                                load.detach()
                                Rewriter.insert_op(load, InsertPoint.before(inner))


def _copy(memory: rtl.MemoryOp, most: int) -> None:
    """Replace the memory of the second and each further load in a block by a copy, for a constant memory of at most
    `most` bits.
    """
    loads = [use.operation for use in memory.result.uses if isinstance(use.operation, rtl.LoadOp)]
    type = memory.result.type
    if memory.content is None or len(loads) < memory.result.uses.get_length():
        return
    if type.depth.data * type.width.data > most:
        return
    copies = [memory]
    number: Counter[Block | None] = Counter()
    for load in loads:
        place = number[load.parent]
        number[load.parent] += 1
        if place >= len(copies):
            copies.append(memory.clone())
            Rewriter.insert_op(copies[-1], InsertPoint.after(memory))
        load.operands[0] = copies[place].result


def _early(loop: scf.ForOp) -> list[rtl.LoadOp]:
    """The loads of a loop from a loop-invariant address. A load is included only if the loop contains another load from
    the same memory.
    """
    loads = [op for op in loop.body.block.ops if isinstance(op, rtl.LoadOp)]
    number = Counter(load.memory for load in loads)
    return [load for load in loads if number[load.memory] > 1 and not loop.body.block.is_ancestor(load.address.owner)]


def _stores(loop: scf.ForOp, load: rtl.LoadOp) -> list[rtl.StoreOp]:
    return [op for op in loop.body.block.ops if isinstance(op, rtl.StoreOp) and op.memory is load.memory]
