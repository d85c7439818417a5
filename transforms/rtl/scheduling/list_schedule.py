"""List scheduling of straight-line ops and modulo scheduling of a loop's body, with chains of ops within a cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import rtl
from tinyml.transforms.rtl.scheduling.dependences import Edge, edges
from tinyml.transforms.rtl.scheduling.operators import Operators

_ROUNDS = 200
"""The number of attempts at a schedule with one interval, each with later starts, before a longer one is tried."""


@dataclass
class CycleSchedule:
    """The cycle in which each op begins, and for each result the time in ns after the start of a cycle at which it is
    available.
    """

    cycles: dict[Operation, int] = field(default_factory=dict[Operation, int])
    offsets: dict[SSAValue, float] = field(default_factory=dict[SSAValue, float])


class Scheduler:
    """A scheduler that assigns ops to clock cycles of `period` ns.

    offsets: for each value that arrives on a wire from outside, the time in ns after the start of a cycle at which it
    arrives; values in registers are missing.
    """

    def __init__(self, operators: Operators, period: float, offsets: Mapping[SSAValue, float]):
        self.operators = operators
        self.delays = operators.delays
        self.period = period
        self.offsets = offsets

    def run(self, ops: Sequence[Operation]) -> CycleSchedule:
        """The schedule of ops that run once. Each op begins as early as possible."""
        schedule = self._placed(ops, edges(ops, self.operators.known), None)
        assert schedule is not None
        return schedule

    def loop(self, ops: Sequence[Operation], loop: scf.ForOp) -> tuple[CycleSchedule, int]:
        """Schedule the body of a loop. Return the schedule of an iteration, and the least possible initiation
        interval.
        """
        order = [*edges(ops, self.operators.known, loop), *_carried(ops, loop)]
        interval = 1
        while (schedule := self._placed(ops, order, interval)) is None:
            interval += 1
        return schedule, interval

    def _placed(self, ops: Sequence[Operation], order: Sequence[Edge], interval: int | None) -> CycleSchedule | None:
        earliest: dict[Operation, int] = {}
        for _ in range(_ROUNDS):
            schedule = self._once(ops, earliest, interval)
            if schedule is None:
                return None
            late = False
            for edge in order:
                start = schedule.cycles[edge.earlier] + rtl.latency(edge.earlier) * edge.carries + 1
                start -= edge.distance * (interval or 0)
                if schedule.cycles[edge.later] < start:
                    earliest[edge.later] = max(earliest.get(edge.later, 0), start)
                    late = True
            if not late:
                return schedule
        return None

    def _once(
        self, ops: Sequence[Operation], earliest: Mapping[Operation, int], interval: int | None
    ) -> CycleSchedule | None:
        """A schedule that respects operands and ports, but no `Edge`. None if, at the given initiation interval, a port
        is taken in every cycle.

        earliest: the earliest cycle of each op.
        interval: the initiation interval; None for ops that run once.
        """
        schedule = CycleSchedule()
        taken: set[tuple[object, int]] = set()
        for op in ops:
            cycle = earliest.get(op, 0)
            for operand in op.operands:
                if (owner := operand.owner) in schedule.cycles and isinstance(owner, Operation):
                    cycle = max(cycle, schedule.cycles[owner] + rtl.latency(owner))
            delay, needed = self._times(op)
            fitting = cycle
            while True:
                offset = max((self._arrival(operand, cycle, schedule) for operand in op.operands), default=0.0)
                port = _port(op), cycle if interval is None else cycle % interval
                fits = offset + delay + needed <= self.period or offset == self._least(op, schedule)
                if fits and port not in taken:
                    break
                if interval is not None and fits and cycle - fitting >= interval:
                    return None
                fitting = fitting if fits else cycle + 1
                cycle += 1
            taken.add(port)
            schedule.cycles[op] = cycle
            for result in op.results:
                schedule.offsets[result] = self.delays.read if rtl.latency(op) else offset + delay
        return schedule

    def _times(self, op: Operation) -> tuple[float, float]:
        """Return two times of an op in ns: its delay, and the setup time of the register or memory that samples
        its values.
        """
        if isinstance(op, rtl.PortOp):
            return (self.delays.lut if isinstance(op, rtl.ReceiveOp) else 0.0), self.delays.setup
        return self.operators.delay(op), self.delays.setup

    def _arrival(self, value: SSAValue, cycle: int, schedule: CycleSchedule) -> float:
        owner = value.owner
        if isinstance(owner, Operation) and owner in schedule.cycles:
            there = schedule.cycles[owner] + rtl.latency(owner)
            return schedule.offsets[value] if there == cycle else 0.0
        return self.offsets.get(value, 0.0)

    def _least(self, op: Operation, schedule: CycleSchedule) -> float:
        """The time in ns after the start of a cycle at which the operands of an op are available, if the op begins in a
        later cycle than the ops that compute them.
        """
        return max((self._arrival(operand, -1, schedule) for operand in op.operands), default=0.0)


def _port(op: Operation) -> object:
    """The resource that no other op can use in the same cycle: a port of a memory or stream. For an op without a
    port, the op itself.
    """
    return op.port if isinstance(op, rtl.PortOp) else op


def _carried(ops: Sequence[Operation], loop: scf.ForOp) -> list[Edge]:
    found: list[Edge] = []
    known = set(ops)
    end = loop.body.block.last_op
    assert isinstance(end, scf.YieldOp)
    for argument, yielded in zip(loop.body.block.args[1:], end.operands, strict=True):
        producer = yielded.owner
        if isinstance(producer, Operation) and producer in known:
            readers = {use.operation for use in argument.uses} & known
            found += [Edge(producer, reader, 1, carries=1) for reader in readers]
    return found
