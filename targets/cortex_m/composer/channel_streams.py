"""Streams of filters for `channel_strips.py`, whose weights SXTB16 parts, and the same sums of them in plain C."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.requantised import doubled, requantised_in_c
from tinyml.targets.tiles import Sums, Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Bytes


@dataclass(frozen=True)
class Halves:
    """Two weights of a filter in one register, by (row, column); None is no weight, and "right" the shift."""

    low: tuple[int, int] | str | None
    high: tuple[int, int] | str | None


@dataclass(frozen=True)
class ChannelFilter:
    """The layout of the filters of a tile in a stream: pairs of rows, then what the last row has beyond."""

    tile: Tile

    @property
    def rows(self) -> int:
        return self.tile.runs

    @property
    def columns(self) -> int:
        return self.tile.length // self.tile.rows

    @cached_property
    def registers(self) -> list[Halves]:
        """What registers hold: the last one the shift, and of an odd number of rows and columns the last weight."""
        pairs = [Halves((2 * i, j), (2 * i + 1, j)) for i in range(self.rows // 2) for j in range(self.columns)]
        if self.rows % 2 == 0:
            return [*pairs, Halves("right", None)]
        last = self.rows - 1
        beside = [Halves((last, j), (last, j + 1)) for j in range(0, self.columns - 1, 2)]
        return [*pairs, *beside, Halves("right", (last, self.columns - 1) if self.columns % 2 else None)]

    @property
    def words(self) -> int:
        """The words of a stream that hold two registers each."""
        return -(-len(self.registers) // 2)

    @property
    def record(self) -> int:
        """The bytes of a channel in a stream."""
        return 4 * (self.words + 2)

    @cached_property
    def bytes(self) -> list[tuple[int, int] | str | None]:
        """What each byte of the words holds, so that SXTB16 gives a register and then the next."""
        halves = [*self.registers, Halves(None, None)]
        pairs = (halves[2 * word : 2 * word + 2] for word in range(self.words))
        return [content for a, b in pairs for content in (a.low, b.low, a.high, b.high)]

    def stream(self, sums: Sums) -> Bytes:
        """Of each channel the weights and the shift, the start and the multiplier."""
        records: list[Bytes] = []
        for weights, start, multiplier, shift in sums:
            taps = weights.reshape(self.rows, self.columns)
            content = [
                0 if at is None else -int(shift) - 1 if isinstance(at, str) else int(taps[at]) for at in self.bytes
            ]
            numbers = np.array([int(start), doubled(int(multiplier))], "<i4")
            records += [np.array(content, np.int8), numbers.view(np.int8)]
        return np.concatenate(records)

    @property
    def portable(self) -> str:
        tile = self.tile
        places = [self.bytes.index((i, j)) for i in range(self.rows) for j in range(self.columns)]
        return f"""\
    static const uint8_t places[] = {{{", ".join(map(str, places))}}};
    for (int channel = 0; channel < {tile.rows}; channel++, stream += {self.record})
        for (int window = 0; window < {tile.count}; window++) {{
            const int32_t multiplier = tm_number(stream + {self.record - 4});
            const int right = stream[{self.bytes.index("right")}];
            int32_t sum = tm_number(stream + {self.record - 8});
            for (int i = 0; i < {self.rows}; i++)
                for (int j = 0; j < {self.columns}; j++)
                    sum += stream[places[i * {self.columns} + j]]
                        * (int32_t)x[window * {tile.step} + i * {tile.pitch} + j * {tile.rows} + channel];
{requantised_in_c(" " * 12, tile.zero, f"out[window * {tile.rows} + channel]")}
        }}"""
