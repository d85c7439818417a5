"""Images transposed in place, by rotating the cycles of the permutation of their pixels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, i8
from xdsl.ir import Block, SSAValue

from tinyml.dialects import scratch
from tinyml.lowering.memref.flat_arrays import FlatArrays
from tinyml.lowering.memref.packed_elements import PackedElements


def turn(arrays: FlatArrays, op: scratch.TurnOp) -> None:
    """Rotate each cycle of the permutation of pixels once, starting at its lowest pixel (Gural and Murmann 2019,
    4.1).

    Pixel i of an image of `rows` rows moves to `i % columns * rows + i / columns`.
    """
    nest, pixel = arrays.nest, op.pixel.value.data
    swap = _swap_bytes(arrays, op) if op.bits.value.data == 8 else _swap_nibbles(arrays, op)

    def moved(i: SSAValue) -> SSAValue:
        row = nest.insert(arith.DivUIOp(i, op.columns))
        column = nest.insert(arith.RemUIOp(i, op.columns))
        return nest.add(nest.insert(arith.MuliOp(column, op.rows)), row)

    def repeat(start: SSAValue, goes_on: Callable[[SSAValue], SSAValue], body: Callable[[SSAValue], None]) -> SSAValue:
        """Emit a loop that follows a cycle from `start` while a condition is true. Return the first pixel at
        which the condition is false.

        goes_on: emits the condition for a pixel.
        body: emits the loop's body for a pixel.
        """
        before, after = Block(arg_types=[IndexType()]), Block(arg_types=[IndexType()])
        with nest.inside(before):
            nest.put(scf.ConditionOp(goes_on(before.args[0]), before.args[0]))
        with nest.inside(after):
            body(after.args[0])
            nest.put(scf.YieldOp(moved(after.args[0])))
        return nest.insert(scf.WhileOp([start], [IndexType()], [before], [after]))

    def rotate(i: SSAValue) -> None:
        first = repeat(moved(i), lambda at: nest.insert(arith.CmpiOp(at, i, "ugt")), lambda _: None)

        def exchange(to: SSAValue) -> None:
            def element(k: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
                swap(*(nest.add(nest.times(place, pixel), k) for place in (i, to)))
                return []

            nest.fold(nest.index(pixel), [], element)

        then = Block()
        with nest.inside(then):
            repeat(moved(i), lambda at: nest.insert(arith.CmpiOp(at, i, "ne")), exchange)
            nest.put(scf.YieldOp())
        nest.put(scf.IfOp(nest.insert(arith.CmpiOp(first, i, "eq")), [], [then]))

    nest.each(nest.insert(arith.MuliOp(op.rows, op.columns)), rotate)


def _swap_bytes(arrays: FlatArrays, op: scratch.TurnOp) -> Callable[[SSAValue, SSAValue], None]:
    nest, (arena, start) = arrays.nest, arrays.bytes_of(op.buffer)
    start = nest.value(nest.sum(start, nest.times(op.first, op.pixel.value.data)))

    def swap(a: SSAValue, b: SSAValue) -> None:
        places = [nest.add(start, index) for index in (a, b)]
        first, second = (nest.load(arena, [place]) for place in places)
        nest.store(second, arena, [places[0]])
        nest.store(first, arena, [places[1]])

    return swap


def _swap_nibbles(arrays: FlatArrays, op: scratch.TurnOp) -> Callable[[SSAValue, SSAValue], None]:
    nest, elements = arrays.nest, PackedElements(arrays, op.buffer, 4)
    start = nest.times(op.first, op.pixel.value.data)

    def swap(a: SSAValue, b: SSAValue) -> None:
        places = [nest.add(start, index) for index in (a, b)]
        first, second = (elements.load(place, signed=True, type=i8) for place in places)
        elements.store(second, places[0])
        elements.store(first, places[1])

    return swap
