"""Lowering of pooling layers to nests (L2 to L3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tinyml.dialects import num, tdsl
from tinyml.lowering.loops.lowerings import lowers
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder


@lowers(tdsl.MaxPoolOp)
def lower_max_pool(op: tdsl.MaxPoolOp, nest: LoopBuilder) -> None:
    """Emit, for each window, the maximum of the elements inside the image."""

    def greatest(taps: Sequence[int], element: Callable[[Indices], SSAValue]) -> SSAValue:
        def across(i: SSAValue, best: Sequence[SSAValue]) -> list[SSAValue]:
            def step(j: SSAValue, best: Sequence[SSAValue]) -> list[SSAValue]:
                value = element([i, j])
                greater = nest.insert(num.GreaterOp(value, best[0]))
                return [nest.insert(arith.SelectOp(greater, value, best[0]))]

            return list(nest.reduce((num.GREATEST,), range(taps[1]), best, step))

        first = element([nest.index(0), nest.index(0)])
        return nest.reduce((num.GREATEST,), range(taps[0]), [first], across)[0]

    over_windows(op, nest, greatest)


def over_windows(
    op: tdsl.PoolOp, nest: LoopBuilder, pooled: Callable[[Sequence[int], Callable[[Indices], SSAValue]], SSAValue]
) -> None:
    """Emit nests over all windows in row-major order. There is one nest for each set of windows whose taps inside
    the image are the same.

    pooled: emits the result of a window from the extents of these taps and a function that loads one element.
    """
    n, rows, columns, channels = tdsl.shape_of(op.out)
    extents, before = tdsl.shape_of(op.image)[1:3], (op.margins[0], op.margins[2])
    down = [*_bands(op.window[0], rows, op.steps[0], before[0], extents[0])]
    across = [*_bands(op.window[1], columns, op.steps[1], before[1], extents[1])]

    def window(bands: Sequence[_Band], batch: SSAValue, places: Indices, channel: SSAValue) -> None:
        origin = [
            _shifted(nest.times(index, step), band.start, nest)
            for index, step, band in zip(places, op.steps, bands, strict=True)
        ]

        def element(taps: Indices) -> SSAValue:
            place = [nest.add(start, tap) for start, tap in zip(origin, taps, strict=True)]
            return nest.load(op.image, [batch, *place, channel])

        result = pooled([band.taps for band in bands], element)
        target = [_shifted(index, band.first, nest) for index, band in zip(places, bands, strict=True)]
        nest.store(result, op.out, [batch, *target, channel])

    def row(band: _Band, batch: SSAValue, y: SSAValue) -> None:
        for run in across:
            nest.nest((run.count, channels), lambda at, run=run: window((band, run), batch, [y, at[0]], at[1]))

    def image(batch: SSAValue) -> None:
        for band in down:
            nest.over((band.count,), lambda at, band=band: row(band, batch, at[0]))

    if len(down) == len(across) == 1:
        bands = down[0], across[0]
        nest.nest((n, rows, columns, channels), lambda at: window(bands, at[0], at[1:3], at[3]))
    else:
        nest.over((n,), lambda at: image(at[0]))


@dataclass(frozen=True)
class _Band:
    """A run of `count` windows along an axis, from window index `first`. Each window has `taps` elements inside the
    image.

    start: the index along the axis of the first element of the first window that is inside the image.
    """

    first: int
    count: int
    start: int
    taps: int


def _bands(window: int, extent: int, step: int, before: int, inside: int) -> Iterator[_Band]:
    """Yield runs of adjacent windows along an axis. All windows of a run have the same taps inside the image.

    window: the extent of a window.
    extent: the number of windows.
    step: the stride.
    before: the padding before the image.
    inside: the extent of the image.
    """
    places = [
        range(max(before - number * step, 0), min(window, inside + before - number * step)) for number in range(extent)
    ]
    first = 0
    for number in range(1, extent + 1):
        if number == extent or places[number] != places[first]:
            taken = places[first]
            yield _Band(first, number - first, first * step - before + taken.start, len(taken))
            first = number


def _shifted(index: SSAValue, offset: int, nest: LoopBuilder) -> SSAValue:
    return nest.add(index, nest.index(offset)) if offset else index
