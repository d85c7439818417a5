"""The demand of a program at L3: how often each kind of step runs and stands in the code, and its memory.

Nothing here depends on what a step costs. Num ops are lowered one by one, equal ones once and for all, so that
counting a program takes milliseconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.hints import isa

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.layouts.row_stream import COUNT_BYTES
from tinyml.dialects.locations import source_names
from tinyml.dialects.scratch import memref_type, packed_bits, size_in_bytes
from tinyml.lowering.cost.model.steps import of_zero, steps_of_operation, takes_less_of_zero
from tinyml.lowering.num_to_arith import Interval, lowered_alone
from tinyml.targets.registry import kernel_named

UNKNOWN_TRIPS = 16
"""Iterations assumed for a loop without known bounds."""


def _counts() -> defaultdict[str, float]:
    return defaultdict(float)


@dataclass
class Steps:
    """runs: how often each kind of step runs in one inference, on average. stands: how often it stands in the code."""

    runs: dict[str, float] = field(default_factory=_counts)
    stands: dict[str, float] = field(default_factory=_counts)

    def add(self, step: str, times: float, runs: float = 1, stands: float = 1) -> None:
        """A step at a place that an inference reaches so many times, and that runs it `runs` times each."""
        self.runs[step] += times * runs
        self.stands[step] += stands


@dataclass
class Demand:
    """operations: the steps of each operation of the source, by its name; "" stands for what belongs to none.

    constants, arena, input, local: bytes, the first in flash, the last on the stack.
    """

    operations: dict[str, Steps] = field(default_factory=dict[str, Steps])
    constants: int = 0
    arena: int = 0
    input: int = 0
    local: int = 0


def demand_of(module: ModuleOp) -> Demand:
    """The demand of a program at L3. Branches count as taken, and no operand as zero but numbers of the input."""
    counter = _Counter()
    for function in module.ops:
        if isinstance(function, func.FuncOp) and not function.is_declaration:
            arguments = function.body.block.args
            counter.demand.input += sum(size_in_bytes(memref_type(argument)) for argument in arguments)
            counter.zeros |= _zeros(function)
            counter.block(function.body.block, 1)
    counter.demand.constants = sum(counter.constants.values())
    return counter.demand


class _Counter:
    """Walks a program. intervals: what is proven of scalars. constants: bytes of each array in flash. zeros: how often
    a number is zero, of arrays and of what is loaded from them."""

    def __init__(self) -> None:
        self.demand = Demand()
        self.intervals: dict[SSAValue, Interval] = {}
        self.zeros: dict[SSAValue, float] = {}
        self.constants: dict[Attribute, int] = {}
        self.extremes: dict[scratch.ConstantOp, Interval | None] = {}

    def block(self, block: Block, times: float) -> None:
        for op in block.ops:
            self.operation(op, times)

    def operation(self, op: Operation, times: float) -> None:
        match op:
            case scratch.ConstantOp():
                self.constants[op.value] = size_in_bytes(memref_type(op.result))
                return
            case scratch.ArenaOp():
                self.demand.arena += op.size
                return
            case memref.AllocaOp():
                self.demand.local += size_in_bytes(memref_type(op.memref))
            case _:
                pass
        name = next(iter(source_names(op)), "")
        steps = self.demand.operations.setdefault(name, Steps())
        match op:
            case memref.AllocaOp():
                # A frame: no time, but stack beyond the array itself.
                steps.add("alloca", 0, 0, 0)
            case scf.ForOp():
                trips = trip_count(op)
                steps.add("loop", times)
                steps.add("iteration", times, trips)
                self.block(op.body.block, times * trips)
            case _ if op.name.startswith("num."):
                self.number(op, steps, times)
            case _:
                for step, count in steps_of_operation(op).items():
                    steps.add(step, times, count, count)
                if isinstance(op, memref.LoadOp):
                    self.loaded(op)

    def loaded(self, load: memref.LoadOp) -> None:
        """An element of a constant lies between the least and the greatest."""
        if zeros := self.zeros.get(scratch.root(load.memref)):
            self.zeros[load.res] = zeros
        if (array := _constant(load)) is None:
            return
        if array not in self.extremes:
            raws = array.raws
            self.extremes[array] = (int(raws.min()), int(raws.max())) if raws.dtype.kind == "i" else None
        if (interval := self.extremes[array]) is not None:
            self.intervals[load.res] = interval

    def number(self, op: Operation, steps: Steps, times: float) -> None:
        becomes = _becomes(op, [self.intervals.get(operand) for operand in op.operands])
        zeros = max((self.zeros.get(operand, 0) for operand in op.operands), default=0)
        for step, count in becomes.steps.items():
            of_zeros = zeros * count if takes_less_of_zero(step) else 0
            steps.add(step, times, count - of_zeros, count)
            if of_zeros:
                steps.add(of_zero(step), times, of_zeros, 0)
        if isinstance(op, num.KernelOp) and op.kernel is not None:
            kernel, elements = op.kernel.data, _elements(op)
            steps.add(f"{kernel} element", times, elements, 0)
            if isinstance(op, num.PackedDotOp) and (bits := packed_bits(memref_type(op.vector))) is not None:
                steps.add(f"fetch packed {bits}", times, elements, 0)
            # Kernels that take two elements at once do better on rows of even length.
            if op.products is not None and op.length % 2:
                steps.add(f"{kernel} odd element", times, elements, 0)
        self.constants |= becomes.tables
        if becomes.interval is not None:
            self.intervals[op.results[0]] = becomes.interval


@dataclass(frozen=True)
class _Becomes:
    """The lowering of a num op in figures: steps, tables in flash, and the interval proven for its result."""

    steps: Mapping[str, float]
    tables: Mapping[Attribute, int]
    interval: Interval | None


_known: dict[object, _Becomes] = {}


def _becomes(op: Operation, intervals: Sequence[Interval | None]) -> _Becomes:
    key = op.name, *op.properties.items(), *(value.type for value in (*op.operands, *op.results)), *intervals
    if key not in _known:
        block, interval = lowered_alone(op, intervals)
        steps = _counts()
        for one in block.ops:
            for step, count in steps_of_operation(one).items():
                steps[step] += count
        tables = [one for one in block.ops if isinstance(one, scratch.ConstantOp)]
        sizes: dict[Attribute, int] = {one.value: size_in_bytes(memref_type(one.result)) for one in tables}
        _known[key] = _Becomes(steps, sizes, interval)
    return _known[key]


def _zeros(function: func.FuncOp) -> dict[SSAValue, float]:
    """The arguments that are known to hold zeros, and how many, as a share."""
    given = function.arg_attrs.data if function.arg_attrs is not None else ()
    arguments = zip(function.body.block.args, given, strict=False)
    return {one: share.value.data for one, held in arguments if isa(share := held.data.get(tdsl.ZEROS), FloatAttr)}


def _elements(op: num.KernelOp) -> float:
    """Elements that a kernel goes through in one call; in a sparse matrix, those that a row has on average."""
    if op.products is not None:
        return op.products
    stored = _source_elements(op.factors[0]) / _rows(op)
    if not isinstance(op, num.PackedDotOp) or op.kernel is None:
        return stored
    kernel = kernel_named(op.kernel.data)
    return (stored - COUNT_BYTES) * 8 / (kernel.gaps + kernel.weights)


def _rows(op: Operation) -> float:
    around = op.parent_op()
    return max(trip_count(around), 1) if isinstance(around, scf.ForOp) else 1


def _source_elements(value: SSAValue) -> int:
    return prod(memref_type(scratch.root(value)).get_shape())


def trip_count(op: scf.ForOp) -> float:
    """Iterations; of a loop to a count that stands in flash, their mean."""
    low, step = const_evaluate_operand(op.lb), const_evaluate_operand(op.step)
    if low is None or step is None:
        return UNKNOWN_TRIPS
    if (high := const_evaluate_operand(op.ub)) is not None:
        return max(0, -((low - high) // step))
    end = op.ub
    while isinstance(cast_ := end.owner, arith.IndexCastOp | arith.ExtUIOp):
        end = cast_.input
    if isinstance(load := end.owner, memref.LoadOp) and (counts := _constant(load)) is not None:
        raws = counts.raws
        return float(raws.view(f"u{raws.itemsize}").mean())
    return UNKNOWN_TRIPS


def _constant(load: memref.LoadOp) -> scratch.ConstantOp | None:
    """The constant array that an element is loaded from."""
    found = scratch.root(load.memref).owner
    return found if isinstance(found, scratch.ConstantOp) else None
