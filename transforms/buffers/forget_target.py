"""`forget-target`: a program is compiled for no board any more (L2).

The way to upstream dialects branches off here, where no kernel of a chip has been selected: what a kernel would do
becomes the loop that it stands for.
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
