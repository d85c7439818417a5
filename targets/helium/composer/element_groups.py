"""The code of a group of iterations of a loop over elements, in the lanes of vectors.

Vectors are assigned in one pass over the steps, each freed at the last use of its value. Accesses are predicated if
there are fewer iterations than lanes.

Sums of products over a row are sums of whole vectors in core registers, which then move to the lanes of their
iterations. Reductions combine values lane by lane, and the lanes at the end (`Registers.ended`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tinyml.dialects.layouts.element_loops import CONDITIONS, ENDS, Constant, Operand, Step
from tinyml.targets.composer.instructions import Code, Instruction, Line, Repeated, joined
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import moved
from tinyml.targets.helium.composer.element_registers import (
    COUNTERS,
    PLACE,
    SCRATCH,
    SUM,
    Registers,
    Unassigned,
    loading,
    scalars_of,
    storing,
    sum_bits,
    vector_constants,
    vectors_of,
)
from tinyml.targets.helium.mve import (
    MAX_STEP,
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

_BY_SCALAR = {"add": integer, "sub": integer, "mul": multiply}
"""The units of instructions whose second operand may be a core register."""

_BY_VECTOR = {"min": "vmin.s{}", "max": "vmax.s{}", "and": "vand"}
_CONDITIONS = {"at_least": "ge", "greater": "gt"}


def counted(code: Repeated, count: int, depth: int) -> Repeated:
    """A loop inside `depth` other loops."""
    label = 1 + depth
    if not any(line.text.endswith(":") for line in code.lines):
        return low_overhead(code, count, label)
    counter = COUNTERS[depth]
    return code.looped(number_in(counter, count), (t.subs(counter, 1), t.bne(back=label)), count, label)


class Group:
    """Iterations that run at the same time, in the lanes of vectors.

    lanes: the number of iterations. ahead: the bytes by which pointers advance; None if they are not used any more.
    """

    def __init__(self, kept: Registers, lanes: int, ahead: Sequence[int] | None):
        self.kept, self.loop, self.steps, self.lanes = kept, kept.loop, kept.loop.steps, lanes
        self.free, self.registers = list(kept.temporaries), dict[int, str]()
        # Vectors with constants of the step that is being composed.
        self.made = dict[int, str]()
        # For each run: the bytes from the element of the group's first iteration, in the current iterations of the
        # enclosing loops, to the pointer, and to where the pointer has to be at the end of an iteration of the
        # innermost of these loops.
        self.ahead, self.goals = [0] * len(kept.loop.widths), ahead
        self.targets = self._targets()
        # The width of the lanes and the number of elements that are predicated, if known.
        self.mask = kept.mask

    def _targets(self) -> dict[int, int]:
        """For each step, the carried value that it may overwrite with its result, since that value is not read any
        more.
        """
        found: dict[int, int] = {}
        for number, step in enumerate(self.steps):
            if step.name == "next":
                carry, value = step.operands
                assert isinstance(carry, int)
                here = self.loop.around(number)
                inside = [use for use in self.kept.uses[carry] if self.loop.around(use)[: len(here)] == here]
                if (
                    isinstance(value, int)
                    and self.kept.uses[value] == [number]
                    and max([u for u in inside if u != number], default=0) <= value
                ):
                    found[value] = carry
        return found

    @property
    def code(self) -> Repeated:
        begin = self._predicated((self.kept.bits, self.lanes)) if self.is_masked and not self.kept.compares else ()
        return Repeated.once(begin).followed_by(self._steps(0, len(self.steps), self.kept.outer - 1))

    def _predicated(self, mask: tuple[int, int]) -> Code:
        """Predicate the first elements of vectors, unless they are predicated already."""
        if mask == self.mask:
            return ()
        self.mask = mask
        bits, elements = mask
        return predicate(elements, bits, SCRATCH)

    def _steps(self, first: int, end: int, depth: int) -> Repeated:
        """Compose the steps from `first` to `end`, in `depth` loops."""
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
        self.mask = None if self.kept.compares else self.mask
        strides = [self._stride(run, first) for run in range(len(before))]
        self.goals = [ahead + stride for ahead, stride in zip(before, strides, strict=True)]
        body = self._steps(first + 1, last, depth + 1)
        body = body.then(self._moves())
        self.ahead = [ahead + count * stride for ahead, stride in zip(before, strides, strict=True)]
        self.goals = outer
        return counted(body, count, depth + 1)

    def _moves(self) -> Code:
        """Move pointers to where they have to be at the end of an iteration of the innermost loop."""
        behind = zip(self.ahead if self.goals is None else self.goals, self.ahead, strict=True)
        return joined(
            *(moved(self.kept.pointers[run], goal - ahead) for run, (goal, ahead) in enumerate(behind) if goal != ahead)
        )

    def _stride(self, run: int, loop: int) -> int:
        """The bytes by which the elements of a run advance in each iteration of a loop."""
        strides = {
            step.numbers[2 + self.loop.around(number).index(loop)]
            for number, step in enumerate(self.steps)
            if step.name == "load" and step.numbers[0] == run and loop in self.loop.around(number)
        }
        if len(strides) > 1:
            raise Unassigned
        return self._bytes(run) * next(iter(strides), 0)

    def _bytes(self, run: int) -> int:
        return self.loop.widths[run] // 8

    def _take(self, number: int | None = None) -> str:
        """A register for the value of a step, or for no value."""
        if number in self.targets:
            return self.registers[self.targets[number]]
        if not self.free:
            raise Unassigned
        register = self.free.pop(0)
        self.kept.taken.add(register)
        return register

    def _spare(self, *but: str) -> str:
        """A register that only the code of a step overwrites, other than the given ones."""
        register = next((one for one in self.free if one not in but), None)
        if register is None:
            raise Unassigned
        self.kept.taken.add(register)
        return register

    def _release(self, number: int) -> None:
        """Free the registers of values that no later step reads."""
        for value, register in list(self.registers.items()):
            if self.kept.last[value] <= number:
                del self.registers[value]
                if register in self.kept.temporaries and register not in (*self.registers.values(), *self.free):
                    self.free.insert(0, register)

    def _vector(self, operand: Operand) -> str:
        if isinstance(operand, Constant):
            return self.made.get(operand.value) or self.kept.in_vectors[operand.value]
        return self.registers[operand]

    def _constants(self, step: Step) -> Code:
        """Load the constants that a step reads from vectors, unless a vector holds them in all groups."""
        lines, values = list[Line](), vector_constants(step)
        if step.name == "select" and isinstance(step.operands[0], int):
            values = [*vector_constants(self.steps[step.operands[0]]), *values]
        for value in dict.fromkeys(values):
            if value not in self.kept.in_vectors and value not in self.made:
                load, register = self._core(value)
                self.made[value] = self._take()
                lines += [*load, integer(f"vdup.{self.kept.bits}", self.made[value], register)]
        return tuple(lines)

    def _core(self, value: int) -> tuple[Code, str]:
        """A core register with a number, and the code that loads it."""
        register = self.kept.in_core.get(value)
        return ((), register) if register is not None else (number_in(SCRATCH, value), SCRATCH)

    def _step(self, number: int, end: int) -> Code:
        step = self.steps[number]
        if step.name in CONDITIONS:
            return ()
        constants = self._constants(step)
        if step.name == "shared":
            self.registers[number] = self.kept.shared[number]
            return ()
        if step.name in ENDS:
            return joined(constants, self._store(step) if step.name == "store" else self._reduced(step))
        sources = [self._vector(one) for one in step.operands if isinstance(one, int) and not self._is_condition(one)]
        compared = self._compared(step)
        if step.name == "next":
            old, new = map(self._vector, step.operands)
            self._release(number)
            return joined(constants, () if old == new else (integer("vmov", old, new),))
        # A gather must not load into the register of its offsets.
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
        return joined(load, integer(f"vcmp.s{self.kept.bits}", _CONDITIONS[name], self._vector(a), second))

    def _computed(self, number: int, step: Step, to: str, sources: Sequence[str], end: int) -> Code:
        bits = self.kept.bits
        match step.name:
            case "load":
                return self._load(number, step, to, end)
            case "lookup":
                return self._lookup(step, to, sources[0])
            case "dot" | "distance":
                return self._sum(step, to)
            case "left":
                return (integer(f"vshl.i{bits}", to, sources[0], step.numbers[0]),)
            case "right":
                return (integer(f"vshr.s{bits}", to, sources[0], min(step.numbers[0], bits)),)
            case "requantise":
                return self._requantised(number, step, to, sources[0])
            case "requantise_by":
                return self._requantised_by(number, step, to, sources)
            case "leading_zeros":
                return (integer("vclz.i32", to, sources[0]),)
            case "reciprocal":
                return self._reciprocal(to, sources[0])
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
        if scalars := scalars_of(step):
            load, register = self._core(scalars[0])
            return joined(load, _BY_SCALAR[step.name](f"v{step.name}.i{self.kept.bits}", to, sources[0], register))
        first, second = step.operands
        if step.name == "sub" and first == Constant(0):
            return (integer(f"vneg.s{self.kept.bits}", to, sources[0]),)
        rest = iter(sources)
        a, b = (self._vector(one) if isinstance(one, Constant) else next(rest) for one in (first, second))
        if step.name in _BY_VECTOR:
            return (integer(_BY_VECTOR[step.name].format(self.kept.bits), to, a, b),)
        return (_BY_SCALAR[step.name](f"v{step.name}.i{self.kept.bits}", to, a, b),)

    def _requantised(self, number: int, step: Step, to: str, source: str) -> Code:
        """TensorFlow Lite's two roundings, as in `requantised`, by a constant shift, without the correction of negative
        values if it has no effect.
        """
        [operand], (multiplier, shift) = step.operands, step.numbers
        assert isinstance(operand, int)
        low, high = self.loop.intervals[operand]
        load, factor = self._core(multiplier)
        lines: list[Line] = [*load]
        if shift > 0:
            if not (low << shift >= -(1 << 31) and high << shift < 1 << 31):
                # Plain code saturates here.
                raise Unassigned
            lines.append(integer("vshl.i32", to, source, shift))
            source = to
        lines.append(multiply("vqrdmulh.s32", to, source, factor))
        if shift < 0:
            lines += [*self._repaired(number, to, low), integer("vrshr.s32", to, to, -shift)]
        return tuple(lines)

    def _repaired(self, number: int, to: str, low: int, *but: str) -> Code:
        """Decrement negative values, so that ties round away from zero; no code if there are none or if it makes no
        difference.

        but: registers that keep their values.
        """
        if low >= 0 or self._is_clamped_from_zero(number):
            return ()
        spare = self._spare(*but)
        return integer("vshr.s32", spare, to, 31), integer("vadd.i32", to, to, spare)

    def _requantised_by(self, number: int, step: Step, to: str, sources: Sequence[str]) -> Code:
        """The same roundings, with a multiplier and a right shift amount for each lane."""
        x, _, shift = step.operands
        assert isinstance(x, int)
        assert isinstance(shift, int)
        if self.loop.intervals[shift][1] >= 0:
            raise Unassigned
        # The shift amount may be in the register of the result.
        product = to if to != sources[2] else self._spare(to)
        repaired = self._repaired(number, product, self.loop.intervals[x][0], product, sources[2])
        return joined(
            multiply("vqrdmulh.s32", product, sources[0], sources[1]),
            repaired,
            integer("vrshl.s32", to, product, sources[2]),
        )

    def _reciprocal(self, to: str, x: str) -> Code:
        """`tm_reciprocal_s32`: three steps of Newton's method in numbers with 29 fractional bits."""
        half = self._spare(x)
        step = self._spare(half)

        def with_number(instruction: Callable[..., Instruction], name: str, to: str, x: str, value: int) -> Code:
            return (*number_in(SCRATCH, value & 0xFFFFFFFF), instruction(name, to, x, SCRATCH))

        newton = [
            multiply("vqrdmulh.s32", step, half, to),
            integer("vneg.s32", step, step),
            *with_number(integer, "vadd.i32", step, step, 1 << 29),
            multiply("vqrdmulh.s32", step, step, to),
            integer("vqshl.s32", step, step, 2),
            integer("vadd.i32", to, to, step),
        ]
        return joined(
            integer("vclz.i32", half, x),
            integer("vshl.u32", half, x, half),
            integer("vshr.u32", half, half, 1),
            with_number(multiply, "vqrdmulh.s32", to, half, -1010580540),
            with_number(integer, "vadd.i32", to, to, 1515870810),
            *([newton] * 3),
            # The plain C function saturates before it shifts.
            (*number_in(SCRATCH, (1 << 30) - 1), integer("vdup.32", step, SCRATCH)),
            (integer("vmin.s32", to, to, step), integer("vshl.i32", to, to, 1)),
        )

    def _is_clamped_from_zero(self, number: int) -> bool:
        """True if all later steps clamp negative values, the only ones whose ties round in another way."""
        [*uses] = self.kept.uses[number]
        steps = [self.steps[use] for use in uses]
        return all(
            step.name == "max" and any(isinstance(one, Constant) and one.value >= 0 for one in step.operands)
            for step in steps
        )

    def _load(self, number: int, step: Step, to: str, end: int) -> Code:
        """Load a vector, and advance the pointer to the next load, or to its final position after the last load."""
        run, offset, *_ = step.numbers
        pointer, size = self.kept.pointers[run], self._bytes(run)
        place, reach, code = offset * size, MAX_STEP * size, ()
        if abs(place - self.ahead[run]) > reach:
            code = moved(pointer, place - self.ahead[run])
            self.ahead[run] = place
        ahead, distance = 0, place - self.ahead[run]
        following = self._following(run, number, end)
        if distance == 0 and following is not None and abs(following - place) <= reach:
            ahead, self.ahead[run] = following - place, following
        masked = self._masked()
        name = loading(self.loop.widths[run], self.kept.bits, masked=self.is_masked)
        return joined(code, masked, access(name, to, pointer, ahead, distance))

    def _following(self, run: int, number: int, end: int) -> int | None:
        """The position of a run's pointer after a load; None if an inner loop reads the run next."""
        for after in range(number + 1, end):
            if self.steps[after].name == "load" and self.steps[after].numbers[0] == run:
                inside = self.loop.around(after) != self.loop.around(number)
                return None if inside else self._bytes(run) * self.steps[after].numbers[1]
        return None if self.goals is None else self.goals[run]

    def _lookup(self, step: Step, to: str, index: str) -> Code:
        """Gather elements of a table."""
        run, width = step.numbers[0], self.loop.widths[step.numbers[0]]
        name, shift = loading(width, self.kept.bits, masked=self.is_masked), width.bit_length() - 4
        return joined(self._masked(), gathered_lanes(name, to, self.kept.pointers[run], index, shift))

    @property
    def is_masked(self) -> bool:
        """True if only some lanes have an iteration."""
        return self.lanes < self.kept.lanes

    def _masked(self) -> Code:
        """The code that predicates the next access for these iterations."""
        return joined(self._predicated((self.kept.bits, self.lanes)), scalar("vpst")) if self.is_masked else ()

    def _sum(self, step: Step, to: str) -> Code:
        """Sum over the rows of the iterations; the sums are moved to the lanes two at a time."""
        rows, pitch, _, length = step.numbers
        size, bits = self._bytes(rows), sum_bits(self.loop, step)
        vectors, mask = range(vectors_of(length, bits)), self.kept.mask_of(step)
        code, own, other = () if mask is None else self._predicated(mask), self._take(), self._take()
        pairs = [[row for row in pair if row < self.lanes] for pair in ((0, 2), (1, 3))]
        places = [
            pitch * row * size + vector * VECTOR * size * 8 // bits
            for pair in pairs
            for row in pair
            for vector in vectors
        ]
        goal = places[-1] if self.goals is None else self.goals[rows]
        following = iter([*places[1:], goal])
        at = iter(places)
        for first, pair in enumerate(pairs):
            lines = list[_Masked]()
            for _, sum in zip(pair, (SUM, SCRATCH), strict=False):
                for vector in vectors:
                    masked = mask is not None and vector == vectors[-1]
                    lines += self._products(step, sum, vector, next(following) - next(at), (own, other), masked=masked)
            code = joined(code, *_blocks(lines))
            if pair:
                code = joined(code, scalar("vmov", f"{to}[{2 + first}]", f"{to}[{first}]", SUM, SCRATCH))
        self.ahead[rows] = goal
        self.free[:0] = [own, other]
        return code

    def _products(
        self, step: Step, sum: str, number: int, distance: int, free: Sequence[str], *, masked: bool
    ) -> list[_Masked]:
        """Add the products of a vector of a row to a sum, and advance the pointer to the rows.

        number: that of the vector in the row. masked: true if it is the last vector, with fewer elements than lanes.
        free: two vectors.
        """
        (rows, _, run, _), bits, (own, other) = step.numbers, sum_bits(self.loop, step), free
        pointer, suffix = self.kept.pointers[rows], "t" if masked else ""
        near = abs(distance) <= MAX_STEP
        load = loading(self.loop.widths[rows], bits, masked=masked)
        lines = [_Masked(access(load, own, pointer, distance if near else 0), masked)]
        lines += [] if near else [_Masked(line, False) for line in moved(pointer, distance)]
        if (run, bits) in self.kept.met:
            other = self.kept.met[run, bits][number]
        else:
            width = self.loop.widths[run]
            load = access(
                loading(width, bits, masked=masked),
                other,
                self.kept.pointers[run],
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
        result, width = len(self.loop.widths) - 1, self.loop.widths[-1]
        name, vector = storing(width, self.kept.bits, masked=self.is_masked), self._vector(step.operands[0])
        ahead = 0 if self.goals is None else self.goals[-1]
        if abs(ahead) > MAX_STEP * width // 8:
            ahead = 0
        masked, self.ahead[-1] = self._masked(), ahead
        return joined(masked, access(name, vector, self.kept.pointers[result], ahead), self._moves())

    def _reduced(self, step: Step) -> Code:
        """Combine the values of the iterations with those of all previous ones, lane by lane."""
        _, value = step.operands
        vector, bits, all = self._vector(value), self.kept.bits, self.kept.all
        suffix, masked = "t" if self.is_masked else "", self._masked()
        if step.name != "place":
            name = "vadd{}.i{}" if step.name == "sum" else "vmax{}.s{}"
            return joined(masked, integer(name.format(suffix, bits), all[0], all[0], vector), self._moves())
        place = self._spare(vector)
        # The comparison is the predicate of the instructions that follow.
        self.mask = None
        return joined(
            integer(f"vidup.u{bits}", place, PLACE, 1),
            masked,
            integer(f"vcmp{suffix}.s{bits}", "gt", vector, all[0]),
            scalar("vpstt"),
            integer("vorrt", all[0], vector, vector),
            integer("vorrt", all[1], place, place),
            self._moves(),
        )


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
