"""`lower-num-to-exact`: lowers arithmetic in number formats to arithmetic on bits (L3 to L4).

Each `num` op is expanded by the rules of its format to ops on exact integers in proven intervals, or to ops on floats.
Storage types replace the types of formats. One pass lowers ops and types together, since no format may remain.
"""

from __future__ import annotations

from dataclasses import dataclass

import xdsl.dialects.memref as upstream_memref
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import scratch
from tinyml.dialects.c.declarations import SUMS_IN_MEMORY
from tinyml.dialects.exact.recorder import Recorder
from tinyml.dialects.functions import DATA, defined_functions
from tinyml.dialects.locations import errors_at
from tinyml.dialects.rewriting import PatternRewriteWalker, Rewriter
from tinyml.dialects.scratch import memref_type, packed_bits
from tinyml.lowering.c.format_notes import note_formats
from tinyml.transforms.ir.arithmetic import FunctionContext, Lowering, ToStorage, prepare
from tinyml.transforms.ir.closed_nests import open_unclosed
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.ir.memory_sums import begin_each_sum, carry_none, share_arrays
from tinyml.transforms.ir.packed_elements import unpack_elements


@dataclass(frozen=True)
class LowerNumToExactPass(ModulePass):
    """In every function of a module, lower arithmetic in number formats to operations on exact integers and floats."""

    name = "lower-num-to-exact"
    takes = LOOPS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = defined_functions(op)
        for function in functions:
            begin_each_sum(function)
        # Formats are read from the types before these change; the code is emitted afterwards.
        prepared = [
            (function, [(op, lower) for op in function.walk() if (lower := _prepared(op)) is not None])
            for function in functions
        ]
        for function in functions:
            note_formats(function)
        PatternRewriteWalker(ToStorage(), apply_recursively=False).rewrite_module(op)
        for function, lowerings in prepared:
            context = FunctionContext(op, function)
            if _has_packed_elements(function):
                unpack_elements(function, context)
            function.update_function_type()
            context.intervals |= _loaded_intervals(function)
            for num_op, lower in lowerings:
                with errors_at(num_op):
                    value = lower(Recorder(num_op, context))
                for result in num_op.results:
                    assert value is not None
                    result.replace_all_uses_with(value)
                Rewriter.erase_op(num_op)
            open_unclosed(function)
            carry_none(function)
            share_arrays(function, context.locals)
            if context.locals:
                function.attributes[SUMS_IN_MEMORY] = UnitAttr()


def _prepared(op: Operation) -> Lowering | None:
    with errors_at(op):
        return prepare(op)


def _loaded_intervals(function: func.FuncOp) -> dict[SSAValue, tuple[int, int]]:
    """For each load of an integer from a constant array, the interval from the least to the greatest raw of the array.
    Arrays whose content is not a part of the program (`DATA`) are omitted.
    """
    extremes: dict[scratch.ConstantOp, tuple[int, int]] = {}
    intervals: dict[SSAValue, tuple[int, int]] = {}
    for op in function.walk():
        if not (isinstance(op, upstream_memref.LoadOp) and isinstance(op.res.type, IntegerType)):
            continue
        if (constant := scratch.constant_root(op.memref)) is not None and DATA not in constant.attributes:
            if constant not in extremes:
                raws = constant.raws
                extremes[constant] = int(raws.min()), int(raws.max())
            intervals[op.res] = extremes[constant]
    return intervals


def _has_packed_elements(function: func.FuncOp) -> bool:
    arrays = [op.result for op in function.walk() if isinstance(op, scratch.ConstantOp | scratch.ViewOp)]
    values = [value for value in (*arrays, *function.args) if isinstance(value.type, MemRefType)]
    return any(packed_bits(memref_type(value)) is not None for value in values)
