"""`inline-runtime`: replaces calls of runtime functions on integers by the arithmetic of these functions (L4).

Hardware has no function calls, and MLIR's own tools do not provide the functions of the runtime. Operands that are
shift amounts or widths have to be constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import num
from tinyml.dialects.context import own_dialects
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.machine.integer_builder import IntegerBuilder
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.closed_nests import open_unclosed


@dataclass(frozen=True)
class InlineRuntimePass(ModulePass):
    """Replace calls of runtime functions by integer ops, and erase the declarations of functions that are no longer
    called.

    Functions without a definition in integer ops are still called: floating-point functions, kernels and forests.
    """

    name = "inline-runtime"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_programs(op, _programs())


class _ReducingBuilder(IntegerBuilder):
    """A builder whose sums are reductions."""

    def add_up(self, terms: int, start: SSAValue, body: Callable[..., SSAValue]) -> SSAValue:
        block = Block(arg_types=[IndexType(), start.type])
        inner = _ReducingBuilder(self.call)
        inner.builder = Builder(InsertPoint.at_end(block))
        inner.builder.insert(num.NextOp(body(inner, *block.args)))
        return self.insert(num.ReduceOp([num.SUM], [start], range(terms), Region(block)))


def inline_programs(module: ModuleOp, programs: Mapping[str, Callable[..., SSAValue]]) -> None:
    """Replace calls of the functions with programs, and erase the declarations of functions that are not called. A nest
    with a program that contains a loop is expanded.
    """
    called: set[str] = set()
    for call in list(module.walk()):
        if not isinstance(call, func.CallOp):
            continue
        if (program := programs.get(name := call.callee.string_value())) is None:
            called.add(name)
            continue
        result = program(_ReducingBuilder(call), *call.operands)
        call.results[0].replace_all_uses_with(result)
        Rewriter.erase_op(call)
    for function in defined_functions(module):
        open_unclosed(function)
    for each in list(module.ops):
        if isinstance(each, func.FuncOp) and each.is_declaration and each.sym_name.data not in called:
            Rewriter.erase_op(each)


@cache
def _programs() -> Mapping[str, Callable[..., SSAValue]]:
    """The definitions of runtime functions in integer ops, by name. Number formats register these functions when their
    dialects are loaded.
    """
    for load in own_dialects().values():
        load()
    return {name: each.program for name, each in RUNTIME_FUNCTIONS.items() if each.program is not None}
