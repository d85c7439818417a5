"""`schedule-cycles`: assigns a clock cycle to every op, and an initiation interval to every innermost loop (hardware).

Ops between loops run once. Each op begins as early as the delays of a chain of ops and the ports of memories allow. The
iterations of an innermost loop overlap. The initiation interval is the least interval for which carried values and
memory accesses are available in time (modulo scheduling; Rau, "Iterative Modulo Scheduling", 1996, here without
backtracking). Cheap functions of registers that do not change are wires, and have no cycle.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.errors import InputError
from tinyml.dialects.loops import trips_of
from tinyml.targets.verilog.fabric import Delays, fabric_around
from tinyml.transforms.ir.intervals import intervals
from tinyml.transforms.ir.levels import HARDWARE
from tinyml.transforms.rtl.scheduling.list_schedule import Scheduler
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.scheduling.regions import (
    StraightRun,
    body_of,
    is_pipelined,
    is_pure,
    items,
    record,
    set_interval,
    set_wait,
)

_WIRES = 0.4
"""The maximum share of a cycle for a chain of wires before scheduled ops."""


@dataclass(frozen=True)
class ScheduleCyclesPass(ModulePass):
    """Record cycles of ops (`rtl.cycle`), intervals of pipelined loops (`rtl.interval`) and waits (`rtl.wait`).

    clock: the frequency in MHz. Each chain of ops ends within the clock period, by the delays of the FPGA that the
    module is compiled for. The default is the frequency of its board. If no FPGA is named, the defaults are 50 MHz
    and an ECP5.

    Raises `InputError` for a clock that is not positive.
    """

    name = "schedule-cycles"
    takes = HARDWARE
    clock: float | int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fabric = fabric_around(op)
        clock = fabric.clock if self.clock is None else self.clock
        if clock <= 0:
            raise InputError(f"schedule-cycles: a clock of {clock} MHz")
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                _FunctionSchedule(function, fabric.delays, 1000 / clock).schedule(function.body.block)


class _FunctionSchedule:
    def __init__(self, function: func.FuncOp, delays: Delays, period: float):
        self.operators = Operators(delays, intervals(function))
        self.period = period
        self.offsets: dict[SSAValue, float] = {}

    def schedule(self, block: Block) -> bool:
        """Schedule a block, which begins directly after its arguments are computed. Return whether it takes at
        least one cycle.
        """
        # The values computed in the cycle before the next part begins; None stands for all values except constants.
        fresh: set[SSAValue] | None = None
        takes_cycles = False
        for part in items(block):
            if isinstance(part, StraightRun):
                if self._run(part):
                    fresh, takes_cycles = set[SSAValue](), True
                elif fresh is not None:
                    for op in part.ops:
                        fresh.update(op.results if any(operand in fresh for operand in op.operands) else ())
                continue
            if _reads(part, fresh):
                set_wait(part)
                takes_cycles = True
            sure = self._control(part)
            fresh = set(part.results) if sure else None
            takes_cycles |= sure
        end = block.last_op
        if end is not None and _reads(end, fresh):
            set_wait(end)
            takes_cycles = True
        return takes_cycles

    def _run(self, run: StraightRun) -> bool:
        """Schedule ops without control flow. Return whether they take at least one cycle."""
        rest: list[Operation] = []
        late: set[SSAValue] = set()
        for op in run.ops:
            ready = max((self.offsets.get(operand, 0.0) for operand in op.operands), default=0.0)
            stable = is_pure(op) and not any(operand in late for operand in op.operands)
            if stable and (there := ready + self.operators.delay(op)) <= _WIRES * self.period:
                self.offsets[op.results[0]] = there
            else:
                rest.append(op)
                late.update(op.results)
        record(rest, self._scheduler().run(rest).cycles)
        return bool(rest)

    def _scheduler(self) -> Scheduler:
        return Scheduler(self.operators, self.period, self.offsets)

    def _control(self, op: Operation) -> bool:
        """Schedule the blocks of a loop or branch. Return whether it certainly takes at least one cycle; a branch may
        take none.
        """
        if is_pipelined(op):
            ops = body_of(op)
            schedule, interval = self._scheduler().loop(ops, op)
            record(ops, schedule.cycles)
            set_interval(op, interval)
        else:
            for region in op.regions:
                for block in region.blocks:
                    if not self.schedule(block) and isinstance(end := block.last_op, scf.YieldOp):
                        set_wait(end)
        return bool(trips_of(op))


def _reads(op: Operation, fresh: set[SSAValue] | None) -> bool:
    return any(const_evaluate_operand(value) is None if fresh is None else value in fresh for value in op.operands)
