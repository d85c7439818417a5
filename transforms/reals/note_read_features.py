"""`note-read-features`: records the input elements that a program reads, so that the caller's other floats are not
converted (L0).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.runtime.evaluator.evaluator import predict_function

MAX_READ = 0.75
"""The share of the elements below which a table of them is faster than the conversion of the others."""


@dataclass(frozen=True)
class NoteReadFeaturesPass(ModulePass):
    """Record in the interface which input elements the forests of a program read.

    The interface is unchanged in two cases: other ops read the input, or the forests read either no element of the
    input or at least the fraction `MAX_READ` of its elements.
    """

    name = "note-read-features"

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
