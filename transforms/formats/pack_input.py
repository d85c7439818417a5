"""`pack-input`: lets the caller pack the input if its elements need fewer bits than the 8 or 16 bits of their storage
(L1).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.scratch import packed_bits, unit_of
from tinyml.dialects.scratch.types import packed_type
from tinyml.runtime.evaluator.evaluator import predict_function


@dataclass(frozen=True)
class PackInputPass(ModulePass):
    """Set `packed` of the input's interface if packing saves bytes. `lower-tdsl-to-scratch` then packs the argument's
    type.

    An input that arrives row by row is packed only if each row consists of whole groups of elements. An input whose
    frames the caller pushes (`receive-input{input=push}`) is not packed.
    """

    name = "pack-input"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = predict_function(op)
        given = tdsl.read_input(function)
        if given.pushed is not None:
            return
        [argument] = function.body.block.args
        packed = packed_type(MemRefType(tdsl.format_of(argument).type, tdsl.shape_of(argument)))
        if packed is None or (given.received is not None and given.received % unit_of(packed)[0]):
            return
        tdsl.update_input(function, packed=packed_bits(packed))
