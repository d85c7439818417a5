"""Loops over elements: four iterations at a time, in lanes of 32 bits.

Vector registers are assigned in one pass over the steps, each freed at the last use of its value. A constant is in a
core register where an instruction takes one as its second operand, otherwise in a vector. The last iterations, if they
are fewer than four, run by themselves, with loads and stores under a predicate. The innermost loop is a low-overhead
one.

Sums of products over a row are sums of whole vectors in core registers, which then move to the lanes of their
iterations. The vector that all rows meet stays in registers where there are enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from tinyml.dialects.layouts.element_loops import CONDITIONS, REGISTER, SUMS, Constant, ElementLoop, Operand, Step
from tinyml.targets.composer.instructions import Code, Line, Repeated, joined, stack_of
from tinyml.targets.composer.tile_code import RepeatedCode
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SAVED, moved
from tinyml.targets.cortex_m.thumb import slot
from tinyml.targets.helium.composer.requantise import LANES
from tinyml.targets.helium.mve import (
    REACH,
    RESTORE_VECTORS,
    SAVE_VECTORS,
    VECTOR,
    access,
    gathered_lanes,
    integer,
    low_overhead,
    multiply,
    number_in,
    predicate,
    scalar,
)

_ARGUMENTS = ("r0", "r1", "r2", "r3")
"""Pointers to the first runs, the arguments of the function; those to others are on the stack."""

_COUNTERS = ("r4", "r5", "r6")
"""Counters of loops around others."""

_FREE, _SCRATCH = ("r7", "r8", "r9", "r10", "r11"), "r12"
_LOW = ("r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7")
"""Registers with the addresses of accesses that widen or narrow elements."""

_SUM = "r10"
"""The register of a sum of products, beside `_SCRATCH`; both are even."""

_VECTORS = tuple(f"q{index}" for index in range(8))
_PRESERVED = 4
"""The first vector that calls preserve."""

_KEPT = ("q3", "q2", "q7", "q6", "q5", "q4")
"""Vectors for constants and for the vectors that rows meet."""

_MOST_VECTORS = 8
"""The most vectors of a row, each of which is loaded by an instruction of its own."""


_SIZES = {8: "b", 16: "h", 32: "w"}
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
        sums = [step for step in self.loop.steps if step.name in SUMS]
        if depth > len(_COUNTERS) or any(_lane_bits(self.loop, step) > REGISTER for step in sums):
            return False
        try:
            return len(self.code.lines) > 0
        except _Unassigned:
            return False

    def function(self) -> Repeated:
        """The function with as many vectors and constants in registers in all iterations as leave enough for values."""
        for kept in range(len(_KEPT), 0, -1):
            with suppress(_Unassigned):
                return self._with(_Body(self.loop, kept))
        return self._with(_Body(self.loop, 0))

    def _with(self, body: _Body) -> Repeated:
        whole, rest = divmod(self.loop.count, LANES)
        code = body.counted(body.group(LANES), whole, 0) if whole else Repeated.once(())
        if rest:
            code = code.followed_by(body.group(rest))
        saved, restored = ([SAVE_VECTORS], [RESTORE_VECTORS]) if body.saves_vectors else ([], [])
        registers = [register for register in SAVED if register in body.core]
        begin = joined(t.push((*registers, "lr")), saved)
        entered = Repeated.once(joined(begin, body.loaded(stack_of(begin))))
        return entered.followed_by(code).then(joined(restored, t.pop((*registers, "pc"))))


class _Body:
    """The code of groups of iterations, and the registers that hold the same in all of them.

    kept: the most vector registers among these.
    """

    def __init__(self, loop: ElementLoop, kept: int):
        self.loop, self.steps = loop, loop.steps
        self.depth = max(len(loop.around(number)) for number in range(len(loop.steps)))
        self.in_core, self.in_vectors, self.met = dict[int, str](), dict[int, str](), dict[tuple[int, int], list[str]]()
        sums = [step for step in self.steps if step.name in SUMS]
        vectors = list(_KEPT[:kept])
        # Each vector that rows meet saves a load in every row, most constants save one in every group.
        for step in sums:
            _, _, run, length = step.numbers
            if _vectors(length, _lane_bits(loop, step)) > _MOST_VECTORS:
                raise _Unassigned
            count = _vectors(loop.reach[run], _lane_bits(loop, step))
            if count <= len(vectors) and run < len(_ARGUMENTS) and (run, _lane_bits(loop, step)) not in self.met:
                self.met[run, _lane_bits(loop, step)] = [vectors.pop(0) for _ in range(count)]
        self.pointers, free = self._pointers()
        for step in self.steps:
            for value in _scalars(step):
                if value not in self.in_core and free:
                    self.in_core[value] = free.pop(0)
            for value in _vector_constants(step):
                if value not in self.in_vectors and vectors:
                    self.in_vectors[value] = vectors.pop(0)
        lasting = {*self.in_vectors.values(), *(one for each in self.met.values() for one in each)}
        self.temporaries = [vector for vector in _VECTORS if vector not in lasting]
        self.taken = lasting
        self.compares = any(step.name in CONDITIONS for step in self.steps)
        masks = {mask for step in sums if (mask := self.mask_of(step)) is not None}
        # The predicate of all groups, where no other is needed.
        self.mask = masks.pop() if len(masks) == 1 and not self.compares else None
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

    def _pointers(self) -> tuple[dict[int, str], list[str]]:
        """The registers of pointers by runs, and those that are left for constants."""
        summed = any(step.name in SUMS for step in self.steps)
        others = [register for register in _FREE if not summed or register != _SUM]
        free = [*others, *_COUNTERS[self.depth :]]
        kept = {run for run, _ in self.met}
        runs = [run for run in range(len(self.loop.widths)) if run not in kept]
        found = {run: _ARGUMENTS[run] for run in runs if run < len(_ARGUMENTS)}
        free += [register for register in _ARGUMENTS if register not in found.values()]
        # Addresses that need no low register get others first.
        for run in sorted((run for run in runs if run not in found), key=self._is_low):
            wanted = [register for register in free if (register in _LOW) == self._is_low(run)]
            if not (usable := wanted or (() if self._is_low(run) else free)):
                raise _Unassigned
            found[run] = usable[0]
            free.remove(usable[0])
        return found, free

    def _is_low(self, run: int) -> bool:
        """True if the address of a run has to be in a low register: elements are widened or narrowed."""
        for step in self.steps:
            if step.name == "lookup" and step.numbers[0] == run:
                return False
            if step.name in SUMS and run in (step.numbers[0], step.numbers[2]):
                return _lane_bits(self.loop, step) > self.loop.widths[run]
        return self.loop.widths[run] < REGISTER

    def mask_of(self, step: Step) -> tuple[int, int] | None:
        """The bits of lanes and the elements of the last vector of a sum's rows; None if it is whole."""
        bits, (*_, length) = _lane_bits(self.loop, step), step.numbers
        rest = length % (8 * VECTOR // bits)
        return (bits, rest) if rest else None

    @property
    def core(self) -> set[str]:
        """The core registers that counters, pointers, sums and constants take."""
        sums = [_SUM] if any(step.name in SUMS for step in self.steps) else []
        return {*self.in_core.values(), *self.pointers.values(), *_COUNTERS[: self.depth], *sums}

    @property
    def saves_vectors(self) -> bool:
        return any(vector in self.taken for vector in _VECTORS[_PRESERVED:])

    def loaded(self, frame: int) -> Code:
        """Load pointers, vectors and constants. frame: the bytes of stack below the arguments on it."""
        lines = list[Line]()
        for run, register in self.pointers.items():
            if run >= len(_ARGUMENTS):
                lines.append(t.ldr(register, slot(frame + 4 * (run - len(_ARGUMENTS)))))
        for (run, bits), vectors in self.met.items():
            lines += self._met(run, bits, vectors)
        if self.mask is not None:
            bits, rest = self.mask
            lines += predicate(rest, bits, _SCRATCH)
        core = [number_in(register, value) for value, register in self.in_core.items()]
        vectors = [
            joined(number_in(_SCRATCH, value), integer("vdup.32", vector, _SCRATCH))
            for value, vector in self.in_vectors.items()
        ]
        return joined(lines, *core, *vectors)

    def _met(self, run: int, bits: int, vectors: Sequence[str]) -> Code:
        """Load the vector that rows meet."""
        width, lines = self.loop.widths[run], list[Line]()
        rest = self.loop.reach[run] % (8 * VECTOR // bits)
        for number, vector in enumerate(vectors):
            masked = rest > 0 and number == len(vectors) - 1
            lines += (*predicate(rest, bits, _SCRATCH), scalar("vpst")) if masked else ()
            name = loading(width, bits, masked=masked)
            lines.append(access(name, vector, _ARGUMENTS[run], offset=number * VECTOR * width // bits))
        return tuple(lines)

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


def _lane_bits(loop: ElementLoop, step: Step) -> int:
    """The bits of the lanes in which a sum's rows meet the vector; differences take twice those of elements."""
    rows, _, vector, _ = step.numbers
    bits = max(loop.widths[rows], loop.widths[vector])
    return 2 * bits if step.name == "distance" else bits


def _vectors(length: int, bits: int) -> int:
    """The vectors of so many elements."""
    return -(-length * bits // (8 * VECTOR))


def loading(width: int, bits: int, *, masked: bool) -> str:
    """The name of a load of elements of a width into lanes of as many bits or more."""
    return f"vldr{_SIZES[width]}{'t' if masked else ''}.{'u' if width == bits else 's'}{bits}"


class _Group:
    """Iterations that run at a time, in the lanes of vectors."""

    def __init__(self, body: _Body, lanes: int):
        self.body, self.loop, self.steps, self.lanes = body, body.loop, body.loop.steps, lanes
        self.free, self.registers = list(body.temporaries), dict[int, str]()
        # Vectors with constants of the step that is being taken.
        self.made = dict[int, str]()
        # The bytes from the element of the group's first iteration, as the loops around stand, to where each pointer
        # is, and to where it has to be at the end of the iteration of the innermost of these loops.
        advances = zip(body.loop.widths, body.loop.advances, strict=True)
        self.ahead = [0] * len(body.loop.widths)
        self.goals = [LANES * advance * width // 8 if lanes == LANES else 0 for width, advance in advances]
        self.targets = self._targets()
        # The bits of lanes and the elements that are predicated, if known.
        self.mask = body.mask

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
        begin = () if self.lanes == LANES or self.body.compares else self._predicated((REGISTER, self.lanes))
        return Repeated.once(begin).followed_by(self._steps(0, len(self.steps), 0))

    def _predicated(self, mask: tuple[int, int]) -> Code:
        """Predicate the first elements of vectors, unless they are."""
        if mask == self.mask:
            return ()
        self.mask = mask
        bits, elements = mask
        return predicate(elements, bits, _SCRATCH)

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
        self.mask = None if self.body.compares else self.mask
        strides = [self._stride(run, first) for run in range(len(before))]
        self.goals = [ahead + stride for ahead, stride in zip(before, strides, strict=True)]
        body = self._steps(first + 1, last, depth + 1)
        body = body.then(self._moves())
        self.ahead = [ahead + count * stride for ahead, stride in zip(before, strides, strict=True)]
        self.goals = outer
        return self.body.counted(body, count, depth + 1)

    def _moves(self) -> Code:
        """Move pointers to where they have to be at the end of an iteration of the innermost loop."""
        behind = zip(self.goals, self.ahead, strict=True)
        return joined(
            *(moved(self.body.pointers[run], goal - ahead) for run, (goal, ahead) in enumerate(behind) if goal != ahead)
        )

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
            return self.made.get(operand.value) or self.body.in_vectors[operand.value]
        return self.registers[operand]

    def _constants(self, step: Step) -> Code:
        """Load the constants that a step takes in vectors, and that no vector holds in all groups."""
        lines, values = list[Line](), _vector_constants(step)
        if step.name == "select" and isinstance(step.operands[0], int):
            values = [*_vector_constants(self.steps[step.operands[0]]), *values]
        for value in dict.fromkeys(values):
            if value not in self.body.in_vectors and value not in self.made:
                load, register = self._core(value)
                self.made[value] = self._take()
                lines += [*load, integer("vdup.32", self.made[value], register)]
        return tuple(lines)

    def _core(self, value: int) -> tuple[Code, str]:
        """A register with a number, and what loads it."""
        register = self.body.in_core.get(value)
        return ((), register) if register is not None else (number_in(_SCRATCH, value), _SCRATCH)

    def _step(self, number: int, end: int) -> Code:
        step = self.steps[number]
        if step.name in CONDITIONS:
            return ()
        constants = self._constants(step)
        if step.name == "store":
            return joined(constants, self._store(step))
        sources = [self._vector(one) for one in step.operands if isinstance(one, int) and not self._is_condition(one)]
        compared = self._compared(step)
        if step.name == "next":
            old, new = map(self._vector, step.operands)
            self._release(number)
            return joined(constants, () if old == new else (integer("vmov", old, new),))
        # A gather does not load what its offsets are in.
        to = self._take(number) if step.name == "lookup" else ""
        self._release(number)
        to = to or self._take(number)
        code = joined(constants, compared, self._computed(number, step, to, sources, end))
        self.registers[number] = to
        self.free[:0], self.made = self.made.values(), {}
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
        self.mask = None
        return joined(load, integer("vcmp.s32", _CONDITIONS[name], self._vector(a), second))

    def _computed(self, number: int, step: Step, to: str, sources: Sequence[str], end: int) -> Code:
        match step.name:
            case "load":
                return self._load(number, step, to, end)
            case "lookup":
                return self._lookup(step, to, sources[0])
            case "dot" | "distance":
                return self._sum(step, to)
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
        masked = self._masked()
        name = loading(self.loop.widths[run], REGISTER, masked=self.is_masked)
        return joined(code, masked, access(name, to, pointer, ahead, distance))

    def _lookup(self, step: Step, to: str, index: str) -> Code:
        """Gather elements of a table."""
        run, width = step.numbers[0], self.loop.widths[step.numbers[0]]
        name, shift = loading(width, REGISTER, masked=self.is_masked), width.bit_length() - 4
        return joined(self._masked(), gathered_lanes(name, to, self.body.pointers[run], index, shift))

    @property
    def is_masked(self) -> bool:
        """True if only some lanes have an iteration."""
        return self.lanes < LANES

    def _masked(self) -> Code:
        """What predicates the next access for these iterations."""
        return joined(self._predicated((REGISTER, self.lanes)), scalar("vpst")) if self.is_masked else ()

    def _sum(self, step: Step, to: str) -> Code:
        """Sum over the rows of the iterations, two of which then move to two lanes at a time."""
        rows, pitch, _, length = step.numbers
        size, bits = self._bytes(rows), _lane_bits(self.loop, step)
        vectors, mask = range(_vectors(length, bits)), self.body.mask_of(step)
        code, own, other = () if mask is None else self._predicated(mask), self._take(), self._take()
        pairs = [[row for row in pair if row < self.lanes] for pair in ((0, 2), (1, 3))]
        places = [
            pitch * row * size + vector * VECTOR * size * 8 // bits
            for pair in pairs
            for row in pair
            for vector in vectors
        ]
        following = iter([*places[1:], self.goals[rows] if not self.is_masked else places[-1]])
        at = iter(places)
        for first, pair in enumerate(pairs):
            lines = list[_Masked]()
            for _, sum in zip(pair, (_SUM, _SCRATCH), strict=False):
                for vector in vectors:
                    masked = mask is not None and vector == vectors[-1]
                    lines += self._products(step, sum, vector, next(following) - next(at), (own, other), masked=masked)
            code = joined(code, *_blocks(lines))
            if pair:
                code = joined(code, scalar("vmov", f"{to}[{2 + first}]", f"{to}[{first}]", _SUM, _SCRATCH))
        self.ahead[rows] = self.goals[rows]
        self.free[:0] = [own, other]
        return code

    def _products(
        self, step: Step, sum: str, number: int, distance: int, free: Sequence[str], *, masked: bool
    ) -> list[_Masked]:
        """Add the products of a vector of a row to a sum, and advance the pointer to the rows.

        number: of the vector in the row. masked: true if it is the last one, and not whole. free: two vectors.
        """
        (rows, _, run, _), bits, (own, other) = step.numbers, _lane_bits(self.loop, step), free
        pointer, suffix = self.body.pointers[rows], "t" if masked else ""
        near = abs(distance) <= REACH
        load = loading(self.loop.widths[rows], bits, masked=masked)
        lines = [_Masked(access(load, own, pointer, distance if near else 0), masked)]
        lines += [] if near else [_Masked(line, False) for line in moved(pointer, distance)]
        if (run, bits) in self.body.met:
            other = self.body.met[run, bits][number]
        else:
            width = self.loop.widths[run]
            load = access(
                loading(width, bits, masked=masked),
                other,
                self.body.pointers[run],
                offset=number * VECTOR * width // bits,
            )
            lines.append(_Masked(load, masked))
        if step.name == "distance":
            lines.append(_Masked(integer(f"vsub{suffix}.i{bits}", own, own, other), masked))
            other = own
        name = f"vmladav{'a' if number else ''}{suffix}.s{bits}"
        return [*lines, _Masked(multiply(name, sum, own, other), masked)]

    def _store(self, step: Step) -> Code:
        """Store a vector, and advance the pointers to the elements of the next group."""
        *_, width = self.loop.widths
        masked, result = self._masked(), len(self.loop.widths) - 1
        name, vector = _STORES[width].format("t" if self.is_masked else ""), self._vector(step.operands[0])
        store = access(name, vector, self.body.pointers[result], self.goals[-1])
        self.ahead[-1] = self.goals[-1]
        return joined(masked, store, () if self.is_masked else self._moves())


@dataclass(frozen=True)
class _Masked:
    """An instruction, and true if it is executed under the predicate."""

    line: Line
    masked: bool


def _blocks(lines: Sequence[_Masked]) -> Iterator[Line]:
    """Yield instructions in blocks of at most four under the predicate."""
    at = 0
    while at < len(lines):
        count = next(
            (number for number, each in enumerate(lines[at : at + 4]) if not each.masked), len(lines[at : at + 4])
        )
        if count:
            yield scalar(f"vpst{'t' * (count - 1)}")
        yield from (each.line for each in lines[at : at + max(count, 1)])
        at += max(count, 1)
