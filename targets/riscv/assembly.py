"""RV32IM code of kernels: the table of instructions, and the interface through which kernels are written.

A kernel appends instructions and loops to a `RiscvCode`. Two subclasses interpret them: `InstructionCounter` computes
the costs, and `RiscvBuilder` (`targets/riscv/builder.py`, loaded only when a kernel is printed) builds IR.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar


@dataclass(frozen=True)
class RiscvInstruction:
    """An opcode. It reads its operands, defines a new value and clobbers nothing.

    op: the name of the op in xDSL's dialects `riscv`, `riscv_cf` and `rv32`. The constructor of the op accepts the
        operands in the order of the assembly, except that the address of a store precedes the value.
    bytes: the maximum bytes of flash; 2 if there is a compressed encoding for all registers.

    The time of an instruction is 1, because the time on RISC-V chips is measured in instructions.
    """

    op: str
    bytes: int = 4


RV32IM = 32
"""The instruction set's number in `tinyml/cores.h`."""

REACH = 2047
"""The greatest offset of a load or store, and the greatest immediate of an addition."""

LB, LBU, LH, LW = (RiscvInstruction(f"riscv.{name}") for name in ("lb", "lbu", "lh", "lw"))
SB, SW = RiscvInstruction("riscv.sb"), RiscvInstruction("riscv.sw")
ADD, ADDI, ANDI, XORI, SUB = (RiscvInstruction(f"riscv.{name}") for name in ("add", "addi", "andi", "xori", "sub"))
ACCUMULATE = RiscvInstruction("riscv.add", bytes=2)
"""An addition whose first operand is not used again, so that the result takes its register."""

MUL, MULHSU, SLTU, SRA = (RiscvInstruction(f"riscv.{name}") for name in ("mul", "mulhsu", "sltu", "sra"))
SLLI, SRLI, SRAI = (RiscvInstruction(f"rv32.{name}") for name in ("slli", "srli", "srai"))
LI, LUI, MV = RiscvInstruction("rv32.li"), RiscvInstruction("riscv.lui"), RiscvInstruction("riscv.mv", bytes=2)
BEQ, BLTU, BNE, BNEZ, J = (RiscvInstruction(f"riscv_cf.{name}") for name in ("beq", "bltu", "bne", "bnez", "j"))
RET = RiscvInstruction("riscv.ret")

LOADS = {8: LB, 16: LH, 32: LW}
"""Loads of signed numbers by their width in bits."""


SAVED = ("ra", *(f"s{number}" for number in range(12)))
"""The registers that a function has to save before it changes them."""

V = TypeVar("V")
"""A value in a register."""

Body = Callable[[Sequence[V]], Sequence[V]]
"""The body of a loop: from the values of its loop-carried variables to those of the next iteration."""


class RiscvCode(ABC, Generic[V]):
    """A naked function that is being written. Instructions are appended at its end."""

    @abstractmethod
    def put(self, instruction: RiscvInstruction, *operands: V | int) -> V:
        """Append an instruction and return its result."""

    @abstractmethod
    def store(self, instruction: RiscvInstruction, pointer: V, value: V, offset: int) -> None:
        """Append a store of `value` at a byte offset from a pointer."""

    @abstractmethod
    def arguments(self, count: int) -> Sequence[V]:
        """The values of the first `count` arguments of the function."""

    @abstractmethod
    def enter(self, frame: int) -> V:
        """Append code that creates a stack frame and saves the saved registers at its end. Return the address of the
        frame.

        frame: the size of the frame, a multiple of 16 bytes.
        """

    @abstractmethod
    def leave(self, frame: int) -> None:
        """Append code that restores the saved registers, frees the frame and returns."""

    @abstractmethod
    def give(self, results: Sequence[V]) -> None:
        """Append code that returns `results` from a function without a stack frame."""

    @abstractmethod
    def changed_unless(
        self, branch: RiscvInstruction, first: V, second: V, value: V, change: Callable[[V], V], share: float
    ) -> V:
        """Append a branch. Return `value` if the branch is taken, otherwise the result of `change`.

        branch: BEQ, which is taken if `first` equals `second`, or BLTU, which is taken if `first` is less than `second`
            without their signs.
        change: a function that appends code and returns its result, computed from the value.
        share: the expected fraction of executions in which the branch is not taken.
        """

    @abstractmethod
    def repeated(
        self, count: int, carried: Sequence[V], body: Body[V], test: Callable[[Sequence[V]], Sequence[V]], *, far: bool
    ) -> Sequence[V]:
        """Append a loop of at least two iterations, whose condition is at its end. Return the values of the variables
        after the loop.

        count: the number of iterations.
        carried: the initial values of the variables.
        body: a function that appends an iteration and returns the next values.
        test: a function that maps the next values to two operands that are equal after the last iteration, or to one
            operand that is then 0.
        far: true for bodies beyond the 4 KB range of a conditional branch.
        """

    @abstractmethod
    def up_to(self, end: V, carried: Sequence[V], body: Body[V]) -> Sequence[V]:
        """Append a loop that ends when the first variable, a pointer, equals `end`. Return the values of the variables
        after the loop.

        The loop may have no iterations.
        """

    def load(self, bits: int, pointer: V, offset: int) -> V:
        """Append a load of a signed integer at a byte offset from a pointer. Return the integer.

        For 16 and 32 bits, the offset is a multiple of the integer's size.
        """
        return self.put(LOADS[bits], pointer, offset)

    def store_byte(self, pointer: V, value: V, offset: int) -> None:
        self.store(SB, pointer, value, offset)

    def store_word(self, pointer: V, value: V, offset: int) -> None:
        self.store(SW, pointer, value, offset)

    def copy(self, value: V) -> V:
        return self.put(MV, value)

    def constant(self, value: int) -> V:
        """Append code that loads a 32-bit constant, and return the loaded value."""
        if -REACH <= value <= REACH:
            return self.put(LI, value)
        high = value + 0x800 >> 12
        low = value - (high << 12)
        upper = self.put(LUI, high & 0xFFFFF)
        return self.put(ADDI, upper, low) if low else upper

    def moved(self, pointer: V, distance: int) -> V:
        """Append code that adds a number of bytes to a pointer, and return the new pointer. The caller must not use
        `pointer` again.
        """
        return self._sum(pointer, distance, ACCUMULATE) if distance else pointer

    def address(self, pointer: V, distance: int) -> V:
        """Append code that computes the address at a distance in bytes from a pointer, and return the address. The
        caller may use `pointer` again.
        """
        return self._sum(pointer, distance, ADD) if distance else self.copy(pointer)

    def _sum(self, pointer: V, distance: int, add: RiscvInstruction) -> V:
        if abs(distance) <= REACH:
            return self.put(ADDI, pointer, distance)
        if abs(distance) <= 2 * REACH:
            near = REACH if distance > 0 else -REACH
            return self.put(ADDI, self.put(ADDI, pointer, near), distance - near)
        return self.put(add, pointer, self.constant(distance))

    def counted(self, count: int, carried: Sequence[V], body: Body[V]) -> Sequence[V]:
        """Append a loop of `count` iterations, counted in a register. Return the values of the variables after the
        loop.

        carried: the initial values of the variables.
        body: a function that appends an iteration and returns the next values.
        """
        if count == 1:
            return body(carried)

        def step(values: Sequence[V]) -> Sequence[V]:
            counter, *others = values
            following = body(others)
            return [self.put(ADDI, counter, -1), *following]

        counter = self.constant(count)
        return self.repeated(count, [counter, *carried], step, lambda values: values[:1], far=False)[1:]

    def until(
        self, end: Callable[[], V], count: int, carried: Sequence[V], body: Body[V], *, far: bool = False
    ) -> Sequence[V]:
        """Append a loop that ends when the first variable, a pointer, reaches an end. Return the values of the
        variables after the loop.

        end: a function that returns the end address.
        count: the known number of iterations.
        carried: the initial values of the variables.
        body: a function that appends an iteration and returns the next values.
        far: as in `repeated`.
        """
        if count == 1:
            return body(carried)
        return self.repeated(count, carried, body, lambda values: [values[0], end()], far=far)


class InstructionCounter(RiscvCode[None]):
    """A `RiscvCode` that counts the instructions that a call executes, and an upper bound on the bytes of flash."""

    def __init__(self) -> None:
        self.instructions = 0.0
        self.bytes = 0

    def put(self, instruction: RiscvInstruction, *operands: int | None) -> None:
        self.instructions += 1
        self.bytes += instruction.bytes

    def store(self, instruction: RiscvInstruction, pointer: None, value: None, offset: int) -> None:
        self.put(instruction)

    def arguments(self, count: int) -> Sequence[None]:
        return [None] * count

    def enter(self, frame: int) -> None:
        for instruction in (ADDI, *[SW] * len(SAVED)):
            self.put(instruction)

    def leave(self, frame: int) -> None:
        for instruction in (*[LW] * len(SAVED), ADDI, RET):
            self.put(instruction)

    def give(self, results: Sequence[None]) -> None:
        for instruction in (*[MV] * len(results), RET):
            self.put(instruction)

    def changed_unless(
        self,
        branch: RiscvInstruction,
        first: None,
        second: None,
        value: None,
        change: Callable[[None], None],
        share: float,
    ) -> None:
        self.put(branch)
        before = self.instructions
        change(value)
        self.instructions = before + share * (self.instructions - before)

    def repeated(
        self,
        count: int,
        carried: Sequence[None],
        body: Body[None],
        test: Callable[[Sequence[None]], Sequence[None]],
        *,
        far: bool,
    ) -> Sequence[None]:
        before = self.instructions
        operands = test(values := body(carried))
        for instruction in (BEQ, J) if far else [BNE if len(operands) == 2 else BNEZ]:
            self.put(instruction)
        # The last iteration leaves by the first of two branches.
        self.instructions = before + count * (self.instructions - before) - far
        return values

    def up_to(self, end: None, carried: Sequence[None], body: Body[None]) -> Sequence[None]:
        """Count the instructions of a single iteration, because the number of iterations is unknown. Return the carried
        values.
        """
        self.put(BEQ)
        values = body(carried)
        self.put(BNE)
        return values
