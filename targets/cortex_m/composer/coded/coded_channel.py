"""A depthwise filter as code, for the DSP extension.

Weights of zero take no code, and elements without a weight are not loaded. Two rows of a filter are multiplied as pairs
of halfwords if that takes fewer instructions than multiplying them one by one, where a power of two is a shift within
an addition. Other weights are constants in registers, as are the start and the multiplier; constants for which there is
no register are spilled to the stack frame.

The nest of rows cannot express this: the weights decide which instructions a window takes.

Registers are assigned by hand: they hold the same values along all windows, those used most often first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.requantised import doubled
from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.assembly.encodings import REACH
from tinyml.targets.cortex_m.assembly.operands import at, slot
from tinyml.targets.cortex_m.composer.assembly import moved
from tinyml.targets.cortex_m.composer.coded.coded_rows import constant
from tinyml.targets.cortex_m.composer.coded.row_pairing import CodedFilter
from tinyml.targets.cortex_m.composer.depthwise.overlapping_windows import OverlappingWindows
from tinyml.targets.cortex_m.composer.epilogues import requantised_by_constants
from tinyml.targets.cortex_m.composer.multiply import is_power_of_two
from tinyml.targets.tiles import Tile

if TYPE_CHECKING:
    from tinyml.targets.tiles import Numbers

STRIP, OUT = "r0", "r1"
_REGISTERS = ("r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr")
STRAIGHT = 6
"""The greatest number of windows that are computed without a loop."""

_LEAST = 3
"""The least number of windows in an iteration of a loop."""

_START, _MULTIPLIER, _COUNTER = "start", "multiplier", "counter"


class CodedChannel(OverlappingWindows):
    """The code of a channel, valid only if it `fits`.

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
        """The number of windows in an iteration, and of iterations; 0 without a loop."""
        count = self.tile.count
        if count <= max(STRAIGHT, self.rounds):
            return count, 0
        sizes = [size for size in range(self.rounds, max(STRAIGHT, self.rounds) + 1, self.rounds)]
        size = min(sizes, key=lambda size: (size < _LEAST, size + count % size, -size))
        return size, count // size

    def _allocate(self) -> None:
        """Groups rows and allocates registers to sums, elements and constants, those used most often first."""
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
        """The value of a constant."""
        if isinstance(content, str):
            return {_MULTIPLIER: doubled(self.multiplier), _START: self.start, _COUNTER: self.loops}[content]
        low, high = content
        return low & 0xFFFF | (high & 0xFFFF) << 16

    def set_up(self) -> Code:
        """Loads all constants of the channel."""
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
        """The register for elements of a group of rows."""
        return self.taps[number % len(self.taps)]

    def _load(self, number: int, column: int, columns: Sequence[int]) -> Code:
        """Loads the elements of those rows of a group that have weights in some columns of the filter."""
        rows, tap = self.filter.groups[number], self._tap(number)
        needed = self.filter.needed(rows, columns)
        places = [(self.first + column) * self.tile.rows + row * self.tile.pitch for row in needed]
        loads = [
            t.ldrsb(register, at(STRIP, place)) for register, place in zip((tap, self.spare), places, strict=False)
        ]
        return joined(loads, [t.pkhbt(tap, tap, self.spare, lsl=16)] if len(needed) == 2 else ())

    def _add(self, number: int, window: int, place: int, users: Sequence[tuple[int, int]]) -> Code:
        """Adds the products of a group of rows and a column of the filter to the sum of a window."""
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
        """The instructions that load the start, and the register that holds it."""
        if register := self.kept.get(_START):
            return (), register
        number = constant(sum, self.start)
        return (number if len(number) == 1 else (t.ldr(sum, slot(self.slots[_START])),)), sum

    def _fetched(self, content: tuple[int, int] | str, to: str = "") -> tuple[Code, str]:
        """The instructions that load a constant, and the register that holds it."""
        if register := self.kept.get(content):
            return (), register
        to = to or self.spare
        return (t.ldr(to, slot(self.slots[content])),), to

    def finish(self, window: int) -> Code:
        sum = self.sums[window % self.rounds]
        fetched, multiplier = self._fetched(_MULTIPLIER, self.taps[0])
        epilogue = requantised_by_constants(sum, multiplier, self.right, self.tile.zero, self.reach)
        return joined(fetched, epilogue, t.strb(sum, at(OUT, window * self.tile.rows)))

    def counted(self) -> Code:
        """Decrements the counter and branches back to the next iteration."""
        if register := self.kept.get(_COUNTER):
            return t.subs(register, register, 1), t.bne(back=1)
        tap, place = self.taps[0], self.slots[_COUNTER]
        return t.ldr(tap, slot(place)), t.subs(tap, tap, 1), t.str_(tap, slot(place)), t.bne(back=1)

    @property
    def code(self) -> Repeated:
        """The results of the channel."""
        code = Repeated.once(joined(self.set_up(), self.before()))
        if not self.loops:
            return code.then(self.windows(self.tile.count, 0))
        step = joined(moved(STRIP, self.loop * self.tile.step), moved(OUT, self.loop * self.tile.rows))
        loop = Repeated.once(joined(self.windows(self.loop, self.rounds - 1), step, self.counted()))
        code = code.followed_by(loop.counted(1, self.loops))
        code = code.then(self.windows(self.tile.count - self.loops * self.loop, 0))
        return code.then(moved(STRIP, -self.loops * self.loop * self.tile.step))

    @property
    def moved_on(self) -> int:
        """The windows by which the pointer to results advances."""
        return self.loops * self.loop

    @property
    def fits(self) -> bool:
        """True if the registers suffice and every load and store is in reach."""
        tile, windows = self.tile, max(self.loop, self.tile.count - self.moved_on)
        columns = (windows - 1) * self.across + self.first + self.width
        last = (tile.runs - 1) * tile.pitch + columns * tile.rows
        return self.rounds + 2 < len(_REGISTERS) and last <= REACH and windows * tile.rows <= REACH
