"""`lower-tdsl-to-loops`: lowers tensor ops on buffers to loops over scalars (L2 to L3).

Sums are stored in registers. A matrix product has one accumulator per result element, and intermediate products are
never stored in memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.locations import errors_at, not_supported
from tinyml.dialects.plugins import provider
from tinyml.dialects.rewriting import Rewriter
from tinyml.lowering.loops.lowerings import lowering_of
from tinyml.lowering.loops.operation_names import name_operations
from tinyml.transforms.ir.levels import BUFFERS
from tinyml.transforms.ir.loop_nest import LoopBuilder


@dataclass(frozen=True)
class LowerTdslToLoopsPass(ModulePass):
    """Replace every `tdsl` op on memrefs by loops. The locations of the new ops contain the name of the replaced
    op.

    Raises `InputError` with the location of an op that has no lowering.
    """

    name = "lower-tdsl-to-loops"
    takes = BUFFERS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        name_operations(op)
        for tensor_op in list(op.walk()):
            if (lower := lowering_of(tensor_op)) is not None:
                with errors_at(tensor_op):
                    lower(tensor_op, LoopBuilder(tensor_op))
                    if (plugin := provider(lower.__module__)) is not None:
                        with plugin.blamed():
                            op.verify()  # Later passes may hide accesses outside of buffers.
                Rewriter.erase_op(tensor_op)
            elif isinstance(tensor_op, tdsl.TensorOp):
                raise not_supported(tensor_op, ": it has no lowering to loops")
        for constant in list(op.walk()):
            if isinstance(constant, scratch.ConstantOp) and not constant.result.uses:
                Rewriter.erase_op(constant)
