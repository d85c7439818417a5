"""`reuse-input`: makes the input a buffer of the arena, which the caller writes and the model overwrites (L0, L1).

The arena of a network is often fullest while the first layers read the input. In the arena, the input shares bytes with
later buffers. A result may overlap the input if the op that computes the result is the last reader of the input.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.runtime.evaluator.evaluator import predict_function


@dataclass(frozen=True)
class ReuseInputPass(ModulePass):
    """Set `reused` of the input's interface. `lower-tdsl-to-scratch` then allocates a buffer for the input."""

    name = "reuse-input"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        tdsl.update_input(predict_function(op), reused=True)
