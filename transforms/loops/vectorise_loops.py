"""`vectorise-loops`: loops over elements become calls of code for vectors, where the target has any (L3).

Elementwise ops, sums of tensors, pools and means are loops whose iterations compute one element of a result each. What
such an iteration computes is recorded in steps on integers (`ElementLoop`), by the number formats themselves, so that a
new format or op needs no kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.hints import isa

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.element_loops import WIDTHS, ElementLoop, Step
from tinyml.dialects.scratch import element_bytes, memref_type, packed_bits
from tinyml.targets.makers import LoopCoder
from tinyml.targets.registry import HOST, compile_for, makers, offers
from tinyml.transforms.ir.accesses import Access, buffer_access, element_of
from tinyml.transforms.ir.buffers import is_handed_on
from tinyml.transforms.ir.indices import AffineSum
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.ir.loop_nest import LoopNest
from tinyml.transforms.loops.kernels.element_steps import Element, NoSteps, StepRecorder
from tinyml.transforms.loops.kernels.tiles import code_of, size_of


@dataclass(frozen=True)
class VectoriseLoopsPass(ModulePass):
    """Replace loops whose iterations each store one element of a run and depend on no other iteration.

    Loops inside may carry values, such as sums. What is loaded are elements of other runs, or of the same, at the place
    of the iteration. A loop around another one is joined with it where both together visit one run.

    target: as for `select-kernels`. Raises `InputError` for an unknown target.
    """

    name = "vectorise-loops"
    takes = LOOPS
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compile_for(op, self.target)
        if not makers(self.target, LoopCoder):
            return
        for function in defined_functions(op):
            for loop in [each for each in function.walk() if isinstance(each, scf.ForOp)]:
                if function.is_ancestor(loop) and (found := _element_loop(loop)) is not None:
                    found.replace(self.target)


@dataclass
class _Run:
    """A run of memory that iterations access. start: of the first iteration, in elements of the root buffer."""

    root: SSAValue
    start: AffineSum
    accesses: list[Access]

    @property
    def writes(self) -> bool:
        return self.accesses[0].writes

    @property
    def width(self) -> int:
        """Of its elements, in bits."""
        return self.accesses[0].width


@dataclass
class _Found:
    """A loop, with all loops around it that are joined with it, and the runs that it reads and, at last, writes."""

    loop: scf.ForOp
    runs: Sequence[_Run]
    code: ElementLoop

    def replace(self, target: str) -> None:
        """Replace the loop by a call, unless plain code is likely to be faster."""
        kernel = next((offer.kernel for offer in offers(target, self.code)), None)
        if kernel is None or kernel.composed is None or kernel.composed.costs[""] >= self.code.work:
            return
        nest, operands = LoopNest(self.loop), list[SSAValue]()
        for run, reach in zip(self.runs, self.code.reach, strict=True):
            start = nest.index(run.start.constant)
            for variable, factor in run.start.factors.items():
                start = nest.add(start, nest.times(variable, factor))
            operands.append(nest.insert(scratch.SliceOp(run.root, start, (reach,))))
        routine = num.CodedLoopAttr.of(self.code.attribute, size_of(kernel))
        nest.put(num.CallOp(routine, [operands[-1], *operands[:-1]], code_of(kernel)))
        Rewriter.erase_op(self.loop)


def _trips(loop: scf.ForOp) -> int | None:
    """The iterations of a loop from 0 by 1; None for others."""
    low, high, step = (const_evaluate_operand(bound) for bound in (loop.lb, loop.ub, loop.step))
    return high if low == 0 and step == 1 and high else None


def _element_loop(loop: scf.ForOp) -> _Found | None:
    """A loop over elements; None for one of another kind."""
    if (count := _trips(loop)) is None or loop.iter_args:
        return None
    recording = _Recording(loop)
    try:
        recording.block(loop.body.block, {})
    except (NoSteps, InputError):
        return None
    if all(step.name in ("load", "store") for step in recording.recorder.steps):
        # A copy, which compilers recognise.
        return None
    runs = recording.runs
    if not runs[-1].writes or not all(map(recording.is_safe, runs[:-1])):
        return None
    while (around := _loop_around(loop)) is not None and all(
        run.start.factors.get(around.body.block.args[0]) == count for run in runs
    ):
        for run in runs:
            run.start = run.start.plus(AffineSum(0, {around.body.block.args[0]: -count}))
        loop, count = around, count * cast(int, _trips(around))
    if any(loop.is_ancestor(variable.owner) for run in runs for variable in run.start.factors):
        return None
    return _Found(loop, runs, ElementLoop(count, recording.widths, tuple(recording.recorder.steps)).verified)


def _loop_around(loop: scf.ForOp) -> scf.ForOp | None:
    """The loop whose body is this loop and arithmetic on indices alone."""
    outer = loop.parent_op()
    if not isinstance(outer, scf.ForOp) or outer.iter_args or _trips(outer) is None:
        return None
    rest = [op for op in outer.body.block.ops if op is not loop and not isinstance(op, scf.YieldOp)]
    return outer if all(is_side_effect_free(op) and not op.regions for op in rest) else None


@dataclass
class _Recording:
    """The steps of an iteration, recorded as its ops are visited. values: what has been recorded, by the IR's value."""

    loop: scf.ForOp
    recorder: StepRecorder = field(default_factory=StepRecorder)
    values: dict[SSAValue, Element] = field(default_factory=dict[SSAValue, Element])
    runs: list[_Run] = field(default_factory=list[_Run])

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple(run.width for run in self.runs)

    def is_safe(self, run: _Run) -> bool:
        """True if no element that is read has been overwritten, in whatever groups iterations run.

        The run that is written does not meet those that are read, or iterations read nothing before their own place.
        """
        [written] = self.runs[-1].accesses
        return all(read.is_apart(written) or self._is_behind(read, written) for read in run.accesses)

    def _is_behind(self, read: Access, written: Access) -> bool:
        """True if an iteration reads the element that it writes, or elements behind it."""
        if read.start is None or written.start is None or read.width != written.width:
            return False
        gap = read.start.plus(written.start, -1)
        inside = all(self.loop.is_ancestor(index.owner) for index in gap.factors)
        return inside and min([gap.constant, *gap.factors.values()]) >= 0

    def block(self, block: Block, loops: dict[SSAValue, int]) -> None:
        """Record the ops of a block. loops: the indices of the loops around it inside of the iteration, in order."""
        for op in block.ops:
            if not isinstance(op, scf.YieldOp):
                self.op(op, loops)

    def op(self, op: Operation, loops: dict[SSAValue, int]) -> None:
        match op:
            case memref.LoadOp():
                self.values[op.res] = self.load(op, loops)
            case memref.StoreOp() if not loops and not any(run.writes for run in self.runs):
                self.run(op, loops)
                self.recorder.step("store", self.value(op.value))
            case num.NumOp():
                computed = op.computation()(self.recorder, [self.value(value) for value in op.operands])
                for result in op.results:
                    self.values[result] = computed
            case arith.SelectOp() if not isinstance(op.result.type, IndexType):
                chosen = [self.value(value) for value in op.operands]
                self.values[op.result] = self.recorder.select(*chosen)
            case scf.ForOp():
                self.inner(op, loops)
            case _ if is_side_effect_free(op) and all(isinstance(value.type, IndexType) for value in op.results):
                # Arithmetic on indices, which addresses repeat.
                pass
            case arith.ConstantOp():
                self.value(op.result)
            case _:
                raise NoSteps

    def value(self, value: SSAValue) -> Element:
        """A value as it is recorded; an integer constant from anywhere."""
        if value not in self.values:
            known, type = const_evaluate_operand(value), value.type
            if known is None or not isa(type, IntegerType):
                raise NoSteps
            self.values[value] = self.recorder.int_constant(known, type.bitwidth)
        return self.values[value]

    def inner(self, loop: scf.ForOp, loops: dict[SSAValue, int]) -> None:
        """Record a loop that carries values."""
        if (count := _trips(loop)) is None or not loop.iter_args:
            raise NoSteps
        recorder, (index, *carried), last = self.recorder, loop.body.block.args, loop.body.block.last_op
        assert isinstance(last, scf.YieldOp)
        for argument, result, value in zip(carried, loop.results, loop.iter_args, strict=True):
            self.values[argument] = self.values[result] = recorder.step("carry", self.value(value))
        recorder.steps.append(Step("loop", (), (count,)))
        self.block(loop.body.block, {**loops, index: count})
        # All values of the next iteration are those of this one.
        following = [self.value(value) for value in last.operands]
        # A value that is widened or narrowed is still that of the step.
        kept = {value.operand for value in following}
        if any(self.values[argument].operand in kept for argument in carried):
            raise NoSteps
        for argument, value in zip(carried, following, strict=True):
            recorder.step("next", self.values[argument], value)
        recorder.steps.append(Step("end"))

    def load(self, op: memref.LoadOp, loops: dict[SSAValue, int]) -> Element:
        if any(run.writes for run in self.runs):
            raise NoSteps
        number, offset, strides = self.run(op, loops)
        return self.recorder.step("load", numbers=(number, offset, *strides), width=self.runs[number].width)

    def run(self, op: memref.LoadOp | memref.StoreOp, loops: dict[SSAValue, int]) -> tuple[int, int, Sequence[int]]:
        """The run that an op accesses, by its number, how far behind its start, and the strides of loops inside."""
        type, lane = memref_type(op.memref), self.loop.body.block.args[0]
        root = scratch.root(op.memref)
        if packed_bits(type) is not None or is_handed_on(op.memref):
            raise NoSteps
        access = buffer_access(op, op.memref)
        start, bytes = element_of(op.memref, op.indices), element_bytes(type)
        strides = [start.factors.get(index, 0) for index in loops]
        apart = {index: -stride for index, stride in zip(loops, strides, strict=True)}
        start = start.plus(AffineSum(0, {**apart, lane: -start.factors.get(lane, 0)}))
        advances = element_of(op.memref, op.indices).factors.get(lane, 0)
        if advances != 1 or bytes != element_bytes(memref_type(root)) or access.width not in WIDTHS:
            raise NoSteps
        if isinstance(op, memref.LoadOp):
            for number, run in enumerate(self.runs):
                gap = start.plus(run.start, -1)
                if run.root is root and not gap.factors and gap.constant >= 0:
                    run.accesses.append(access)
                    return number, gap.constant, strides
        self.runs.append(_Run(root, start, [access]))
        return len(self.runs) - 1, 0, strides
