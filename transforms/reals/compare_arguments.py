"""`compare-arguments`: removes strictly increasing functions before argmax (L0).

tanh, sigmoid and exp preserve the order of reals, so argmax returns the same index for their arguments. In a number
format these functions round and saturate, so that the greatest elements may become equal. Comparing the arguments is
faster and more accurate.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.transforms.dead_code_elimination import dce

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.transforms.ir.conditional_pass import ConditionalPass


@dataclass(frozen=True)
class CompareArgumentsPass(ConditionalPass):
    """Let `tdsl.argmax` read the argument of an increasing function (a `tdsl.FunctionOp` such as tanh, sigmoid and
    exp), directly or through a reshape, and remove the function.

    relu is preserved, because it makes negative elements equal. A function whose result has other readers, such as a
    result that the program returns, is preserved too, because the scale of its argument is chosen to suit the function.
    """

    name = "compare-arguments"

    def obstacle(self, module: ModuleOp) -> str | None:
        decisions = (inner for inner in module.walk() if isinstance(inner, tdsl.ArgmaxOp))
        compared = any(isinstance(tdsl.only_maker(decision.input), tdsl.FunctionOp) for decision in decisions)
        return None if compared else "no tdsl.argmax is the only reader of a function"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if PatternRewriteWalker(_CompareArguments()).rewrite_module(op):
            dce(op)


class _CompareArguments(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.ArgmaxOp, rewriter: PatternRewriter, /) -> None:
        value = op.input
        while isinstance(function := tdsl.only_maker(value), tdsl.FunctionOp):
            value = function.input
        if value is not op.input and tdsl.is_real(value):
            op.operands[0] = tdsl.unreshaped(value)
            rewriter.notify_op_modified(op)
