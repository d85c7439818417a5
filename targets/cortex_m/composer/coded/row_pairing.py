"""Depthwise filters as code: the rows that are multiplied in pairs, as halfwords, and the constants that this takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.cortex_m.composer.multiply import is_power_of_two

if TYPE_CHECKING:
    from tinyml.targets.tiles import Numbers

Rows = tuple[int, ...]
"""A row of a filter, or two that are multiplied together."""

_TRIED = 6
"""The greatest number of rows for which all pairings are tried."""


def _groups(rows: Sequence[int]) -> Iterator[list[Rows]]:
    """Yield all ways to group rows in pairs or alone."""
    if not rows:
        yield []
        return
    first, *rest = rows
    for groups in _groups(rest):
        yield [(first,), *groups]
    for number, second in enumerate(rest):
        for groups in _groups([*rest[:number], *rest[number + 1 :]]):
            yield [(first, second), *groups]


@dataclass(frozen=True)
class CodedFilter:
    """The weights of a channel, rows x columns; the first and the last column are not all zeros."""

    weights: Numbers
    across: int

    def needed(self, rows: Rows, columns: Sequence[int]) -> list[int]:
        """The given rows that have a weight in any of the columns."""
        return [row for row in rows if self.weights[row, list(columns)].any()]

    def time(self, groups: Sequence[Rows]) -> tuple[int, int]:
        """The number of a window's instructions before its epilogue, and of the constants that they use."""
        width = self.weights.shape[1]
        classes = [range(first, width, self.across) for first in range(min(self.across, width))]
        loads = [len(self.needed(rows, columns)) for rows in groups for columns in classes]
        packed = sum(count == 2 for count in loads)
        products = sum(int(self.weights[list(rows)].any(0).sum()) for rows in groups)
        return sum(loads) + packed + products, len(self.words(groups))

    def words(self, groups: Sequence[Rows]) -> list[tuple[int, int]]:
        """The constants, as pairs of halfwords: the weights of paired rows, then all other weights."""
        together = {self.word(rows, column) for rows in groups if len(rows) == 2 for column in range(self.columns)}
        alone = sorted(self._alone(groups))
        halves = [(alone[i], (alone[i + 1 : i + 2] or [0])[0]) for i in range(0, len(alone), 2)]
        return [*sorted(together - {(0, 0)}), *halves]

    def _alone(self, groups: Sequence[Rows]) -> set[int]:
        """The weights of unpaired rows, without zeros and powers of two."""
        rows = [row for group in groups if len(group) == 1 for row in group]
        return {int(weight) for weight in self.weights[rows].reshape(-1) if weight and not is_power_of_two(int(weight))}

    @property
    def columns(self) -> int:
        return self.weights.shape[1]

    def word(self, rows: Rows, column: int) -> tuple[int, int]:
        """The weights of two rows in a column."""
        low, high = (int(self.weights[row, column]) for row in rows)
        return low, high

    @cached_property
    def groups(self) -> list[Rows]:
        """The rows that have weights, in pairs or alone: the fastest grouping, or a heuristic one for many rows."""
        live = np.flatnonzero(self.weights.any(1)).tolist()
        return min(_groups(live), key=self.time) if len(live) <= _TRIED else self._paired(live)

    def _paired(self, rows: Sequence[int]) -> list[Rows]:
        """Pairs of rows, chosen greedily by the time that they save, and the remaining rows."""
        alone = {row: self.time([(row,)]) for row in rows}

        def saved(pair: Rows) -> tuple[int, int]:
            apart, together = [alone[row] for row in pair], self.time([pair])
            return sum(time for time, _ in apart) - together[0], sum(words for _, words in apart) - together[1]

        savings = {pair: saved(pair) for pair in combinations(rows, 2)}
        free, groups = set(rows), list[Rows]()
        for pair in sorted(savings, key=lambda pair: savings[pair], reverse=True):
            if savings[pair] > (0, 0) and free.issuperset(pair):
                groups.append(pair)
                free.difference_update(pair)
        return sorted([*groups, *((row,) for row in free)])
