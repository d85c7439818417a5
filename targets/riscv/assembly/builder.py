"""A kernel as IR: ops of xDSL's RISC-V dialects on values without registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from xdsl.dialects import riscv_cf, rv32
from xdsl.dialects.riscv import ops as riscv
from xdsl.dialects.riscv.registers import IntRegisterType, Registers
from xdsl.ir import Block, Operation, Region, SSAValue

from tinyml.targets.riscv.assembly.code import Body, RiscvCode
from tinyml.targets.riscv.assembly.instructions import RiscvInstruction
from tinyml.targets.riscv.assembly.registers import SAVED

_ANY = Registers.UNALLOCATED_INT
_SP = IntRegisterType.from_name("sp")


@cache
def _ops() -> dict[str, Callable[..., Operation]]:
    """The ops of the dialects by their names."""
    dialects = riscv.RISCV, riscv_cf.RISCV_Cf, rv32.RV32
    return {op.name: op for dialect in dialects for op in dialect.operations}


class RiscvBuilder(RiscvCode[SSAValue]):
    """The body of a function, whose first block has the stack pointer and the arguments."""

    def __init__(self) -> None:
        arguments = [IntRegisterType.from_name(f"a{number}") for number in range(8)]
        self.region = Region([Block(arg_types=[_SP, *arguments])])
        self._block = self.region.blocks[0]
        self._labels = 0
        self.has_frame = False

    def _append(self, op: Operation) -> None:
        self._block.add_op(op)

    def _begin(self, block: Block, *, label: bool) -> None:
        """Continue in another block. label: true if branches lead to it."""
        self.region.add_block(block)
        self._block = block
        if label:
            self._labels += 1
            self._append(riscv.LabelOp(str(self._labels)))

    def put(self, instruction: RiscvInstruction, *operands: SSAValue | int) -> SSAValue:
        op = _ops()[instruction.op](*operands)
        self._append(op)
        return op.results[0]

    def store(self, instruction: RiscvInstruction, pointer: SSAValue, value: SSAValue, offset: int) -> None:
        self._append(_ops()[instruction.op](pointer, value, offset))

    def arguments(self, count: int) -> Sequence[SSAValue]:
        return self.region.blocks[0].args[1 : 1 + count]

    def enter(self, frame: int) -> SSAValue:
        sp = riscv.AddiOp(self.region.blocks[0].args[0], -frame, rd=_SP)
        self._append(sp)
        for number, name in enumerate(SAVED, 1):
            register = rv32.GetRegisterOp(IntRegisterType.from_name(name))
            self._append(register)
            self.store_word(sp.rd, register.res, frame - 4 * number)
        self._sp, self.has_frame = sp.rd, True
        return sp.rd

    def leave(self, frame: int) -> None:
        for number, name in enumerate(SAVED, 1):
            self._append(riscv.LwOp(self._sp, frame - 4 * number, rd=IntRegisterType.from_name(name)))
        self._append(riscv.AddiOp(self._sp, frame, rd=_SP))
        self._append(riscv.ReturnOp())

    def give(self, results: Sequence[SSAValue]) -> None:
        for number, value in enumerate(results):
            self._append(riscv.MVOp(value, rd=IntRegisterType.from_name(f"a{number}")))
        self._append(riscv.ReturnOp())

    def changed_unless(
        self,
        first: SSAValue,
        second: SSAValue,
        value: SSAValue,
        change: Callable[[SSAValue], SSAValue],
        share: float,
    ) -> SSAValue:
        unequal, after = Block(), Block(arg_types=[_ANY])
        self._append(riscv_cf.BeqOp(first, second, [value], [], after, unequal))
        self._begin(unequal, label=False)
        self._append(riscv_cf.BranchOp([change(value)], after))
        self._begin(after, label=True)
        return after.args[0]

    def repeated(
        self,
        count: int,
        carried: Sequence[SSAValue],
        body: Body[SSAValue],
        test: Callable[[Sequence[SSAValue]], Sequence[SSAValue]],
        *,
        far: bool,
    ) -> Sequence[SSAValue]:
        loop, after = Block(arg_types=[_ANY] * len(carried)), Block()
        self._append(riscv_cf.BranchOp(carried, loop))
        self._begin(loop, label=True)
        following = body(loop.args)
        operands = test(following)
        if len(operands) == 1:
            self._append(riscv_cf.BnezOp(operands[0], following, [], loop, after))
        elif far:
            back = Block()
            self._append(riscv_cf.BeqOp(operands[0], operands[1], [], [], after, back))
            self._begin(back, label=False)
            self._append(riscv_cf.JOp(following, loop))
        else:
            self._append(riscv_cf.BneOp(operands[0], operands[1], following, [], loop, after))
        self._begin(after, label=far)
        return following

    def up_to(self, end: SSAValue, carried: Sequence[SSAValue], body: Body[SSAValue]) -> Sequence[SSAValue]:
        types = [_ANY] * len(carried)
        loop, after = Block(arg_types=types), Block(arg_types=types)
        self._append(riscv_cf.BeqOp(carried[0], end, carried, carried, after, loop))
        self._begin(loop, label=True)
        following = body(loop.args)
        self._append(riscv_cf.BneOp(following[0], end, following, following, loop, after))
        self._begin(after, label=True)
        return after.args
