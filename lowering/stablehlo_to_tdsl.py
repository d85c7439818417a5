"""`lower-stablehlo-to-tdsl`: lowers a module that JAX exported in StableHLO and CHLO to a function on reals (L0).

Commands that import a model run this lowering themselves. `tinyml-opt` leaves the module unchanged until this pass
runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.locations import source_location
from tinyml.lowering.frontends.mlir.foreign import DECLARED
from tinyml.lowering.frontends.mlir.importer import import_tensors
from tinyml.transforms.ir.levels import REALS


@dataclass(frozen=True)
class LowerStablehloToTdslPass(ModulePass):
    """Lower the function `main`, or the only public function, together with the functions that it calls. A module
    without StableHLO and CHLO ops is unchanged.

    Raises `InputError` at an op that is not supported.
    """

    name = "lower-stablehlo-to-tdsl"
    takes = REALS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not any(nested.name.partition(".")[0] in DECLARED for nested in op.walk()):
            return
        blobs = ctx.get_dialect("builtin").get_interface(OpAsmDialectInterface)
        assert blobs is not None
        location = source_location(op)
        lowered = import_tensors(op, blobs, "module.mlir" if location is None else location[0])
        op.body.detach_block(op.body.block).erase()
        op.body.add_block(lowered.body.detach_block(lowered.body.block))
        op.attributes = lowered.attributes
