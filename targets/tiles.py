"""Tiles of adjacent windows, and kernels that multiply these windows by rows of weights.

Each kernel is composed for the shape of a tile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, replace
from functools import cache, lru_cache
from typing import NamedTuple

from tinyml.dialects.formats.accumulator import Accumulator, Requantisation
from tinyml.dialects.formats.exact.numbers import exact_numbers
from tinyml.dialects.formats.number_format import NumberFormat, Raws
from tinyml.dialects.layouts.coded_rows import CodedTile
from tinyml.dialects.layouts.contents import Content
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.machine.runtime_functions import requantize, requantize_even
from tinyml.dialects.num import CodeKernelAttr, KernelAttr, TileKernelAttr
from tinyml.targets.kernel import MIN_MULTIPLIER, Kernel
from tinyml.targets.kernel_table import CACHED_KERNELS, is_code_of
from tinyml.targets.nests import Bytes, KernelQuery, Maker, Numbers, Offer, RowSums, TileQuery

INPUT_TILE_BYTES = 6144
"""The most bytes of an input tile."""

CACHED_SUMS = 64
"""The size of the cache of finished sums, enough for the tiles among which is being chosen."""

ZERO_BIAS = 128
"""The amount added to zero points in the names of C functions, which cannot contain a minus sign."""


@dataclass(frozen=True)
class Tile:
    """The shape of a tile. Its elements are bytes, or halfwords in families with other `TileFamily.widths`.

    * runs, length: a window consists of `runs` runs of `length` contiguous elements each.
    * count: the number of windows.
    * rows: the number of rows of weights; each row yields one result per window.
    * pitch: the number of elements between the starts of a window's runs.
    * step: the number of elements between the starts of adjacent windows.
    * zero: the raw of 0 of the results.
    * right: the right shift of sums; 0 if they are requantised. For rows that are requantised by one common factor
      (`TileFamily.common`), it is the right shift of the factor, which is negative for a left shift.
    * lines: the number of lines of windows. Each line starts one pitch after the previous line.
    * filters: for rows that are multiplied by single channels, the number of rows for each channel.
    * to_even: 1 if a requantisation rounds once, to nearest, and no sum lies halfway between two results; 0 if it
      rounds as in TensorFlow Lite.
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
    filters: int = 1
    to_even: int = 0

    @property
    def channels(self) -> int:
        """The number of channels of the image, if rows are multiplied by single channels."""
        return self.rows // self.filters

    @property
    def elements(self) -> int:
        """The number of elements of memory from the first element of the first window to the last element of
        the last one.
        """
        return (self.count - 1) * self.step + (self.lines + self.runs - 2) * self.pitch + self.length

    @property
    def suffix(self) -> str:
        """The suffix of the name of the C function, which contains the shape of the tile."""
        *shape, zero, right, lines, filters, to_even = astuple(self)
        shift = f"l{-right}" if right < 0 else right
        further = [shift, lines, filters] if filters > 1 else [shift, lines] if lines > 1 else [shift] if right else []
        return "_".join(map(str, (*shape, zero + ZERO_BIAS, *further, *(["once"] if to_even else []))))

    @staticmethod
    def of(kernel: TileKernelAttr) -> Tile:
        """The shape of the tile for which a kernel is composed."""
        return Tile(**{name: number.data for name, number in kernel.shape.items()})


def tile_of(kernel: Kernel) -> TileKernelAttr:
    """The attribute that identifies a kernel of a tile family in the IR."""
    assert isinstance(kernel.attribute, TileKernelAttr)
    return kernel.attribute


@dataclass(frozen=True)
class Sums:
    """The sums of rows of weights and windows.

    * weights: an array of shape (rows, elements).
    * starts: for each row, the initial value of its sums.
    * multipliers, shifts: for each row, the arguments of `tm_requantize_s32`, or of `tm_requantize_even_s32`.
    * to_even: true for the arguments of `tm_requantize_even_s32`, which rounds once, halves to even.
    * vector, results: the widths of the elements of windows and of the results, in bits.
    """

    weights: Numbers
    starts: Numbers
    multipliers: Numbers
    shifts: Numbers
    to_even: bool = False
    vector: int = 8
    results: int = 8

    @staticmethod
    def requantised(weights: Numbers, starts: Numbers, finish: Requantisation) -> Sums:
        """Sums of rows with the given weights and start values, which are rounded by a requantisation.

        finish: the requantisation, with a multiplier and a shift for each row.

        If the factor of a row is 0, its weights and start value are replaced by zeros, and the factor by an arbitrary
        valid one.
        """
        some = finish.multipliers != 0
        return Sums(
            weights * some[:, None],
            starts * some,
            np.where(some, finish.multipliers.astype(np.int64), MIN_MULTIPLIER),
            np.where(some, finish.shifts.astype(np.int64), -1),
            finish.to_even,
        )

    @property
    def has_halves(self) -> bool:
        """True if a sum of any row may lie halfway between two results.

        A sum halfway between two results is not 0, and is a multiple of 2^(30 - shift) / p, where p is the greatest
        power of two that divides the multiplier.
        """
        powers = self.multipliers & -self.multipliers
        return bool((self.reach + np.abs(self.starts) >= (np.int64(1) << 30 - self.shifts) // powers).any())

    @property
    def reach(self) -> Numbers:
        """For each row, an upper bound on the magnitude of the sum of its products with any elements."""
        return np.abs(self.weights).sum(1) * -limits(self.vector)[0]

    def within(self, limit: int) -> bool:
        """True if the magnitudes of all sums and partial sums are below a limit."""
        return int((self.reach + np.abs(self.starts)).max()) < limit

    def clamp_starts(self, limit: int, zero: int) -> Sums | None:
        """Equivalent sums that are below a limit and have the same results; None if there are none.

        A channel whose weights have no effect may start from 2^30, far outside the range of bytes. Such a start
        value is replaced by one closer to 0 for which all sums of the channel have the same byte as result.

        zero: the raw of 0 of the results.
        """
        reach, most = self.reach, limits(32)[1]
        if self.within(limit) or reach.max() >= limit or not self.within(most):
            return self if self.within(limit) else None
        starts = np.clip(self.starts, reach - limit + 1, limit - 1 - reach)
        # Requantisation is monotonic, so it is enough to check the ends.
        ends = np.stack([begin + side for begin in (self.starts, starts) for side in (-reach, reach)]).astype(np.int32)
        multipliers = np.broadcast_to(self.multipliers.astype(np.int32), ends.shape)
        shifts = np.broadcast_to(self.shifts.astype(np.int8), ends.shape)
        bytes = self._bytes(ends, multipliers, shifts, zero)
        same = (bytes == bytes[0]).all(0) | (starts == self.starts)
        return replace(self, starts=starts) if same.all() else None

    def constant_byte(self, row: int, zero: int) -> int | None:
        """The byte to which every sum of a row is requantised, if all weights of the row are 0; None for other rows.

        zero: the raw of 0 of the results.
        """
        if self.weights[row].any():
            return None
        sum, multiplier = (numbers[row : row + 1].astype(np.int32) for numbers in (self.starts, self.multipliers))
        return int(self._bytes(sum, multiplier, self.shifts[row : row + 1].astype(np.int8), zero)[0])

    def _bytes(self, sums: Raws, multipliers: Raws, shifts: Raws, zero: int) -> Numbers:
        """The results to which sums are requantised. The arguments are int32, int32 and int8 arrays of one shape."""
        results = (requantize_even if self.to_even else requantize)(sums, multipliers, shifts)
        return np.clip(results.astype(np.int64) + zero, *limits(self.results))

    def part(self, rows: slice) -> Sums:
        """The sums of the rows in a slice."""
        weights, starts, multipliers, shifts = self.weights[rows], self.starts[rows], self.multipliers, self.shifts
        return replace(self, weights=weights, starts=starts, multipliers=multipliers[rows], shifts=shifts[rows])

    def __iter__(self) -> Iterator[tuple[Numbers, int, int, int]]:
        """Yield a tuple for each row: its weights, start, multiplier and shift."""
        yield from zip(self.weights, self.starts, self.multipliers, self.shifts, strict=True)


def _is_by_bytes(finish: Requantisation, right: int) -> bool:
    """True if the kernels support a requantisation of sums to bytes.

    The factors must be 0 or less than 1/2, with 31-bit multipliers.

    right: the maximum right shift.
    """
    some = finish.multipliers != 0
    multipliers, shifts = finish.multipliers[some], finish.shifts[some]
    fit = (multipliers >= MIN_MULTIPLIER).all() & (shifts < 0).all() & (shifts >= -right).all()
    return (finish.low, finish.high) == limits(8) and bool(fit)


def _has_common_factor(finish: Requantisation, results: int, right: int) -> bool:
    """True if a requantisation multiplies all rows by one factor and its results have `results` bits.

    The factor must have a 31-bit multiplier, and the zero point must be a byte.

    right: the maximum right shift.
    """
    multiplier, shift = finish.multipliers[0], finish.shifts[0]
    is_common = (finish.multipliers == multiplier).all() and (finish.shifts == shift).all()
    fits = multiplier >= MIN_MULTIPLIER and -right <= shift <= MAX_LEFT
    low, high = limits(8)
    return bool(is_common and fits) and (finish.low, finish.high) == limits(results) and low <= finish.zero <= high


class Widths(NamedTuple):
    """The widths of the weights, of the elements of windows and of the results of a tile, in bits."""

    weights: int = 8
    vector: int = 8
    results: int = 8


BYTES = Widths()

MAX_LEFT = 8
"""The maximum left shift of a common factor."""

_ANY_SUM = 2
"""The least right shift of a common factor with which kernels requantise every sum of 32 bits. Such sums may wrap
around.
"""


@dataclass(frozen=True)
class TileFamily(Maker):
    """Kernels for tiles of any shape, composed on demand.

    * name: the prefix of C functions, which is followed by the shape.
    * channels: true if each row of weights is multiplied by a channel of windows.
    * several: true if there are also kernels for several rows for each channel.
    * needs: the feature that a board must have.
    * composed: a function that returns the kernel for a function name and a tile; None for an unsupported shape.
    * stream: a function that returns the weights and all other data of rows, in the order in which a kernel reads them.
    * limit: the magnitude below which sums and partial sums must be.
    * shifts: true if sums are finished by a shift (`Accumulator.shift`) instead of a requantisation. The starts of sums
      then include the rounding bias.
    * bits: the width of sums.
    * max_right: the maximum right shift of a requantisation.
    * input_tile_bytes: the maximum number of bytes of an input tile.
    * large: true if streams need more flash than weights; only `spend-flash` chooses such kernels.
    * lines: the number of lines of the tiles that have kernels.
    * least, least_alone: the minimum number of products of an inference for which a kernel is offered, for tiles of
      several windows and of a single window.
    * to_even: true if there are also kernels that round sums once. They round halves upwards, and are offered for rows
      none of whose sums lies halfway between two results.
    * widths: the widths of factors and results.
    * common: true if all rows are requantised by one factor, which may also shift to the left.
    * admits: a function that is false for sums that the kernels do not support; None if they support all sums.
    """

    name: str
    channels: bool
    needs: str
    composed: Callable[[str, Tile], Kernel | None]
    stream: Callable[[Tile, Sums], Bytes]
    limit: int
    shifts: bool = False
    bits: int = 32
    max_right: int = 31
    input_tile_bytes: int = INPUT_TILE_BYTES
    large: bool = False
    lines: int = 1
    least: int = 0
    least_alone: int = 0
    several: bool = False
    to_even: bool = False
    widths: Widths = BYTES
    common: bool = False
    admits: Callable[[Sums], bool] | None = None

    def offers(self, nest: KernelQuery) -> Iterator[Offer]:
        if not isinstance(nest, TileQuery) or not self._answers(nest) or (finished := self.finished(nest.sums)) is None:
            return
        finish, sums = finished
        least = self.least if nest.windows > 1 else self.least_alone
        if nest.by is None and sums.weights.size * nest.windows * nest.lines * nest.times < least:
            return
        tile = self.tile(finish, nest)
        if (kernel := self.kernel(tile)) is not None:
            yield Offer(kernel, (), self.lines, self.input_tile_bytes, lambda: self.stream(tile, sums))

    def _answers(self, nest: TileQuery) -> bool:
        if isinstance(nest.by, TileKernelAttr):
            matches = (nest.by.family.data, nest.by.lines.data) == (self.name, self.lines)
        else:
            matches = nest.by is None and nest.large == self.large
        return matches and (1 < self.lines <= nest.lines if nest.several else nest.lines % self.lines == 0)

    def kernel_of(self, attribute: KernelAttr, content: Content | None) -> Kernel | None:
        if not isinstance(attribute, TileKernelAttr):
            return None
        tile = Tile.of(attribute)
        return self.kernel(tile) if (attribute.family.data, tile.lines) == (self.name, self.lines) else None

    @lru_cache(CACHED_SUMS)  # noqa: B019 (families live as long as the program)
    def finished(self, rows: RowSums) -> tuple[Requantisation, Sums] | None:
        """The requantisation that the kernels apply to the sums of rows, and the sums that they compute.

        If the kernels shift their sums, the start values include the rounding bias. Returns None if the kernels
        do not support these rows.
        """
        if self.channels != rows.channels or (rows.filters > 1 and not self.several):
            return None
        if rows.factors != self.widths[:2]:
            return None
        if (finish := self.finish(rows.accumulator, rows.result, len(rows.weights))) is None:
            return None
        if self.shifts:
            half = 1 << -int(finish.shifts[0]) - 1
            sums = Sums(rows.weights, rows.start.sums(rows.accumulator) + half, finish.multipliers, finish.shifts)
        else:
            sums = Sums.requantised(rows.weights, rows.start.raws.astype(np.int64), finish)
            sums = replace(sums, vector=self.widths.vector, results=self.widths.results)
            if sums.to_even and sums.has_halves:
                return None
        bounded = self.bounded(sums, finish.zero)
        if bounded is None or (self.admits is not None and not self.admits(bounded)):
            return None
        return finish, bounded

    def finish(self, accumulator: Accumulator, result: NumberFormat, rows: int) -> Requantisation | None:
        """The requantisation by which kernels convert complete sums of rows to results; None if the kernels do not
        support it.

        If the kernels shift their sums, the requantisation has no multipliers.
        """
        if not accumulator.INTEGER:
            return None
        if self.shifts:
            right = accumulator.shift(result) if accumulator.bits <= self.bits else None
            if right is None or right >= self.bits or exact_numbers(result).raw_limits != (-limits(8)[1], limits(8)[1]):
                return None
            return Requantisation(np.zeros(rows, np.int32), np.full(rows, -right), 0, *exact_numbers(result).raw_limits)
        finish = accumulator.requantisation(result, rows) if accumulator.bits == 32 else None
        if finish is None or (finish.to_even and not self.to_even):
            return None
        if self.common:
            return finish if _has_common_factor(finish, self.widths.results, self.max_right) else None
        return finish if _is_by_bytes(finish, self.max_right) else None

    def tile(self, finish: Requantisation, nest: TileQuery) -> Tile:
        """The tile of a query whose sums are converted by the requantisation `finish`."""
        right, spaces, sums = -int(finish.shifts[0]) if self.shifts or self.common else 0, nest.spaces, nest.sums
        # Windows with one run, in a single line, have no pitch.
        pitch = spaces.pitch if max(spaces.runs, self.lines) > 1 else 0
        shape = len(sums.weights), spaces.runs, nest.run, pitch, spaces.step, nest.windows
        return Tile(*shape, finish.zero, right, self.lines, sums.filters, int(finish.to_even))

    def bounded(self, sums: Sums, zero: int) -> Sums | None:
        """Equivalent sums with the same results that are below the limit of the kernels, if this limit applies to
        them; None if there are none.

        zero: the raw of 0 of the results.
        """
        if self.shifts:
            return sums if sums.within(self.limit) else None
        if self.common and sums.shifts.max() <= -_ANY_SUM:
            return sums
        # A sum is shifted to the left before it is multiplied.
        return sums.clamp_starts(self.limit >> max(int(sums.shifts.max()), 0), zero)

    @cache  # noqa: B019 (families live as long as the program)
    def kernel(self, tile: Tile) -> Kernel | None:
        """The kernel for a tile; None for an unsupported shape or rounding."""
        if tile.to_even and not self.to_even:
            return None
        kernel = self.composed(f"{self.name}_{tile.suffix}", tile)
        if kernel is None:
            return None
        return replace(kernel, large=self.large, identity=TileKernelAttr.of(self.name, astuple(tile)))


@dataclass(frozen=True)
class TileCoder(Maker):
    """A kernel generator (coder) whose kernels contain the weights by which windows are multiplied.

    * name: the prefix of C functions, which is followed by a digest of the content. The weights are in the program.
    * family: the kernels for the same tiles that read weights from a stream. The limits of this family also apply here.
    * composed: a function that returns the kernel for a function name, a tile and its sums; None if unsupported.
    * needs, large: as in `Maker`.
    """

    name: str
    family: TileFamily
    composed: Callable[[str, Tile, Sums], Kernel | None]
    needs: str = ""
    large: bool = True

    def offers(self, nest: KernelQuery) -> Iterator[Offer]:
        if not isinstance(nest, TileQuery) or nest.several or nest.lines != self.family.lines:
            return
        chosen = nest.large if nest.by is None else is_code_of(nest.by, self.name)
        if not chosen or (finished := self.family.finished(nest.sums)) is None:
            return
        finish, sums = finished
        if sums.to_even:
            return
        tile = self.family.tile(finish, nest)
        code = coded_tile(tile, sums)
        if (kernel := self.kernel(code)) is not None:
            yield Offer(kernel, (), nest.lines, self.family.input_tile_bytes, lambda: code)

    def kernel_of(self, attribute: KernelAttr, content: Content | None) -> Kernel | None:
        return self.kernel(content) if isinstance(content, CodedTile) and is_code_of(attribute, self.name) else None

    @lru_cache(CACHED_KERNELS)  # noqa: B019 (coders live as long as the program)
    def kernel(self, code: CodedTile) -> Kernel | None:
        """The kernel that embeds a tile's weights; None if the tile, the layout of its windows or the magnitude of its
        sums is not supported.
        """
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
    """The tile and its sums as the constants that a generated function embeds."""
    weights = sums.weights.reshape(tile.rows, tile.runs, -1)
    apart = tile.length // weights.shape[2]
    places = tile.pitch, tile.step, tile.count, tile.zero, apart
    return CodedTile(weights, sums.starts, sums.multipliers, sums.shifts, *places)
