"""Loops over elements: as many iterations at a time as a group of registers has lanes of the width that values need.

The code is right for vectors of any length, as each pass asks how many of the elements left it takes. Constants, and
elements that all iterations share, are scalars. Inner loops are unrolled. What joins all iterations is a scalar in the
first lane of a register.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rvv.vectors import VECTOR, counted, moved, op
from tinyml.extend.chips import Code, LocalLabel, Repeated, RepeatedCode, joined
from tinyml.extend.lanes import REDUCTIONS, Constant, ElementLoop, Operand, Step

_MOST_STEPS, _MOST_RUNS = 96, 6
_ARGUMENTS = tuple(f"a{number}" for number in range(8))
_LANES, _LEFT, _SCRATCH, _LINES = "t0", "t1", "t6", "t5"
_SCALARS = ("t2", "t3", "t4")
"""Registers of scalars, beside those of arguments that there are not."""

_JOINED, _PLACE = "v1", "t5"
"""The registers of what all iterations are joined to. That of lines is free then."""

_NARROW = "v4"
"""The registers of elements before they are widened, at most four. v0 is the mask."""

_BOTH = {"add": "vadd", "mul": "vmul", "and": "vand", "min": "vmin", "max": "vmax"}
_IMMEDIATE = ("add", "and")


class _RefusedError(Exception):
    """A loop that has no code."""


@dataclass(frozen=True)
class Elements(RepeatedCode):
    """The code for a loop."""

    loop: ElementLoop

    @cached_property
    def fits(self) -> bool:
        """True if there is code for all steps, with registers for all values."""
        try:
            return len(self.code.lines) > 0
        except _RefusedError:
            return False

    def function(self) -> Repeated:
        """The function with the largest groups of registers that suffice for all values, but no larger than needed."""
        loop = self.loop.unrolled
        known = {"load", "shared", "lookup", "sub", "left", "right", "requantise", "store", *REDUCTIONS, *_BOTH}
        known |= {"at_least", "greater", "select"}
        names = {step.name for step in loop.steps}
        if not names <= known or len(loop.steps) > _MOST_STEPS or len(loop.widths) > _MOST_RUNS:
            raise _RefusedError
        bits = _bits(loop)
        needed = next((group for group in (1, 2, 4) if loop.count * bits <= 8 * group * VECTOR), 8)
        for group in (8, 4, 2, 1):
            if group <= needed:
                try:
                    return _Pass(loop, group, bits).function()
                except _RefusedError:
                    pass
        raise _RefusedError


def _bits(loop: ElementLoop) -> int:
    """The width of lanes that hold all values and constants, at least that of the result."""
    if any(step.name in ("requantise", "sum") for step in loop.steps):
        return 32
    constants = (one.value for step in loop.steps for one in step.operands if isinstance(one, Constant))
    ends = [*constants, *(end for interval in _values(loop) for end in interval)]
    stored = 0 if loop.reduces else loop.widths[-1]
    least = max(stored, *(1 + step.numbers[0] for step in loop.steps if step.name == "left"), 0)
    fitting = (bits for bits in (8, 16) if -(1 << bits - 1) <= min(ends) and max(ends) < 1 << bits - 1)
    return next((bits for bits in fitting if bits >= least), 32)


def _values(loop: ElementLoop) -> Sequence[tuple[int, int]]:
    """The intervals of all values that take lanes."""
    without = "store", "at_least", "greater", *REDUCTIONS
    return [ends for step, ends in zip(loop.steps, loop.intervals, strict=True) if step.name not in without]


class _Pass:
    """The code with values in groups of registers."""

    def __init__(self, loop: ElementLoop, group: int, bits: int) -> None:
        self.loop, self.group, self.bits = loop, group, bits
        self.free = [f"v{number}" for number in range(8, 32, group)]
        self.at = dict[int, str]()
        self.scalars = dict[Operand, str]()
        self.before = list[Code]()
        self.registers = [*_ARGUMENTS[len(loop.widths) :], *_SCALARS]
        self.last = self._last_uses()

    def _last_uses(self) -> Mapping[int, int]:
        """The number of the last step that reads each value. A comparison is computed where it selects."""
        last = dict[int, int]()
        for number, step in enumerate(self.loop.steps):
            for operand in step.operands:
                if not isinstance(operand, Constant):
                    last[operand] = number
                    if self.loop.steps[operand].name in ("at_least", "greater"):
                        last |= dict.fromkeys(
                            (one for one in self.loop.steps[operand].operands if not isinstance(one, Constant)), number
                        )
        return last

    def function(self) -> Repeated:
        loop = self.loop
        passes = -(-loop.count * self.bits // (8 * self.group * VECTOR))
        bytes = [width // 8 for width in loop.widths]
        ahead = [size * advance for size, advance in zip(bytes, loop.advances, strict=True)]
        count, lanes = (op("li", _LEFT, loop.count),), self._lanes(self.bits, (_LANES, _LEFT))
        body = joined(*(self._step(number, step) for number, step in enumerate(loop.steps)))
        if passes > 1:
            moves = (self._ahead(pointer, step) for pointer, step in zip(_ARGUMENTS, ahead, strict=False))
            end = op("sub", _LEFT, _LEFT, _LANES), op("bnez", _LEFT, "1b")
            line = Repeated.once(joined(lanes, body, *moves)).looped(count, end, passes, 1)
        elif loop.widths[-1] < self.bits and not loop.reduces:
            line, ahead = Repeated.once(joined(count, lanes, body)), [0] * len(ahead)
        else:
            # All lines have the lanes of the first one.
            self.before.append(joined(count, lanes))
            line, ahead = Repeated.once(body), [0] * len(ahead)
        if loop.lines > 1:
            pitches = [size * pitch for size, pitch in zip(bytes, loop.pitches, strict=True)]
            rests = [pitch - loop.count * step for pitch, step in zip(pitches, ahead, strict=True)]
            moves = (moved(pointer, rest, _SCRATCH) for pointer, rest in zip(_ARGUMENTS, rests, strict=False))
            line = counted(line.then(joined(*moves)), loop.lines, _LINES, 2)
        # Round halves upwards.
        begin = joined(op("csrwi", "vxrm", 0), *self.before)
        return Repeated.once(begin).followed_by(line).then((*self._ended(), op("ret")))

    def _lanes(self, bits: int, count: tuple[str, str] = ("zero", "zero")) -> Code:
        """Let vectors have lanes of a width, as many as before if no registers are named for other numbers."""
        eighths = self.group * 8 * bits // self.bits
        multiple = f"m{eighths // 8}" if eighths >= 8 else f"mf{8 // eighths}"
        return (op("vsetvli", *count, f"e{bits}", multiple, "ta", "mu"),)

    def _ahead(self, pointer: str, step: int) -> Code:
        """Advance a pointer by a number of bytes for each lane."""
        if step in (0, 1):
            return (op("add", pointer, pointer, _LANES),) if step else ()
        if step not in (2, 4):
            raise _RefusedError
        return op("slli", _SCRATCH, _LANES, step.bit_length() - 1), op("add", pointer, pointer, _SCRATCH)

    def _scalar(self, operand: Operand) -> str:
        """The register of a constant or a shared element, which has its value in all passes."""
        if operand == Constant(0):
            return "zero"
        if operand not in self.scalars:
            if not self.registers:
                raise _RefusedError
            register = self.scalars[operand] = self.registers.pop(0)
            if isinstance(operand, Constant):
                self.before.append((op("li", register, operand.value),))
            else:
                run = self.loop.steps[operand].numbers[0]
                load = {8: "lb", 16: "lh", 32: "lw"}[self.loop.widths[run]]
                self.before.append((op(load, register, f"0({_ARGUMENTS[run]})"),))
        return self.scalars[operand]

    def _is_scalar(self, operand: Operand) -> bool:
        return isinstance(operand, Constant) or self.loop.steps[operand].name == "shared"

    def _vector(self, operand: Operand) -> str:
        if isinstance(operand, Constant) or operand not in self.at:
            # An op on scalars alone is the same in all passes.
            raise _RefusedError
        return self.at[operand]

    def _step(self, number: int, step: Step) -> Code:
        if step.name in ("shared", "at_least", "greater"):
            return ()
        sources = [one for one in step.operands if not isinstance(one, Constant)]
        to = "" if step.name in ("store", *REDUCTIONS) else self._taken()
        code = self._code(step, to)
        compared = [one for source in sources for one in self.loop.steps[source].operands if self._compares(source)]
        for source in {*sources, *compared}:
            if not isinstance(source, Constant) and self.last[source] == number and source in self.at:
                self.free.insert(0, self.at.pop(source))
        if to:
            self.at[number] = to
        return code

    def _compares(self, number: int) -> bool:
        return self.loop.steps[number].name in ("at_least", "greater")

    def _taken(self) -> str:
        if not self.free:
            raise _RefusedError
        return self.free.pop(0)

    def _code(self, step: Step, to: str) -> Code:
        match step:
            case Step("load", _, (run, offset)):
                return self._loaded(run, offset, to)
            case Step("lookup", (index,), (run, _)):
                return self._looked_up(run, index, to)
            case Step("store", (value,)):
                return self._stored(value)
            case Step("sum" | "greatest" | "place", (start, value)):
                return self._joined(step, start, value)
            case Step("left", (value,), (by,)):
                return (op("vsll.vi", to, self._vector(value), by),)
            case Step("right", (value,), (by,)):
                # Shifts go by the low bits of a number.
                return (op("vsra.vi", to, self._vector(value), min(by, self.bits - 1)),)
            case Step("requantise", (value,), (multiplier, shift)):
                return self._requantised(value, multiplier, shift, to)
            case Step("select", (compared, a, b)):
                return self._selected(compared, a, b, to)
            case _:
                return self._binary(step, to)

    def _loaded(self, run: int, offset: int, to: str) -> Code:
        width = self.loop.widths[run]
        at = _SCRATCH if offset else _ARGUMENTS[run]
        address = moved(_SCRATCH, offset * width // 8, _SCRATCH, _ARGUMENTS[run]) if offset else ()
        if width == self.bits:
            return (*address, op(f"vle{width}.v", to, f"({at})"))
        widened = op(f"vsext.vf{self.bits // width}", to, _NARROW)
        return (*address, op(f"vle{width}.v", _NARROW, f"({at})"), widened)

    def _looked_up(self, run: int, index: Operand, to: str) -> Code:
        """Load the elements of a table at indices."""
        width, offsets, lines = self.loop.widths[run], self._vector(index), list[Code]()
        if width > 8:
            lines.append((op("vsll.vi", to, offsets, width.bit_length() - 4),))
            offsets = to
        load = f"vluxei{self.bits}.v"
        if width == self.bits:
            return joined(*lines, op(load, to, f"({_ARGUMENTS[run]})", offsets))
        lines += [self._lanes(width), (op(load, _NARROW, f"({_ARGUMENTS[run]})", offsets),), self._lanes(self.bits)]
        return joined(*lines, op(f"vsext.vf{self.bits // width}", to, _NARROW))

    def _binary(self, step: Step, to: str) -> Code:
        a, b = step.operands
        if step.name == "sub":
            return self._difference(a, b, to)
        name = _BOTH[step.name]
        if self._is_scalar(a):
            a, b = b, a
        if self._is_scalar(a):
            raise _RefusedError
        if isinstance(b, Constant) and -16 <= b.value < 16 and step.name in _IMMEDIATE:
            return (op(f"{name}.vi", to, self._vector(a), b.value),)
        if self._is_scalar(b):
            return (op(f"{name}.vx", to, self._vector(a), self._scalar(b)),)
        return (op(f"{name}.vv", to, self._vector(a), self._vector(b)),)

    def _difference(self, a: Operand, b: Operand, to: str) -> Code:
        if self._is_scalar(a):
            return (op("vrsub.vx", to, self._vector(b), self._scalar(a)),)
        if self._is_scalar(b):
            return (op("vsub.vx", to, self._vector(a), self._scalar(b)),)
        return (op("vsub.vv", to, self._vector(a), self._vector(b)),)

    def _selected(self, compared: Operand, a: Operand, b: Operand, to: str) -> Code:
        """`a` where a comparison holds, otherwise `b`."""
        assert not isinstance(compared, Constant)
        name, (first, second), _ = self.loop.steps[compared]
        if self._is_scalar(first):
            comparison = "vmsle.vx" if name == "at_least" else "vmslt.vx"
            mask = op(comparison, "v0", self._vector(second), self._scalar(first))
        elif self._is_scalar(second):
            # There is no comparison that is true from a scalar on.
            mask = op("vmslt.vx" if name == "at_least" else "vmsgt.vx", "v0", self._vector(first), self._scalar(second))
        else:
            comparison = "vmsle.vv" if name == "at_least" else "vmslt.vv"
            mask = op(comparison, "v0", self._vector(second), self._vector(first))
        if name == "at_least" and not self._is_scalar(first) and self._is_scalar(second):
            a, b = b, a
        other = (op("vmv.v.x", to, self._scalar(b)),) if self._is_scalar(b) else ()
        otherwise = to if other else self._vector(b)
        if self._is_scalar(a):
            return mask, *other, op("vmerge.vxm", to, otherwise, self._scalar(a), "v0")
        return mask, *other, op("vmerge.vvm", to, otherwise, self._vector(a), "v0")

    def _requantised(self, value: Operand, multiplier: int, shift: int, to: str) -> Code:
        """TensorFlow Lite's two roundings, as in `rvv.requantise`, by a constant shift."""
        assert not isinstance(value, Constant)
        low, high = self.loop.intervals[value]
        source, lines = self._vector(value), list[Code]()
        if shift > 0:
            if not (low << shift >= -(1 << 31) and high << shift < 1 << 31):
                # Plain code saturates here.
                raise _RefusedError
            lines.append((op("vsll.vi", to, source, shift),))
            source = to
        lines.append((op("vsmul.vx", to, source, self._scalar(Constant(multiplier))),))
        if shift < 0:
            if low < 0:
                lines.append((op("vmslt.vx", "v0", to, "zero"), op("vadd.vi", to, to, -1, "v0.t")))
            lines.append((op("vssra.vi", to, to, -shift),))
        return joined(*lines)

    def _stored(self, value: Operand) -> Code:
        """Narrow a value, in its own registers or others if it is needed later, and store it."""
        width, out = self.loop.widths[-1], _ARGUMENTS[len(self.loop.widths) - 1]
        if self._is_scalar(value):
            raise _RefusedError
        from_, lines = self._vector(value), list[Code]()
        for bits in (16, 8):
            if width <= bits < self.bits:
                lines += [self._lanes(bits), (op("vnsrl.wi", from_, from_, 0),)]
        return joined(*lines, op(f"vse{width}.v", from_, f"({out})"))

    def _joined(self, step: Step, start: Operand, value: Operand) -> Code:
        """Join the values of a pass to those before. The place of the greatest is looked for where it is a new one."""
        first = self._scalar(start)
        lane = op("vsetivli", "zero", 1, f"e{self.bits}", "m1", "ta", "ma"), op("vmv.s.x", _JOINED, first)
        name = "vredsum.vs" if step.name == "sum" else "vredmax.vs"
        code = (op(name, _JOINED, self._vector(value), _JOINED),)
        if step.name != "place":
            self.before.append(lane)
            return code
        if not self.registers:
            raise _RefusedError
        (begin, other), best = step.numbers, self.registers.pop(0)
        self.before.append((*lane, op("mv", best, first), op("li", _PLACE, other)))
        found = (
            *(op("mv", best, _SCRATCH), op("vmseq.vx", "v0", self._vector(value), best), op("vfirst.m", _PLACE, "v0")),
            *(op("li", _SCRATCH, begin + self.loop.count), op("sub", _SCRATCH, _SCRATCH, _LEFT)),
            op("add", _PLACE, _PLACE, _SCRATCH),
        )
        unless = op("vmv.x.s", _SCRATCH, _JOINED), op("beq", _SCRATCH, best, "3f")
        return joined(code, unless, found, LocalLabel(3))

    def _ended(self) -> Code:
        """Store what all iterations are joined to."""
        loop, store = self.loop, {8: "sb", 16: "sh", 32: "sw"}[self.loop.widths[-1]]
        if not loop.reduces:
            return ()
        to = f"0({_ARGUMENTS[len(loop.widths) - 1]})"
        if loop.steps[-1].name == "place":
            return (op(store, _PLACE, to),)
        return op("vmv.x.s", _SCRATCH, _JOINED), op(store, _SCRATCH, to)
