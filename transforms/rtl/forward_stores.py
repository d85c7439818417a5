"""`forward-stores`: replaces a load by the value that was last stored to or loaded from its address, and removes stores
that are never read (hardware).

MLIR's `affine-scalrep` does the same. Sums that pass through an array of one element become values.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import rtl
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.rtl.scheduling.dependences import forward


@dataclass(frozen=True)
class ForwardStoresPass(ModulePass):
    """Replace a load by the value that the same block has stored to or loaded from the same address before.

    There must be no store to the memory between the load and this earlier access. Stores to memories that are never
    read are also erased.
    """

    name = "forward-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                for inner in list(function.walk()):
                    for region in inner.regions:
                        for block in region.blocks:
                            forward(block)
                _drop_unread(function)


def _drop_unread(function: func.FuncOp) -> None:
    for op in list(function.walk()):
        if isinstance(op, rtl.MemoryOp):
            users = [use.operation for use in op.result.uses]
            if all(isinstance(user, rtl.StoreOp) for user in users):
                for user in users:
                    Rewriter.erase_op(user)
