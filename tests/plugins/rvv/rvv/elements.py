"""Lane functions with vector instructions. Each pass computes as many iterations as a group of registers has lanes of
the necessary width.

The code is correct for vectors of any length, because each pass requests lanes for all remaining elements and processes
as many as it receives. Constants, and elements that all iterations share, are scalars. Inner loops are unrolled. If all
iterations are reduced to one value, it is a scalar in the first lane of a register.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, func, memref
from xdsl.ir import Operation, SSAValue

from rvv.vectors import VECTOR, counted, moved, op
from tinyml.extend.chips import Code, LocalLabel, Refused, Repeated, RepeatedCode, joined
from tinyml.extend.lanes import (
    AT_LEAST,
    Element,
    Entry,
    Join,
    LaneProgram,
    Operand,
    Shared,
    compared,
    unrolled,
)

_MOST_OPS, _MOST_RUNS = 96, 6
_ARGUMENTS = tuple(f"a{number}" for number in range(8))
_LANES, _LEFT, _SCRATCH, _LINES = "t0", "t1", "t6", "t5"
_SCALARS = ("t2", "t3", "t4")
"""Registers for scalars, in addition to the registers of unused arguments."""

_JOINED, _PLACE = "v1", "t5"
"""The registers of the value to which all iterations are reduced, and of its position, in place of `_LINES`."""

_NARROW = "v4"
"""The first of up to four registers for elements before they are widened. v0 contains masks."""

_BOTH: Mapping[type[Operation], str] = {
    arith.AddiOp: "vadd",
    arith.MuliOp: "vmul",
    arith.AndIOp: "vand",
    arith.MinSIOp: "vmin",
    arith.MaxSIOp: "vmax",
}


@dataclass(frozen=True)
class Elements(RepeatedCode):
    """The code for a lane function. Raises `Refused` if an op is not supported, or if there are too few registers for
    all values.
    """

    program: LaneProgram

    def function(self) -> Repeated:
        """The function with the largest groups of registers for which there are enough registers. Groups are not larger
        than all iterations need. Raises `Refused` if there are too few registers for any group.
        """
        program = unrolled(self.program)
        calls = [op for op in program.ops if isinstance(op, func.CallOp)]
        known = not program.sums and all(program.factors(call) is not None for call in calls)
        if not known or len(program.ops) > _MOST_OPS or len(program.widths) > _MOST_RUNS:
            raise Refused
        bits = _bits(program)
        needed = next((group for group in (1, 2, 4) if program.count * bits <= 8 * group * VECTOR), 8)
        for group in (8, 4, 2, 1):
            if group <= needed:
                try:
                    return _Pass(program, group, bits).function()
                except Refused:
                    pass
        raise Refused


def _bits(program: LaneProgram) -> int:
    """The width of lanes that can represent all values and constants, at least the width of the result; 32 for a
    program with function calls or a sum.
    """
    join = program.join
    if program.calls or (join is not None and join.kind == "sum"):
        return 32
    constants = (one for op in program.ops for one in program.operands(op) if isinstance(one, int))
    ends = [*constants, *(end for interval in program.intervals.values() for end in interval)]
    lefts = (1 + program.amount(op) for op in program.ops if isinstance(op, arith.ShLIOp))
    least = max(program.widths[-1] if join is None else 0, *lefts, 0)
    fitting = (bits for bits in (8, 16) if -(1 << bits - 1) <= min(ends) and max(ends) < 1 << bits - 1)
    return next((bits for bits in fitting if bits >= least), 32)


class _Pass:
    """The code of one pass. Each value is in a group of registers."""

    def __init__(self, program: LaneProgram, group: int, bits: int) -> None:
        self.program, self.group, self.bits = program, group, bits
        self.free = [f"v{number}" for number in range(8, 32, group)]
        self.at = dict[SSAValue, str]()
        self.scalars = dict[Operand, str]()
        self.before = list[Code]()
        self.registers = [*_ARGUMENTS[len(program.widths) :], *_SCALARS]

    def function(self) -> Repeated:
        program = self.program
        passes = -(-program.count * self.bits // (8 * self.group * VECTOR))
        bytes = [width // 8 for width in program.widths]
        ahead = [size * advance for size, advance in zip(bytes, program.advances, strict=True)]
        count, lanes = (op("li", _LEFT, program.count),), self._lanes(self.bits, (_LANES, _LEFT))
        body = joined(*(self._op(each) for each in program.ops))
        if passes > 1:
            moves = (self._ahead(pointer, step) for pointer, step in zip(_ARGUMENTS, ahead, strict=False))
            end = op("sub", _LEFT, _LEFT, _LANES), op("bnez", _LEFT, "1b")
            line = Repeated.once(joined(lanes, body, *moves)).looped(count, end, passes, 1)
        elif program.widths[-1] < self.bits and program.join is None:
            line, ahead = Repeated.once(joined(count, lanes, body)), [0] * len(ahead)
        else:
            # Every line has the same lanes as the first one.
            self.before.append(joined(count, lanes))
            line, ahead = Repeated.once(body), [0] * len(ahead)
        if program.lines > 1:
            pitches = [size * pitch for size, pitch in zip(bytes, program.pitches, strict=True)]
            rests = [pitch - program.count * step for pitch, step in zip(pitches, ahead, strict=True)]
            moves = (moved(pointer, rest, _SCRATCH) for pointer, rest in zip(_ARGUMENTS, rests, strict=False))
            line = counted(line.then(joined(*moves)), program.lines, _LINES, 2)
        # Round halves upwards.
        begin = joined(op("csrwi", "vxrm", 0), *self.before)
        return Repeated.once(begin).followed_by(line).then((*self._ended(), op("ret")))

    def _lanes(self, bits: int, count: tuple[str, str] = ("zero", "zero")) -> Code:
        """Set the width of lanes. Their number is unchanged unless `count` names registers for another number."""
        eighths = self.group * 8 * bits // self.bits
        multiple = f"m{eighths // 8}" if eighths >= 8 else f"mf{8 // eighths}"
        return (op("vsetvli", *count, f"e{bits}", multiple, "ta", "mu"),)

    def _ahead(self, pointer: str, step: int) -> Code:
        """Advance a pointer by `step` bytes for each lane."""
        if step in (0, 1):
            return (op("add", pointer, pointer, _LANES),) if step else ()
        if step not in (2, 4):
            raise Refused
        return op("slli", _SCRATCH, _LANES, step.bit_length() - 1), op("add", pointer, pointer, _SCRATCH)

    def _scalar(self, operand: Operand) -> str:
        """The scalar register that contains a constant or a shared element in all passes."""
        if operand == 0:
            return "zero"
        if operand not in self.scalars:
            if not self.registers:
                raise Refused
            register = self.scalars[operand] = self.registers.pop(0)
            if isinstance(operand, int):
                self.before.append((op("li", register, operand),))
            else:
                run = self.program.accesses[cast(Operation, operand.owner)].run
                load = {8: "lb", 16: "lh", 32: "lw"}[self.program.widths[run]]
                self.before.append((op(load, register, f"0({_ARGUMENTS[run]})"),))
        return self.scalars[operand]

    def _is_scalar(self, operand: Operand) -> bool:
        return isinstance(operand, int) or isinstance(self._access(operand.owner), Shared)

    def _access(self, each: object) -> Element | Entry | Shared | None:
        return self.program.accesses.get(each) if isinstance(each, Operation) else None

    def _vector(self, operand: Operand) -> str:
        if isinstance(operand, int) or operand not in self.at:
            # The result of an op on scalars alone is the same in all passes.
            raise Refused
        return self.at[operand]

    def _op(self, each: Operation) -> Code:
        if isinstance(each, arith.CmpiOp) or isinstance(self._access(each), Shared):
            return ()
        place, is_last = self.program.places[each], each is self.program.ops[-1]
        to = "" if is_last else self._taken()
        code = self._code(each, to)
        for value in [
            value for value in self.at if max([use for use, _ in self.program.uses[value]], default=place) == place
        ]:
            self.free.insert(0, self.at.pop(value))
        if to:
            self.at[each.results[0]] = to
        return code

    def _taken(self) -> str:
        if not self.free:
            raise Refused
        return self.free.pop(0)

    def _code(self, each: Operation, to: str) -> Code:
        operands = self.program.operands(each)
        match each:
            case memref.LoadOp():
                match self.program.accesses[each]:
                    case Element(run, offset):
                        return self._loaded(run, offset, to)
                    case Entry(run, index):
                        return self._looked_up(run, index, to)
                    case Shared():
                        return ()
            case memref.StoreOp():
                return self._stored(operands[0])
            case arith.ShLIOp():
                return (op("vsll.vi", to, self._vector(operands[0]), self.program.amount(each)),)
            case arith.ShRSIOp():
                # The instruction uses only the low bits of a shift amount.
                by = min(self.program.amount(each), self.bits - 1)
                return (op("vsra.vi", to, self._vector(operands[0]), by),)
            case func.CallOp():
                return self._requantised(each, operands[0], to)
            case arith.SelectOp():
                _, a, b = operands
                return self._selected(compared(each), a, b, to)
            case arith.SubiOp():
                return self._difference(operands[0], operands[1], to)
            case _ if self.program.join is not None and each is self.program.ops[-1]:
                return self._joined(self.program.join)
            case _:
                return self._binary(each, operands[0], operands[1], to)

    def _loaded(self, run: int, offset: int, to: str) -> Code:
        width = self.program.widths[run]
        at = _SCRATCH if offset else _ARGUMENTS[run]
        address = moved(_SCRATCH, offset * width // 8, _SCRATCH, _ARGUMENTS[run]) if offset else ()
        if width == self.bits:
            return (*address, op(f"vle{width}.v", to, f"({at})"))
        widened = op(f"vsext.vf{self.bits // width}", to, _NARROW)
        return (*address, op(f"vle{width}.v", _NARROW, f"({at})"), widened)

    def _looked_up(self, run: int, index: Operand, to: str) -> Code:
        """Load the elements of a table at the given indices."""
        width, offsets, lines = self.program.widths[run], self._vector(index), list[Code]()
        if width > 8:
            lines.append((op("vsll.vi", to, offsets, width.bit_length() - 4),))
            offsets = to
        load = f"vluxei{self.bits}.v"
        if width == self.bits:
            return joined(*lines, op(load, to, f"({_ARGUMENTS[run]})", offsets))
        lines += [self._lanes(width), (op(load, _NARROW, f"({_ARGUMENTS[run]})", offsets),), self._lanes(self.bits)]
        return joined(*lines, op(f"vsext.vf{self.bits // width}", to, _NARROW))

    def _binary(self, each: Operation, a: Operand, b: Operand, to: str) -> Code:
        name = _BOTH[type(each)]
        if self._is_scalar(a):
            a, b = b, a
        if self._is_scalar(a):
            raise Refused
        if isinstance(b, int) and -16 <= b < 16 and isinstance(each, arith.AddiOp | arith.AndIOp):
            return (op(f"{name}.vi", to, self._vector(a), b),)
        if self._is_scalar(b):
            return (op(f"{name}.vx", to, self._vector(a), self._scalar(b)),)
        return (op(f"{name}.vv", to, self._vector(a), self._vector(b)),)

    def _difference(self, a: Operand, b: Operand, to: str) -> Code:
        if self._is_scalar(a):
            return (op("vrsub.vx", to, self._vector(b), self._scalar(a)),)
        if self._is_scalar(b):
            return (op("vsub.vx", to, self._vector(a), self._scalar(b)),)
        return (op("vsub.vv", to, self._vector(a), self._vector(b)),)

    def _selected(self, condition: arith.CmpiOp, a: Operand, b: Operand, to: str) -> Code:
        """Select the elements of `a` where the comparison holds, and those of `b` elsewhere."""
        first, second = self.program.operands(condition)
        at_least = condition.predicate.value.data == AT_LEAST
        if self._is_scalar(first):
            comparison = "vmsle.vx" if at_least else "vmslt.vx"
            mask = op(comparison, "v0", self._vector(second), self._scalar(first))
        elif self._is_scalar(second):
            # No instruction tests whether elements are at least a scalar: test the opposite, and exchange a and b.
            mask = op("vmslt.vx" if at_least else "vmsgt.vx", "v0", self._vector(first), self._scalar(second))
        else:
            comparison = "vmsle.vv" if at_least else "vmslt.vv"
            mask = op(comparison, "v0", self._vector(second), self._vector(first))
        if at_least and not self._is_scalar(first) and self._is_scalar(second):
            a, b = b, a
        other = (op("vmv.v.x", to, self._scalar(b)),) if self._is_scalar(b) else ()
        otherwise = to if other else self._vector(b)
        if self._is_scalar(a):
            return mask, *other, op("vmerge.vxm", to, otherwise, self._scalar(a), "v0")
        return mask, *other, op("vmerge.vvm", to, otherwise, self._vector(a), "v0")

    def _requantised(self, call: func.CallOp, value: Operand, to: str) -> Code:
        """Perform TensorFlow Lite's two roundings, as in `rvv.requantise`, with a constant shift."""
        assert not isinstance(value, int)
        multiplier, shift = cast("tuple[int, int]", self.program.factors(call))
        low, high = self.program.intervals[value]
        source, lines = self._vector(value), list[Code]()
        if shift > 0:
            if not (low << shift >= -(1 << 31) and high << shift < 1 << 31):
                # Plain C saturates this shift.
                raise Refused
            lines.append((op("vsll.vi", to, source, shift),))
            source = to
        lines.append((op("vsmul.vx", to, source, self._scalar(multiplier)),))
        if shift < 0:
            if low < 0:
                lines.append((op("vmslt.vx", "v0", to, "zero"), op("vadd.vi", to, to, -1, "v0.t")))
            lines.append((op("vssra.vi", to, to, -shift),))
        return joined(*lines)

    def _stored(self, value: Operand) -> Code:
        """Narrow a value in its registers to the width of the result, and store it."""
        width, out = self.program.widths[-1], _ARGUMENTS[len(self.program.widths) - 1]
        if self._is_scalar(value):
            raise Refused
        from_, lines = self._vector(value), list[Code]()
        for bits in (16, 8):
            if width <= bits < self.bits:
                lines += [self._lanes(bits), (op("vnsrl.wi", from_, from_, 0),)]
        return joined(*lines, op(f"vse{width}.v", from_, f"({out})"))

    def _joined(self, join: Join) -> Code:
        """Reduce the values of this pass and the result of the previous passes. The position of a maximum is computed
        only if the maximum is new.
        """
        first, value = self._scalar(join.start), join.value
        lane = op("vsetivli", "zero", 1, f"e{self.bits}", "m1", "ta", "ma"), op("vmv.s.x", _JOINED, first)
        name = "vredsum.vs" if join.kind == "sum" else "vredmax.vs"
        code = (op(name, _JOINED, self._vector(value), _JOINED),)
        if join.kind != "place":
            self.before.append(lane)
            return code
        if not self.registers:
            raise Refused
        best = self.registers.pop(0)
        self.before.append((*lane, op("mv", best, first), op("li", _PLACE, join.other)))
        found = (
            *(op("mv", best, _SCRATCH), op("vmseq.vx", "v0", self._vector(value), best), op("vfirst.m", _PLACE, "v0")),
            *(op("li", _SCRATCH, join.first + self.program.count), op("sub", _SCRATCH, _SCRATCH, _LEFT)),
            op("add", _PLACE, _PLACE, _SCRATCH),
        )
        unless = op("vmv.x.s", _SCRATCH, _JOINED), op("beq", _SCRATCH, best, "3f")
        return joined(code, unless, found, LocalLabel(3))

    def _ended(self) -> Code:
        """Store the value to which all iterations were reduced."""
        join, widths, store = self.program.join, self.program.widths, {8: "sb", 16: "sh", 32: "sw"}
        if join is None:
            return ()
        to = f"0({_ARGUMENTS[len(widths) - 1]})"
        if join.kind == "place":
            return (op(store[widths[-1]], _PLACE, to),)
        return op("vmv.x.s", _SCRATCH, _JOINED), op(store[widths[-1]], _SCRATCH, to)
