"""The call of a kernel that is composed for windows and rows of weights, and finishes the sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.num.base import SUM
from tinyml.dialects.num.kernels.kernel_attributes import KernelAttr, TileKernelAttr
from tinyml.dialects.num.kernels.kernel_ops import MEMREF, KernelOp, run_length

__all__ = ["ComposedTilesOp"]


@irdl_op_definition
class ComposedTilesOp(KernelOp):
    """The finished sums of a `num.contract` over windows, by a kernel that is composed for its shape.

    stream: weights and all else that belongs to rows, in the order in which the kernel fetches them. multiplied:
    products of a call.
    """

    name = "num.composed_tiles"
    NEEDS_KERNEL: ClassVar[bool] = True
    acc = prop_def(SUM)
    outputs = operand_def(MEMREF)
    stream = operand_def(MEMREF)
    windows = operand_def(MEMREF)
    multiplied = prop_def(IntegerAttr.constr(i64))
    assembly_format = (
        "$outputs `,` $stream `,` $windows attr-dict `:` type($outputs) `,` type($stream) `,` type($windows)"
    )
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, operands: Sequence[SSAValue], acc: Attribute, products: int, kernel: KernelAttr):
        properties: dict[str, Attribute] = {"acc": acc, "multiplied": IntegerAttr(products, i64)}
        super().__init__(operands=operands, properties={**properties, "kernel": kernel})

    def may_call(self, kernel: KernelAttr) -> bool:
        return isinstance(kernel, TileKernelAttr)

    @property
    def accumulator(self) -> Accumulator:
        return cast(Accumulator, accumulator_of(self.acc))

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.stream, self.windows

    @property
    def products(self) -> int:
        return self.multiplied.value.data

    def verify_runs(self) -> None:
        for run in (self.outputs, self.stream, self.windows):
            run_length(run)
