"""CIRCT's dialects `hw` and `seq`, extended by ops that xDSL 0.74 does not contain.

The ops are printed in the generic form, which CIRCT parses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, IntegerAttr, IntegerType, StringAttr, i1, i32
from xdsl.dialects.hw import HW as XDSL_HW
from xdsl.dialects.hw import ArrayType
from xdsl.dialects.seq import ClockType
from xdsl.dialects.seq import Seq as XDSL_SEQ
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class AggregateConstantOp(IRDLOperation):
    """A constant array. `fields` contains its elements in descending order of index."""

    name = "hw.aggregate_constant"
    fields = prop_def(ArrayAttr[IntegerAttr])
    result = result_def(ArrayType)
    traits = traits_def(Pure())

    def __init__(self, elements: Sequence[int], width: int):
        """Create a constant array of unsigned integers of `width` bits, in ascending order of index."""
        type = IntegerType(width)
        fields = [IntegerAttr(element, type, truncate_bits=True) for element in reversed(elements)]
        super().__init__(properties={"fields": ArrayAttr(fields)}, result_types=[ArrayType(type, len(elements))])

    def verify_(self) -> None:
        element = self.result.type.get_element_type()
        if len(self.fields) != len(self.result.type) or any(field.type != element for field in self.fields):
            raise VerifyException(f"expected {len(self.result.type)} fields of {element}")


@irdl_attr_definition
class FirMemType(ParametrizedAttribute, TypeAttribute):
    """A memory of `depth` words of `width` bits. A word consists of `mask` equal parts, each of which has one bit in
    the mask of a write.

    If `mask` is 0, writes have no mask.
    """

    name = "seq.firmem"
    depth: IntAttr
    width: IntAttr
    mask: IntAttr

    def __init__(self, depth: int, width: int, mask: int = 0):
        super().__init__(IntAttr(depth), IntAttr(width), IntAttr(mask))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            depth = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_keyword("x")
            width = parser.parse_integer(allow_boolean=False, allow_negative=False)
            mask = 0
            if parser.parse_optional_punctuation(",") is not None:
                parser.parse_keyword("mask")
                mask = parser.parse_integer(allow_boolean=False, allow_negative=False)
        return IntAttr(depth), IntAttr(width), IntAttr(mask)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            masked = f", mask {self.mask.data}" if self.mask.data else ""
            printer.print_string(f"{self.depth.data} x {self.width.data}{masked}")

    def verify(self) -> None:
        if self.depth.data < 1 or self.width.data < 1:
            raise VerifyException("a memory has at least one word of at least one bit")
        if self.mask.data and self.width.data % self.mask.data:
            raise VerifyException(f"words of {self.width.data} bits have no {self.mask.data} equal parts")

    @property
    def address(self) -> IntegerType:
        return IntegerType((self.depth.data - 1).bit_length())

    @property
    def word(self) -> IntegerType:
        return IntegerType(self.width.data)


def _verify_port(memory: SSAValue, address: SSAValue, data: SSAValue) -> None:
    type = memory.type
    assert isinstance(type, FirMemType)
    for what, value, expected in (("addresses", address, type.address), ("words", data, type.word)):
        if value.type != expected:
            raise VerifyException(f"{type} has {what} of {expected}, got {value.type}")


@irdl_op_definition
class FirMemOp(IRDLOperation):
    """A memory. Latencies are in cycles.

    `ruw` specifies what a read returns if the word is written in the same cycle. `wuw` specifies the result of two
    writes to one word in the same cycle.
    """

    UNDEFINED: ClassVar = IntegerAttr(0, i32)

    name = "seq.firmem"
    read_latency = prop_def(IntegerAttr, prop_name="readLatency")
    write_latency = prop_def(IntegerAttr, prop_name="writeLatency")
    ruw = prop_def(IntegerAttr)
    wuw = prop_def(IntegerAttr)
    symbol = opt_prop_def(StringAttr, prop_name="name")
    memory = result_def(FirMemType)
    traits = traits_def(MemoryAllocEffect())

    def __init__(self, type: FirMemType, read_latency: int, name: str | None = None):
        """Create a memory in which a write takes effect one cycle after its data are applied."""
        properties: dict[str, Attribute | None] = {
            "readLatency": IntegerAttr(read_latency, i32),
            "writeLatency": IntegerAttr(1, i32),
            "ruw": self.UNDEFINED,
            "wuw": self.UNDEFINED,
            "name": None if name is None else StringAttr(name),
        }
        super().__init__(properties=properties, result_types=[type])


@irdl_op_definition
class FirMemReadOp(IRDLOperation):
    """A port that reads the word at `address`."""

    name = "seq.firmem.read_port"
    memory = operand_def(FirMemType)
    address = operand_def(IntegerType)
    clk = operand_def(ClockType)
    enable = opt_operand_def(i1)
    data = result_def(IntegerType)
    traits = traits_def(MemoryReadEffect())

    def __init__(self, memory: SSAValue[FirMemType], address: SSAValue, clock: SSAValue):
        super().__init__(operands=[memory, address, clock, None], result_types=[memory.type.word])

    def verify_(self) -> None:
        _verify_port(self.memory, self.address, self.data)


@irdl_op_definition
class FirMemWriteOp(IRDLOperation):
    """A port that writes the parts of `data` whose bits are set in `mask`, at clock edges with `enable`.

    Without `mask`, all of `data` is written. Without `enable`, data are written at every clock edge.
    """

    name = "seq.firmem.write_port"
    memory = operand_def(FirMemType)
    address = operand_def(IntegerType)
    clk = operand_def(ClockType)
    enable = opt_operand_def(i1)
    data = operand_def(IntegerType)
    mask = opt_operand_def(IntegerType)
    traits = traits_def(MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        memory: SSAValue,
        address: SSAValue,
        clock: SSAValue,
        data: SSAValue,
        enable: SSAValue | None = None,
        mask: SSAValue | None = None,
    ):
        super().__init__(operands=[memory, address, clock, enable, data, mask])

    def verify_(self) -> None:
        _verify_port(self.memory, self.address, self.data)
        memory = self.memory.type
        assert isinstance(memory, FirMemType)
        if self.mask is not None and self.mask.type != IntegerType(memory.mask.data):
            raise VerifyException(f"masks of {memory} have {memory.mask.data} bits, got {self.mask.type}")


HW = Dialect("hw", [*XDSL_HW.operations, AggregateConstantOp], [*XDSL_HW.attributes])
SEQ = Dialect("seq", [*XDSL_SEQ.operations, FirMemOp, FirMemReadOp, FirMemWriteOp], [*XDSL_SEQ.attributes, FirMemType])
