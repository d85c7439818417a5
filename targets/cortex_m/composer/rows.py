"""Tile kernels that multiply rows of a matrix by windows, for the DSP extension: the weight stream and three register
tiles.

Weights are streamed in groups of four, which are multiplied by four elements of a window. SXTB16 splits four bytes into
elements 0 and 2, and elements 1 and 3.

`SingleWindow`: eight rows by a single window. Four elements of the window at a time are widened in registers, once for
all rows of a block.

`RowPairs`: two rows by two windows. The windows are widened to halfwords in the stack frame, once for all rows. Long
windows are instead widened in registers, for each pair of rows. An odd last row and an odd last window are multiplied
alone.

`WidenedRows`: four rows by two windows, or eight by one, with weights of two bytes. The stream needs twice the flash,
but no instructions or registers to widen weights.

Registers are assigned by hand for two reasons. LDM and STM transfer registers in the order of their numbers, which a
linear scan does not take into account. `WidenedRows` uses all registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.instructions import Code, Instruction, Line, Repeated, joined
from tinyml.targets.composer.tile_code import RowKernel, unrolled
from tinyml.targets.composer.tile_composer import TileCode
from tinyml.targets.composer.weight_streams import (
    DOUBLED,
    RIGHT_LESS_1,
    ROW,
    START,
    RowNumbers,
    Weights,
    WeightStream,
    in_powers_of_two,
    multipliers_and_shifts,
)
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import (
    QUAD,
    UNROLLED,
    counted,
    counted_in_memory,
    halfwords,
    last_few,
    moved,
    next_four,
    parted_bytes,
    repeated,
    requantised,
    requantised_rows,
    restored,
    rows_of_halfwords,
    saved,
    widened_elements,
    widened_windows,
    words,
)
from tinyml.targets.cortex_m.thumb import IMMEDIATE, REACH, Address, at, post, slot
from tinyml.targets.nests import Numbers
from tinyml.targets.tiles import Tile

_QUADS = (QUAD, ROW, 1)
"""The order of bytes: four weights of each row in turn."""

_JOINED_QUADS = (QUAD, ROW, 1, 2)
"""The order for elements that are not split: SXTB16 splits the weights into elements 0 and 1, and 2 and 3."""

PARTED_PAIRS, _JOINED_PAIRS = (QUAD, 1, ROW, 2), (2, ROW, 1)
"""The orders of halfwords: elements 0 and 2 of each row, then 1 and 3; and for elements that are not split."""

FACTORS = DOUBLED, RIGHT_LESS_1

ROWS = 8
"""The greatest number of sums in registers."""

LAST = 0x80
"""The mark of the last pair of rows, in the most significant byte of its shifts."""

_DENSE = 64
"""The greatest number of elements of a window whose runs, not multiples of four, are joined."""


@dataclass(frozen=True)
class _Quads:
    """The division of a window's elements into groups of four, and the streams of weights in the same order."""

    tile: Tile

    @property
    def is_joined(self) -> bool:
        """True if the runs of a window are concatenated before they are divided into groups, instead of padding each
        run.
        """
        return self.tile.length % QUAD != 0 and self.tile.runs * self.tile.length <= _DENSE

    @property
    def run(self) -> int:
        """The distance between the starts of consecutive runs in a row of weights, in elements."""
        return self.tile.length if self.is_joined else -(-self.tile.length // QUAD) * QUAD

    @property
    def count(self) -> int:
        return -(-self.tile.runs * self.run // QUAD)

    def filled(self, weights: Numbers) -> Numbers:
        rows = len(weights)
        runs = weights.reshape(rows, 1 if self.is_joined else self.tile.runs, -1)
        return np.pad(runs, ((0, 0), (0, 0), (0, -runs.shape[2] % QUAD))).reshape(rows, -1)

    def stream(
        self, groups: Sequence[tuple[int, int]], order: tuple[int, ...], *, bytes: int = 1, mark: int = 0
    ) -> WeightStream:
        """The weight stream in blocks of rows.

        groups: pairs (number of blocks, rows of each block).
        order: the order of the weights, as in `Weights`.
        bytes: the number of bytes of a weight.
        mark: the `end_mark` of the field for the shifts.
        """
        weights = Weights("weights", elements=QUAD * self.count, order=order, bytes=bytes)
        fields = RowNumbers("starts", content=(START,)), weights, *multipliers_and_shifts(FACTORS, mark)
        return WeightStream(self.tile, groups, fields, run_elements=self.run, elements=self.filled)

    def bytes(self) -> WeightStream:
        pairs, odd = divmod(self.tile.rows, 2)
        groups = [group for group in ((pairs, 2), (odd, 1)) if group[0]]
        return self.stream(groups, _JOINED_QUADS if self.is_joined else _QUADS, mark=LAST)

    def halfwords(self) -> WeightStream:
        groups = in_powers_of_two(self.tile.rows, ROWS // min(self.tile.count, 2))
        return self.stream(groups, _JOINED_PAIRS if self.is_joined else PARTED_PAIRS, bytes=2)


SUMS = ("r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11")
_STREAM, _WINDOW, _ELEMENTS, _WEIGHTS = "r0", "r1", ("r2", "r3"), ("r12", "lr")
AT_WINDOW, AT_OUT, _AT_BLOCKS, _AT_END = (slot(4 * number) for number in range(4))
_FRAME = 20
FOUR = (t.ldr("r3", post(_WINDOW, 4)),)
_UNROLLED_QUADS = {4096: 8, 0: 2}
"""The number of groups of four elements in an iteration, by the least number of weights."""


@dataclass(frozen=True)
class OneWindowKernel(RowKernel):
    """The base class of code for a tile of one window."""

    SATURATED = 0

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        return [(1, 1)]

    def load_windows(self, windows: int) -> Repeated:
        return Repeated.once(())

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        return code


@dataclass(frozen=True)
class SingleWindow(OneWindowKernel):
    """The code for a tile of one window. The window is a single run of at least four elements."""

    @property
    def layout(self) -> WeightStream:
        return _Quads(self.tile).stream(in_powers_of_two(self.tile.rows, len(SUMS)), _QUADS)

    @property
    def fits(self) -> bool:
        return self.tile.runs == 1 and self.tile.length >= QUAD

    @property
    def frame(self) -> int:
        return _FRAME

    def quad(self, rows: int, load: Sequence[Instruction] = FOUR) -> Code:
        """Code that adds the products of four elements and the weights of each of `rows` rows to the sums.

        load: the instructions that load the elements.
        """
        even, odd = _ELEMENTS
        *before, last = load
        lines = [before, parted_bytes(last, even, odd)]
        for sum in SUMS[:rows]:
            lines += [
                parted_bytes(t.ldr("lr", post(_STREAM, 4)), *_WEIGHTS),
                halfwords((sum,), _WEIGHTS[0], even),
                halfwords((sum,), _WEIGHTS[1], odd),
            ]
        return joined(*lines)

    def start(self, rows: int, windows: int) -> Code:
        return (t.ldm(_STREAM, SUMS[:rows], update=True),)

    def products(self, rows: int, windows: int) -> Repeated:
        whole, rest = divmod(self.tile.length, QUAD)
        weights = self.tile.rows * self.tile.length
        at_once = next(count for least, count in _UNROLLED_QUADS.items() if weights >= least)
        end = t.ldr("r3", _AT_END), t.cmp(_WINDOW, "r3"), t.bne(back=3)
        code = Repeated.once((t.ldr(_WINDOW, AT_WINDOW),)).followed_by(
            unrolled(self.quad(rows), whole, at_once, lambda code, times: code.looped((), end, times, 3))
        )
        if rest:
            # The last four elements; those that have already been multiplied are replaced by zeros.
            load = t.ldr("r3", at(_WINDOW, rest - QUAD)), t.lsr("r3", "r3", 8 * (QUAD - rest))
            code = code.then(self.quad(rows, load))
        return code

    def finish(self, rows: int, windows: int) -> Code:
        sums = [(sum,) for sum in SUMS[:rows]]
        results = requantised_rows(self.layout, sums, [(post("r2", 1),)] * rows)
        return joined(t.ldr("r2", AT_OUT), results, t.str_("r2", AT_OUT))

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return counted_in_memory(block, times, _AT_BLOCKS, "r3", 1)

    def enter(self) -> Code:
        end = moved("r1", self.tile.length - self.tile.length % QUAD)
        return joined(saved(self.frame), t.str_("r1", AT_WINDOW), t.str_("r2", AT_OUT), end, t.str_("r1", _AT_END))

    def leave(self) -> Code:
        return restored(self.frame)


_WIDE_BYTES = 1024
"""The stack limit for two windows that are widened once, in bytes; an element of both takes four."""

FIRST_SUMS, SECOND_SUMS = ("r4", "r6"), ("r5", "r7")
"""The sums of both rows, for the first window and for the second."""

_WINDOWS = ("r8", "r9", "r10", "r11")
"""Four elements of the first window, two by two, then those of the second."""

STREAM, _WINDOWS_AT, _PAIRS_LEFT, FIRST_FREE = range(4)
_RUNS_LEFT = FIRST_FREE
"""Stack slots above the widened windows."""


def _registers(windows: int) -> tuple[str, ...]:
    return _WINDOWS if windows == 2 else _WINDOWS[:2]


@dataclass(frozen=True)
class RowPairs(RowKernel):
    """The code for a tile of two rows by two windows.

    r0 points into the weight stream, r1 to results, r2 into windows.

    MOST: the stack limit, in bytes, for windows that are widened once.
    TOGETHER: the number of consecutive elements of one widened window between elements of the other window.
    """

    SATURATED = 0
    MOST: ClassVar[int] = _WIDE_BYTES
    TOGETHER: ClassVar[int] = QUAD

    @property
    def layout(self) -> WeightStream:
        return _Quads(self.tile).bytes()

    @property
    def is_dense(self) -> bool:
        """True if the runs of a window are concatenated without padding."""
        return _Quads(self.tile).is_joined

    @property
    def quads(self) -> int:
        return _Quads(self.tile).count

    @property
    def wide(self) -> int:
        """The bytes of the widened windows in the stack frame; 0 if windows are widened for each pair of rows."""
        size = 2 * QUAD * self.quads * min(self.tile.count, 2)
        return size if size <= self.MOST else 0

    @property
    def fits(self) -> bool:
        """True if every load and store reaches its address, one instruction can set the number of windows, and runs
        have at least four elements or are concatenated.
        """
        tile = self.tile
        inside = (tile.runs - 1) * tile.pitch + tile.length if self.is_dense else 0
        reaches = inside + tile.step <= REACH and tile.rows + 1 <= REACH and tile.count <= IMMEDIATE
        return reaches and (self.is_dense or tile.length >= QUAD)

    def slot(self, number: int) -> Address:
        """The address of stack slot `number` above the widened windows."""
        return slot(self.wide + 4 * number)

    @property
    def words(self) -> int:
        """The number of stack slots above the widened windows."""
        return FIRST_FREE + 1

    @property
    def frame(self) -> int:
        size = self.wide + 4 * self.words
        # With nine saved registers, a multiple of 8.
        return size + (4 - size) % 8

    def parted(self, windows: int) -> Sequence[str]:
        return _registers(windows)

    def fetch(self, pointer: str, windows: int) -> Code:
        """Code that loads four elements of one or two windows."""
        if windows == 1:
            return parted_bytes(t.ldr("r9", post(pointer, 4)), "r8", "r9")
        return next_four(pointer, self.tile.step, self.parted(windows))

    def rest(self, pointer: str, windows: int) -> Code:
        count = self.tile.length % QUAD
        return last_few(pointer, [0, self.tile.step][:windows], self.parted(windows), count) if count else ()

    def gap(self, pointer: str) -> Code:
        """Code that advances a pointer from the end of a run's last whole group of four elements to the next run."""
        whole = self.tile.length - self.tile.length % QUAD
        return moved(pointer, self.tile.pitch - whole) if self.tile.runs > 1 else ()

    @property
    def window_start(self) -> Code:
        return (t.ldr("lr", self.slot(_WINDOWS_AT)),)

    def widened(self, windows: int) -> Repeated:
        """Code that widens windows to halfwords in the stack frame. Two windows are interleaved."""
        tile = self.tile
        start = self.window_start
        if self.is_dense:
            together, apart = self.TOGETHER, [0, tile.step][:windows]
            elements = [widened_elements(tile.length, run, tile.pitch, apart, together) for run in range(tile.runs)]
            return Repeated.once(joined(start, *elements))
        store = t.stm("r2", _registers(windows), update=True)
        step, rest = (
            joined(fetch, store) if fetch else () for fetch in (self.fetch("lr", windows), self.rest("lr", windows))
        )
        run = repeated(step, tile.length // QUAD, "r3", 3).then(rest)
        runs = counted(run.then(self.gap("lr")), tile.runs, "r12", 5)
        return Repeated.once(joined(start, t.mov("r2", "sp"))).followed_by(runs)

    def quad(self, rows: int, elements: Code, windows: int, *, first: bool = False) -> Code:
        """Code that adds the products of four weights of each of `rows` rows and four elements of each of `windows`
        windows to the sums.

        elements: the code that loads the elements.
        first: true for the first products of the sums. The register of the first window's sum then contains the start
            value of the row.

        Weights are loaded directly after elements or other weights, because a load takes one cycle less after a load.
        If windows are widened once, r3 is not a counter and contains the weights of the second row.
        """
        weights = ("lr", "r3") if self.wide else ("lr", "lr")
        together = rows if self.wide else 1
        loads = [t.ldr(register, post("r0", 4)) for register in weights[:rows]]
        widening = (
            number
            for number, line in enumerate(elements)
            if not (isinstance(line, Instruction) and line.cycles in ("load", "several"))
        )
        loaded = next(widening, len(elements))
        lines: list[Line | Code] = [elements[:loaded], *loads[:together], elements[loaded:]]
        for row, register in enumerate(weights[:rows]):
            one, two = FIRST_SUMS[row], SECOND_SUMS[row]
            if row >= together:
                lines += [loads[row]]
            lines += [t.sxtb16("r12", register), t.sxtb16(register, register, ror=8)]
            if windows == 2:
                begin = (t.smlad(two, "r12", "r10", one),) if first else halfwords((two,), "r12", "r10")
                lines += [begin, halfwords((two,), register, "r11")]
            lines += [halfwords((one,), "r12", "r8"), halfwords((one,), register, "r9")]
        return joined(*lines)

    def start(self, rows: int, windows: int) -> Code:
        return words("r0", FIRST_SUMS[:rows])

    def products(self, rows: int, windows: int) -> Repeated:
        if self.wide:
            elements = widened_windows("r2", _registers(windows))
            first, step = self.quad(rows, elements, windows, first=True), self.quad(rows, elements, windows)
            more = self.further(step, UNROLLED, windows)
            return Repeated.once(joined(t.mov("r2", "sp"), first)).followed_by(more)
        pairs = zip(FIRST_SUMS[:rows], SECOND_SUMS, strict=False)
        copies = [t.mov(two, one) for one, two in pairs if windows == 2]
        step = self.quad(rows, self.fetch("r2", windows), windows)
        rest = self.quad(rows, self.rest("r2", windows), windows) if self.tile.length % QUAD else ()
        run = repeated(step, self.tile.length // QUAD, "r3", 3).then(rest)
        runs = counted_in_memory(run.then(self.gap("r2")), self.tile.runs, self.slot(_RUNS_LEFT), "r3", 5)
        return Repeated.once(joined(t.ldr("r2", self.slot(_WINDOWS_AT)), copies)).followed_by(runs)

    def further(self, quad: Code, at_once: int, windows: int) -> Repeated:
        """Code that executes `quad` for all groups of elements but the first, until r2 is at the end of the widened
        windows. It clobbers r3.
        """
        end = t.add("r3", "sp", 2 * windows * QUAD * self.quads), t.cmp("r2", "r3"), t.bne(back=3)
        return unrolled(quad, self.quads - 1, at_once, lambda code, times: code.looped((), end, times, 3))

    def finish(self, rows: int, windows: int) -> Code:
        second = self.tile.rows
        factors = ("r8", "r9", "r10") if rows == 2 else ("r8", "r10")
        lines: list[Line | Code] = [t.ldm("r0", factors, update=True)]
        if rows == 2:
            lines += [t.lsr("r11", "r10", 8)]
        for row, (multiplier, right) in enumerate([("r8", "r10"), ("r9", "r11")][:rows]):
            for window, sums in enumerate((FIRST_SUMS, SECOND_SUMS)[:windows]):
                lines += [requantised(sums[row], multiplier, right, self.tile)]
                if row or window:
                    lines += [t.strb(sums[row], at("r1", second * window + row))]
        return joined(*lines, t.strb("r4", post("r1", rows)))

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        pairs, odd = divmod(self.tile.count, 2)
        return [group for group in ((pairs, 2), (odd, 1)) if group[0]]

    def load_windows(self, windows: int) -> Repeated:
        code = self.widened(windows) if self.wide else Repeated.once(())
        return code.then((t.ldr("r0", self.slot(STREAM)),))

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return block.looped((), (t.cmp("r10", 0), t.bge(back=2)), times, 2)

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        return counted_in_memory(code, times, self.slot(_PAIRS_LEFT), "r3", 1)

    @property
    def first_results(self) -> Code:
        return (t.mov("r1", "r2"),)

    @property
    def further_results(self) -> Code:
        """Code that advances the pointer to results from the end of the first window's results to those of the next two
        windows.
        """
        return moved("r1", self.tile.rows)

    def enter(self) -> Code:
        arguments = t.str_("r0", self.slot(STREAM)), t.str_("r1", self.slot(_WINDOWS_AT))
        return joined(saved(self.frame), arguments, self.first_results)

    def leave(self) -> Code:
        return restored(self.frame)

    def next_windows(self, windows: int) -> Code:
        if self.tile.count <= 2 or windows == 1:
            return ()
        address = self.slot(_WINDOWS_AT)
        step = moved("r12", 2 * self.tile.step)
        return joined(self.further_results, t.ldr("r12", address), step, t.str_("r12", address))


_OUT, _BLOCKS_LEFT = FIRST_FREE, FIRST_FREE + 1
"""Stack slots above the widened windows."""

_UNROLLED = 16
"""The number of groups of four elements in an iteration."""


@dataclass(frozen=True)
class WidenedRows(RowPairs):
    """The code for a tile whose weights have two bytes in the stream.

    r0 points into the weight stream, r2 into windows; r1 and r3 contain two elements each.
    """

    MOST: ClassVar[int] = 4064
    TOGETHER: ClassVar[int] = 2

    @property
    def fits(self) -> bool:
        return super().fits and self.wide > 0 and self.tile.rows + 3 <= REACH

    @property
    def layout(self) -> WeightStream:
        return _Quads(self.tile).halfwords()

    @property
    def words(self) -> int:
        return _BLOCKS_LEFT + 1

    def parted(self, windows: int) -> Sequence[str]:
        return ("r8", "r10", "r9", "r11") if windows == 2 else super().parted(windows)

    def start(self, rows: int, windows: int) -> Code:
        return words("r0", [row[0] for row in self.sums(rows, windows)])

    def products(self, rows: int, windows: int) -> Repeated:
        sums, elements = self.sums(rows, windows), post("r2", 4 * windows)
        pair = rows_of_halfwords("r0", sums, elements)
        first = rows_of_halfwords("r0", sums, elements, starts=[row[0] for row in sums])
        more = self.further(pair * 2, _UNROLLED, windows)
        return Repeated.once(joined(t.mov("r2", "sp"), first, pair)).followed_by(more)

    def sums(self, rows: int, windows: int) -> Sequence[Sequence[str]]:
        return [SUMS[windows * row : windows * (row + 1)] for row in range(rows)]

    def finish(self, rows: int, windows: int) -> Code:
        stores = [[at("r1", window * self.tile.rows + row) for window in range(windows)] for row in range(rows)]
        return joined(
            t.ldr("r1", self.slot(_OUT)),
            requantised_rows(self.layout, self.sums(rows, windows), stores, ("r2", "r3")),
            moved("r1", rows),
            t.str_("r1", self.slot(_OUT)),
        )

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        return counted_in_memory(block, times, self.slot(_BLOCKS_LEFT), "r3", 2)

    @property
    def first_results(self) -> Code:
        return (t.str_("r2", self.slot(_OUT)),)

    @property
    def further_results(self) -> Code:
        return joined(super().further_results, t.str_("r1", self.slot(_OUT)))


def dots(tile: Tile) -> TileCode[str]:
    """The code for a tile that multiplies rows of a matrix by windows.

    It is `SingleWindow` if this class supports the tile, otherwise `RowPairs`.
    """
    window = SingleWindow(tile)
    return window if tile.count == 1 and window.fits else RowPairs(tile)
