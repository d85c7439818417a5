"""C statements that copy, transpose and receive the content of memory."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Block, Region

from tinyml.dialects import c, scratch
from tinyml.dialects.scratch import element_bytes, memref_type
from tinyml.lowering.c.function import FunctionLowering
from tinyml.lowering.c.header_texts import ROW_BITS

COPY, MOVE = "tm_copy", "tm_move_down"
"""The functions that copy bytes in RAM, and that move them to lower addresses."""

TURN = "tm_transpose"
"""The function that transposes images in place."""


def copy_run(at: FunctionLowering, op: scratch.CopyRunOp) -> None:
    count = at.build.binary(at.values[op.count], "*", at.build.literal(element_bytes(memref_type(op.source))))
    function = MOVE if op.down is not None else COPY
    at.program.use_function(function)

    def write() -> None:
        target = at.build.address(at.values[op.dest], at.values[op.at])
        source = at.build.address(at.values[op.source], at.values[op.first])
        at.build.put(c.InvokeOp(function, [target, source, count]))

    if c.integer_of(count) is not None:
        write()
    else:
        # A copy of no elements may have addresses outside the arrays, which C may not even compute.
        some = at.build.insert(c.CompareOp(at.values[op.count], ">", at.build.literal(0)))
        at.build.put(c.IfOp(some, at.nested(Block(), write), Region()))


def turn(at: FunctionLowering, op: scratch.TurnOp) -> None:
    function = TURN if op.bits.value.data == 8 else f"{TURN}_s4"
    pointer, first, rows, columns = at.operands(op)
    at.program.use_function(function)
    pixel = op.pixel.value.data
    start = at.build.binary(first, "*", at.build.literal(pixel)) if pixel > 1 else first
    at.build.put(c.InvokeOp(function, [pointer, start, rows, columns, at.build.literal(pixel)]))


def receive(at: FunctionLowering, op: scratch.ReceiveOp) -> None:
    row = at.build.insert(c.CastOp(at.values[op.row], IntegerType(ROW_BITS, Signedness.UNSIGNED)))
    at.build.put(c.InvokeOp(at.program.row_function, [at.values[op.dest], row]))
