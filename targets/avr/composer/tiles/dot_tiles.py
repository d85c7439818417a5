"""Rows of a matrix by the windows of a strip, two by two with their sums in registers, each shifted in the end.

The weights of two rows stand in turn behind the starts of both, so that each is fetched once for two windows. An odd
last pixel is computed together with the one before, once more.
"""

from __future__ import annotations

from functools import cache, cached_property

from tinyml.targets.avr.assembly.functions import RETURN_ADDRESS, framed
from tinyml.targets.avr.assembly.instructions import bytes_of, copied, cycles, moved
from tinyml.targets.avr.assembly.loops import again, repeated
from tinyml.targets.avr.composer.fragments import accumulate
from tinyml.targets.avr.composer.fragments.epilogues import (
    CALL,
    CALLED,
    FACTORS,
    RESULT,
    SUM,
    ZERO,
    shifted,
)
from tinyml.targets.avr.composer.fragments.fetch import FLASH, RAM, next_byte
from tinyml.targets.avr.composer.sums.dense import dot_in_chunks
from tinyml.targets.avr.composer.tiles.tile_code import AvrTileCode, time_alone
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.row_blocks import BY_ELEMENT
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.tiles import Tile

_WINDOW, _ROWS, _PAIRS, _ELEMENTS, _RUNS = "r16", "r18", "r19", "r24", "r25"
"""A pointer to the first window; counters of pairs of rows, pairs of pixels, elements and runs."""

_SUMS = [SUM, ("r4", "r5", "r11"), ("r6", "r7", "r12"), ("r8", "r9", "r13")]
"""Of both rows by the first window, then by the second one; the place of the first is where sums are finished."""

_FACTORS = (("r20", "r22"), ("r21", "r22"), ("r20", "r23"), ("r21", "r23"))
_STEP = joined(
    *(next_byte(FLASH, "Z")(weight) for weight in ("r20", "r21")),
    next_byte(RAM, "X")("r22"),
    next_byte(RAM, "Y")("r23"),
    *(
        joined(f"muls {weight},{element}", accumulate.three_bytes(sum, ZERO))
        for sum, (weight, element) in zip(_SUMS, _FACTORS, strict=True)
    ),
)
_START = joined(
    *(next_byte(FLASH, "Z")(register) for sum in _SUMS[:2] for register in sum),
    *(copied(sum, to) for sum, to in zip(_SUMS[:2], _SUMS[2:], strict=True)),
)
_FINISHED = 30
"""About the cycles that compiled C takes to finish the sum of a row and to go on to the next."""

_MOST = 255


class AvrDotTile(AvrTileCode):
    """The code for a tile: r31:r30 walks along the stream, the results wait on the stack."""

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
        return _time_of_row(self.tile.runs * self.tile.length)

    @property
    def layout(self) -> WeightStream:
        """Of two rows the starts, the weights in turn, and the factors."""
        return self.weight_stream((self.tile.rows // 2, 2), self.tile.runs * self.tile.length, BY_ELEMENT)

    @cached_property
    def _run(self) -> tuple[Lines, int]:
        """A run of both windows, two elements at once, and its time."""
        odd, twice = self.tile.length % 2, joined(_STEP, "1:", _STEP, f"dec {_ELEMENTS}")
        back = again(2, bytes_of(twice))
        enter = joined(f"ldi {_ELEMENTS},{self.tile.length // 2 + odd}", "rjmp 1f" if odd else ())
        time = cycles(enter) + repeated(cycles(twice), back, self.tile.length // 2 + odd) - odd * cycles(_STEP)
        return joined(enter, "2:", twice, back), time

    @cached_property
    def _rows(self) -> tuple[Lines, int]:
        """Two rows by two windows, up to the end of the loop over rows, and their time."""
        tile, (run, time) = self.tile, self._run
        begin = joined(
            _START,
            (f"movw r26,{_WINDOW}", f"movw r28,{_WINDOW}"),
            moved("r28", tile.step),
            f"ldi {_RUNS},{tile.runs}" if tile.runs > 1 else (),
        )
        if tile.runs > 1:
            far = tile.pitch - tile.length
            gap = joined(moved("r26", far), moved("r28", far), f"dec {_RUNS}")
            back = again(44, bytes_of(joined(run, gap)))
            run, time = joined("44:", run, gap, back), repeated(time + cycles(gap), back, tile.runs)
        finish = joined(
            ("pop r29", "pop r28"),
            self._results,
            ("push r28", "push r29", f"dec {_ROWS}"),
        )
        return joined(begin, run, finish), cycles(begin) + time + cycles(finish) + 4 * (
            CALLED if self.requantises else cycles(self._finish)
        )

    @property
    def _results(self) -> Lines:
        """Stores the four results, whose place Y walks along, and moves on to the next two rows."""
        rows = self.tile.rows
        if not self.requantises:
            # Both rows of a window lie beside each other.
            steps = [(0, 0), (1, 0), (2, rows - 2), (3, 0)]
        else:
            # Both windows of a row have the same factors.
            steps = [(0, 0), (2, rows - 1), (1, -rows), (3, rows - 1)]
        lines: Lines = ()
        for number, (sum, by) in enumerate(steps):
            copy = copied(_SUMS[sum], _SUMS[0]) if sum else ()
            again = moved("r30", -FACTORS) if self.requantises and number % 2 else ()
            called = (*CALL, f"st Y+,{RESULT}") if self.requantises else ("rcall 50f",)
            lines = joined(lines, again, moved("r28", by), copy, called)
        return joined(lines, moved("r28", -rows))

    @property
    def _finish(self) -> Lines:
        """Makes a byte of a sum by a shift, and stores it."""
        if self.requantises:
            return ()
        return joined("50:", shifted(SUM, self.tile.right, RESULT, ZERO), f"st Y+,{RESULT}", "ret")

    @cached_property
    def _pairs(self) -> tuple[Lines, int]:
        """All rows by two windows after two, and their time."""
        tile, (rows, time) = self.tile, self._rows
        back = again(42, bytes_of(rows))
        all_rows = joined(f"ldi {_ROWS},{tile.rows // 2}", "42:", rows, back)
        time = 1 + repeated(time, back, tile.rows // 2)
        if tile.count == 2:
            return all_rows, time
        last = joined(moved(_WINDOW, -tile.step), moved("r28", -tile.rows)) if tile.count % 2 else ()
        following = joined(
            ("pop r29", "pop r28"),
            moved(_WINDOW, 2 * tile.step),
            moved("r28", tile.rows),
            (f"cpi {_PAIRS},2", "brne 46f", *last, "46:") if last else (),
            ("push r28", "push r29"),
            moved("r30", -self.layout.bytes(1)),
            f"dec {_PAIRS}",
        )
        back = again(41, bytes_of(joined(all_rows, following)))
        time = repeated(time + cycles(following), back, self.pairs)
        # All but one jump over the way to an odd last window.
        skipped = (self.pairs - 1) * (cycles(last) - 1) if last else 0
        return joined(f"ldi {_PAIRS},{self.pairs}", "41:", all_rows, following, back), 1 + time - skipped

    @property
    def lines(self) -> Lines:
        begin = ("push r20", "push r21", "movw r30,r24", f"movw {_WINDOW},r22", f"clr {ZERO}")
        return joined(framed(joined(begin, self._pairs[0], "pop r0", "pop r0")), self._finish)

    @property
    def stack(self) -> int:
        # The place of results waits on the stack, and the return address of the epilogue.
        pushed = self.lines[: self.lines.index("clr r15")]
        return 2 * RETURN_ADDRESS + sum(line.startswith("push") for line in pushed)

    @property
    def time(self) -> int:
        pairs, time = self._pairs
        begin = cycles(self.lines) - cycles(pairs) - cycles(self._finish)
        return begin + time


@cache
def _time_of_row(length: int) -> float:
    """The cycles of a result by a kernel for single rows, at best."""
    return time_alone(dot_in_chunks(24, 4), length) + _FINISHED
