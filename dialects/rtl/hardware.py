"""Memories in hardware modules."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, IntegerType, i1, i64
from xdsl.dialects.seq import ClockType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.rtl.accesses import MemoryType, words_of


@irdl_op_definition
class RamOp(IRDLOperation):
    """A memory of `depth` words with a read port, whose result comes a cycle later, and maybe a write port.

    At a clock edge with `enable`, the word at `address` is read; at one where a bit of `mask` is set, the lane of
    `data` that belongs to it is written to the word at `target`. What is read from a word that is written at the same
    edge is undefined. Without a write port it is a ROM. As CIRCT's `seq.firmem` with a latency of 1, its ports joined.
    """

    name = "rtl.ram"
    depth = prop_def(IntegerAttr)
    content = opt_prop_def(DenseIntOrFPElementsAttr)
    clock = operand_def(ClockType)
    enable = operand_def(i1)
    address = operand_def(IntegerType)
    mask = opt_operand_def(IntegerType)
    target = opt_operand_def(IntegerType)
    data = opt_operand_def(IntegerType)
    result = result_def(IntegerType)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$clock `,` `read` $address `if` $enable (`write` $data^ `at` $target `if` $mask)? attr-dict"
        " `:` type($address) `->` type($result) (`,` type($target)^ `,` type($mask) `,` type($data))?"
    )

    def __init__(
        self,
        type: MemoryType,
        content: DenseIntOrFPElementsAttr | None,
        clock: SSAValue,
        read: tuple[SSAValue, SSAValue],
        write: tuple[SSAValue, SSAValue, SSAValue] | None = None,
    ):
        """read: address and enable. write: data, address and mask."""
        data, target, mask = write or (None, None, None)
        address, enable = read
        super().__init__(
            operands=[clock, enable, address, mask, target, data],
            properties={"depth": IntegerAttr(type.depth.data, i64), "content": content},
            result_types=[IntegerType(type.width.data)],
        )

    @property
    def width(self) -> int:
        return cast("IntegerType[int, Any]", self.result.type).width.data

    @property
    def lanes(self) -> int:
        """The parts of a word that are written separately."""
        return 1 if self.mask is None else cast("IntegerType[int, Any]", self.mask.type).width.data

    @property
    def words(self) -> list[int] | None:
        """Its initial content, unsigned."""
        type = MemoryType(self.depth.value.data, self.width)
        return None if self.content is None else words_of(self.content, type)

    def verify_(self) -> None:
        if self.depth.value.data < 1 or self.width < 1:
            raise VerifyException("a memory has at least one word of at least one bit")
        if len({operand is None for operand in (self.mask, self.target, self.data)}) != 1:
            raise VerifyException("a write port has data, an address and a mask")
        if self.data is not None and self.data.type != self.result.type:
            raise VerifyException(f"writes words of {self.result.type}, got {self.data.type}")
        if not self.lanes or self.width % self.lanes:
            raise VerifyException(f"words of {self.width} bits have no {self.lanes} equal lanes")
        words = self.words
        if words is None and self.data is None:
            raise VerifyException("a memory that is not written has content")
