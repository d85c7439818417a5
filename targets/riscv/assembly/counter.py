"""The costs of a kernel, counted without building its IR."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tinyml.targets.riscv.assembly.code import Body, RiscvCode
from tinyml.targets.riscv.assembly.instructions import (
    ADDI,
    BEQ,
    BNE,
    BNEZ,
    LW,
    MV,
    RET,
    SW,
    J,
    RiscvInstruction,
)
from tinyml.targets.riscv.assembly.registers import SAVED


class InstructionCounter(RiscvCode[None]):
    """The number of instructions that a call executes, and an upper bound on the bytes of flash."""

    def __init__(self) -> None:
        self.time = 0.0
        self.bytes = 0

    def put(self, instruction: RiscvInstruction, *operands: int | None) -> None:
        self.time += 1
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
        self, first: None, second: None, value: None, change: Callable[[None], None], share: float
    ) -> None:
        self.put(BEQ)
        before = self.time
        change(value)
        self.time = before + share * (self.time - before)

    def repeated(
        self,
        count: int,
        carried: Sequence[None],
        body: Body[None],
        test: Callable[[Sequence[None]], Sequence[None]],
        *,
        far: bool,
    ) -> Sequence[None]:
        before = self.time
        operands = test(values := body(carried))
        for instruction in (BEQ, J) if far else [BNE if len(operands) == 2 else BNEZ]:
            self.put(instruction)
        # The last iteration leaves by the first of two branches.
        self.time = before + count * (self.time - before) - far
        return values

    def up_to(self, end: None, carried: Sequence[None], body: Body[None]) -> Sequence[None]:
        """Count a single iteration."""
        self.put(BEQ)
        values = body(carried)
        self.put(BNE)
        return values
