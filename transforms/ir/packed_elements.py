"""Arrays of packed elements as arrays of bytes, and accesses to their elements as calls of functions (L3 to L4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import TypeAlias, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, IntegerType, MemRefType, i8, i16, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import scratch
from tinyml.dialects.layouts.digits import Width
from tinyml.dialects.layouts.packed_bits import group_bytes, group_length, pack_bits, packed_bytes
from tinyml.dialects.locations import error_at
from tinyml.dialects.machine.emitter import EmissionContext
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import in_flash, memref_type, packed_bits, packed_offset, size_in_bytes
from tinyml.targets.kernel import packed_copier, packed_reader, packed_writer
from tinyml.transforms.ir.indices import build_offset, exchanged, is_multiple
from tinyml.transforms.ir.loop_nest import LoopBuilder

Interval: TypeAlias = tuple[int, int]


def unpack_elements(function: func.FuncOp, context: EmissionContext) -> None:
    """Lower packed constants, buffers and arguments of a function to bytes.

    Raises `InputError` if a kernel or a copy accesses a run of elements that may not begin at a group boundary.
    """
    for op in list(function.walk()):
        if not isinstance(op, scratch.ConstantOp | scratch.ViewOp):
            continue
        if (bits := packed_bits(memref_type(op.result))) is None:
            continue
        stream, interval = _constant(op, bits) if isinstance(op, scratch.ConstantOp) else (_view(op), None)
        stream.attributes |= op.attributes
        stream.properties |= {"far": op.properties["far"]} if "far" in op.properties else {}
        stream.results[0].name_hint = op.result.name_hint
        Rewriter.insert_op(stream, InsertPoint.before(op))
        _Bytes(stream.results[0], bits, packed_offset(memref_type(op.result)), interval, context).readers(op.result, [])
        Rewriter.erase_op(op)
    block = function.body.block
    for old in block.args:
        if isinstance(old.type, MemRefType) and (bits := packed_bits(memref_type(old))) is not None:
            new = block.insert_arg(MemRefType(i8, [size_in_bytes(memref_type(old))]), old.index)
            new.name_hint = old.name_hint
            _Bytes(new, bits, packed_offset(memref_type(old)), None, context).readers(old, [])
            block.erase_arg(old)


def _constant(op: scratch.ConstantOp, bits: Width) -> tuple[Operation, Interval]:
    raws = op.raws
    return scratch.ConstantOp.of(pack_bits(raws, bits).view("i1"), i8, loaded=op.loaded), (
        int(raws.min()),
        int(raws.max()),
    )


def _view(op: scratch.ViewOp) -> scratch.ViewOp:
    bytes = MemRefType(i8, [size_in_bytes(memref_type(op.result))])
    return scratch.ViewOp(op.arena, op.offset.value.data, bytes, input=op.input is not None, state=op.state is not None)


MAX_INDICES = 1 << 16
"""Maximum number of elements that functions on packed elements can index."""


class _Bytes:
    """An array of bytes that replaces an array of packed elements.

    interval: the interval of the elements; None if it is unknown.
    offset: the number subtracted from elements before packing.
    """

    def __init__(self, stream: SSAValue, bits: Width, offset: int, interval: Interval | None, context: EmissionContext):
        self.stream, self.bits, self.offset, self.interval, self.context = stream, bits, offset, interval, context

    def readers(self, value: SSAValue, offsets: Sequence[SSAValue]) -> None:
        """Redirect the users of a view of packed elements to the bytes.

        offsets: the summands of the view's offset in the array, in elements.
        """
        for use in list(value.uses):
            match op := use.operation:
                case scratch.SliceOp():
                    self.readers(op.result, [*offsets, op.offset])
                    Rewriter.erase_op(op)
                case memref.LoadOp():
                    self.load(op, offsets)
                case memref.StoreOp():
                    self.store(op, offsets)
                case memref.CopyOp():
                    self.unpack(op, offsets)
                case scratch.CopyRunOp():
                    self.copy(op, use.index, value, offsets)
                case _:
                    op.operands[use.index] = self.run(value, offsets)

    def load(self, op: memref.LoadOp, offsets: Sequence[SSAValue]) -> None:
        symbol = packed_reader(self.bits, flash=in_flash(memref_type(op.memref)))
        read = RUNTIME_FUNCTIONS[symbol].result
        self.context.declare(symbol)
        nest = LoopBuilder(op)
        element = nest.insert(func.CallOp(symbol, self.element(op, offsets, nest), [read]))
        if self.offset:
            offset = nest.insert(arith.ConstantOp.from_int_and_width(self.offset, cast(IntegerType, read)))
            element = nest.insert(arith.AddiOp(element, offset))
        if op.res.type != read:
            element = nest.insert(arith.ExtSIOp(element, cast(IntegerType, op.res.type)))
        element.name_hint = op.res.name_hint
        if self.interval is not None:
            self.context.intervals[element] = self.interval
        op.res.replace_all_uses_with(element)
        Rewriter.erase_op(op)

    def store(self, op: memref.StoreOp, offsets: Sequence[SSAValue]) -> None:
        assert isinstance(self.bits, int)
        symbol, nest = packed_writer(self.bits), LoopBuilder(op)
        value = op.value
        if self.offset:
            offset = nest.insert(arith.ConstantOp.from_int_and_width(self.offset, cast(IntegerType, value.type)))
            value = nest.insert(arith.SubiOp(value, offset))
        arguments = [*self.element(op, offsets, nest), value]
        self.context.declare_kernel(symbol, [value.type for value in arguments], [])
        nest.put(func.CallOp(symbol, arguments, []))
        Rewriter.erase_op(op)

    def unpack(self, op: memref.CopyOp, offsets: Sequence[SSAValue]) -> None:
        """Lower a copy of whole groups of packed elements to a local array. The new op unpacks the elements
        from bytes.

        offsets: the summands of the source's offset in the array, in elements.
        """
        assert isinstance(self.bits, int)
        symbol, nest = packed_copier(self.bits, signed=not self.offset), LoopBuilder(op)
        whole = memref_type(op.destination)
        groups = -(-prod(whole.get_shape()) // group_length(self.bits))
        runs = [
            nest.insert(memref.CastOp.get(run, MemRefType(memref_type(run).element_type, [DYNAMIC_INDEX])))
            for run in (op.destination, self.run(op.source, offsets))
        ]
        arguments = [*runs, nest.index(groups)]
        self.context.declare_kernel(symbol, [value.type for value in arguments], [])
        nest.put(func.CallOp(symbol, arguments, []))
        Rewriter.erase_op(op)

    def copy(self, op: scratch.CopyRunOp, end: int, value: SSAValue, offsets: Sequence[SSAValue]) -> None:
        """Convert one end of a copy from elements to bytes. For the source end, also convert the count.

        end: the end to convert: 0 for the source, 1 for the target.
        value: the packed operand at this end.
        offsets: the summands of the operand's offset in the array, in elements.
        """
        nest, start = LoopBuilder(op), 2 + end
        op.operands[end] = self.run(value, offsets)
        op.operands[start] = self.bytes_before(op.operands[start], nest)
        if not end:
            op.operands[4] = self.bytes_before(op.count, nest)
            op.most = IntegerAttr(packed_bytes(op.most.value.data, self.bits), i64)

    def bytes_before(self, elements: SSAValue, nest: LoopBuilder) -> SSAValue:
        length = group_length(self.bits)
        if is_multiple(elements, length):
            return exchanged(elements, length, group_bytes(self.bits), nest)
        return nest.times(nest.insert(arith.DivSIOp(elements, nest.index(length))), group_bytes(self.bits))

    def element(
        self, op: memref.LoadOp | memref.StoreOp, offsets: Sequence[SSAValue], nest: LoopBuilder
    ) -> list[SSAValue]:
        element = build_offset(op.indices, memref_type(op.memref).get_shape(), nest.builder)
        element = reduce(nest.add, offsets, element)
        stream, length, bytes = self.stream, group_length(self.bits), group_bytes(self.bits)
        if size_in_bytes(memref_type(stream)) // bytes * length > MAX_INDICES:
            group = nest.insert(arith.DivSIOp(element, nest.index(length)))
            stream = nest.insert(scratch.SliceOp(stream, nest.times(group, bytes), (bytes,)))
            element = nest.insert(arith.RemSIOp(element, nest.index(length)))
        run = nest.insert(memref.CastOp.get(stream, MemRefType(i8, [DYNAMIC_INDEX])))
        return [run, nest.insert(arith.IndexCastOp(element, i16))]

    def run(self, value: SSAValue, offsets: Sequence[SSAValue]) -> SSAValue:
        """The bytes of a view that starts at a group boundary. Raises `InputError` for a view that may start elsewhere.

        offsets: the summands of the view's offset in the array, in elements.
        """
        view = value.owner
        if not isinstance(view, scratch.SliceOp):
            return self.stream
        length = group_length(self.bits)
        if not all(is_multiple(offset, length) for offset in offsets):
            raise error_at(view, f"a run of elements of {self.bits} bits must begin at a multiple of {length}")
        nest = LoopBuilder(view)
        starts = [exchanged(offset, length, group_bytes(self.bits), nest) for offset in offsets]
        bytes = packed_bytes(prod(memref_type(value).get_shape()), self.bits)
        return nest.insert(scratch.SliceOp(self.stream, reduce(nest.add, starts), (bytes,)))
