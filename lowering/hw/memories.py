"""Ports of memories and streams. All loads, stores, receives and sends of a program share these ports."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import comb
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from tinyml.dialects import rtl
from tinyml.dialects.locations import error_at
from tinyml.dialects.operations import width_of
from tinyml.lowering.hw.circuit import Circuit

Accesses = list[tuple[SSAValue, SSAValue]]


@dataclass
class Memory:
    """A memory with its accesses. A read consists of a condition and an address. A write consists of a condition,
    an address, data and a mask.
    """

    op: rtl.MemoryOp
    ram: rtl.RamOp
    reads: Accesses = field(default_factory=Accesses)
    writes: list[tuple[SSAValue, SSAValue, SSAValue, SSAValue]] = field(
        default_factory=list[tuple[SSAValue, SSAValue, SSAValue, SSAValue]]
    )

    @property
    def type(self) -> rtl.MemoryType:
        return self.op.result.type

    @property
    def address_bits(self) -> int:
        return max((self.type.depth.data - 1).bit_length(), 1)


class Memories:
    """The memories of a program, keyed by the values that represent them in the IR."""

    def __init__(self, c: Circuit):
        self.c = c
        self.memories: dict[SSAValue, Memory] = {}

    def allocate(self, op: rtl.MemoryOp) -> None:
        """Create a memory, unless it has no content and the program never stores to it. Its write lanes are as wide as
        the narrowest element that the program stores to it.
        """
        type = op.result.type
        stores = [use.operation for use in op.result.uses if isinstance(use.operation, rtl.StoreOp)]
        address = self.c.constant(0, max((type.depth.data - 1).bit_length(), 1))
        never = self.c.constant(0, 1)
        write = None
        if stores:
            lanes = type.width.data // min(width_of(store.value) for store in stores)
            write = self.c.constant(0, type.width.data), address, self.c.constant(0, lanes)
        content = op.content
        ram = rtl.RamOp(type, content, self.c.clock, (address, never), write)
        if not stores and content is None:
            return
        with self.c.made_for(op.location):
            self.c.put(ram).name_hint = op.result.name_hint
        self.memories[op.result] = Memory(op, ram)

    def load(self, op: rtl.LoadOp, address: SSAValue, when: SSAValue) -> SSAValue:
        """Emit a read of the element at `address`. The returned wire is valid in the cycle after `when` is true. Raises
        `InputError` for a memory that has no content and is never written.
        """
        if (memory := self.memories.get(op.memory)) is None:
            raise error_at(op, f"'{op.name}' reads a memory that has no content and is never written")
        width = width_of(op.result)
        word, lane = self._split(memory, address, width)
        memory.reads.append((when, word))
        if lane is None:
            return memory.ram.result
        register = self.c.register(width_of(lane), "lane")
        register.takes.append((when, lane))
        amount = self.c.resize(register.op.data, memory.type.width.data, signed=False)
        shift = self.c.shift_left(amount, (width - 1).bit_length())
        return self.c.resize(self.c.put(comb.ShrUOp(memory.ram.result, shift)), width)

    def store(self, op: rtl.StoreOp, value: SSAValue, address: SSAValue, when: SSAValue) -> None:
        memory, width = self.memories[op.memory], width_of(value)
        word, lane = self._split(memory, address, width)
        whole = self.c.replicate(value, memory.type.width.data // width)
        lanes = memory.ram.lanes
        mine = lanes * width // memory.type.width.data
        if lane is None:
            mask = self.c.constant(-1, lanes)
        else:
            first = self.c.shift_left(self.c.resize(lane, lanes, signed=False), (mine - 1).bit_length())
            mask = self.c.put(comb.ShlOp(self.c.constant((1 << mine) - 1, lanes), first))
        memory.writes.append((when, word, whole, mask))

    def close(self, advance: SSAValue) -> None:
        """Connect the ports of all memories. Reads and writes take effect only while `advance` is set."""
        c = self.c
        for memory in self.memories.values():
            with c.made_for(memory.op.location):
                self._connect(memory, advance)

    def _connect(self, memory: Memory, advance: SSAValue) -> None:
        c, ram, width = self.c, memory.ram, memory.address_bits
        ram.operands[1] = c.both(advance, c.any([when for when, _ in memory.reads]))
        ram.operands[2] = c.choose(memory.reads, width)
        if memory.writes:
            mask = c.gated([(when, mask) for when, _, _, mask in memory.writes], ram.lanes)
            gate = c.replicate(advance, ram.lanes)
            ram.operands[3] = c.both(gate, mask) if ram.lanes == 1 else c.put(comb.AndOp([gate, mask]))
            ram.operands[4] = c.choose([(when, word) for when, word, _, _ in memory.writes], width)
            ram.operands[5] = c.choose([(when, data) for when, _, data, _ in memory.writes], ram.width)

    def _split(self, memory: Memory, address: SSAValue, width: int) -> tuple[SSAValue, SSAValue | None]:
        """Return the address of the word with the element at `address`, and the lane of the element in the word.

        The lane is None if the element fills the word.
        """
        shift = (memory.type.width.data // width - 1).bit_length()
        wide = self.c.resize(address, memory.address_bits + shift)
        word = self.c.extract(wide, shift, memory.address_bits)
        return word, None if shift == 0 else self.c.extract(wide, 0, shift)


@dataclass
class ElementStreams:
    """The input and output streams: the conditions under which elements are received, and the sent elements with
    their conditions.
    """

    c: Circuit
    data: SSAValue
    received: list[SSAValue] = field(default_factory=list[SSAValue])
    sent: Accesses = field(default_factory=Accesses)

    def receive(self, when: SSAValue) -> SSAValue:
        self.received.append(when)
        return self.data

    def send(self, value: SSAValue, when: SSAValue) -> None:
        self.sent.append((when, value))

    def outgoing(self, type: IntegerType) -> SSAValue:
        """The element at the output port, selected from all sent elements. Narrower elements are sign-extended
        to `type`.
        """
        width = type.width.data
        return self.c.choose([(when, self.c.resize(value, width)) for when, value in self.sent], width)
