"""Tiles: windows beside each other that a kernel composed for their shape meets with rows of weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from tinyml.dialects.formats.accumulator import Accumulator, Requantisation
from tinyml.dialects.formats.exact.numbers import exact
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.layouts.coded_tiles import CodedTile
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.machine.runtime_functions import requantize
from tinyml.dialects.num import CodeKernelAttr, TileKernelAttr
from tinyml.targets.kernel import LEAST_MULTIPLIER, Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.int8]
    Numbers = NDArray[np.int64]

STRIP_BYTES = 6144
"""The most memory for a strip that is gathered."""

KEPT = 128
"""The most kernels of tiles as code that are kept, at least those of a network's layers."""

FIRST_ZERO = 128
"""Added to the zero point in names of C functions, which have no minus sign."""


@dataclass(frozen=True)
class Tile:
    """The shape of a tile of bytes: `count` windows, each of `runs` runs of `length` elements of memory.

    rows: of weights, each of which gives a result of every window. pitch: elements from a run of a window to the next;
    step: from a window to the next. zero: the raw of 0 of the results. right: the places by which sums are shifted; 0
    if they are requantised. lines: how often there are so many windows beside each other, each line a pitch further.
    """

    rows: int
    runs: int
    length: int
    pitch: int
    step: int
    count: int
    zero: int
    right: int = 0
    lines: int = 1

    @property
    def elements(self) -> int:
        """The elements of memory from the first to the last of all windows."""
        return (self.count - 1) * self.step + (self.lines + self.runs - 2) * self.pitch + self.length

    @property
    def suffix(self) -> str:
        """The end of the name of the C function for the tile."""
        *shape, zero, right, lines = astuple(self)
        further = [right, lines] if lines > 1 else [right] if right else []
        return "_".join(map(str, (*shape, zero + FIRST_ZERO, *further)))

    @staticmethod
    def of(kernel: TileKernelAttr) -> Tile:
        """The tile of a kernel."""
        return Tile(**{name: number.data for name, number in kernel.shape.items()})


@dataclass(frozen=True)
class Sums:
    """What rows of weights make of windows, one number for each row, apart from `weights`, which has rows.

    starts: of the sums. multipliers, shifts: the arguments of `tm_requantize_s32`.
    """

    weights: Numbers
    starts: Numbers
    multipliers: Numbers
    shifts: Numbers

    @staticmethod
    def requantised(weights: Numbers, starts: Numbers, finish: Requantisation) -> Sums:
        """Sums that are finished so. A row with the factor 0 gives what a sum of nothing gives with any other."""
        some = finish.multipliers != 0
        return Sums(
            weights * some[:, None],
            starts * some,
            np.where(some, finish.multipliers.astype(np.int64), LEAST_MULTIPLIER),
            np.where(some, finish.shifts.astype(np.int64), -1),
        )

    @property
    def reach(self) -> Numbers:
        """The magnitude that the products of a row with bytes do not exceed together."""
        return np.abs(self.weights).sum(1) * -limits(8)[0]

    def within(self, limit: int) -> bool:
        """True if all sums and their parts stay below a limit in magnitude."""
        return int((self.reach + np.abs(self.starts)).max()) < limit

    def nearer(self, limit: int, zero: int) -> Sums | None:
        """Sums below a limit that are requantised to the same bytes; None if there are none.

        A channel whose weights have no effect may start from 2^30, far beyond any byte; another start, nearer to 0,
        from which all its sums give the same byte, takes its place. zero: the raw of 0 of the results.
        """
        reach, most = self.reach, limits(32)[1]
        if self.within(limit) or reach.max() >= limit or not self.within(most):
            return self if self.within(limit) else None
        starts = np.clip(self.starts, reach - limit + 1, limit - 1 - reach)
        # A sum that is greater gives no lesser byte.
        ends = np.stack([begin + side for begin in (self.starts, starts) for side in (-reach, reach)]).astype(np.int32)
        multipliers = np.broadcast_to(self.multipliers.astype(np.int32), ends.shape)
        shifts = np.broadcast_to(self.shifts.astype(np.int8), ends.shape)
        bytes = np.clip(requantize(ends, multipliers, shifts).astype(np.int64) + zero, *limits(8))
        same = (bytes == bytes[0]).all(0) | (starts == self.starts)
        return replace(self, starts=starts) if same.all() else None

    def flat(self, row: int, zero: int) -> int | None:
        """The byte that all sums of a row give without weights; None with any. zero: the raw of 0 of the results."""
        if self.weights[row].any():
            return None
        sum, multiplier = (numbers[row : row + 1].astype(np.int32) for numbers in (self.starts, self.multipliers))
        result = requantize(sum, multiplier, self.shifts[row : row + 1].astype(np.int8)).astype(np.int64)
        return int(np.clip(result + zero, *limits(8))[0])

    def __iter__(self) -> Iterator[tuple[Numbers, int, int, int]]:
        """Of each row: its weights, start, multiplier and shift."""
        yield from zip(self.weights, self.starts, self.multipliers, self.shifts, strict=True)


def _is_by_bytes(finish: Requantisation, right: int) -> bool:
    """True if sums are finished to bytes, by factors that are 0 or below 1/2 with multipliers of 31 bits.

    right: the greatest shift amount of the products.
    """
    some = finish.multipliers != 0
    multipliers, shifts = finish.multipliers[some], finish.shifts[some]
    fit = (multipliers >= LEAST_MULTIPLIER).all() & (shifts < 0).all() & (shifts >= -right).all()
    return (finish.low, finish.high) == limits(8) and bool(fit)


@dataclass(frozen=True)
class TileFamily:
    """Kernels for tiles of any shape, which a composer makes as they are needed.

    name: the C functions are called by it and the shape. channels: true if each row of weights is multiplied by a
    channel of windows. needs: the feature that a board must have. composed: the kernel for a function name and a tile;
    None for a shape without one. stream: the weights and everything else that belongs to rows, in the order in which a
    kernel fetches them. limit: the magnitude that sums and their parts stay below. shifts: true if sums are finished by
    a shift, as `Accumulator.shift` says, instead of a requantisation; their starts then include the rounding constant.
    bits: of sums. right: the greatest shift amount of a requantisation. most: bytes of a strip that is gathered. large:
    true if streams take more flash than weights; `spend-flash` chooses such kernels, nothing else does. lines: those of
    the tiles that have kernels.
    """

    name: str
    channels: bool
    needs: str
    composed: Callable[[str, Tile], Kernel | None]
    stream: Callable[[Tile, Sums], Bytes]
    limit: int
    shifts: bool = False
    bits: int = 32
    right: int = 31
    most: int = STRIP_BYTES
    large: bool = False
    lines: int = 1

    def finish(self, accumulator: Accumulator, result: NumberFormat, rows: int) -> Requantisation | None:
        """How complete sums of rows are finished to bytes, if the kernels can do that.

        A shift has no multipliers.
        """
        if not accumulator.INTEGER:
            return None
        if self.shifts:
            right = accumulator.shift(result) if accumulator.bits <= self.bits else None
            if right is None or right >= self.bits or exact(result).raw_limits != (-limits(8)[1], limits(8)[1]):
                return None
            return Requantisation(np.zeros(rows, np.int32), np.full(rows, -right), 0, *exact(result).raw_limits)
        finish = accumulator.requantisation(result, rows) if accumulator.bits == 32 else None
        return finish if finish is not None and _is_by_bytes(finish, self.right) else None

    def tile(self, finish: Requantisation, rows: int, runs: int, length: int, spaces: tuple[int, int, int]) -> Tile:
        """The tile of windows whose sums are finished so. spaces: pitch, step and number of the windows of a line."""
        right = -int(finish.shifts[0]) if self.shifts else 0
        return Tile(rows, runs, length, *spaces, finish.zero, right, self.lines)

    def bounded(self, sums: Sums, zero: int) -> Sums | None:
        """Sums that stay below the limit and give the same results; None if there are none.

        zero: the raw of 0 of the results.
        """
        if self.shifts:
            return sums if sums.within(self.limit) else None
        return sums.nearer(self.limit, zero)

    @cache  # noqa: B019 (families live as long as the program)
    def kernel(self, tile: Tile) -> Kernel | None:
        """The kernel for a tile; None for a shape without one."""
        kernel = self.composed(f"{self.name}_{tile.suffix}", tile)
        return None if kernel is None else replace(kernel, identity=TileKernelAttr.of(self.name, astuple(tile)))


@dataclass(frozen=True)
class TileCoder:
    """A composer whose kernels hold the weights that windows meet.

    name: the C functions are called by it and a digest of the content; the weights stand in the program. family: the
    kernels for the same tiles that fetch weights from a stream; what is proven for these holds here. composed: the
    kernel for a function name, a tile and its sums; None where there is none.
    """

    name: str
    family: TileFamily
    composed: Callable[[str, Tile, Sums], Kernel | None]

    @lru_cache(KEPT)  # noqa: B019 (coders live as long as the program)
    def kernel(self, code: CodedTile) -> Kernel | None:
        """The kernel of a tile that is code; None if there is none, as for elements apart as another op has them."""
        rows, runs, length = code.weights.shape
        if code.apart != (rows if self.family.channels else 1):
            return None
        tile = Tile(rows, runs, length * code.apart, code.pitch, code.step, code.count, code.zero)
        sums = Sums(code.weights.reshape(rows, -1), code.starts, code.multipliers, code.shifts)
        if not sums.within(self.family.limit):
            return None
        identity = CodeKernelAttr.of(self.name, code.digest)
        kernel = self.composed(identity.function, tile, sums)
        return None if kernel is None else replace(kernel, identity=identity)


def coded_tile(tile: Tile, sums: Sums) -> CodedTile:
    """A tile, as an attribute holds it."""
    weights = sums.weights.reshape(tile.rows, tile.runs, -1)
    apart = tile.length // weights.shape[2]
    places = tile.pitch, tile.step, tile.count, tile.zero, apart
    return CodedTile(weights, sums.starts, sums.multipliers, sums.shifts, *places)
