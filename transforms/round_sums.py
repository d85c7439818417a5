"""`round-sums`: sums that loops carry are to take no more memory than numbers of their format (L0 or L1)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl


@dataclass(frozen=True)
class RoundSumsPass(ModulePass):
    """Sets `tdsl.round_sums`, which keeps `accumulate-sums` from giving such sums accumulators of 32 bits.

    They are rounded in every iteration, so that they may need more bits than other tensors.
    """

    name = "round-sums"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.evaluator import predict_function

        predict_function(op).attributes[tdsl.ROUND_SUMS] = UnitAttr()
