"""The assignment of Helium registers for a lane function.

Some registers have the same content in all groups of iterations; the others contain values of a group. A constant is in
a core register if an instruction accepts a core register as its second operand, otherwise in a vector. The vector by
which all rows of a sum are multiplied remains in registers if enough registers are available. The intermediate result
of a reduction has one or two registers of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue

from tinyml.dialects.machine.machine import limits
from tinyml.dialects.num import PLACE, SUM, ReduceOp
from tinyml.dialects.num.kernels.lane_functions import REGISTER, WIDTHS
from tinyml.dialects.num.kernels.lane_programs import REQUANTISE_EVEN, REQUANTISING, Entry, LaneProgram, RowSum, Shared
from tinyml.targets.composer.instructions import Code, Instruction, Line, joined
from tinyml.targets.composer.tile_code import Refused
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

SUMMED = "r10"
"""The register of a sum of products, used with `SCRATCH`; both are even."""

_VECTORS = tuple(f"q{index}" for index in range(8))
_PRESERVED = 4
"""The first of the vectors that calls preserve."""

KEPT = ("q3", "q2", "q7", "q6", "q5", "q4")
"""Vectors for constants and for the vectors by which rows are multiplied."""

_MAX_VECTORS = 8
"""The most vectors of a row, each of which is loaded by a separate instruction."""

PLACED = "r6"
"""The number of the first iteration of a group; VIDUP takes it from an even register."""

_LOADS = {8: t.ldrsb, 16: t.ldrsh, 32: t.ldr}
_STORES = {8: t.strb, 16: t.strh, 32: t.str_}

_SIZES = {8: "b", 16: "h", 32: "w"}

BY_SCALAR = arith.AddiOp | arith.SubiOp | arith.MuliOp
"""Ops whose second operand may be in a core register."""


def lane_bits(program: LaneProgram) -> int:
    """The width in bits of the narrowest lanes that can represent the values of all ops; 32 for a program with function
    calls, inner loops, tables or sums.
    """
    join, ops = program.join, program.ops
    wide = any(isinstance(op, func.CallOp) or program.is_inner(op) for op in ops) or len(program.sums) > 0
    wide |= any(isinstance(access, Entry) for access in program.accesses.values())
    if wide or (join is not None and join.kind == SUM):
        return REGISTER
    known = [operand for op in ops for operand in program.operands(op) if isinstance(operand, int)]
    if join is not None and join.kind == PLACE:
        known += [join.first + program.count, join.other]
    valued = program.intervals.values()
    least, greatest = min([*known, *(low for low, _ in valued)]), max([*known, *(high for _, high in valued)])
    lefts = [program.amount(op) + 1 for op in ops if isinstance(op, arith.ShLIOp)]
    needed = max([*program.widths, *lefts])
    return next(bits for bits in WIDTHS if bits >= needed and limits(bits)[0] <= least and greatest <= limits(bits)[1])


class Registers:
    """The assignment of registers for a lane function.

    program: the lane function.
    kept: the maximum number of vectors with the same content in all iterations.
    outer: the number of loops around the loops of an iteration.

    Raises `Refused` if there are too few registers for the counters, the pointers and the values that are live at the
    same time, and if the lanes of a sum would need more than 32 bits.
    """

    def __init__(self, program: LaneProgram, kept: int, outer: int = 1):
        self.program, self.outer, self.bits = program, outer, lane_bits(program)
        self.lanes = 8 * VECTOR // self.bits
        # The innermost loop has its counter in lr.
        self.counters = outer - 1 + max(len(program.around(op)) for op in program.ops)
        self.in_core, self.in_vectors, self.met = dict[int, str](), dict[int, str](), dict[tuple[int, int], list[str]]()
        sums = program.sums.values()
        if self.counters > len(COUNTERS) or any(sum_bits(program, sum) > REGISTER for sum in sums):
            raise Refused
        self.kind = "" if program.join is None else program.join.kind
        # The result of all iterations so far in each lane, and the iteration that it comes from.
        count = {PLACE: 2, "": 0}.get(self.kind, 1)
        self.all, vectors = KEPT[:count], list(KEPT[count:kept])
        accesses = program.accesses.items()
        shared: list[SSAValue] = [op.results[0] for op, access in accesses if isinstance(access, Shared)]
        if len(shared) > len(vectors) or (self.kind == PLACE and self.counters >= len(COUNTERS)):
            raise Refused
        self.shared = {value: vectors.pop(0) for value in shared}
        # A vector by which rows are multiplied saves a load in every row, most constants save one in every group.
        for sum in sums:
            run, bits = sum.vector, sum_bits(program, sum)
            if vectors_of(sum.length, bits) > _MAX_VECTORS:
                raise Refused
            if program.pitches[run]:
                continue
            count = vectors_of(program.reach[run], bits)
            if count <= len(vectors) and run < len(ARGUMENTS) and (run, bits) not in self.met:
                self.met[run, bits] = [vectors.pop(0) for _ in range(count)]
        self.pointers, free = self._pointers()
        for op in program.ops:
            for value in scalars_of(program, op):
                if value not in self.in_core and free:
                    self.in_core[value] = free.pop(0)
            for value in vector_constants(program, op):
                if value not in self.in_vectors and vectors:
                    self.in_vectors[value] = vectors.pop(0)
        lasting = {*self.in_vectors.values(), *self.shared.values(), *self.all}
        lasting |= {one for each in self.met.values() for one in each}
        self.temporaries = [vector for vector in _VECTORS if vector not in lasting]
        self.taken = lasting
        self.compares = self.kind == PLACE or any(
            isinstance(op, arith.CmpiOp) or (isinstance(op, func.CallOp) and tie(program, op) is not None)
            for op in program.ops
        )
        masks = {mask for sum in sums if (mask := self.mask_of(sum)) is not None}
        rest = {(self.bits, program.count % self.lanes)} if program.count % self.lanes else set[tuple[int, int]]()
        # The predicate that holds from the beginning, if only one is needed, apart from that of the very last
        # iterations.
        begins = masks | rest if program.lines > 1 else masks or rest
        self.mask = begins.pop() if len(begins) == 1 and not self.compares else None
        self.last = {value: self._lasting(value) for value in program.defined}

    def _lasting(self, value: SSAValue) -> int:
        """The position in the program up to which a value must be preserved.

        It is the position of the last use. If the last use is in a loop that does not contain the definition, it is the
        end of the outermost such loop.
        """
        program, defined = self.program, self.program.defined[value]
        last = defined
        for place, op in program.uses[value]:
            loops = [loop for loop in program.around(op) if program.own_place(loop) > defined]
            last = max(last, program.end_of(loops[0]) if loops else place)
        return last

    def _pointers(self) -> tuple[dict[int, str], list[str]]:
        """The registers of the pointers to runs, by run, and the remaining registers, which contain constants. Raises
        `Refused` if there are too few registers.
        """
        others = [register for register in _FREE if not self.program.sums or register != SUMMED]
        free = [*others, *COUNTERS[self.counters :]]
        if self.kind == PLACE:
            free.remove(PLACED)
        kept = {run for run, _ in self.met}
        runs = [run for run in range(len(self.program.widths)) if run not in kept]
        pointers = {run: ARGUMENTS[run] for run in runs if run < len(ARGUMENTS)}
        free += [register for register in ARGUMENTS if register not in pointers.values()]
        # Addresses that need no low register are assigned to the other registers first.
        for run in sorted((run for run in runs if run not in pointers), key=self._is_low):
            suitable = [register for register in free if (register in _LOW) == self._is_low(run)]
            if not (usable := suitable or (() if self._is_low(run) else free)):
                raise Refused
            pointers[run] = usable[0]
            free.remove(usable[0])
        return pointers, free

    def _is_low(self, run: int) -> bool:
        """True if the pointer to a run must be in a low register, because the run's elements are widened or
        narrowed.
        """
        if any(isinstance(access, Entry) and access.run == run for access in self.program.accesses.values()):
            return False
        widths = self.program.widths
        for sum in self.program.sums.values():
            if run in (sum.rows, sum.vector):
                return sum_bits(self.program, sum) > widths[run]
        return widths[run] < self.bits

    def mask_of(self, sum: RowSum) -> tuple[int, int] | None:
        """The width of the lanes in bits, and the number of elements in the last vector of a sum's rows.

        Returns None if this vector is full.
        """
        bits = sum_bits(self.program, sum)
        rest = sum.length % (8 * VECTOR // bits)
        return (bits, rest) if rest else None

    @property
    def core(self) -> set[str]:
        """The core registers that contain counters, pointers, sums and constants."""
        sums = [SUMMED] if self.program.sums else []
        places = [PLACED] if self.kind == PLACE else []
        return {*self.in_core.values(), *self.pointers.values(), *COUNTERS[: self.counters], *sums, *places}

    @property
    def saves_vectors(self) -> bool:
        return any(vector in self.taken for vector in _VECTORS[_PRESERVED:])

    def loaded(self, frame: int) -> Code:
        """Code that loads pointers, vectors and constants.

        frame: the bytes of stack below the stack arguments.
        """
        lines = list[Line]()
        for run, register in self.pointers.items():
            if run >= len(ARGUMENTS):
                lines.append(t.ldr(register, slot(frame + 4 * (run - len(ARGUMENTS)))))
        for (run, bits), vectors in self.met.items():
            lines += self._met(run, bits, vectors)
        if self.mask is not None:
            bits, rest = self.mask
            lines += predicate(rest, bits, SCRATCH)
        for value, vector in self.shared.items():
            lines += (self.element(value), integer(f"vdup.{self.bits}", vector, SCRATCH))
        core = [number_in(register, value) for value, register in self.in_core.items()]
        vectors = [
            joined(number_in(SCRATCH, value), integer(f"vdup.{self.bits}", vector, SCRATCH))
            for value, vector in self.in_vectors.items()
        ]
        return joined(lines, *core, *vectors, self._begun())

    def element(self, value: SSAValue) -> Instruction:
        """The instruction that loads a value, the same for all iterations, from memory to `SCRATCH`."""
        run = self.program.accesses[cast(Operation, value.owner)].run
        return _LOADS[self.program.widths[run]](SCRATCH, at(self.pointers[run]))

    def _begun(self) -> Code:
        if (join := self.program.join) is None:
            return ()
        start, lines = join.start, list[Line]()
        if join.kind == SUM:
            # The start is added at the end.
            return (integer("vmov.i32", self.all[0], 0),)
        if isinstance(start, int):
            lines += [*number_in(SCRATCH, start), integer(f"vdup.{self.bits}", self.all[0], SCRATCH)]
        else:
            lines.append(integer("vmov", self.all[0], self.shared[start]))
        if join.kind == PLACE:
            lines += [*number_in(PLACED, join.other), integer(f"vdup.{self.bits}", self.all[1], PLACED)]
            lines += number_in(PLACED, join.first)
        return tuple(lines)

    def ended(self) -> Code:
        """Code that combines the lanes of a reduction, and stores the result; empty if there is no reduction."""
        if (join := self.program.join) is None:
            return ()
        bits, all = self.bits, self.all[0]
        start, store = join.start, _STORES[self.program.widths[-1]]
        lines = list[Line]()
        if join.kind == SUM:
            known = number_in(SCRATCH, start) if isinstance(start, int) else (self.element(start),)
            lines += [*known, integer("vaddva.s32", SCRATCH, all)]
        else:
            lines += [*self._first_lane(all), integer(f"vmaxv.s{bits}", SCRATCH, all)]
        if join.kind == PLACE:
            # Lanes without the greatest value receive the greatest number, which is never a position.
            spare = self.temporaries[0]
            lines += [integer(f"vcmp.i{bits}", "eq", all, SCRATCH), *number_in(SCRATCH, (1 << bits - 1) - 1)]
            lines += [integer(f"vdup.{bits}", spare, SCRATCH), integer("vpsel", spare, self.all[1], spare)]
            lines += [*self._first_lane(spare), integer(f"vminv.s{bits}", SCRATCH, spare)]
        return joined(lines, store(SCRATCH, at(self.pointers[len(self.program.widths) - 1])))

    def _first_lane(self, vector: str) -> Code:
        sign = "s" if self.bits < REGISTER else ""
        return (scalar(f"vmov.{sign}{self.bits}", SCRATCH, f"{vector}[0]"),)

    def _met(self, run: int, bits: int, vectors: Sequence[str]) -> Code:
        width, lines = self.program.widths[run], list[Line]()
        rest = self.program.reach[run] % (8 * VECTOR // bits)
        for number, vector in enumerate(vectors):
            masked = rest > 0 and number == len(vectors) - 1
            lines += (*predicate(rest, bits, SCRATCH), scalar("vpst")) if masked else ()
            name = loading(width, bits, masked=masked)
            lines.append(access(name, vector, ARGUMENTS[run], offset=number * VECTOR * width // bits))
        return tuple(lines)


def scalars_of(program: LaneProgram, op: Operation) -> Sequence[int]:
    """The constants that an op reads from core registers."""
    if isinstance(op, func.CallOp):
        factors = program.factors(op, *REQUANTISING)
        return [] if factors is None else factors[:1]
    if isinstance(op, BY_SCALAR | arith.CmpiOp):
        first, second = program.operands(op)
        if isinstance(second, int):
            return [second]
        return [first] if isinstance(first, int) and isinstance(op, arith.AddiOp | arith.MuliOp) else []
    return []


def tie(program: LaneProgram, op: func.CallOp) -> int | None:
    """For a call that requantises with halves to even: the number n for which the product lies halfway between two
    integers whenever the operand is an odd multiple of 2^n.

    Returns None if the operand cannot be such a multiple, and for any other call.
    """
    if (factors := program.factors(op, REQUANTISE_EVEN)) is None:
        return None
    multiplier, shift = factors
    low, high = program.intervals[cast(SSAValue, program.operands(op)[0])]
    half = 30 - shift - ((multiplier & -multiplier).bit_length() - 1)
    return half if half >= 0 and max(-low, high) >= 1 << half else None


def vector_constants(program: LaneProgram, op: Operation) -> Sequence[int]:
    """The constant operands that an op reads from vector registers instead of core registers."""
    if isinstance(op, ReduceOp) and not program.is_inner(op):
        return []
    constants = [operand for operand in program.operands(op) if isinstance(operand, int)]
    if isinstance(op, arith.SubiOp) and constants == [0]:
        return []
    return [] if scalars_of(program, op) and not isinstance(op, func.CallOp) else constants


def sum_bits(program: LaneProgram, sum: RowSum) -> int:
    """The width in bits of the lanes in which the rows of a sum are multiplied by the vector.

    Differences need twice the width of the elements.
    """
    bits = max(program.widths[sum.rows], program.widths[sum.vector])
    return 2 * bits if sum.differs else bits


def vectors_of(length: int, bits: int) -> int:
    return -(-length * bits // (8 * VECTOR))


def loading(width: int, bits: int, *, masked: bool) -> str:
    """The mnemonic of the instruction that loads `width`-bit elements into lanes of `bits` bits, which are at least as
    wide.

    masked: true for a load under a predicate.
    """
    return f"vldr{_SIZES[width]}{'t' if masked else ''}.{'u' if width == bits else 's'}{bits}"


def storing(width: int, bits: int, *, masked: bool) -> str:
    """The mnemonic of the instruction that stores `width`-bit elements from lanes of `bits` bits, which are at least as
    wide.

    masked: true for a store under a predicate.
    """
    return f"vstr{_SIZES[width]}{'t' if masked else ''}.{bits}"
