"""Register allocation: linear scan over classes of values that share a register.

Unlike xDSL's allocator it keeps a loop-carried variable in one register through all iterations of a bottom-tested loop,
and lets an addition write its result to the register of an operand that dies there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from xdsl.dialects.riscv.registers import IntRegisterType
    from xdsl.ir import Block, Region, SSAValue

SAVED = ("ra", *(f"s{number}" for number in range(12)))
"""The registers that a function has to save before it changes them."""

_ORDER = (
    *(f"a{number}" for number in (3, 4, 5)),
    *("s0", "s1", "a0", "a1", "a2", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "ra"),
    *(f"s{number}" for number in range(2, 12)),
)
"""The allocatable registers, those in most compressed encodings first."""


class OutOfRegistersError(Exception):
    """Raised if there are too few registers, or if two values that must share one are alive together."""


class LiveIntervals:
    """The indices of the instructions at which values are defined and last used.

    The live ranges of all values are intervals on the line of a region's instructions: a value that is defined before a
    loop and used in it lives to the end of the loop.
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


class RegisterClasses:
    """Values by the class with which they share a register; a class is a list in order of definition."""

    def __init__(self, live: LiveIntervals) -> None:
        self._live = live
        self._of = {value: [value] for value in live.first}

    def of(self, value: SSAValue) -> list[SSAValue]:
        return self._of[value]

    def join(self, one: SSAValue, other: SSAValue) -> bool:
        """Join two classes, unless values of them are alive at the same time; true if they are one class."""
        if self._of[one] is self._of[other]:
            return True
        first, last = self._live.first, self._live.last
        values = sorted((*self._of[one], *self._of[other]), key=first.__getitem__)
        if any(last[earlier] > first[later] for earlier, later in pairwise(values)):
            return False
        self._of.update(dict.fromkeys(values, values))
        return True

    def end(self, value: SSAValue) -> int:
        """The last use of a class."""
        return max(map(self._live.last.__getitem__, self._of[value]))


def allocate(region: Region, *, saved: bool) -> None:
    """Assign a register to every value of a region that has none.

    saved: true if the function saves the registers of `SAVED`, so that values may use them. Raises
    `OutOfRegistersError`.
    """
    live = LiveIntervals(region)
    classes = RegisterClasses(live)
    for value, argument in _passed(region):
        if not classes.join(value, argument):
            raise OutOfRegistersError(f"{argument} and a value passed to it are alive at the same time")
    _join_sums(region, classes, live)
    _scan(live, classes, [register for register in _ORDER if saved or register not in SAVED])


def _passed(region: Region) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Yield the values passed to blocks, with the corresponding block arguments."""
    from xdsl.dialects.riscv_cf import BnezOp, BranchOp, ConditionalBranchOperation, JOp

    for block in region.blocks:
        match block.last_op:
            case BranchOp() | JOp() as op:
                yield from zip(op.block_arguments, op.successor.args, strict=True)
            case ConditionalBranchOperation() | BnezOp() as op:
                yield from zip(op.then_arguments, op.then_block.args, strict=True)
                yield from zip(op.else_arguments, op.else_block.args, strict=True)
            case _:
                pass


def _join_sums(region: Region, classes: RegisterClasses, live: LiveIntervals) -> None:
    """Let results of additions take the register of an operand that is not used again."""
    from xdsl.dialects.riscv.ops import AddiOp, AddOp

    for op in region.walk():
        if isinstance(op, AddOp | AddiOp):
            for operand in op.operands:
                if live.last[operand] == live.first[op.rd] and classes.join(operand, op.rd):
                    break


def _scan(live: LiveIntervals, classes: RegisterClasses, usable: Sequence[str]) -> None:
    """Assign registers to classes in order of definition; registers are indices into `usable`."""
    from xdsl.dialects.riscv.registers import IntRegisterType

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
    from xdsl.ir import Operation

    return value.owner.operands if isinstance(value.owner, Operation) else ()


def _name(value: SSAValue) -> str | None:
    """The register of a value; None if it has none yet."""
    register = cast("IntRegisterType", value.type)
    return register.register_name.data if register.is_allocated else None


def _assigned(values: Sequence[SSAValue]) -> str | None:
    """The register that a value of a class had initially; None if there is none."""
    return next((name for name in map(_name, values) if name is not None), None)
