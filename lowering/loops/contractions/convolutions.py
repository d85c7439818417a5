"""Lowering of convolutions to contractions, tiles and loops (L2 to L3). `tile-windows` has already split images into
windows.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.formats.number_format import INTEGER_CODING
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.loops.contractions.mapped_products import lower_contraction
from tinyml.lowering.loops.contractions.products import (
    Products,
    begun,
    factors,
    finished,
    lower_rows,
    sum_start,
)
from tinyml.lowering.loops.contractions.turned_convolutions import lower_in_turns
from tinyml.lowering.loops.contractions.zero_points import start_without_offsets
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import elements_from, flash_array
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(tdsl.Conv2dOp)
def lower_convolution(op: tdsl.Conv2dOp, nest: LoopBuilder) -> None:
    """Lower a convolution to a contraction, to loops over elements, or to the loops of a convolution in place.

    It becomes a contraction if its windows are the windows of a tile, whole images, or whole channels of images.
    """
    if op.turns is not None:
        return lower_in_turns(op, nest)
    rows, *taps, length = tdsl.shape_of(op.lhs)
    images, height, width, _ = tdsl.shape_of(op.rhs)
    is_window, by_channel = (height, width) == tuple(taps), length == 1 and rows == op.group_count > 1
    if op.tile is not None or (is_window and (op.group_count == 1 or (by_channel and images > 1))):
        start = _starts(op, nest)
        if start is not None:
            return _lower_windows(op, start, nest)
    if images > 1 or not is_window or not by_channel or tdsl.format_of(op.lhs).groups is not None:
        return lower_contraction(op, nest)
    start = start_without_offsets(op)
    count = prod(taps)

    def channels(term: tdsl.Term) -> Products:
        weights, window = factors(term, (rows, count), (count * rows,), nest, without_offsets=start is not None)
        return lambda sum, _: nest.insert(num.ProductsOp(sum, weights, window, channels=True))

    return lower_rows(op, start, channels, nest)


def _starts(op: tdsl.Conv2dOp, nest: LoopBuilder) -> SSAValue | None:
    """The initial values of integer sums, one per row.

    Returns None for rows with different scales, for factors whose raws are not integers, for zero points whose terms
    are not constant, and for sums that are not integers or do not have one initial value per row.
    """
    factors = [tdsl.format_of(x).without_offset() for x in (op.lhs, op.rhs)]
    start = start_without_offsets(op)
    if op.shifts is not None or any(format.coding != INTEGER_CODING for format, _ in factors):
        return None
    if start is None and any(offset for _, offset in factors):
        return None
    rows, accumulator = tdsl.shape_of(op.lhs)[0], op.accumulators[0]
    if not accumulator.INTEGER or (op.initial is not None and prod(tdsl.shape_of(op.initial)) != rows):
        return None
    initial = sum_start(op.initial, start, accumulator, nest)
    if initial is None:
        format = accumulator.start_format(tdsl.format_of(op.lhs))
        initial = flash_array(nest, np.zeros(rows, format.dtype), format.type, "start")
    return elements_from(initial, nest.index(0), rows, nest)


def _lower_windows(op: tdsl.Conv2dOp, starts: SSAValue, nest: LoopBuilder) -> None:
    """Emit a contraction over windows. Each window is multiplied by all filters, or for a depthwise convolution
    each channel of the window by its own filter.

    The windows have the layout of the tile, or are consecutive in memory.
    """
    (rows, *taps), image, count = tdsl.shape_of(op.lhs), tdsl.shape_of(op.rhs), prod(tdsl.shape_of(op.out)[:-1])
    length, lines, spaces = prod(taps), 1, num.Spacing(step=prod(image[1:]))
    if op.tile is not None:
        lines, runs = count // op.tile.count.data, op.tile.runs.data
        spaces = num.Spacing(runs, prod(image[2:]) if max(runs, lines) > 1 else 0, op.tile.step.data)
    weights, windows = (
        nest.insert(scratch.SliceOp(x, nest.index(0), shape, tdsl.format_of(x).without_offset()[0].type))
        for x, shape in ((op.lhs, (rows, length)), (op.rhs, (prod(image),)))
    )
    extents = [lines, count // lines, rows] if lines > 1 else [count, rows] if count > 1 else [rows]
    results = nest.insert(scratch.SliceOp(op.out, nest.index(0), tuple(extents)))

    def body(indices: Indices) -> None:
        sum, by_channel = begun(op.accumulators[0], starts, indices[-1:], nest), op.group_count > 1
        spacing, each = spaces if count > 1 else None, rows // op.group_count if by_channel else 1
        sum = nest.insert(num.ProductsOp(sum, weights, windows, spacing, channels=by_channel, filters=each))
        value = finished(op, sum, None, [*[nest.index(0)] * 3, indices[-1]], nest)
        nest.store(value, results, indices)

    contraction = nest.contract(extents, body, op.tile)
    if extents == [1]:
        expand_contraction(contraction)
