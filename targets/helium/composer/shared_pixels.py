"""Tile kernels for Helium that multiply one row of weights at a time by up to eight overlapping windows, which share
their pixels.

The weights of a column of a filter are in registers, one vector for each column. Each pixel is loaded once and
multiplied by all of these weights, for all windows that contain it. A vector contains sixteen channels of a pixel,
loaded from the image. If the number of channels is not a multiple of sixteen, the remaining channels are first copied
to the stack, where those of all runs at a column are adjacent and fill vectors of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from textwrap import indent

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.instructions import Code, Repeated, balanced, joined
from tinyml.targets.composer.tile_code import LoopedCode, overlapping
from tinyml.targets.composer.weight_streams import (
    MULTIPLIER,
    ROW,
    START,
    WORD,
    RowNumbers,
    StreamInC,
    Weights,
    WeightStream,
    shifting,
)
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SAVED, counted, counted_in_memory, moved
from tinyml.targets.cortex_m.thumb import IMMEDIATE, post, slot
from tinyml.targets.helium.composer.alternation import Alternation
from tinyml.targets.helium.composer.requantise import LANES, LEFT_SHIFT, requantised_equally, shifted_equally, zero_in
from tinyml.targets.helium.mve import (
    MAX_STEP,
    RESTORE_VECTORS,
    SAVE_VECTORS,
    VECTOR,
    access,
    lanes,
    multiply,
    predicate,
    scalar,
    scattered_bytes,
    stepped,
)
from tinyml.targets.nests import Numbers

_SUMS = ("r0", "r2", "r4", "r6", "r8", "r10", "r12", "lr")
_WINDOWS, _STREAM, _OUT, _PIXELS, _RUNS = "r1", "r3", "r5", "r7", "r9"
_START, _MULTIPLIER, _SHIFT, _SCRATCH = "r0", "r2", "r4", "r0"
_TARGET = _CONSTANT = "r11"
_AT_STREAM, _AT_GROUPS, _AT_ROWS, _AT_STRIP = slot(0), slot(4), slot(8), 12

_VECTORS = tuple(f"q{number}" for number in range(8))
_SPARE, _FINISHED, _PLACES = _VECTORS[4], _VECTORS[5:7], _VECTORS[7]
_LAST = 7
"""The number of vectors that products may use."""

_MAX_COLUMNS = 5
"""The most columns of a filter."""

_MAX_STRIP = 2560
"""The most bytes of the pixels that are copied to the stack."""

_PRODUCT_BYTES, _CODE_SHARE = 6, 4
"""The bytes of code for a product with its share of loads. Products are written without a loop over runs if their code
needs at most a quarter of the bytes of the weights.
"""


class _Products(Alternation):
    """A sequence of loads and products for one row of weights.

    elements: the vectors for pixels, which are used in turn.
    begun: the sums that already have a value.
    """

    def __init__(self, elements: Sequence[str], begun: Sequence[str] = ()) -> None:
        super().__init__()
        self._elements, self._begun = cycle(elements), set(begun)

    def load_elements(self, step: int, begin: Code = ()) -> str:
        elements = next(self._elements)
        self.load(elements, joined(begin, stepped("vldrb.u8", elements, _PIXELS, step)))
        return elements

    def add(self, sum: str, elements: str, weights: str) -> None:
        name = "vmladava.s8" if sum in self._begun else "vmladav.s8"
        self._begun.add(sum)
        self.multiply((multiply(name, sum, elements, weights),), (elements, weights))


@dataclass(frozen=True)
class SharedPixels(LoopedCode):
    """The code for a tile whose adjacent windows are one pixel apart, so that they share pixels."""

    SATURATED = 0

    @property
    def channels(self) -> int:
        return self.tile.step

    @property
    def columns(self) -> int:
        return self.tile.length // self.channels

    @property
    def rest(self) -> int:
        """The number of remaining channels of a pixel, which do not fill a vector."""
        return self.channels % VECTOR

    @property
    def vectors(self) -> int:
        return self.channels // VECTOR

    @property
    def rest_vectors(self) -> int:
        """The number of vectors with the remaining channels of the pixels of all runs at one column."""
        return -(-self.rest * self.tile.runs // VECTOR)

    def width(self, windows: int) -> int:
        return windows - 1 + self.columns

    @property
    def layout(self) -> WeightStream:
        tile, columns, width, column = self.tile, self.columns, self.vectors * VECTOR, self.rest_vectors * VECTOR
        whole, few = tile.runs * columns * width, columns * column

        def arranged(weights: Numbers) -> Numbers:
            pixels = weights.reshape(len(weights), tile.runs, columns, -1)
            beyond = pixels[..., width:].transpose(0, 2, 1, 3).reshape(len(weights), columns, -1)
            beyond = np.pad(beyond, ((0, 0), (0, 0), (0, column - beyond.shape[2])))
            return np.concatenate([part.reshape(len(weights), -1) for part in (pixels[..., :width], beyond)], 1)

        orders = (ROW, columns * width, VECTOR, width, 1), (ROW, VECTOR, column, 1)
        numbers = RowNumbers("starts", content=(START,)), RowNumbers("factors", content=(MULTIPLIER, LEFT_SHIFT))
        fields = [Weights("weights", elements=whole, order=_distinct(orders[0]))] if whole else []
        fields += [Weights("rest", elements=few, order=_distinct(orders[1]), first=whole)] if few else []
        return WeightStream(tile, [(tile.rows, 1)], (*fields, *numbers), elements=arranged, in_c=self._in_c)

    def _in_c(self, c: StreamInC) -> str:
        tile, width = self.tile, self.vectors * VECTOR
        declared, values = list[str](), list[str]()
        if width:
            declared += [f"const int at = (run * {self.columns} + pixel) * {width} + channel;"]
            values += [c.weight("at")]
        if self.rest:
            inside = f"run * {self.rest} + channel - {width}"
            declared += [f"const int beyond = pixel * {self.rest_vectors * VECTOR} + {inside};"]
            values += [c.weight("beyond", "rest")]
        value = values[0] if len(values) == 1 else f"(channel < {width} ? {' : '.join(values)})"
        element = f"x[window * {tile.step} + run * {tile.pitch} + i]"
        lines = "\n".join([*declared, f"sum += {value} * (int32_t){element};"])
        return c.blocks(f"""\
for (int window = 0; window < {tile.count}; window++) {{
    int32_t sum = {c.number("start")};
    for (int run = 0; run < {tile.runs}; run++)
        for (int i = 0; i < {tile.length}; i++) {{
            const int pixel = i / {self.channels}, channel = i % {self.channels};
{indent(lines, " " * 12)}
        }}
{indent(c.stream.finish(c, f"out[window * {tile.rows} + {c.row}]"), " " * 4)}
}}""")

    @property
    def fits(self) -> bool:
        tile = self.tile
        if tile.step == 0 or tile.length % tile.step or not 2 <= self.columns <= _MAX_COLUMNS:
            return False
        most = max(windows for _, windows in self.groups)
        near = max(tile.step, self.rest_vectors * VECTOR) <= MAX_STEP and self._strip(most) <= _MAX_STRIP
        return near and tile.count <= IMMEDIATE and (LANES - 1) * tile.rows <= IMMEDIATE

    @property
    def groups(self) -> Sequence[tuple[int, int]]:
        return balanced(self.tile.count, len(_SUMS))

    def _strip(self, windows: int) -> int:
        """The number of bytes on the stack that hold the remaining channels of the pixels in a group of windows."""
        return self.width(windows) * self.rest_vectors * VECTOR

    def function(self) -> Repeated:
        tile = self.tile
        bytes = _AT_STRIP + max(self._strip(windows) for _, windows in self.groups)
        frame = bytes + -bytes % 8
        places = [t.mov(register, number * tile.rows) for number, register in enumerate(_SUMS[:LANES])]
        enter = joined(t.push((*SAVED, "lr")), SAVE_VECTORS, moved("sp", -frame), t.str_("r0", _AT_STREAM))
        code = Repeated.once(joined(enter, t.mov(_OUT, "r2"), places, lanes(_PLACES, *_SUMS[:LANES])))
        for times, windows in self.groups:
            group = self._copy(windows) if self.rest else Repeated.once(())
            few = windows % LANES
            mask = predicate(few, 32, _SCRATCH) if few else ()
            group = group.then(joined(t.ldr(_STREAM, _AT_STREAM), self.enter_numbers(), mask))
            group = group.followed_by(self._rows(windows))
            ahead = moved(_WINDOWS, windows * tile.step), moved(_OUT, (windows - 1) * tile.rows)
            code = code.followed_by(counted_in_memory(group.then(joined(*ahead)), times, _AT_GROUPS, _SCRATCH, 7))
        return code.then(joined(moved("sp", frame), RESTORE_VECTORS, t.pop((*SAVED, "pc"))))

    def _copy(self, windows: int) -> Repeated:
        tile, width, vector, column = self.tile, self.width(windows), _VECTORS[0], self.rest_vectors * VECTOR
        load, store = access("vldrbt.u8", vector, _PIXELS, tile.step), access("vstrbt.8", vector, _TARGET, column)
        ends = moved(_PIXELS, tile.pitch - width * tile.step), moved(_TARGET, self.rest - width * column)
        line = joined((scalar("vpstt"), load, store) * width, *ends)
        begin = predicate(self.rest, 8, _SCRATCH), moved(_PIXELS, self.vectors * VECTOR)
        code = Repeated.once(joined(t.mov(_PIXELS, _WINDOWS), *begin, t.add(_TARGET, "sp", _AT_STRIP)))
        return code.followed_by(counted(Repeated.once(line), tile.runs, _RUNS, 4))

    def _row(self, windows: int) -> Repeated:
        code, runs = Repeated.once(()), self.tile.runs
        whole, beyond = (t.mov(_PIXELS, _WINDOWS),), (t.add(_PIXELS, "sp", _AT_STRIP),)
        if self._is_unrolled:
            order = _Products(_VECTORS[self.columns : _LAST])
            for run in range(runs):
                self._whole(order, windows, () if run else whole)
            self._beyond(order, windows, beyond)
            return code.then(joined(order.code, self._finished(windows)))
        code, begun = code.then(tuple(t.mov(sum, 0) for sum in _SUMS[:windows])), _SUMS
        if self.vectors:
            order = _Products(_VECTORS[self.columns : _LAST], begun)
            self._whole(order, windows)
            code = code.then(whole).followed_by(counted(Repeated.once(order.code), runs, _RUNS, 3))
        order = _Products(_VECTORS[self.columns : _LAST], begun)
        self._beyond(order, windows, beyond)
        return code.then(joined(order.code, self._finished(windows)))

    @cached_property
    def _is_unrolled(self) -> bool:
        tile, vectors = self.tile, self.columns * (self.tile.runs * self.vectors + self.rest_vectors)
        bytes = sum(windows * vectors * _PRODUCT_BYTES for _, windows in self.groups)
        return bytes * _CODE_SHARE <= tile.rows * tile.runs * tile.length

    def _rows(self, windows: int) -> Repeated:
        row = self._row(windows)
        if self._is_unrolled:
            return counted(row, self.tile.rows, _RUNS, 5)
        return counted_in_memory(row, self.tile.rows, _AT_ROWS, _SCRATCH, 5)

    def _whole(self, order: _Products, windows: int, begin: Code = ()) -> None:
        for vector in range(self.vectors):
            is_last = vector == self.vectors - 1
            ahead = self.tile.pitch - vector * VECTOR if is_last else VECTOR
            self._column(order, windows, self.tile.step, ahead, () if vector else begin)

    def _beyond(self, order: _Products, windows: int, begin: Code) -> None:
        for vector in range(self.rest_vectors):
            self._column(order, windows, self.rest_vectors * VECTOR, VECTOR, () if vector else begin)

    def _column(self, order: _Products, windows: int, apart: int, ahead: int, begin: Code) -> None:
        """Append to `order` the loads and products of one vector of each pixel in a line under `windows` windows.

        apart: the number of bytes between the vectors of adjacent pixels.
        ahead: the number of bytes from the first of these vectors to the first vector of the next call.
        begin: the instructions before the first load.
        """
        width = self.width(windows)
        for pixel in range(width):
            if pixel < self.columns:
                order.load(_VECTORS[pixel], (access("vldrb.u8", _VECTORS[pixel], _STREAM, VECTOR),))
            step = apart if pixel < width - 1 else ahead - (width - 1) * apart
            elements = order.load_elements(step, () if pixel else begin)
            for window, tap in overlapping(pixel, windows, 1, self.columns):
                order.add(_SUMS[window], elements, _VECTORS[tap])

    def _finished(self, windows: int) -> Code:
        vectors = _FINISHED[: -(-windows // LANES)]
        moves = [lanes(vector, *_SUMS[LANES * number : LANES * (number + 1)]) for number, vector in enumerate(vectors)]
        few, done = windows % LANES, (len(vectors) - 1) * LANES * self.tile.rows
        *stores, last = (scattered_bytes(vector, _OUT, _PLACES) for vector in vectors)
        ends = (scalar("vpst"), scattered_bytes(vectors[-1], _OUT, _PLACES, masked=True)) if few else (last,)
        return joined(*moves, self.to_bytes(vectors), stores, moved(_OUT, done), ends, moved(_OUT, 1 - done))

    def enter_numbers(self) -> Code:
        """Code that loads the values that `to_bytes` uses for all rows."""
        return zero_in(_CONSTANT, self.tile.zero)

    def to_bytes(self, sums: Sequence[str]) -> Code:
        """Code that converts vectors of sums of a row to bytes. The stream pointer is then at the end of the row."""
        numbers = t.ldr(_START, post(_STREAM, WORD)), t.ldrd(_MULTIPLIER, _SHIFT, post(_STREAM, 2 * WORD))
        zero = _CONSTANT if self.tile.zero else None
        return joined(
            numbers, requantised_equally(sums, _SPARE, _START, _MULTIPLIER, _SHIFT, zero, to_even=self.tile.to_even)
        )


@dataclass(frozen=True)
class ShiftedPixels(SharedPixels):
    """The code for a tile whose windows are one pixel apart and whose sums are shifted."""

    @property
    def layout(self) -> WeightStream:
        return shifting(super().layout)

    def enter_numbers(self) -> Code:
        return (t.mov(_CONSTANT, 1),)

    def to_bytes(self, sums: Sequence[str]) -> Code:
        start = t.ldr(_START, post(_STREAM, WORD))
        return joined(start, shifted_equally(sums, _START, self.tile.right, _CONSTANT))


def _distinct(order: Sequence[int]) -> tuple[int, ...]:
    """An order of axes without axes of extent 1, whose strides equal the strides of other axes."""
    return tuple(axis for number, axis in enumerate(order) if axis not in order[number + 1 :])
