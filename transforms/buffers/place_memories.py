"""`place-memories`: chooses a memory for each buffer, each frequently read constant and the stack, and packs an arena
in each memory (L2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.functions import DATA, defined_functions
from tinyml.dialects.locations import error_at
from tinyml.dialects.scratch import ArenaOp, ConstantOp, ViewOp, bytes_of
from tinyml.targets.memories.requested import STACK, Requested, requested
from tinyml.targets.memories.rows import Memory
from tinyml.targets.registry import DEFAULT_TARGET, board, chip_of
from tinyml.transforms.buffers.liveness.live_ranges import erase_dead_buffers
from tinyml.transforms.buffers.memories.choice import Choice, Item, Problem
from tinyml.transforms.buffers.memories.exhaustive import check_choice
from tinyml.transforms.buffers.memories.records import Placed, Record, digest_of
from tinyml.transforms.buffers.memories.search import NODES, choose
from tinyml.transforms.buffers.pack_scratch import Problem as Packing
from tinyml.transforms.buffers.pack_scratch import place_buffers, problem_of
from tinyml.transforms.buffers.packing import Effort, Placement, Rectangle, find_peak, lower_bound, pack
from tinyml.transforms.buffers.packing.bound_checks import Verdict
from tinyml.transforms.buffers.packing.effort import COVER_STEPS, STEPS, OutOfTime
from tinyml.transforms.buffers.packing.modes import PACKERS
from tinyml.transforms.buffers.packing.rectangles import JUDGES, NO_JUDGE, OTHER_JUDGE
from tinyml.transforms.ir.cost.memory_accesses import Accesses, accesses_of
from tinyml.transforms.ir.levels import BUFFERS
from tinyml.transforms.ir.pipeline_names import BUFFERS_TO_LOOPS, LOOPS_TO_BITS, LoweringPasses, registered_pass

JUDGE = "exhaustive"
"""The judge of small problems, by its name in the record."""


@dataclass(frozen=True)
class PlaceMemoriesPass(ModulePass):
    """Place the buffers of a function in the memories that `memory` lists, so that the wait cycles are minimal.

    The wait cycles of an array are its loads and stores, counted in the loops of the lowered program, times the wait
    states of its memory. Constants move to a memory if this saves cycles; they are copied before the first inference.
    The arenas of the memories follow one another in one `scratch.arena`, which `spread-memories` splits.

    memory: as for `--memory`.
    packer, align: as for `pack-scratch`.
    nodes: the limit on the nodes of the search. If it is reached, the wait cycles may not be minimal.
    judge: `none` to skip the check of small problems by exhaustive search.
    target: as for `select-kernels`.
    packed, load_weights, weights_at, instances, pack_buffers: options of later passes, which determine the loops that
        are counted.

    Raises `InputError` for memories that are too small, for a program without buffers or with several functions, and
    for options and boards for which memories cannot be chosen.
    """

    name = "place-memories"
    takes = BUFFERS
    memory: str
    target: str = DEFAULT_TARGET
    packer: str = "auto"
    align: int = 1
    nodes: int = NODES
    judge: str = OTHER_JUDGE
    packed: str | None = None
    load_weights: bool = False
    weights_at: str | None = None
    instances: bool = False
    pack_buffers: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self._check()
        functions = defined_functions(op)
        if len(functions) != 1:
            raise InputError(f"expected one function with a body, got {len(functions)}")
        [function] = functions
        given = requested(self.memory, board(self.target))
        erase_dead_buffers(function)
        problem = problem_of(function, self.align)
        if not problem.rectangles:
            raise error_at(function, "--memory: the program has no buffers")
        placing = _Placing(given, problem, self._counted(op))
        try:
            choice = choose(placing.problem, self._packed, self.nodes)
        except OutOfTime:
            found = f"found no place for all buffers in {10 * self.nodes} nodes"
            raise error_at(function, f"--memory: {found}: state larger memories") from None
        if choice is None:
            raise _too_little(function, problem, given)
        self._place(function, placing, choice)

    def _check(self) -> None:
        if self.judge not in (judges := [NO_JUDGE, OTHER_JUDGE, *JUDGES]):
            raise unknown("judge", self.judge, judges)
        if self.nodes < 1:
            raise InputError(f"nodes must be positive, got {self.nodes}")
        PACKERS.get(self.packer)
        chip = chip_of(self.target)
        if chip.flash_attribute is not None or board(self.target).fabric is not None:
            raise InputError(f"--memory: programs of {self.target} have one memory for buffers")
        if self.instances:
            raise InputError("--memory: an instance lies where its caller declares it: leave out --instances")
        if self.pack_buffers:
            raise InputError("--memory: packed buffers are unpacked across one arena: leave out --pack-buffers")

    def _packed(self, rectangles: Sequence[Rectangle], room: int) -> Placement:
        effort = Effort(None, STEPS // 10, capacity=room, cover=COVER_STEPS)
        return pack(rectangles, self.packer, effort)

    def _counted(self, module: ModuleOp) -> _Counted:
        """Lower a copy of the program, and return the loads and stores in it. In the copy, buffers share bytes only
        where ops require it, so that each offset identifies one buffer.
        """
        copy = module.clone()
        registered_pass("pack-scratch", packer="none", align=self.align).apply(None, copy)
        offsets = [op.offset.value.data for op in copy.walk() if isinstance(op, ViewOp)]
        given: dict[str, Any] = {"target": self.target, "load_weights": self.load_weights}
        given |= {"packed": self.packed} if self.packed is not None else {}
        given |= {"weights_at": self.weights_at} if self.weights_at is not None else {}
        LoweringPasses((BUFFERS_TO_LOOPS, LOOPS_TO_BITS), **given).apply(copy)
        return _Counted.of(defined_functions(copy)[0], offsets)

    def _checked(self, problem: Problem, choice: Choice) -> str:
        if self.judge == NO_JUDGE:
            return ""
        verdict = check_choice(problem, choice)
        assert verdict is not Verdict.REFUTED, f"{JUDGE} search found a choice below the bound of {choice.bound} cycles"
        return JUDGE if verdict is Verdict.AGREED else ""

    def _place(self, function: func.FuncOp, placing: _Placing, choice: Choice) -> None:
        packing, memories = placing.packing, placing.given.memories
        alignment = lcm(*(shape.alignment for shape in packing.rectangles))
        offsets, end = [0] * len(packing.rectangles), 0
        placed: list[Placed] = []
        for number, (memory, placement) in enumerate(zip(memories, choice.placements, strict=False)):
            end += -end % alignment
            held = placing.problem.buffers_in(number, choice.memories)
            for rectangle, offset in zip(held, placement.offsets, strict=True):
                offsets[rectangle] = end + offset
            placed.append(placing.placed(number, choice, memory, end, placement.height))
            end += placement.height
        height = max(offset + shape.size for offset, shape in zip(offsets, packing.rectangles, strict=True))
        whole = Placement(tuple(offsets), height, lower_bound(packing.rectangles))
        place_buffers(function, packing.live, packing.groups, whole, alignment)
        [arena] = [op for op in function.walk() if isinstance(op, ArenaOp)]
        checked = self._checked(placing.problem, choice)
        arena.memories = Record(placed, choice.cost, choice.bound, choice.proof, checked).attribute


@dataclass(frozen=True)
class _Constant:
    """A constant array of the lowered program. `accesses` includes the accesses to other arrays with equal elements."""

    name: str
    size: int
    digest: str
    accesses: Accesses


@dataclass(frozen=True)
class _Counted:
    """The accesses of a lowered program.

    buffers: the accesses to each buffer, by its offset.
    offsets: the offsets of all views, in program order.
    constants: the constant arrays with their accesses.
    local: the accesses to local arrays.
    """

    buffers: dict[int, Accesses]
    offsets: Sequence[int]
    constants: Sequence[_Constant]
    local: Accesses

    @classmethod
    def of(cls, function: func.FuncOp, offsets: Sequence[int]) -> _Counted:
        buffers, local = dict[int, Accesses](), Accesses()
        constants: dict[str, _Constant] = {}
        for array, counted in accesses_of(function).items():
            match array.owner:
                case ViewOp() as view:
                    offset = view.offset.value.data
                    buffers[offset] = buffers.get(offset, Accesses()).plus(counted)
                case memref.AllocaOp():
                    local = local.plus(counted)
                case ConstantOp() as constant if not constant.loaded and DATA not in constant.attributes:
                    digest = digest_of(constant.value)
                    known = constants.get(digest)
                    total = counted if known is None else counted.plus(known.accesses)
                    name = array.name_hint or f"constant {len(constants)}"
                    constants[digest] = _Constant(name, bytes_of(array), digest, total)
                case _:
                    pass
        return cls(buffers, offsets, [*constants.values()], local)


class _Placing:
    """The problem of choosing memories for a program: its buffers, its constants that can be read faster from some
    memory than from flash, and the stack.
    """

    def __init__(self, given: Requested, packing: Packing, counted: _Counted) -> None:
        self.given, self.packing = given, packing
        memories = given.memories
        order = list(packing.live.ranges)
        items: list[Item] = []
        for number, (members, shape) in enumerate(zip(packing.groups, packing.rectangles, strict=True)):
            offset = counted.offsets[order.index(members[0])]
            accesses = counted.buffers.get(offset, Accesses())
            costs = tuple(map(lambda memory, a=accesses: wait_cycles(memory, a), memories))
            items.append(Item(shape.name, shape.size, (*costs, None), number))
        self.hot = [each for each in counted.constants if _is_hot(given, each)]
        for each in self.hot:
            costs = tuple(wait_cycles(memory, each.accesses) for memory in (*memories, given.flash))
            items.append(Item(each.name, each.size, costs))
        if given.stack:
            costs = tuple(wait_cycles(memory, counted.local) for memory in memories)
            items.append(Item(STACK, given.stack, (*costs, None)))
        capacities = [*(memory.size for memory in memories), None]
        self.problem = Problem(items, packing.rectangles, capacities)

    def placed(self, number: int, choice: Choice, memory: Memory, offset: int, height: int) -> Placed:
        """The record of a memory and its content.

        number: the index of the memory.
        offset, height: the start and the size, in bytes, of the arena's part in the memory.
        """
        first = len(self.packing.rectangles)
        at = choice.memories[first : first + len(self.hot)]
        hot = {each.digest: each.size for each, chosen in zip(self.hot, at, strict=True) if chosen == number}
        stack = self.given.stack if choice.memories[-1] == number else 0
        waits = memory.read or 0, memory.write or 0
        return Placed(memory.name, memory.macro, memory.own_section, memory.size, *waits, offset, height, stack, hot)


def wait_cycles(memory: Memory, accesses: Accesses) -> int:
    return (memory.read or 0) * accesses.reads + (memory.write or 0) * accesses.writes


def _is_hot(given: Requested, constant: _Constant) -> bool:
    costs = [wait_cycles(memory, constant.accesses) for memory in (*given.memories, given.flash)]
    return min(costs) < costs[-1]


def _too_little(function: func.FuncOp, problem: Packing, given: Requested) -> InputError:
    there = ", ".join(f"{memory.name} {memory.size}" for memory in given.memories)
    largest = max(problem.rectangles, key=lambda shape: shape.size, default=None)
    peak = find_peak(problem.rectangles)
    stack = f" and the stack {given.stack}" if given.stack else ""
    need = f"buffers need {peak.bytes} bytes{stack}"
    if largest is not None:
        need += f", the largest ({largest.name}) {largest.size} in one memory"
    return error_at(function, f"--memory: {need}; the memories have {there}")
