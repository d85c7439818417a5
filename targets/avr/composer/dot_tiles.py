"""Tile kernels for AVR that multiply rows of a matrix by windows. The sums of two rows by two windows are in registers.

In the stream, the start values of two rows precede their weights, which alternate. Each weight is therefore loaded once
for two windows. An odd last window is computed together with the previous window, which is computed twice.
"""

from __future__ import annotations

from functools import cache

from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import FLASH, RAM, TimedCode, copied, cycles, moved
from tinyml.targets.avr.composer.fragments import (
    FACTORS,
    RESULT,
    SUM,
    ZERO,
    accumulate_three_bytes,
    next_byte,
    shifted,
)
from tinyml.targets.avr.composer.sums import dot_in_chunks
from tinyml.targets.avr.composer.tile_code import AvrTileCode, cycles_alone
from tinyml.targets.composer.instructions import Code, joined
from tinyml.targets.composer.weight_streams import BY_ELEMENT, WeightStream
from tinyml.targets.tiles import Tile

_WINDOW, _ROWS, _PAIRS, _ELEMENTS, _RUNS = "r16", "r18", "r19", "r24", "r25"
"""A pointer to the first window; counters of pairs of rows, pairs of windows, elements and runs."""

_SUMS = [SUM, ("r4", "r5", "r11"), ("r6", "r7", "r12"), ("r8", "r9", "r13")]
"""The sums of both rows for the first window, then for the second; each is finished in the registers of the first."""

_FACTORS = (("r20", "r22"), ("r21", "r22"), ("r20", "r23"), ("r21", "r23"))
_STEP = joined(
    *(next_byte(FLASH, "Z")(weight) for weight in ("r20", "r21")),
    next_byte(RAM, "X")("r22"),
    next_byte(RAM, "Y")("r23"),
    *(
        joined(a.muls(weight, element), accumulate_three_bytes(sum, ZERO))
        for sum, (weight, element) in zip(_SUMS, _FACTORS, strict=True)
    ),
)
_START = joined(
    *(next_byte(FLASH, "Z")(register) for sum in _SUMS[:2] for register in sum),
    *(copied(sum, to) for sum, to in zip(_SUMS[:2], _SUMS[2:], strict=True)),
)
_FINISHED = 30
"""The approximate number of cycles that compiled C takes to finish the sum of a row and to advance to the next one."""

_MOST = 255


class AvrDotTile(AvrTileCode):
    """The code for a tile that multiplies rows of a matrix by windows. Z points into the stream, and the address of the
    results is on the stack.
    """

    def __init__(self, tile: Tile) -> None:
        super().__init__(tile)
        self.pairs = -(-tile.count // 2)

    @property
    def has_registers(self) -> bool:
        tile = self.tile
        counts = tile.rows // 2, tile.runs, self.pairs, tile.length // 2 + 1
        return tile.rows % 2 == 0 and tile.count > 1 and max(counts) <= _MOST

    @property
    def single(self) -> float:
        return _cycles_of_row(self.tile.runs * self.tile.length)

    @property
    def layout(self) -> WeightStream:
        """The layout of the stream: for each pair of rows, their start values, their weights in alternation and, if
        sums are requantised, their factors.
        """
        return self.weight_stream((self.tile.rows // 2, 2), self.tile.runs * self.tile.length, BY_ELEMENT)

    @property
    def _run(self) -> TimedCode:
        odd, half = self.tile.length % 2, self.tile.length // 2
        enter = TimedCode.once(a.ldi(_ELEMENTS, half + odd), (a.rjmp(ahead=1),) if odd else ())
        loop = TimedCode.once(_STEP, a.label(1), _STEP).looped(2, half + odd, _ELEMENTS)
        return enter.followed_by(loop.longer(-odd * cycles(_STEP)))

    @property
    def _rows(self) -> TimedCode:
        tile, run = self.tile, self._run
        begin = TimedCode.once(_START, a.movw("r26", _WINDOW), a.movw("r28", _WINDOW), moved("r28", tile.step))
        if tile.runs > 1:
            far = tile.pitch - tile.length
            begin = begin.then(a.ldi(_RUNS, tile.runs))
            run = run.then(moved("r26", far), moved("r28", far)).looped(44, tile.runs, _RUNS)
        code = begin.followed_by(run).then(a.pop("r29"), a.pop("r28"), self._results, a.push("r28"), a.push("r29"))
        return code.longer(4 * (self.requantising.called if self.requantises else cycles(self.subroutine)))

    @property
    def _results(self) -> Code:
        """Code that stores the four results through Y, which advances to the results of the next two rows."""
        rows = self.tile.rows
        if not self.requantises:
            # The results of both rows of a window are adjacent.
            steps = [(0, 0), (1, 0), (2, rows - 2), (3, 0)]
        else:
            # Both windows of a row have the same factors.
            steps = [(0, 0), (2, rows - 1), (1, -rows), (3, rows - 1)]
        lines: Code = ()
        for number, (sum, by) in enumerate(steps):
            copy = copied(_SUMS[sum], _SUMS[0]) if sum else ()
            again = moved("r30", -FACTORS) if self.requantises and number % 2 else ()
            called = (*self.requantising.call, a.st("Y+", RESULT)) if self.requantises else (a.rcall(ahead=50),)
            lines = joined(lines, again, moved("r28", by), copy, called)
        return joined(lines, moved("r28", -rows))

    @property
    def calls(self) -> int:
        return 2

    @property
    def subroutine(self) -> Code:
        """The subroutine that converts a sum to a byte by a shift and stores it; empty if sums are requantised."""
        if self.requantises:
            return ()
        return joined(a.label(50), shifted(SUM, self.tile.right, RESULT, ZERO), a.st("Y+", RESULT), a.ret())

    @property
    def _windows(self) -> TimedCode:
        tile, pairs = self.tile, self.tile.rows // 2
        rows = TimedCode.once(a.ldi(_ROWS, pairs)).followed_by(self._rows.looped(42, pairs, _ROWS))
        if tile.count == 2:
            return rows
        last = joined(moved(_WINDOW, -tile.step), moved("r28", -tile.rows)) if tile.count % 2 else ()
        following = rows.then(
            (a.pop("r29"), a.pop("r28")),
            moved(_WINDOW, 2 * tile.step),
            moved("r28", tile.rows),
            (a.cpi(_PAIRS, 2), a.brne(ahead=46), *last, a.label(46)) if last else (),
            (a.push("r28"), a.push("r29")),
            moved("r30", -self.layout.bytes(1)),
        )
        # All iterations but one skip the step back for an odd last window.
        skipped = (self.pairs - 1) * (cycles(last) - 1) if last else 0
        loop = following.looped(41, self.pairs, _PAIRS).longer(-skipped)
        return TimedCode.once(a.ldi(_PAIRS, self.pairs)).followed_by(loop)

    def composed(self) -> TimedCode:
        begin = TimedCode.once(a.push("r20"), a.push("r21"), a.movw("r30", "r24"), a.movw(_WINDOW, "r22"), a.clr(ZERO))
        return begin.followed_by(self._windows).then(a.pop("r0"), a.pop("r0"))


@cache
def _cycles_of_row(length: int) -> float:
    return cycles_alone(dot_in_chunks(24, 4), length) + _FINISHED
