"""The resource demand of a program: how often each kind of step is executed and occurs in the code, and the memory
(L3).

The demand does not depend on the costs of steps. `num` ops are lowered one by one, and equal ops only once, so that
counting a program takes milliseconds.

A step is an operation of the lowered program, such as an addition of 16 bits. It is named by the kind and width of the
operation, like the keys of `tinyml.targets.costs`. An operation without a rule in this file counts under its own name
and width. A new operation is therefore counted, and measured by the next calibration, without a change of this file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd, prod
from typing import Any, cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerType, MemRefType, ModuleOp, i8
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.sparse_rows import COUNT_BYTES
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import SourceNames
from tinyml.dialects.num import FarKernelAttr, KernelAttr
from tinyml.dialects.scratch import (
    constant_root,
    element_bytes,
    in_flash,
    memref_type,
    packed_bits,
    ram_bits,
    storage_of,
    unit_of,
)
from tinyml.targets.costs import OF_ZERO, VARIABLE, Cost, KernelCost, kernel_cost, kernel_step
from tinyml.targets.kernel import Kernel, packed_copier, packed_reader, packed_writer
from tinyml.targets.registry import far_load, kernel_of, known_kernel, target_of
from tinyml.transforms.ir.arithmetic import Interval, OpFunction
from tinyml.transforms.ir.buffers import first_element, memory_of, start_of
from tinyml.transforms.ir.cost.reading import read_floats
from tinyml.transforms.ir.indices import affine_sum, mean_iterations
from tinyml.transforms.ir.sparse_layouts import compressed_rows

FAR_LOAD = "load far"
"""The step of a load from a far constant, in addition to the load."""

ENTRY_LOOP, ENTRY_BYTE = ENTRY = "entry loop", "entry byte"
"""The steps of saving registers on entry, in addition to the fixed time of a program."""

MAX_SAVING = 6
"""The number of loops above which a program hardly saves more registers."""

UNROLLED_TRIPS = 2
"""The iterations of a loop that the C compiler often unrolls; of a search for the greatest element, one more."""

BOUND = "index bound"
"""The step of an addition or a product of indices whose result decides what runs. The C compiler merges others into
addresses and loop counters.
"""

UNKNOWN_TRIPS = 16
"""The iterations assumed for a loop without known bounds."""


def arena_and_input(module: ModuleOp) -> int:
    """The number of bytes of a packed program's arena and input arguments together. An input that arrives row by row
    counts as 0 bytes.
    """
    arena = sum(op.size for op in module.walk() if isinstance(op, scratch.ArenaOp))
    [function] = defined_functions(module)
    arguments = () if tdsl.read_input(function).received is not None else function.body.block.args
    arrays = [argument for argument in arguments if isinstance(argument.type, MemRefType)]
    return arena + sum(scratch.size_in_bytes(memref_type(array)) for array in arrays)


def far_call(near: KernelAttr, target: str) -> float | None:
    """The additional time of a kernel call, in the target's unit, if its weights are in far flash. None if there is no
    kernel for weights in far flash.

    It is the difference between the costs of the two kernels or, if one of these costs is unknown, the time of a load
    from far flash.
    """
    far = known_kernel(FarKernelAttr.of(near), target)
    if far is None:
        return None
    costs = kernel_cost(far).cost, kernel_cost(kernel_of(near, target)).cost
    return costs[0].time - costs[1].time if costs[0] is not None and costs[1] is not None else far_load(target)


def _counts() -> defaultdict[str, float]:
    return defaultdict(float)


@dataclass
class StepCounts:
    """The counts of steps, by kind of step.

    runs: the mean numbers of executions per inference.
    stands: the numbers of occurrences in the code.
    """

    runs: dict[str, float] = field(default_factory=_counts)
    stands: dict[str, float] = field(default_factory=_counts)

    def add(self, step: str, times: float, runs: float = 1, stands: float = 1) -> None:
        """Count a step with `stands` occurrences in code that is executed `times` times.

        step: the kind of the step.
        runs: how often the step runs in each execution of the code.
        """
        self.runs[step] += times * runs
        self.stands[step] += stands


@dataclass
class Demand:
    """The steps and the memory that a program needs.

    operations: by the name of each operation of the source, the counts of its steps; "" collects steps that belong to
        no operation.
    constants, far: the bytes of all constants in flash, and the bytes of those in far flash.
    arena, input, local: the bytes of the arena, of the input, and of local arrays on the stack.
    far_time: the additional time, in the target's unit, that reads of constants in far flash cost.
    kernels: by step, the costs of kernels that are known from the kernels' instructions.
    shared: by name, the bytes of flash of the functions that several kernels call.
    floats: the number of floats that a call converts to raws of the input (`read_floats`).
    """

    operations: dict[str, StepCounts] = field(default_factory=dict[str, StepCounts])
    constants: int = 0
    far: int = 0
    arena: int = 0
    input: int = 0
    local: int = 0
    far_time: float = 0.0
    kernels: dict[str, KernelCost] = field(default_factory=dict[str, KernelCost])
    shared: dict[str, int] = field(default_factory=dict[str, int])
    floats: Mapping[str, int] = field(default_factory=dict[str, int])


def demand_of(module: ModuleOp) -> Demand:
    """The resource demand of a program at L3.

    Every branch counts as executed. The fraction of zeros is known only for the input.
    """
    counter = _Counter(target_of(module))
    for function in defined_functions(module):
        arguments = [argument for argument in function.body.block.args if isinstance(argument.type, MemRefType)]
        counter.demand.input += sum(map(scratch.bytes_of, arguments))
        counter.zeros |= _zeros(function)
        # A step function is called until it returns an answer.
        counter.block(function.body.block, tdsl.read_interface(function).calls or 1)
    counter.count_entry()
    counter.demand.floats = read_floats(module)
    counter.demand.constants = sum(counter.constants.values()) + sum(counter.far.values())
    counter.demand.far = sum(counter.far.values())
    return counter.demand


class _Counter:
    """A counter of a program's steps, in one walk.

    target: the board whose kernels the program calls.
    intervals: proven intervals of scalars.
    constants, far: the bytes of each array in near and in far flash.
    zeros: the fraction of zeros in arrays and in elements loaded from them.
    extremes: the least and the greatest raw of integer constants.
    sources: the names in the locations of ops.
    bounds: whether an index decides what runs, for indices that were asked for.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.demand = Demand()
        self.intervals: dict[SSAValue, Interval] = {}
        self.zeros: dict[SSAValue, float] = {}
        self.constants: dict[Attribute, int] = {}
        self.far: dict[Attribute, int] = {}
        self.extremes: dict[scratch.ConstantOp, Interval | None] = {}
        self.loops = 0
        self.sources = SourceNames()
        self.bounds: dict[SSAValue, bool] = {}

    def count_entry(self) -> None:
        """Count the two quantities that determine how many registers the function saves at its entry: the
        number of loops and the width of the widest integers.
        """
        kinds = {step for steps in self.demand.operations.values() for step in steps.runs}
        widest = max((int(bits) for step in kinds for bits in re.findall(r"\b[if](\d+)\b", step)), default=0)
        steps = self.demand.operations.setdefault("", StepCounts())
        steps.add(ENTRY_LOOP, 1, min(self.loops, MAX_SAVING), 0)
        steps.add(ENTRY_BYTE, 1, widest / 8, 0)

    def block(self, block: Block, times: float) -> None:
        for op in block.ops:
            self.operation(op, times)

    def operation(self, op: Operation, times: float) -> None:
        match op:
            case scratch.ConstantOp():
                arrays = self.constants if op.far is None else self.far
                arrays[op.value] = scratch.bytes_of(op.result)
                return
            case scratch.ArenaOp():
                self.demand.arena += op.size
                return
            case memref.AllocaOp():
                self.demand.local += scratch.bytes_of(op.memref)
            case _:
                pass
        name = next(iter(self.sources.of(op)), "")
        steps = self.demand.operations.setdefault(name, StepCounts())
        match op:
            case memref.AllocaOp():
                # A frame costs no time, but more stack than the array itself.
                steps.add("alloca", 0, 0, 0)
            case scf.ForOp():
                self.loops += 1
                trips = trip_count(op)
                kind = _kind_of_loop(op, trips)
                steps.add(f"loop{kind}", times)
                steps.add(f"iteration{kind}", times, trips)
                self.block(op.body.block, times * trips)
            case _ if op.name.startswith("num."):
                self.number(op, steps, times)
            case arith.AddiOp() | arith.SubiOp() | arith.MuliOp() if _is_index(op.result) and self.decides(op.result):
                steps.add(BOUND, times)
            case _:
                if isinstance(op, memref.LoadOp) and self.loaded(op):
                    return
                for step, count in _steps_of_operation(op).items():
                    steps.add(step, times, count, count)
                if isinstance(op, memref.LoadOp) and (array := constant_root(op.memref)) and array.far is not None:
                    more = far_load(self.target) or 0.0
                    steps.add(FAR_LOAD, times)
                    self.demand.kernels[FAR_LOAD] = KernelCost(Cost(more, 0, 0, 0))
                    self.demand.far_time += times * more

    def decides(self, index: SSAValue) -> bool:
        """Whether an index is compared, limits a loop or counts copied elements, beside being part of addresses."""
        if index not in self.bounds:
            self.bounds[index] = any(
                self.decides(user.results[0]) if isinstance(user, _INDEX_SUMS) else _decides(user, use.index)
                for use in index.uses
                for user in [use.operation]
            )
        return self.bounds[index]

    def loaded(self, load: memref.LoadOp) -> bool:
        if zeros := self.zeros.get(scratch.root(load.memref)):
            self.zeros[load.res] = zeros
        if (array := constant_root(load.memref)) is None:
            return False
        if array not in self.extremes:
            raws = array.raws
            self.extremes[array] = (int(raws.min()), int(raws.max())) if raws.dtype.kind == "i" else None
        if (interval := self.extremes[array]) is None:
            return False
        self.intervals[load.res] = interval
        return interval[0] == interval[1] and all(use.operation.name.startswith("num.") for use in load.res.uses)

    def number(self, op: Operation, steps: StepCounts, times: float) -> None:
        unchanged = _unchanged(op)
        lowered = _lowered(op, self.target, [self.intervals.get(operand) for operand in op.operands], unchanged)
        zeros = max((self.zeros.get(operand, 0) for operand in op.operands), default=0)
        for step, count in lowered.before.items():
            steps.add(step, times / _rows(op), count, count)
        for step, count in lowered.steps.items():
            of_zeros = zeros * count if _takes_less_of_zero(step) else 0
            steps.add(step, times, count - of_zeros, lowered.stands[step])
            if of_zeros:
                steps.add(_of_zero(step), times, of_zeros, 0)
        if isinstance(op, num.CallOp):
            self.call(op, steps, times)
        self.constants |= lowered.tables
        if lowered.interval is not None:
            self.intervals[op.results[0]] = lowered.interval

    def call(self, op: num.CallOp, steps: StepCounts, times: float) -> None:
        kernels, routine = self.demand.kernels, op.routine
        if op.kernel is None:
            steps.add(f"{routine.function} element", times, op.products or 0, 0)
        elif isinstance(op.kernel, num.CodeKernelAttr):
            assert isinstance(routine, num.CodeAttr)
            size = routine.size
            kernels[op.kernel.function] = KernelCost(Cost(size.time, size.call, size.once, size.stack), size.stack)
        else:
            kernel = kernel_of(op.kernel, self.target)
            for unit, count in _units(op, kernel).items():
                steps.add(kernel_step(kernel, unit), times, count, 0)
                kernels[kernel_step(kernel, unit)] = kernel_cost(kernel, unit)
            kernels[kernel_step(kernel)] = kernel_cost(kernel)
            if isinstance(op.kernel, num.FarKernelAttr):
                self.demand.far_time += times * (far_call(op.kernel.near, self.target) or 0)
            if kernel.composed is not None:
                self.demand.shared |= {function.symbol: function.code for function in kernel.composed.shared}


@dataclass(frozen=True)
class _Lowered:
    """The result of lowering one `num` op, to be added to the demand.

    steps: the number of steps that an execution takes, by kind of step.
    stands: the number of their occurrences in the code.
    before: the number of those that the C compiler moves before the loop around the op, in addition.
    tables: the bytes in flash of each table.
    interval: the interval of the result; None if it is unknown.
    """

    steps: Mapping[str, float]
    stands: Mapping[str, float]
    before: Mapping[str, float]
    tables: Mapping[Attribute, int]
    interval: Interval | None


_known: dict[object, _Lowered] = {}


def _lowered(op: Operation, target: str, intervals: Sequence[Interval | None], unchanged: Sequence[bool]) -> _Lowered:
    """The result of lowering an op.

    intervals: the interval of each operand, or None.
    unchanged: for each operand, whether the loop around the op leaves it unchanged.
    """
    types = (value.type for value in (*op.operands, *op.results))
    key = op.name, target, *op.properties.items(), *types, *intervals, *unchanged
    if key not in _known:
        alone = OpFunction.recorded(op, intervals).expanded()
        moved = _moved(alone, unchanged)
        steps, stands, before = _counts(), _counts(), _counts()
        for lowered_op, executions in _executed(alone.block):
            for step, count in _steps_of_lowered(lowered_op).items():
                if lowered_op in moved:
                    before[step] += count
                else:
                    steps[step] += executions * count
                    stands[step] += 1 if isinstance(lowered_op, scf.ForOp) else count
        tables = [table for table in alone.block.ops if isinstance(table, scratch.ConstantOp)]
        sizes: dict[Attribute, int] = {table.value: scratch.bytes_of(table.result) for table in tables}
        _known[key] = _Lowered(steps, stands, before, sizes, alone.interval)
    return _known[key]


def _executed(block: Block, executions: float = 1.0) -> Iterator[tuple[Operation, float]]:
    """Yield each operation of a block and of the loops in it, with the number of its executions per execution of the
    block.
    """
    for op in block.ops:
        yield op, executions
        if isinstance(op, scf.ForOp):
            yield from _executed(op.body.block, executions * trip_count(op))


def _steps_of_lowered(op: Operation) -> Mapping[str, float]:
    if not isinstance(op, scf.ForOp):
        return _steps_of_operation(op)
    trips = trip_count(op)
    kind = _kind_of_loop(op, trips)
    return {f"loop{kind}": 1, f"iteration{kind}": trips}


def _moved(alone: OpFunction, unchanged: Sequence[bool]) -> set[Operation]:
    """The operations of a lowered op that the C compiler moves before the loop around it: they depend on operands that
    this loop leaves unchanged and on constants alone. It does not move calls.
    """
    if not any(unchanged) or all(unchanged):
        return set()
    invariant: set[SSAValue] = {
        value for value, is_invariant in zip(alone.block.args, unchanged, strict=True) if is_invariant
    }
    moved = set[Operation]()
    for op in alone.block.ops:
        if isinstance(op, arith.ConstantOp | scratch.ConstantOp | func.CallOp):
            continue
        needed = [value for value in op.operands if not isinstance(value.owner, arith.ConstantOp | scratch.ConstantOp)]
        if needed and op.results and invariant.issuperset(needed):
            invariant.update(op.results)
            moved.add(op)
    return moved


def _unchanged(op: Operation) -> list[bool]:
    """For each operand of an op, whether the loop directly around the op leaves it unchanged."""
    if not isinstance(op.parent_op(), scf.ForOp):
        return [False] * len(op.operands)
    return [
        (value.owner if isinstance(value.owner, Block) else value.owner.parent) is not op.parent
        for value in op.operands
    ]


def _zeros(function: func.FuncOp) -> dict[SSAValue, float]:
    share = tdsl.read_input(function).zeros
    inputs = [op.result for op in function.walk() if isinstance(op, scratch.ViewOp) and op.input]
    return {} if share is None else dict.fromkeys(inputs or function.args, share)


def _units(op: num.CallOp, kernel: Kernel) -> Mapping[str, float]:
    elements = _elements(op, kernel)
    units = {"element": elements}
    if kernel.composed is not None and (block := kernel.composed.block):
        # For a sparse matrix in rows without a stream, the mean over the rows.
        sparse = op.products is None and not kernel.gaps
        units["rest"] = _mean_rest(op, block) if sparse else op.length % block
    # Kernels that take two elements at once are faster on rows of even length.
    if op.products is not None and op.length % 2:
        units["odd element"] = elements
    return units


def _mean_rest(op: num.CallOp, block: int) -> float:
    return float((compressed_rows(op).lengths % block).mean())


def _elements(op: num.CallOp, kernel: Kernel) -> float:
    if op.products is not None:
        return op.products
    stored = _source_elements(op.factors[0]) / _rows(op)
    if not kernel.gaps:
        return stored
    return (stored - COUNT_BYTES) * 8 / (kernel.gaps + kernel.weights)


def _rows(op: Operation) -> float:
    around = op.parent_op()
    return max(trip_count(around), 1) if isinstance(around, scf.ForOp) else 1


def _source_elements(value: SSAValue) -> int:
    return scratch.elements_of(scratch.root(value))


def trip_count(op: scf.ForOp) -> float:
    """The number of iterations of a loop. If a bound depends on enclosing loops or is loaded from flash, the mean
    number. `UNKNOWN_TRIPS` if the number cannot be determined.
    """
    if (mean := mean_iterations(op)) is not None:
        return mean
    if const_evaluate_operand(op.lb) is None or const_evaluate_operand(op.step) is None:
        return UNKNOWN_TRIPS
    end = op.ub
    while isinstance(cast_ := end.owner, arith.IndexCastOp | arith.ExtUIOp):
        end = cast_.input
    if isinstance(load := end.owner, memref.LoadOp) and (counts := constant_root(load.memref)) is not None:
        raws = counts.raws
        # A table has a column of counts.
        column = const_evaluate_operand(load.indices[-1])
        counted = raws if column is None else raws[..., column]
        return float(np.ascontiguousarray(counted).view(f"u{raws.itemsize}").mean())
    return UNKNOWN_TRIPS


def _kind_of_loop(loop: scf.ForOp, trips: float) -> str:
    """What follows `loop` and `iteration` in the names of a loop's steps. The C compiler cannot unroll loops whose
    bounds are computed, and tests these before the first iteration.
    """
    if any(const_evaluate_operand(bound) is None for bound in (loop.lb, loop.ub)):
        return " computed"
    return " short" if trips <= UNROLLED_TRIPS + _searches(loop) else ""


_INDEX_SUMS = arith.AddiOp, arith.SubiOp, arith.MuliOp
_DECISIONS = arith.CmpiOp, arith.MaxSIOp, arith.MinSIOp, arith.SelectOp, scf.ForOp


def _is_one(value: SSAValue) -> bool:
    constant = value.owner
    return (
        isinstance(constant, arith.ConstantOp)
        and isinstance(constant.value, FloatAttr)
        and constant.value.value.data == 1
    )


def _decides(user: Operation, operand: int) -> bool:
    return isinstance(user, _DECISIONS) or (
        isinstance(user, scratch.CopyRunOp) and user.operands[operand] is user.count
    )


def _is_index(value: SSAValue) -> bool:
    return isinstance(value.type, IndexType)


def _searches(loop: scf.ForOp) -> bool:
    return any(isinstance(op, arith.SelectOp) and isinstance(op.result.type, IndexType) for op in loop.body.block.ops)


_UNROLLED = 2
"""The largest shift amount in straight-line code on a chip without a barrel shifter; longer shifts are loops."""

_FREE_OPS = {
    arith.ConstantOp,
    arith.IndexCastOp,
    arith.TruncIOp,
    func.ReturnOp,
    memref.AllocaOp,
    memref.CastOp,
    scf.YieldOp,
    scratch.ArenaOp,
    scratch.ConstantOp,
    scratch.SliceOp,
    scratch.ViewOp,
}


def _steps_of_operation(op: Operation) -> Mapping[str, float]:
    """The steps of an operation of L4, by kind of step, with their numbers.

    Empty for a loop, because the ops of its body are counted separately.
    """
    if type(op) in _FREE_OPS:
        return {}
    width = str(storage_of(op.results[0].type)) if op.results else ""
    match op:
        case arith.AddiOp() | arith.SubiOp() | arith.MuliOp() if _is_index(op.result):
            return {"index": 1}
        case arith.AddiOp() | arith.SubiOp():
            return {f"add {width}": 1}
        case arith.MuliOp():
            return _multiplication(op, width)
        case arith.ShLIOp() | arith.ShRSIOp():
            return _shift(width, const_evaluate_operand(op.rhs))
        case arith.MinSIOp() | arith.MaxSIOp():
            return {f"limit {width}": 1}
        case arith.CmpiOp() | arith.CmpfOp():
            return {f"compare {op.lhs.type}": 1}
        case arith.MulfOp() if _is_one(op.lhs) or _is_one(op.rhs):
            return {}
        case arith.ExtSIOp():
            # A multiplication has narrow factors, which need no extension.
            factor = all(isinstance(use.operation, arith.MuliOp) for use in op.result.uses)
            return {} if factor else {f"extend {op.input.type} {width}": 1}
        case arith.SelectOp() if _keeps(op):
            return {f"keep {width}": 1}
        case func.CallOp():
            name = op.callee.string_value()
            return {f"{name}{VARIABLE}" if _has_variable_shift(op) else name: 1}
        case memref.LoadOp() if (bits := packed_bits(memref_type(op.memref))) is not None:
            return {packed_reader(bits, flash=in_flash(memref_type(op.memref))): 1}
        case memref.StoreOp() if (bits := ram_bits(memref_type(op.memref))) is not None:
            return {packed_writer(bits): 1}
        case memref.CopyOp() if (bits := ram_bits(memref_type(op.source))) is not None:
            symbol = packed_copier(bits)
            return {symbol: 1, f"{symbol} element": prod(memref_type(op.source).get_shape())}
        case scratch.CopyRunOp():
            elements, size = unit_of(memref_type(op.source))
            bytes = op.most.value.data // elements * size
            return {"tm_copy": 1, **({"tm_copy word": bytes // 4} if _copies_words(op) else {"tm_copy byte": bytes})}
        case scratch.TurnOp():
            rows, columns = map(const_evaluate_operand, (op.rows, op.columns))
            return {"turn": 1} if rows is None or columns is None else {"turn pixel": rows * columns}
        case memref.LoadOp():
            place = "flash" if in_flash(memref_type(op.memref)) else "ram"
            return {f"load {place} {_element_bytes(op.memref)}": 1}
        case memref.StoreOp():
            return {f"store {_element_bytes(op.memref)}": 1}
        case _:
            return {f"{op.name.partition('.')[2]} {width}".rstrip(): 1}


def _has_variable_shift(call: func.CallOp) -> bool:
    """Whether the last argument of a runtime function, a number of bits, is not constant. C compilers merge constant
    shifts into the code of the caller.
    """
    return bool(call.arguments) and call.arguments[-1].type == i8 and const_evaluate_operand(call.arguments[-1]) is None


def _takes_less_of_zero(step: str) -> bool:
    return step.startswith(("mulf ", "addf ", "subf "))


def _of_zero(step: str) -> str:
    return step + OF_ZERO


def is_shift(constant: int, product: str) -> bool:
    """Whether the C compiler computes a product of an extended number and a constant by a shift: the constant is a
    power of two and, for a 16-bit product, at most 2.

    Greater shifts of 16-bit numbers are excluded because 8-bit chips shift them bit by bit.

    product: the type of the product, such as `i16`.
    """
    return constant.bit_count() == 1 and not (constant > 2 and product == "i16")


def _multiplication(op: arith.MuliOp, width: str) -> Mapping[str, float]:
    factors = (op.lhs, op.rhs)
    known = next((number for factor in factors if (number := const_evaluate_operand(factor)) is not None), None)
    narrow = [factor.owner.input.type for factor in factors if isinstance(factor.owner, arith.ExtSIOp)]
    if known is not None and known > 0 and known.bit_count() == 1 and (not narrow or is_shift(known, width)):
        return _shift(width, known.bit_length() - 1)
    if narrow and len(narrow) + (known is not None) == len(factors):
        widest = max(cast("IntegerType[Any, Any]", type).width.data for type in narrow)
        return {f"multiply i{widest} {width}": 1}
    return {f"multiply {width}": 1}


def _keeps(select: arith.SelectOp) -> bool:
    """Whether a selection in a loop can return the carried value, as in the search for the greatest element. In most
    iterations, such a selection returns the carried value.
    """
    block = select.parent
    if block is None or not isinstance(block.parent_op(), scf.ForOp):
        return False
    choices = [select.rhs]
    while isinstance(before := choices[-1].owner, arith.SelectOp):
        choices += [before.rhs]
    return any(choice in block.args[1:] for choice in choices) or select.lhs in block.args[1:]


def _shift(width: str, amount: int | None) -> Mapping[str, float]:
    if amount == 0:
        return {}
    if amount is None or amount % 8 == 0:
        return {f"shift {width} bytes": 1}
    return (
        {f"shift {width} bit": amount} if amount <= _UNROLLED else {f"shift {width}": 1, f"shift {width} loop": amount}
    )


def _copies_words(op: scratch.CopyRunOp) -> bool:
    elements, size = unit_of(memref_type(op.source))
    whole = elements * 4 // gcd(size, 4)
    buffers = [scratch.root(buffer) for buffer in (op.source, op.dest)]
    aligned = all(memory_of(buffer) is not buffer and start_of(buffer) % 4 == 0 for buffer in buffers)
    offsets = [*map(affine_sum, (op.first, op.at, op.count)), *map(first_element, (op.source, op.dest))]
    return aligned and all(offset.is_multiple(whole) for offset in offsets)


def _element_bytes(value: SSAValue) -> int:
    return element_bytes(memref_type(value))
