"""Memories and streams in hardware: the ops in loops (`load`, `store`, `receive`, `send`) and in hardware modules
(`ram`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, IntAttr, IntegerAttr, IntegerType, i1, i64
from xdsl.dialects.seq import ClockType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
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
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.operations import ClockedMemory, ClockedOp, DialectOp, integer_width, width_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@irdl_attr_definition
class MemoryType(ClockedMemory):
    """A memory of `depth` words of `width` bits, with one read port and one write port."""

    name = "rtl.memory"
    depth: IntAttr
    width: IntAttr

    def __init__(self, depth: int, width: int):
        super().__init__(IntAttr(depth), IntAttr(width))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            depth = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_punctuation(",")
            width = parser.parse_integer(allow_boolean=False, allow_negative=False)
        return IntAttr(depth), IntAttr(width)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.depth.data}, {self.width.data}")

    def verify(self) -> None:
        if self.depth.data < 1 or self.width.data < 1:
            raise VerifyException("a memory has at least one word of at least one bit")


def raws_of(content: DenseIntOrFPElementsAttr, type: MemoryType) -> tuple[int, NDArray[Any]]:
    """The width in bits of the elements of a memory's initial content, and the elements as unsigned integers.

    Raises `VerifyException` unless the elements are integers of at most 64 bits that fit in the memory.
    """
    element: Attribute = content.get_element_type()
    bits = integer_width(element) if isinstance(element, IntegerType) else 0
    if not 0 < bits <= 64:
        raise VerifyException(f"the content of a memory is integers of at most 64 bits, got {element}")
    # Attributes hold integers of 17 to 24 bits in four bytes each, and so on.
    bytes = 1 << ((bits + 7) // 8 - 1).bit_length()
    if len(content.data.data) % bytes:
        raise VerifyException(f"{len(content.data.data)} bytes are not integers of {bytes} bytes each")
    raws = np.frombuffer(content.data.data, f"<u{bytes}") & np.array((1 << bits) - 1, f"<u{bytes}")
    if type.width.data % bits or len(raws) > type.depth.data * (type.width.data // bits):
        raise VerifyException(f"{len(raws)} elements of {bits} bits are not content of {type}")
    return bits, raws


def words_of(content: DenseIntOrFPElementsAttr, type: MemoryType) -> list[int]:
    """The initial content of a memory as unsigned words. Within a word, elements of lower indices occupy lower bits.

    Missing elements are 0. Raises `VerifyException` for content that does not fit in the memory.
    """
    element, raws = raws_of(content, type)
    lanes = type.width.data // element
    padded = np.zeros(type.depth.data * lanes, object)
    padded[: len(raws)] = raws.astype(object)
    rows = padded.reshape(type.depth.data, lanes)
    words = sum(rows[:, lane] << (lane * element) for lane in range(lanes))
    return [int(word) for word in cast("Sequence[int]", words)]


@irdl_op_definition
class MemoryOp(ClockedOp):
    """A memory. `content` is its initial content, with elements packed into words.

    A memory without `content` must be written before it is read.
    """

    name = "rtl.memory"
    content = opt_prop_def(DenseIntOrFPElementsAttr)
    result = result_def(MemoryType)
    traits = traits_def(MemoryAllocEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "($content^)? attr-dict `:` type($result)"

    def __init__(self, type: MemoryType, content: DenseIntOrFPElementsAttr | None = None):
        super().__init__(properties={"content": content}, result_types=[type])

    def verify_(self) -> None:
        if self.content is not None:
            raws_of(self.content, self.result.type)

    @property
    def is_table(self) -> bool:
        """True for a memory whose content sets all words, if each word is one element of 8, 16, 32 or 64 bits."""
        if self.content is None:
            return False
        type, bits, raws = self.result.type, *raws_of(self.content, self.result.type)
        return bits == type.width.data and bits in (8, 16, 32, 64) and len(raws) == type.depth.data


def _verify_lane(memory: SSAValue, element: SSAValue) -> None:
    """Raise `VerifyException` unless the number of elements in a word is a power of two.

    The low bits of an address can then select the element in the word.
    """
    word, bits = cast("MemoryType", memory.type).width.data, width_of(element)
    if not bits or word % bits or (word // bits).bit_count() != 1:
        raise VerifyException(f"words of {word} bits do not hold elements of {bits}")


class PortOp(ClockedOp, ABC):
    """An op that occupies a port of a memory or a stream for one cycle."""

    LATENCY: ClassVar[int] = 0
    """The number of cycles after which the results of the op are available."""

    @property
    def port(self) -> object:
        """The port that the op occupies. In a cycle, at most one op may use it. By default, all ops of one class use
        one port.
        """
        return type(self)

    @property
    def circuit(self) -> tuple[object, ...]:
        """A key of the hardware of the op. Ops with equal keys use the same hardware."""
        return (self,)


def latency(op: Operation) -> int:
    """The number of cycles after which the results of an op are available; 0 for arithmetic, which is combinational."""
    return op.LATENCY if isinstance(op, PortOp) else 0


def circuit(op: Operation) -> tuple[object, ...]:
    """A key of the hardware of an op that is not arithmetic. Ops with equal keys use the same hardware."""
    return op.circuit if isinstance(op, PortOp) else (op,)


class AccessOp(PortOp, ABC):
    """A load or a store of an element of a memory. Addresses count elements of this width."""

    if TYPE_CHECKING:
        memory: SSAValue
        address: SSAValue

    @property
    @abstractmethod
    def element(self) -> SSAValue:
        """The loaded or stored element."""

    @property
    def is_certain(self) -> bool:
        """False for a store that takes effect only on a condition."""
        return True

    @property
    def accesses_word(self) -> bool:
        """Whether the element is a whole word of the memory."""
        return self.element.type == IntegerType(cast("MemoryType", self.memory.type).width.data)

    def verify_(self) -> None:
        _verify_lane(self.memory, self.element)


@irdl_op_definition
class LoadOp(AccessOp):
    """Load an element from a memory. The element is available one cycle later. Addresses count elements of the result's
    width.
    """

    name = "rtl.load"
    LATENCY: ClassVar[int] = 1
    memory = operand_def(MemoryType)
    address = operand_def(IndexType)
    result = result_def(IntegerType)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$memory `[` $address `]` attr-dict `:` type($memory) `->` type($result)"

    def __init__(self, memory: SSAValue, address: SSAValue, element: IntegerType):
        super().__init__(operands=[memory, address], result_types=[element])

    @property
    def element(self) -> SSAValue:
        return self.result

    @property
    def port(self) -> object:
        return self.memory, "read"

    @property
    def circuit(self) -> tuple[object, ...]:
        return (self.name, self.memory) if self.accesses_word else (self,)


@irdl_op_definition
class StoreOp(AccessOp):
    """Store an element in a memory. Addresses count elements of the value's width.

    Loads return the stored element from the next cycle on. If the op has a condition, the element is written only if
    the condition is true.
    """

    name = "rtl.store"
    value = operand_def(IntegerType)
    memory = operand_def(MemoryType)
    address = operand_def(IndexType)
    condition = opt_operand_def(i1)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$value `,` $memory `[` $address `]` (`if` $condition^)? attr-dict `:` type($value) `,` type($memory)"
    )

    def __init__(self, value: SSAValue, memory: SSAValue, address: SSAValue, condition: SSAValue | None = None):
        super().__init__(operands=[value, memory, address, condition])

    @property
    def element(self) -> SSAValue:
        return self.value

    @property
    def is_certain(self) -> bool:
        return self.condition is None

    @property
    def port(self) -> object:
        return self.memory, "write"


@irdl_op_definition
class ReceiveOp(PortOp):
    """Receive the next element of the input. The hardware waits until this element is available."""

    name = "rtl.receive"
    result = result_def(IntegerType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, element: IntegerType):
        super().__init__(result_types=[element])


@irdl_op_definition
class SendOp(PortOp):
    """Send the next element of the output with index `output`. The hardware waits until the receiver accepts the
    element.
    """

    name = "rtl.send"
    value = operand_def(IntegerType)
    output = prop_def(IntegerAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$value `to` $output attr-dict `:` type($value)"

    def __init__(self, value: SSAValue, output: int):
        super().__init__(operands=[value], properties={"output": IntegerAttr(output, i64)})

    def verify_(self) -> None:
        if self.output.value.data < 0:
            raise VerifyException(f"outputs are numbered from 0, got {self.output.value.data}")


@irdl_op_definition
class RamOp(DialectOp):
    """A memory of `depth` words with a read port and an optional write port. `content` contains its initial words.

    At a clock edge with `enable`, the word at `address` is read; the result is available one cycle later. At a clock
    edge with a bit of `mask` set, the corresponding lane of `data` is written to the word at `target`. If a word is
    read and written at one edge, the result of the read is undefined. Without a write port, the memory is a ROM. The op
    corresponds to CIRCT's `seq.firmem` with a latency of 1 and joined ports.
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
        """Create a RAM or, if `write` is None, a ROM.

        read: the address and the enable bit.
        write: the data, the address and the mask.
        """
        data, target, mask = write or (None, None, None)
        address, enable = read
        super().__init__(
            operands=[clock, enable, address, mask, target, data],
            properties={"depth": IntegerAttr(type.depth.data, i64), "content": content},
            result_types=[IntegerType(type.width.data)],
        )

    @property
    def width(self) -> int:
        return width_of(self.result)

    @property
    def lanes(self) -> int:
        """The number of lanes of a word. A lane is a part of a word that can be written separately."""
        return 1 if self.mask is None else width_of(self.mask)

    @property
    def words(self) -> list[int] | None:
        """The initial content as unsigned words; None without content."""
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
