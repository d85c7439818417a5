"""Compressed sparse rows of a matrix that is read once, row by row: values, column gaps and row lengths.

Each entry is `gap` columns after the previous entry in its row. The first entry is `gap` columns after column 0. One
byte therefore locates an entry in a matrix of any width. Wider gaps are bridged by entries with value zero.

`pack_rows` converts the rows to a stream of bytes, for chips that read flash forwards through a single pointer. A row
consists of its number of entries (uint16), followed by a byte `skip` and the value for each entry, all little endian.
`skip` is a distance in bytes within the dense vector: from the end of the element of the previous entry, or from the
start of the vector, to the element of this entry. It is a multiple of the vector's element size.

`delta_rows` creates a denser stream, with values of 1 to 16 bits and skips of half a byte. A row begins with its number
of groups n in two bytes, n mod 32 and n // 32. A group has 8 entries if entries have an odd number of bits, otherwise
4. Values and skips are laid out as in `packed_bits`. A skip is the number of elements of the dense vector between the
previous entry, or the start of the vector, and this entry. Entries with value zero, at columns without other entries,
bridge wider gaps and fill incomplete groups.

`gathered_rows` creates a stream for chips that gather elements of a vector by offsets. A row begins with its number of
groups in two bytes. A group consists of the column of its first entry in two bytes, then a byte for each entry with the
distance from this column, and then the values of the entries. Entries with value zero at the first column fill
incomplete groups.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.layouts.packed_bits import GAP_BITS, group_length, pack_bits
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


GREATEST_GAP = 255


@dataclass(frozen=True)
class CompressedRows:
    """A sparse matrix as compressed rows.

    * values: the values of the entries, in row order.
    * gaps: the gap of each entry, uint8.
    * lengths: the number of entries of each row, uint8 or uint16.
    """

    values: NDArray[Any]
    gaps: NDArray[Any]
    lengths: NDArray[Any]

    @property
    def bytes(self) -> int:
        return self.values.nbytes + self.gaps.nbytes + self.lengths.nbytes


def compress(matrix: NDArray[Any]) -> CompressedRows:
    """The compressed rows of a matrix of shape (rows, columns). The entries are the elements with any nonzero bit."""
    rows, columns = np.nonzero(matrix)
    counts = np.bincount(rows, minlength=len(matrix))
    firsts = (np.cumsum(counts) - counts)[counts > 0]
    gaps = np.diff(columns, prepend=0)
    gaps[firsts] = columns[firsts]
    bridges = np.maximum(gaps - 1, 0) // GREATEST_GAP
    ends = np.cumsum(bridges + 1) - 1
    values = np.zeros(len(rows) + bridges.sum(), matrix.dtype)
    values[ends] = matrix[rows, columns]
    bridged = np.full(len(values), GREATEST_GAP, np.uint8)
    bridged[ends] = gaps - GREATEST_GAP * bridges
    lengths = np.bincount(np.repeat(rows, bridges + 1), minlength=len(matrix))
    narrow = lengths.max(initial=0) <= 255
    return CompressedRows(values, bridged, lengths.astype(np.uint8 if narrow else np.uint16))


def with_room(rows: CompressedRows, entries: int, columns: int) -> CompressedRows:
    """`rows` with arrays for `entries` entries: zeros, which are never read, follow the last entry. The lengths have
    the type that is sufficient for a row of `entries` entries, but at most `columns`.

    columns: the number of columns of the matrix.
    """
    unused = entries - len(rows.values)
    values, gaps = (np.pad(array, (0, unused)) for array in (rows.values, rows.gaps))
    narrow = min(entries, columns) <= np.iinfo(np.uint8).max
    return CompressedRows(values, gaps, rows.lengths.astype(np.uint8 if narrow else np.uint16))


GREATEST_SKIP = 255
COUNT_BYTES = 2


def pack_rows(rows: CompressedRows, element_bytes: int) -> NDArray[np.uint8] | None:
    """The stream of rows for vectors whose elements have `element_bytes` bytes; None if a skip exceeds a byte."""
    size, ends = rows.values.itemsize, np.cumsum(rows.lengths, dtype=np.int64)
    after = np.ones(len(rows.values), np.int64)
    after[(ends - rows.lengths)[rows.lengths > 0]] = 0
    skips = (rows.gaps - after) * element_bytes
    if ((skips < 0) | (skips > GREATEST_SKIP)).any():
        return None
    entries = np.hstack([skips.astype(np.uint8)[:, np.newaxis], rows.values.view(np.uint8).reshape(-1, size)])
    counts = rows.lengths.astype("<u2").view(np.uint8).reshape(-1, COUNT_BYTES)
    parts = zip(counts, np.split(entries, ends[:-1]), strict=True)
    return np.concatenate([part.reshape(-1) for row in parts for part in row])


_WIDEST_SKIP = (1 << GAP_BITS) - 1
AT_ONCE = 32
"""The groups per inner loop of a kernel. The groups of a row are split into whole inner loops and a remainder."""
MOST_GROUPS = 128 * AT_ONCE - 1


def entries_of_group(width: int) -> int:
    return max(4, group_length(width))


def bytes_of_group(width: int) -> int:
    return entries_of_group(width) * (GAP_BITS + width) // 8


@dataclass(frozen=True)
class DeltaRows:
    """A sparse matrix in groups of entries, as `delta_rows` creates it.

    * width: bits per value.
    * values: the value of each entry.
    * skips: the skip of each entry.
    * groups: the number of groups of each row, uint8 or uint16.
    """

    width: int
    values: NDArray[Any]
    skips: NDArray[np.uint8]
    groups: NDArray[Any]

    def stream(self) -> NDArray[np.uint8]:
        """The stream of the rows as bytes in flash."""
        ends = np.cumsum(self.groups)
        packed = pack_bits(self.values, self.width, self.skips)
        rows = np.split(packed.reshape(-1, bytes_of_group(self.width)), ends[:-1])
        counts = ([count % AT_ONCE, count // AT_ONCE] for count in self.groups.tolist())
        parts = [part for count, row in zip(counts, rows, strict=True) for part in (count, row.reshape(-1))]
        return np.concatenate(parts).astype(np.uint8)


def groups_of_rows(rows: CompressedRows, columns: int, width: int) -> NDArray[Any] | None:
    """The number of groups of each row that `delta_rows` would create; None if `delta_rows` returns None.

    The number is computed without creating the entries.
    """
    entries = entries_of_group(width)
    most = min(MOST_GROUPS, int(np.iinfo(rows.lengths.dtype).max))
    ends = np.cumsum(rows.lengths, dtype=np.int64)
    firsts = ends - rows.lengths
    skips = rows.gaps.astype(np.int64) - 1
    skips[firsts[rows.lengths > 0]] += 1
    occupied = np.concatenate([[0], np.cumsum(1 + skips // (_WIDEST_SKIP + 1))])
    groups = -(-(occupied[ends] - occupied[firsts]) // entries)
    if (groups > min(most, columns // entries)).any():
        return None
    return groups.astype(rows.lengths.dtype)


def delta_rows(rows: CompressedRows, columns: int, width: int) -> DeltaRows | None:
    """The matrix of `columns` columns, in groups of values of `width` bits.

    Returns None if a row has too few empty columns for the zeros that fill its last group, or has more groups than
    `MOST_GROUPS` or than the type of the row lengths can count.
    """
    if (groups := groups_of_rows(rows, columns, width)) is None:
        return None
    entries = entries_of_group(width)
    values, skips = [rows.values[:0]], [np.zeros(0, np.uint8)]
    ends = np.cumsum(rows.lengths, dtype=np.int64)
    for first, end, count in zip(ends - rows.lengths, ends, groups.tolist(), strict=True):
        dense = np.zeros(columns, rows.values.dtype)
        occupied = np.cumsum(rows.gaps[first:end], dtype=np.int64)
        dense[occupied] = rows.values[first:end]
        occupied = _bridged(occupied)
        if missing := count * entries - len(occupied):
            spare = np.setdiff1d(np.arange(columns), occupied)[:missing]
            occupied = np.sort(np.concatenate([occupied, spare]))
        values.append(dense[occupied])
        skips.append((np.diff(occupied, prepend=-1) - 1).astype(np.uint8))
    return DeltaRows(width, np.concatenate(values), np.concatenate(skips), groups)


def _bridged(columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """The columns of a row's entries, with additional columns inserted where the distance exceeds the widest skip."""
    step = _WIDEST_SKIP + 1
    previous = np.concatenate([[-1], columns])[:-1].tolist()
    pairs = zip(previous, columns.tolist(), strict=True)
    bridges = [bridge for last, column in pairs for bridge in range(last + step, column, step)]
    return np.sort(np.concatenate([columns, np.array(bridges, np.int64)]))


BASE_BYTES = 2


def bytes_of_gathered(entries: int, width: int) -> int:
    """The number of bytes of a group in the stream of `gathered_rows`. The group has `entries` values of `width`
    bits, 8 or 16.
    """
    return BASE_BYTES + entries * (1 + width // 8)


@dataclass(frozen=True)
class GatheredRows:
    """A sparse matrix in the stream that `gathered_rows` creates.

    groups: the number of groups of each row, uint8 or uint16.
    stream: the rows as bytes in flash.
    """

    groups: NDArray[Any]
    stream: NDArray[np.uint8]


def gathered_rows(rows: CompressedRows, entries: int) -> GatheredRows | None:
    """The stream of rows for chips that gather elements of a vector, in groups of `entries` entries.

    Returns None if the index of a column does not fit in two bytes.
    """
    counts: list[int] = []
    parts: list[NDArray[np.uint8]] = []
    ends = np.cumsum(rows.lengths, dtype=np.int64)
    for first, end in zip(ends - rows.lengths, ends, strict=True):
        columns, values = np.cumsum(rows.gaps[first:end], dtype=np.int64), rows.values[first:end]
        columns, values = columns[values != 0], values[values != 0]
        if columns.max(initial=0) >= 1 << 8 * BASE_BYTES:
            return None
        groups = _near_entries(columns.tolist(), entries)
        counts.append(len(groups))
        parts.append(np.array([len(groups)], "<u2").view(np.uint8))
        for group in groups:
            offsets, filled = np.zeros(entries, np.uint8), np.zeros(entries, values.dtype)
            offsets[: len(group)], filled[: len(group)] = columns[group] - columns[group[0]], values[group]
            parts += [np.array([columns[group[0]]], "<u2").view(np.uint8), offsets, filled.view(np.uint8)]
    return GatheredRows(np.array(counts, rows.lengths.dtype), np.concatenate(parts))


def _near_entries(columns: Sequence[int], most: int) -> list[range]:
    """The ranges of consecutive entries of a row that form the groups of `gathered_rows`.

    columns: the columns of the entries, ascending.
    most: the maximum number of entries of a group.

    The distance of every entry from the first entry of its group fits in a byte.
    """
    groups: list[range] = []
    begin = 0
    while begin < len(columns):
        near = bisect_right(columns, columns[begin] + GREATEST_GAP)
        groups.append(range(begin, min(begin + most, near)))
        begin = groups[-1].stop
    return groups
