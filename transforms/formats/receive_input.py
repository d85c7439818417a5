"""`receive-input`: receives the image row by row, from a camera or over a serial line, without storing it (L1).

The readers of the input read a copy of it instead (`tdsl.receive`). In a streamed segment only a ring of rows of this
copy is kept; otherwise all of it is received before the first op.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl.base import spell
from tinyml.targets.chip import INPUTS, MEMORY
from tinyml.transforms.ir.attributes import argument_attribute, set_argument_attribute

MOST = (1 << 16) - 1
"""The most rows, and elements in a row, that the function can count."""


@dataclass(frozen=True)
class ReceiveInputPass(ModulePass):
    """Sets `tdsl.received` of the argument of a program and inserts a `tdsl.receive` of all of it.

    input: `memory` changes nothing; for `serial` and `callback` the program is the same. Raises `InputError` for other
    values, for an input that is not a single image, and for one in the arena (`reuse-input`).
    """

    name = "receive-input"
    input: str = MEMORY

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.evaluator.evaluator import predict_function

        if self.input not in INPUTS:
            raise InputError(f"unknown input '{self.input}'; there are {', '.join(INPUTS)}")
        function = predict_function(op)
        if self.input == MEMORY or argument_attribute(function, tdsl.RECEIVED) is not None:
            return
        if argument_attribute(function, tdsl.REUSED) is not None:
            raise InputError(f"an input from {self.input} arrives row by row: --reuse-input is for one in memory")
        image = _image(function.body.block.args[0])
        shape = tdsl.shape_of(image)
        if len(shape) != 4 or shape[0] != 1:
            raise InputError(f"an input from {self.input} is an image 1xHxWxC, got {spell(shape)}")
        length = prod(shape[2:])
        if max(shape[1], length) > MOST:
            most = f"at most {MOST} rows, and as many elements in each"
            raise InputError(f"an input from {self.input} has {most}, got {spell(shape)}")
        set_argument_attribute(function, tdsl.RECEIVED, IntegerAttr(length, i64))
        zero = arith.ConstantOp(IntegerAttr(0, IndexType()))
        received = tdsl.ReceiveOp(image, zero.result, shape[1])
        received.out.name_hint = function.body.block.args[0].name_hint or "X"
        image.replace_all_uses_with(received.out)
        received.operands[0] = image
        owner = image.owner
        at = InsertPoint.after(owner) if isinstance(owner, Operation) else InsertPoint.at_start(owner)
        Rewriter.insert_op([zero, received], at)


def _image(argument: SSAValue) -> SSAValue:
    """The image of an argument, whose only reader may be a change of its shape."""
    shape = tdsl.shape_of(argument)
    readers = {use.operation for use in argument.uses}
    if (len(shape) != 4 or shape[0] != 1) and len(readers) == 1:
        [reader] = readers
        reshapes = isinstance(reader, tdsl.ReshapeOp) or (isinstance(reader, tdsl.TransposeOp) and reader.keeps_order)
        if reshapes:
            return _image(reader.results[0])
    return argument
