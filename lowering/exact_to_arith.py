"""`lower-exact-to-arith`: emits the integer ops of the `exact` dialect, which have proven intervals, as register
arithmetic (L4).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.exact.expansion import expand
from tinyml.dialects.functions import defined_functions
from tinyml.transforms.ir.arithmetic import FunctionContext
from tinyml.transforms.ir.levels import BITS


@dataclass(frozen=True)
class LowerExactToArithPass(ModulePass):
    """Replace integer ops of `exact`, and ops of dialects that number formats define, by `arith` ops on registers."""

    name = "lower-exact-to-arith"
    takes = BITS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            expand(function, FunctionContext(op, function))
