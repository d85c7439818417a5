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
from tinyml.transforms.reals.analysis.missing_values import compare_argument


@dataclass(frozen=True)
class CompareFloatsPass(ModulePass):
    """Give the argument of a program on reals the format f32 if only forests read it, perhaps moved or imputed.

    The interface records the format, which `assign-format` gives the argument. An input that has scales, a unit or a
    format stays as it is. An imputed feature that is missing goes where its value would go.
    """

    name = "compare-floats"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compare_floats(op)


def compare_floats(program: ModuleOp, *, scaled: bool = False) -> bool:
    """Do what `compare-floats` does; returns False for an input that is no float, or read by other ops.

    scaled: true for forests that read scaled elements as well.
    """
    from tinyml.runtime.evaluator.evaluator import predict_function

    function = predict_function(program)
    [argument] = function.body.block.args
    given = tdsl.read_input(function)
    if given.format == f32:
        return True
    decided = any(one is not None for one in (given.scales, given.unit, given.format))
    if decided or tdsl.format_of(argument).type != f32 or not compare_argument(program, function, scaled=scaled):
        return False
    tdsl.update_input(function, format=f32)
    return True
