"""The change of a program's function from a whole sequence to one step in time (`stream-over-time`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from xdsl.dialects import arith, func, scf, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    TensorType,
    UnknownLoc,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.schedules.streams.time_loops import Rows, TimeLoop
from tinyml.transforms.schedules.tiling.erasure import erase
from tinyml.transforms.schedules.tiling.stored_image import tensor_like
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder


class StepFunction:
    """The function of one step in time during its construction from the function of the whole sequence.

    pushes: the frames in which the caller sends the input.
    loops: the loops over time, in order.
    """

    def __init__(self, function: func.FuncOp, pushes: tdsl.Pushes, loops: Sequence[TimeLoop]) -> None:
        self.function, self.block, self.pushes, self.loops = function, function.body.block, pushes, loops
        self.emit = TensorBuilder(loops[0].loop, UnknownLoc())
        self.states: dict[SSAValue, SSAValue] = {}
        """The last value of each state, by its argument."""
        self.moving: dict[SSAValue, int] = {}
        """The rows by which states move after an answer, by their arguments."""

    def build(self) -> None:
        """Rewrite the function of the whole sequence into the function of one step."""
        signal, last = self.block.args[0], self.block.last_op
        assert isinstance(last, func.ReturnOp)
        row: SSAValue = self.block.insert_arg(tensor_like(signal, (1, self.pushes.frame)), 1)
        row.name_hint = signal.name_hint
        self.time = self.block.insert_arg(IndexType(), 2)
        self.time.name_hint = "t"
        behind = self._behind()
        zero = self.emit.index(0)
        self.begins = self.emit.insert(
            arith.MaxSIOp(self.emit.insert(arith.SubiOp(self.emit.index(1), self.time)), zero)
        )
        self.ends = self.emit.insert(arith.MaxSIOp(self.emit.plus(self.time, 1 - self.pushes.steps), zero))
        for loop in self.loops:
            row = self._step(loop, row)
        for loop in reversed(self.loops):
            for op in reversed(loop.made.chain if loop.made is not None else ()):
                Rewriter.erase_op(op)
            Rewriter.erase_op(loop.loop)
        outputs = self._answer(behind, last)
        erase([op for op in self.block.ops if isinstance(op, tdsl.ReshapeOp) and not op.out.uses])
        Rewriter.replace_op(last, func.ReturnOp(*outputs, *self.states.values()))
        self._sign(len(outputs))

    def _behind(self) -> list[Operation]:
        passing = [op for loop in self.loops if loop.made is not None for op in loop.made.chain]
        loops = [loop.loop for loop in self.loops]
        known: set[SSAValue] = {result for loop in loops for result in loop.results}
        behind: list[Operation] = []
        for op in self.block.ops:
            if op in loops or op in passing or isinstance(op, func.ReturnOp):
                continue
            if any(operand in known for inner in op.walk() for operand in inner.operands):
                behind.append(op)
                known |= set(op.results)
        return behind

    def _step(self, time_loop: TimeLoop, row: SSAValue) -> SSAValue:
        """Change a loop to run only the iterations of one call. Return the row that the loop computes or, if it
        computes none, the row that it reads.

        row: the row that the loop reads.
        """
        old, made = time_loop.loop, time_loop.made
        emit = self.emit = TensorBuilder(old, old.location)
        read = tdsl.ReshapeOp(row, tdsl.shape_of(time_loop.read.out))
        read.out.name_hint = time_loop.read.out.name_hint
        Rewriter.replace_op(time_loop.read, read)
        carried = self._initial(time_loop)
        more = time_loop.ticks - self.pushes.steps - 1
        upper = emit.plus(self.time, 1)
        if more < 0:
            upper = emit.insert(arith.SubiOp(upper, self.ends))
        elif more > 0:
            upper = emit.sum(upper, emit.times(self.ends, more))
        region = old.detach_region(old.body)
        if made is not None:
            self._keep_row(region.block.args[1 + made.position], made)
        loop = scf.ForOp(self.time, upper, emit.index(1), [*carried.values()], region)
        loop.attributes |= {**old.attributes, tdsl.CALLS: IntegerAttr(time_loop.ticks, i64)}
        emit.put(loop)
        for position, (start, before, after) in enumerate(zip(carried, old.results, loop.results, strict=True)):
            after.name_hint = before.name_hint
            if made is None or position != made.position:
                before.replace_all_uses_with(after)
            if isinstance(start.owner, Block):
                self.states[start] = after
                if position in time_loop.moving:
                    self.moving[start] = time_loop.moving[position]
        if made is None:
            return row
        return self._applied(made.chain, old.results[made.position], loop.results[made.position])

    def _initial(self, time_loop: TimeLoop) -> dict[SSAValue, SSAValue]:
        """Emit the initial value of each state of a loop. Return the initial values by the function's argument for the
        state; an empty tensor maps to itself.

        In call 0 these are the initial values of the whole program. A tensor that the whole program does not initialise
        is not initialised here, either.
        """
        emit, loop, made = self.emit, time_loop.loop, time_loop.made
        starts: dict[SSAValue, SSAValue] = {}
        initial: dict[SSAValue, SSAValue] = {}
        for position, (value, argument) in enumerate(zip(loop.iter_args, loop.body.block.args[1:], strict=True)):
            if made is not None and position == made.position:
                start = emit.insert(tensor.EmptyOp((), made.insertion.part.type))
                start.name_hint = made.insertion.part.name_hint
            elif position in time_loop.passing:
                start = emit.insert(tensor.EmptyOp((), value.type))
                start.name_hint = argument.name_hint
            else:
                start = self.block.insert_arg(value.type, len(self.block.args))
                start.name_hint = argument.name_hint
                if not isinstance(value.owner, tensor.EmptyOp):
                    initial[start] = value
            starts[start] = start
        if initial:
            begun = emit.loop(emit.index(0), self.begins, [*initial], lambda _, held: self._values(initial))
            starts |= zip(initial, begun, strict=True)
        return starts

    def _values(self, initial: Mapping[SSAValue, SSAValue]) -> Sequence[SSAValue]:
        """Copy the ops without operands that compute initial values of states, such as fills, to the insertion point.
        Return the initial values.
        """

        def made(value: SSAValue) -> SSAValue:
            op = value.owner
            return self.emit.insert(op.clone(), op) if isinstance(op, tdsl.TensorOp) and not op.inputs else value

        return [made(value) for value in initial.values()]

    def _keep_row(self, argument: SSAValue, made: Rows) -> None:
        """Let a loop carry the row that it computes instead of all rows.

        argument: the argument of the loop that carries the rows.
        """
        part = made.insertion.part
        Rewriter.replace_op(made.insertion, [], [part])
        Rewriter.replace_value_with_new_type(argument, part.type)

    def _applied(self, chain: Sequence[tdsl.TensorOp], rows: SSAValue, row: SSAValue) -> SSAValue:
        """Emit copies of the ops `chain`, which treat all elements alike, for the single row `row` instead of all rows.
        Return the result.
        """
        for op in chain:
            if isinstance(op, tdsl.ElementwiseOp):
                self._keep_before(op.inputs)
                copy = op.clone(value_mapper={rows: row})
                shape = tdsl.shape_of(row)
                row = Rewriter.replace_value_with_new_type(self.emit.insert(copy, op), tensor_like(op.out, shape))
                row.name_hint = op.out.name_hint
            rows = op.out
        return row

    def _keep_before(self, values: Sequence[SSAValue]) -> None:
        """Move the constants among the given values to the start of the function, so that they precede the loop."""
        for value in values:
            if isinstance(op := value.owner, tdsl.ConstOp):
                op.detach()
                first = self.block.first_op
                assert first is not None
                self.block.insert_op_before(op, first)

    def _answer(self, behind: Sequence[Operation], last: func.ReturnOp) -> Sequence[SSAValue]:
        """Emit the part of the function that computes the answer, and return the outputs.

        The outputs are defined only in the call that returns the answer. In this call the ops `behind` run, and
        the content of states moves back by a stride.

        last: the return op of the function.
        """
        emit = self.emit = TensorBuilder(last, last.location)
        empty = [
            emit.insert(tensor.EmptyOp((), tensor_like(output, tdsl.shape_of(output))))
            if isinstance(output.type, TensorType)
            else emit.index(0)
            for output in last.operands
        ]
        for value, output in zip(empty, last.operands, strict=True):
            value.name_hint = output.name_hint
        zero, kept = emit.index(0), [self.states[state] for state in self.moving]

        def body(_: SSAValue, held: Sequence[SSAValue]) -> Sequence[SSAValue]:
            now = dict(zip(kept, held[len(empty) :], strict=True))
            outputs = [now.get(output, output) for output in last.operands]
            for op in behind:
                op.detach()
                emit.put(op)
                for inner in op.walk():
                    inner.operands = [now.get(operand, operand) for operand in inner.operands]
            moved = (self._moved(value, rows) for value, rows in zip(now.values(), self.moving.values(), strict=True))
            return [*outputs, *moved]

        results = emit.loop(zero, self.ends, [*empty, *kept], body)
        self.states |= zip(self.moving, results[len(empty) :], strict=True)
        return results[: len(empty)]

    def _moved(self, rows: SSAValue, count: int) -> SSAValue:
        """Move the rows of a tensor towards its start by `count`, and return the result. The last `count` rows are then
        undefined; the program rewrites them before it reads them. A tensor of at most `count` rows is unchanged.
        """
        emit, shape = self.emit, tdsl.shape_of(rows)
        axis = next((axis for axis, extent in enumerate(shape) if extent > 1), len(shape) - 1)
        if count >= shape[axis]:
            return rows
        return emit.insert(tdsl.MoveUpOp(rows, axis, count))

    def _sign(self, outputs: int) -> None:
        function, block = self.function, self.block
        block.erase_arg(block.args[0])
        given = tdsl.read_input(function)
        # A frame has neither an order of axes nor parts.
        frame = replace(given, range=None, order=None, parts=None, packed=None, pushed=self.pushes, reused=True)
        if any(part is not None and len(part) > 1 for part in (given.scales, given.offsets, given.points)):
            # The units of single elements are those of the whole input.
            frame = replace(frame, scales=None, offsets=None, points=None)
        tdsl.update_interface(function, input=frame, calls=self.pushes.steps + 1)
        function.arg_attrs = None
        if function.res_attrs is not None:
            states = [DictionaryAttr({})] * len(self.states)
            function.res_attrs = ArrayAttr([*function.res_attrs.data[:outputs], *states])
        function.update_function_type()
