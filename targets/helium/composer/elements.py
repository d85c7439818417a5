"""Loops over elements: four iterations at a time, in lanes of 32 bits.

Vector registers are assigned in one pass over the steps, each freed at the last use of its value. A constant is in a
core register where an instruction takes one as its second operand, otherwise in a vector. The last iterations, if they
are fewer than four, run by themselves, with loads and stores under a predicate. The innermost loop is a low-overhead
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tinyml.dialects.layouts.element_loops import CONDITIONS, Constant, ElementLoop, Operand, Step
from tinyml.targets.composer.instructions import Code, Line, Repeated, joined
from tinyml.targets.composer.tile_code import RepeatedCode
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SAVED, moved
from tinyml.targets.helium.composer.requantise import LANES
from tinyml.targets.helium.mve import (
    REACH,
    RESTORE_VECTORS,
    SAVE_VECTORS,
    access,
    integer,
    low_overhead,
    multiply,
    number_in,
    predicate,
    scalar,
)

_RUNS = ("r0", "r1", "r2", "r3")
"""Pointers to the runs, the arguments of the function."""

_COUNTERS = ("r4", "r5", "r6")
"""Counters of loops around others."""

_CONSTANTS, _SCRATCH = ("r7", "r8", "r9", "r10", "r11"), "r12"
_VECTORS = tuple(f"q{index}" for index in range(8))
_PRESERVED = 4
"""The first vector that calls preserve."""

_VECTOR_CONSTANTS = ("q3", "q2", "q7", "q6", "q5")

_LOADS = {8: "vldrb{}.s32", 16: "vldrh{}.s32", 32: "vldrw{}.u32"}
_STORES = {8: "vstrb{}.32", 16: "vstrh{}.32", 32: "vstrw{}.32"}

_BY_SCALAR = {"add": integer, "sub": integer, "mul": multiply}
"""The units of instructions whose second operand may be a core register."""

_BY_VECTOR = {"min": "vmin.s32", "max": "vmax.s32", "and": "vand"}
_CONDITIONS = {"at_least": "ge", "greater": "gt"}


class _Unassigned(Exception):
    """More values at a time than there are registers."""


@dataclass(frozen=True)
class Elements(RepeatedCode):
    """The code for a loop."""

    loop: ElementLoop

    @cached_property
    def fits(self) -> bool:
        """True if runs, counters and values have registers."""
        depth = max(len(self.loop.around(number)) for number in range(len(self.loop.steps)))
        if len(self.loop.widths) > len(_RUNS) or depth > len(_COUNTERS):
            return False
        try:
            return len(self.code.lines) > 0
        except _Unassigned:
            return False

    def function(self) -> Repeated:
        body, (whole, rest) = _Body(self.loop), divmod(self.loop.count, LANES)
        code = body.counted(body.group(LANES), whole, 0) if whole else Repeated.once(())
        if rest:
            code = code.followed_by(body.group(rest))
        saved, restored = ([SAVE_VECTORS], [RESTORE_VECTORS]) if body.saves_vectors else ([], [])
        registers = [register for register in SAVED if register in body.core]
        begin = Repeated.once(joined(t.push((*registers, "lr")), saved, body.loaded_constants))
        return begin.followed_by(code).then(joined(restored, t.pop((*registers, "pc"))))


class _Body:
    """The code of groups of iterations, and the registers that hold constants in all of them."""

    def __init__(self, loop: ElementLoop):
        self.loop, self.steps = loop, loop.steps
        self.pointers = _RUNS[: len(loop.widths)]
        self.depth = max(len(loop.around(number)) for number in range(len(loop.steps)))
        self.in_core, self.in_vectors = dict[int, str](), dict[int, str]()
        free = [*_CONSTANTS, *_COUNTERS[self.depth :], *_RUNS[len(self.pointers) :]]
        for step in self.steps:
            for value in _scalars(step):
                if value not in self.in_core and free:
                    self.in_core[value] = free.pop(0)
            for value in _vector_constants(step):
                if value not in self.in_vectors:
                    if len(self.in_vectors) == len(_VECTOR_CONSTANTS):
                        raise _Unassigned
                    self.in_vectors[value] = _VECTOR_CONSTANTS[len(self.in_vectors)]
        self.temporaries = [vector for vector in _VECTORS if vector not in self.in_vectors.values()]
        self.taken = set(self.in_vectors.values())
        self.compares = any(step.name in CONDITIONS for step in self.steps)
        self.uses = [self._uses(number) for number in range(len(self.steps))]
        self.last = [
            max(map(self._lasting, [number, *uses], [number] * (1 + len(uses))))
            for number, uses in enumerate(self.uses)
        ]

    def _uses(self, number: int) -> list[int]:
        """The steps that read a value; a comparison is made where it is used."""
        found: list[int] = []
        for user, step in enumerate(self.steps):
            if number in step.operands:
                found += self._uses(user) if step.name in CONDITIONS else [user]
        return found

    def _lasting(self, use: int, made: int) -> int:
        """The step up to which a value lives for a use: the end of the outermost loop that it is not made in."""
        ends = [self.loop.loops[first] for first in self.loop.around(use) if first > made]
        return ends[0] if ends else use

    @property
    def core(self) -> set[str]:
        """The core registers that counters and constants take."""
        return {*self.in_core.values(), *_COUNTERS[: self.depth]}

    @property
    def saves_vectors(self) -> bool:
        return any(vector in self.taken for vector in _VECTORS[_PRESERVED:])

    @property
    def loaded_constants(self) -> Code:
        """Load the constants."""
        core = [number_in(register, value) for value, register in self.in_core.items()]
        vectors = [
            joined(number_in(_SCRATCH, value), integer("vdup.32", vector, _SCRATCH))
            for value, vector in self.in_vectors.items()
        ]
        return joined(*core, *vectors)

    def counted(self, code: Repeated, count: int, depth: int) -> Repeated:
        """A loop inside of `depth` others."""
        label = 1 + depth
        if not any(line.text.endswith(":") for line in code.lines):
            return low_overhead(code, count, label)
        counter = _COUNTERS[depth]
        return code.looped(number_in(counter, count), (t.subs(counter, 1), t.bne(back=label)), count, label)

    def group(self, lanes: int) -> Repeated:
        """Iterations that run at a time."""
        return _Group(self, lanes).code()


def _scalars(step: Step) -> Sequence[int]:
    """The numbers that a step takes in core registers."""
    if step.name == "requantise":
        return step.numbers[:1]
    if step.name in _BY_SCALAR or step.name in CONDITIONS:
        first, second = step.operands
        if isinstance(second, Constant):
            return [second.value]
        return [first.value] if isinstance(first, Constant) and step.name in ("add", "mul") else []
    return []


def _vector_constants(step: Step) -> Sequence[int]:
    """The numbers that a step takes in vectors."""
    constants = [one.value for one in step.operands if isinstance(one, Constant)]
    if step.name == "sub" and constants == [0]:
        return []
    return [] if _scalars(step) and step.name != "requantise" else constants


class _Group:
    """Iterations that run at a time, in the lanes of vectors."""

    def __init__(self, body: _Body, lanes: int):
        self.body, self.loop, self.steps, self.lanes = body, body.loop, body.loop.steps, lanes
        self.free, self.registers = list(body.temporaries), dict[int, str]()
        # The bytes from the element of the group's first iteration, as the loops around stand, to where each pointer
        # is, and to where it has to be at the end of the iteration of the innermost of these loops.
        self.ahead = [0] * len(body.pointers)
        self.goals = [LANES * width // 8 if lanes == LANES else 0 for width in body.loop.widths]
        self.targets = self._targets()

    def _targets(self) -> dict[int, int]:
        """The carried value that a step may replace where it is computed, since it is not read any more."""
        found: dict[int, int] = {}
        for number, step in enumerate(self.steps):
            if step.name == "next":
                carry, value = step.operands
                assert isinstance(carry, int)
                here = self.loop.around(number)
                inside = [use for use in self.body.uses[carry] if self.loop.around(use)[: len(here)] == here]
                if (
                    isinstance(value, int)
                    and self.body.uses[value] == [number]
                    and max([u for u in inside if u != number], default=0) <= value
                ):
                    found[value] = carry
        return found

    def code(self) -> Repeated:
        begin = () if self.lanes == LANES or self.body.compares else predicate(self.lanes, 32, _SCRATCH)
        return Repeated.once(begin).followed_by(self._steps(0, len(self.steps), 0))

    def _steps(self, first: int, end: int, depth: int) -> Repeated:
        """The steps from one to another, in `depth` loops."""
        code, number = Repeated.once(()), first
        while number < end:
            if self.steps[number].name == "loop":
                last = self.loop.loops[number]
                code = code.followed_by(self._inner(number, last, depth))
                self._release(last)
                number = last + 1
                continue
            code = code.then(self._step(number, end))
            number += 1
        return code

    def _inner(self, first: int, last: int, depth: int) -> Repeated:
        before, outer, [count] = list(self.ahead), self.goals, self.steps[first].numbers
        strides = [self._stride(run, first) for run in range(len(before))]
        self.goals = [ahead + stride for ahead, stride in zip(before, strides, strict=True)]
        body = self._steps(first + 1, last, depth + 1)
        behind = zip(self.body.pointers, self.goals, self.ahead, strict=True)
        body = body.then(joined(*(moved(pointer, goal - ahead) for pointer, goal, ahead in behind)))
        self.ahead = [ahead + count * stride for ahead, stride in zip(before, strides, strict=True)]
        self.goals = outer
        return self.body.counted(body, count, depth + 1)

    def _stride(self, run: int, loop: int) -> int:
        """The bytes by which the elements of a run advance in each iteration of a loop."""
        strides = {
            step.numbers[2 + self.loop.around(number).index(loop)]
            for number, step in enumerate(self.steps)
            if step.name == "load" and step.numbers[0] == run and loop in self.loop.around(number)
        }
        if len(strides) > 1:
            raise _Unassigned
        return self._bytes(run) * next(iter(strides), 0)

    def _bytes(self, run: int) -> int:
        return self.loop.widths[run] // 8

    def _take(self, number: int | None = None) -> str:
        """A register for the value of a step, or for none."""
        if number in self.targets:
            return self.registers[self.targets[number]]
        if not self.free:
            raise _Unassigned
        register = self.free.pop(0)
        self.body.taken.add(register)
        return register

    def _release(self, number: int) -> None:
        """Free the registers of values that no later step reads."""
        for value, register in list(self.registers.items()):
            if self.body.last[value] <= number:
                del self.registers[value]
                if register not in self.registers.values() and register not in self.free:
                    self.free.insert(0, register)

    def _vector(self, operand: Operand) -> str:
        if isinstance(operand, Constant):
            return self.body.in_vectors[operand.value]
        return self.registers[operand]

    def _core(self, value: int) -> tuple[Code, str]:
        """A register with a number, and what loads it."""
        register = self.body.in_core.get(value)
        return ((), register) if register is not None else (number_in(_SCRATCH, value), _SCRATCH)

    def _step(self, number: int, end: int) -> Code:
        step = self.steps[number]
        if step.name in CONDITIONS:
            return ()
        if step.name == "store":
            return self._store(step)
        sources = [self._vector(one) for one in step.operands if isinstance(one, int) and not self._is_condition(one)]
        compared = self._compared(step)
        if step.name == "next":
            old, new = map(self._vector, step.operands)
            self._release(number)
            return () if old == new else (integer("vmov", old, new),)
        self._release(number)
        to = self._take(number)
        code = joined(compared, self._computed(number, step, to, sources, end))
        self.registers[number] = to
        self._release(number)
        return code

    def _is_condition(self, operand: Operand) -> bool:
        return isinstance(operand, int) and self.steps[operand].name in CONDITIONS

    def _compared(self, step: Step) -> Code:
        if step.name != "select":
            return ()
        condition = step.operands[0]
        assert isinstance(condition, int)
        name, (a, b) = self.steps[condition].name, self.steps[condition].operands
        load, second = self._core(b.value) if isinstance(b, Constant) else ((), self._vector(b))
        return joined(load, integer("vcmp.s32", _CONDITIONS[name], self._vector(a), second))

    def _computed(self, number: int, step: Step, to: str, sources: Sequence[str], end: int) -> Code:
        match step.name:
            case "load":
                return self._load(number, step, to, end)
            case "left":
                return (integer("vshl.i32", to, sources[0], step.numbers[0]),)
            case "right":
                return (integer("vshr.s32", to, sources[0], step.numbers[0]),)
            case "requantise":
                return self._requantised(number, step, to, sources[0])
            case "carry":
                return self._copied(step.operands[0], to, sources)
            case "select":
                a, b = (self._vector(one) if isinstance(one, Constant) else None for one in step.operands[1:])
                rest = iter(sources)
                return (integer("vpsel", to, a or next(rest), b or next(rest)),)
            case _:
                return self._binary(step, to, sources)

    def _copied(self, operand: Operand, to: str, sources: Sequence[str]) -> Code:
        if isinstance(operand, Constant):
            return (integer("vmov", to, self._vector(operand)),)
        return () if sources[0] == to else (integer("vmov", to, sources[0]),)

    def _binary(self, step: Step, to: str, sources: Sequence[str]) -> Code:
        if scalars := _scalars(step):
            load, register = self._core(scalars[0])
            return joined(load, _BY_SCALAR[step.name](f"v{step.name}.i32", to, sources[0], register))
        first, second = step.operands
        if step.name == "sub" and first == Constant(0):
            return (integer("vneg.s32", to, sources[0]),)
        rest = iter(sources)
        a, b = (self._vector(one) if isinstance(one, Constant) else next(rest) for one in (first, second))
        if step.name in _BY_VECTOR:
            return (integer(_BY_VECTOR[step.name], to, a, b),)
        return (_BY_SCALAR[step.name](f"v{step.name}.i32", to, a, b),)

    def _requantised(self, number: int, step: Step, to: str, source: str) -> Code:
        """TensorFlow Lite's two roundings, as in `requantised`, by a constant shift and without a needless repair."""
        [operand], (multiplier, shift) = step.operands, step.numbers
        assert isinstance(operand, int)
        low, high = self.loop.intervals[operand]
        load, factor = self._core(multiplier)
        lines: list[Line] = [*load]
        if shift > 0:
            if not (low << shift >= -(1 << 31) and high << shift < 1 << 31):
                # Plain code saturates here.
                raise _Unassigned
            lines.append(integer("vshl.i32", to, source, shift))
            source = to
        lines.append(multiply("vqrdmulh.s32", to, source, factor))
        if shift < 0:
            if low < 0 and not self._is_clamped_from_zero(number):
                spare = self._take()
                lines += [integer("vshr.s32", spare, to, 31), integer("vadd.i32", to, to, spare)]
                self.free.insert(0, spare)
            lines.append(integer("vrshr.s32", to, to, -shift))
        return tuple(lines)

    def _is_clamped_from_zero(self, number: int) -> bool:
        """True if negative values, whose halves alone round otherwise, are not told apart afterwards."""
        [*uses] = self.body.uses[number]
        steps = [self.steps[use] for use in uses]
        return all(
            step.name == "max" and any(isinstance(one, Constant) and one.value >= 0 for one in step.operands)
            for step in steps
        )

    def _load(self, number: int, step: Step, to: str, end: int) -> Code:
        """Load a vector, and advance the pointer if no other load of the run follows in the same iteration."""
        run, offset, *_ = step.numbers
        pointer, size = self.body.pointers[run], self._bytes(run)
        place, reach, code = offset * size, REACH * size, ()
        if abs(place - self.ahead[run]) > reach:
            code = moved(pointer, place - self.ahead[run])
            self.ahead[run] = place
        ahead, distance = 0, place - self.ahead[run]
        is_last = all(each.name != "load" or each.numbers[0] != run for each in self.steps[number + 1 : end])
        if is_last and distance == 0 and abs(self.goals[run] - place) <= reach:
            ahead, self.ahead[run] = self.goals[run] - place, self.goals[run]
        masked, suffix = self._mask()
        name = _LOADS[self.loop.widths[run]].format(suffix)
        return joined(code, masked, access(name, to, pointer, ahead, distance))

    def _mask(self) -> tuple[Code, str]:
        """What predicates the next access, and the suffix of its name."""
        if self.lanes == LANES:
            return (), ""
        # A comparison replaces the predicate.
        again = predicate(self.lanes, 32, _SCRATCH) if self.body.compares else ()
        return joined(again, scalar("vpst")), "t"

    def _store(self, step: Step) -> Code:
        """Store a vector, and advance the pointers to the elements of the next group."""
        *_, pointer = self.body.pointers
        *_, width = self.loop.widths
        masked, suffix = self._mask()
        name, vector = _STORES[width].format(suffix), self._vector(step.operands[0])
        store = access(name, vector, pointer, self.goals[-1])
        goals = zip(self.body.pointers[:-1], self.goals, self.ahead, strict=False)
        return joined(masked, store, *(moved(each, goal - ahead) for each, goal, ahead in goals if goal))
