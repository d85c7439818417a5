"""The C text that checks the content of a blob: elements that the program uses as indices, counts and limits of loops,
and numbers whose limits its sums and tables rely on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase

from tinyml.dialects import c
from tinyml.dialects.functions import AFTER_PARENTS, GAPS, LENGTHS, LIMITS
from tinyml.targets.blobs.layout import BlobLayout

_ELEMENT = """\
/* The bits of the element of `size` bytes at an address. */
static {word} {name}_blob_element({pointer}at, uint8_t size)
{{
    {word} element = 0;
    while (size > 0) {{
        size--;
        element = element << 8 | {byte};
    }}
    return element;
}}
"""

_WITHIN = """\
/* Whether `count` elements are in [low, low + span]. */
static uint8_t {name}_blob_within({pointer}at, uint32_t count, uint8_t size, {word} low, {word} span)
{{
    const {word} mask = {ones} >> ({bits} - 8 * size);
    for (; count > 0; count--) {{
        if ((({name}_blob_element(at, size) - low) & mask) > span)
            return 0;
        at += size;
    }}
    return 1;
}}
"""

_AFTER = """\
/* Whether both children of each of `nodes` nodes are leaves, or nodes that follow it: every path then ends. */
static uint8_t {name}_blob_after(uint32_t nodes, {pointer}at, uint8_t size)
{{
    const uint32_t leaf = (uint32_t)0x80 << (8 * size - 8);
    for (uint32_t i = 0; i < 2 * nodes; i++) {{
        const uint32_t child = {narrow}{name}_blob_element(at, size);
        if (child < leaf && child <= i / 2)
            return 0;
        at += size;
    }}
    return 1;
}}
"""

_ROWS = """\
/* Whether `rows` rows have at most `entries` entries together, all of them in columns below `columns`. */
static uint8_t {name}_blob_rows({pointer}gaps, {pointer}lengths, uint8_t size, uint32_t rows, uint32_t entries, \
uint32_t columns)
{{
    for (; rows > 0; rows--) {{
        uint32_t length = {narrow}{name}_blob_element(lengths, size), column = 0;
        if (length > entries)
            return 0;
        entries -= length;
        for (; length > 0; length--) {{
            column += {gap};
            gaps += 1;
            if (column >= columns)
                return 0;
        }}
        lengths += size;
    }}
    return 1;
}}
"""


@dataclass(frozen=True)
class ContentChecks:
    """C text that checks the content of a blob.

    functions: the functions that the conditions call.
    conditions: C expressions that are true for valid content, in which `start` is the address of the blob.
    """

    functions: Sequence[str]
    conditions: Sequence[str]

    @classmethod
    def of(cls, layout: BlobLayout, pointer: str, read: str) -> ContentChecks:
        """The checks of the arrays of a blob.

        pointer: the type of addresses in the blob, as the prefix of a declaration.
        read: the format of a C expression that reads the byte at an address.
        """
        at, name = list(zip(layout.arrays, layout.offsets, strict=True)), layout.name
        ranges = _ranges(at)
        wide = any(size > 4 for _, _, size, _, _ in ranges)
        word = "uint64_t" if wide else "uint32_t"
        within = [
            f"{name}_blob_within(start + {offset}, {count}u, {size}, ({word}){low}, {high - low}u)"
            for offset, count, size, low, high in ranges
        ]
        after = [
            f"{name}_blob_after({_length(array) // 2}u, start + {offset}, {array.element_size})"
            for array, offset in at
            if AFTER_PARENTS in array.attributes
        ]
        rows = [
            f"{name}_blob_rows(start + {gaps}, start + {lengths}, {size}, {rows}u, {entries}u, {columns}u)"
            for gaps, lengths, size, rows, entries, columns in _matrices(at)
        ]
        parts = (_ELEMENT, within or after or rows), (_WITHIN, within), (_AFTER, after), (_ROWS, rows)
        byte, gap = read.format("at + size"), read.format("gaps")
        texts = {"name": name, "pointer": pointer, "byte": byte, "gap": gap, "word": word}
        texts |= {"ones": f"0x{'F' * (16 if wide else 8)}u", "bits": 64 if wide else 32}
        texts |= {"narrow": "(uint32_t)" if wide else ""}
        functions = [text.format(**texts) for text, used in parts if used]
        return cls(functions, [*within, *after, *rows])


def _length(array: c.ConstantOp) -> int:
    return array.value.type.element_count()


def _pair(array: c.ConstantOp, name: str) -> tuple[int, int]:
    low, high = cast("DenseArrayBase[Any]", array.attributes[name]).get_values()
    return int(low), int(high)


def _ranges(arrays: Sequence[tuple[c.ConstantOp, int]]) -> list[tuple[int, int, int, int, int]]:
    """Ranges of elements of equal size and limits: the first byte, the number of elements, their size, the least and
    the greatest permitted element. Adjacent arrays with equal limits are one range.
    """
    ranges: list[tuple[int, int, int, int, int]] = []
    for array, offset in arrays:
        if LIMITS not in array.attributes:
            continue
        size, (low, high), count = array.element_size, _pair(array, LIMITS), _length(array)
        if high - low >= (1 << 8 * size) - 1:
            continue
        if ranges:
            first, known, *form = ranges[-1]
            if form == [size, low, high] and first + known * size == offset:
                ranges[-1] = (first, known + count, size, low, high)
                continue
        ranges.append((offset, count, size, low, high))
    return ranges


def _matrices(arrays: Sequence[tuple[c.ConstantOp, int]]) -> list[tuple[int, int, int, int, int, int]]:
    """Sparse matrices: the first byte of their gaps and of their lengths, the bytes of a length, and the numbers of
    rows, of entries and of columns.
    """
    gaps: Mapping[int, tuple[int, int]] = {
        number: (offset, columns)
        for array, offset in arrays
        if GAPS in array.attributes
        for number, columns in [_pair(array, GAPS)]
    }
    matrices: list[tuple[int, int, int, int, int, int]] = []
    for array, offset in arrays:
        if LENGTHS in array.attributes:
            number, entries = _pair(array, LENGTHS)
            first, columns = gaps[number]
            matrices.append((first, offset, array.element_size, _length(array), entries, columns))
    return matrices
