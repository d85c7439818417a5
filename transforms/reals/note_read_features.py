"""`note-read-features`: records the input elements that a program reads, so that the caller's other floats are not
converted (L0).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.ir.conditional_pass import ConditionalPass

MAX_READ = 0.75
"""The share of the elements below which a table of them is faster than the conversion of the others."""


@dataclass(frozen=True)
class NoteReadFeaturesPass(ConditionalPass):
    """Record in the interface which input elements the forests of a program read.

    The interface is unchanged in two cases: other ops read the input, or the forests read either no element of the
    input or at least the fraction `MAX_READ` of its elements.
    """

    name = "note-read-features"

    def obstacle(self, module: ModuleOp) -> str | None:
        [argument] = predict_function(module).body.block.args
        if not tdsl.is_only_compared(argument):
            return "ops other than forests read the input"
        read, features = len(_read(argument)), prod(tdsl.shape_of(argument))
        return None if 0 < read < MAX_READ * features else f"the forests read {read:,} of {features:,} features"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = predict_function(op)
        [argument] = function.body.block.args
        read = sorted(_read(argument)) if tdsl.is_only_compared(argument) else []
        if 0 < len(read) < MAX_READ * prod(tdsl.shape_of(argument)):
            tdsl.update_input(function, read=tuple(read))


def _read(value: SSAValue) -> set[int]:
    read: set[int] = set()
    for use in value.uses:
        if isinstance(forest := use.operation, tdsl.ForestOp):
            read |= set(forest.trees.features.tolist())
        else:
            [reshaped] = use.operation.results
            read |= _read(reshaped)
    return read
