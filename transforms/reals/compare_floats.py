"""`compare-floats`: lets forests compare the caller's floats directly, by their bits (L0).

A forest reads few features of a sample, and only compares them. If nothing else reads the input, converting all
features to narrow integers takes longer than comparing a few floats. Nothing is rounded, and the program needs no
buffer for its input.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.reals.analysis.missing_values import compare_argument


@dataclass(frozen=True)
class CompareFloatsPass(ModulePass):
    """Set the format f32 for the argument of a program on reals if only forests read it.

    A forest may read the argument directly, or after its elements are moved or imputed. The interface records the
    format, and `assign-format` assigns it to the argument. An input with scales, a unit or a format is unchanged,
    and so is an input that other ops read. A missing feature with an imputed value follows the same path through a
    tree as the imputed value would.
    """

    name = "compare-floats"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compare_floats(op)


def compare_floats(program: ModuleOp, *, scaled: bool = False) -> bool:
    """Apply `compare-floats`. Return whether the argument has the format f32 afterwards; if not, nothing is changed.

    scaled: whether to accept forests that read scaled elements.
    """
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
