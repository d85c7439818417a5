"""Tile kernels for Helium that multiply rows of a matrix by windows: four rows by two windows, or four rows by one
window.

VMLADAVA adds sixteen products to a sum in an even core register. Eight of these registers contain the sums of a block.
Weights are streamed in vectors of sixteen, one vector of each row in turn. A run of a window is padded with zeros to
whole vectors. The last vector of a run is loaded with a predicate, so that no byte after the run is read. Short runs
that are near each other are instead gathered, by offsets at the start of the stream. Loads and products alternate,
because they are executed in parallel.

Registers are assigned by hand, because sums need even registers, and the pointers of narrowing stores need low
registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.instructions import Code, Repeated, joined
from tinyml.targets.composer.tile_code import RowKernel
from tinyml.targets.composer.weight_streams import ROW, Weights, WeightStream, shifting
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import SAVED, counted, counted_in_memory, moved
from tinyml.targets.cortex_m.thumb import IMMEDIATE, slot
from tinyml.targets.helium.composer.alternation import Alternation
from tinyml.targets.helium.composer.requantise import LANES, finish, in_blocks, requantised, shifted, zero_in
from tinyml.targets.helium.mve import (
    MAX_STEP,
    RESTORE_VECTORS,
    SAVE_VECTORS,
    VECTOR,
    access,
    gathered,
    lanes,
    multiply,
    predicate,
    scalar,
)
from tinyml.targets.nests import Numbers

_SUMS = (("r0", "r2", "r4", "r6"), ("r8", "r10", "r12", "lr"))
"""The sums of the rows of a block, for the first window and for the second."""

_WINDOWS, _STREAM, _OUT, _COUNT, _SCRATCH = ("r1", "r9"), "r3", ("r5", "r7"), "r11", "r0"
_ELEMENTS, _WEIGHTS = ("q0", "q1"), ("q2", "q3")
_OFFSETS = ("q4", "q5", "q6", "q7")
_AT_STREAM, _AT_BLOCKS, _AT_WINDOWS = (slot(4 * number) for number in range(3))
_FRAME = 12

_NEAR = 256
"""The greatest distance in bytes from the first to the last element of a window that is gathered."""

_GATHERING = 26 / 16
"""The time to gather a vector, as a multiple of the time to load one."""

_UNROLLED, _AT_ONCE = 16, 8
"""The most vectors of a window that are multiplied without a loop, and the vectors per iteration of a loop over
vectors.
"""


@dataclass(frozen=True)
class Rows(RowKernel):
    """The code for a tile that computes four rows by two windows, or four rows by one window, at a time."""

    SATURATED = 0

    @cached_property
    def offsets(self) -> Sequence[int]:
        """The byte offsets of a window's elements, in whole vectors; empty if the elements are not gathered."""
        tile = self.tile
        elements, runs = tile.runs * tile.length, tile.runs * -(-tile.length // VECTOR)
        vectors = -(-elements // VECTOR)
        near = (tile.runs - 1) * tile.pitch + tile.length <= _NEAR and vectors <= len(_OFFSETS)
        if not near or vectors * _GATHERING >= runs:
            return ()
        places = [run * tile.pitch + element for run in range(tile.runs) for element in range(tile.length)]
        # Padding is multiplied by weights of 0.
        return [*places, *[0] * (vectors * VECTOR - elements)]

    @property
    def pieces(self) -> int:
        return 1 if self.offsets else self.tile.runs

    @property
    def vectors(self) -> int:
        return len(self.offsets) // VECTOR or -(-self.tile.length // VECTOR)

    @property
    def rest(self) -> int:
        return 0 if self.offsets else self.tile.length % VECTOR

    @property
    def layout(self) -> WeightStream:
        tile, length = self.tile, self.vectors * VECTOR

        def padded(weights: Numbers) -> Numbers:
            runs = weights.reshape(len(weights), self.pieces, -1)
            return np.pad(runs, ((0, 0), (0, 0), (0, length - runs.shape[2]))).reshape(len(weights), -1)

        weights = Weights("weights", VECTOR, elements=self.pieces * length, order=(VECTOR, ROW, 1))
        groups = in_blocks(*divmod(tile.rows, LANES))
        fields, run = (weights, *finish(VECTOR)), tile.length if self.offsets else length
        return WeightStream(tile, groups, fields, run_elements=run, elements=padded, head=self.offsets)

    @property
    def fits(self) -> bool:
        return self.tile.count <= IMMEDIATE and self.tile.rows <= IMMEDIATE

    @property
    def windows(self) -> Sequence[tuple[int, int]]:
        pairs, single = divmod(self.tile.count, 2)
        return [group for group in ((pairs, 2), (single, 1)) if group[0]]

    def enter(self) -> Code:
        tile, vectors = self.tile, _OFFSETS[: len(self.offsets) // VECTOR]
        kept = [SAVE_VECTORS, *(access("vldrb.u8", vector, "r0", VECTOR) for vector in vectors)] if vectors else []
        save = t.push((*SAVED, "lr")), *kept, *moved("sp", -_FRAME)
        code = joined(save, t.str_("r0", _AT_STREAM), t.mov(_OUT[0], "r2"))
        if tile.count == 1:
            return code
        windows = t.mov(_WINDOWS[1], "r1"), *moved(_WINDOWS[1], tile.step)
        return joined(code, windows, t.mov(_OUT[1], "r2"), moved(_OUT[1], tile.rows))

    def leave(self) -> Code:
        kept = [RESTORE_VECTORS] if self.offsets else []
        return joined(moved("sp", _FRAME), kept, t.pop((*SAVED, "pc")))

    def load_windows(self, windows: int) -> Repeated:
        return Repeated.once(joined(t.ldr(_STREAM, _AT_STREAM), predicate(self.rest, 8, _SCRATCH) if self.rest else ()))

    def start(self, rows: int, windows: int) -> Code:
        if self._is_unrolled:
            return ()
        return tuple(t.mov(sum, 0) for sums in _SUMS[:windows] for sum in sums[:rows])

    @property
    def _is_unrolled(self) -> bool:
        return self.pieces * self.vectors <= _UNROLLED

    def products(self, rows: int, windows: int) -> Repeated:
        tile, whole = self.tile, self.vectors * VECTOR
        if self.offsets:
            return Repeated.once(self._flat(rows, windows, [(0, False)] * self.vectors, first=True))
        # The pointers advance from the last vector of a run to the next run, and after the last run back to the first
        # one.
        ahead, back = tile.pitch - whole, -(tile.runs - 1) * tile.pitch - whole
        if self._is_unrolled:
            ends = [*[ahead] * (tile.runs - 1), back]
            vectors = [vector for end in ends for vector in self._run(self.vectors, end)]
            return Repeated.once(self._flat(rows, windows, vectors, first=True))
        if self.vectors <= _UNROLLED:
            run = Repeated.once(self._flat(rows, windows, self._run(self.vectors, ahead)))
            return counted(run, tile.runs, _COUNT, 3).then(self._moved(windows, back - ahead))
        code = Repeated.once(())
        for number in range(tile.runs):
            loops, single = divmod(self.vectors - 1, _AT_ONCE)
            several = Repeated.once(self._flat(rows, windows, [(VECTOR, False)] * _AT_ONCE))
            end = back if number == tile.runs - 1 else ahead
            code = code.followed_by(counted(several, loops, _COUNT, 3))
            code = code.then(self._flat(rows, windows, self._run(single + 1, end)))
        return code

    def _run(self, vectors: int, end: int) -> list[tuple[int, bool]]:
        """The last `vectors` vectors of a run, each as a pair (step, predicate).

        step: the number of bytes by which the pointer advances after the load of the vector.
        predicate: true if the load needs a predicate.

        end: the step after the last vector of the run.
        """
        return [*[(VECTOR, False)] * (vectors - 1), (VECTOR + end, self.rest > 0)]

    def _moved(self, windows: int, distance: int) -> Code:
        return joined(*(moved(pointer, distance) for pointer in _WINDOWS[:windows]))

    def _flat(self, rows: int, windows: int, vectors: Sequence[tuple[int, bool]], *, first: bool = False) -> Code:
        """Code that adds the products of vectors of `rows` rows and `windows` windows to the sums.

        vectors: pairs as `_run` returns them.
        first: true for the first products of the sums.
        """
        order = Alternation()
        for number, (step, masked) in enumerate(vectors):
            name = "vmladav.s8" if first and number == 0 else "vmladava.s8"
            for row in range(rows):
                weights = _WEIGHTS[row % 2]
                for window, (sums, elements) in enumerate(zip(_SUMS[:windows], _ELEMENTS, strict=False)):
                    if row == 0:
                        gather = (gathered(elements, _WINDOWS[window], _OFFSETS[number]),) if self.offsets else ()
                        order.load(elements, gather or self._elements(window, step, masked=masked))
                    if window == 0:
                        order.load(weights, (access("vldrb.u8", weights, _STREAM, VECTOR),))
                    order.multiply((multiply(name, sums[row], elements, weights),), (elements, weights))
        return order.code

    def _elements(self, window: int, step: int, *, masked: bool) -> Code:
        pointer, near = _WINDOWS[window], abs(step) <= MAX_STEP
        load = access("vldrbt.u8" if masked else "vldrb.u8", _ELEMENTS[window], pointer, step if near else 0)
        return joined([scalar("vpst")] if masked else [], load, () if near else moved(pointer, step))

    def finish(self, rows: int, windows: int) -> Code:
        vectors = _ELEMENTS[:windows]
        moves = [lanes(vector, *sums) for vector, sums in zip(vectors, _SUMS, strict=False)]
        code = joined(*moves, self.to_bytes(vectors))
        if rows == LANES:
            stores = [access("vstrb.32", vector, out, LANES) for vector, out in zip(vectors, _OUT, strict=False)]
            return joined(code, stores)
        stores = [access("vstrbt.32", vector, out) for vector, out in zip(vectors, _OUT, strict=False)]
        mask = joined(predicate(rows, 32, _SCRATCH), scalar(f"vps{'t' * windows}"))
        return joined(code, mask, stores, *(moved(out, rows) for out in _OUT[:windows]))

    def to_bytes(self, sums: Sequence[str]) -> Code:
        """Code that converts vectors of sums to bytes. Afterwards, the stream pointer is at the end of the block."""
        zero = _SCRATCH if self.tile.zero else None
        bytes = requantised(sums, _STREAM, *_WEIGHTS, zero, to_even=self.tile.to_even)
        return joined(zero_in(_SCRATCH, self.tile.zero), bytes)

    def over_rows(self, block: Repeated, times: int, group: int) -> Repeated:
        if self._is_unrolled:
            return counted(block, times, _COUNT, 5)
        return counted_in_memory(block, times, _AT_BLOCKS, _SCRATCH, 5)

    def next_windows(self, windows: int) -> Code:
        ahead = self._moved(windows, windows * self.tile.step)
        return joined(ahead, *(moved(out, (windows - 1) * self.tile.rows) for out in _OUT[:windows]))

    def over_windows(self, code: Repeated, times: int) -> Repeated:
        return counted_in_memory(code, times, _AT_WINDOWS, _SCRATCH, 7)


@dataclass(frozen=True)
class ShiftedRows(Rows):
    """The code for a tile that computes four rows at a time and shifts the sums."""

    @property
    def layout(self) -> WeightStream:
        return shifting(super().layout)

    def to_bytes(self, sums: Sequence[str]) -> Code:
        return joined(t.mov(_SCRATCH, 1), shifted(sums, _STREAM, _WEIGHTS[0], self.tile.right, _SCRATCH))
