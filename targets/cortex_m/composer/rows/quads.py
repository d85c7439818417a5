"""Weight streams of rows for the DSP extension, in groups of four weights, which meet four elements of a window.

SXTB16 splits four bytes into elements 0 and 2, and elements 1 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.row_blocks import in_powers_of_two, multipliers_and_shifts
from tinyml.targets.composer.stream_fields import DOUBLED, RIGHT_LESS_1, ROW, START, RowNumbers, Weights
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.cortex_m.composer.fetch import QUAD
from tinyml.targets.tiles import Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Numbers

QUADS = (QUAD, ROW, 1)
"""The order of bytes: four weights of each row in turn."""

_JOINED_QUADS = (QUAD, ROW, 1, 2)
"""The order for elements that are not split: SXTB16 splits the weights into elements 0 and 1, and 2 and 3."""

PARTED_PAIRS, _JOINED_PAIRS = (QUAD, 1, ROW, 2), (2, ROW, 1)
"""The orders of halfwords: elements 0 and 2 of each row, then 1 and 3; and for elements that are not split."""

FACTORS = DOUBLED, RIGHT_LESS_1

ROWS = 8
"""The greatest number of sums in registers."""

LAST = 0x80
"""Marks the last pair of rows, in the most significant byte of its shifts."""

_DENSE = 64
"""The greatest number of elements of a window whose runs, not multiples of four, are joined."""


@dataclass(frozen=True)
class Quads:
    """The groups of four elements of a window."""

    tile: Tile

    @property
    def is_joined(self) -> bool:
        """True if runs are joined without elements between them."""
        return self.tile.length % QUAD != 0 and self.tile.runs * self.tile.length <= _DENSE

    @property
    def run(self) -> int:
        """The distance from one run to the next, in elements."""
        return self.tile.length if self.is_joined else -(-self.tile.length // QUAD) * QUAD

    @property
    def count(self) -> int:
        """The number of groups of a window."""
        return -(-self.tile.runs * self.run // QUAD)

    def filled(self, weights: Numbers) -> Numbers:
        """The weights of each row, padded with zeros to groups of four."""
        rows = len(weights)
        runs = weights.reshape(rows, 1 if self.is_joined else self.tile.runs, -1)
        return np.pad(runs, ((0, 0), (0, 0), (0, -runs.shape[2] % QUAD))).reshape(rows, -1)

    def stream(
        self, groups: Sequence[tuple[int, int]], order: tuple[int, ...], *, bytes: int = 1, mark: int = 0
    ) -> WeightStream:
        """The stream of rows in blocks."""
        weights = Weights("weights", elements=QUAD * self.count, order=order, bytes=bytes)
        fields = RowNumbers("starts", content=(START,)), weights, *multipliers_and_shifts(FACTORS, mark)
        return WeightStream(self.tile, groups, fields, run_elements=self.run, elements=self.filled)

    def bytes(self) -> WeightStream:
        """The stream as bytes, in blocks of two rows."""
        pairs, odd = divmod(self.tile.rows, 2)
        groups = [group for group in ((pairs, 2), (odd, 1)) if group[0]]
        return self.stream(groups, _JOINED_QUADS if self.is_joined else QUADS, mark=LAST)

    def halfwords(self) -> WeightStream:
        """The stream as halfwords, in blocks of the rows whose sums fit the registers."""
        groups = in_powers_of_two(self.tile.rows, ROWS // min(self.tile.count, 2))
        return self.stream(groups, _JOINED_PAIRS if self.is_joined else PARTED_PAIRS, bytes=2)
