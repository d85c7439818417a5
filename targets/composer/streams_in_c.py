"""The sums of a weight stream in plain C.

`stream`, `x` and `out` are the arguments. In a block there are a pointer for each of its fields, `row` and, where
blocks have several rows, `first`, the first one of the block, and perhaps `rows`.
"""

from __future__ import annotations

from itertools import accumulate
from textwrap import indent
from typing import TYPE_CHECKING

from tinyml.targets.c.composer.requantised import requantised_in_c
from tinyml.targets.composer.stream_fields import (
    Field,
    ListedBytes,
    Weights,
    scaled,
    total,
)

if TYPE_CHECKING:
    from tinyml.targets.composer.weight_streams import WeightStream


class StreamInC:
    """The values of a stream in C. rows: of a block, a number or a variable; row: of the tile."""

    def __init__(self, stream: WeightStream) -> None:
        self.stream = stream
        sizes = [rows for _, rows in stream.groups]
        self.rows: int | str = sizes[0] if len(sizes) == 1 else "rows"
        self.row = "row" if self.rows == 1 else "first + row"

    def _row_at(self, field: Field) -> str:
        """The byte offset of the row in a field."""
        return "" if self.rows == 1 else scaled("row", field.row_bytes)

    def number(self, name: str) -> str:
        """A number of the row."""
        field = next(field for field in self.stream.fields if name in field.numbers)
        number, inner = field.numbers[name]
        return number.in_c(field.name, total(self._row_at(field), str(inner) if inner else ""))

    def weight(self, element: str, name: str = "weights") -> str:
        """A weight of the row. element: its index; name: of the field."""
        field = next(field for field in self.stream.fields if field.name == name)
        if isinstance(field, ListedBytes):
            return f"{name}[{total(self._row_at(field), f'places[{element}]')}]"
        assert isinstance(field, Weights)
        return field.in_c(element, "" if self.rows == 1 else "row", self.rows)

    def _size(self, number: int) -> str:
        """The bytes of a field of a block."""
        stream, field = self.stream, self.stream.fields[number]
        if isinstance(self.rows, int):
            return str(self.rows * field.row_bytes + stream.padding(number, self.rows))
        if not any(stream.padding(number, rows) for _, rows in stream.groups):
            return scaled(self.rows, field.row_bytes)
        return f"({scaled(self.rows, field.row_bytes)} + {field.aligned - 1}) / {field.aligned} * {field.aligned}"

    def blocks(self, body: str) -> str:
        """Statements for every row of every block. body: those of a row."""
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
        return indent("\n".join([*tables, head, indent("\n".join(lines), " " * 4), "}"]), " " * 4)


def requantised(c: StreamInC, out: str) -> str:
    """Statements that requantise `sum` by the numbers `multiplier` and `right` of its row, and store it."""
    numbers = f"const int32_t multiplier = {c.number('multiplier')};", f"const int right = {c.number('right')};"
    return "\n".join([*numbers, requantised_in_c("", c.stream.tile.zero, out)])


def sums_in_c(c: StreamInC) -> str:
    """The sums of all rows and windows."""
    stream, tile = c.stream, c.stream.tile
    apart, channel = (f" * {tile.rows}", f" + {c.row}") if stream.by_channel else ("", "")
    element = f"x[window * {tile.step} + run * {tile.pitch} + i{apart}{channel}]"
    return c.blocks(f"""\
for (int window = 0; window < {tile.count}; window++) {{
    int32_t sum = {c.number("start")};
    for (int run = 0; run < {tile.runs}; run++)
        for (int i = 0; i < {stream.length}; i++) {{
            const int at = run * {stream.run_elements or stream.length} + i;
            sum += {c.weight("at")}
                * (int32_t){element};
        }}
{indent(stream.finish(c, f"out[window * {tile.rows} + {c.row}]"), " " * 4)}
}}""")
