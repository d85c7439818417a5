"""`pack-input`: lets the caller pack the input if its format has fewer than 8, or fewer than 16, bits (L1)."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.scratch import packed_bits, unit_of
from tinyml.dialects.scratch.types import packed_type
from tinyml.transforms.ir.attributes import argument_attribute, set_argument_attribute


@dataclass(frozen=True)
class PackInputPass(ModulePass):
    """Set `tdsl.packed` of the argument if that saves bytes; `lower-tdsl-to-scratch` then packs its type.

    An input that arrives row by row is packed if each row consists of whole groups of elements. Samples that the caller
    pushes are not packed.
    """

    name = "pack-input"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.evaluator.evaluator import predict_function

        function = predict_function(op)
        if argument_attribute(function, tdsl.PUSHED) is not None:
            return
        [argument] = function.body.block.args
        packed = packed_type(MemRefType(tdsl.format_of(argument).type, tdsl.shape_of(argument)))
        row = argument_attribute(function, tdsl.RECEIVED)
        if packed is not None and isinstance(row, IntegerAttr) and row.value.data % unit_of(packed)[0]:
            return
        if packed is not None and (bits := packed_bits(packed)) is not None:
            set_argument_attribute(function, tdsl.PACKED, IntegerAttr(bits, i64))
