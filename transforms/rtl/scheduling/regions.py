"""Parts of a program that are scheduled separately: straight-line runs of ops between loops, and bodies of innermost
loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias, TypeGuard

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from tinyml.dialects import num, rtl
from tinyml.dialects.discardable_attributes import UNIT, DiscardableAttribute, Holder, HolderKind, Value, integer
from tinyml.dialects.locations import error_at
from tinyml.dialects.loops import trips_of

LAST_CYCLE = 65535
"""The last cycle of a run or an iteration in which an op may begin, far later than any program needs."""

CYCLE = DiscardableAttribute(
    "rtl.cycle",
    {HolderKind.OPERATION: integer(0, LAST_CYCLE)},
    "The cycle of an op, from the start of its run or iteration; a pure op of a run without this attribute is a wire.",
)

INTERVAL = DiscardableAttribute(
    "rtl.interval",
    {"scf.for": integer(1, LAST_CYCLE)},
    "The cycles from the start of an iteration of a pipelined loop to that of the next.",
)

WAIT = DiscardableAttribute(
    "rtl.wait",
    {HolderKind.OPERATION: UNIT},
    "A loop or a branch that starts one cycle later, because it needs a result of the preceding cycle.",
)

LANES = DiscardableAttribute(
    "rtl.lanes",
    dict.fromkeys(("scf.for", "num.nest", "num.reduce"), integer(2, LAST_CYCLE)),
    "The number of elements that an iteration of a loop, or of the last axis of a nest, processes at once.",
)

LOGIC = DiscardableAttribute(
    "rtl.logic", {HolderKind.OPERATION: UNIT}, "A product that is computed in look-up tables instead of a multiplier."
)


def _counts(attribute: Attribute, loop: Holder | None) -> bool:
    return (
        integer(0).accepts(attribute, loop)
        and isinstance(attribute, IntegerAttr)
        and isinstance(loop, scf.ForOp)
        and attribute.value.data % 2 == 0
        and attribute.value.data <= len(loop.iter_args)
    )


COUNTERS = DiscardableAttribute(
    "rtl.counters",
    {"scf.for": Value("an even number of the values that the loop carries", _counts)},
    "The number of leading loop-carried values that are counters of a flattened loop: two for each outer loop.",
)


RISES = DiscardableAttribute(
    "rtl.rises",
    {"rtl.store": integer(1)},
    "The number of an outer loop of a flattened loop, counted from the inside. The store takes effect only when the "
    "counter of this outer loop advances.",
)


@dataclass
class StraightRun:
    """Ops without control flow that are scheduled together."""

    ops: list[Operation] = field(default_factory=list[Operation])

    @property
    def cycles(self) -> int:
        """The number of cycles of the run, according to the attributes of its ops. 0 if all ops are combinational."""
        return max((end_of(op) + 1 for op in self.ops if CYCLE in op.attributes), default=0)


Item: TypeAlias = "StraightRun | Operation"


def items(block: Block) -> list[Item]:
    """The straight-line runs of a block, alternating with the loops and branches between them. Empty runs are
    omitted.
    """
    found: list[Item] = []
    for op in block.ops:
        if op.has_trait(IsTerminator) or isinstance(op, rtl.MemoryOp | arith.ConstantOp):
            continue
        if op.regions:
            found.append(op)
        elif found and isinstance(run := found[-1], StraightRun):
            run.ops.append(op)
        else:
            found.append(StraightRun([op]))
    return found


def is_pure(op: Operation) -> bool:
    """Whether an op is an arithmetic op. All arithmetic ops are combinational.

    xDSL defines no traits for casts, so traits cannot be used for this test.
    """
    return op.name.startswith("arith.")


def reads_index(op: Operation) -> bool:
    """Whether an op without regions computes a number from an index, instead of another index."""
    return any(isinstance(value.type, IndexType) for value in op.operands) and not isinstance(
        op.results[0].type, IndexType
    )


def is_pipelined(op: Operation | None) -> TypeGuard[scf.ForOp]:
    return isinstance(op, scf.ForOp) and not any(inner.regions for inner in op.body.block.ops)


def multiplies(body: Block) -> bool:
    return any(isinstance(op, arith.MuliOp) and not isinstance(op.result.type, IndexType) for op in body.ops)


def trips_around(op: Operation) -> Iterator[int]:
    """Yield the trip counts of the loops, reductions and nests around an op, the innermost first. 0 stands for an
    unknown trip count.
    """
    while (around := op.parent_op()) is not None:
        match op := around:
            case scf.ForOp():
                yield trips_of(op) or 0
            case num.ReduceOp():
                yield len(op.numbers)
            case num.NestOp():
                yield prod(op.shape)
            case _:
                pass


def executions_of(op: Operation) -> int:
    return prod(trips or 1 for trips in trips_around(op))


def body_of(loop: scf.ForOp) -> list[Operation]:
    return [op for item in items(loop.body.block) if isinstance(item, StraightRun) for op in item.ops]


def cycle_of(op: Operation) -> int | None:
    """The cycle in which an op begins. None if the op has no cycle, because its result is only a wire."""
    cycle = op.attributes.get(CYCLE)
    return cycle.value.data if isinstance(cycle, IntegerAttr) else None


def end_of(op: Operation) -> int:
    """The cycle in which the results of an op are available: the cycle in which it begins plus its latency."""
    cycle = cycle_of(op)
    assert cycle is not None
    return cycle + rtl.latency(op)


def interval_of(loop: scf.ForOp) -> int:
    """The initiation interval of a pipelined loop, in cycles, which `schedule-cycles` has recorded."""
    interval = loop.attributes[INTERVAL]
    assert isinstance(interval, IntegerAttr)
    return interval.value.data


def counters_of(loop: scf.ForOp) -> int:
    """The number of a loop's carried values that are counters of loops flattened into it."""
    counters = loop.attributes.get(COUNTERS)
    return counters.value.data if isinstance(counters, IntegerAttr) else 0


def lanes_of(loop: scf.ForOp) -> int:
    """The number of elements that an iteration of a loop processes at once."""
    lanes = loop.attributes.get(LANES)
    return lanes.value.data if isinstance(lanes, IntegerAttr) else 1


def set_lanes(loop: scf.ForOp | num.NestOp | num.ReduceOp, lanes: int) -> None:
    loop.attributes[LANES] = IntegerAttr(lanes, i64)


def depth_of(loop: scf.ForOp) -> int:
    """The cycles that one iteration of a pipelined loop takes, at least its initiation interval."""
    return max([interval_of(loop), *(end_of(op) + 1 for op in body_of(loop))])


def check_schedule(function: func.FuncOp) -> None:
    """Raise `InputError`, located at the op, unless `schedule-cycles` has scheduled every op.

    Each access to a memory or stream must have a cycle. Each pipelined loop must have an interval, and all its ops must
    have cycles. Each op must begin when its operands are available. The ports of memories, and waits, are not checked.
    """
    for block in function.walk_blocks():
        around = block.parent_op()
        loop = around if is_pipelined(around) else None
        if loop is not None and INTERVAL not in loop.attributes:
            raise error_at(loop, "a loop without 'rtl.interval': run schedule-cycles first")
        for item in items(block):
            if isinstance(item, StraightRun):
                _check_run(item, needs_cycles=loop is not None)


def _check_run(run: StraightRun, needs_cycles: bool) -> None:
    there: dict[SSAValue, int] = {}
    for op in run.ops:
        cycle = cycle_of(op)
        if cycle is None and (needs_cycles or not is_pure(op)):
            raise error_at(op, f"'{op.name}' without 'rtl.cycle': run schedule-cycles first")
        ready = max((there[operand] for operand in op.operands if operand in there), default=None)
        if ready is not None and (cycle is None or cycle < ready):
            begins = "is a wire" if cycle is None else f"begins in cycle {cycle}"
            raise error_at(op, f"'{op.name}' {begins}, what it takes is there in cycle {ready}")
        if cycle is not None:
            there |= dict.fromkeys(op.results, end_of(op))


def record(ops: Sequence[Operation], cycles: dict[Operation, int]) -> None:
    for op in ops:
        if op in cycles:
            op.attributes[CYCLE] = IntegerAttr(cycles[op], i64)


def set_interval(loop: scf.ForOp, interval: int) -> None:
    loop.attributes[INTERVAL] = IntegerAttr(interval, i64)


def set_wait(op: Operation) -> None:
    op.attributes[WAIT] = UnitAttr()
