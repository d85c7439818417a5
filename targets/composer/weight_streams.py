"""Weight streams: all data of a tile's rows, in the order in which a kernel reads them.

A stream is a sequence of blocks of rows. A block is a sequence of fields. A field contains integers per row, such as
the factors of requantisation as in TensorFlow Lite, or weights in an order of axes. This declaration determines three
things: the bytes, the byte offsets that a composer needs, and the C code that computes the same sums. `row_blocks` and
`ChannelRecords` are streams that several chips use.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate, pairwise
from textwrap import indent

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.constants_in_c import doubled, requantised_in_c, shifted_in_c
from tinyml.targets.nests import Bytes, Numbers
from tinyml.targets.tiles import Sums, Tile

WORD = 4

ROW = 0
"""The axis in an order of weights that stands for the rows of a block."""


def _scaled(number: str, by: int | str) -> str:
    return number if not number or by == 1 else f"{number} * {by}"


def _total(*terms: str) -> str:
    return " + ".join(filter(None, terms)) or "0"


def _byte(pointer: str, offset: str) -> str:
    return f"{pointer}[{offset}]"


def word(pointer: str, offset: str) -> str:
    """The C expression of the signed 32-bit integer at a byte offset from a pointer."""
    return f"tm_number({pointer}{f' + {offset}' if offset != '0' else ''})"


@dataclass(frozen=True)
class Number:
    """An integer that a stream contains for each row.

    name: the name of the integer.
    bytes: its size in bytes.
    values: a function that returns one integer for each row, stored least significant byte first, or the bytes of each
        row.
    in_c: a function that returns the C expression of the integer. Its arguments are the C expressions of a byte pointer
        and of a byte offset.
    """

    name: str
    bytes: int
    values: Callable[[Sums], Numbers | Bytes]
    in_c: Callable[[str, str], str]

    def stored(self, sums: Sums) -> Bytes:
        """The bytes of the integers of all rows, of shape (rows, `bytes`)."""
        values = np.asarray(self.values(sums))
        if values.ndim == 1:
            values = values.astype("<i8").reshape(-1, 1).view(np.int8)[:, : self.bytes]
        return values.astype(np.int8)


START = Number("start", WORD, lambda sums: sums.starts, word)
"""The start of a sum."""


def _doubled(pointer: str, offset: str) -> str:
    return f"(int32_t)((uint32_t){word(pointer, offset)} << 1)"


MULTIPLIER = Number("multiplier", WORD, lambda sums: sums.multipliers, _doubled)
"""A 31-bit multiplier m, stored unchanged. The C expression's value is 2 * m - 2^32."""

DOUBLED = Number("multiplier", WORD, lambda sums: doubled(sums.multipliers), word)
"""A 31-bit multiplier m, stored as 2 * m - 2^32, which is also the value of the C expression."""

RIGHT = Number("right", 1, lambda sums: -sums.shifts, lambda pointer, offset: f"{_byte(pointer, offset)} - 1")
"""A right shift amount, stored unchanged. The C expression's value is the amount minus 1."""

_RIGHT_AS_WORD = Number("right", WORD, lambda sums: -sums.shifts - 1, word)
"""A right shift amount, stored minus 1 as a word, which is also the value of the C expression."""

RIGHT_LESS_1 = Number("right", 1, lambda sums: -sums.shifts - 1, _byte)
"""A right shift amount, stored minus 1, which is also the value of the C expression."""


@dataclass(frozen=True)
class Field(ABC):
    """A field of a block: some bytes for each of its rows.

    name: the name of the pointer to the field in C.
    aligned: the alignment, in bytes, of the next field within the block.
    """

    name: str
    aligned: int = 1

    @property
    @abstractmethod
    def row_bytes(self) -> int:
        """The number of bytes of the field for each row, excluding padding."""

    @abstractmethod
    def stored(self, sums: Sums, weights: Numbers) -> Bytes:
        """The bytes of the field for the rows of a block.

        weights: an array of shape rows x elements.
        """

    @property
    def numbers(self) -> Mapping[str, tuple[Number, int]]:
        """The integers that the field contains for a row: for each name, the integer and its byte offset from the first
        byte of the row.
        """
        return {}


@cache
def _side_by_side(content: tuple[Number, ...]) -> Mapping[str, tuple[Number, int]]:
    offsets = accumulate((number.bytes for number in content), initial=0)
    return {number.name: (number, offset) for number, offset in zip(content, offsets, strict=False)}


@dataclass(frozen=True)
class RowNumbers(Field):
    """A field with integers for each row. The integers of one row are adjacent.

    content: the integers of a row, in order.
    end_mark: the last byte of the padded field in the last block of a group of equal blocks; 0 for no mark.
    """

    content: tuple[Number, ...] = ()
    end_mark: int = 0

    @property
    def numbers(self) -> Mapping[str, tuple[Number, int]]:
        return _side_by_side(self.content)

    @property
    def row_bytes(self) -> int:
        return sum(number.bytes for number in self.content)

    def stored(self, sums: Sums, weights: Numbers) -> Bytes:
        return np.concatenate([number.stored(sums) for number in self.content], axis=1).reshape(-1)


@dataclass(frozen=True)
class Weights(Field):
    """A field with weights of rows: the elements from `first` up to but excluding `first + elements`, as integers of
    `bytes` bytes.

    order: the axes, the outermost first. An axis is `ROW` or a stride. On the axis of a stride, an element with index i
        has the coordinate i // stride % extent, where stride * extent is the next greater stride. Examples are (ROW,
        1), row by row; (1, ROW), element by element; (4, ROW, 1), four elements of each row in turn; and (4, ROW, 1,
        2), the same with elements 0, 2, 1 and 3 of each four.
    """

    elements: int = 0
    order: tuple[int, ...] = (ROW, 1)
    bytes: int = 1
    first: int = 0

    @property
    def row_bytes(self) -> int:
        return self.elements * self.bytes

    @cached_property
    def _extents(self) -> dict[int, int]:
        strides = sorted(set(self.order) - {ROW}, reverse=True)
        ends = [self.elements, *strides]
        return {stride: end // stride for stride, end in zip(strides, ends, strict=False)}

    def stored(self, sums: Sums, weights: Numbers) -> Bytes:
        part = weights[:, self.first : self.first + self.elements]
        axes = [ROW, *self._extents]
        by_axis = part.reshape(len(part), *self._extents.values()).transpose([axes.index(axis) for axis in self.order])
        return np.ascontiguousarray(by_axis, f"<i{self.bytes}").reshape(-1).view(np.int8)

    def in_c(self, element: str, row: str, rows: int | str) -> str:
        """The C expression of a weight.

        * element: the variable with the index of the weight, starting at `first`.
        * row: the index of the row in the block; it may be "".
        * rows: the number of rows of the block.

        The byte offset is the sum of the coordinates, each times the bytes of all inner axes.
        """
        terms: list[str] = []
        inner, by_rows = self.bytes, False
        for axis in reversed(self.order):
            coordinate = row if axis == ROW else self._coordinate(element, axis)
            constant = inner * rows if by_rows and isinstance(rows, int) else inner
            term = _scaled(coordinate, constant)
            terms += [_scaled(term, rows) if by_rows and isinstance(rows, str) else term]
            inner, by_rows = inner * self._extents.get(axis, 1), by_rows or axis == ROW
        offset = _total(*reversed(terms))
        if self.bytes == 1:
            return f"{self.name}[{offset}]"
        return f"(int16_t)((uint8_t){self.name}[{offset}] | {self.name}[{offset} + 1] * 256)"

    def _coordinate(self, element: str, stride: int) -> str:
        extent, outermost = self._extents[stride], next(iter(self._extents))
        wrapped = element if stride == outermost else f"{element} % {stride * extent}"
        return wrapped if stride == 1 else f"{wrapped} / {stride}"


@dataclass(frozen=True)
class ListedBytes(Field):
    """A field whose bytes for a row are listed one by one: the index of an element, a one-byte integer, or None for
    padding.
    """

    content: tuple[int | Number | None, ...] = ()

    @property
    def numbers(self) -> Mapping[str, tuple[Number, int]]:
        return {byte.name: (byte, offset) for offset, byte in enumerate(self.content) if isinstance(byte, Number)}

    @property
    def row_bytes(self) -> int:
        return len(self.content)

    def stored(self, sums: Sums, weights: Numbers) -> Bytes:
        zeros = np.zeros(len(weights), np.int8)
        columns = [
            zeros if byte is None else byte.stored(sums)[:, 0] if isinstance(byte, Number) else weights[:, byte]
            for byte in self.content
        ]
        return np.stack(columns, axis=1).astype(np.int8).reshape(-1)

    @property
    def places(self) -> Sequence[int]:
        """The byte offset of each element in the row, in the order of the elements."""
        elements = sorted(byte for byte in self.content if isinstance(byte, int))
        return [self.content.index(element) for element in elements]


class StreamInC:
    """The C expressions of the values in a stream.

    `stream`, `x` and `out` are the arguments of the C function. Inside a block, these C variables exist:

    * a pointer for each field of the block
    * `row`: the index of the row in the block, or in the tile if blocks have a single row
    * `first`: the first row of the block, if blocks have several rows
    * `rows`: the number of rows of the block, if it is a variable

    The attributes of this object are C expressions: `rows` is a block's number of rows, `row` the index of the row in
    the tile, and `channel` the index of the row's channel.
    """

    def __init__(self, stream: WeightStream) -> None:
        self.stream = stream
        sizes = [rows for _, rows in stream.groups]
        self.rows: int | str = sizes[0] if len(sizes) == 1 else "rows"
        self.row = "row" if self.rows == 1 else "first + row"
        filters = stream.tile.filters
        self.channel = self.row if filters == 1 else f"({self.row}) / {filters}"

    def _row_at(self, field: Field) -> str:
        return "" if self.rows == 1 else _scaled("row", field.row_bytes)

    def number(self, name: str) -> str:
        """The C expression of the integer `name` of the current row."""
        field = next(field for field in self.stream.fields if name in field.numbers)
        number, inner = field.numbers[name]
        return number.in_c(field.name, _total(self._row_at(field), str(inner) if inner else ""))

    def weight(self, element: str, name: str = "weights") -> str:
        """The C expression of a weight of the current row.

        element: the index of the weight.
        name: the name of the field.
        """
        field = next(field for field in self.stream.fields if field.name == name)
        if isinstance(field, ListedBytes):
            return f"{name}[{_total(self._row_at(field), f'places[{element}]')}]"
        assert isinstance(field, Weights)
        return field.in_c(element, "" if self.rows == 1 else "row", self.rows)

    def _size(self, number: int) -> str:
        stream, field = self.stream, self.stream.fields[number]
        if isinstance(self.rows, int):
            return str(self.rows * field.row_bytes + stream.padding(number, self.rows))
        if not any(stream.padding(number, rows) for _, rows in stream.groups):
            return _scaled(self.rows, field.row_bytes)
        return f"({_scaled(self.rows, field.row_bytes)} + {field.aligned - 1}) / {field.aligned} * {field.aligned}"

    def blocks(self, body: str) -> str:
        """C loops over the blocks of the stream and their rows.

        body: the statements for one row.
        """
        stream, count = self.stream, self.stream.tile.rows
        tables, pointers, before = list[str](), list[str](), "stream"
        for number, field in enumerate(stream.fields):
            pointers += [f"*{field.name} = {before}"]
            before = f"{field.name} + {self._size(number)}"
            if isinstance(field, ListedBytes):
                tables += [f"static const uint8_t places[] = {{{', '.join(map(str, field.places))}}};"]
        lines = [f"const int8_t {', '.join(pointers)};"]
        if self.rows == "rows":
            ends = accumulate(times * rows for times, rows in stream.groups[:-1])
            sizes = (f"first < {end} ? {rows} : " for end, (_, rows) in zip(ends, stream.groups, strict=False))
            lines = [f"rows = {''.join(sizes)}{stream.groups[-1][1]};", *lines]
        if self.rows == 1:
            head = f"for (int row = 0; row < {count}; row++) {{"
            lines += [body]
        else:
            head = f"for (int first = 0{', rows' * (self.rows == 'rows')}; first < {count}; first += {self.rows}) {{"
            lines += [f"for (int row = 0; row < {self.rows}; row++) {{", indent(body, " " * 4), "}"]
        lines += [f"stream = {before};"]
        before = len(stream.head) + sum(number.bytes for number in stream.common)
        skipped = [f"stream += {before};"] if before else []
        return indent("\n".join([*tables, *skipped, head, indent("\n".join(lines), " " * 4), "}"]), " " * 4)


def requantised(c: StreamInC, out: str) -> str:
    """C statements that requantise `sum` by the row's integers `multiplier` and `right`, and store it in `out`."""
    numbers = f"const int32_t multiplier = {c.number('multiplier')};", f"const int right = {c.number('right')};"
    return "\n".join([*numbers, requantised_in_c("", c.stream.tile, out)])


def _sums_in_c(c: StreamInC) -> str:
    stream, tile = c.stream, c.stream.tile
    apart, channel = (f" * {tile.channels}", f" + {c.channel}") if stream.by_channel else ("", "")
    product = (
        f"{c.weight('at')}\n                * (int32_t)x[window * {tile.step} + run * {tile.pitch} + i{apart}{channel}]"
    )
    added = f"sum = (int32_t)((uint32_t)sum + (uint32_t)({product}))" if stream.common else f"sum += {product}"
    return c.blocks(f"""\
for (int window = 0; window < {tile.count}; window++) {{
    int32_t sum = {c.number("start")};
    for (int run = 0; run < {tile.runs}; run++)
        for (int i = 0; i < {stream.length}; i++) {{
            const int at = run * {stream.run_elements or stream.length} + i;
            {added};
        }}
{indent(stream.finish(c, f"out[window * {tile.rows} + {c.row}]"), " " * 4)}
}}""")


@dataclass(frozen=True)
class WeightStream:
    """The weight stream of a tile.

    * groups: pairs (number of blocks, rows of each block), in order.
    * fields: the fields of a block.
    * by_channel: true if each row of weights is the filter of a channel. The elements of a channel are then
      `tile.channels` apart.
    * run_elements: the distance between the starts of consecutive runs, in elements of a row of weights.
    * elements: a function that rearranges the weights. Its argument is an array of shape rows x (runs x length).
    * finish: the C statements that convert `sum` to a result and store it.
    * in_c: the C statements for the sums of all rows and windows.
    * head: the bytes before the first block, which only assembly code reads.
    * common: the integers before the first block that all rows share. They are those of the first row. Sums of such
      rows may wrap around.
    """

    tile: Tile
    groups: Sequence[tuple[int, int]]
    fields: Sequence[Field]
    by_channel: bool = False
    run_elements: int = 0
    elements: Callable[[Numbers], Numbers] = lambda weights: weights
    finish: Callable[[StreamInC, str], str] = requantised
    in_c: Callable[[StreamInC], str] = _sums_in_c
    head: Sequence[int] = ()
    common: Sequence[Number] = ()

    @property
    def length(self) -> int:
        """The number of elements of a run that are multiplied by weights."""
        return self.tile.length // self.tile.channels if self.by_channel else self.tile.length

    def block_bytes(self, rows: int) -> int:
        return self._bounds(rows)[-1]

    def bytes(self, groups: int) -> int:
        """The size in bytes of the first `groups` groups of blocks."""
        return sum(times * self.block_bytes(rows) for times, rows in self.groups[:groups])

    def offset(self, number: str, rows: int, row: int = 0) -> int:
        """The byte offset, in a block of `rows` rows, of an integer of the row with index `row`.

        number: the name of the integer. If several integers have this name, the offset is that of the first one.
        """
        at, field = next((at, field) for at, field in enumerate(self.fields) if number in field.numbers)
        return self._bounds(rows)[at] + row * field.row_bytes + field.numbers[number][1]

    def end(self, number: str, rows: int) -> int:
        """The byte offset, in a block of `rows` rows, of the end of a field, including padding.

        number: the name of an integer that the field contains.
        """
        return self._bounds(rows)[1 + next(at for at, field in enumerate(self.fields) if number in field.numbers)]

    def weights_end(self, rows: int) -> int:
        """The byte offset in a block at which the weights end. The weights must be a single field."""
        at, field = next((at, field) for at, field in enumerate(self.fields) if isinstance(field, Weights))
        return self._bounds(rows)[at] + rows * field.row_bytes

    def padding(self, field: int, rows: int) -> int:
        """The number of padding bytes after the field with index `field` of a block of `rows` rows."""
        begin, end = self._bounds(rows)[field : field + 2]
        return end - begin - rows * self.fields[field].row_bytes

    def _bounds(self, rows: int) -> list[int]:
        """For a block of `rows` rows, the byte offset of each field, followed by the size of the block in bytes."""
        if rows not in self._known_bounds:
            bounds = [0]
            for field in self.fields:
                end = bounds[-1] + rows * field.row_bytes
                bounds.append(end + -end % field.aligned)
            self._known_bounds[rows] = bounds
        return self._known_bounds[rows]

    @cached_property
    def _known_bounds(self) -> dict[int, list[int]]:
        return {}

    def blocks(self) -> Iterator[tuple[slice, bool]]:
        """Yield a pair for each block: the range of its rows, and whether it is the last block of a group."""
        first = 0
        for times, rows in self.groups:
            for left in reversed(range(times)):
                yield slice(first, first + rows), left == 0
                first += rows

    def stream(self, sums: Sums) -> Bytes:
        """The weight stream: the bytes of `head` and the integers of `common`, followed by the fields of each block."""
        weights, begin = self.elements(sums.weights), 0
        stored = np.zeros(self.bytes(len(self.groups)), np.int8)
        for rows, is_last in self.blocks():
            part = sums.part(rows)
            bounds = [begin + bound for bound in self._bounds(rows.stop - rows.start)]
            for field, (first, end) in zip(self.fields, pairwise(bounds), strict=True):
                values = field.stored(part, weights[rows])
                stored[first : first + len(values)] = values
                if is_last and isinstance(field, RowNumbers) and field.end_mark:
                    stored[end - 1] = np.uint8(field.end_mark).astype(np.int8)
            begin = bounds[-1]
        before = [number.stored(sums)[0] for number in self.common]
        if self.head:
            before.insert(0, np.array(self.head, np.uint8).astype(np.int8))
        return np.concatenate([*before, stored]) if before else stored

    @property
    def portable(self) -> str:
        """The C statements that compute the sums of all rows and windows."""
        return self.in_c(StreamInC(self))


BY_ROW = ROW, 1
"""The order of weights row by row."""

BY_ELEMENT = 1, ROW
"""The order of weights element by element."""

RowFactors = tuple[Number, Number]
"""The numbers of a row's multiplier and shift amount."""


def multipliers_and_shifts(
    factors: RowFactors, mark: int = 0, names: tuple[str, str] = ("multipliers", "shifts")
) -> Sequence[Field]:
    """A field with the multipliers as words, and a field with the shifts as bytes.

    factors: the factors of requantisation.
    mark: the `end_mark` of the field for the shifts.
    names: the names of the fields.
    """
    multiplier, right = factors
    return RowNumbers(names[0], content=(multiplier,)), RowNumbers(names[1], WORD, content=(right,), end_mark=mark)


def shifting(stream: WeightStream) -> WeightStream:
    """A copy of a stream for kernels that, instead of requantising sums, shift them right by a constant of the tile."""
    fields = [field for field in stream.fields if not {"multiplier", "right"} & field.numbers.keys()]

    def finish(c: StreamInC, out: str) -> str:
        return shifted_in_c(c.stream.tile.right, out)

    return replace(stream, fields=fields, finish=finish)


def by_common_factor(stream: WeightStream, results: int) -> WeightStream:
    """A copy of a stream for kernels that requantise all rows by one multiplier, which precedes the first block, and by
    the shift of the tile.

    results: the width of the results in bits.
    """

    def finish(c: StreamInC, out: str) -> str:
        return requantised_in_c("", c.stream.tile, out, common=True, results=results)

    return _by_common(stream, (DOUBLED,), finish)


def by_read_factor(stream: WeightStream) -> WeightStream:
    """A copy of a stream for kernels that requantise all rows by one multiplier and one shift, which precede the first
    block.
    """
    return _by_common(stream, (DOUBLED, _RIGHT_AS_WORD), lambda c, out: requantised_in_c("", c.stream.tile, out))


def _by_common(stream: WeightStream, common: Sequence[Number], finish: Callable[[StreamInC, str], str]) -> WeightStream:
    """A copy of a stream without the factors of rows.

    common, finish: as in `WeightStream`. The integers have four bytes each. `finish` refers to them by name.
    """
    fields = [field for field in stream.fields if not {"multiplier", "right"} & field.numbers.keys()]

    def in_c(c: StreamInC) -> str:
        read = (
            f"    const int32_t {number.name} = {number.in_c('stream', str(WORD * at))};"
            for at, number in enumerate(common)
        )
        return "\n".join([*read, _sums_in_c(c)])

    return replace(stream, fields=fields, finish=finish, in_c=in_c, common=common)


def row_blocks(
    tile: Tile, groups: Sequence[tuple[int, int]], factors: RowFactors, order: tuple[int, ...]
) -> WeightStream:
    """The weight stream of `tile` in blocks of rows whose weights are contiguous across runs.

    groups: pairs (number of blocks, rows of each block).
    factors: the factors of requantisation.
    order: the order of the weights, as in `Weights`.
    """
    weights = Weights("weights", WORD, elements=tile.runs * tile.length, order=order)
    fields = RowNumbers("starts", content=(START,)), weights, *multipliers_and_shifts(factors)
    return WeightStream(tile, groups, fields)


def in_powers_of_two(rows: int, most: int) -> list[tuple[int, int]]:
    """The division of `rows` rows into blocks whose sizes are powers of two, as pairs (number of blocks, rows of each
    block).

    The first blocks have `most` rows, a power of two. The remaining rows are in blocks of smaller powers of two.
    """
    powers = [1 << place for place in reversed(range(most.bit_length()))]
    whole, rest = divmod(rows, most)
    return [*([(whole, most)] if whole else []), *((1, few) for few in powers[1:] if rest & few)]


_NUMBERS = RowNumbers("numbers", content=(START, MULTIPLIER, RIGHT))
START_AT, MULTIPLIER_AT, RIGHT_AT = (offset for _, offset in _NUMBERS.numbers.values())
"""Byte offsets in the record of a channel that contains these integers."""


class ChannelRecords:
    """The records of a stream that contain the data of one channel each.

    * columns: the number of columns of a filter.
    * taps: the number of weights of a filter.
    * across: the number of columns between adjacent windows.
    * weights_at: the byte offset of the weights in a record.
    * bytes: the size of a record.
    """

    def __init__(self, tile: Tile, factors: RowFactors | tuple[()]) -> None:
        """factors: the factors of requantisation; empty for sums that are shifted by a constant of the tile."""
        self.tile = tile
        self.columns, self.across = tile.length // tile.rows, tile.step // tile.rows
        self.taps = tile.runs * self.columns
        numbers = replace(_NUMBERS, content=(START, *factors))
        self.weights_at = numbers.row_bytes
        fields = numbers, Weights("weights", WORD, elements=self.taps)
        layout = WeightStream(tile, [(tile.rows, 1)], fields, by_channel=True)
        self.layout = layout if factors else shifting(layout)
        self.bytes = self.layout.block_bytes(1)

    @property
    def is_by_channel(self) -> bool:
        """True if each run of a window consists of whole pixels, and no two windows coincide."""
        tile = self.tile
        return tile.length % tile.rows == tile.step % tile.rows == 0 and tile.step > 0
