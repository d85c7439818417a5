"""The Helium code for a group of iterations of a lane function, one iteration per lane.

Vector registers are assigned in one pass over the ops. A register is freed at the last use of its value. If there are
fewer iterations than lanes, memory accesses are predicated.

Sums of products over a row are accumulated over whole vectors in core registers. Each sum is then moved to the lane of
its iteration. Reductions combine values lane by lane. At the end, the lanes are combined (`Registers.ended`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, func, memref
from xdsl.ir import Operation, SSAValue

from tinyml.dialects.num import PLACE, SUM, NextOp, ReduceOp
from tinyml.dialects.num.kernels.lane_programs import (
    AT_LEAST,
    GREATER,
    LEADING_ZEROS,
    REQUANTISE,
    REQUANTISE_EVEN,
    Element,
    Entry,
    Join,
    Operand,
    RowSum,
    called,
    compared,
)
from tinyml.targets.composer.instructions import Code, Instruction, Line, Repeated, joined
from tinyml.targets.composer.tile_code import Refused
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import moved
from tinyml.targets.helium.composer.element_registers import (
    COUNTERS,
    PLACED,
    SCRATCH,
    SUMMED,
    Registers,
    loading,
    scalars_of,
    storing,
    sum_bits,
    tie,
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

_BY_SCALAR: Mapping[type[Operation], tuple[str, Callable[..., Instruction]]] = {
    arith.AddiOp: ("vadd.i{}", integer),
    arith.SubiOp: ("vsub.i{}", integer),
    arith.MuliOp: ("vmul.i{}", multiply),
}
"""Instructions whose second operand may be a core register, with their units."""

_BY_VECTOR: Mapping[type[Operation], str] = {
    arith.MinSIOp: "vmin.s{}",
    arith.MaxSIOp: "vmax.s{}",
    arith.AndIOp: "vand",
}
_CONDITIONS = {AT_LEAST: "ge", GREATER: "gt"}


def counted(code: Repeated, count: int, depth: int) -> Repeated:
    """A loop of `count` iterations inside `depth` enclosing loops."""
    label = 1 + depth
    if not any(line.text.endswith(":") for line in code.lines):
        return low_overhead(code, count, label)
    counter = COUNTERS[depth]
    return code.looped(number_in(counter, count), (t.subs(counter, 1), t.bne(back=label)), count, label)


class Group:
    """Iterations that are executed at the same time, in the lanes of vectors, and the code of these iterations.

    kept: the assignment of registers for the whole function.
    lanes: the number of iterations.
    ahead: for each run, the number of bytes by which its pointer advances; None if the pointers are not used
        afterwards.
    """

    def __init__(self, kept: Registers, lanes: int, ahead: Sequence[int] | None):
        self.kept, self.program, self.lanes = kept, kept.program, lanes
        self.free, self.registers = list(kept.temporaries), dict[SSAValue, str]()
        # Vectors with constants of the op that is being composed.
        self.made = dict[int, str]()
        # For each run: the bytes from the element of the group's first iteration, in the current iterations of the
        # enclosing loops, to the pointer, and to where the pointer has to be at the end of an iteration of the
        # innermost of these loops.
        self.ahead, self.goals = [0] * len(self.program.widths), ahead
        self.targets = self._targets()
        # The width of the lanes and the number of elements that are predicated, if known.
        self.mask = kept.mask

    def _targets(self) -> dict[SSAValue, SSAValue]:
        """For each value that may overwrite a carried value, this carried value. A value may do so if the carried value
        is not read afterwards; both then have one register.
        """
        program, targets = self.program, dict[SSAValue, SSAValue]()
        for op in program.ops:
            if not isinstance(op, NextOp):
                continue
            loop = program.around(op)[-1]
            pairs = zip(program.carried(op), program.operands(op), strict=True)
            for place, (carry, value) in enumerate(pairs, program.places[op]):
                inside = [use for use, user in program.uses[carry] if loop in program.around(user)]
                if (
                    not isinstance(value, int)
                    and [use for use, _ in program.uses[value]] == [place]
                    and max([use for use in inside if use != place], default=0) <= program.defined[value]
                ):
                    targets[value] = carry
        return targets

    @property
    def code(self) -> Repeated:
        begin = self._predicated((self.kept.bits, self.lanes)) if self.is_masked and not self.kept.compares else ()
        return Repeated.once(begin).followed_by(self._ops(self.program.ops, self.kept.outer - 1))

    def _predicated(self, mask: tuple[int, int]) -> Code:
        """Code that sets a predicate for the first elements of vectors. It is empty if the same predicate is already
        set.

        mask: the width of the lanes in bits, and the number of elements.
        """
        if mask == self.mask:
            return ()
        self.mask = mask
        bits, elements = mask
        return predicate(elements, bits, SCRATCH)

    def _ops(self, ops: Sequence[Operation], depth: int) -> Repeated:
        code, loops = Repeated.once(()), list[ReduceOp]()
        for op in ops:
            if any(loop in self.program.around(op) for loop in loops):
                # It is part of the code of the loop.
                continue
            if self.program.is_inner(op):
                loops.append(op)
                code = code.then(self._carried(op)).followed_by(self._inner(op, depth))
                self._release(self.program.end_of(op))
            else:
                code = code.then(self._op(op))
        return code

    def _carried(self, loop: ReduceOp) -> Code:
        code, starts = joined(), self.program.operands(loop)
        for place, (value, start) in enumerate(
            zip(self.program.carried(loop), starts, strict=True), self.program.places[loop]
        ):
            constants = self._constants([start] if isinstance(start, int) else [])
            sources = [] if isinstance(start, int) else [self._vector(start)]
            self._release(place)
            to = self._take(value)
            code = joined(code, constants, self._copied(start, to, sources))
            self._hold(value, to, place)
        return code

    def _hold(self, value: SSAValue, register: str, place: int) -> None:
        """Record that a register contains a value. Free the registers of constants and of values without later uses.

        place: the position in the program at which the value is computed.
        """
        self.registers[value] = register
        self.free[:0], self.made = self.made.values(), {}
        self._release(place)

    def _inner(self, loop: ReduceOp, depth: int) -> Repeated:
        before, outer, count = list(self.ahead), self.goals, len(loop.numbers)
        self.mask = None if self.kept.compares else self.mask
        strides = [self._stride(run, loop) for run in range(len(before))]
        self.goals = [ahead + stride for ahead, stride in zip(before, strides, strict=True)]
        body = self._ops(self.program.inside(loop), depth + 1)
        body = body.then(self._moves())
        self.ahead = [ahead + count * stride for ahead, stride in zip(before, strides, strict=True)]
        self.goals = outer
        return counted(body, count, depth + 1)

    def _moves(self) -> Code:
        """Code that advances pointers to their positions at the end of an iteration of the innermost loop."""
        behind = zip(self.ahead if self.goals is None else self.goals, self.ahead, strict=True)
        return joined(
            *(moved(self.kept.pointers[run], goal - ahead) for run, (goal, ahead) in enumerate(behind) if goal != ahead)
        )

    def _stride(self, run: int, loop: ReduceOp) -> int:
        """The number of bytes between the elements of a run that consecutive iterations of a loop access; 0 if the loop
        does not access the run. Raises `Refused` if accesses have different strides.
        """
        strides = {
            access.strides[self.program.around(op).index(loop)]
            for op, access in self.program.accesses.items()
            if isinstance(access, Element) and access.run == run and loop in self.program.around(op)
        }
        if len(strides) > 1:
            raise Refused
        return self._bytes(run) * next(iter(strides), 0)

    def _bytes(self, run: int) -> int:
        return self.program.widths[run] // 8

    def _take(self, value: SSAValue | None = None) -> str:
        """Allocate a register for a value, or for a temporary value if `value` is None, and return its name. Raises
        `Refused` if no register is free.
        """
        if value is not None and value in self.targets:
            return self.registers[self.targets[value]]
        if not self.free:
            raise Refused
        register = self.free.pop(0)
        self.kept.taken.add(register)
        return register

    def _spare(self, *but: str) -> str:
        """The name of a free register for the code of one op. Raises `Refused` if no register is free.

        but: registers that must not be returned.
        """
        register = next((candidate for candidate in self.free if candidate not in but), None)
        if register is None:
            raise Refused
        self.kept.taken.add(register)
        return register

    def _release(self, place: int) -> None:
        for value, register in list(self.registers.items()):
            if self.kept.last[value] <= place:
                del self.registers[value]
                if register in self.kept.temporaries and register not in (*self.registers.values(), *self.free):
                    self.free.insert(0, register)

    def _vector(self, operand: Operand) -> str:
        if isinstance(operand, int):
            return self.made.get(operand) or self.kept.in_vectors[operand]
        return self.registers[operand]

    def _constants(self, values: Sequence[int]) -> Code:
        """Code that loads constants to vectors. Constants that remain in a vector for all groups are not loaded."""
        lines = list[Line]()
        for value in dict.fromkeys(values):
            if value not in self.kept.in_vectors and value not in self.made:
                load, register = self._core(value)
                self.made[value] = self._take()
                lines += [*load, integer(f"vdup.{self.kept.bits}", self.made[value], register)]
        return tuple(lines)

    def _core(self, value: int) -> tuple[Code, str]:
        register = self.kept.in_core.get(value)
        return ((), register) if register is not None else (number_in(SCRATCH, value), SCRATCH)

    def _op(self, op: Operation) -> Code:
        if isinstance(op, arith.CmpiOp):
            return ()
        if isinstance(op, NextOp):
            return self._next(op)
        values, place = list(vector_constants(self.program, op)), self.program.places[op]
        if isinstance(op, arith.SelectOp):
            values = [*vector_constants(self.program, compared(op)), *values]
        constants = self._constants(values)
        if isinstance(op, memref.StoreOp):
            return joined(constants, self._store(op))
        if self.program.join is not None and op is self.program.ops[-1]:
            return joined(constants, self._reduced(self.program.join))
        value = op.results[0]
        if value in self.kept.shared:
            self.registers[value] = self.kept.shared[value]
            return ()
        read = self.program.operands(op)[isinstance(op, arith.SelectOp) :]
        sources = [self._vector(operand) for operand in read if not isinstance(operand, int)]
        condition = self._compared(op) if isinstance(op, arith.SelectOp) else ()
        # A gather must not load into the register of its offsets.
        to = self._take(value) if isinstance(self.program.accesses.get(op), Entry) else ""
        self._release(place)
        to = to or self._take(value)
        code = joined(constants, condition, self._computed(op, to, sources))
        self._hold(value, to, place)
        return code

    def _next(self, op: NextOp) -> Code:
        code, values = joined(), self.program.operands(op)
        for place, (carry, value) in enumerate(
            zip(self.program.carried(op), values, strict=True), self.program.places[op]
        ):
            constants = self._constants([value] if isinstance(value, int) else [])
            old, new = self._vector(carry), self._vector(value)
            self._release(place)
            code = joined(code, constants, () if old == new else (integer("vmov", old, new),))
        return code

    def _compared(self, op: arith.SelectOp) -> Code:
        condition = compared(op)
        a, b = self.program.operands(condition)
        load, second = self._core(b) if isinstance(b, int) else ((), self._vector(b))
        self.mask = None
        name = _CONDITIONS[condition.predicate.value.data]
        return joined(load, integer(f"vcmp.s{self.kept.bits}", name, self._vector(a), second))

    def _computed(self, op: Operation, to: str, sources: Sequence[str]) -> Code:
        bits = self.kept.bits
        match op:
            case memref.LoadOp():
                access = self.program.accesses[op]
                if isinstance(access, Entry):
                    return self._lookup(access, to, sources[0])
                return self._load(op, cast(Element, access), to)
            case ReduceOp():
                return self._sum(self.program.sums[op], to)
            case arith.ShLIOp():
                return (integer(f"vshl.i{bits}", to, sources[0], self.program.amount(op)),)
            case arith.ShRSIOp():
                return (integer(f"vshr.s{bits}", to, sources[0], min(self.program.amount(op), bits)),)
            case func.CallOp():
                return self._called(op, to, sources)
            case arith.SelectOp():
                a, b = self._both(self.program.operands(op)[1:], sources)
                return (integer("vpsel", to, a, b),)
            case _:
                return self._binary(op, to, sources)

    def _both(self, operands: Sequence[Operand], sources: Sequence[str]) -> tuple[str, str]:
        rest = iter(sources)
        a, b = (self._vector(operand) if isinstance(operand, int) else next(rest) for operand in operands)
        return a, b

    def _copied(self, operand: Operand, to: str, sources: Sequence[str]) -> Code:
        if isinstance(operand, int):
            return (integer("vmov", to, self._vector(operand)),)
        return () if sources[0] == to else (integer("vmov", to, sources[0]),)

    def _binary(self, op: Operation, to: str, sources: Sequence[str]) -> Code:
        bits, operands = self.kept.bits, self.program.operands(op)
        if scalars := scalars_of(self.program, op):
            (name, unit), (load, register) = _BY_SCALAR[type(op)], self._core(scalars[0])
            return joined(load, unit(name.format(bits), to, sources[0], register))
        if isinstance(op, arith.SubiOp) and operands[0] == 0:
            return (integer(f"vneg.s{bits}", to, sources[0]),)
        a, b = self._both(operands, sources)
        name, unit = _BY_SCALAR.get(type(op)) or (_BY_VECTOR[type(op)], integer)
        return (unit(name.format(bits), to, a, b),)

    def _called(self, op: func.CallOp, to: str, sources: Sequence[str]) -> Code:
        if called(op) == LEADING_ZEROS:
            return (integer("vclz.i32", to, sources[0]),)
        if called(op) == REQUANTISE_EVEN:
            return self._requantised_to_even(op, to, sources[0])
        if called(op) != REQUANTISE:
            return self._reciprocal(to, sources[0])
        if (factors := self.program.factors(op)) is not None:
            return self._requantised(op, factors, to, sources[0])
        return self._requantised_by(op, to, sources)

    def _requantised(self, op: func.CallOp, factors: tuple[int, int], to: str, source: str) -> Code:
        """Code that requantises by a constant multiplier and a constant shift, with TensorFlow Lite's two roundings.

        factors: the multiplier and the shift.
        to, source: the vectors of the result and of the operand.

        The correction of negative values is omitted if it has no effect. Raises `Refused` if a left shift may overflow.
        """
        [operand], (multiplier, shift) = self.program.operands(op), factors
        low, high = self.program.intervals[cast(SSAValue, operand)]
        load, factor = self._core(multiplier)
        lines: list[Line] = [*load]
        if shift > 0:
            if not (low << shift >= -(1 << 31) and high << shift < 1 << 31):
                # Plain code saturates here.
                raise Refused
            lines.append(integer("vshl.i32", to, source, shift))
            source = to
        lines.append(multiply("vqrdmulh.s32", to, source, factor))
        if shift < 0:
            lines += [*self._repaired(op, to, low), integer("vrshr.s32", to, to, -shift)]
        return tuple(lines)

    def _requantised_to_even(self, op: func.CallOp, to: str, source: str) -> Code:
        """Code that requantises by a constant multiplier and a constant shift with one rounding, halves to even.

        VQDMULH rounds down or, without a right shift, VQRDMULH rounds, so that halves are rounded once and up. If ties
        occur, the last bit of their results is then cleared. Raises `Refused` if a left shift may overflow, or if the
        factors are not constant.
        """
        [operand, *_], factors = self.program.operands(op), self.program.factors(op, REQUANTISE_EVEN)
        if factors is None or isinstance(operand, int):
            raise Refused
        multiplier, shift = factors
        low, high = self.program.intervals[operand]
        if not (low << max(shift, 0) >= -(1 << 31) and high << max(shift, 0) < 1 << 31):
            # Plain code saturates here.
            raise Refused
        load, factor = self._core(multiplier)
        lines, number, rest = [*load], source, ""
        if (half := tie(self.program, op)) is not None:
            rest = self._spare(to, source)
            lines.append(integer("vshl.i32", rest, source, 31 - half))
        if shift > 0:
            lines.append(integer("vshl.i32", to, source, shift))
            number = to
        lines.append(multiply("vqdmulh.s32" if shift < 0 else "vqrdmulh.s32", to, number, factor))
        if shift < 0:
            lines.append(integer("vrshr.s32", to, to, -shift))
        if half is not None:
            self.mask = None
            lines += number_in(SCRATCH, 1 << 31)
            lines += [integer("vcmp.i32", "eq", rest, SCRATCH), scalar("vpst"), integer("vbict.i32", to, 1)]
        return tuple(lines)

    def _repaired(self, op: func.CallOp, to: str, low: int, *but: str) -> Code:
        """Code that decrements negative values before a shift, so that ties are rounded away from zero. Empty if no
        value is negative (`low` >= 0), or if the rounding has no effect.

        to: the register of the values.
        low: the least value.
        but: registers whose contents must be preserved.
        """
        if low >= 0 or self._is_clamped_from_zero(op):
            return ()
        spare = self._spare(*but)
        return integer("vshr.s32", spare, to, 31), integer("vadd.i32", to, to, spare)

    def _requantised_by(self, op: func.CallOp, to: str, sources: Sequence[str]) -> Code:
        """Code that requantises with TensorFlow Lite's two roundings, by a multiplier and a right shift per lane.
        Raises `Refused` if the number or the shift is constant, or if the shift is not always to the right.
        """
        x, _, shift = self.program.operands(op)
        if isinstance(x, int) or isinstance(shift, int) or self.program.intervals[shift][1] >= 0:
            raise Refused
        # The shift amount may be in the register of the result.
        product = to if to != sources[2] else self._spare(to)
        repaired = self._repaired(op, product, self.program.intervals[x][0], product, sources[2])
        return joined(
            multiply("vqrdmulh.s32", product, sources[0], sources[1]),
            repaired,
            integer("vrshl.s32", to, product, sources[2]),
        )

    def _reciprocal(self, to: str, x: str) -> Code:
        """Code that computes `tm_reciprocal_s32`: three steps of Newton's method in numbers with 29 fractional bits."""
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

    def _is_clamped_from_zero(self, op: func.CallOp) -> bool:
        """True if all later uses of the result clamp negative values to 0 or more. The rounding of negative ties then
        has no effect.
        """
        return all(
            isinstance(user, arith.MaxSIOp)
            and any(isinstance(operand, int) and operand >= 0 for operand in self.program.operands(user))
            for _, user in self.program.uses[op.results[0]]
        )

    def _load(self, op: memref.LoadOp, element: Element, to: str) -> Code:
        """Code that loads a vector and advances the pointer of its run to the next load.

        After the last load of the run, the pointer is advanced to its final position.
        """
        run = element.run
        pointer, size = self.kept.pointers[run], self._bytes(run)
        place, reach, code = element.offset * size, MAX_STEP * size, ()
        if abs(place - self.ahead[run]) > reach:
            code = moved(pointer, place - self.ahead[run])
            self.ahead[run] = place
        ahead, distance = 0, place - self.ahead[run]
        following = self._following(run, op)
        if distance == 0 and following is not None and abs(following - place) <= reach:
            ahead, self.ahead[run] = following - place, following
        masked = self._masked()
        name = loading(self.program.widths[run], self.kept.bits, masked=self.is_masked)
        return joined(code, masked, access(name, to, pointer, ahead, distance))

    def _following(self, run: int, op: memref.LoadOp) -> int | None:
        """The position at which a run's pointer is needed after a load; None if an inner loop reads the run next."""
        program, around = self.program, self.program.around(op)
        for after, load in program.accesses.items():
            if isinstance(load, Element) and load.run == run and program.places[after] > program.places[op]:
                if around and around[-1] not in program.around(after):
                    break
                return self._bytes(run) * load.offset if len(program.around(after)) == len(around) else None
        return None if self.goals is None else self.goals[run]

    def _lookup(self, entry: Entry, to: str, index: str) -> Code:
        width = self.program.widths[entry.run]
        name, shift = loading(width, self.kept.bits, masked=self.is_masked), width.bit_length() - 4
        return joined(self._masked(), gathered_lanes(name, to, self.kept.pointers[entry.run], index, shift))

    @property
    def is_masked(self) -> bool:
        return self.lanes < self.kept.lanes

    def _masked(self) -> Code:
        return joined(self._predicated((self.kept.bits, self.lanes)), scalar("vpst")) if self.is_masked else ()

    def _sum(self, sum: RowSum, to: str) -> Code:
        """Code that computes the sum of each row, one row per iteration, and moves the sums to lanes, two at a time."""
        rows, pitch, bits = sum.rows, sum.pitch, sum_bits(self.program, sum)
        size = self._bytes(rows)
        vectors, mask = range(vectors_of(sum.length, bits)), self.kept.mask_of(sum)
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
            for _, register in zip(pair, (SUMMED, SCRATCH), strict=False):
                for vector in vectors:
                    masked = mask is not None and vector == vectors[-1]
                    distance = next(following) - next(at)
                    lines += self._products(sum, register, vector, distance, (own, other), masked=masked)
            code = joined(code, *_blocks(lines))
            if pair:
                code = joined(code, scalar("vmov", f"{to}[{2 + first}]", f"{to}[{first}]", SUMMED, SCRATCH))
        self.ahead[rows] = goal
        self.free[:0] = [own, other]
        return code

    def _products(
        self, sum: RowSum, to: str, number: int, distance: int, free: Sequence[str], *, masked: bool
    ) -> list[_Masked]:
        """Code that adds the products of one vector of a row to a register, and advances the pointer to the rows.

        sum: the description of the sum.
        to: the register of the sum.
        number: the index of the vector in the row.
        distance: the number of bytes by which the pointer advances.
        free: two free vectors.
        masked: true if the vector is the last one and has fewer elements than lanes.
        """
        rows, run, bits, (own, other) = sum.rows, sum.vector, sum_bits(self.program, sum), free
        pointer, suffix = self.kept.pointers[rows], "t" if masked else ""
        near = abs(distance) <= MAX_STEP
        load = loading(self.program.widths[rows], bits, masked=masked)
        lines = [_Masked(access(load, own, pointer, distance if near else 0), masked)]
        lines += [] if near else [_Masked(line, False) for line in moved(pointer, distance)]
        if (run, bits) in self.kept.met:
            other = self.kept.met[run, bits][number]
        else:
            width = self.program.widths[run]
            load = access(
                loading(width, bits, masked=masked),
                other,
                self.kept.pointers[run],
                offset=number * VECTOR * width // bits,
            )
            lines.append(_Masked(load, masked))
        if sum.differs:
            lines.append(_Masked(integer(f"vsub{suffix}.i{bits}", own, own, other), masked))
            other = own
        name = f"vmladav{'a' if number else ''}{suffix}.s{bits}"
        return [*lines, _Masked(multiply(name, to, own, other), masked)]

    def _store(self, op: memref.StoreOp) -> Code:
        result, width = len(self.program.widths) - 1, self.program.widths[-1]
        name, [value] = storing(width, self.kept.bits, masked=self.is_masked), self.program.operands(op)
        ahead = 0 if self.goals is None else self.goals[-1]
        if abs(ahead) > MAX_STEP * width // 8:
            ahead = 0
        masked, self.ahead[-1] = self._masked(), ahead
        return joined(masked, access(name, self._vector(value), self.kept.pointers[result], ahead), self._moves())

    def _reduced(self, join: Join) -> Code:
        vector, bits, all = self._vector(join.value), self.kept.bits, self.kept.all
        suffix, masked = "t" if self.is_masked else "", self._masked()
        if join.kind != PLACE:
            name = "vadd{}.i{}" if join.kind == SUM else "vmax{}.s{}"
            return joined(masked, integer(name.format(suffix, bits), all[0], all[0], vector), self._moves())
        place = self._spare(vector)
        # The comparison is the predicate of the instructions that follow.
        self.mask = None
        return joined(
            integer(f"vidup.u{bits}", place, PLACED, 1),
            masked,
            integer(f"vcmp{suffix}.s{bits}", "gt", vector, all[0]),
            scalar("vpstt"),
            integer("vorrt", all[0], vector, vector),
            integer("vorrt", all[1], place, place),
            self._moves(),
        )


@dataclass(frozen=True)
class _Masked:
    """An instruction, and whether the predicate applies to it."""

    line: Line
    masked: bool


def _blocks(lines: Sequence[_Masked]) -> Iterator[Line]:
    """Yield the instructions in order. Instructions to which the predicate applies are enclosed in predicated blocks of
    at most four.
    """
    at = 0
    while at < len(lines):
        count = next(
            (number for number, each in enumerate(lines[at : at + 4]) if not each.masked), len(lines[at : at + 4])
        )
        if count:
            yield scalar(f"vpst{'t' * (count - 1)}")
        yield from (each.line for each in lines[at : at + max(count, 1)])
        at += max(count, 1)
