"""Depthwise kernels that embed the filters in code, channel by channel, for the DSP extension.

Zero weights need no code, and elements that are multiplied only by zero weights are not loaded. A product needs one
instruction; if the weight is a power of two, the instruction is an addition with a shift. Two rows of a filter are
multiplied as pairs of halfwords if this needs fewer instructions than single products. Other weights are constants in
registers, as are the start value and the multiplier. Constants for which there is no register are in the stack frame.

This code is not an instance of `RowKernel`, because the weights determine which instructions a window needs, and there
is no weight stream.

Registers are assigned by hand. They contain the same values for all windows. The most frequently used values are
assigned first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.constants_in_c import doubled
from tinyml.targets.composer.instructions import Code, Repeated, joined
from tinyml.targets.composer.tile_code import RepeatedCode
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.coded_rows import constant
from tinyml.targets.cortex_m.composer.depthwise import OverlappingWindows
from tinyml.targets.cortex_m.composer.fragments import SAVED, high_word, is_power_of_two, moved
from tinyml.targets.cortex_m.thumb import REACH, at, slot
from tinyml.targets.nests import Numbers
from tinyml.targets.tiles import Sums, Tile

Rows = tuple[int, ...]
"""A row of a filter, or two that are multiplied together."""

_TRIED = 6
"""The greatest number of rows for which all pairings are tried."""


def _groups(rows: Sequence[int]) -> Iterator[list[Rows]]:
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
    """The weights of a channel, rows x columns, without leading and trailing columns of zeros.

    across: the number of columns from one window to the next.
    """

    weights: Numbers
    across: int

    def needed(self, rows: Rows, columns: Sequence[int]) -> list[int]:
        return [row for row in rows if self.weights[row, list(columns)].any()]

    def cost(self, groups: Sequence[Rows]) -> tuple[int, int]:
        """The number of instructions of a window before its epilogue, and the number of constants that they use.

        groups: the rows that are multiplied as pairs or alone.
        """
        width = self.weights.shape[1]
        classes = [range(first, width, self.across) for first in range(min(self.across, width))]
        loads = [len(self.needed(rows, columns)) for rows in groups for columns in classes]
        packed = sum(count == 2 for count in loads)
        products = sum(int(self.weights[list(rows)].any(0).sum()) for rows in groups)
        return sum(loads) + packed + products, len(self.words(groups))

    def words(self, groups: Sequence[Rows]) -> list[tuple[int, int]]:
        """The constants that the code uses, as pairs of halfwords: the weights of paired rows, then the weights of
        unpaired rows that must be in registers.
        """
        together = {self.word(rows, column) for rows in groups if len(rows) == 2 for column in range(self.columns)}
        alone = sorted(self._alone(groups))
        halves = [(alone[i], (alone[i + 1 : i + 2] or [0])[0]) for i in range(0, len(alone), 2)]
        return [*sorted(together - {(0, 0)}), *halves]

    def _alone(self, groups: Sequence[Rows]) -> set[int]:
        """The weights of unpaired rows that must be in registers. These are neither zeros nor powers of two."""
        rows = [row for group in groups if len(group) == 1 for row in group]
        return {int(weight) for weight in self.weights[rows].reshape(-1) if weight and not is_power_of_two(int(weight))}

    @property
    def columns(self) -> int:
        return self.weights.shape[1]

    def word(self, rows: Rows, column: int) -> tuple[int, int]:
        low, high = (int(self.weights[row, column]) for row in rows)
        return low, high

    @cached_property
    def groups(self) -> list[Rows]:
        """The rows with nonzero weights, divided into pairs and single rows.

        The division is the fastest one or, if there are many rows, one that a heuristic finds.
        """
        live = np.flatnonzero(self.weights.any(1)).tolist()
        return min(_groups(live), key=self.cost) if len(live) <= _TRIED else self._paired(live)

    def _paired(self, rows: Sequence[int]) -> list[Rows]:
        """A division of rows by a heuristic: pairs of rows are chosen greedily by the time that they save; the
        remaining rows are single.
        """
        alone = {row: self.cost([(row,)]) for row in rows}

        def saved(pair: Rows) -> tuple[int, int]:
            apart, together = [alone[row] for row in pair], self.cost([pair])
            return sum(time for time, _ in apart) - together[0], sum(words for _, words in apart) - together[1]

        savings = {pair: saved(pair) for pair in combinations(rows, 2)}
        free, groups = set(rows), list[Rows]()
        for pair in sorted(savings, key=lambda pair: savings[pair], reverse=True):
            if savings[pair] > (0, 0) and free.issuperset(pair):
                groups.append(pair)
                free.difference_update(pair)
        return sorted([*groups, *((row,) for row in free)])


_INPUT, OUT = "r0", "r1"
_REGISTERS = ("r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr")
_STRAIGHT = 6
"""The greatest number of windows that are computed without a loop."""

_LEAST = 3
"""The least number of windows in an iteration of a loop."""

_START, _MULTIPLIER, _COUNTER = "start", "multiplier", "counter"


class _CodedChannel(OverlappingWindows):
    """The code of a channel. It is valid only if `fits` is true.

    first: the first column of the filter that is not all zeros.
    """

    def __init__(self, tile: Tile, weights: Numbers, start: int, multiplier: int, shift: int) -> None:
        live = np.flatnonzero(weights.any(0))
        self.tile, self.first = tile, int(live[0])
        self.filter = CodedFilter(weights[:, self.first : int(live[-1]) + 1], max(tile.step // tile.rows, 1))
        super().__init__(self.filter.columns, tile.step // tile.rows, tile.count)
        self.right, self.start, self.multiplier = -int(shift), int(start), int(multiplier)
        self.reach = 128 * int(np.abs(weights).sum()) + abs(self.start)
        self.loop, self.loops = self._loop()
        if self.fits:
            self._allocate()

    def _loop(self) -> tuple[int, int]:
        """The number of windows per iteration, and the number of iterations, which is 0 if there is no loop."""
        count = self.tile.count
        if count <= max(_STRAIGHT, self.rounds):
            return count, 0
        sizes = [size for size in range(self.rounds, max(_STRAIGHT, self.rounds) + 1, self.rounds)]
        size = min(sizes, key=lambda size: (size < _LEAST, size + count % size, -size))
        return size, count // size

    def _allocate(self) -> None:
        """Divide the rows into groups, and assign registers to sums, elements and constants.

        The most frequently used constants are assigned first.
        """
        groups = self.filter.groups
        # The group of rows whose product begins a sum.
        self.begins = next(number for number, rows in enumerate(groups) if self.filter.needed(rows, [0]))
        self.words = self.filter.words(groups)
        free = list(_REGISTERS)
        self.sums, free = free[: self.rounds], free[self.rounds :]
        self.taps = [free.pop(0)]
        constants: list[tuple[int, int] | str] = [*self.words, _MULTIPLIER, _START]
        constants += [_COUNTER] if self.loops else []
        # A scratch register for the second element of a pair, and for spilled constants.
        pairs = any(len(rows) == 2 for rows in groups)
        self.spare = free.pop(0) if pairs or len(constants) > len(free) else ""
        self.kept = dict(zip(constants, free, strict=False))
        self.slots = {content: 4 * number for number, content in enumerate(constants[len(free) :])}
        self.taps += free[len(constants) :][: len(groups) - 1]

    def value(self, content: tuple[int, int] | str) -> int:
        if isinstance(content, str):
            return {_MULTIPLIER: doubled(self.multiplier), _START: self.start, _COUNTER: self.loops}[content]
        low, high = content
        return low & 0xFFFF | (high & 0xFFFF) << 16

    def set_up(self) -> Code:
        lines: list[Code] = []
        for content, register in self.kept.items():
            lines += [constant(register, self.value(content))]
        for content, place in self.slots.items():
            lines += [constant(self.spare, self.value(content)), (t.str_(self.spare, slot(place)),)]
        return joined(*lines)

    def products(self, column: int, users: Sequence[tuple[int, int]]) -> Code:
        groups = self.filter.groups
        loads = [self._load(number, column, [place for _, place in users]) for number in range(len(groups))]
        sums = [joined(*(self._add(number, *user, users) for user in users)) for number in range(len(groups))]
        if len(self.taps) == len(groups):
            return joined(*loads, *sums)
        return joined(*(joined(*both) for both in zip(loads, sums, strict=True)))

    def _tap(self, number: int) -> str:
        return self.taps[number % len(self.taps)]

    def _load(self, number: int, column: int, columns: Sequence[int]) -> Code:
        rows, tap = self.filter.groups[number], self._tap(number)
        needed = self.filter.needed(rows, columns)
        places = [(self.first + column) * self.tile.rows + row * self.tile.pitch for row in needed]
        loads = [
            t.ldrsb(register, at(_INPUT, place)) for register, place in zip((tap, self.spare), places, strict=False)
        ]
        return joined(loads, [t.pkhbt(tap, tap, self.spare, lsl=16)] if len(needed) == 2 else ())

    def _add(self, number: int, window: int, place: int, users: Sequence[tuple[int, int]]) -> Code:
        """Code that adds the products of group `number` of rows and a column of the filter to the sum of a window;
        empty if all weights of the group in this column are 0.

        place: the index of the filter column.
        users: pairs (window, filter column) for all windows that contain the loaded elements.
        """
        rows, tap, sum = self.filter.groups[number], self._tap(number), self.sums[window % self.rounds]
        weights = [int(self.filter.weights[row, place]) for row in rows]
        if not any(weights):
            return ()
        lines, begun = self._begun(sum) if place == 0 and number == self.begins else ((), sum)
        if len(rows) == 1 and is_power_of_two(weights[0]):
            places = abs(weights[0]).bit_length() - 1
            shift = {"lsl": places} if places else {}
            return joined(lines, (t.add if weights[0] > 0 else t.sub)(sum, begun, tap, **shift))
        if len(rows) == 2:
            needed = self.filter.needed(rows, [place for _, place in users])
            word, opcode = (weights[0], weights[1]), t.smlad if needed != [rows[1]] else t.smlabt
        else:
            word = next(word for word in self.words if weights[0] in word)
            opcode = t.smlabb if word[0] == weights[0] else t.smlabt
        fetched, register = self._fetched(word)
        return joined(lines, fetched, opcode(sum, tap, register, begun))

    def _begun(self, sum: str) -> tuple[Code, str]:
        if register := self.kept.get(_START):
            return (), register
        number = constant(sum, self.start)
        return (number if len(number) == 1 else (t.ldr(sum, slot(self.slots[_START])),)), sum

    def _fetched(self, content: tuple[int, int] | str, to: str = "") -> tuple[Code, str]:
        if register := self.kept.get(content):
            return (), register
        to = to or self.spare
        return (t.ldr(to, slot(self.slots[content])),), to

    def finish(self, window: int) -> Code:
        sum = self.sums[window % self.rounds]
        fetched, multiplier = self._fetched(_MULTIPLIER, self.taps[0])
        epilogue = _requantised(sum, multiplier, self.right, self.tile.zero, self.reach)
        return joined(fetched, epilogue, t.strb(sum, at(OUT, window * self.tile.rows)))

    def counted(self) -> Code:
        if register := self.kept.get(_COUNTER):
            return t.subs(register, register, 1), t.bne(back=1)
        tap, place = self.taps[0], self.slots[_COUNTER]
        return t.ldr(tap, slot(place)), t.subs(tap, tap, 1), t.str_(tap, slot(place)), t.bne(back=1)

    @property
    def code(self) -> Repeated:
        code = Repeated.once(joined(self.set_up(), self.before()))
        if not self.loops:
            return code.then(self.windows(self.tile.count, 0))
        step = joined(moved(_INPUT, self.loop * self.tile.step), moved(OUT, self.loop * self.tile.rows))
        loop = Repeated.once(joined(self.windows(self.loop, self.rounds - 1), step, self.counted()))
        code = code.followed_by(loop.counted(1, self.loops))
        code = code.then(self.windows(self.tile.count - self.loops * self.loop, 0))
        return code.then(moved(_INPUT, -self.loops * self.loop * self.tile.step))

    @property
    def moved_on(self) -> int:
        return self.loops * self.loop

    @property
    def fits(self) -> bool:
        tile, windows = self.tile, max(self.loop, self.tile.count - self.moved_on)
        columns = (windows - 1) * self.across + self.first + self.width
        last = (tile.runs - 1) * tile.pitch + columns * tile.rows
        return self.rounds + 2 < len(_REGISTERS) and last <= REACH and windows * tile.rows <= REACH


class _ConstantChannel:
    """The code of a channel whose weights are all zero. All its results are the same byte."""

    def __init__(self, tile: Tile, byte: int) -> None:
        self.tile, self.byte = tile, byte
        self.loops, self.rest = (0, tile.count) if tile.count <= _STRAIGHT else divmod(tile.count, _STRAIGHT)
        self.slots: dict[str, int] = {}

    @property
    def fits(self) -> bool:
        return _STRAIGHT * self.tile.rows <= REACH

    @property
    def moved_on(self) -> int:
        return self.loops * _STRAIGHT

    @property
    def code(self) -> Repeated:
        code = Repeated.once((t.mov("r2", self.byte & 0xFF),))
        if self.loops:
            step = moved(OUT, _STRAIGHT * self.tile.rows)
            loop = joined(self.stores(_STRAIGHT), step, t.subs("r3", "r3", 1), t.bne(back=1))
            code = code.then((t.mov("r3", self.loops),))
            code = code.followed_by(Repeated.once(loop).counted(1, self.loops))
        return code.then(self.stores(self.rest))

    def stores(self, count: int) -> Code:
        return tuple(t.strb("r2", at(OUT, window * self.tile.rows)) for window in range(count))


@dataclass(frozen=True)
class CodedDepthwise(RepeatedCode):
    """The code of the kernel for a depthwise tile. Its arguments are pointers to windows and results."""

    tile: Tile
    sums: Sums

    @property
    def fits(self) -> bool:
        tile = self.tile
        by_channel = tile.length % tile.rows == tile.step % tile.rows == 0 and tile.step > 0
        return by_channel and all(channel.fits for channel in self.channels)

    @cached_property
    def channels(self) -> Sequence[_CodedChannel | _ConstantChannel]:
        """The code of each channel, in order."""
        tile, channels = self.tile, list[_CodedChannel | _ConstantChannel]()
        for row, (weights, start, multiplier, shift) in enumerate(self.sums):
            byte = self.sums.constant_byte(row, tile.zero)
            taps = weights.reshape(tile.runs, -1)
            channel = (
                _CodedChannel(tile, taps, start, multiplier, shift) if byte is None else _ConstantChannel(tile, byte)
            )
            channels.append(channel)
        return channels

    @property
    def frame(self) -> int:
        words = max(len(channel.slots) for channel in self.channels)
        return -(-4 * words // 8) * 8 + 4 if words else 0

    def function(self) -> Repeated:
        """The kernel's complete function: the code of all channels, one after the other."""
        code = Repeated.once(joined(t.push((*SAVED, "lr")), moved("sp", -self.frame)))
        for number, channel in enumerate(self.channels):
            code = code.followed_by(channel.code)
            if number < len(self.channels) - 1:
                code = code.then((t.add(_INPUT, _INPUT, 1), *moved(OUT, 1 - channel.moved_on * self.tile.rows)))
        return code.then(joined(moved("sp", self.frame), t.pop((*SAVED, "pc"))))


def _requantised(sum: str, multiplier: str, right: int, zero: int, reach: int) -> Code:
    """Code that requantises a sum by a constant right shift of at least 1.

    multiplier: a register that contains the multiplier.
    zero: the zero point.
    reach: a bound on the magnitude of the sum.

    If no overflow is possible, the rounding bias and the zero point are added before the shift, and SSAT performs
    the whole shift.
    """
    added = (2 * zero + 1) << right - 1
    name, magnitude = (t.add, added) if added > 0 else (t.sub, -added)
    begin = high_word(sum, multiplier, zero)
    if reach + 1 + magnitude < 1 << 31:
        return *begin, name(sum, sum, magnitude), t.ssat(sum, 8, sum, asr=right)
    shift = t.asr(sum, sum, right - 1), name(sum, sum, abs(2 * zero + 1))
    return *begin, *shift, t.ssat(sum, 8, sum, asr=1)
