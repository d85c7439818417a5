"""Steps of transforms on contiguous memory, by functions of the C runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.num.kernels.kernel_ops import MEMREF
from tinyml.dialects.scratch.types import memref_type

__all__ = ["TransformOp"]


@irdl_op_definition
class TransformOp(IRDLOperation):
    """Change a run of memory in place by a function of the C runtime, which computes raws.

    The function takes the run, the constants if there are any, and `numbers`. Its time is proportional to `steps`.
    """

    name = "num.transform"
    run = operand_def(MEMREF)
    constants = opt_operand_def(MEMREF)
    function = prop_def(StringAttr)
    numbers = prop_def(DenseArrayBase.constr(i64))
    steps = prop_def(IntegerAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$run (`with` $constants^)? attr-dict `:` type($run) (`,` type($constants)^)?"

    def __init__(self, function: str, run: SSAValue, constants: SSAValue | None, numbers: Sequence[int], steps: int):
        properties = {
            "function": StringAttr(function),
            "numbers": DenseArrayBase.from_list(i64, numbers),
            "steps": IntegerAttr(steps, i64),
        }
        super().__init__(operands=[run, constants], properties=properties)

    @property
    def counts(self) -> Sequence[int]:
        """The numbers that the function takes."""
        return tuple(cast("DenseArrayBase[IntegerType]", self.numbers).get_values())

    def verify_(self) -> None:
        for value in self.operands:
            if len(memref_type(value).get_shape()) != 1:
                raise VerifyException(f"works on runs of memory, got {value.type}")
        if min(self.counts, default=0) < 0 or self.steps.value.data < 0:
            raise VerifyException("numbers and steps are at least 0")
