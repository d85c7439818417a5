"""`lower-tdsl-to-loops`: tensor ops on buffers become loops over scalars (L2 to L3).

Sums run in a register: a product of matrices has one accumulator per result element, and nothing of the length of
the sum is ever stored.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.locations import error_at
from tinyml.lowering.loops.lowerings import lowering_of
from tinyml.lowering.loops.operation_names import name_operations
from tinyml.transforms.ir.loop_nest import LoopNest


@dataclass(frozen=True)
class LowerTdslToLoopsPass(ModulePass):
    """Replaces every tdsl op on memrefs; what takes an op's place has its name in the location.

    Raises `InputError` for an op that has no lowering yet.
    """

    name = "lower-tdsl-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        name_operations(op)
        for one in list(op.walk()):
            if (lower := lowering_of(one)) is not None:
                lower(one, LoopNest(one))
                Rewriter.erase_op(one)
            elif isinstance(one, tdsl.TensorOp):
                raise error_at(one, f"{one.name} is not supported yet: it has no lowering to loops")
        for one in list(op.walk()):
            if isinstance(one, scratch.ConstantOp) and not one.result.uses:
                one.detach()
                one.erase()
