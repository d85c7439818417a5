"""`compare-floats`: forests compare the caller's floats themselves, by their bits (L0).

A forest reads few features of a sample, and reads no number but to compare it. Where nothing else reads the input, it
takes longer to convert all features to narrow integers than to compare the floats of those that a walk meets; nothing
is rounded, and the program needs no buffer for its input.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl


@dataclass(frozen=True)
class CompareFloatsPass(ModulePass):
    """Give the argument of a program on reals the format f32 if only forests read it, perhaps in another shape.

    The interface records the format, which `assign-format` gives the argument. An input that has scales, a unit or a
    format stays as it is.
    """

    name = "compare-floats"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.evaluator.evaluator import predict_function

        function = predict_function(op)
        [argument] = function.body.block.args
        given = tdsl.read_input(function)
        decided = any(one is not None for one in (given.scales, given.unit, given.format))
        if not decided and tdsl.format_of(argument).type == f32 and tdsl.is_only_compared(argument):
            tdsl.update_input(function, format=f32)
