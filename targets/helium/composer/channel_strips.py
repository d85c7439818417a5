"""Depthwise kernels for Helium that compute one channel at a time, whose elements are first copied to a contiguous
strip on the stack.

A strip contains the pixels under the windows column by column, so that the elements of each window are contiguous and
VMLADAV adds sixteen of their products. Gathers of eight bytes copy a channel to the strip. Eight columns are gathered
by the same offsets, with one vector of offsets for each run of a window. The sums of four windows are converted to
bytes at once, one window per lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from tinyml.targets.composer.instructions import Code, Repeated, joined
from tinyml.targets.composer.tile_code import LoopedCode
from tinyml.targets.composer.weight_streams import (
    MULTIPLIER,
    ROW,
    START,
    WORD,
    RowNumbers,
    Weights,
    WeightStream,
    shifting,
)
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SAVED, counted_in_memory, moved
from tinyml.targets.cortex_m.thumb import IMMEDIATE, post, slot
from tinyml.targets.helium.composer.alternation import alternating
from tinyml.targets.helium.composer.requantise import LANES, LEFT_SHIFT, requantised_equally, shifted_equally, zero_in
from tinyml.targets.helium.mve import (
    RESTORE_VECTORS,
    SAVE_VECTORS,
    VECTOR,
    access,
    gathered_bytes,
    lanes,
    low_overhead,
    multiply,
    predicate,
    scalar,
    scattered_bytes,
    stepped,
)

_SUMS = ("r0", "r2", "r4", "r6")
_ELEMENTS, _STREAM, _OUT, _STRIP = "r1", "r3", "r5", "r7"
_START, _MULTIPLIER, _ZERO, _SHIFT = "r8", "r9", "r10", "r11"
_TABLE, _SCRATCH = "r2", "r0"
_AT_TABLE, _AT_CHANNELS, _AT_FILTERS, _AT_STRIP = slot(0), slot(4), slot(8), 12

_VECTORS = tuple(f"q{number}" for number in range(8))
_LOADED, _SUM, _SPARE, _PLACES = _VECTORS[4:]

_AT_ONCE = 8
"""The columns that are gathered by one set of offsets, and the bytes of a gather."""

_MAX_VECTORS = 4
"""The most vectors of weights of a filter."""

_MAX_STRIP = 1024
"""The most bytes of a strip."""

_UNROLLED = 12
"""The most gathers that are written without a loop."""


@dataclass(frozen=True)
class ChannelStrips(LoopedCode):
    """The code for a depthwise tile that copies each channel to a strip."""

    SATURATED = 0

    @property
    def taps(self) -> int:
        return self.tile.runs * self.columns

    @property
    def columns(self) -> int:
        return self.tile.length // self.tile.channels

    @property
    def across(self) -> int:
        return self.tile.step // self.tile.channels

    @property
    def width(self) -> int:
        return (self.tile.count - 1) * self.across + self.columns

    @property
    def vectors(self) -> int:
        return -(-self.taps // VECTOR)

    @property
    def offsets(self) -> Sequence[int]:
        """The offsets of the elements of eight columns in memory, in the order of a strip."""
        tile = self.tile
        return [column * tile.channels + run * tile.pitch for column in range(_AT_ONCE) for run in range(tile.runs)]

    @property
    def layout(self) -> WeightStream:
        order = (ROW, 1, self.columns) if self.columns > 1 else (ROW, 1)
        numbers = RowNumbers("starts", content=(START,)), RowNumbers("factors", content=(MULTIPLIER, LEFT_SHIFT))
        weights = Weights("weights", WORD, elements=self.taps, order=order)
        head = [byte for offset in self.offsets for byte in (offset & 0xFF, offset >> 8)]
        return WeightStream(self.tile, [(self.tile.rows, 1)], (*numbers, weights), by_channel=True, head=head)

    @property
    def fits(self) -> bool:
        tile = self.tile
        whole = tile.length % tile.channels == tile.step % tile.channels == 0
        if not whole or tile.step == 0 or (LANES - 1) * tile.rows > IMMEDIATE or tile.count > IMMEDIATE:
            return False
        near = max(self.offsets) <= 0xFFFF and self.width * tile.runs <= _MAX_STRIP
        return near and self.vectors <= _MAX_VECTORS

    def function(self) -> Repeated:
        tile = self.tile
        bytes = _AT_STRIP + self.width * tile.runs + VECTOR
        frame = bytes + -bytes % 8
        lane_places = [t.mov(register, number * tile.rows) for number, register in enumerate(_SUMS)]
        enter = joined(
            t.push((*SAVED, "lr")),
            SAVE_VECTORS,
            moved("sp", -frame),
            t.str_("r0", _AT_TABLE),
            self._load_offsets("r0") if self._kept else (),
            t.mov(_STREAM, "r0"),
            moved(_STREAM, len(self.layout.head)),
            t.mov(_OUT, "r2"),
            self.enter_numbers(),
            lane_places,
            lanes(_PLACES, *_SUMS),
        )
        channel = self._strip().followed_by(counted_in_memory(self._filter(), tile.filters, _AT_FILTERS, _SCRATCH, 6))
        if tile.filters == 1 and self._is_unrolled and self._is_gathered_without_loop:
            channels = low_overhead(channel, tile.channels, 7)
        else:
            channels = counted_in_memory(channel, tile.channels, _AT_CHANNELS, _SCRATCH, 7)
        code = Repeated.once(enter).followed_by(channels)
        return code.then(joined(moved("sp", frame), RESTORE_VECTORS, t.pop((*SAVED, "pc"))))

    @cached_property
    def _kept(self) -> bool:
        return self.vectors + self.tile.runs <= _MAX_VECTORS

    @property
    def _offset_vectors(self) -> Sequence[str]:
        first = self.vectors if self._kept else 0
        return _VECTORS[first : first + self.tile.runs] if self.tile.runs <= len(_VECTORS) - 2 else ()

    def _load_offsets(self, table: str) -> Code:
        return tuple(
            access("vldrh.u16", vector, table, offset=VECTOR * run) for run, vector in enumerate(self._offset_vectors)
        )

    def _gather(self, run: int, meanwhile: Code = (), *, masked: bool = False) -> Code:
        """Code that copies eight bytes to the strip, or fewer under a predicate.

        run: the index of the vector of offsets.
        meanwhile: instructions that are executed while the bytes are gathered.
        masked: true to copy under a predicate.
        """
        vectors = self._offset_vectors
        load = () if vectors else (access("vldrh.u16", _VECTORS[0], _TABLE, offset=VECTOR * run),)
        gather = gathered_bytes(_SPARE, _ELEMENTS, vectors[run] if vectors else _VECTORS[0], masked=masked)
        mask = (scalar("vpst"),) if masked else ()
        return joined(load, mask, gather, meanwhile, access("vstrb.16", _SPARE, _STRIP, _AT_ONCE))

    @property
    def _is_gathered_without_loop(self) -> bool:
        return self.width // _AT_ONCE * self.tile.runs <= _UNROLLED

    def _strip(self) -> Repeated:
        """Code that copies a channel to the strip and advances to the next channel.

        If a channel has only one filter, the code also begins to load it.
        """
        tile, runs = self.tile, self.tile.runs
        times, left = divmod(self.width, _AT_ONCE)
        full, rest = divmod(left * runs, _AT_ONCE)
        whole = joined(*map(self._gather, range(runs)), moved(_ELEMENTS, _AT_ONCE * tile.channels))
        table = () if self._kept else (t.ldr(_TABLE, _AT_TABLE), *self._load_offsets(_TABLE))
        code, last = (
            Repeated.once(joined(t.add(_STRIP, "sp", _AT_STRIP), table)),
            joined(*map(self._gather, range(full))),
        )
        if self._is_gathered_without_loop:
            last = joined(whole * times, last)
        else:
            code = code.followed_by(low_overhead(Repeated.once(whole), times, 5))
        numbers, mask = (self.load_numbers(), self._mask) if tile.filters == 1 else ((), ())
        code = code.then(alternating(last, (*(predicate(rest, 16, _SCRATCH) if rest else ()), *numbers)))
        code = code.then(self._gather(full, mask, masked=True) if rest else mask)
        return code.then(moved(_ELEMENTS, 1 - times * _AT_ONCE * tile.channels))

    @property
    def _mask(self) -> Code:
        return predicate(self.taps % VECTOR, 8, _SCRATCH) if self.taps % VECTOR else ()

    def _filter(self) -> Repeated:
        """The code that multiplies the strip by a filter.

        The products of the next windows alternate with the instructions that convert the previous sums to bytes.
        """
        times, few = divmod(self.tile.count, LANES)
        several = joined(self.load_numbers(), self._mask) if self.tile.filters > 1 else ()
        begin = joined(several, t.add(_STRIP, "sp", _AT_STRIP), self._load_filter())
        back = moved(_OUT, 1 - times * LANES * self.tile.rows)
        if not times:
            return Repeated.once(joined(begin, self._products(few), self._finished(few), back))
        step = self._finished(LANES, self._products(LANES))
        code = Repeated.once(joined(begin, self._products(LANES)))
        if self._is_unrolled:
            code = code.then(step * (times - 1))
        elif times > 1:
            code = code.followed_by(low_overhead(Repeated.once(step), times - 1, 5))
        return code.then(joined(self._finished(LANES, self._products(few)), self._finished(few) if few else (), back))

    @property
    def _is_unrolled(self) -> bool:
        return self.tile.count // LANES * self.vectors <= LANES

    def _load_filter(self) -> Code:
        whole, rest = divmod(self.taps, VECTOR)
        loads = [access("vldrb.u8", vector, _STREAM, VECTOR) for vector in _VECTORS[:whole]]
        if rest:
            step = rest + self.layout.padding(len(self.layout.fields) - 1, 1)
            loads += [scalar("vpst"), access("vldrbt.u8", _VECTORS[whole], _STREAM, step)]
        return joined(loads)

    def _products(self, windows: int) -> Code:
        runs, vectors = self.tile.runs, range(self.vectors)
        places = [(window * self.across * runs + vector * VECTOR) for window in range(windows) for vector in vectors]
        lines = list[Code]()
        for number, (place, after) in enumerate(pairwise([*places, windows * self.across * runs])):
            window, vector = divmod(number, self.vectors)
            name = "vmladava.s8" if vector else "vmladav.s8"
            lines += [stepped("vldrb.u8", _LOADED, _STRIP, after - place)]
            lines += [(multiply(name, _SUMS[window], _LOADED, _VECTORS[vector]),)]
        return joined(*lines)

    def _finished(self, windows: int, products: Code = ()) -> Code:
        bytes, sums = self.to_bytes(_SUM), lanes(_SUM, *_SUMS)
        if windows < LANES:
            masked = alternating(bytes, predicate(windows, 32, _SCRATCH))
            return joined(sums, masked, scalar("vpst"), scattered_bytes(_SUM, _OUT, _PLACES, masked=True))
        store = joined(scattered_bytes(_SUM, _OUT, _PLACES), moved(_OUT, LANES * self.tile.rows))
        return joined(sums, alternating(joined(bytes, store), products))

    def enter_numbers(self) -> Code:
        """Code that loads the values that `to_bytes` uses for all channels."""
        return zero_in(_ZERO, self.tile.zero)

    def load_numbers(self) -> Code:
        """Code that loads the values that `to_bytes` uses for one channel."""
        return t.ldr(_START, post(_STREAM, WORD)), t.ldrd(_MULTIPLIER, _SHIFT, post(_STREAM, 2 * WORD))

    def to_bytes(self, sum: str) -> Code:
        """Code that converts a vector of sums of one channel to bytes."""
        zero = _ZERO if self.tile.zero else None
        return requantised_equally((sum,), _SPARE, _START, _MULTIPLIER, _SHIFT, zero, to_even=self.tile.to_even)


@dataclass(frozen=True)
class ShiftedStrips(ChannelStrips):
    """The code for a depthwise tile that copies each channel to a strip and shifts the sums."""

    @property
    def layout(self) -> WeightStream:
        return shifting(super().layout)

    def enter_numbers(self) -> Code:
        return (t.mov(_MULTIPLIER, 1),)

    def load_numbers(self) -> Code:
        return (t.ldr(_START, post(_STREAM, WORD)),)

    def to_bytes(self, sum: str) -> Code:
        return shifted_equally((sum,), _START, self.tile.right, _MULTIPLIER)
