"""Rows of a matrix by a single window, eight at a time with their sums in registers, for the DSP extension.

The window is widened in registers, each four elements once for eight rows. The last rows go by four, by two and alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.composer.row_blocks import in_halves
from tinyml.targets.composer.tile_code import LoopedCode
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.cortex_m.composer.assembly import SAVED, SAVED_BYTES, bytes_of, moved
from tinyml.targets.cortex_m.composer.epilogues import requantised_rows
from tinyml.targets.cortex_m.composer.fetch import QUAD, parted_bytes
from tinyml.targets.cortex_m.composer.loops import counted_in_memory
from tinyml.targets.cortex_m.composer.multiply import halfwords
from tinyml.targets.cortex_m.composer.quad_streams import QUADS, Quads

_SUMS = ("r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11")
_STREAM, _WINDOW, _ELEMENTS, _WEIGHTS = "r0", "r1", ("r2", "r3"), ("r12", "lr")
_AT_WINDOW, _AT_OUT, _BLOCKS_LEFT, _AT_END = (f"[sp, #{4 * number}]" for number in range(4))
_FRAME = 20
_UNROLLED = {4096: 8, 0: 2}
"""The groups of four elements that stand one after the other in a loop, by the least number of weights."""


@dataclass(frozen=True)
class Window(LoopedCode):
    """The code for a tile of one window, which is a single run of at least four elements."""

    SATURATED = 0

    @cached_property
    def layout(self) -> WeightStream:
        return Quads(self.tile).stream(in_halves(self.tile.rows, len(_SUMS)), QUADS)

    @property
    def fits(self) -> bool:
        return self.tile.runs == 1 and self.tile.length >= QUAD

    def quad(self, rows: int, load: Lines = (f"ldr r3, [{_WINDOW}], #4",)) -> Lines:
        """Four elements by the weights of each row."""
        even, odd = _ELEMENTS
        *before, last = load
        lines = [before, parted_bytes(last, even, odd)]
        for sum in _SUMS[:rows]:
            lines += [
                parted_bytes(f"ldr lr, [{_STREAM}], #4", *_WEIGHTS),
                halfwords((sum,), _WEIGHTS[0], even),
                halfwords((sum,), _WEIGHTS[1], odd),
            ]
        return joined(*lines)

    def block(self, rows: int) -> Repeated:
        """The results of rows."""
        whole, rest = divmod(self.tile.length, QUAD)
        starts = f"ldm {_STREAM}!, {{{', '.join(_SUMS[:rows])}}}"
        weights = self.tile.rows * self.tile.length
        unrolled = next(count for least, count in _UNROLLED.items() if weights >= least)
        loops, single = divmod(whole, unrolled) if whole > 2 * unrolled else (0, whole)
        products = Repeated.once(joined(starts, f"ldr {_WINDOW}, {_AT_WINDOW}", self.quad(rows) * single))
        if loops:
            loop = Repeated.once(self.quad(rows) * unrolled)
            end = f"ldr r3, {_AT_END}", f"cmp {_WINDOW}, r3", "bne 3b"
            products = products.followed_by(loop.looped((), end, loops, 3))
        if rest:
            # The last four elements, of which those that met their weights before become zeros.
            more = 8 * (QUAD - rest)
            load = f"ldr r3, [{_WINDOW}, #{rest - QUAD}]", f"lsr r3, r3, #{more}"
            products = products.then(self.quad(rows, load))
        return products.then(self.finish(rows))

    def finish(self, rows: int) -> Lines:
        """Stores the results of rows."""
        sums = [(sum,) for sum in _SUMS[:rows]]
        results = requantised_rows(self.layout, sums, [("[r2], #1",)] * rows)
        return joined(f"ldr r2, {_AT_OUT}", results, f"str r2, {_AT_OUT}")

    def function(self) -> Repeated:
        whole = self.tile.length - self.tile.length % QUAD
        code = Repeated.once(
            joined(
                f"push {{{SAVED}, lr}}",
                (f"sub sp, #{_FRAME}", f"str r1, {_AT_WINDOW}", f"str r2, {_AT_OUT}"),
                moved("r1", whole),
                f"str r1, {_AT_END}",
            )
        )
        for times, rows in self.layout.groups:
            code = code.followed_by(counted_in_memory(self.block(rows), times, _BLOCKS_LEFT, "r3", 1))
        return code.then((f"add sp, #{_FRAME}", f"pop {{{SAVED}, pc}}"))

    @property
    def stack(self) -> int:
        return SAVED_BYTES + _FRAME

    @property
    def bytes(self) -> int:
        """An upper bound of the bytes of flash."""
        return bytes_of(self.lines)
