"""`expand-nests`: contractions that were kept for hardware become loops, and windows do not slide (L4)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.contraction_loops import expand_contraction


@dataclass(frozen=True)
class ExpandNestsPass(ModulePass):
    """Expand every `num.contract`; the entries of a compressed row become a loop that follows its gaps.

    What `scratch.slide` states is dropped.
    """

    name = "expand-nests"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for contraction in [each for each in op.walk() if isinstance(each, num.ContractOp)]:
            expand_contraction(contraction)
        for slide in [each for each in op.walk() if isinstance(each, scratch.SlideOp)]:
            Rewriter.erase_op(slide)
