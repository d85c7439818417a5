"""The registers of a loop over elements: those whose content is the same in all groups of iterations, and those that
are free for values.

A constant is in a core register if an instruction accepts one as its second operand, otherwise in a vector. The vector
by which all rows of a sum are multiplied stays in registers if there are enough. The intermediate result of a reduction
has one or two registers of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.dialects.layouts.element_loops import (
    CONDITIONS,
    ENDS,
    REDUCTIONS,
    REGISTER,
    SUMS,
    WIDTHS,
    Constant,
    ElementLoop,
    Step,
)
from tinyml.dialects.machine.machine import limits
from tinyml.targets.composer.instructions import Code, Instruction, Line, joined
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.thumb import at, slot
from tinyml.targets.helium.mve import VECTOR, access, integer, number_in, predicate, scalar

ARGUMENTS = ("r0", "r1", "r2", "r3")
"""Pointers to the first runs, which are arguments of the function; the other pointers are on the stack."""

COUNTERS = ("r4", "r5", "r6")
"""The counters of outer loops."""

_FREE, SCRATCH = ("r7", "r8", "r9", "r10", "r11"), "r12"
_LOW = ("r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7")
"""Registers for the addresses of accesses that widen or narrow elements."""

SUM = "r10"
"""The register of a sum of products, used with `SCRATCH`; both are even."""

_VECTORS = tuple(f"q{index}" for index in range(8))
_PRESERVED = 4
"""The first of the vectors that calls preserve."""

KEPT = ("q3", "q2", "q7", "q6", "q5", "q4")
"""Vectors for constants and for the vectors by which rows are multiplied."""

_MOST_VECTORS = 8
"""The most vectors of a row, each of which is loaded by a separate instruction."""

PLACE = "r6"
"""The number of the first iteration of a group; VIDUP takes it from an even register."""

_LOADS = {8: t.ldrsb, 16: t.ldrsh, 32: t.ldr}
_STORES = {8: t.strb, 16: t.strh, 32: t.str_}

_SIZES = {8: "b", 16: "h", 32: "w"}

_WITHOUT_VALUE = (*ENDS, *CONDITIONS)
_NARROW = ("load", "shared", "add", "sub", "mul", "and", "min", "max", "select", "left", "right", *_WITHOUT_VALUE)
"""Steps that can be computed in lanes of any width."""

BY_SCALAR = ("add", "sub", "mul")
"""Instructions whose second operand may be a core register."""


class Unassigned(Exception):
    """Raised if more values are alive at a time than there are registers."""


def lane_bits(loop: ElementLoop) -> int:
    """The narrowest lanes that hold the values of all steps."""
    if any(step.name not in _NARROW for step in loop.steps) or loop.steps[-1].name == "sum":
        return REGISTER
    valued = [ends for step, ends in zip(loop.steps, loop.intervals, strict=True) if step.name not in _WITHOUT_VALUE]
    known = [one.value for step in loop.steps for one in step.operands if isinstance(one, Constant)]
    if loop.steps[-1].name == "place":
        first, other = loop.steps[-1].numbers
        known += [first + loop.count, other]
    least, greatest = min([*known, *(low for low, _ in valued)]), max([*known, *(high for _, high in valued)])
    needed = max([*loop.widths, *(step.numbers[0] + 1 for step in loop.steps if step.name == "left")])
    return next(bits for bits in WIDTHS if bits >= needed and limits(bits)[0] <= least and greatest <= limits(bits)[1])


class Registers:
    """The registers of a loop.

    kept: the most vectors that hold the same content in all iterations. outer: the loops around those of an iteration.
    """

    def __init__(self, loop: ElementLoop, kept: int, outer: int = 1):
        self.loop, self.steps, self.outer, self.bits = loop, loop.steps, outer, lane_bits(loop)
        self.lanes = 8 * VECTOR // self.bits
        # The innermost loop has its counter in lr.
        self.counters = outer - 1 + max(len(loop.around(number)) for number in range(len(loop.steps)))
        self.in_core, self.in_vectors, self.met = dict[int, str](), dict[int, str](), dict[tuple[int, int], list[str]]()
        sums = [step for step in self.steps if step.name in SUMS]
        if self.counters > len(COUNTERS) or any(sum_bits(loop, step) > REGISTER for step in sums):
            raise Unassigned
        last = loop.steps[-1]
        # The result of all iterations so far in each lane, and the iteration that it comes from.
        count = {"place": 2, "store": 0}.get(last.name, 1)
        self.all, vectors = KEPT[:count], list(KEPT[count:kept])
        shared = [number for number, step in enumerate(self.steps) if step.name == "shared"]
        if len(shared) > len(vectors) or (last.name == "place" and self.counters >= len(COUNTERS)):
            raise Unassigned
        self.shared = {number: vectors.pop(0) for number in shared}
        # A vector by which rows are multiplied saves a load in every row, most constants save one in every group.
        for step in sums:
            _, _, run, length = step.numbers
            if vectors_of(length, sum_bits(loop, step)) > _MOST_VECTORS:
                raise Unassigned
            if loop.pitches and loop.pitches[run]:
                continue
            count = vectors_of(loop.reach[run], sum_bits(loop, step))
            if count <= len(vectors) and run < len(ARGUMENTS) and (run, sum_bits(loop, step)) not in self.met:
                self.met[run, sum_bits(loop, step)] = [vectors.pop(0) for _ in range(count)]
        self.pointers, free = self._pointers()
        for step in self.steps:
            for value in scalars_of(step):
                if value not in self.in_core and free:
                    self.in_core[value] = free.pop(0)
            for value in vector_constants(step):
                if value not in self.in_vectors and vectors:
                    self.in_vectors[value] = vectors.pop(0)
        lasting = {*self.in_vectors.values(), *self.shared.values(), *self.all}
        lasting |= {one for each in self.met.values() for one in each}
        self.temporaries = [vector for vector in _VECTORS if vector not in lasting]
        self.taken = lasting
        self.compares = last.name == "place" or any(step.name in CONDITIONS for step in self.steps)
        masks = {mask for step in sums if (mask := self.mask_of(step)) is not None}
        rest = {(self.bits, loop.count % self.lanes)} if loop.count % self.lanes else set[tuple[int, int]]()
        # The predicate that holds from the beginning, if only one is needed, apart from that of the very last
        # iterations.
        begins = masks | rest if loop.lines > 1 else masks or rest
        self.mask = begins.pop() if len(begins) == 1 and not self.compares else None
        self.uses = [self._uses(number) for number in range(len(self.steps))]
        self.last = [
            max(map(self._lasting, [number, *uses], [number] * (1 + len(uses))))
            for number, uses in enumerate(self.uses)
        ]

    def _uses(self, number: int) -> list[int]:
        """The steps that read a value; comparisons are evaluated where they are used."""
        found: list[int] = []
        for user, step in enumerate(self.steps):
            if number in step.operands:
                found += self._uses(user) if step.name in CONDITIONS else [user]
        return found

    def _lasting(self, use: int, made: int) -> int:
        """The step up to which a value has to be preserved for a use: the end of the outermost loop that encloses the
        use but not the definition.
        """
        ends = [self.loop.loops[first] for first in self.loop.around(use) if first > made]
        return ends[0] if ends else use

    def _pointers(self) -> tuple[dict[int, str], list[str]]:
        """The registers of pointers by runs, and the remaining registers, which hold constants."""
        summed = any(step.name in SUMS for step in self.steps)
        others = [register for register in _FREE if not summed or register != SUM]
        free = [*others, *COUNTERS[self.counters :]]
        if self.steps[-1].name == "place":
            free.remove(PLACE)
        kept = {run for run, _ in self.met}
        runs = [run for run in range(len(self.loop.widths)) if run not in kept]
        found = {run: ARGUMENTS[run] for run in runs if run < len(ARGUMENTS)}
        free += [register for register in ARGUMENTS if register not in found.values()]
        # Addresses that need no low register are assigned to the other registers first.
        for run in sorted((run for run in runs if run not in found), key=self._is_low):
            wanted = [register for register in free if (register in _LOW) == self._is_low(run)]
            if not (usable := wanted or (() if self._is_low(run) else free)):
                raise Unassigned
            found[run] = usable[0]
            free.remove(usable[0])
        return found, free

    def _is_low(self, run: int) -> bool:
        """True if the address of a run has to be in a low register because elements are widened or narrowed."""
        for step in self.steps:
            if step.name == "lookup" and step.numbers[0] == run:
                return False
            if step.name in SUMS and run in (step.numbers[0], step.numbers[2]):
                return sum_bits(self.loop, step) > self.loop.widths[run]
        return self.loop.widths[run] < self.bits

    def mask_of(self, step: Step) -> tuple[int, int] | None:
        """The width of the lanes and the number of elements of the last vector of a sum's rows; None if it is whole."""
        bits, (*_, length) = sum_bits(self.loop, step), step.numbers
        rest = length % (8 * VECTOR // bits)
        return (bits, rest) if rest else None

    @property
    def core(self) -> set[str]:
        """The core registers for counters, pointers, sums and constants."""
        sums = [SUM] if any(step.name in SUMS for step in self.steps) else []
        places = [PLACE] if self.steps[-1].name == "place" else []
        return {*self.in_core.values(), *self.pointers.values(), *COUNTERS[: self.counters], *sums, *places}

    @property
    def saves_vectors(self) -> bool:
        return any(vector in self.taken for vector in _VECTORS[_PRESERVED:])

    def loaded(self, frame: int) -> Code:
        """Load pointers, vectors and constants. frame: the bytes of stack below the arguments on it."""
        lines = list[Line]()
        for run, register in self.pointers.items():
            if run >= len(ARGUMENTS):
                lines.append(t.ldr(register, slot(frame + 4 * (run - len(ARGUMENTS)))))
        for (run, bits), vectors in self.met.items():
            lines += self._met(run, bits, vectors)
        if self.mask is not None:
            bits, rest = self.mask
            lines += predicate(rest, bits, SCRATCH)
        for number, vector in self.shared.items():
            lines += (self.element(number), integer(f"vdup.{self.bits}", vector, SCRATCH))
        core = [number_in(register, value) for value, register in self.in_core.items()]
        vectors = [
            joined(number_in(SCRATCH, value), integer(f"vdup.{self.bits}", vector, SCRATCH))
            for value, vector in self.in_vectors.items()
        ]
        return joined(lines, *core, *vectors, self._begun())

    def element(self, number: int) -> Instruction:
        """Load the element that all iterations share to `SCRATCH`."""
        [run] = self.steps[number].numbers
        return _LOADS[self.loop.widths[run]](SCRATCH, at(self.pointers[run]))

    def _begun(self) -> Code:
        """The start of a reduction in all lanes."""
        if not self.all:
            return ()
        last, lines = self.steps[-1], list[Line]()
        start = last.operands[0]
        if last.name == "sum":
            # The start is added at the end.
            return (integer("vmov.i32", self.all[0], 0),)
        if isinstance(start, Constant):
            lines += [*number_in(SCRATCH, start.value), integer(f"vdup.{self.bits}", self.all[0], SCRATCH)]
        else:
            lines.append(integer("vmov", self.all[0], self.shared[start]))
        if last.name == "place":
            first, other = last.numbers
            lines += [*number_in(PLACE, other), integer(f"vdup.{self.bits}", self.all[1], PLACE)]
            lines += number_in(PLACE, first)
        return tuple(lines)

    def ended(self) -> Code:
        """Combine the lanes of a reduction, and store its result."""
        if not self.all:
            return ()
        last, bits, all = self.steps[-1], self.bits, self.all[0]
        start, store = last.operands[0], _STORES[self.loop.widths[-1]]
        lines = list[Line]()
        if last.name == "sum":
            known = number_in(SCRATCH, start.value) if isinstance(start, Constant) else (self.element(start),)
            lines += [*known, integer("vaddva.s32", SCRATCH, all)]
        else:
            lines += [*self._first_lane(all), integer(f"vmaxv.s{bits}", SCRATCH, all)]
        if last.name == "place":
            # Lanes without the greatest value receive the greatest number, which is never a position.
            spare = self.temporaries[0]
            lines += [integer(f"vcmp.i{bits}", "eq", all, SCRATCH), *number_in(SCRATCH, (1 << bits - 1) - 1)]
            lines += [integer(f"vdup.{bits}", spare, SCRATCH), integer("vpsel", spare, self.all[1], spare)]
            lines += [*self._first_lane(spare), integer(f"vminv.s{bits}", SCRATCH, spare)]
        return joined(lines, store(SCRATCH, at(self.pointers[len(self.loop.widths) - 1])))

    def _first_lane(self, vector: str) -> Code:
        sign = "s" if self.bits < REGISTER else ""
        return (scalar(f"vmov.{sign}{self.bits}", SCRATCH, f"{vector}[0]"),)

    def _met(self, run: int, bits: int, vectors: Sequence[str]) -> Code:
        """Load the vector by which rows are multiplied."""
        width, lines = self.loop.widths[run], list[Line]()
        rest = self.loop.reach[run] % (8 * VECTOR // bits)
        for number, vector in enumerate(vectors):
            masked = rest > 0 and number == len(vectors) - 1
            lines += (*predicate(rest, bits, SCRATCH), scalar("vpst")) if masked else ()
            name = loading(width, bits, masked=masked)
            lines.append(access(name, vector, ARGUMENTS[run], offset=number * VECTOR * width // bits))
        return tuple(lines)


def scalars_of(step: Step) -> Sequence[int]:
    """The numbers that a step reads from core registers."""
    if step.name == "requantise":
        return step.numbers[:1]
    if step.name in BY_SCALAR or step.name in CONDITIONS:
        first, second = step.operands
        if isinstance(second, Constant):
            return [second.value]
        return [first.value] if isinstance(first, Constant) and step.name in ("add", "mul") else []
    return []


def vector_constants(step: Step) -> Sequence[int]:
    """The numbers that a step reads from vectors."""
    constants = [one.value for one in step.operands if isinstance(one, Constant) and step.name not in REDUCTIONS]
    if step.name == "sub" and constants == [0]:
        return []
    return [] if scalars_of(step) and step.name != "requantise" else constants


def sum_bits(loop: ElementLoop, step: Step) -> int:
    """The width of the lanes in which a sum's rows are multiplied by the vector; differences need twice the width of
    elements.
    """
    rows, _, vector, _ = step.numbers
    bits = max(loop.widths[rows], loop.widths[vector])
    return 2 * bits if step.name == "distance" else bits


def vectors_of(length: int, bits: int) -> int:
    """The number of vectors for a given number of elements."""
    return -(-length * bits // (8 * VECTOR))


def loading(width: int, bits: int, *, masked: bool) -> str:
    """The name of a load of elements of one width into lanes of the same or a greater width."""
    return f"vldr{_SIZES[width]}{'t' if masked else ''}.{'u' if width == bits else 's'}{bits}"


def storing(width: int, bits: int, *, masked: bool) -> str:
    """The name of a store of elements of one width from lanes of the same or a greater width."""
    return f"vstr{_SIZES[width]}{'t' if masked else ''}.{bits}"
