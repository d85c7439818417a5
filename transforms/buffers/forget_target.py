"""`forget-target`: removes the name of the board for which a program is compiled (L2).

The pipeline to upstream dialects starts with this pass, before any kernel of a chip is selected. Later passes therefore
emit loops instead of calls of kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.targets.registry import TARGET


@dataclass(frozen=True)
class ForgetTargetPass(ModulePass):
    """Remove the attribute `tinyml.target` of the module, if the module has this attribute."""

    name = "forget-target"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.attributes.pop(TARGET, None)
