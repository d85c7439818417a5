"""A builder of hardware modules: combinational logic, registers whose inputs are connected later, and multiplexers with
one-hot conditions.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce

from xdsl.dialects import comb, hw, seq
from xdsl.dialects.builtin import IntegerAttr, IntegerType, LocationAttr, i32
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects.operations import width_of


@dataclass
class Register:
    """A hardware register.

    op: the op of the register; `Circuit.close` connects its input.
    takes: pairs of a condition and a next value; the first true condition determines the next value.
    """

    op: seq.CompRegOp
    takes: list[tuple[SSAValue, SSAValue]] = field(default_factory=list[tuple[SSAValue, SSAValue]])


Chosen = Sequence[tuple[SSAValue, SSAValue]]
"""Pairs of a condition and a value; at most one condition is true at a time."""


class Circuit:
    """A builder that appends ops of a hardware module to a block.

    Each op has the location of the program's op that it implements (`made_for`). Constants, which several ops
    share, have the location of the program.

    clock, reset: input ports of the module.
    location: the location of the program.
    """

    def __init__(self, block: Block, clock: SSAValue, reset: SSAValue, location: LocationAttr):
        self.block = block
        self.program = self.location = location
        self.clock = clock
        self.reset = reset
        self.registers: list[Register] = []
        self.constants: dict[tuple[int, int], SSAValue] = {}
        self.numbers: dict[SSAValue, int] = {}

    def put(self, op: Operation) -> SSAValue:
        op.location = self.program if isinstance(op, hw.ConstantOp) else self.location
        self.block.add_op(op)
        return op.results[0]

    @contextmanager
    def made_for(self, location: LocationAttr) -> Generator[None]:
        """A context in which appended ops have the given location."""
        before, self.location = self.location, location
        yield
        self.location = before

    def constant(self, value: int, width: int) -> SSAValue:
        key = value % (1 << width), width
        if key not in self.constants:
            signed = key[0] - (1 << width) if key[0] >> width - 1 and width > 1 else key[0]
            self.constants[key] = self.put(
                hw.ConstantOp(IntegerAttr(signed, IntegerType(width)).value, width, truncate_bits=True)
            )
            self.numbers[self.constants[key]] = key[0]
        return self.constants[key]

    def known(self, value: SSAValue) -> int | None:
        """The unsigned value of a constant; None for any other value."""
        return self.numbers.get(value)

    # Registers.
    def register(self, width: int, name: str | None = None, *, resets: bool = False) -> Register:
        """Append a register, and return it. It holds its value in every cycle in which no condition of its `takes` is
        true.

        width: the width in bits.
        name: the name of the register; None for no name.
        resets: whether a reset sets the register to 0.
        """
        zero = self.constant(0, width)
        op = seq.CompRegOp(zero, self.clock, (self.reset, zero) if resets else None)
        self.put(op).name_hint = name
        register = Register(op)
        self.registers.append(register)
        return register

    def token(self, before: SSAValue) -> SSAValue:
        """Append a register that delays the one-bit signal `before` by one cycle, and return its output. A reset sets
        the register to 0.
        """
        register = self.register(1, "active", resets=True)
        register.takes.append((self.constant(1, 1), before))
        return register.op.data

    def later_signal(self) -> SSAValue:
        """A placeholder for a signal that does not exist yet. `connect` replaces it."""
        return self.put(comb.OrOp([self.constant(0, 1)]))

    def connect(self, later: SSAValue, signal: SSAValue) -> None:
        """Replace the placeholder `later` by a signal."""
        assert isinstance(later.owner, comb.OrOp)
        later.owner.operands = [signal]

    def close(self, advance: SSAValue) -> None:
        """Connect the inputs of all registers. Except for a reset, a register changes only while `advance` is set."""
        for register in self.registers:
            old = register.op.data
            value = old
            with self.made_for(register.op.location):
                for condition, taken in reversed(register.takes):
                    value = taken if self.known(condition) == 1 else self.mux(condition, taken, value)
                register.op.operands[0] = self.mux(advance, value, old)

    # Logic.
    def mux(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        if (known := self.known(condition)) is not None:
            return a if known else b
        return self.put(comb.MuxOp(condition, a, b))

    def any(self, conditions: Sequence[SSAValue]) -> SSAValue:
        left = [condition for condition in dict.fromkeys(conditions) if self.known(condition) != 0]
        if not left:
            return self.constant(0, 1)
        return left[0] if len(left) == 1 else self.put(comb.OrOp(left))

    def both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        if self.known(a) == 1 or self.known(b) == 1:
            return b if self.known(a) == 1 else a
        return self.put(comb.AndOp([a, b]))

    def negate(self, a: SSAValue) -> SSAValue:
        return self.put(comb.XorOp([a, self.constant(-1, width_of(a))]))

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.put(comb.ICmpOp(a, b, predicate))

    def choose(self, chosen: Chosen, width: int) -> SSAValue:
        """Emit a multiplexer that returns the value in `chosen` whose condition is true. The result is unspecified if
        no condition is true.
        """
        by_value: dict[SSAValue, list[SSAValue]] = {}
        for condition, value in chosen:
            by_value.setdefault(value, []).append(condition)
        if not by_value:
            return self.constant(0, width)
        if len(by_value) == 1:
            return next(iter(by_value))
        return self.gated([(self.any(conditions), value) for value, conditions in by_value.items()], width)

    def gated(self, chosen: Chosen, width: int) -> SSAValue:
        """Emit a multiplexer that returns the value in `chosen` whose condition is true. The result is 0 if no
        condition is true.
        """
        terms = [self._gate(condition, value) for condition, value in chosen if self.known(value) != 0]
        if not terms:
            return self.constant(0, width)
        return terms[0] if len(terms) == 1 else self.put(comb.OrOp(terms))

    def _gate(self, condition: SSAValue, value: SSAValue) -> SSAValue:
        if width_of(value) == 1:
            return self.both(condition, value)
        return self.put(comb.AndOp([self.replicate(condition, width_of(value)), value]))

    def replicate(self, value: SSAValue, times: int) -> SSAValue:
        return value if times == 1 else self.put(comb.ReplicateOp(value, IntegerType(times * width_of(value))))

    def extract(self, value: SSAValue, low: int, width: int) -> SSAValue:
        if low == 0 and width == width_of(value):
            return value
        if (known := self.known(value)) is not None:
            return self.constant(known >> low, width)
        return self.put(comb.ExtractOp(value, IntegerAttr(low, i32), IntegerType(width)))

    def concat(self, high: SSAValue, low: SSAValue) -> SSAValue:
        return self.put(comb.ConcatOp([high, low], IntegerType(width_of(high) + width_of(low))))

    def resize(self, value: SSAValue, width: int, *, signed: bool = True) -> SSAValue:
        """Truncate or extend a value to a width, and return the result.

        signed: true to extend by the sign, false to extend by zeros.
        """
        have = width_of(value)
        if width <= have:
            return self.extract(value, 0, width)
        if (known := self.known(value)) is not None:
            return self.constant(known - (1 << have) if signed and known >> have - 1 else known, width)
        if not signed:
            return self.concat(self.constant(0, width - have), value)
        return self.concat(self.replicate(self.extract(value, have - 1, 1), width - have), value)

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        if self.known(a) == 0 or self.known(b) == 0:
            return b if self.known(a) == 0 else a
        return self.put(comb.AddOp([a, b]))

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return a if self.known(b) == 0 else self.put(comb.SubOp(a, b))

    def shift_left(self, a: SSAValue, amount: int) -> SSAValue:
        """Shift a value left by the constant number `amount` of bits. The result has the width of the value."""
        width = width_of(a)
        if amount == 0 or amount >= width:
            return a if amount == 0 else self.constant(0, width)
        return self.concat(self.extract(a, 0, width - amount), self.constant(0, amount))

    def scaled(self, a: SSAValue, digits: Sequence[tuple[int, int]]) -> SSAValue:
        """Emit the product of a value and a constant, in the value's width.

        digits: the signed powers of two whose sum is the constant, as pairs of exponent and sign.
        """
        ordered = sorted(digits, key=lambda digit: -digit[0])
        terms = [(sign, self.shift_left(a, exponent)) for sign, exponent in ordered]
        if not terms:
            return self.constant(0, width_of(a))
        start = terms[0][1] if terms[0][0] > 0 else self.sub(self.constant(0, width_of(a)), terms[0][1])
        return reduce(lambda sum, term: (self.add if term[0] > 0 else self.sub)(sum, term[1]), terms[1:], start)
