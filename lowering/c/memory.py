"""Spellings in C of memory ops: constants in flash, the arena and its views, loads and stores."""

from __future__ import annotations

from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import SSAValue

from tinyml.dialects import c, scratch
from tinyml.dialects.c.types import CONST
from tinyml.dialects.scratch import element_bytes, memref_type
from tinyml.lowering.c.function import FunctionLowering, Spellings
from tinyml.lowering.c.header_texts import ROW_BITS
from tinyml.lowering.c.program import ARENA
from tinyml.transforms.bits.hint_loops import PARTITION

COPY = "tm_copy"
"""The function that copies bytes in RAM."""

TURN = "tm_transpose"
"""The function that transposes images in place."""


def _array(at: FunctionLowering, op: memref.AllocaOp) -> None:
    type = memref_type(op.memref)
    at.values[op.memref] = at.build.insert(c.ArrayOp(type.element_type, prod(type.get_shape())), op.memref.name_hint)


def _same(at: FunctionLowering, op: memref.CastOp) -> None:
    at.values[op.dest] = at.values[op.source]


def _constant(at: FunctionLowering, op: scratch.ConstantOp) -> None:
    constant = at.program.constant(op)
    memory = CONST if op.loaded else constant.memory
    at.partition(op.attributes.get(PARTITION), constant.sym_name.data)
    at.expression(op, c.SymbolOp(constant.sym_name.data, memref_type(op.result).element_type, memory))


def _arena(at: FunctionLowering, op: scratch.ArenaOp) -> None:
    at.program.declare_arena(op)
    if at.instance is None:
        at.partition(op.attributes.get(PARTITION), ARENA)


def _view(at: FunctionLowering, op: scratch.ViewOp) -> None:
    at.expression(op, at.program.view(op, at.instance))


def _slice(at: FunctionLowering, op: scratch.SliceOp) -> None:
    pointer, offset = at.operands(op)
    hint = op.result.name_hint or op.source.name_hint
    at.values[op.result] = at.build.address(pointer, offset, hint)


def _position(at: FunctionLowering, op: memref.LoadOp | memref.StoreOp) -> SSAValue:
    return at.build.linear([at.values[index] for index in op.indices], memref_type(op.memref).get_shape())


def _load(at: FunctionLowering, op: memref.LoadOp) -> None:
    if op in at.walking:
        at.expression(op, c.NextOp(at.walking[op]))
    else:
        at.expression(op, c.LoadOp(at.values[op.memref], _position(at, op)))


def _store(at: FunctionLowering, op: memref.StoreOp) -> None:
    at.build.put(c.StoreOp(at.values[op.value], at.values[op.memref], _position(at, op)))


def _copy_run(at: FunctionLowering, op: scratch.CopyRunOp) -> None:
    target = at.build.address(at.values[op.dest], at.values[op.at])
    source = at.build.address(at.values[op.source], at.values[op.first])
    size = at.build.literal(element_bytes(memref_type(op.source)))
    at.program.use_function(COPY)
    at.build.put(c.InvokeOp(COPY, [target, source, at.build.binary(at.values[op.count], "*", size)]))


def _turn(at: FunctionLowering, op: scratch.TurnOp) -> None:
    function = TURN if op.bits.value.data == 8 else f"{TURN}_s4"
    pointer, first, rows, columns = at.operands(op)
    at.program.use_function(function)
    pixel = op.pixel.value.data
    start = at.build.binary(first, "*", at.build.literal(pixel)) if pixel > 1 else first
    at.build.put(c.InvokeOp(function, [pointer, start, rows, columns, at.build.literal(pixel)]))


def _receive(at: FunctionLowering, op: scratch.ReceiveOp) -> None:
    row = at.build.insert(c.CastOp(at.values[op.row], IntegerType(ROW_BITS, Signedness.UNSIGNED)))
    at.build.put(c.InvokeOp(at.program.row_function, [at.values[op.dest], row]))


MEMORY: Spellings = {
    memref.AllocaOp: _array,
    memref.CastOp: _same,
    memref.LoadOp: _load,
    memref.StoreOp: _store,
    scratch.ArenaOp: _arena,
    scratch.ConstantOp: _constant,
    scratch.CopyRunOp: _copy_run,
    scratch.ReceiveOp: _receive,
    scratch.SliceOp: _slice,
    scratch.TurnOp: _turn,
    scratch.ViewOp: _view,
}
