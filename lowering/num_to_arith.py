"""`lower-num-to-arith`: lowers arithmetic in number formats to arithmetic on their bits (L3 to L4).

The format of each num op expands it to integer or float arithmetic; then storage types replace the types of formats.
One pass does both, because no formats are left after it.
"""

from __future__ import annotations

from dataclasses import dataclass

import xdsl.dialects.memref as upstream_memref
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriteWalker
from xdsl.rewriter import Rewriter

from tinyml.dialects import scratch
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.machine.emitter import Emitter
from tinyml.lowering.bits.format_notes import note_formats
from tinyml.lowering.bits.packed_elements import unpack_elements
from tinyml.transforms.ir.arithmetic import FunctionContext, ToStorage, prepare
from tinyml.transforms.ir.levels import LOOPS


@dataclass(frozen=True)
class LowerNumToArithPass(ModulePass):
    """Lowers every function of a module."""

    name = "lower-num-to-arith"
    takes = LOOPS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = defined_functions(op)
        # Formats are read from the types before these change; the code is emitted afterwards.
        prepared = [
            (function, [(op, lower) for op in function.walk() if (lower := prepare(op)) is not None])
            for function in functions
        ]
        for function in functions:
            note_formats(function)
        PatternRewriteWalker(ToStorage(), apply_recursively=False).rewrite_module(op)
        for function, lowerings in prepared:
            context = FunctionContext(op, function)
            unpack_elements(function, context)
            context.intervals |= _loaded_intervals(function)
            for num_op, lower in lowerings:
                value = lower(Emitter(num_op, context))
                for result in num_op.results:
                    assert value is not None
                    value.name_hint = value.name_hint or result.name_hint
                    result.replace_all_uses_with(value)
                Rewriter.erase_op(num_op)


def _loaded_intervals(function: func.FuncOp) -> dict[SSAValue, tuple[int, int]]:
    """The intervals of elements loaded from constant arrays: the least and the greatest raw of each array."""
    extremes: dict[scratch.ConstantOp, tuple[int, int]] = {}
    intervals: dict[SSAValue, tuple[int, int]] = {}
    for op in function.walk():
        if not (isinstance(op, upstream_memref.LoadOp) and isinstance(op.res.type, IntegerType)):
            continue
        if isinstance(constant := scratch.root(op.memref).owner, scratch.ConstantOp):
            if constant not in extremes:
                raws = constant.raws
                extremes[constant] = int(raws.min()), int(raws.max())
            intervals[op.res] = extremes[constant]
    return intervals
