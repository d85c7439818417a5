"""Lowering of windows to loops (L2 to L3). Elements inside the image are copied; elements outside are filled."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.loops import trips_of
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, elements_from
from tinyml.transforms.ir.indices import affine_sum
from tinyml.transforms.ir.loop_nest import LoopBuilder


@lowers(tdsl.WindowOp)
def lower_windows(op: tdsl.WindowOp, nest: LoopBuilder) -> None:
    """Emit the copy of windows, row by row."""
    count, *extents = tdsl.shape_of(op.out)
    image, length = elements_from(op.image, nest.index(0), prod(tdsl.shape_of(op.image)), nest), prod(extents)

    def window(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
        across = nest.times(number, op.steps.step)
        target = elements_from(op.out, nest.times(number, length), length, nest)
        _lower_window(op, image, target, nest.add(op.left, across), nest)
        return []

    if count == 1:
        _lower_window(op, image, elements_from(op.out, nest.index(0), length, nest), op.left, nest)
    else:
        nest.fold(nest.index(count), [], window)


def _lower_window(op: tdsl.WindowOp, image: SSAValue, window: SSAValue, left_edge: SSAValue, nest: LoopBuilder) -> None:
    _, height, width, channels = tdsl.shape_of(op.out)
    rows, columns = op.extents
    top, bottom, left, right = op.reach
    # Neighbours in the image are neighbours in the window, unless it is dilated.
    taps, length = (1, width) if op.spread[1] == 1 else (width, 1)
    plain = _has_whole_bytes(scratch.memref_type(image), scratch.memref_type(window), channels)
    filling = nest.insert(num.ConstantOp(op.filling, element_of(op.out))) if any(op.reach) else None
    slot = _first_slot(op, nest)
    step = _step(op)

    def copy(source: SSAValue, target: SSAValue, count: SSAValue) -> None:
        def element(k: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            nest.store(nest.load(image, [nest.add(source, k)]), window, [nest.add(target, k)])
            return []

        if plain:
            nest.put(scratch.CopyRunOp(image, source, window, target, count, length * channels, step))
        else:
            nest.fold(count, [], element)

    def gather(place: SSAValue, target: SSAValue, count: SSAValue) -> None:
        _, across, deep = op.pitches

        def channel(c: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            first, begin = nest.add(place, nest.times(c, deep)), nest.add(target, c)

            def pixel(j: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
                element = nest.load(image, [nest.add(first, nest.times(j, across))])
                nest.store(element, window, [nest.add(begin, nest.times(j, channels))])
                return []

            nest.fold(count, [], pixel)
            return []

        nest.fold(nest.index(channels), [], channel)

    def row(i: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
        shift = nest.times(i, op.spread[0])
        down = nest.add(op.top, shift)
        slot_row = down if slot is None else _wrapped(nest.add(slot, shift), op.held[1], nest)

        def run(j: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            across = left_edge if taps == 1 else nest.add(left_edge, nest.times(j, op.spread[1]))
            begin, end = _inside(across, length, columns, (left, right), nest)
            if top or bottom:
                outside = _is_outside(down, rows, (top, bottom), nest)
                begin, end = (nest.insert(arith.SelectOp(outside, nest.index(length), x)) for x in (begin, end))
            whole = nest.index(length * channels)
            target = nest.times(nest.add(nest.times(i, taps), j) if taps > 1 else i, length * channels)

            def fill(k: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
                assert filling is not None
                nest.store(filling, window, [nest.add(target, k)])
                return []

            first, last = (nest.times(x, channels) for x in (begin, end))
            if top or bottom or left:
                nest.fold(first, [], fill)
            if op.axes is not None:
                down_pitch, across_pitch = op.pitches[:2]
                inside = nest.add(across, begin)
                place = nest.add(nest.times(slot_row, down_pitch), nest.times(inside, across_pitch))
                gather(place, nest.add(target, first), nest.insert(arith.SubiOp(end, begin)))
            elif op.ring is None or op.held[2] == columns:
                source = nest.times(nest.add(nest.times(slot_row, columns), across), channels)
                count = nest.insert(arith.SubiOp(last, first))
                copy(nest.add(source, first), nest.add(target, first), count)
            else:
                _copy_around(down, slot_row, across, (begin, end), target)
            if right:
                nest.fold(whole, [], fill, last)
            return []

        def _copy_around(
            down: SSAValue, slot_row: SSAValue, across: SSAValue, inside: tuple[SSAValue, SSAValue], target: SSAValue
        ) -> None:
            """Emit the copy of pixels from a row of a ring. The pixels may continue at the start of the
            ring.
            """
            _, height, width, _ = op.held
            begin, end = inside
            slots = nest.index(width)
            number = nest.add(across, begin)
            if height == 1:
                number = nest.add(nest.times(down, columns), number)
            place = nest.insert(arith.RemSIOp(number, slots))
            row = nest.times(slot_row, width * channels) if height > 1 else nest.index(0)
            count = nest.insert(arith.SubiOp(end, begin))
            until = nest.insert(arith.MinSIOp(count, nest.insert(arith.SubiOp(slots, place))))
            start = nest.add(target, nest.times(begin, channels))
            first_count = nest.times(until, channels)
            copy(nest.add(row, nest.times(place, channels)), start, first_count)
            copy(row, nest.add(start, first_count), nest.times(nest.insert(arith.SubiOp(count, until)), channels))

        if taps == 1:
            return run(nest.index(0), [])
        nest.fold(nest.index(taps), [], run)
        return []

    nest.fold(nest.index(height), [], row)


def _step(op: tdsl.WindowOp) -> int | None:
    """The number of elements by which a row of a window advances per iteration of the enclosing loop.

    Returns None if the op is not directly in a loop with constant bounds, if it copies several windows, and if two
    successive windows share no elements. Also returns None for rows that are dilated or padded, and for rows of a ring
    that wrap around.
    """
    body, (_, _, width, channels) = op.parent, tdsl.shape_of(op.out)
    if body is None or not trips_of(body.parent_op()) or len(op.steps) > 1 or any(op.reach) or op.spread[1] != 1:
        return None
    if op.ring is not None and op.held[2] != op.extents[1]:
        return None
    step = affine_sum(op.left).factors.get(body.args[0], 0)
    return step * channels if 0 < step < width else None


def _has_whole_bytes(image: MemRefType[Attribute], window: MemRefType[Attribute], channels: int) -> bool:
    packed = scratch.packed_bits(image)
    return (
        not scratch.in_flash(image)
        and packed == scratch.packed_bits(window)
        and channels % scratch.unit_of(image)[0] == 0
    )


def _first_slot(op: tdsl.WindowOp, nest: LoopBuilder) -> SSAValue | None:
    """The row of a ring at which a window starts; None if the image is not a ring, and for rings of a single row."""
    _, slots, width, _ = op.held
    if op.ring is None or (slots == 1 and width != op.extents[1]):
        return None
    # A window may start above the image.
    above = -(-op.reach[0] // slots) * slots
    top = nest.add(op.top, nest.index(above)) if above else op.top
    return nest.insert(arith.RemSIOp(top, nest.index(slots)))


def _wrapped(slot: SSAValue, slots: int, nest: LoopBuilder) -> SSAValue:
    """The row of a ring at index `slot` modulo `slots`, the number of rows. The index must be less than twice the
    number of rows.
    """
    beyond = nest.insert(arith.CmpiOp(slot, nest.index(slots), "sge"))
    return nest.insert(arith.SelectOp(beyond, nest.insert(arith.SubiOp(slot, nest.index(slots))), slot))


def _inside(
    start: SSAValue, length: int, extent: int, margins: tuple[int, int], nest: LoopBuilder
) -> tuple[SSAValue, SSAValue]:
    """Return the start and the exclusive end of the part of a run that lies inside an axis, relative to the start
    of the run.

    start, length: the first element of the run on the axis, and the number of its elements.
    extent: the extent of the axis.
    margins: the padding before and after the axis.
    """
    before, after = margins
    begin, end = nest.index(0), nest.index(length)
    if before:
        begin = nest.insert(arith.MaxSIOp(nest.insert(arith.SubiOp(nest.index(0), start)), begin))
        if before > length:
            begin = nest.insert(arith.MinSIOp(begin, nest.index(length)))
    if after:
        end = nest.insert(arith.MinSIOp(nest.insert(arith.SubiOp(nest.index(extent), start)), end))
        if after >= length or extent < length:
            end = nest.insert(arith.MaxSIOp(end, begin))
    return begin, end


def _is_outside(at: SSAValue, extent: int, margins: tuple[int, int], nest: LoopBuilder) -> SSAValue:
    if not margins[1]:
        return nest.insert(arith.CmpiOp(at, nest.index(0), "slt"))
    if not margins[0]:
        return nest.insert(arith.CmpiOp(at, nest.index(extent - 1), "sgt"))
    clamped = nest.insert(arith.MinSIOp(nest.insert(arith.MaxSIOp(at, nest.index(0))), nest.index(extent - 1)))
    return nest.insert(arith.CmpiOp(clamped, at, "ne"))
