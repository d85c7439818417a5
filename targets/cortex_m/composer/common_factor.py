"""Tile kernels for a single window whose sums are all requantised by one factor, for the DSP extension.

The multiplier precedes the weights in the stream, and the shift is a constant of the code. Elements, weights or results
may have two bytes.

`WindowToHalfwords` multiplies rows by a window of bytes, with the register tile of `PairedWindow`. Its results have two
bytes.

`HalfwordChannels` computes four channels of two-byte elements at a time. A word contains an element of two channels,
and SMLAxy selects the halves of its operands. A word of the stream contains four weights of one byte or two weights of
two bytes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.instructions import Code, Line, Repeated, joined
from tinyml.targets.composer.weight_streams import (
    ROW,
    START,
    RowNumbers,
    Weights,
    WeightStream,
    by_common_factor,
    in_powers_of_two,
)
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import moved, restored, saved, words
from tinyml.targets.cortex_m.composer.paired_rows import PairedWindow
from tinyml.targets.cortex_m.composer.rows import SUMS, OneWindowKernel
from tinyml.targets.cortex_m.thumb import REACH, Opcode, at, post, slot
from tinyml.targets.nests import Numbers
from tinyml.targets.tiles import Tile

_AT_OUT, _AT_END, _AT_MULTIPLIER = slot(4), slot(8), slot(20)
_FRAME = 28


def _requantised(sum: str, multiplier: str, tile: Tile, bits: int) -> Code:
    """Code that requantises a sum by the factor of all rows and saturates it to `bits` bits.

    multiplier: a register that contains the multiplier after `doubled`, as for `fragments.requantised`.
    """
    name = t.add if tile.zero >= 0 else t.sub
    high = t.smmlar(sum, sum, multiplier, sum)
    if tile.right <= 0:
        left = (t.lsl(sum, sum, -tile.right),) if tile.right else ()
        zero = (name(sum, sum, abs(tile.zero)),) if tile.zero else ()
        return (*left, high, *zero, t.ssat(sum, bits, sum))
    added = 2 * tile.zero + 1
    shift = (t.asr(sum, sum, tile.right - 1),) if tile.right > 1 else ()
    last = name(sum, sum, abs(added)), t.ssat(sum, bits, sum, asr=1)
    return (high, t.add(sum, sum, sum, asr=31), *shift, *last)


_ENTER = (t.ldr("r12", post("r0", 4)), t.str_("r12", _AT_MULTIPLIER))
"""Code that moves the multiplier from the stream to the stack frame."""


def _finished(sums: Sequence[str], tile: Tile, bits: int, *, from_frame: bool = True) -> Code:
    """Code that requantises sums and stores them at r2.

    from_frame: true if the pointer to results is in the stack frame, and not in r2.
    """
    store: Opcode = t.strb if bits == 8 else t.strh
    results = [(*_requantised(sum, "r12", tile, bits), store(sum, post("r2", bits // 8))) for sum in sums]
    code = joined(t.ldr("r12", _AT_MULTIPLIER), *results)
    return joined(t.ldr("r2", _AT_OUT), code, t.str_("r2", _AT_OUT)) if from_frame else code


@dataclass(frozen=True)
class WindowToHalfwords(PairedWindow):
    """The code for a tile of one window of bytes, with results of two bytes."""

    @property
    def layout(self) -> WeightStream:
        return by_common_factor(super().layout, 16)

    @property
    def frame(self) -> int:
        return _FRAME

    def enter(self) -> Code:
        return joined(super().enter(), _ENTER)

    def finish(self, rows: int, windows: int) -> Code:
        return joined(self.separated(rows), _finished(SUMS[:rows], self.tile, 16))


_CHANNELS = 4
"""The number of channels that are computed at once."""

_WEIGHTS = ("r8", "r9", "r10", "r11")
_X = ("r12", "lr")
"""The registers for weights of four channels, and for two elements of two channels each."""

_PAIRS = 4
"""The number of pairs of elements of a channel in an iteration."""


@dataclass(frozen=True)
class HalfwordChannels(OneWindowKernel):
    """The code for a tile of one window that consists of a run of pixels of halfwords.

    r0 points into the weight stream, r3 into the pixels. In a loop over pixels, r1 points to their end, and the pointer
    to results is in the stack frame if r2 is needed to widen weights. Otherwise, r2 is this pointer, and r1 is free.
    """

    @property
    @abstractmethod
    def steps(self) -> int:
        """The number of consecutive weights of a channel in a word of the stream."""

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """The weights of a block."""

    @abstractmethod
    def pair(self, word: str, number: int) -> tuple[Code, str]:
        """Code that widens a pair of weights, and the register that contains the pair.

        word: the register that contains a word of the stream. The last pair of the word may overwrite it.
        number: the index of the pair in the word.
        """

    @property
    @abstractmethod
    def keeps_out(self) -> bool:
        """True if r2 is the pointer to results, and not a register for weights."""

    @property
    def pixel(self) -> int:
        return 2 * self.tile.rows

    @property
    def length(self) -> int:
        return self.tile.length // self.tile.rows

    @property
    def filled_length(self) -> int:
        """The number of weights of a channel in the stream: those of whole words."""
        return -(-self.length // self.steps) * self.steps

    @property
    def layout(self) -> WeightStream:
        def filled(weights: Numbers) -> Numbers:
            return np.pad(weights, ((0, 0), (0, self.filled_length - self.length)))

        fields = RowNumbers("starts", content=(START,)), self.weights
        groups = in_powers_of_two(self.tile.rows, _CHANNELS)
        return by_common_factor(WeightStream(self.tile, groups, fields, by_channel=True, elements=filled), 8)

    @property
    def at_once(self) -> int:
        return 2 * _PAIRS // self.steps

    @property
    def fits(self) -> bool:
        tile = self.tile
        last = min(self.length, 4 * _PAIRS) * self.pixel
        return tile.runs == tile.count == tile.lines == tile.filters == 1 and last + 4 <= REACH

    def start(self, rows: int, windows: int) -> Code:
        return words("r0", SUMS[:rows])

    def step(self, rows: int, first: int, end: int) -> Code:
        """Code that multiplies the elements by a word of weights of each channel, and adds the products to the sums of
        a block.

        first: the index of the first element, relative to r3.
        end: the index of the end of the elements.
        """
        lines: list[Line | Code] = [words("r0", _WEIGHTS[:rows])]
        for channel in range(0, rows, 2):
            for number in range(self.steps // 2):
                places = range(first + 2 * number, min(first + 2 * number + 2, end))
                if not places:
                    continue
                load = t.ldr if channel + 1 < rows else t.ldrsh
                for place, register in zip(places, _X, strict=False):
                    lines += [load(register, at("r3", place * self.pixel + 2 * channel))]
                for half in range(min(2, rows - channel)):
                    widened, pair = self.pair(_WEIGHTS[channel + half], number)
                    products = (t.smlabt, t.smlatt) if half else (t.smlabb, t.smlatb)
                    sum = SUMS[channel + half]
                    used = zip(products, _X, places, strict=False)
                    lines += [widened, *(product(sum, pair, x, sum) for product, x, _ in used)]
        return joined(*lines)

    @property
    def loops(self) -> int:
        """The number of iterations of the loop over pixels; 0 if there is no loop."""
        count = self.filled_length // self.steps
        return count // self.at_once if count > 2 * self.at_once else 0

    def products(self, rows: int, windows: int) -> Repeated:
        loops, step = self.loops, self.at_once * self.steps
        code = Repeated.once(())
        if loops:
            begin = joined(t.mov("r1", "r3"), moved("r1", loops * step * self.pixel))
            words = (self.step(rows, at, step) for at in range(0, step, self.steps))
            body = joined(*words, moved("r3", step * self.pixel))
            code = Repeated.once(body).looped(begin, (t.cmp("r3", "r1"), t.bne(back=3)), loops, 3)
        left = self.length - loops * step
        return code.then(joined(*(self.step(rows, at, left) for at in range(0, left, self.steps))))

    def finish(self, rows: int, windows: int) -> Code:
        results = _finished(SUMS[:rows], self.tile, 8, from_frame=not self.keeps_out)
        return joined(results, moved("r3", 2 * rows - self.loops * self.at_once * self.steps * self.pixel))

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        rows = self.layout.groups[group][1]
        begin = joined(t.mov("r12", "r3"), moved("r12", times * 2 * rows), t.str_("r12", _AT_END))
        return block.looped(begin, (t.ldr("r12", _AT_END), t.cmp("r3", "r12"), t.bne(back=1)), times, 1)

    def enter(self) -> Code:
        return joined(saved(_FRAME), t.mov("r3", "r1"), t.str_("r2", _AT_OUT) if not self.keeps_out else (), _ENTER)

    def leave(self) -> Code:
        return restored(_FRAME)


@dataclass(frozen=True)
class _Halfwords(HalfwordChannels):
    """Weights of two bytes: two of each channel in turn."""

    @property
    def steps(self) -> int:
        return 2

    @property
    def weights(self) -> Weights:
        return Weights("weights", elements=self.filled_length, order=(2, ROW, 1), bytes=2)

    @property
    def keeps_out(self) -> bool:
        return True

    def pair(self, word: str, number: int) -> tuple[Code, str]:
        return (), word


@dataclass(frozen=True)
class _Bytes(HalfwordChannels):
    """Weights of one byte: four of each channel in turn, in the order 0, 2, 1, 3. SXTB16 widens elements 0 and 1 or,
    after a rotation, elements 2 and 3.
    """

    @property
    def steps(self) -> int:
        return 4

    @property
    def weights(self) -> Weights:
        return Weights("weights", elements=self.filled_length, order=(4, ROW, 1, 2))

    @property
    def keeps_out(self) -> bool:
        return not self.loops

    def pair(self, word: str, number: int) -> tuple[Code, str]:
        if number:
            return (t.sxtb16(word, word, ror=8),), word
        first = "r1" if self.keeps_out else "r2"
        return (t.sxtb16(first, word),), first


channels_s8, channels_s16 = _Bytes, _Halfwords
