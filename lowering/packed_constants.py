"""Packed constants become bytes in flash: kernels take runs of them, single elements are read by a call (L3 to L4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerType, MemRefType, i8, i16
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import scratch
from tinyml.dialects.emitter import Surroundings
from tinyml.dialects.packed_bits import group_bytes, group_length, pack_bits, packed_bytes
from tinyml.dialects.places import error_at
from tinyml.dialects.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.scratch import memref_type, packed_bits
from tinyml.targets.kernels import packed_reader
from tinyml.transforms.boxes import build_offset
from tinyml.transforms.loop_nest import LoopNest
from tinyml.transforms.multiples import exchanged, is_multiple


def unpack_constants(function: func.FuncOp, surroundings: Surroundings) -> None:
    """Raises `InputError` where a run that a kernel reads need not begin at a whole group."""
    for op in list(function.walk()):
        if isinstance(op, scratch.ConstantOp) and (bits := packed_bits(memref_type(op.result))) is not None:
            _Bytes(op, bits, surroundings).replace()


class _Bytes:
    """A packed constant and the array of bytes that takes its place."""

    def __init__(self, constant: scratch.ConstantOp, bits: int, surroundings: Surroundings):
        self.constant, self.bits, self.surroundings = constant, bits, surroundings
        raws = constant.raws
        self.interval = int(raws.min()), int(raws.max())
        self.stream = scratch.ConstantOp.of(pack_bits(raws, bits).view("i1"), i8)
        self.stream.attributes |= constant.attributes
        self.stream.result.name_hint = constant.result.name_hint

    def replace(self) -> None:
        Rewriter.insert_op(self.stream, InsertPoint.before(self.constant))
        self.readers(self.constant.result, [])
        self.constant.detach()
        self.constant.erase()

    def readers(self, value: SSAValue, offsets: Sequence[SSAValue]) -> None:
        """What reads a view at some elements behind the beginning reads the bytes instead."""
        for use in list(value.uses):
            match op := use.operation:
                case scratch.SliceOp():
                    self.readers(op.result, [*offsets, op.offset])
                    op.detach()
                    op.erase()
                case memref.LoadOp():
                    self.load(op, offsets)
                case _:
                    op.operands[use.index] = self.run(value, offsets)

    def load(self, op: memref.LoadOp, offsets: Sequence[SSAValue]) -> None:
        nest = LoopNest(op)
        place = build_offset(op.indices, memref_type(op.memref).get_shape(), nest.builder)
        place = reduce(nest.add, offsets, place)
        symbol, _ = packed_reader(self.bits)
        self.surroundings.declare(symbol)
        run = nest.insert(memref.CastOp.get(self.stream.result, MemRefType(i8, [DYNAMIC_INDEX])))
        read = RUNTIME_FUNCTIONS[symbol].result
        element = nest.insert(func.CallOp(symbol, [run, nest.insert(arith.IndexCastOp(place, i16))], [read]))
        if op.res.type != read:
            element = nest.insert(arith.ExtSIOp(element, cast(IntegerType, op.res.type)))
        element.name_hint = op.res.name_hint
        self.surroundings.intervals[element] = self.interval
        op.res.replace_all_uses_with(element)
        op.detach()
        op.erase()

    def run(self, value: SSAValue, offsets: Sequence[SSAValue]) -> SSAValue:
        """The bytes of a view."""
        view = value.owner
        if not isinstance(view, scratch.SliceOp):
            return self.stream.result
        length = group_length(self.bits)
        if not all(is_multiple(offset, length) for offset in offsets):
            raise error_at(view, f"a run of elements of {self.bits} bits must begin at a multiple of {length}")
        nest = LoopNest(view)
        places = [exchanged(offset, length, group_bytes(self.bits), nest) for offset in offsets]
        bytes = packed_bytes(prod(memref_type(value).get_shape()), self.bits)
        return nest.insert(scratch.SliceOp(self.stream.result, reduce(nest.add, places), (bytes,)))
