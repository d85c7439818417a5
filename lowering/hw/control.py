"""Control logic, in which a one-bit token passes through straight-line runs, loops and branches in program order.

The token enters a part of the program in the cycle before the part's first cycle, which is the last cycle of the
preceding part. The token leaves the part in the part's last cycle. A part reads its operands in the cycle in which the
token enters. The wire of a value is valid always, or only in one cycle of a timeline. In the second case, registers
store the value for later cycles.

Arithmetic on integers and indices is combinational logic; `Operators` determines the width of each value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, comb, scf
from xdsl.dialects.builtin import IntegerAttr, LocationAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import rtl
from tinyml.dialects.locations import error_at
from tinyml.dialects.operations import width_of
from tinyml.lowering.hw.circuit import Circuit, Register
from tinyml.lowering.hw.memories import ElementStreams, Memories
from tinyml.transforms.rtl.scheduling.operators import MAX_TERMS, Operators, signed_digits, type_width
from tinyml.transforms.rtl.scheduling.regions import (
    LOGIC,
    WAIT,
    StraightRun,
    body_of,
    cycle_of,
    depth_of,
    end_of,
    interval_of,
    is_pipelined,
    items,
)


@dataclass(eq=False)
class Timeline:
    """The cycles of a straight-line run of ops, or of one iteration of a pipelined loop.

    active: for each cycle, the signal that is 1 while the cycle is executed.
    interval: the initiation interval of a pipelined loop; None for a straight-line run.
    """

    active: Sequence[SSAValue]
    interval: int | None = None


@dataclass
class TimedWire:
    """The wire of a value, which is valid in one cycle of a timeline, or always if there is no timeline.

    location: the location of the op that computes the value.
    later: the registers that store the value after this cycle: one per later cycle of a pipelined loop, or one for
        all later cycles of a straight-line run.
    """

    wire: SSAValue
    location: LocationAttr
    timeline: Timeline | None = None
    cycle: int = 0
    later: list[SSAValue] = field(default_factory=list[SSAValue])


class Values:
    """For each value of a program, the wires and registers that contain it."""

    def __init__(self, circuit: Circuit, operators: Operators):
        self.circuit = circuit
        self.operators = operators
        self.places: dict[SSAValue, TimedWire] = {}

    def always(self, value: SSAValue, wire: SSAValue) -> None:
        """Record a wire that carries `value` for as long as the value is used."""
        self.places[value] = TimedWire(wire, self.circuit.location)

    def at_cycle(self, value: SSAValue, wire: SSAValue, timeline: Timeline, cycle: int) -> None:
        """Record the wire that carries `value` in `cycle` of a timeline."""
        self.places[value] = TimedWire(wire, self.circuit.location, timeline, cycle)

    def read(self, value: SSAValue, timeline: Timeline | None = None, cycle: int = 0) -> SSAValue:
        """The wire or register that carries a value in a cycle of a timeline. This timeline may be later than the one
        in which the value is computed.
        """
        owner = value.owner
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            return self.circuit.constant(owner.value.value.data, self.operators.width(value))
        place = self.places[value]
        if place.timeline is None or (place.timeline is timeline and place.cycle >= cycle):
            return place.wire
        with self.circuit.made_for(place.location):
            return self._stored(place, value, timeline, cycle)

    def _stored(self, place: TimedWire, value: SSAValue, timeline: Timeline | None, cycle: int) -> SSAValue:
        """The register that stores a value in a cycle after the cycle in which the value is computed."""
        assert place.timeline is not None
        if place.timeline.interval is None:
            return self._kept(place, value)
        assert place.timeline is timeline, "a value of an iteration is read outside of it"
        while len(place.later) < cycle - place.cycle:
            before = place.later[-1] if place.later else place.wire
            register = self.circuit.register(self.operators.width(value), value.name_hint)
            register.takes.append((self.circuit.constant(1, 1), before))
            place.later.append(register.op.data)
        return place.later[cycle - place.cycle - 1]

    def _kept(self, place: TimedWire, value: SSAValue) -> SSAValue:
        """The register that stores a result of a straight-line run until the run is executed again."""
        if not place.later:
            assert place.timeline is not None
            register = self.circuit.register(self.operators.width(value), value.name_hint)
            register.takes.append((place.timeline.active[place.cycle], place.wire))
            place.later.append(register.op.data)
        return place.later[0]


class Moment:
    """The cycle in which the token enters or leaves a part of the program: the signal of the token, and the
    timeline and cycle in which wires are then valid.
    """

    def __init__(self, signal: SSAValue, timeline: Timeline | None = None, cycle: int = 0):
        self.signal = signal
        self.timeline = timeline
        self.cycle = cycle


class Control:
    """The lowering of the blocks of a scheduled program to control logic."""

    def __init__(self, circuit: Circuit, operators: Operators, memories: Memories, streams: ElementStreams):
        self.circuit = circuit
        self.operators = operators
        self.memories = memories
        self.streams = streams
        self.values = Values(circuit, operators)

    def block(self, block: Block, enter: SSAValue) -> Moment:
        """Lower a block, which the token enters with `enter`. Return the moment at which the token leaves it."""
        now = Moment(enter)
        for item in items(block):
            if isinstance(item, StraightRun):
                now = self._run(item, now)
            else:
                with self.circuit.made_for(item.location):
                    now = Moment(self._control(item, self._waited(item, now)))
        end = block.last_op
        assert end is not None
        return self._waited(end, now)

    def _waited(self, op: Operation, now: Moment) -> Moment:
        return Moment(self.circuit.token(now.signal)) if WAIT in op.attributes else now

    def _at(self, values: Sequence[SSAValue], now: Moment) -> list[SSAValue]:
        return [self.values.read(value, now.timeline, now.cycle) for value in values]

    def _run(self, run: StraightRun, now: Moment) -> Moment:
        signals: list[SSAValue] = []
        for _ in range(run.cycles):
            signals.append(self.circuit.token(signals[-1] if signals else now.signal))
        timeline = Timeline(signals)
        self._ops(run.ops, timeline)
        return Moment(signals[-1], timeline, len(signals) - 1) if signals else now

    def _ops(self, ops: Sequence[Operation], timeline: Timeline) -> None:
        for op in ops:
            with self.circuit.made_for(op.location):
                self._op(op, timeline)

    def _op(self, op: Operation, timeline: Timeline) -> None:
        if (cycle := cycle_of(op)) is None:
            operands = [self.values.read(operand) for operand in op.operands]
            self.values.always(op.results[0], combinational(self.circuit, self.operators, op, operands))
            return
        when = timeline.active[cycle]
        match op:
            case rtl.LoadOp():
                wire = self.memories.load(op, self.values.read(op.address, timeline, cycle), when)
            case rtl.StoreOp():
                value, address = (self.values.read(v, timeline, cycle) for v in (op.value, op.address))
                value = self.circuit.resize(value, type_width(op.value))
                if op.condition is not None:
                    when = self.circuit.both(when, self.values.read(op.condition, timeline, cycle))
                self.memories.store(op, value, address, when)
                return
            case rtl.ReceiveOp():
                wire = self.streams.receive(when)
            case rtl.SendOp():
                self.streams.send(self.values.read(op.value, timeline, cycle), when)
                return
            case _:
                operands = [self.values.read(operand, timeline, cycle) for operand in op.operands]
                wire = combinational(self.circuit, self.operators, op, operands)
        narrow = self.circuit.resize(wire, self.operators.width(op.results[0]))
        self.values.at_cycle(op.results[0], narrow, timeline, end_of(op))

    def _control(self, op: Operation, now: Moment) -> SSAValue:
        match op:
            case scf.ForOp():
                return self._pipeline(op, now) if is_pipelined(op) else self._loop(op, now)
            case scf.IfOp():
                return self._branch(op, now)
            case scf.WhileOp():
                return self._while(op, now)
            case _:
                raise error_at(op, f"'{op.name}' has no hardware")

    def _variables(self, values: Sequence[SSAValue], results: Sequence[SSAValue]) -> list[Register]:
        """Append a register for each loop-carried value. After the last iteration, the registers contain the
        results of the loop.
        """
        registers = [self.circuit.register(self.operators.width(value), value.name_hint) for value in values]
        for value, register in zip(values, registers, strict=True):
            self.values.always(value, register.op.data)
        for result, register in zip(results, registers[len(registers) - len(results) :], strict=True):
            self.values.always(result, register.op.data)
        return registers

    def _take(self, registers: Sequence[Register], when: SSAValue, values: Sequence[SSAValue]) -> None:
        for register, value in zip(registers, values, strict=True):
            register.takes.append((when, self.circuit.resize(value, width_of(register.op.data))))

    def _counted(self, op: scf.ForOp, now: Moment, counter: Register) -> tuple[SSAValue, SSAValue, SSAValue, SSAValue]:
        """Return four signals: whether the loop begins, whether it is skipped, whether it has another iteration, and
        the next value of the loop's counter.
        """
        c = self.circuit
        low, high = self._at([op.lb, op.ub], now)
        wide = max(map(width_of, (low, high, counter.op.data))) + 1
        runs = c.compare("slt", c.resize(low, wide), c.resize(high, wide))
        first, last = (const_evaluate_operand(bound) for bound in (op.lb, op.ub))
        if first is not None and last is not None:
            runs = c.constant(int(first < last), 1)
        wide = max(wide, width_of(self.values.read(op.step)) + 1)
        step = c.resize(self.values.read(op.step), wide)
        following = c.add(c.resize(counter.op.data, wide), step)
        more = c.compare("slt", following, c.resize(self.values.read(op.ub), wide))
        begin, skip = c.both(now.signal, runs), c.both(now.signal, c.negate(runs))
        if (known := c.known(runs)) is not None:
            begin, skip = (now.signal, c.constant(0, 1)) if known else (c.constant(0, 1), now.signal)
        return begin, skip, more, following

    def _loop(self, op: scf.ForOp, now: Moment) -> SSAValue:
        c, body = self.circuit, op.body.block
        registers = self._variables(body.args, op.results)
        begin, skip, more, following = self._counted(op, now, registers[0])
        self._take(registers, now.signal, self._at([op.lb, *op.iter_args], now))
        again = c.later_signal()
        left = self.block(body, c.any([begin, again]))
        c.connect(again, c.both(left.signal, more))
        end = body.last_op
        assert end is not None
        self._take(registers, left.signal, [following, *self._at(end.operands, left)])
        return c.any([skip, c.both(left.signal, c.negate(more))])

    def _pipeline(self, op: scf.ForOp, now: Moment) -> SSAValue:
        c, body, interval, depth = self.circuit, op.body.block, interval_of(op), depth_of(op)
        registers = self._variables(body.args, op.results)
        begin, skip, more, following = self._counted(op, now, registers[0])
        self._take(registers, now.signal, self._at([op.lb, *op.iter_args], now))
        again = c.later_signal()
        signals = [c.token(c.any([begin, again]))]
        while len(signals) < depth:
            signals.append(c.token(signals[-1]))
        c.connect(again, c.both(signals[interval - 1], more))
        timeline = Timeline(signals, interval)
        end = body.last_op
        assert end is not None
        ready = _ready(op, interval)
        for argument, register, cycle in zip(body.args, registers, [interval - 1, *ready], strict=True):
            self.values.at_cycle(argument, register.op.data, timeline, cycle)
        self._ops(body_of(op), timeline)
        self._take(registers[:1], signals[interval - 1], [following])
        for register, yielded, cycle in zip(registers[1:], end.operands, ready, strict=True):
            self._take([register], signals[cycle], [self.values.read(yielded, timeline, cycle)])
        follows = more if depth == interval else signals[depth - 1 - interval]
        return c.any([skip, c.both(signals[-1], c.negate(follows))])

    def _branch(self, op: scf.IfOp, now: Moment) -> SSAValue:
        c = self.circuit
        registers = self._variables(op.results, op.results)
        [condition] = self._at([op.cond], now)
        left: list[SSAValue] = []
        for region, taken in ((op.true_region, condition), (op.false_region, c.negate(condition))):
            enter = c.both(now.signal, taken)
            if not region.blocks:
                left.append(enter)
                continue
            end = region.block.last_op
            assert end is not None
            moment = self.block(region.block, enter)
            self._take(registers, moment.signal, self._at(end.operands, moment))
            left.append(moment.signal)
        return c.any(left)

    def _while(self, op: scf.WhileOp, now: Moment) -> SSAValue:
        c, before, after = self.circuit, op.before_region.block, op.after_region.block
        registers = self._variables(before.args, [])
        kept = self._variables([*after.args], op.results)
        self._take(registers, now.signal, self._at(op.arguments, now))
        again = c.later_signal()
        tested = self.block(before, c.any([now.signal, again]))
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        [holds] = self._at([condition.condition], tested)
        self._take(kept, tested.signal, self._at(condition.args, tested))
        left = self.block(after, c.both(tested.signal, holds))
        end = after.last_op
        assert end is not None
        self._take(registers, left.signal, self._at(end.operands, left))
        c.connect(again, left.signal)
        return c.both(tested.signal, c.negate(holds))


def _ready(op: scf.ForOp, interval: int) -> list[int]:
    """For each yielded value, the cycle of an iteration in which the register of the loop-carried value stores it."""
    body = op.body.block
    end = body.last_op
    assert end is not None

    def ready(yielded: SSAValue, seen: tuple[SSAValue, ...]) -> int:
        if yielded.owner is body:
            if yielded is body.args[0] or yielded in seen:
                return 0
            carried = end.operands[body.args.index(yielded) - 1]  # pyright: ignore
            return max(0, ready(carried, (*seen, yielded)) + 1 - interval)
        owner = yielded.owner
        return (
            end_of(owner)
            if isinstance(owner, Operation) and owner.parent is body and cycle_of(owner) is not None
            else 0
        )

    return [ready(yielded, ()) for yielded in end.operands]


PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")

_SAME_WIDTH: Mapping[type[Operation], Callable[[list[SSAValue]], Operation]] = {
    arith.AndIOp: comb.AndOp,
    arith.OrIOp: comb.OrOp,
    arith.XOrIOp: comb.XorOp,
}
_DIVISIONS: Mapping[type[Operation], Callable[[SSAValue, SSAValue], Operation]] = {
    arith.DivSIOp: comb.DivSOp,
    arith.DivUIOp: comb.DivUOp,
    arith.RemSIOp: comb.ModSOp,
    arith.RemUIOp: comb.ModUOp,
}
_SHIFTS: Mapping[type[Operation], Callable[[SSAValue, SSAValue], Operation]] = {
    arith.ShLIOp: comb.ShlOp,
    arith.ShRSIOp: comb.ShrSOp,
    arith.ShRUIOp: comb.ShrUOp,
}
_UNSIGNED = (arith.ExtUIOp, arith.ShLIOp, arith.ShRUIOp, arith.DivUIOp, arith.RemUIOp)
"""Ops that read bits above the width of an operand's wire; these bits are copies of the sign."""
_EXTREMES: Mapping[type[Operation], str] = {
    arith.MinSIOp: "slt",
    arith.MaxSIOp: "sgt",
    arith.MinUIOp: "ult",
    arith.MaxUIOp: "ugt",
}


def combinational(c: Circuit, operators: Operators, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """Emit combinational logic for a pure op. Raises `InputError` for an op that has no combinational logic, such as an
    op on floats.
    """
    width = operators.width(op.results[0])
    if type(op) in _UNSIGNED:
        operands = [
            c.resize(wire, type_width(value)) if operators.is_signed(value) else wire
            for wire, value in zip(operands, op.operands, strict=True)
        ]
    widest = max(map(width_of, operands))
    match op:
        case arith.AddiOp() | arith.SubiOp():
            a, b = (c.resize(operand, width) for operand in operands)
            return c.add(a, b) if isinstance(op, arith.AddiOp) else c.sub(a, b)
        case arith.MuliOp():
            return _product(c, operators, op, operands, width)
        case arith.CmpiOp():
            a, b = (c.resize(operand, widest) for operand in operands)
            return c.compare(PREDICATES[op.predicate.value.data], a, b)
        case arith.SelectOp():
            return c.mux(operands[0], *(c.resize(operand, width) for operand in operands[1:]))
        case arith.ExtSIOp() | arith.TruncIOp() | arith.IndexCastOp():
            return c.resize(operands[0], width)
        case arith.ExtUIOp():
            return c.resize(operands[0], width, signed=False)
        case arith.ShLIOp() | arith.ShRSIOp() | arith.ShRUIOp():
            return _shifted(c, op, operands, width)
        case _ if type(op) in _EXTREMES:
            a, b = (c.resize(operand, widest) for operand in operands)
            return c.resize(c.mux(c.compare(_EXTREMES[type(op)], a, b), a, b), width)
        case _ if type(op) in _DIVISIONS:
            if operators.is_signed(op.operands[1]):
                # The least integer divided by -1 needs one more bit, unless it overflows its type.
                widest = min(widest + 1, type_width(op.results[0]))
            a, b = (c.resize(operand, widest) for operand in operands)
            return c.resize(c.put(_DIVISIONS[type(op)](a, b)), width)
        case _ if type(op) in _SAME_WIDTH:
            a, b = (c.resize(operand, widest) for operand in operands)
            return c.resize(c.put(_SAME_WIDTH[type(op)]([a, b])), width)
        case _:
            raise error_at(op, f"'{op.name}' has no hardware")


def _product(c: Circuit, operators: Operators, op: arith.MuliOp, operands: Sequence[SSAValue], width: int) -> SSAValue:
    """Emit a product, and return it.

    A product with a constant that has few nonzero digits is a sum of shifted terms, since an FPGA has fewer multipliers
    than logic cells.

    If the op has the attribute `LOGIC`, any other product is computed in logic cells, otherwise by a multiplier.
    """
    a, b = (c.resize(operand, width) for operand in operands)
    for factor, other in ((op.rhs, a), (op.lhs, b)):
        constant = const_evaluate_operand(factor)
        if constant is not None and len(digits := signed_digits(constant)) <= MAX_TERMS:
            return c.scaled(other, digits)
    if LOGIC in op.attributes:
        return _product_in_logic(c, operators, op, operands, width)
    return c.put(comb.MulOp([a, b]))


def _product_in_logic(
    c: Circuit, operators: Operators, op: arith.MuliOp, operands: Sequence[SSAValue], width: int
) -> SSAValue:
    """Emit a product as the sum of partial products, one per bit of the shorter factor, and return it. The sign bit of
    this factor has a negative weight.

    From a multiplication op, synthesis would infer a multiplier block even if the FPGA has no unused one.

    width: the width of the product in bits.
    """
    bits_of = [operators.factor_width(operand) for operand in op.operands]
    short = min(range(2), key=lambda i: bits_of[i])
    long = c.resize(operands[1 - short], bits_of[1 - short])
    rows = [c.gated([(c.extract(operands[short], place, 1), long)], width_of(long)) for place in range(bits_of[short])]
    if len(rows) == 1:
        return c.sub(c.constant(0, width), c.resize(rows[0], width))
    return c.resize(_sum_of_multiples(c, rows), width)


def _sum_of_multiples(c: Circuit, rows: Sequence[SSAValue], *, signed: bool = True) -> SSAValue:
    """Emit the sum of two or more rows. Each row is shifted by one more bit than the previous row.

    Each adder covers only the bits in which its terms overlap. Low bits of a single term bypass the adder. If
    adders were as wide as the product, synthesis would build a compressor tree, which needs twice as many lookup
    tables.

    signed: whether the last row is subtracted instead of added.
    """
    half = 1 << (len(rows) - 1).bit_length() - 1
    low, high = (
        half_of_rows[0] if len(half_of_rows) == 1 else _sum_of_multiples(c, half_of_rows, signed=signed and last)
        for half_of_rows, last in ((rows[:half], False), (rows[half:], True))
    )
    above = c.extract(low, half, width_of(low) - half)
    width = max(width_of(above), width_of(high)) + 1
    join = c.sub if signed and len(rows) == half + 1 else c.add
    return c.concat(join(c.resize(above, width), c.resize(high, width)), c.extract(low, 0, half))


def _shifted(c: Circuit, op: Operation, operands: Sequence[SSAValue], width: int) -> SSAValue:
    value, have = operands[0], width_of(operands[0])
    amount = const_evaluate_operand(op.operands[1])
    signed = isinstance(op, arith.ShRSIOp)
    if amount is None:
        kind = _SHIFTS[type(op)]
        wide = max(have, width_of(operands[1]), width)
        shifted = kind(c.resize(value, wide, signed=signed), c.resize(operands[1], wide, signed=False))
        return c.resize(c.put(shifted), width)
    if isinstance(op, arith.ShLIOp):
        return c.shift_left(c.resize(value, width), amount)
    kept = min(amount, have - 1) if signed else amount
    if kept >= have:
        return c.constant(0, width)
    return c.resize(c.extract(value, kept, have - kept), width, signed=signed)
