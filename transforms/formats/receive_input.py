"""`receive-input`: receives an image row by row or a sequence step by step, without storing it (L1).

The readers of an image read a copy of it instead (`tdsl.receive`). In a streamed segment only a ring of rows of this
copy is kept; otherwise all of it is received before the first op. Of a sequence that a loop reads one step at a time
each step is received where the loop reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.tdsl.base import spell
from tinyml.targets.chip import INPUTS, MEMORY
from tinyml.transforms.ir.attributes import argument_attribute, set_argument_attribute

MOST = (1 << 16) - 1
"""The most rows, and elements in a row, that the function can count."""


@dataclass(frozen=True)
class ReceiveInputPass(ModulePass):
    """Sets `tdsl.received` of the argument of a program and inserts a `tdsl.receive` of all of it.

    input: `memory` changes nothing; for `serial` and `callback` the program is the same. Raises `InputError` for other
    values, for an input that is neither a single image nor a sequence, and for one in the arena (`reuse-input`).
    """

    name = "receive-input"
    input: str = MEMORY

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.evaluator.evaluator import predict_function

        if self.input not in INPUTS:
            raise unknown("input", self.input, INPUTS)
        function = predict_function(op)
        if self.input == MEMORY or argument_attribute(function, tdsl.RECEIVED) is not None:
            return
        if argument_attribute(function, tdsl.REUSED) is not None:
            raise InputError(f"an input from {self.input} arrives row by row: --reuse-input is for one in memory")
        argument = function.body.block.args[0]
        image = _image(argument)
        shape, step = tdsl.shape_of(image), _step(image)
        if step is None and (len(shape) != 4 or shape[0] != 1):
            raise InputError(
                f"an input from {self.input} is an image 1xHxWxC, or a sequence that one loop reads step by step, "
                f"got {spell(shape)}"
            )
        rows, length = (shape[0], prod(shape[1:])) if step else (shape[1], prod(shape[2:]))
        if max(rows, length) > MOST:
            most = f"at most {MOST} rows, and as many elements in each"
            raise InputError(f"an input from {self.input} has {most}, got {spell(shape)}")
        set_argument_attribute(function, tdsl.RECEIVED, IntegerAttr(length, i64))
        if step is not None:
            _receive_steps(image, step, rows, length)
            return
        zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
        received = tdsl.ReceiveOp(image, zero.result, rows)
        received.out.name_hint = argument.name_hint or "X"
        image.replace_all_uses_with(received.out)
        received.operands[0] = image
        Rewriter.insert_op([zero, received], _behind(image))


def _behind(value: SSAValue) -> InsertPoint:
    return InsertPoint.after(value.owner) if isinstance(value.owner, Operation) else InsertPoint.at_start(value.owner)


def _receive_steps(sequence: SSAValue, step: tdsl.IndexOp, count: int, length: int) -> None:
    """Receive each step of a sequence, as a row of an image of one pixel column, in place of reading it."""
    image = tdsl.ReshapeOp(sequence, (1, count, 1, length))
    Rewriter.insert_op(image, _behind(sequence))
    received = tdsl.ReceiveOp(image.out, step.index, 1)
    received.out.name_hint = step.out.name_hint
    read = tdsl.ReshapeOp(received.out, tdsl.shape_of(step.out))
    Rewriter.replace_op(step, [received, read])


def _step(sequence: SSAValue) -> tdsl.IndexOp | None:
    """The only reader of a sequence, if that is a loop that reads all its steps in order; None otherwise."""
    readers = [use.operation for use in sequence.uses]
    if len(readers) != 1 or not isinstance(step := readers[0], tdsl.IndexOp) or step.input is not sequence:
        return None
    loop = step.parent_op()
    if not isinstance(loop, scf.ForOp) or step.index is not loop.body.block.args[0]:
        return None
    bounds = [const_evaluate_operand(bound) for bound in (loop.lb, loop.ub, loop.step)]
    once = isinstance(loop.parent_op(), func.FuncOp)
    return step if once and bounds == [0, tdsl.shape_of(sequence)[0], 1] else None


def _image(argument: SSAValue) -> SSAValue:
    """The image or the sequence of an argument, whose only reader may be a change of its shape."""
    shape = tdsl.shape_of(argument)
    readers = {use.operation for use in argument.uses}
    if (len(shape) != 4 or shape[0] != 1) and len(readers) == 1:
        [reader] = readers
        reshapes = isinstance(reader, tdsl.ReshapeOp) or (isinstance(reader, tdsl.TransposeOp) and reader.keeps_order)
        if reshapes:
            return _image(reader.results[0])
    return argument
