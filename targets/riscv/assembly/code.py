"""The interface by which a kernel is written once: to be counted, and to become IR."""

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
    Instruction,
)

V = TypeVar("V")
"""A value in a register."""

Body = Callable[[Sequence[V]], Sequence[V]]
"""The body of a loop, from the values of its loop-carried variables to those of the next iteration."""


class RiscvCode(ABC, Generic[V]):
    """A naked function under construction, to whose end instructions are appended."""

    @abstractmethod
    def put(self, instruction: Instruction, *operands: V | int) -> V:
        """Appends an instruction with a result."""

    @abstractmethod
    def store(self, instruction: Instruction, pointer: V, value: V, offset: int) -> None:
        """Appends a store to an offset in bytes from a pointer."""

    @abstractmethod
    def arguments(self, count: int) -> Sequence[V]:
        """The first arguments of the function."""

    @abstractmethod
    def enter(self, frame: int) -> V:
        """Makes a stack frame, a multiple of 16 bytes, with all saved registers at its end; returns its address."""

    @abstractmethod
    def leave(self, frame: int) -> None:
        """Restores the saved registers and returns."""

    @abstractmethod
    def give(self, results: Sequence[V]) -> None:
        """Returns words from a function without a frame."""

    @abstractmethod
    def changed_unless(self, first: V, second: V, value: V, change: Callable[[V], V], share: float) -> V:
        """The value if two others are equal, else what `change` makes of it, which is expected in a share of cases."""

    @abstractmethod
    def repeated(
        self, count: int, carried: Sequence[V], body: Body[V], test: Callable[[Sequence[V]], Sequence[V]], *, far: bool
    ) -> Sequence[V]:
        """A bottom-tested loop of at least two iterations.

        test: from the next values of the variables to two operands that are equal after the last iteration, or to one
        that is 0 there. far: true for bodies beyond the 4 KB that a conditional branch reaches.
        """

    @abstractmethod
    def up_to(self, end: V, carried: Sequence[V], body: Body[V]) -> Sequence[V]:
        """A loop until the first variable, a pointer, equals an end, which it may do without any iteration."""

    def load(self, bits: int, pointer: V, offset: int) -> V:
        """A signed number at an offset in bytes, which for 16 and 32 bits is a multiple of their size."""
        return self.put(LOADS[bits], pointer, offset)

    def store_byte(self, pointer: V, value: V, offset: int) -> None:
        self.store(SB, pointer, value, offset)

    def store_word(self, pointer: V, value: V, offset: int) -> None:
        self.store(SW, pointer, value, offset)

    def copy(self, value: V) -> V:
        return self.put(MV, value)

    def constant(self, value: int) -> V:
        """A number of 32 bits."""
        if -REACH <= value <= REACH:
            return self.put(LI, value)
        high = value + 0x800 >> 12
        low = value - (high << 12)
        upper = self.put(LUI, high & 0xFFFFF)
        return self.put(ADDI, upper, low) if low else upper

    def moved(self, pointer: V, distance: int) -> V:
        """A pointer moved by a number of bytes; its old value is not used again."""
        return self._sum(pointer, distance, ACCUMULATE) if distance else pointer

    def address(self, pointer: V, distance: int) -> V:
        """The address at a distance in bytes from a pointer, which keeps its value."""
        return self._sum(pointer, distance, ADD) if distance else self.copy(pointer)

    def _sum(self, pointer: V, distance: int, add: Instruction) -> V:
        if abs(distance) <= REACH:
            return self.put(ADDI, pointer, distance)
        if abs(distance) <= 2 * REACH:
            near = REACH if distance > 0 else -REACH
            return self.put(ADDI, self.put(ADDI, pointer, near), distance - near)
        return self.put(add, pointer, self.constant(distance))

    def counted(self, count: int, carried: Sequence[V], body: Body[V]) -> Sequence[V]:
        """A loop that a register counts."""
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
