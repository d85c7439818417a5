"""Kernels for rows of weights and several windows, and the loops that take their place (L3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.coded_tiles import CodedTile
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import memref_type
from tinyml.targets.kernel import Kernel
from tinyml.targets.tiles import Tile, TileCoder, TileFamily, coded_tile
from tinyml.transforms.ir.loop_nest import LoopNest
from tinyml.transforms.ir.sum_starts import Start
from tinyml.transforms.ir.window_sums import WindowSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.targets.tiles import Bytes


def select_tile_kernels(module: ModuleOp, families: Sequence[TileFamily]) -> None:
    """Give every tile a kernel that is composed for it, and expand those that have none to loops over dot products."""
    for function in defined_functions(module):
        for op in [op for op in function.walk() if isinstance(op, num.FinishedSumsOp)]:
            if not replace_tile(op, families):
                _expand(op)
                Rewriter.erase_op(op)


def replace_tile(op: num.FinishedSumsOp, families: Sequence[TileFamily]) -> bool:
    """Replace a tile by a call of its kernel; False if there is none."""
    if (call := call_of_tile(op, families)) is not None:
        call.replace(op)
    return call is not None


@dataclass(frozen=True)
class TileCall:
    """A kernel for a tile, or for some of its lines, and the stream that it reads. times: the calls for all lines."""

    kernel: Kernel
    stream: Bytes
    tile: Tile
    times: int

    @property
    def time(self) -> float:
        """The time of all calls, in the unit of the target."""
        return self.times * _time(self.kernel)

    @cached_property
    def content(self) -> bytes:
        """What calls share with those that take the same flash beside their code."""
        return self.stream.tobytes()

    def replace(self, op: num.FinishedSumsOp) -> None:
        """Replace a tile by the calls."""
        nest = LoopNest(op)
        stream = nest.insert(scratch.ConstantOp.of(self.stream, i8))
        stream.name_hint = op.weights.name_hint
        results = self.tile.lines * self.tile.count * self.tile.rows
        for number in range(self.times):
            outputs, windows = op.outputs, op.windows
            if self.times > 1:
                first = number * self.tile.lines * op.spaces.pitch
                outputs = nest.insert(scratch.SliceOp(outputs, nest.index(number * results), (results,)))
                windows = nest.insert(scratch.SliceOp(windows, nest.index(first), (self.tile.elements,)))
            products = op.products // self.times
            nest.put(num.ComposedTilesOp([outputs, stream, windows], op.acc, products, self.kernel.symbol))
        Rewriter.erase_op(op)


@dataclass(frozen=True)
class CodeCall:
    """A kernel for a tile that holds its weights."""

    kernel: Kernel
    tile: CodedTile

    @property
    def time(self) -> float:
        """The time of the call, in the unit of the target."""
        return _time(self.kernel)

    @property
    def content(self) -> bytes:
        """What calls share with those that take the same flash beside their code: nothing."""
        return b""

    def replace(self, op: num.FinishedSumsOp) -> None:
        """Replace a tile by the call."""
        call = num.CodedTileOp(op.outputs, op.windows, self.tile, self.kernel.symbol, size_of(self.kernel))
        LoopNest(op).put(call)
        Rewriter.erase_op(op)


def _time(kernel: Kernel) -> float:
    return 0.0 if kernel.composed is None else kernel.composed.costs[""]


def size_of(kernel: Kernel) -> num.CodeSize:
    """What a composed kernel takes."""
    composed = kernel.composed
    assert composed is not None
    return num.CodeSize(round(composed.costs[""]), kernel.code, composed.call, composed.stack)


def code_of_tile(op: num.FinishedSumsOp, coder: TileCoder) -> CodeCall | None:
    """The call of a kernel that holds the weights of a tile; None if there is none."""
    several = op.spaces.lines != coder.family.lines
    if several or (sums := sums_of_tile(op)) is None or (given := sums.fitted(coder.family)) is None:
        return None
    tile = coded_tile(*given)
    return None if (kernel := coder.kernel(tile)) is None else CodeCall(kernel, tile)


def call_of_tile(op: num.FinishedSumsOp, families: Sequence[TileFamily]) -> TileCall | None:
    """The call of the first family that has a kernel for a tile; None if there is none."""
    return next(calls_of_tile(op, families), None)


def calls_of_tile(op: num.FinishedSumsOp, families: Sequence[TileFamily]) -> Iterator[TileCall]:
    """The calls of all families that have kernels for a tile."""
    if (sums := sums_of_tile(op)) is not None:
        yield from filter(None, (_call(sums, family) for family in families))


def _call(sums: WindowSums, family: TileFamily) -> TileCall | None:
    """The call of a kernel of a family for a tile, or for some of its lines; None if there is none."""
    if (given := sums.fitted(family)) is None or (kernel := family.kernel(given[0])) is None:
        return None
    return TileCall(kernel, family.stream(*given), given[0], sums.spaces.lines // family.lines)


def sums_of_tile(op: num.FinishedSumsOp) -> WindowSums | None:
    """The sums of a tile that kernels for tiles may compute; None for others than of bytes and constants."""
    if not all(map(num.is_of_bytes, op.factors)) or scratch.packed_bits(memref_type(op.outputs)) is not None:
        return None
    weights, starts = raws_of(op.weights), raws_of(op.starts)
    if scratch.in_flash(memref_type(op.windows)) or weights is None or starts is None:
        return None
    start = Start(element_format(op.starts.type), starts)
    rows = weights.reshape(op.rows, -1)
    return WindowSums(op.name, rows, start, op.accumulator, op.format, op.run, op.spaces, op.count)


def raws_of(run: SSAValue) -> NDArray[np.int64] | None:
    """The raws of a constant that a run is a view of, all of it."""
    constant = scratch.root(run).owner
    if not isinstance(constant, scratch.ConstantOp) or constant.raws.size != scratch.elements_of(run):
        return None
    return constant.raws.astype(np.int64).reshape(-1)


def _expand(op: num.FinishedSumsOp) -> None:
    nest = LoopNest(op)
    accumulator, (runs, pitch, step, lines), length = op.accumulator, op.spaces, op.length
    levelled, part = accumulator.levelled(op.format), length // runs

    def products(sum: SSAValue, weights: SSAValue, first: SSAValue, row: SSAValue) -> SSAValue:
        """Adds the products of a run, which begins at a place among the windows."""
        if isinstance(op, num.DotTilesOp):
            return nest.insert(num.DotOp(sum, weights, nest.insert(scratch.SliceOp(op.windows, first, (part,)))))
        reach = (part - 1) * op.rows + 1
        channel = nest.insert(scratch.SliceOp(op.windows, nest.add(first, row), (reach,)))
        return nest.insert(num.StridedDotOp(sum, weights, channel, op.rows))

    def element(indices: list[SSAValue]) -> None:
        line, window, row = indices
        sum: Any = nest.insert(num.StartOp(nest.load(op.starts, [row]), accumulator.type))
        sum.name_hint = "sum"
        for run in range(runs):
            at, first = nest.times(row, length), nest.times(window, step)
            if lines > 1:
                first = nest.add(nest.times(line, pitch), first)
            if run:
                at, first = (nest.add(place, nest.index(run * by)) for place, by in ((at, part), (first, pitch)))
            sum = products(sum, nest.insert(scratch.SliceOp(op.weights, at, (part,))), first, row)
        if levelled.type != accumulator.type:
            sum = nest.insert(num.LevelOp(sum, row, levelled.type))
        result = nest.insert(num.FinishOp(sum, op.format.type, op.sum_bound))
        window = nest.add(nest.times(line, op.count), window) if lines > 1 else window
        nest.store(result, op.outputs, [nest.add(nest.times(window, op.rows), row)])

    nest.over((lines, op.count, op.rows), element)
