"""Tile kernels that multiply two rows of a matrix by a single window at once, for the DSP extension.

A halfword of the stream is 256 * b + a + 128, where a and b are weights of two consecutive rows for the same element.
SMLAD adds the products of two halfwords and two elements to a sum of both rows. UXTB16 extracts a + 128, whose products
are also added to a sum of their own. At the end, the difference of both sums is 256 times the sum of the second row.
All sums wrap around, so that only the sum of the second row is limited, to 24 bits. USADA8 adds four elements of the
window. 128 times their sum is subtracted from the initial value of each first row. Four products take four
instructions, one fewer than if the weights of both rows are widened.

`ByOneFactor` requantises all rows by one factor, which precedes the weights in the stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.instructions import Code, Instruction, Repeated, joined
from tinyml.targets.composer.weight_streams import Weights, WeightStream, by_read_factor
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.fragments import (
    FACTORS,
    QUAD,
    counted,
    halfwords,
    parted_bytes,
    requantised,
    words,
)
from tinyml.targets.cortex_m.composer.rows import AT_OUT, AT_WINDOW, FOUR, SUMS, SingleWindow
from tinyml.targets.cortex_m.thumb import post, slot
from tinyml.targets.nests import Bytes, Numbers
from tinyml.targets.tiles import Sums

_AT_TOTAL, _AT_FACTOR = slot(16), slot(20)

LIMIT = 1 << 23
"""The magnitude below which the sums of second rows must be."""


def fit_pairs(sums: Sums) -> bool:
    return int((sums.reach + np.abs(sums.starts))[1::2].max(initial=0)) < LIMIT


def have_one_factor(sums: Sums) -> bool:
    """True if the sums fit and all rows are requantised by the same factor."""
    factors = sums.multipliers, sums.shifts
    return fit_pairs(sums) and all((numbers == numbers[0]).all() for numbers in factors)


@dataclass(frozen=True)
class _PairedWeights(Weights):
    """Weights in groups of four elements. For two rows, a group is four halfwords, those of elements 0, 2, 1 and 3."""

    def stored(self, sums: Sums, weights: Numbers) -> Bytes:
        rows, elements = weights.shape
        if rows == 1:
            return super().stored(sums, weights)
        # Axes: pairs of rows, rows of a pair, groups, halves of a group, elements of a half.
        pairs = weights.reshape(rows // 2, 2, elements // QUAD, 2, 2)
        both = np.stack([pairs[:, 0] ^ -128, pairs[:, 1]], axis=-1).transpose(1, 0, 3, 2, 4)
        return both.astype(np.int8).reshape(-1)

    def in_c(self, element: str, row: str, rows: int | str) -> str:
        if rows == 1:
            return super().in_c(element, row, rows)
        group, halfword = f"{element} / {QUAD} * {QUAD} * {rows}", f"{element} % 2 * 4 + {element} % 4 / 2 * 2"
        place = f"{self.name}[{group} + {row} / 2 * 8 + {halfword} + {row} % 2]"
        pair = f"({place} ^ (({row} % 2 - 1) * 128))"
        return pair if isinstance(rows, int) else f"({rows} == 1 ? {self.name}[{element}] : {pair})"


def paired(stream: WeightStream) -> WeightStream:
    """A copy of a stream of rows in groups of four elements whose rows are paired."""
    fields = [
        _PairedWeights(field.name, elements=field.elements, order=field.order) if isinstance(field, Weights) else field
        for field in stream.fields
    ]
    return replace(stream, fields=fields)


@dataclass(frozen=True)
class PairedWindow(SingleWindow):
    """The code for a tile of one window with at least two rows, which are multiplied two at a time."""

    @property
    def layout(self) -> WeightStream:
        return paired(super().layout)

    @property
    def fits(self) -> bool:
        return super().fits and self.tile.count == self.tile.lines == 1 and self.tile.rows > 1

    def total(self) -> Repeated:
        """Code that stores 128 times the sum of the window's elements in the stack frame."""
        quads, rest = divmod(self.tile.length, QUAD)
        # USADA8 adds bytes without a sign, which are greater by 128.
        high, low = divmod(quads * QUAD * 128, 1 << 16)
        begin = t.movw("r4", low), *((t.movt("r4", high),) if high else ()), t.rsb("r4", "r4", 0)
        constants = t.mvn("r5", 0x7F7F7F7F), t.mov("r6", 0)
        step = t.ldr("r3", post("r1", 4)), t.eor("r3", "r3", "r5"), t.usada8("r4", "r3", "r6", "r4")
        code = Repeated.once(joined(begin, constants, t.ldr("r1", AT_WINDOW)))
        code = code.followed_by(counted(Repeated.once(step), quads, "r7", 4))
        last = [(t.ldrsb("r3", post("r1", 1)), t.add("r4", "r4", "r3")) for _ in range(rest)]
        return code.then(joined(*last, t.lsl("r4", "r4", 7), t.str_("r4", _AT_TOTAL)))

    def load_windows(self, windows: int) -> Repeated:
        return self.total()

    def start(self, rows: int, windows: int) -> Code:
        if rows == 1:
            return super().start(rows, windows)
        both = [(t.sub(one, one, "r3"), t.add(two, one, two, lsl=8)) for one, two in _pairs(rows)]
        return joined(super().start(rows, windows), t.ldr("r3", _AT_TOTAL), *both)

    def quad(self, rows: int, load: Sequence[Instruction] = FOUR) -> Code:
        if rows == 1:
            return super().quad(rows, load)
        *before, last = load
        lines = [tuple(before), parted_bytes(last, "r2", "r3")]
        for one, two in _pairs(rows):
            lines += [words("r0", ("r12", "lr"))]
            for weights, elements in (("r12", "r2"), ("lr", "r3")):
                lines += [halfwords((two,), weights, elements), (t.uxtb16(weights, weights),)]
                lines += [halfwords((one,), weights, elements)]
        return joined(*lines)

    def finish(self, rows: int, windows: int) -> Code:
        return joined(self.separated(rows), super().finish(rows, windows))

    def separated(self, rows: int) -> Code:
        return joined(*((t.sub(two, two, one), t.asr(two, two, 8)) for one, two in _pairs(rows)))


@dataclass(frozen=True)
class ByOneFactor(PairedWindow):
    """The code for a tile all of whose rows are requantised by one factor."""

    @property
    def layout(self) -> WeightStream:
        return by_read_factor(super().layout)

    @property
    def frame(self) -> int:
        return 28

    def enter(self) -> Code:
        return joined(super().enter(), words("r0", ("r2", "r3")), t.strd("r2", "r3", _AT_FACTOR))

    def finish(self, rows: int, windows: int) -> Code:
        results = [(*requantised(sum, *FACTORS, self.tile), t.strb(sum, post("r2", 1))) for sum in SUMS[:rows]]
        load = t.ldr("r2", AT_OUT), t.ldrd(*FACTORS, _AT_FACTOR)
        return joined(self.separated(rows), load, *results, t.str_("r2", AT_OUT))


def _pairs(rows: int) -> list[tuple[str, str]]:
    return list(zip(SUMS[: rows - 1 : 2], SUMS[1:rows:2], strict=True))
