"""Loops over the elements of runs of memory, and the code for vectors that replaces them (`vectorise-loops`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.hints import isa

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import INTEGER_CODING, element_format, number_format
from tinyml.dialects.layouts.element_loops import REGISTER, WIDTHS, Constant, ElementLoop, Step
from tinyml.dialects.layouts.trees import element_type
from tinyml.dialects.loops import iterations_of, trips_from_zero
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import element_bytes, memref_type, packed_bits
from tinyml.targets.registry import offers
from tinyml.transforms.ir.accesses import Access, buffer_access
from tinyml.transforms.ir.buffers import buffer_reads, element_of, first_element, is_handed_on
from tinyml.transforms.ir.indices import AffineSum
from tinyml.transforms.ir.loop_nest import LoopNest, function_around, local_array
from tinyml.transforms.loops.kernels.element_steps import Element, NoSteps, StepRecorder
from tinyml.transforms.loops.kernels.tiles import code_of, size_of, usual_tile

if TYPE_CHECKING:
    from tinyml.transforms.loops.kernels.element_steps import Table


_Loop = scf.ForOp | num.ContractOp

VECTORISED = Statistic("num-vectorised", "Number of loops that became code for vectors")


def vectorise(function: Operation, target: str) -> None:
    """Replace the loops of a function that code for vectors can compute."""
    for loop in [each for each in function.walk() if isinstance(each, _Loop)]:
        if isinstance(loop, num.ContractOp) and (loop.tile or usual_tile(loop, target)) is not None:
            continue
        if not function.is_ancestor(loop):
            continue
        found = _element_loop(loop)
        if isinstance(found, str) and isinstance(joined := _reduction(loop), _Found):
            found = joined
        if not isinstance(found, str):
            found.replace(target)
        elif not any(isinstance(inner, _Loop) for inner in loop.body.walk()):
            missed(loop, f"stays a loop: {found}")


@dataclass
class _Run:
    """A run of memory that iterations access.

    start: that of the first iteration, in elements of the root buffer. width: that of its elements, in bits. accesses:
    none for a table, and none for a `root` that is not a buffer but a value or the result of a reduction, for which a
    buffer is made. elements: true if each iteration accesses its own element.
    """

    root: SSAValue
    start: AffineSum
    width: int
    accesses: list[Access]
    elements: bool = False

    @property
    def writes(self) -> bool:
        return any(access.writes for access in self.accesses)


@dataclass
class _Found:
    """A loop, all the loops around it that are joined with it, and the runs that it reads and, last, writes."""

    loop: _Loop
    runs: Sequence[_Run]
    code: ElementLoop

    def replace(self, target: str) -> None:
        """Replace the loop by a call, unless plain code is likely to be faster."""
        kernel = next((offer.kernel for offer in offers(target, self.code)), None)
        if kernel is None or kernel.composed is None:
            missed(self.loop, "stays a loop: the target has no code for vectors that computes its steps")
            return
        if (cost := kernel.composed.costs[""]) >= self.code.work:
            missed(self.loop, f"stays a loop: code for vectors takes {cost:.0f}, plain code about {self.code.work:.0f}")
            return
        passed(self.loop, f"becomes code for vectors, which takes {cost:.0f}, plain code about {self.code.work:.0f}")
        VECTORISED.add(self.loop)
        nest, operands = LoopNest(self.loop), list[SSAValue]()
        for run, reach in zip(self.runs, self.code.reach, strict=True):
            if not isinstance(run.root.type, MemRefType):
                operands.append(self._single(run, nest))
                continue
            made = run.root.owner
            if isinstance(made, Operation) and (made.parent is None or self.loop.is_ancestor(made)):
                if made.parent is not None:
                    made.detach()
                nest.put(made)
            start = nest.index(run.start.constant)
            for variable, factor in run.start.factors.items():
                start = nest.add(start, nest.times(variable, factor))
            operands.append(nest.insert(scratch.SliceOp(run.root, start, (reach,))))
        routine = num.CodedLoopAttr.of(self.code.attribute, size_of(kernel))
        nest.put(num.CallOp(routine, [operands[-1], *operands[:-1]], code_of(kernel)))
        if self.code.reduces:
            result, to = nest.load(operands[-1], [nest.index(0)]), self.runs[-1].root
            if isinstance(to.type, IndexType):
                result = nest.insert(arith.IndexCastOp(result, to.type))
            to.replace_all_uses_with(result)
        Rewriter.erase_op(self.loop)

    def _single(self, run: _Run, nest: LoopNest) -> SSAValue:
        """An array of one element for a value, which is stored in it unless the value is the result."""
        type = i32 if run.root.type == IndexType() else run.root.type
        array = local_array(function_around(self.loop), type, 1, run.root.name_hint or "single")
        if run is not self.runs[-1]:
            nest.store(run.root, array, [nest.index(0)])
        return array


def _trips(loop: _Loop) -> int | None:
    """The iterations of a loop that counts from 0 by 1, or the rows of a contraction with one window; None for
    others.
    """
    if isinstance(loop, num.ContractOp):
        return loop.rows if len(loop.shape) == 1 else None
    return trips_from_zero(loop)


def _counts_up(variable: SSAValue) -> bool:
    """True for the index of a loop that starts at 0."""
    loop = variable.owner.parent_op()
    return isinstance(loop, _Loop) and variable in loop.body.block.args[:1] and _trips(loop) is not None


def _element_loop(loop: _Loop) -> _Found | str:
    """The loop as a loop over elements, or the reason why it is none."""
    if (count := _trips(loop)) is None:
        return "its indices are not those from 0 to a constant"
    if isinstance(loop, scf.ForOp) and loop.iter_args:
        return "it carries more than a sum, or the greatest value or its place"
    recording = _Recording(loop)
    try:
        recording.block(loop.body.block, {})
    except NoSteps as error:
        return str(error)
    except InputError as error:
        return error.message
    if all(step.name in ("load", "store") for step in recording.recorder.steps):
        return "it is a copy, which compilers recognise"
    runs = recording.runs
    if not runs[-1].writes:
        return "it stores nothing"
    if not all(map(recording.is_safe, runs[:-1])):
        return "an iteration may read what another stores"
    while (around := _loop_around(loop, runs)) is not None and all(
        run.start.factors.get(around.body.block.args[0]) == (count if run.elements else None) for run in runs
    ):
        for run in runs:
            run.start = run.start.plus(AffineSum(0, {around.body.block.args[0]: -count}))
        loop, count = around, count * cast(int, _trips(around))
    lines, pitches = 1, tuple[int, ...]()
    if (around := _loop_around(loop, runs)) is not None:
        index = around.body.block.args[0]
        found = tuple(run.start.factors.get(index, 0) for run in runs)
        if min(found) >= 0:
            loop, lines, pitches = around, cast(int, _trips(around)), found
            for run, pitch in zip(runs, pitches, strict=True):
                run.start = run.start.plus(AffineSum(0, {index: -pitch}))
    if any(loop.is_ancestor(variable.owner) for run in runs for variable in run.start.factors):
        return "what it accesses begins at an index that it computes itself"
    steps = recording.recorder.program
    return _Found(loop, runs, ElementLoop(count, recording.widths, steps, lines, pitches).verified)


def _reduction(loop: _Loop) -> _Found | None:
    """A loop that combines the values of all iterations into one; None for any other loop."""
    if not isinstance(loop, scf.ForOp) or not 1 <= len(loop.iter_args) <= 2:
        return None
    taken, used = iterations_of(loop), [result for result in loop.results if result.uses]
    if not taken or taken.step != 1 or len(used) != 1:
        return None
    recording = _Recording(loop, first=taken.start)
    try:
        steps = recording.reduced(used[0])
        recording.runs.append(_Run(used[0], AffineSum(0, {}), _single_width(used[0].type), []))
    except (NoSteps, InputError):
        return None
    if any(loop.is_ancestor(variable.owner) for run in recording.runs for variable in run.start.factors):
        return None
    return _Found(loop, recording.runs, ElementLoop(len(taken), recording.widths, steps).verified)


def _single_width(type: Attribute) -> int:
    """The width in bits of a value in memory; raises `NoSteps` for a value that is not an integer."""
    if isinstance(type, IndexType):
        return REGISTER
    format = number_format(type)
    width = type.width.data if isa(type, IntegerType) else 8 * format.dtype.itemsize if format is not None else 0
    if width not in WIDTHS:
        raise NoSteps(f"{type} is no integer of {', '.join(map(str, WIDTHS))} bits")
    return width


def _loop_around(loop: _Loop, runs: Sequence[_Run]) -> scf.ForOp | None:
    """The enclosing loop if it can be joined with this one; else None.

    Its body must consist of this loop and arithmetic on indices, and make none of the memory of the runs, except
    constants: they are the same in all iterations, and can be moved before the loop.
    """
    outer = loop.parent_op()
    if not isinstance(outer, scf.ForOp) or outer.iter_args or _trips(outer) is None:
        return None
    if any(_is_inside(outer, run.root) and not isinstance(run.root.owner, scratch.ConstantOp) for run in runs):
        return None
    rest = [op for op in outer.body.block.ops if op is not loop and not isinstance(op, scf.YieldOp)]
    return outer if all(is_side_effect_free(op) and not op.regions for op in rest) else None


def _is_inside(loop: _Loop, value: SSAValue) -> bool:
    """True for a value that each iteration of a loop computes anew."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    return block is not None and loop.is_ancestor(block)


@dataclass
class _Recording:
    """The steps of an iteration, recorded as its ops are visited.

    values: the recorded values, by the values of the IR. cells: what the iteration has stored in memory of its own, by
    buffer and element. first: the number of the first iteration. places: for a selection between the number of the
    iteration and the carried value, the comparison that decides it.
    """

    loop: _Loop
    first: int = 0
    values: dict[SSAValue, Element] = field(default_factory=dict[SSAValue, Element])
    runs: list[_Run] = field(default_factory=list[_Run])
    cells: dict[SSAValue, dict[int, Element]] = field(default_factory=dict[SSAValue, dict[int, Element]])
    places: dict[SSAValue, Element] = field(default_factory=dict[SSAValue, Element])

    @cached_property
    def recorder(self) -> StepRecorder:
        return StepRecorder(self.table)

    @property
    def lane(self) -> SSAValue:
        """The number of the iteration."""
        return self.loop.body.block.args[0 if isinstance(self.loop, scf.ForOp) else -1]

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple(run.width for run in self.runs)

    def is_safe(self, run: _Run) -> bool:
        """True if no element is read after it has been overwritten, whatever the groups in which iterations run.

        The run that is written does not overlap those that are read, or iterations only read at or after their own
        position.
        """
        [written] = self.runs[-1].accesses
        return all(read.is_apart(written) or self._is_behind(read, written) for read in run.accesses)

    def _is_behind(self, read: Access, written: Access) -> bool:
        """True if an iteration reads the element that it writes, or elements behind it."""
        if read.start is None or written.start is None or read.width != written.width:
            return False
        gap = read.start.plus(written.start, -1)
        return all(map(_counts_up, gap.factors)) and min([gap.constant, *gap.factors.values()]) >= 0

    def block(self, block: Block, loops: dict[SSAValue, int]) -> None:
        """Record the ops of a block. loops: the indices of the loops inside the iteration that enclose the block, in
        order.
        """
        for op in block.ops:
            if not isinstance(op, scf.YieldOp):
                self.op(op, loops)

    def op(self, op: Operation, loops: dict[SSAValue, int]) -> None:
        match op:
            case memref.LoadOp():
                self.values[op.res] = self.load(op, loops)
            case memref.StoreOp() if not loops and not any(run.writes for run in self.runs):
                if (cell := self.cell(op)) is not None:
                    self.cells.setdefault(scratch.root(op.memref), {})[cell] = self.value(op.value)
                else:
                    value = self.value(op.value)
                    self.run(op, loops)
                    self.recorder.step("store", value)
            case num.ProductsOp(spacing=None, channels=None) if not loops:
                pitch = op.row_pitch
                rows = first_element(op.weights).plus(AffineSum(0, {self.lane: pitch}))
                self.values[op.result] = self.sum(op, "dot", (op.weights, rows), (op.vector, first_element(op.vector)))
            case num.CallOp(routine=num.DotAttr() | num.DistanceAttr() as routine, kernel=None) if not loops:
                name = "dot" if isinstance(routine, num.DotAttr) else "distance"
                runs = [(run, first_element(run)) for run in op.factors]
                # The factor that differs between iterations provides the rows.
                rows, vector = sorted(runs, key=lambda run: self.lane not in run[1].factors)
                self.values[op.result] = self.sum(op, name, rows, vector)
            case num.NumOp():
                computed = op.computation()(self.recorder, [self.value(value) for value in op.operands])
                for result in op.results:
                    self.values[result] = computed
            case arith.SelectOp(lhs=self.lane):
                self.places[op.result] = self.value(op.cond)
            case arith.SelectOp() if not isinstance(op.result.type, IndexType):
                chosen = [self.value(value) for value in op.operands]
                self.values[op.result] = self.recorder.select(*chosen)
            case scf.ForOp():
                self.inner(op, loops)
            case scratch.SliceOp():
                pass
            case _ if is_side_effect_free(op) and all(isinstance(value.type, IndexType) for value in op.results):
                # Arithmetic on indices, which the addresses repeat.
                pass
            case arith.ConstantOp():
                self.value(op.result)
            case _:
                raise NoSteps(f"{op.name} has no steps")

    def value(self, value: SSAValue) -> Element:
        """The recorded value for a value of the IR; constants may be defined anywhere."""
        if isinstance(op := value.owner, num.NumOp) and not op.operands:
            return op.computation()(self.recorder, [])
        if value not in self.values:
            known, type = const_evaluate_operand(value), value.type
            if known is None:
                self.values[value] = self.shared(value)
            elif isa(type, IntegerType):
                self.values[value] = self.recorder.int_constant(known, type.bitwidth)
            else:
                raise NoSteps(f"{value.type} has no steps")
        return self.values[value]

    def shared(self, value: SSAValue) -> Element:
        """Record a value that is defined outside the loop."""
        if self.loop.is_ancestor(value.owner) or isinstance(value.type, IndexType):
            raise NoSteps("it computes with an index, or with what is made inside of it in another way")
        width = _single_width(value.type)
        self.runs.append(_Run(value, AffineSum(0, {}), width, []))
        return self.recorder.step("shared", numbers=(len(self.runs) - 1,), width=width)

    def reduced(self, result: SSAValue) -> tuple[Step, ...]:
        """The steps of a loop that combines all values into one of its results; raises `NoSteps` for any other
        result.
        """
        loop, recorder, carries = cast(scf.ForOp, self.loop), self.recorder, list[Element | None]()
        for argument, value in zip(loop.body.block.args[1:], loop.iter_args, strict=True):
            carries.append(None)
            if not isinstance(argument.type, IndexType):
                carries[-1] = self.values[argument] = recorder.step("carry", self.value(value))
        self.block(loop.body.block, {})
        last, number = loop.body.block.last_op, [each is result for each in loop.results].index(True)
        assert isinstance(last, scf.YieldOp)
        steps, wanted = recorder.steps, last.operands[number]
        if carries[number] is None:
            # The position of the greatest value, which is carried next to it.
            place, other = self.places.get(wanted), const_evaluate_operand(loop.iter_args[number])
            if place is None or other is None or len(carries) != 2:
                raise NoSteps
            number = 1 - number
            kind, numbers = "place", (self.first, other)
        else:
            place, kind, numbers = None, "", ()
        carry, following = carries[number], self.value(last.operands[number]).operand
        if carry is None or isinstance(following, Constant) or isinstance(carry.operand, Constant):
            raise NoSteps
        joined = steps[following]
        kind = kind or {"add": "sum", "max": "greatest"}.get(joined.name, "")
        values = [one for one in joined.operands if one != carry.operand]
        if not kind or len(values) != 1 or isinstance(value := values[0], Constant):
            raise NoSteps
        if place is not None:
            compared = steps[cast(int, place.operand)]
            if joined.name != "max" or compared != Step("greater", (value, carry.operand)):
                raise NoSteps
        steps.append(Step(kind, (steps[carry.operand].operands[0], value), numbers))
        if any(each.operand in recorder.needed for each in carries if each is not None):
            raise NoSteps
        return recorder.program

    def inner(self, loop: scf.ForOp, loops: dict[SSAValue, int]) -> None:
        """Record an inner loop that carries values."""
        if (count := _trips(loop)) is None or not loop.iter_args:
            raise NoSteps("the loop inside carries nothing")
        recorder, (index, *carried), last = self.recorder, loop.body.block.args, loop.body.block.last_op
        assert isinstance(last, scf.YieldOp)
        for argument, result, value in zip(carried, loop.results, loop.iter_args, strict=True):
            self.values[argument] = self.values[result] = recorder.step("carry", self.value(value))
        recorder.steps.append(Step("loop", (), (count,)))
        self.block(loop.body.block, {**loops, index: count})
        # All values carried to the next iteration are those of this one.
        following = [self.value(value) for value in last.operands]
        # A value that is widened or narrowed is still that of the step.
        kept = {value.operand for value in following}
        if any(self.values[argument].operand in kept for argument in carried):
            raise NoSteps
        for argument, value in zip(carried, following, strict=True):
            recorder.step("next", self.values[argument], value)
        recorder.steps.append(Step("end"))

    def sum(
        self,
        op: num.ProductsOp | num.CallOp,
        name: str,
        rows: tuple[SSAValue, AffineSum],
        vector: tuple[SSAValue, AffineSum],
    ) -> Element:
        """Record a sum over rows. The rows are given as runs, with the element at which the row of an iteration begins
        in each.
        """
        formats = [element_format(factor.type) for factor in op.factors]
        pitch, length = rows[1].factors.get(self.lane, 0), op.length
        whole = all(format.coding is INTEGER_CODING for format in formats) and op.accumulator.INTEGER
        if not whole or pitch < 1 or self.lane in vector[1].factors or any(run.writes for run in self.runs):
            raise NoSteps("the products inside are not of integers in rows")
        buffers = [rows[0], vector[0]]
        if any(packed_bits(memref_type(buffer)) is not None or is_handed_on(buffer) for buffer in buffers):
            raise NoSteps("the products inside are of packed elements, or of memory that is handed on")
        row = self.sum_run(op, rows[0], rows[1].plus(AffineSum(0, {self.lane: -pitch})))
        numbers = row, pitch, self.sum_run(op, *vector, shared=True), length
        start, width = self.value(op.sum), op.accumulator.bits
        return self.recorder.addi(start, self.recorder.step(name, numbers=numbers, width=width))

    def sum_run(self, op: Operation, buffer: SSAValue, start: AffineSum, *, shared: bool = False) -> int:
        """Return the number of the run of a factor. shared: true for a vector, which several sums may read."""
        root, access = scratch.root(buffer), buffer_access(op, buffer)
        if element_bytes(memref_type(buffer)) != element_bytes(memref_type(root)) or access.width not in WIDTHS:
            raise NoSteps("the products inside are of elements in other units than their buffer")
        for number, run in enumerate(self.runs if shared else ()):
            if run.root is root and run.start == start and not run.elements:
                run.accesses.append(access)
                return number
        self.runs.append(_Run(root, start, access.width, [access]))
        return len(self.runs) - 1

    def table(self, name: str, table: Table) -> int:
        """Return the number of the run of a table."""
        constant = scratch.ConstantOp.of(table, element_type(table))
        constant.result.name_hint = f"{name}_table"
        for number, run in enumerate(self.runs):
            known = run.root.owner
            if not run.accesses and isinstance(known, scratch.ConstantOp) and known.value == constant.value:
                return number
        self.runs.append(_Run(constant.result, AffineSum(0, {}), 8 * table.dtype.itemsize, []))
        return len(self.runs) - 1

    def cell(self, op: memref.LoadOp | memref.StoreOp) -> int | None:
        """The element of a buffer that all iterations access and that nothing outside the loop accesses; None for any
        other.
        """
        place, root = element_of(op.memref, op.indices), scratch.root(op.memref)
        if place.factors or is_handed_on(op.memref):
            return None
        inside = all(self.loop.is_ancestor(use.operation) for use in buffer_reads(root))
        return place.constant if inside else None

    def load(self, op: memref.LoadOp, loops: dict[SSAValue, int]) -> Element:
        if any(run.writes for run in self.runs):
            raise NoSteps("it loads behind a store")
        if (cells := self.cells.get(scratch.root(op.memref))) is not None:
            place = element_of(op.memref, op.indices)
            if place.factors or place.constant not in cells:
                raise NoSteps("it loads what it has stored at an index that is not constant")
            return cells[place.constant]
        number, offset, strides = self.run(op, loops)
        return self.recorder.step("load", numbers=(number, offset, *strides), width=self.runs[number].width)

    def run(self, op: memref.LoadOp | memref.StoreOp, loops: dict[SSAValue, int]) -> tuple[int, int, Sequence[int]]:
        """The number of the run that an op accesses, the offset from the start of the run, and the strides in the inner
        loops.
        """
        type, lane = memref_type(op.memref), self.lane
        root = scratch.root(op.memref)
        if packed_bits(type) is not None or is_handed_on(op.memref):
            raise NoSteps("it accesses packed elements, or memory that is handed on")
        access = buffer_access(op, op.memref)
        start, bytes = element_of(op.memref, op.indices), element_bytes(type)
        strides = [start.factors.get(index, 0) for index in loops]
        apart = {index: -stride for index, stride in zip(loops, strides, strict=True)}
        start = start.plus(AffineSum(self.first, {**apart, lane: -start.factors.get(lane, 0)}))
        advances = element_of(op.memref, op.indices).factors.get(lane, 0)
        if advances != 1 or bytes != element_bytes(memref_type(root)) or access.width not in WIDTHS:
            raise NoSteps("an iteration does not access the element behind that of the one before")
        if isinstance(op, memref.LoadOp):
            for number, run in enumerate(self.runs):
                gap = start.plus(run.start, -1)
                if run.elements and run.root is root and not gap.factors and gap.constant >= 0:
                    run.accesses.append(access)
                    return number, gap.constant, strides
        self.runs.append(_Run(root, start, access.width, [access], elements=True))
        return len(self.runs) - 1, 0, strides
