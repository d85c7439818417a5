"""The interface against which a kernel is written once, both to count its instructions and to build its IR."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from tinyml.targets.riscv.assembly.instructions import (
    ACCUMULATE,
    ADD,
    ADDI,
    LI,
    LOADS,
    LUI,
    MV,
    REACH,
    SB,
    SW,
    RiscvInstruction,
)

V = TypeVar("V")
"""A value in a register."""

Body = Callable[[Sequence[V]], Sequence[V]]
"""The body of a loop: from the values of its loop-carried variables to those of the next iteration."""


class RiscvCode(ABC, Generic[V]):
    """A naked function under construction, at whose end instructions are appended."""

    @abstractmethod
    def put(self, instruction: RiscvInstruction, *operands: V | int) -> V:
        """Append an instruction with a result."""

    @abstractmethod
    def store(self, instruction: RiscvInstruction, pointer: V, value: V, offset: int) -> None:
        """Append a store at a byte offset from a pointer."""

    @abstractmethod
    def arguments(self, count: int) -> Sequence[V]:
        """The first arguments of the function."""

    @abstractmethod
    def enter(self, frame: int) -> V:
        """Create a stack frame, a multiple of 16 bytes, with all saved registers at its end; returns its address."""

    @abstractmethod
    def leave(self, frame: int) -> None:
        """Restore the saved registers and return."""

    @abstractmethod
    def give(self, results: Sequence[V]) -> None:
        """Return words from a function without a frame."""

    @abstractmethod
    def changed_unless(self, first: V, second: V, value: V, change: Callable[[V], V], share: float) -> V:
        """The value if `first` equals `second`, else the result of `change`, expected in a share of all cases."""

    @abstractmethod
    def repeated(
        self, count: int, carried: Sequence[V], body: Body[V], test: Callable[[Sequence[V]], Sequence[V]], *, far: bool
    ) -> Sequence[V]:
        """A bottom-tested loop of at least two iterations.

        test: maps the next values of the variables to two operands that are equal after the last iteration, or to one
        that is 0 then. far: true for bodies beyond the 4 KB reach of a conditional branch.
        """

    @abstractmethod
    def up_to(self, end: V, carried: Sequence[V], body: Body[V]) -> Sequence[V]:
        """A loop until the first variable, a pointer, equals an end; it may have no iterations."""

    def load(self, bits: int, pointer: V, offset: int) -> V:
        """Load a signed number at a byte offset, a multiple of its size for 16 and 32 bits."""
        return self.put(LOADS[bits], pointer, offset)

    def store_byte(self, pointer: V, value: V, offset: int) -> None:
        self.store(SB, pointer, value, offset)

    def store_word(self, pointer: V, value: V, offset: int) -> None:
        self.store(SW, pointer, value, offset)

    def copy(self, value: V) -> V:
        return self.put(MV, value)

    def constant(self, value: int) -> V:
        """A 32-bit constant."""
        if -REACH <= value <= REACH:
            return self.put(LI, value)
        high = value + 0x800 >> 12
        low = value - (high << 12)
        upper = self.put(LUI, high & 0xFFFFF)
        return self.put(ADDI, upper, low) if low else upper

    def moved(self, pointer: V, distance: int) -> V:
        """Advance a pointer by a number of bytes; its old value must not be used again."""
        return self._sum(pointer, distance, ACCUMULATE) if distance else pointer

    def address(self, pointer: V, distance: int) -> V:
        """The address at a distance in bytes from a pointer, which is preserved."""
        return self._sum(pointer, distance, ADD) if distance else self.copy(pointer)

    def _sum(self, pointer: V, distance: int, add: RiscvInstruction) -> V:
        if abs(distance) <= REACH:
            return self.put(ADDI, pointer, distance)
        if abs(distance) <= 2 * REACH:
            near = REACH if distance > 0 else -REACH
            return self.put(ADDI, self.put(ADDI, pointer, near), distance - near)
        return self.put(add, pointer, self.constant(distance))

    def counted(self, count: int, carried: Sequence[V], body: Body[V]) -> Sequence[V]:
        """A loop counted by a register."""
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
        """A loop until the first variable, a pointer, reaches an end, which is known to take `count` iterations."""
        if count == 1:
            return body(carried)
        return self.repeated(count, carried, body, lambda values: [values[0], end()], far=far)
