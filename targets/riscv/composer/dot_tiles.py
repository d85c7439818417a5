"""Tile kernels for RISC-V that multiply rows of a matrix by windows: four rows by four windows, with their sums in
registers.

A single window is multiplied by eight rows at a time. Rows and windows that do not fill whole blocks are distributed
evenly over the blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Generic

from tinyml.targets.composer.instructions import balanced
from tinyml.targets.composer.weight_streams import (
    BY_ELEMENT,
    DOUBLED,
    RIGHT_LESS_1,
    WeightStream,
    row_blocks,
    shifting,
)
from tinyml.targets.riscv.assembly import REACH, RiscvCode, V
from tinyml.targets.riscv.composer.fragments import UNROLLED, RiscvTileCode, added_product, finished, started_product

_MAX_WINDOWS, _MAX_ROWS, _MAX_ROWS_ALONE = 4, 4, 8
UNROLLED_LENGTH = 2 * UNROLLED
"""The greatest number of elements that are multiplied without a loop."""

_STREAM_SLOT, _END_SLOTS, _OUT_SLOT = 0, (4, 8), 12
"""Stack slots: the address of the stream, the ends of both groups of blocks in it, and the end of the results."""


@dataclass(frozen=True)
class RiscvDotTile(RiscvTileCode):
    """The code for a tile that multiplies rows of a matrix by windows."""

    FRAME = 80

    @property
    def max_windows(self) -> int:
        tile = self.tile
        inside = self.offset(tile.runs - 1, tile.length) if self.is_straight else UNROLLED_LENGTH
        reached = [
            count
            for count in range(1, _MAX_WINDOWS + 1)
            if (count - 1) * tile.step + inside <= REACH and (count - 1) * tile.rows + _MAX_ROWS_ALONE <= REACH
        ]
        return max(reached, default=0)

    @property
    def layout(self) -> WeightStream:
        return self._layout

    @cached_property
    def _layout(self) -> WeightStream:
        most = _MAX_ROWS if self.windows[0][1] > 1 else _MAX_ROWS_ALONE
        layout = row_blocks(self.tile, balanced(self.tile.rows, most), (DOUBLED, RIGHT_LESS_1), BY_ELEMENT)
        return shifting(layout) if self.tile.right else layout

    @property
    def is_straight(self) -> bool:
        return self.tile.runs * self.tile.length <= UNROLLED_LENGTH

    def offset(self, run: int, element: int) -> int:
        return run * self.tile.pitch + element

    def write(self, code: RiscvCode[V]) -> None:
        stream, window, out = code.arguments(3)
        frame = code.enter(self.FRAME)
        code.store_word(frame, stream, _STREAM_SLOT)
        for number, (times, _) in enumerate(self.layout.groups):
            if times > 1:
                code.store_word(frame, code.address(stream, self.layout.bytes(number + 1)), _END_SLOTS[number])
        for times, windows in self.windows:
            if times > 1:
                code.store_word(frame, code.address(out, times * windows * self.tile.rows), _OUT_SLOT)

            def some(pointers: Sequence[V], windows: int = windows) -> Sequence[V]:
                out, window = pointers
                return self._all_rows(code, frame, window, out, windows)

            out, window = code.until(lambda: code.load(32, frame, _OUT_SLOT), times, [out, window], some, far=True)
        code.leave(self.FRAME)

    def _all_rows(self, code: RiscvCode[V], frame: V, window: V, out: V, windows: int) -> Sequence[V]:
        """Append code that computes all rows for `windows` windows. Return the addresses of the next results and of the
        next windows.
        """
        stream = code.load(32, frame, _STREAM_SLOT)
        for slot, (times, rows) in zip(_END_SLOTS, self.layout.groups, strict=False):

            def block(pointers: Sequence[V], rows: int = rows) -> Sequence[V]:
                stream, out = pointers
                return _RowBlock(code, self, rows, windows).write(stream, window, out)

            stream, out = code.until(lambda slot=slot: code.load(32, frame, slot), times, [stream, out], block)
        following = code.moved(window, windows * self.tile.step)
        return code.moved(out, (windows - 1) * self.tile.rows), following


@dataclass(frozen=True)
class _RowBlock(Generic[V]):
    """The code for a block of rows by several windows. Sums are ordered by rows, then by windows.

    code: the code to which the block is appended.
    tile_code: the code for the whole tile.
    rows, windows: the numbers of rows and of windows.
    """

    code: RiscvCode[V]
    tile_code: RiscvDotTile
    rows: int
    windows: int

    def write(self, stream: V, window: V, out: V) -> Sequence[V]:
        """Append code that computes the block.

        Return two addresses: the next block in the stream, and the next results.
        """
        code, rows = self.code, self.rows
        starts = [code.load(32, stream, 4 * row) for row in range(rows)]
        stream = code.moved(stream, 4 * rows)
        products = self._straight if self.tile_code.is_straight else self._looped
        stream, *sums = products(stream, window, starts)
        return self._finish(stream, out, sums)

    def _element(self, pointer: V, offset: int, stream: V, number: int, sums: Sequence[V]) -> Sequence[V]:
        """Append code that adds the products of one element of each window, and return the sums.

        pointer: the address of the first window.
        offset: the offset of the first window's element, in bytes.
        stream: the address of weights in the stream.
        number: the index of the element in the stream.
        sums: the sums of all rows and windows, or only the start values of the rows' sums.
        """
        code, windows = self.code, self.windows
        elements = [code.load(8, pointer, offset + window * self.tile_code.tile.step) for window in range(windows)]
        results: list[V] = []
        for row in range(self.rows):
            weight = code.load(8, stream, number * self.rows + row)
            if len(sums) == self.rows:
                # The last sum is computed in the register of the start.
                others = [started_product(code, sums[row], weight, element) for element in reversed(elements[1:])]
                results += [added_product(code, sums[row], weight, elements[0]), *reversed(others)]
            else:
                at = row * windows
                results += map(partial(added_product, code), sums[at : at + windows], [weight] * windows, elements)
        return results

    def _straight(self, stream: V, window: V, starts: Sequence[V]) -> Sequence[V]:
        """Append code for all products without a loop.

        starts: the start values of the rows' sums.

        Return the address after the weights in the stream, followed by the sums.
        """
        tile, sums = self.tile_code.tile, starts
        elements = [(run, element) for run in range(tile.runs) for element in range(tile.length)]
        for number, (run, element) in enumerate(elements):
            sums = self._element(window, self.tile_code.offset(run, element), stream, number, sums)
        return [self.code.moved(stream, len(elements) * self.rows), *sums]

    def _looped(self, stream: V, window: V, starts: Sequence[V]) -> Sequence[V]:
        """Append code for all products, as a loop for each run.

        starts: the start values of the rows' sums.

        Return the address after the weights in the stream, followed by the sums.
        """
        code, tile = self.code, self.tile_code.tile
        sums = [sum for start in starts for sum in (start, *(code.copy(start) for _ in range(1, self.windows)))]

        def run(values: Sequence[V]) -> Sequence[V]:
            pointer, *others = self._run(values)
            return [code.moved(pointer, tile.pitch - tile.length) if tile.runs > 1 else pointer, *others]

        return code.counted(tile.runs, [code.copy(window), stream, *sums], run)[1:]

    def _run(self, values: Sequence[V]) -> Sequence[V]:
        """Append code for the products of a run. Return the values after this code, in the order of the argument.

        values: the addresses of the first elements and of the first weights of the run, followed by the sums.
        """
        code, length = self.code, self.tile_code.tile.length
        single, loops = (length, 0) if length <= UNROLLED_LENGTH else (length % UNROLLED, length // UNROLLED)

        def steps(values: Sequence[V], count: int = UNROLLED) -> Sequence[V]:
            pointer, stream, *sums = values
            for number in range(count):
                sums = self._element(pointer, number, stream, number, sums)
            return [code.moved(pointer, count), code.moved(stream, count * self.rows), *sums]

        values = steps(values, single)
        if not loops:
            return values
        end = code.address(values[0], loops * UNROLLED)
        return code.until(lambda: end, loops, values, steps)

    def _finish(self, stream: V, out: V, sums: Sequence[V]) -> Sequence[V]:
        """Append code that stores the results.

        Return two addresses: the next block in the stream, and the next results.
        """
        code, rows, layout = self.code, self.rows, self.tile_code.layout
        # The pointer is at the end of the weights.
        begin, tile = layout.weights_end(rows), self.tile_code.tile
        byte_of = finished(code, tile)
        for row in range(rows):
            places = [] if tile.right else [(32, "multiplier"), (8, "right")]
            factors = [code.load(bits, stream, layout.offset(name, rows, row) - begin) for bits, name in places]
            for window in range(self.windows):
                byte = byte_of(sums[row * self.windows + window], *factors)
                code.store_byte(out, byte, window * tile.rows + row)
        return code.moved(stream, layout.block_bytes(rows) - begin), code.moved(out, rows)
