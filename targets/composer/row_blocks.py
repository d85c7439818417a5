"""Weight streams of rows in blocks: for each block, the starts, the weights, the multipliers and the shift amounts."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.stream_fields import ROW, START, WORD, Field, Number, RowNumbers, Weights
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.tiles import Tile

BY_ROW, BY_ELEMENT = (ROW, 1), (1, ROW)
"""Orders of weights: row by row, and element by element."""

RowFactors = tuple[Number, Number]
"""The numbers of a row's multiplier and shift amount."""


def multipliers_and_shifts(
    factors: RowFactors, mark: int = 0, names: tuple[str, str] = ("multipliers", "shifts")
) -> Sequence[Field]:
    """The words of the multipliers, and the bytes of the shift amounts. mark: `RowNumbers.end_mark` of the latter."""
    multiplier, right = factors
    return RowNumbers(names[0], content=(multiplier,)), RowNumbers(names[1], WORD, content=(right,), end_mark=mark)


def row_blocks(
    tile: Tile, groups: Sequence[tuple[int, int]], factors: RowFactors, order: tuple[int, ...]
) -> WeightStream:
    """The stream of rows without gaps between runs. order: of their weights."""
    weights = Weights("weights", WORD, elements=tile.runs * tile.length, order=order)
    fields = RowNumbers("starts", content=(START,)), weights, *multipliers_and_shifts(factors)
    return WeightStream(tile, groups, fields)


def in_powers_of_two(rows: int, most: int) -> list[tuple[int, int]]:
    """Groups of blocks: blocks of `most` rows, a power of two, then blocks of smaller powers of two for the rest."""
    powers = [1 << place for place in reversed(range(most.bit_length()))]
    whole, rest = divmod(rows, most)
    return [*([(whole, most)] if whole else []), *((1, few) for few in powers[1:] if rest & few)]
