"""Depthwise kernels that embed the filters in code, for up to six windows at a time, channel by channel, for ARMv6-M.

Zero weights need no code, and elements that are multiplied only by zero weights are not loaded. Each channel stores its
factors in the stack frame. A subroutine of the kernel loads these factors, requantises the sums and stores the results.

This code is not an instance of `RowKernel`, because each channel has its own instructions, and there is no weight
stream.

Registers are assigned by hand, because on ARMv6-M, high registers can only be added, copied and compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.instructions import Code, Line, Repeated, balanced, instructions, joined
from tinyml.targets.composer.tile_code import overlapping
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.armv6m import (
    REACH,
    SUMS,
    again,
    constant,
    moved,
    moved_in_frame,
    restored,
    saved,
)
from tinyml.targets.cortex_m.composer.coded_epilogues_armv6m import factor_words, requantised_by_thirds
from tinyml.targets.cortex_m.composer.coded_rows_armv6m import (
    ELEMENT,
    FINISH,
    NOTHING,
    PLACE,
    PRODUCT,
    CodedTileArmv6m,
    products,
)
from tinyml.targets.cortex_m.composer.epilogues_armv6m import SATURATED, requantised_by_halves
from tinyml.targets.cortex_m.composer.fragments import element_at, is_power_of_two, short_bytes_of
from tinyml.targets.cortex_m.thumb import at, slot
from tinyml.targets.nests import Numbers

_WEIGHTS = ("r0", "r1", "r2", "r5")
_WINDOW_AT, _OUT_AT, _COUNT_AT, _START_AT, _MULTIPLIER_AT, _RIGHT_AT, _SUM_AT, _FRAME = 0, 4, 8, 12, 16, 22, 24, 28
"""Stack slots: the addresses of the channel's windows and results, the number of groups of windows that are left, the
start of sums, the multiplier, the shift amount, and the last sum, whose register holds the return address of the
subroutine; and the size of the stack frame, in bytes.
"""


@dataclass(frozen=True)
class CodedDepthwiseArmv6m(CodedTileArmv6m):
    """The kernel for a depthwise tile whose filters are embedded in code, channel by channel."""

    @property
    def fits(self) -> bool:
        """True if each run of a window consists of whole pixels, no two windows coincide, and every branch reaches its
        target.
        """
        tile = self.tile
        by_channel = tile.length % tile.rows == tile.step % tile.rows == 0 and tile.step > 0
        return by_channel and self.bodies is not None

    @property
    def across(self) -> int:
        return self.tile.step // self.tile.rows

    @cached_property
    def groups(self) -> Sequence[tuple[int, int]]:
        return balanced(self.tile.count, len(SUMS))

    @property
    def filters(self) -> Sequence[Numbers]:
        """For each channel, its weights as an array of shape (rows, columns)."""
        return [weights.reshape(self.tile.runs, -1) for weights in self.sums.weights]

    @cached_property
    def bodies(self) -> Sequence[Sequence[Code]] | None:
        """For each channel, a list with the code that computes the sums of each group of windows.

        Returns None if a branch does not reach its target.
        """
        bodies: list[list[Code]] = []
        for weights in self.filters:
            bodies.append([self.group(weights, windows) for _, windows in self.groups])
            # A call takes four bytes.
            if any(short_bytes_of(body) + 2 > REACH for body in bodies[-1]):
                return None
        return bodies

    def group(self, weights: Numbers, windows: int) -> Code:
        """Code that computes the sums of a channel for `windows` windows at once."""
        begin = joined(
            t.ldr(ELEMENT, slot(_START_AT)),
            (t.mov(sum, ELEMENT) for sum in SUMS[:windows]),
            t.ldr(PLACE, slot(_WINDOW_AT)),
            t.movs(NOTHING, 0),
        )
        without = self.rows(weights, windows, ())
        with_registers = self.rows(weights, windows, _WEIGHTS)
        rows = min(without, with_registers, key=instructions)
        last = (t.mov("r0", "lr"), t.str_("r0", slot(_SUM_AT))) if windows == len(SUMS) else ()
        return joined(begin, rows, last)

    def rows(self, weights: Numbers, windows: int, names: Sequence[str]) -> Code:
        """Code that multiplies all rows of a filter by `windows` windows.

        names: the registers for weights.
        """
        tile, lines = self.tile, list[Line]()
        known: dict[str, int] = {}
        place = 0
        for row in np.flatnonzero(weights.any(1)).tolist():
            taps = [int(weight) for weight in weights[row]]
            lines += _registers(taps, names, known)
            registers = {weight: name for name, weight in known.items()}
            for column in range((windows - 1) * self.across + len(taps)):
                met = overlapping(column, windows, self.across, len(taps))
                users = [(SUMS[window], taps[tap]) for window, tap in met if taps[tap]]
                if users:
                    element = row * tile.pitch + column * tile.rows
                    lines += [*moved(PLACE, element - place, PRODUCT), *element_at(8, PLACE, NOTHING, ELEMENT)]
                    lines += products(users, registers)
                    place = element
        return tuple(lines)

    def finish(self, times: int, windows: int) -> Code:
        """The subroutine that stores the results of `windows` windows and advances the pointers to the next windows.

        times: the number of groups of windows. If there are several, the subroutine sets the zero flag after the last
            one.
        """
        tile = self.tile
        epilogue = requantised_by_halves("r5", _MULTIPLIER_AT, _RIGHT_AT, "r4", at("r7"))
        begin = joined(t.ldr("r7", slot(_OUT_AT)), t.mov("r5", "sp"), constant("r4", tile.zero))
        if self.by_thirds:
            epilogue = requantised_by_thirds("r5", _MULTIPLIER_AT, "r6", "r3", "r4", at("r7"))
            begin = joined(begin, t.ldrh("r6", at("r5", _RIGHT_AT)), t.movs("r3", 0))
        results: list[Code] = []
        for window, sum in enumerate(SUMS[:windows]):
            fetch = t.mov("r0", sum) if window < len(SUMS) - 1 else t.ldr("r0", slot(_SUM_AT))
            results += [joined(fetch, epilogue, moved("r7", tile.rows, "r0"))]
        ended = t.ldr("r0", slot(_COUNT_AT)), t.subs("r0", 1), t.str_("r0", slot(_COUNT_AT))
        return joined(
            begin,
            *results,
            t.str_("r7", slot(_OUT_AT)),
            moved_in_frame(_WINDOW_AT, windows * tile.step),
            ended if times > 1 else (),
            t.bx("lr"),
        )

    def channel(self, row: int) -> Repeated:
        """The code that computes a channel.

        row: the index of the channel among the rows of weights.
        """
        assert self.bodies is not None
        start, multiplier, shift = (numbers[row] for numbers in self.factors)
        words = factor_words(int(multiplier), -int(shift), by_thirds=self.by_thirds)
        stored = zip((int(start), *words), (_START_AT, _MULTIPLIER_AT, _MULTIPLIER_AT + 4), strict=True)
        code = Repeated.once(joined(*((*constant("r0", word), t.str_("r0", slot(place))) for word, place in stored)))
        for number, ((times, windows), group) in enumerate(zip(self.groups, self.bodies[row], strict=True)):
            body = Repeated.once((*group, t.bl(ahead=FINISH + number))).calling(self.finish(times, windows))
            begin = joined(constant("r0", times), t.str_("r0", slot(_COUNT_AT)))
            code = code.followed_by(again(body, begin, (), times, 1))
        return code

    @property
    def factors(self) -> tuple[Numbers, Numbers, Numbers]:
        return self.sums.starts, self.sums.multipliers, self.sums.shifts

    def flat(self, byte: int) -> Repeated:
        """The code for a channel whose weights are all zero. All its results are the same byte."""
        begin = joined(t.ldr("r1", slot(_OUT_AT)), constant("r0", byte))
        store = Repeated.once((t.strb("r0", at("r1")), *moved("r1", self.tile.rows, "r3")))
        stores = again(store, constant("r2", self.tile.count), (t.subs("r2", 1),), self.tile.count, 1)
        return Repeated.once(begin).followed_by(stores)

    def function(self) -> Repeated:
        """The kernel's complete function: the code of all channels, followed by subroutines that store results."""
        tile, count = self.tile, self.tile.count
        code = Repeated.once((*saved(_FRAME), t.str_("r0", slot(_WINDOW_AT)), t.str_("r1", slot(_OUT_AT))))
        for row in range(tile.rows):
            byte = self.sums.constant_byte(row, tile.zero)
            code = code.followed_by(self.channel(row) if byte is None else self.flat(byte))
            if row < tile.rows - 1:
                far = 1 if byte is not None else 1 - count * tile.step
                out = 1 if byte is not None else 1 - count * tile.rows
                code = code.then(joined(moved_in_frame(_WINDOW_AT, far), moved_in_frame(_OUT_AT, out)))
        code = code.then(restored(_FRAME))
        inner = (
            joined(t.label(FINISH + number), self.finish(times, windows))
            for number, (times, windows) in enumerate(self.groups)
        )
        return replace(code, lines=joined(code.lines, *inner))

    @property
    def time(self) -> float:
        """The number of instructions that a call executes. Half of the results are assumed to be saturated."""
        flat = sum(self.sums.constant_byte(row, self.tile.zero) is not None for row in range(self.tile.rows))
        return self.code.time - SATURATED / 2 * (self.tile.rows - flat) * self.tile.count


def _registers(taps: Sequence[int], names: Sequence[str], known: dict[str, int]) -> Code:
    """Code that loads weights of a row into registers, in ascending order: weights that are neither zero nor powers of
    two and that no register contains. If there are too few registers, the greatest weights are not loaded.

    taps: the weights of the row.
    names: the registers.
    known: for each register, the weight that it contains; the function updates it.
    """
    wanted = {weight for weight in taps if weight and not is_power_of_two(weight)}
    lines: list[Code] = []
    for weight in sorted(wanted - set(known.values())):
        free = [name for name in names if known.get(name, 0) not in wanted]
        if free:
            known[free[0]] = weight
            lines += [constant(free[0], weight)]
    return joined(*lines)
