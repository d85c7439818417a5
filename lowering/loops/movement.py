"""Ops that move elements without computing, as loops (L2 to L3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import cast

import xdsl.dialects.memref as upstream_memref
from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, i8
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import scratch, tdsl
from tinyml.transforms.ir.loop_nest import Indices, LoopNest


def elements_from(
    source: SSAValue, start: SSAValue, length: int, nest: LoopNest, element: Attribute | None = None
) -> SSAValue:
    """Consecutive elements of a buffer as a view of rank 1; element: the type that their raws are taken as."""
    return nest.insert(scratch.SliceOp(source, start, (length,), element))


def _move(source: SSAValue, target: SSAValue, nest: LoopNest, origin: Callable[[Indices], Indices]) -> None:
    """target[i] = source[origin(i)] for every index of the target."""

    def body(indices: Indices) -> None:
        nest.store(nest.load(source, origin(indices)), target, indices)

    nest.over(tdsl.shape_of(target), body)


def copy(op: upstream_memref.CopyOp, nest: LoopNest) -> None:
    _move(op.source, op.destination, nest, lambda indices: indices)


def move_buffer(op: scratch.MoveOp, nest: LoopNest) -> None:
    """Where the places overlap, the end that is free goes first. Packed elements move by bytes: they share some."""
    places = [_in_bytes(value, nest) for value in (op.source, op.dest)]
    count = prod(tdsl.shape_of(places[0]))
    source, dest = (elements_from(value, nest.index(0), count, nest) for value in places)

    def body(indices: Indices) -> None:
        at = [nest.insert(arith.SubiOp(nest.index(count - 1), indices[0]))] if op.upwards else indices
        nest.store(nest.load(source, at), dest, at)

    nest.over((count,), body)


def _in_bytes(value: SSAValue, nest: LoopNest) -> SSAValue:
    """The bytes of a packed buffer; any other buffer itself."""
    type, view = scratch.memref_type(value), cast(scratch.ViewOp, value.owner)
    if scratch.packed_bits(type) is None:
        return value
    bytes = MemRefType(i8, [scratch.size_in_bytes(type)])
    return nest.insert(scratch.ViewOp(view.arena, view.offset.value.data, bytes))


def transpose(op: tdsl.TransposeOp, nest: LoopNest) -> None:
    def origin(indices: Indices) -> Indices:
        return [indices[op.axes.index(axis)] for axis in range(len(indices))]

    _move(op.input, op.out, nest, origin)


def reverse(op: tdsl.ReverseOp, nest: LoopNest) -> None:
    axis = op.axis.value.data
    last = nest.index(tdsl.shape_of(op.input)[axis] - 1)

    def origin(indices: Indices) -> Indices:
        mirrored = nest.insert(arith.SubiOp(last, indices[axis]))
        return [*indices[:axis], mirrored, *indices[axis + 1 :]]

    _move(op.input, op.out, nest, origin)


def _shifted(indices: Indices, offsets: Sequence[SSAValue], nest: LoopNest) -> Indices:
    return [nest.add(index, offset) for index, offset in zip(indices, offsets, strict=True)]


def slice(op: tdsl.SliceOp, nest: LoopNest) -> None:
    _move(op.input, op.out, nest, lambda indices: _shifted(indices, op.offsets, nest))


def insert_slice(op: tdsl.InsertSliceOp, nest: LoopNest) -> None:
    if op.input is not op.out:
        _move(op.input, op.out, nest, lambda indices: indices)

    def body(indices: Indices) -> None:
        nest.store(nest.load(op.part, indices), op.out, _shifted(indices, op.offsets, nest))

    nest.over(tdsl.shape_of(op.part), body)
