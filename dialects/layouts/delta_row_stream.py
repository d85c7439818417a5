"""Sparse rows whose entries stand near one another, as one stream of bytes: values of few bits, gaps of half a byte.

A row is its number of groups, modulo 32 and divided by 32 in a byte each, then the groups: 8 entries of 5 or 9 bits, 4
of others. Values lie as in `packed_bits`, those of 8 and 16 bits little endian. Each two entries have a byte of skips,
the first in its low bits, in front of the first low byte of their values, or of the byte that has the upper bits of the
first; without such a byte at the end. A skip counts the elements of the dense vector between that of the entry before
(at first: the start of the vector) and that of this one. Wider gaps are bridged, and groups are filled, by entries
whose value is zero at columns that have no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.layouts.packed_bits import group_length, pack_bits
from tinyml.dialects.machine.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.layouts.csr import CompressedRows

GREATEST_SKIP = 15
SKIP_BITS = 4
COUNT_BYTES = 2
AT_ONCE = 32
"""Groups between two points at which a kernel may rest."""
MOST_GROUPS = 128 * AT_ONCE - 1


def entries_of_group(width: int) -> int:
    return max(4, group_length(width))


@dataclass(frozen=True)
class NearRows:
    """width: bits of a value. values, skips: of all entries. groups: of each row, uint8 or uint16."""

    width: int
    values: NDArray[Any]
    skips: NDArray[np.uint8]
    groups: NDArray[Any]

    @property
    def group_bytes(self) -> int:
        return entries_of_group(self.width) * (SKIP_BITS + self.width) // 8

    @property
    def bytes(self) -> int:
        return COUNT_BYTES * len(self.groups) + self.group_bytes * int(self.groups.sum())

    def stream(self) -> NDArray[np.uint8]:
        ends = np.cumsum(self.groups)
        rows = np.split(self._packed().reshape(-1, self.group_bytes), ends[:-1])
        counts = ([count % AT_ONCE, count // AT_ONCE] for count in self.groups.tolist())
        parts = [part for count, row in zip(counts, rows, strict=True) for part in (count, row.reshape(-1))]
        return np.concatenate(parts).astype(np.uint8)

    def _packed(self) -> NDArray[np.uint8]:
        """(groups of `packed_bits`, bytes)"""
        length, own = max(2, group_length(self.width)), max(1, self.width // 8)
        whole = self.width % 8 == 0
        values = self.values.view(np.uint8) if whole else pack_bits(self.values, self.width)
        values = values.reshape(-1, length * self.width // 8)
        skips = (self.skips[::2] | self.skips[1::2] << SKIP_BITS).reshape(-1, length // 2)
        high = length * (self.width % 8) // 8 if self.width > 8 else 0
        places = [min(high + 2 * own * pair, values.shape[1]) for pair in range(length // 2)]
        return np.insert(values, places, skips, axis=1)


def near_rows(rows: CompressedRows, columns: int, width: int) -> NearRows | None:
    """The same matrix of so many columns, its values in so many bits; None where a row has no room for zeros that fill
    a group, or more groups than its count of entries has numbers for."""
    entries = entries_of_group(width)
    most = min(MOST_GROUPS, int(np.iinfo(rows.lengths.dtype).max))
    values, skips = [rows.values[:0]], [np.zeros(0, np.uint8)]
    groups: list[int] = []
    ends = np.cumsum(rows.lengths, dtype=np.int64)
    for first, end in zip(ends - rows.lengths, ends, strict=True):
        dense = np.zeros(columns, rows.values.dtype)
        places = np.cumsum(rows.gaps[first:end], dtype=np.int64)
        dense[places] = rows.values[first:end]
        places = _bridged(places)
        missing = -len(places) % entries
        spare = np.setdiff1d(np.arange(columns if missing else 0), places)[:missing]
        if len(spare) < missing or len(places) > most * entries:
            return None
        places = np.sort(np.concatenate([places, spare]))
        values.append(dense[places])
        skips.append((np.diff(places, prepend=-1) - 1).astype(np.uint8))
        groups.append(len(places) // entries)
    return NearRows(width, np.concatenate(values), np.concatenate(skips), np.array(groups, rows.lengths.dtype))


def _bridged(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Columns of a row, with others where two are too far apart."""
    step = GREATEST_SKIP + 1
    before = np.concatenate([[-1], places])[:-1].tolist()
    pairs = zip(before, places.tolist(), strict=True)
    bridges = [bridge for last, place in pairs for bridge in range(last + step, place, step)]
    return np.sort(np.concatenate([places, np.array(bridges, np.int64)]))
