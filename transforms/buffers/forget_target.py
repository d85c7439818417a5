"""`forget-target`: removes the board for which a program is compiled (L2).

The pipeline to upstream dialects branches off here, before any kernel of a chip is selected: calls of kernels become
the equivalent loops.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.targets.registry import TARGET


@dataclass(frozen=True)
class ForgetTargetPass(ModulePass):
    """Drop the attribute `tinyml.target` of the module."""

    name = "forget-target"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes.pop(TARGET, None)
