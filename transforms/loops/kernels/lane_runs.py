"""Nests whose iterations can be computed as lanes, converted to `num.lane_function` ops on runs of memory
(`vectorise-loops`).

A lane function computes one or several lines of lanes. From one line to the next, each run advances by a fixed number
of elements, its pitch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerType, MemRefType, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint
from xdsl.traits import is_side_effect_free
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import INTEGER_CODING, element_format, number_format
from tinyml.dialects.layouts.trees import element_type
from tinyml.dialects.loops import trips_from_zero
from tinyml.dialects.num.kernels.lane_functions import REGISTER, WIDTHS
from tinyml.dialects.num.kernels.lane_programs import Element as ElementLoad
from tinyml.dialects.num.kernels.lane_programs import LaneProgram
from tinyml.dialects.num.kernels.lane_readers import lane_program
from tinyml.dialects.rewriting import Builder, Rewriter, inherit_location
from tinyml.dialects.scratch import element_bytes, memref_type, packed_bits
from tinyml.transforms.ir.accesses import Access, buffer_access
from tinyml.transforms.ir.buffers import buffer_reads, element_of, first_element, is_handed_on
from tinyml.transforms.ir.indices import AffineSum
from tinyml.transforms.loops.kernels.lane_recorder import Element, LaneRecorder, NotInLanes, Table, without_unused

Nest = num.NestOp | num.ContractOp | num.ReduceOp | scf.ForOp
"""Ops that become code for vectors; a loop of the program, which carries nothing, is a nest of one axis."""


@dataclass
class Run:
    """A run of memory that lanes access, or a single value that all lanes read.

    root: the buffer; for a run of one element also a value, or the result of a reduction.
    start: the position in the buffer of the first lane's element.
    accesses: the loads and stores of the nest; empty for a table and for a root that is not a buffer.
    elements: whether each lane accesses a different element.
    argument: the argument of the lane function that represents the run.
    """

    root: SSAValue
    start: AffineSum
    accesses: list[Access]
    argument: SSAValue
    elements: bool = False

    @property
    def writes(self) -> bool:
        return any(access.writes for access in self.accesses)


@dataclass
class LaneNest:
    """A nest as a function of lanes.

    nest: the op that calls of the function replace. It includes all loops that became lanes or lines.
    outer: the axes of the nest that stay loops, with their extents.
    runs: the memory that the function accesses; it writes only the last run.
    program: the function as the program for which composers generate code.
    """

    nest: Operation
    outer: Mapping[SSAValue, int]
    runs: Sequence[Run]
    function: num.LaneFunctionOp
    program: LaneProgram


def lane_nest(nest: Nest) -> LaneNest:
    """Convert a nest to a function of lanes. Raises `NotInLanes` with the reason if this is impossible."""
    if isinstance(nest, num.ContractOp) and len(nest.shape) > 1:
        raise NotInLanes("it has several windows")
    if isinstance(nest, scf.ForOp) and (nest.iter_args or trips_from_zero(nest) is None):
        raise NotInLanes("it carries values, or its indices are not those from 0 to a constant")
    try:
        return _Recording(nest).found()
    except InputError as error:
        raise NotInLanes(error.message) from error
    except VerifyException as error:
        raise NotInLanes(str(error)) from error


def _single_width(type: Attribute) -> int:
    """The width in bits of a value in memory. Raises `NotInLanes` for a value that is not an integer of a width in
    `WIDTHS`.
    """
    if isinstance(type, IndexType):
        return REGISTER
    format = number_format(type)
    width = type.width.data if isa(type, IntegerType) else 8 * format.dtype.itemsize if format is not None else 0
    if width not in WIDTHS:
        raise NotInLanes(f"{type} is not an integer of {', '.join(map(str, WIDTHS))} bits")
    return width


def _counts_up(variable: SSAValue) -> bool:
    loop = variable.owner.parent_op() if isinstance(variable.owner, Block) else None
    return isinstance(loop, Nest) or trips_from_zero(loop) is not None


def _is_inside(loop: Operation, value: SSAValue) -> bool:
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    return block is not None and loop.is_ancestor(block)


@dataclass(frozen=True)
class _Window:
    """An axis over which each lane iterates.

    number: the index of this axis in the lane function.
    first: the least index along this axis in the nest.
    """

    number: SSAValue
    first: int


@dataclass
class _Recording:
    """The function of a lane, which is recorded while the ops of a nest are visited. Methods raise `NotInLanes` for
    computations that a lane function does not support.

    runs: the runs of memory that the function accesses.
    values: for each value of the IR, the recorded value.
    places: for each index of the IR, the recorded index.
    cells: by buffer and element, the values that a lane stores to a buffer that only this nest uses.
    indexed: the loads and stores of the function, each with the number of its run and an affine index; the index of
        the line is added at the end.
    """

    nest: Nest
    block: Block = field(default_factory=Block)
    values: dict[SSAValue, Element] = field(default_factory=dict[SSAValue, Element])
    places: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    runs: list[Run] = field(default_factory=list[Run])
    cells: dict[SSAValue, dict[int, Element]] = field(default_factory=dict[SSAValue, dict[int, Element]])
    indexed: list[tuple[Operation, int, AffineSum]] = field(default_factory=list[tuple[Operation, int, AffineSum]])

    def __post_init__(self) -> None:
        self.recorder = LaneRecorder(self.block, self.table)
        if isinstance(self.nest, num.ReduceOp):
            self.lane, self.first = self.nest.body.block.args[0], self.nest.numbers.start
            self.number = self.lane
        else:
            self.lane, self.first = self.nest.body.block.args[-1], 0
            self.number = self.block.insert_arg(IndexType(), 0)

    def found(self) -> LaneNest:
        """Record the nest, and return its function. Raises `NotInLanes` if lanes cannot compute it."""
        nest = self.nest
        if isinstance(nest, num.ReduceOp):
            return self.joined(nest)
        self.ops(nest.body.block, {})
        if not self.runs or not self.runs[-1].writes:
            raise NotInLanes("it stores nothing")
        if not all(map(self.is_safe, self.runs[:-1])):
            raise NotInLanes("an iteration may read what another stores")
        shape = (cast(int, trips_from_zero(nest)),) if isinstance(nest, scf.ForOp) else nest.shape
        op, count, lines, pitches = cast(Operation, nest), shape[-1], 1, [0] * len(self.runs)
        axes = dict[SSAValue, int](zip(nest.body.block.args[:-1], shape[:-1], strict=True))
        while (around := self._around(op, axes)) is not None and self._continue(around[0], count):
            count *= self._take(around, axes)
            self._move(around[0], [count // around[1] if run.elements else 0 for run in self.runs])
            op = around[2]
        if (around := self._around(op, axes)) is not None:
            found = [run.start.factors.get(around[0], 0) for run in self.runs]
            if min(found) >= 0:
                lines, pitches, op = self._take(around, axes), found, around[2]
                self._move(around[0], pitches)
        return self.finished(op, axes, [lines, count] if lines > 1 else [count], pitches)

    def _around(self, op: Operation, axes: Mapping[SSAValue, int]) -> tuple[SSAValue, int, Operation] | None:
        """Return the axis or loop around the lanes: its index, its extent, and the op that a call would
        replace.

        None if the axis or loop cannot become part of the function.

        axes: the extents of the nest's axes, by their indices.
        """
        if axes:
            number, extent = [*axes.items()][-1]
            return number, extent, op
        loop, body = op.parent_op(), op.parent
        if loop is None or body is None or loop.results or (count := trips_from_zero(loop)) is None:
            return None
        # Constants are the same in all iterations, and can be in front of the loop.
        if any(_is_inside(loop, run.root) and scratch.constant_root(run.root) is None for run in self.runs):
            return None
        *ops, _ = body.ops
        alone = all(is_side_effect_free(each) and not each.regions for each in ops if each is not op)
        return (body.args[0], count, loop) if alone else None

    @staticmethod
    def _take(around: tuple[SSAValue, int, Operation], axes: dict[SSAValue, int]) -> int:
        axes.pop(around[0], None)
        return around[1]

    def _continue(self, number: SSAValue, count: int) -> bool:
        """Whether, in every run, each iteration of the surrounding axis accesses the elements that directly follow the
        elements of the previous iteration, or the same element if all lanes read one element.

        number: the index of the axis.
        count: the number of elements per iteration.
        """
        return all(run.start.factors.get(number) == (count if run.elements else None) for run in self.runs)

    def _move(self, number: SSAValue, factors: Sequence[int]) -> None:
        """Subtract multiples of an index from the starts of runs, because the function now contains the loop
        over this index.

        number: the index.
        factors: the multiple for each run.
        """
        for run, factor in zip(self.runs, factors, strict=True):
            run.start = run.start.plus(AffineSum(0, {number: -factor}))

    def finished(
        self, op: Operation, outer: Mapping[SSAValue, int], shape: Sequence[int], pitches: Sequence[int]
    ) -> LaneNest:
        """Add the axes of lines and lanes and the indices of all accesses to the recorded function, and return it.

        op: the op that calls of the function replace.
        outer: the axes that stay loops, with their extents.
        shape: the numbers of lines and lanes.
        pitches: for each run, the distance in elements from one line to the next.
        """
        for run in self.runs:
            if any(op.is_ancestor(variable.owner) and variable not in outer for variable in run.start.factors):
                raise NotInLanes("what it accesses begins at an index that it computes itself")
        line = self.block.insert_arg(IndexType(), len(self.runs)) if len(shape) > 1 else None
        for access, run, index in self.indexed:
            index = index if line is None else index.plus(AffineSum(0, {line: 1}), pitches[run])
            access.operands[len(access.operands) - 1] = _index(index, access)
        without_unused(self.block)
        # An op may ignore an operand: the factor of a normalisation in an exact format includes the total.
        for run in [run for run in self.runs if not run.argument.uses]:
            self.runs.remove(run)
            self.block.erase_arg(cast(BlockArgument, run.argument))
        function = num.LaneFunctionOp("lanes", shape, Region(self.block))
        program = lane_program(function)
        if all(isinstance(program.accesses.get(op, op), ElementLoad | memref.StoreOp) for op in program.ops):
            raise NotInLanes("it is a copy, which compilers recognise")
        for argument, reach in zip(function.runs, program.reach, strict=True):
            type = MemRefType(memref_type(argument).element_type, [reach])
            Rewriter.replace_value_with_new_type(argument, type)
        function.properties["sym_name"] = num.LaneFunctionOp.name_of(program.digest)
        inherit_location(op.location, function)
        return LaneNest(op, outer, self.runs, function, program)

    def joined(self, nest: num.ReduceOp) -> LaneNest:
        """Record a reduction over the values of all lanes, and return its function, which computes a single value."""
        used = [number for number, result in enumerate(nest.joined) if result.uses]
        if len(used) != 1 or not nest.numbers:
            raise NotInLanes
        starts = [self._start(start) for start in nest.starts]

        def body(number: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self.number = number
            for argument, value in zip(nest.body.block.args[1:], carried, strict=True):
                if isinstance(value.type, IndexType):
                    self.places[argument] = value
                else:
                    self.values[argument] = Element(value, REGISTER)
            return self._next(nest.body.block)

        kinds = [kind.data for kind in nest.kinds]
        result = self.recorder.reduce(kinds, starts, nest.numbers, body)[used[0]]
        run = self.add_run(nest.joined[used[0]], AffineSum(0, {}), _single_width(nest.joined[used[0]].type), [])
        if isinstance(result.type, IndexType):
            result = self.recorder.put(arith.IndexCastOp(result, i32))
        self.recorder.store(Element(result, REGISTER), run.argument, self.recorder.index(0))
        return self.finished(nest, {}, (), [0] * len(self.runs))

    def _start(self, start: SSAValue) -> SSAValue:
        if not isinstance(start.type, IndexType):
            return self.recorder.register(self.value(start))
        if (known := const_evaluate_operand(start)) is None:
            raise NotInLanes("the place before all lanes is not constant")
        return self.recorder.index(known)

    def _next(self, block: Block, windows: dict[SSAValue, _Window] | None = None) -> Sequence[SSAValue]:
        self.ops(block, windows or {})
        last = cast(num.NextOp, block.last_op)
        return [self.places.get(one) or self.recorder.register(self.value(one)) for one in last.values]

    def is_safe(self, run: Run) -> bool:
        """Whether no lane reads an element that another lane has overwritten, regardless of the number of lanes in a
        vector.

        This is the case if the run does not overlap the written run, or if lanes read no elements before their own
        position.
        """
        [written] = self.runs[-1].accesses
        return all(read.is_apart(written) or _is_behind(read, written) for read in run.accesses)

    def ops(self, block: Block, windows: dict[SSAValue, _Window]) -> None:
        for op in block.ops:
            if not isinstance(op, num.NextOp | scf.YieldOp):
                self.op(op, windows)

    def op(self, op: Operation, windows: dict[SSAValue, _Window]) -> None:
        match op:
            case memref.LoadOp():
                self.values[op.res] = self.load(op, windows)
            case memref.StoreOp() if not any(run.writes for run in self.runs):
                if (cell := self.cell(op)) is not None:
                    self.cells.setdefault(scratch.root(op.memref), {})[cell] = self.value(op.value)
                else:
                    value = self.value(op.value)
                    run, index = self.run(op, windows)
                    self.recorder.store(value, run.argument, self.number)
                    self.indexed.append((cast(Operation, self.block.last_op), self.runs.index(run), index))
            case num.ProductsOp(spacing=None, channels=None):
                rows = first_element(op.weights).plus(AffineSum(0, {self.lane: op.row_pitch}))
                vector = first_element(op.vector)
                self.values[op.result] = self.sum(op, (op.weights, rows), (op.vector, vector))
            case num.CallOp(routine=num.DotAttr() | num.DistanceAttr() as routine, kernel=None) if not windows:
                runs = [(run, first_element(run)) for run in op.factors]
                # The factor that differs by lanes has the rows.
                rows, vector = sorted(runs, key=lambda run: self.lane not in run[1].factors)
                self.values[op.result] = self.sum(op, rows, vector, differs=isinstance(routine, num.DistanceAttr))
            case num.NumOp():
                computed = op.computation()(self.recorder, [self.value(value) for value in op.operands])
                for result in op.results:
                    self.values[result] = computed
            case arith.SelectOp(lhs=self.lane) if op.rhs in self.places:
                condition = self.value(op.cond).value
                if isinstance(condition, int):
                    raise NotInLanes
                self.places[op.result] = self.recorder.put(arith.SelectOp(condition, self.number, self.places[op.rhs]))
            case arith.SelectOp() if not isinstance(op.result.type, IndexType):
                chosen = [self.value(value) for value in op.operands]
                self.values[op.result] = self.recorder.select(*chosen)
            case num.ReduceOp():
                self.inner(op, windows)
            case scratch.SliceOp():
                pass
            case _ if is_side_effect_free(op) and all(isinstance(value.type, IndexType) for value in op.results):
                # Arithmetic on indices, which addresses repeat.
                pass
            case arith.ConstantOp():
                self.value(op.result)
            case _:
                raise NotInLanes(f"{op.name} is not an op of lanes")

    def value(self, value: SSAValue) -> Element:
        if isinstance(op := value.owner, num.NumOp) and not op.operands:
            return op.computation()(self.recorder, [])
        if value not in self.values:
            known, type = const_evaluate_operand(value), value.type
            if known is None:
                self.values[value] = self.shared(value)
            elif isa(type, IntegerType):
                self.values[value] = self.recorder.int_constant(known, type.bitwidth)
            else:
                raise NotInLanes(f"{value.type} is not an integer")
        return self.values[value]

    def shared(self, value: SSAValue) -> Element:
        if _is_inside(self.nest, value) or isinstance(value.type, IndexType):
            raise NotInLanes("it computes with an index, or with what is made inside of it in another way")
        run = self.add_run(value, AffineSum(0, {}), _single_width(value.type), [])
        return self.recorder.first(run.argument)

    def inner(self, op: num.ReduceOp, windows: dict[SSAValue, _Window]) -> None:
        starts = [self.value(start) for start in op.starts]
        number, carried = op.body.block.args[0], op.body.block.args[1:]

        def body(window: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self.values |= {
                argument: Element(value, start.width)
                for argument, value, start in zip(carried, values, starts, strict=True)
            }
            return self._next(op.body.block, {**windows, number: _Window(window, op.numbers.start)})

        kinds = [kind.data for kind in op.kinds]
        results = self.recorder.reduce(kinds, [*map(self.recorder.register, starts)], range(len(op.numbers)), body)
        for result, value, start in zip(op.joined, results, starts, strict=True):
            self.values[result] = Element(value, start.width)

    def sum(
        self,
        op: num.ProductsOp | num.CallOp,
        rows: tuple[SSAValue, AffineSum],
        vector: tuple[SSAValue, AffineSum],
        *,
        differs: bool = False,
    ) -> Element:
        """Record a sum of products of a row and a vector, and return its value.

        rows, vector: each factor as a buffer and the position of the lane's first element.
        differs: true to sum squared differences instead of products.
        """
        formats = [element_format(factor.type) for factor in op.factors]
        pitch, length = rows[1].factors.get(self.lane, 0), op.length
        whole = all(format.coding is INTEGER_CODING for format in formats) and op.accumulator.INTEGER
        if not whole or pitch < 1 or self.lane in vector[1].factors or any(run.writes for run in self.runs):
            raise NotInLanes("the products inside are not of integers in rows")
        buffers = [rows[0], vector[0]]
        if any(packed_bits(memref_type(buffer)) is not None or is_handed_on(buffer) for buffer in buffers):
            raise NotInLanes("the products inside are of packed elements, or of memory that is handed on")
        runs = (
            self.sum_run(op, rows[0], rows[1].plus(AffineSum(pitch * self.first, {self.lane: -pitch}))),
            self.sum_run(op, *vector, shared=True),
        )
        recorder, width, start = self.recorder, op.accumulator.bits, self.value(op.sum)
        if width > REGISTER:
            raise NotInLanes(f"a value has more than {REGISTER} bits")

        def term(number: SSAValue, sums: Sequence[SSAValue]) -> Sequence[SSAValue]:
            factors = list[SSAValue]()
            for run, factor in zip(runs, (pitch, 0), strict=True):
                loaded = recorder.load(run.argument, self.number)
                factors.append(cast(SSAValue, loaded.value))
                at = AffineSum(-factor * self.first, {self.number: factor, number: 1} if factor else {number: 1})
                self.indexed.append((recorder.last_load, self.runs.index(run), at))
            row, vector = factors
            if differs:
                row = vector = recorder.put(arith.SubiOp(row, vector))
            return [recorder.put(arith.AddiOp(sums[0], recorder.put(arith.MuliOp(row, vector))))]

        [sum] = recorder.reduce([num.SUM], [recorder.register(Element(0, REGISTER))], range(length), term)
        return recorder.addi(start, Element(sum, width))

    def sum_run(self, op: Operation, buffer: SSAValue, start: AffineSum, *, shared: bool = False) -> Run:
        root, access = scratch.root(buffer), buffer_access(op, buffer)
        if element_bytes(memref_type(buffer)) != element_bytes(memref_type(root)) or access.width not in WIDTHS:
            raise NotInLanes("the products inside are of elements in other units than their buffer")
        for run in self.runs if shared else ():
            if run.root is root and run.start == start and not run.elements:
                run.accesses.append(access)
                return run
        return self.add_run(root, start, access.width, [access])

    def table(self, name: str, table: Table) -> SSAValue:
        """The argument of the function that represents a table. Equal tables have one argument."""
        constant = scratch.ConstantOp.of(table, element_type(table))
        constant.result.name_hint = f"{name}_table"
        for run in self.runs:
            known = run.root.owner
            if not run.accesses and isinstance(known, scratch.ConstantOp) and known.value == constant.value:
                return run.argument
        return self.add_run(constant.result, AffineSum(0, {}), 8 * table.dtype.itemsize, [], len(table)).argument

    def add_run(self, root: SSAValue, start: AffineSum, width: int, accesses: list[Access], length: int = 1) -> Run:
        argument = self.block.insert_arg(MemRefType(IntegerType(width), [length]), len(self.runs))
        argument.name_hint = root.name_hint
        run = Run(root, start, accesses, argument)
        self.runs.append(run)
        return run

    def cell(self, op: memref.LoadOp | memref.StoreOp) -> int | None:
        place, root = element_of(op.memref, op.indices), scratch.root(op.memref)
        if place.factors or is_handed_on(op.memref):
            return None
        inside = all(self.nest.is_ancestor(use.operation) for use in buffer_reads(root))
        return place.constant if inside else None

    def load(self, op: memref.LoadOp, windows: dict[SSAValue, _Window]) -> Element:
        if any(run.writes for run in self.runs):
            raise NotInLanes("it loads behind a store")
        if (cells := self.cells.get(scratch.root(op.memref))) is not None:
            place = element_of(op.memref, op.indices)
            if place.factors or place.constant not in cells:
                raise NotInLanes("it loads what it has stored at an index that is not constant")
            return cells[place.constant]
        run, index = self.run(op, windows)
        loaded = self.recorder.load(run.argument, self.number)
        self.indexed.append((self.recorder.last_load, self.runs.index(run), index))
        return loaded

    def run(self, op: memref.LoadOp | memref.StoreOp, windows: dict[SSAValue, _Window]) -> tuple[Run, AffineSum]:
        """Return the run that an op accesses, and the affine index of the element in this run.

        windows: as for `ops`.
        """
        type, lane = memref_type(op.memref), self.lane
        root = scratch.root(op.memref)
        if packed_bits(type) is not None or is_handed_on(op.memref):
            raise NotInLanes("it accesses packed elements, or memory that is handed on")
        access, place, bytes = buffer_access(op, op.memref), element_of(op.memref, op.indices), element_bytes(type)
        strides = {window: place.factors.get(number, 0) for number, window in windows.items()}
        begin = self.first + sum(stride * window.first for window, stride in strides.items())
        apart = {number: -place.factors.get(number, 0) for number in (*windows, lane)}
        start = place.plus(AffineSum(begin, apart))
        if place.factors.get(lane, 0) != 1 or bytes != element_bytes(memref_type(root)) or access.width not in WIDTHS:
            raise NotInLanes("an iteration does not access the element behind that of the one before")
        index = AffineSum(
            -self.first, {self.number: 1, **{w.number: stride for w, stride in strides.items() if stride}}
        )
        if isinstance(op, memref.LoadOp):
            for run in self.runs:
                gap = start.plus(run.start, -1)
                if run.elements and run.root is root and not gap.factors and gap.constant >= 0:
                    run.accesses.append(access)
                    return run, index.plus(AffineSum(gap.constant, {}))
        run = self.add_run(root, start, access.width, [access])
        run.elements = True
        return run, index


def _is_behind(read: Access, written: Access) -> bool:
    """Whether an iteration reads only elements at or after the element that it writes."""
    if read.start is None or written.start is None or read.width != written.width:
        return False
    gap = read.start.plus(written.start, -1)
    return all(map(_counts_up, gap.factors)) and min([gap.constant, *gap.factors.values()]) >= 0


def _index(sum: AffineSum, access: Operation) -> SSAValue:
    """Insert the computation of an index before the access that uses it, and return the index."""
    dims = [*sum.factors]
    expression = AffineExpr.constant(sum.constant)
    for number, factor in enumerate(sum.factors.values()):
        expression = AffineExpr.dimension(number) * factor + expression
    if isinstance(expression, AffineDimExpr):
        return dims[0]
    builder = Builder(InsertPoint.before(access))
    if isinstance(expression, AffineConstantExpr):
        return builder.insert(arith.ConstantOp.from_int_and_width(expression.value, IndexType())).result
    return builder.insert(affine.ApplyOp(dims, AffineMapAttr(AffineMap(len(dims), 0, (expression,))))).result
