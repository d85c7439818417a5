"""A kernel as IR in xDSL's RISC-V dialects: construction, register allocation, and assembly text.

Values have no registers while ops are appended. Registers are then allocated by linear scan over classes of values that
share a register. This allocator differs from xDSL's in two ways. First, it assigns a single register to a loop-carried
variable in all iterations of a loop whose condition is at its end. Second, the result of an addition may have the
register of an operand that is not used again.

xDSL prints the instructions, with three exceptions: addresses of loads and stores (`lb a6, 4(t0)`), immediates of
`lui`, which are unsigned, and the direction of branches to numeric labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import pairwise
from typing import cast

from xdsl.dialects import riscv_cf, rv32
from xdsl.dialects.builtin import IntAttr
from xdsl.dialects.riscv import ops as riscv
from xdsl.dialects.riscv.abstract_ops import RISCVAsmOperation, assembly_arg_str
from xdsl.dialects.riscv.registers import IntRegisterType, Registers
from xdsl.ir import Block, Operation, Region, SSAValue

from tinyml.targets.composer.instructions import Lines
from tinyml.targets.riscv.assembly import BEQ, BLTU, SAVED, Body, RiscvCode, RiscvInstruction

_ANY = Registers.UNALLOCATED_INT

_BRANCHES = {BEQ: riscv_cf.BeqOp, BLTU: riscv_cf.BltuOp}
_SP = IntRegisterType.from_name("sp")


@cache
def _ops() -> dict[str, Callable[..., Operation]]:
    dialects = riscv.RISCV, riscv_cf.RISCV_Cf, rv32.RV32
    return {op.name: op for dialect in dialects for op in dialect.operations}


class RiscvBuilder(RiscvCode[SSAValue]):
    """The body of a function as IR.

    The arguments of its first block are the stack pointer and the arguments of the function.
    """

    def __init__(self) -> None:
        arguments = [IntRegisterType.from_name(f"a{number}") for number in range(8)]
        self.region = Region([Block(arg_types=[_SP, *arguments])])
        self._block = self.region.blocks[0]
        self._labels = 0
        self.has_frame = False

    def _append(self, op: Operation) -> None:
        self._block.add_op(op)

    def _begin(self, block: Block, *, label: bool) -> None:
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
        branch: RiscvInstruction,
        first: SSAValue,
        second: SSAValue,
        value: SSAValue,
        change: Callable[[SSAValue], SSAValue],
        share: float,
    ) -> SSAValue:
        unequal, after = Block(), Block(arg_types=[_ANY])
        self._append(_BRANCHES[branch](first, second, [value], [], after, unequal))
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


_ORDER = (
    *(f"a{number}" for number in (3, 4, 5)),
    *("s0", "s1", "a0", "a1", "a2", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "ra"),
    *(f"s{number}" for number in range(2, 12)),
)
"""The allocatable registers, those in most compressed encodings first."""


class OutOfRegistersError(Exception):
    """Raised if there are too few registers, or if two values that must have one register are live at the same time."""


class _LiveIntervals:
    """The live interval of each value: the indices of the instructions at which it is defined and last used.

    The instructions of a region are numbered consecutively. A value that is defined before a loop and used in the loop
    is live to the end of the loop.
    """

    def __init__(self, region: Region) -> None:
        self.first: dict[SSAValue, int] = {}
        self.last: dict[SSAValue, int] = {}
        loops: list[tuple[int, int]] = []
        begins: dict[Block, int] = {}
        number = 0
        for block in region.blocks:
            begins[block] = number
            self._define(block.args, number)
            for op in block.ops:
                number += 1
                for operand in op.operands:
                    self.last[operand] = number
                self._define(op.results, number)
            if block.last_op is not None:
                loops += [(begins[to], number) for to in block.last_op.successors if to in begins]
        # Inner loops end before the loops around them.
        for begin, end in loops:
            for value, first in self.first.items():
                if first < begin < self.last[value] < end:
                    self.last[value] = end

    def _define(self, values: Sequence[SSAValue], number: int) -> None:
        for value in values:
            self.first[value] = self.last[value] = number


class _RegisterClasses:
    """The classes of values that share a register. The class of a value is a list of values in order of definition."""

    def __init__(self, live: _LiveIntervals) -> None:
        self._live = live
        self._of = {value: [value] for value in live.first}

    def of(self, value: SSAValue) -> list[SSAValue]:
        return self._of[value]

    def join(self, one: SSAValue, other: SSAValue) -> bool:
        """Join the classes of two values, unless values of both classes are live at the same time.

        Return true if the two values are in one class afterwards.
        """
        if self._of[one] is self._of[other]:
            return True
        first, last = self._live.first, self._live.last
        values = sorted((*self._of[one], *self._of[other]), key=first.__getitem__)
        if any(last[earlier] > first[later] for earlier, later in pairwise(values)):
            return False
        self._of.update(dict.fromkeys(values, values))
        return True

    def end(self, value: SSAValue) -> int:
        return max(map(self._live.last.__getitem__, self._of[value]))


def allocate(region: Region, *, saved: bool) -> None:
    """Assign a register to every value of a region that has no register.

    saved: true if the function saves the registers of `SAVED`, so that values may use them.

    Raises `OutOfRegistersError` if there are too few registers, and if a block argument and a value that a branch
    passes to it are live at the same time.
    """
    live = _LiveIntervals(region)
    classes = _RegisterClasses(live)
    for value, argument in _passed(region):
        if not classes.join(value, argument):
            raise OutOfRegistersError(f"{argument} and a value passed to it are alive at the same time")
    _join_sums(region, classes, live)
    _scan(live, classes, [register for register in _ORDER if saved or register not in SAVED])


def _passed(region: Region) -> Iterator[tuple[SSAValue, SSAValue]]:
    for block in region.blocks:
        match block.last_op:
            case riscv_cf.BranchOp() | riscv_cf.JOp() as op:
                yield from zip(op.block_arguments, op.successor.args, strict=True)
            case riscv_cf.ConditionalBranchOperation() | riscv_cf.BnezOp() as op:
                yield from zip(op.then_arguments, op.then_block.args, strict=True)
                yield from zip(op.else_arguments, op.else_block.args, strict=True)
            case _:
                pass


def _join_sums(region: Region, classes: _RegisterClasses, live: _LiveIntervals) -> None:
    for op in region.walk():
        if isinstance(op, riscv.AddOp | riscv.AddiOp):
            for operand in op.operands:
                if live.last[operand] == live.first[op.rd] and classes.join(operand, op.rd):
                    break


def _scan(live: _LiveIntervals, classes: _RegisterClasses, usable: Sequence[str]) -> None:
    """Assign registers to classes by linear scan, in order of definition. A register is represented by its index in
    `usable`. Raises `OutOfRegistersError` if there are too few registers.
    """
    free, busy = set(range(len(usable))), list[tuple[int, int]]()
    given: dict[int, int] = {}
    for value, first in live.first.items():
        while busy and busy[0][0] <= first:
            free.add(heappop(busy)[1])
        values = classes.of(value)
        assigned = None if id(values) in given else _assigned(values)
        if id(values) in given or (assigned is not None and assigned not in usable):
            continue
        if assigned is None:
            dying = (given.get(id(classes.of(operand))) for operand in _operands(value))
            number = next((number for number in dying if number in free), None)
            number = min(free, default=None) if number is None else number
        else:
            number = usable.index(assigned)
        if number not in free:
            raise OutOfRegistersError(f"no register is left for {value}")
        given[id(values)] = number
        free.remove(number)
        heappush(busy, (classes.end(value), number))
    registers = [IntRegisterType.from_name(name) for name in usable]
    for value in live.first:
        if _name(value) is None:
            value._type = registers[given[id(classes.of(value))]]  # pyright: ignore[reportPrivateUsage]


def _operands(value: SSAValue) -> Sequence[SSAValue]:
    return value.owner.operands if isinstance(value.owner, Operation) else ()


def _name(value: SSAValue) -> str | None:
    index = cast(IntRegisterType, value.type).index
    return IntRegisterType.abi_name_by_index()[index.data] if isinstance(index, IntAttr) else None


def _assigned(values: Sequence[SSAValue]) -> str | None:
    return next((name for name in map(_name, values) if name is not None), None)


def assembly(region: Region) -> Lines:
    """The assembly text of a region whose values have registers."""
    numbers = {block: number for number, block in enumerate(region.blocks)}
    return tuple(line for block in region.blocks for op in block.ops for line in _lines(op, block, numbers))


def _lines(op: Operation, block: Block, numbers: dict[Block, int]) -> Iterator[str]:
    match op:
        case riscv.LbOp() | riscv.LbuOp() | riscv.LhOp() | riscv.LwOp():
            register, pointer, offset = map(assembly_arg_str, op.assembly_line_args())
            yield f"{op.assembly_instruction_name()} {register}, {offset}({pointer})"
        case riscv.SbOp() | riscv.SwOp():
            pointer, register, offset = map(assembly_arg_str, op.assembly_line_args())
            yield f"{op.assembly_instruction_name()} {register}, {offset}({pointer})"
        case riscv.LuiOp():
            register, upper = map(assembly_arg_str, op.assembly_line_args())
            yield f"lui {register}, {int(upper) & 0xFFFFF}"
        case riscv_cf.ConditionalBranchOperation() | riscv_cf.BnezOp() | riscv_cf.JOp():
            *operands, label = map(assembly_arg_str, op.assembly_line_args())
            direction = "b" if numbers[op.successors[0]] <= numbers[block] else "f"
            yield f"{op.assembly_instruction_name()} {', '.join([*operands, label + direction])}"
        case RISCVAsmOperation() if (line := op.assembly_line()) is not None:
            yield line.strip()
        case _:
            pass
