"""`compare-arguments`: where only the place of the greatest element counts, a strictly rising function need not be.

tanh, sigmoid and exp order reals as their arguments are ordered, so that argmax gives the same for both. In a number
format they round and saturate, and the greatest are a tie: to compare the arguments is faster and more accurate.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from tinyml.dialects import tdsl
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named


@dataclass(frozen=True)
class CompareArgumentsPass(ModulePass):
    """Drops every function at L0 whose result only `tdsl.argmax` reads, perhaps in another shape.

    relu stays: it makes all that is negative equal. So does what is a result of the program, too: its argument could
    not have the scale that suits the function any more.

    format: what the program is going to be computed in; an arithmetic of the literature computes all that is published.
    Raises `InputError` for an unknown one.
    """

    name = "compare-arguments"
    format: str = USUAL_FORMAT

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if format_named(ctx, self.format, None).AS_PUBLISHED:
            return
        PatternRewriteWalker(_CompareArguments()).rewrite_module(op)


class _CompareArguments(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.ArgmaxOp, rewriter: PatternRewriter, /) -> None:
        value, dropped = op.input, list[tdsl.UnaryOp | tdsl.ReshapeOp]()
        while value.has_one_use() and isinstance(owner := value.owner, tdsl.FunctionOp | tdsl.ReshapeOp):
            dropped.append(owner)
            value = owner.input
        if not any(isinstance(one, tdsl.FunctionOp) for one in dropped) or tdsl.format_of(value).type != f32:
            return
        argmax = tdsl.ArgmaxOp(value)
        argmax.attributes |= op.attributes
        argmax.result.name_hint = op.result.name_hint
        rewriter.replace(op, argmax)
        for one in dropped:
            rewriter.erase(one)
