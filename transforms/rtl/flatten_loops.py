"""`flatten-loops`: joins an innermost loop and the loop around it into one loop, all of whose iterations overlap
(hardware).

Without this pass an innermost loop fills and drains its pipeline in each iteration of the outer loop. In the joined
loop, the ops before and after the innermost loop run in every iteration. The stores of these ops, however, take effect
only in the first or the last iteration of the inner loop. LLVM (`loop-flatten`) and MLIR (loop coalescing) flatten only
loops with nothing between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import rtl
from tinyml.dialects.loops import trips_of
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.verilog.fabric import fabric_around
from tinyml.transforms.ir.intervals import Intervals
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.rtl.scheduling.list_schedule import Scheduler
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.scheduling.regions import COUNTERS, RISES, body_of, counters_of, is_pipelined, is_pure


@dataclass(frozen=True)
class FlattenLoopsPass(ModulePass):
    """Flatten nests of two loops with constant bounds if the schedule of the joined loop is shorter. The innermost
    nests are flattened first. Nests that do not meet these conditions are unchanged.

    clock: as in `schedule-cycles`.
    """

    name = "flatten-loops"
    clock: float | int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fabric = fabric_around(op)
        period = 1000 / (self.clock or fabric.clock)
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                refused: set[Operation] = set()
                # A flat loop computes the values of its nest, whose intervals remain valid.
                found = Intervals(function)
                scheduler = Scheduler(Operators(fabric.delays, found.known), period, {})
                while (nest := _next_nest(function, refused)) is not None:
                    flat = nest.flattened()
                    found.add(flat)
                    if _cycles(flat, scheduler) < nest.cycles(scheduler):
                        for place, result in nest.through.items():
                            nest.outer.results[result].replace_all_uses_with(flat.results[2 + place])
                        Rewriter.erase_op(nest.outer)
                    else:
                        Rewriter.erase_op(flat)
                        refused.add(nest.inner)


def _cycles(loop: scf.ForOp, scheduler: Scheduler) -> int:
    schedule, interval = scheduler.loop(body_of(loop), loop)
    depth = max([interval, *(cycle + 1 + rtl.latency(op) for op, cycle in schedule.cycles.items())])
    return (_trips(loop) - 1) * interval + depth


def _trips(loop: scf.ForOp) -> int:
    trips = trips_of(loop)
    assert trips
    return trips


def _next_nest(function: func.FuncOp, refused: set[Operation]) -> FlatNest | None:
    nests = (FlatNest.of(op) for op in function.walk() if op not in refused)
    return next((nest for nest in nests if nest is not None), None)


@dataclass
class FlatNest:
    """A pipelined loop, the loop around it, and the ops of the outer loop before and after the inner loop.

    through: for each value that the inner loop carries from one outer iteration to the next, its index in the inner
        loop and its index in the outer loop. The outer loop carries no other values.
    new: for each value of the nest, its copy in the flattened loop.
    """

    outer: scf.ForOp
    inner: scf.ForOp
    before: Sequence[Operation]
    after: Sequence[Operation]
    through: Mapping[int, int]
    new: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    @staticmethod
    def of(within: Operation) -> FlatNest | None:
        """The nest whose inner loop is `within`. None for any other op, and if the nest's form does not permit
        flattening.
        """
        outer = within.parent_op()
        if not is_pipelined(within) or not trips_of(within):
            return None
        if not isinstance(outer, scf.ForOp) or (trips_of(outer) or 0) < 2:
            return None
        *ops, _ = outer.body.block.ops
        place = ops.index(within)
        before, after = ops[:place], ops[place + 1 :]
        *inside, _ = within.body.block.ops
        if any(op.regions or not (is_pure(op) or isinstance(op, rtl.AccessOp)) for op in (*before, *after, *inside)):
            return None
        through = _through(outer, within)
        return None if through is None else FlatNest(outer, within, before, after, through)

    def cycles(self, scheduler: Scheduler) -> int:
        """A lower bound on the cycles of the nest without flattening."""
        around = [op for op in (*self.before, *self.after) if not isinstance(op, arith.ConstantOp)]
        cycles = scheduler.run(around).cycles
        clocked = any(not is_pure(op) for op in around)
        own = max((cycle + 1 + rtl.latency(op) for op, cycle in cycles.items()), default=0) if clocked else 0
        return _trips(self.outer) * (_cycles(self.inner, scheduler) + own)

    def flattened(self) -> scf.ForOp:
        """Insert, before the nest, a single loop that computes the same values, and return this loop."""
        nest, counters = LoopBuilder(self.outer), counters_of(self.inner)
        carried = [_bounds(nest, loop)[0] for loop in (self.outer, self.inner)]
        for i, init in enumerate(self.inner.iter_args):
            value = const_evaluate_operand(init) if i < counters else 0
            goes_on = i in self.through
            carried.append(self.outer.iter_args[self.through[i]] if goes_on else nest.constant(value or 0, init.type))
        trips = _trips(self.outer) * _trips(self.inner)
        results = nest.fold(nest.index(trips), carried, lambda _, values: self._iteration(nest, values))
        flat = cast("scf.ForOp", results[0].owner)
        flat.attributes |= {**self.inner.attributes, COUNTERS: IntegerAttr(2 + counters, i64)}
        return flat

    def _iteration(self, nest: LoopBuilder, carried: Sequence[SSAValue]) -> list[SSAValue]:
        """Insert one iteration of the joined loop, and return its next carried values.

        carried: the counters of both loops, followed by the carried values of the inner loop.
        """
        outer, inner, counters = self.outer, self.inner, counters_of(self.inner)
        for argument, old in zip(carried, (outer.body.block.args[0], *inner.body.block.args), strict=True):
            argument.name_hint = old.name_hint
        i, k, *values = carried
        low, high, step = _bounds(nest, inner)
        first = nest.insert(arith.CmpiOp(k, low, "eq"))
        following = nest.add(k, step)
        stays, last = (nest.insert(arith.CmpiOp(following, high, predicate)) for predicate in ("slt", "sge"))
        self.new[outer.body.block.args[0]] = i
        self._copy(nest, self.before, first)
        self.new[inner.body.block.args[0]] = k
        for place, (argument, value) in enumerate(zip(inner.body.block.args[1:], values, strict=True)):
            if place >= counters and place not in self.through:
                init = self.new.get(inner.iter_args[place], inner.iter_args[place])
                value = nest.insert(arith.SelectOp(first, init, value))
            self.new[argument] = value
        *ops, end = inner.body.block.ops
        for op in ops:
            nest.put(op.clone(self.new))
        yielded = [self.new.get(value, value) for value in end.operands]
        self.new |= zip(inner.results, yielded, strict=True)
        self._copy(nest, self.after, last, rises=True)
        next_inner = nest.insert(arith.SelectOp(stays, following, low))
        low, high, step = _bounds(nest, outer)
        following = nest.add(i, nest.insert(arith.SelectOp(last, step, nest.index(0))))
        goes_on = nest.insert(arith.CmpiOp(following, high, "slt"))
        return [nest.insert(arith.SelectOp(goes_on, following, low)), next_inner, *yielded]

    def _copy(self, nest: LoopBuilder, ops: Sequence[Operation], when: SSAValue, *, rises: bool = False) -> None:
        for op in ops:
            copy = op.clone(self.new)
            if isinstance(copy, rtl.StoreOp):
                both = when if copy.condition is None else nest.insert(arith.AndIOp(copy.condition, when))
                store = rtl.StoreOp(copy.value, copy.memory, copy.address, both)
                if rises and copy.condition is None:
                    store.attributes[RISES] = IntegerAttr(counters_of(self.inner) // 2 + 1, i64)
                copy = store
            nest.put(copy)


def _through(outer: scf.ForOp, inner: scf.ForOp) -> dict[int, int] | None:
    end = outer.body.block.last_op
    assert end is not None
    found: dict[int, int] = {}
    for place, (argument, yielded) in enumerate(zip(outer.body.block.args[1:], end.operands, strict=True)):
        taken = [i for i, init in enumerate(inner.iter_args) if init is argument and inner.results[i] is yielded]
        if len(taken) != 1 or argument.uses.get_length() != 1:
            return None
        found[taken[0]] = place
    return found


def _bounds(nest: LoopBuilder, loop: scf.ForOp) -> list[SSAValue]:
    return [nest.index(const_evaluate_operand(bound) or 0) for bound in (loop.lb, loop.ub, loop.step)]
