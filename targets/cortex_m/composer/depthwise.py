"""Depthwise kernels for the DSP extension. The weights of a channel remain in registers while a window slides along the
channel.

Each column is loaded once, in pairs of vertically adjacent elements. It is multiplied for all windows that contain it.
Each of the overlapping windows has a register for its sum. The assignment of these registers rotates from window to
window. The weight stream consists of words. SXTB16 extracts two weights of a word into a register. Weights for which
there is no register are in the stack frame.

This code is not an instance of `RowKernel`: because the registers of the sums rotate, the body of the loop computes
several windows.

Registers are assigned by hand. They contain the same values for all windows of a channel. The most frequently used
values are assigned first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tinyml.dialects.tdsl.window_axis import WindowAxis
from tinyml.targets.composer.instructions import Code, Instruction, Line, Repeated, joined
from tinyml.targets.composer.tile_code import RepeatedCode, overlapping
from tinyml.targets.composer.weight_streams import (
    DOUBLED,
    RIGHT_LESS_1,
    START,
    ListedBytes,
    Number,
    RowNumbers,
    WeightStream,
)
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SAVED, half, halfwords, moved, requantised
from tinyml.targets.cortex_m.thumb import IMMEDIATE, REACH, Address, at, post, slot
from tinyml.targets.tiles import Tile

Half = int | Number | None
"""Half of a register: a weight, by its index in the filter, the shift amount, or nothing."""


@dataclass(frozen=True)
class ChannelFilter:
    """The filter of a channel as pairs of weights: pairs of rows and, for an odd last row, pairs of columns.

    right: the shift amount that the stream contains for each channel; None if all channels have that of the tile.
    numbers: the integers that follow the weights of a channel.
    """

    tile: Tile
    right: Number | None
    numbers: tuple[Number, ...]

    @property
    def rows(self) -> int:
        return self.tile.runs

    @property
    def columns(self) -> int:
        return self.tile.length // self.tile.rows

    def weight(self, row: int, column: int) -> int:
        return row * self.columns + column

    @cached_property
    def registers(self) -> list[tuple[Half, Half]]:
        """For each register, the weights in its low and its high half. The last register contains the shift, if there
        is one, and, if the number of weights is odd, the unpaired weight.
        """
        columns = range(self.columns)
        pairs = [
            (self.weight(row, column), self.weight(row + 1, column))
            for row in range(0, self.rows - 1, 2)
            for column in columns
        ]
        last = [self.weight(self.rows - 1, column) for column in columns] if self.rows % 2 else []
        beside = list(zip(last[::2], last[1::2], strict=False))
        unpaired = last[-1] if len(last) % 2 else None
        rest = (unpaired, None) if self.right is None else (self.right, unpaired)
        return [*pairs, *beside, *([] if rest == (None, None) else [rest])]

    @property
    def layout(self) -> WeightStream:
        """The layout of the stream: for each channel its words, then `numbers`.

        A word contains the weights of two registers.
        """
        halves = [*self.registers, *[(None, None)] * (len(self.registers) % 2)]
        words = zip(halves[::2], halves[1::2], strict=True)
        content = tuple(byte for first, second in words for byte in (first[0], second[0], first[1], second[1]))
        fields = ListedBytes("weights", content=content), RowNumbers("numbers", content=self.numbers)
        return WeightStream(self.tile, [(self.tile.rows, 1)], fields, by_channel=True)


class OverlappingWindows(ABC):
    """The code for the overlapping windows of a channel, in the order of columns and windows.

    * width: the number of columns of a filter.
    * across: the number of columns from one window to the next.
    * count: the number of windows of a channel.
    """

    def __init__(self, width: int, across: int, count: int) -> None:
        self.width, self.across = width, across
        self.axis = WindowAxis(width, across)
        self.rounds = min(-(-width // max(across, 1)), count)
        """The number of sums that are in registers at the same time."""

    @abstractmethod
    def products(self, column: int, users: Sequence[tuple[int, int]]) -> Code:
        """Code that multiplies one column of elements by weights and adds the products to the sums of all
        windows that contain the column.

        users: for each of these windows, a pair (window, column of the filter).
        """

    @abstractmethod
    def finish(self, window: int) -> Code:
        """Code that stores the result of a window. It may clobber the registers of elements."""

    def columns(self, first: int, end: int, windows: int) -> Code:
        """The code for the columns from `first` up to but excluding `end`, for `windows` windows."""
        lines: list[Line] = []
        for column in range(first, end):
            if users := overlapping(column, windows, self.across, self.width):
                lines += self.products(column, users)
        return tuple(lines)

    def before(self) -> Code:
        """The code that adds the products of the columns that the first window shares with the following windows."""
        return self.columns(0, self.axis.halo, self.rounds)

    def windows(self, count: int, further: int) -> Code:
        """The code for `count` windows in order.

        further: the number of later windows whose first columns are also added.

        The products of the columns that the first window shares with earlier windows must already have been added.
        """
        lines: list[Line] = []
        for window in range(count):
            first = self.axis.start(window) + self.axis.halo
            lines += self.columns(first, self.axis.end(window), count + further)
            lines += self.finish(window)
        return tuple(lines)


_REGISTERS = ("r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr")
"""The registers other than the pointers to windows and results."""

_INPUT, _OUT = "r1", "r2"
_STREAM, _START, _END, _MULTIPLIER, _COUNT, _WEIGHTS = 0, 4, 8, 12, 16, 20
"""Byte offsets of stack slots."""

_UNROLLED = 6
"""The greatest number of windows that are computed without a loop."""


class SlidingWindow(OverlappingWindows, RepeatedCode):
    """The code of the kernel for a depthwise tile.

    * filter: the division of a channel's weights into registers.
    * rounds, loops: the number of windows per iteration of the loop, and the number of iterations; 0 without a loop.
    * kept: the registers that contain weights. The key is the number of the register in the filter.
    * multiplier, counter: the registers for the multiplier and for the loop counter; None if they are in the stack
      frame.
    * spare: a scratch register; None if the code needs none.
    """

    def __init__(self, tile: Tile) -> None:
        self.tile, self.filter = tile, self.filter_of(tile)
        super().__init__(self.filter.columns, tile.step // tile.rows, tile.count)
        # A loop begins the sums of further windows, for which fewer windows than share a column leave no registers.
        self.loops = 0 if tile.count <= max(_UNROLLED, self.rounds) else tile.count // self.rounds
        free = list(_REGISTERS)
        self.sums, free = free[: self.rounds], free[self.rounds :]
        pairs = -(-self.filter.rows // 2)
        self.taps, free = free[:pairs], free[pairs:]
        self.kept: dict[int, str] = {}
        self.multiplier: str | None = None
        self.counter: str | None = None
        self.spare: str | None = None
        if not self.fits:
            return
        weights = len(self.filter.registers)
        if self.filter.rows % 2 == 0 or len(free) < weights:
            self.spare = free.pop(0)
        for number in reversed(range(weights)):
            if free:
                self.kept[number] = free.pop(0)
        if free and self.loops:
            self.counter = free.pop(0)
        if free:
            self.multiplier = free.pop(0)

    def filter_of(self, tile: Tile) -> ChannelFilter:
        return ChannelFilter(tile, RIGHT_LESS_1, (START, DOUBLED))

    @property
    def fits(self) -> bool:
        """True if the registers are sufficient and every load and store reaches its address."""
        tile = self.tile
        if tile.length % tile.rows or tile.step % tile.rows or tile.step == 0 or tile.count > IMMEDIATE:
            return False
        windows = self.rounds if self.loops else tile.count
        columns = (windows - 1) * self.across + self.filter.columns
        last = (tile.runs - 1) * tile.pitch + (columns - 1) * tile.rows
        enough = self.rounds + -(-tile.runs // 2) + 2 <= len(_REGISTERS)
        return enough and last <= REACH and (windows - 1) * tile.rows <= REACH

    def slot(self, number: int) -> int:
        return _WEIGHTS + 4 * number

    @property
    def frame(self) -> int:
        spilled = [number for number in range(len(self.filter.registers)) if number not in self.kept]
        return -(-(self.slot(max(spilled)) + 4 if spilled else _WEIGHTS) // 8) * 8 + 4

    def products(self, column: int, users: Sequence[tuple[int, int]]) -> Code:
        return joined(self.load(column), *(self.add(*user) for user in users))

    def load(self, column: int) -> Code:
        """Code that loads the elements of a column of the image."""
        first = column * self.tile.rows

        def element(row: int) -> Address:
            return at(_INPUT, first + row * self.tile.pitch)

        lines: list[Line] = []
        for number, tap in enumerate(self.taps):
            if 2 * number + 1 < self.filter.rows:
                second = self.spare or self.taps[-1]
                lines += [t.ldrsb(tap, element(2 * number)), t.ldrsb(second, element(2 * number + 1))]
                lines += [t.pkhbt(tap, tap, second, lsl=16)]
            else:
                lines += [t.ldrsb(tap, element(2 * number))]
        return tuple(lines)

    def add(self, window: int, column: int) -> Code:
        """Code that adds the products of the loaded elements and a column of the filter to the sum of a window."""
        sum = self.sums[window % self.rounds]
        lines: list[Line] = [t.ldr(sum, slot(_START))] if column == 0 else []
        for number, tap in enumerate(self.taps):
            low, high = (self.filter.weight(2 * number + half, column) for half in range(2))
            place = next(i for i, halves in enumerate(self.filter.registers) if low in halves)
            register, (_, second) = self.kept.get(place), self.filter.registers[place]
            if register is None:
                assert self.spare is not None
                register = self.spare
                lines += [t.ldr(register, slot(self.slot(place)))]
            if second == high:
                lines += halfwords((sum,), tap, register)
            else:
                lines += half(sum, tap, register, top=second == low)
        return tuple(lines)

    def finish(self, window: int) -> Code:
        sum, right = self.sums[window % self.rounds], len(self.filter.registers) - 1
        multiplier, shift = self.multiplier or self.taps[0], self.kept.get(right, self.taps[0])
        lines = requantised(sum, multiplier, shift, self.tile)
        loads = {0: (multiplier, _MULTIPLIER)} if self.multiplier is None else {}
        if right not in self.kept:
            # The shift is read by the third instruction from the end.
            loads[len(lines) - 3] = shift, self.slot(right)
        full = [
            text
            for number, line in enumerate(lines)
            for text in ((*self.loaded(loads[number]), line) if number in loads else (line,))
        ]
        return (*full, self.store(sum, window))

    def store(self, sum: str, window: int) -> Instruction:
        """The store of the result of a window."""
        return t.strb(sum, at(_OUT, window * self.tile.rows))

    def loaded(self, load: tuple[str, int]) -> Code:
        return (t.ldr(load[0], slot(load[1])),)

    def set_up(self) -> Code:
        """Code that loads weights, start value and factors, which are the same for all windows of a channel."""
        stream, word = self.sums[0], self.taps[0]
        lines = [t.ldr(stream, slot(_STREAM))]
        for number in range(len(self.filter.registers)):
            if number % 2 == 0:
                lines += [t.ldr(word, post(stream, 4))]
            to = self.kept.get(number) or self.spare
            assert to is not None
            lines += [t.sxtb16(to, word, ror=8) if number % 2 else t.sxtb16(to, word)]
            if number not in self.kept:
                lines += [t.str_(to, slot(self.slot(number)))]
        lines += [t.ldr(word, post(stream, 4)), t.str_(word, slot(_START))]
        return (*lines, *self.factors(stream, word), t.str_(stream, slot(_STREAM)))

    def factors(self, stream: str, spare: str) -> Code:
        """Code that loads the multiplier of a channel from the stream.

        stream: the register that points into the stream.
        spare: a scratch register.
        """
        load = t.ldr(self.multiplier or spare, post(stream, 4))
        return (load,) if self.multiplier else (load, t.str_(spare, slot(_MULTIPLIER)))

    def enter(self) -> Code:
        """Code that loads the values that all channels share."""
        return ()

    def parts(self) -> tuple[Code, Code, Code, Code]:
        """The code of the kernel in four parts, three of which are executed for each channel.

        The first part surrounds the code of all channels: its last two instructions come after that code. The other
        parts are the code before the loop of a channel, in each iteration (empty without a loop), and after the loop.
        """
        tile, channels = self.tile, self.tile.rows
        begin = joined(
            t.push((*SAVED, "lr")),
            t.sub("sp", self.frame),
            t.str_("r0", slot(_STREAM)),
            t.mov("r0", _OUT),
            moved("r0", channels),
            t.str_("r0", slot(_END)),
            self.enter(),
            t.add("sp", self.frame),
            t.pop((*SAVED, "pc")),
        )
        before = joined(self.set_up(), self.before())
        rest, loop = tile.count, joined()
        if self.loops:
            rest = tile.count - self.loops * self.rounds
            moves = joined(moved(_INPUT, self.rounds * tile.step), moved(_OUT, self.rounds * channels))
            before = joined(before, self.counted(lambda counter: t.mov(counter, self.loops), loads=False))
            counted = self.counted(lambda counter: t.subs(counter, 1))
            loop = joined(self.windows(self.rounds, self.rounds - 1), moves, counted, t.bne(back=2))
        back = self.loops * self.rounds
        behind = joined(
            self.windows(rest, 0),
            moved(_INPUT, 1 - back * tile.step),
            moved(_OUT, 1 - back * channels),
            t.ldr(self.taps[0], slot(_END)),
            t.cmp(_OUT, self.taps[0]),
            t.bne(back=1),
        )
        return begin, before, loop, behind

    def counted(self, line: Callable[[str], Instruction], *, loads: bool = True) -> Code:
        """Code that applies an instruction to the loop counter, which is in a register or in the stack frame.

        line: a function that returns the instruction for a register.
        loads: true if the instruction reads the counter.
        """
        counter = self.counter or self.taps[0]
        if self.counter is not None:
            return (line(counter),)
        load = (t.ldr(counter, slot(_COUNT)),) if loads else ()
        return (*load, line(counter), t.str_(counter, slot(_COUNT)))

    def function(self) -> Repeated:
        begin, before, loop, behind = self.parts()
        channel = Repeated.once(before)
        if loop:
            channel = channel.followed_by(Repeated.once(loop).counted(2, self.loops))
        return Repeated.once(begin[:-2]).followed_by(channel.then(behind).counted(1, self.tile.rows)).then(begin[-2:])

    @property
    def layout(self) -> WeightStream:
        return self.filter.layout
