"""The choice of candidates that use additional flash, greedily by the time saved per byte (L3)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TypeAlias

from xdsl.ir import Operation

from tinyml.transforms.loops.flash.candidates import Group, RowsCandidate, Taken, TimeSaving, coded
from tinyml.transforms.loops.flash.estimates import Estimates
from tinyml.transforms.loops.flash.tile_candidates import Tiles

Measure: TypeAlias = Callable[[TimeSaving], float]

UNITS, CYCLES = attrgetter("units"), attrgetter("cycles")


class Choice:
    """The choice of candidates, in groups, within the limits of a program.

    flash, ram: the limits on the whole program, in bytes.
    """

    def __init__(self, groups: Sequence[Group], tiles: Tiles, estimates: Estimates, flash: float, ram: float) -> None:
        self.groups, self.tiles, self.estimates = groups, tiles, estimates
        self.flash, self.ram = flash, ram

    def made(self) -> Taken:
        """Choose candidates greedily by the target's unit of time and, separately, by cycles. Return the choice that
        saves more cycles.
        """
        return max((self._made(measure) for measure in (UNITS, CYCLES)), key=lambda taken: _saved(taken, CYCLES))

    def _made(self, measure: Measure) -> Taken:
        """Repeatedly choose the group that saves the most time per additional byte, until no group that fits
        saves time. Return the chosen candidates.

        A group may replace earlier choices.

        measure: the unit of time.
        """
        taken: Taken = {}
        left = list(self.groups)
        while (better := self._better(taken, left, measure)) is not None:
            taken = better
        return taken

    def _better(self, taken: Taken, left: list[Group], measure: Measure) -> Taken | None:
        """Add to the chosen candidates the group that saves the most time per additional byte and fits the limits.
        Return the new choice, or None if no group that fits saves time.

        If the rows of a single matrix do not all fit, as many of its rows as fit are added instead.

        taken: the chosen candidates.
        left: the remaining groups. The group of a matrix whose rows do not all fit is removed.
        measure: the unit of time.
        """
        time, bytes = _saved(taken, measure), self._bytes(taken)
        gains: list[tuple[float, Group, Taken]] = []
        for group in left:
            quicker = {
                part: each for part, each in group.items() if measure(each.saving) > _saving(taken, part, measure)
            }
            further = {**taken, **quicker}
            if (saved := _saved(further, measure) - time) > 0:
                gains.append((saved / max(self._bytes(further) - bytes, 1), group, further))
        for _, group, further in sorted(gains, key=lambda gain: -gain[0]):
            if self._fits(further):
                return further
            [candidate, *others] = group.values()
            if isinstance(candidate, RowsCandidate) and not others:
                left.remove(group)
                if (most := self._most(taken, candidate)) is not None:
                    return {**taken, candidate.part: most}
        return None

    def _bytes(self, taken: Taken) -> float:
        return self.tiles.added(taken) + sum(each.bytes for each in taken.values() if isinstance(each, RowsCandidate))

    def _most(self, taken: Taken, rows: RowsCandidate) -> RowsCandidate | None:
        def exceeds(count: int) -> bool:
            return not self._fits({**taken, rows.part: rows.of(count)})

        # If even the fewest rows exceed a limit, as happens when it is tight, no other number has to be estimated.
        if exceeds(rows.choices[0]):
            return None
        most = rows.of(rows.choices[bisect_left(rows.choices, True, lo=1, key=exceeds) - 1])
        faster = self.estimates.of(coded({**taken, rows.part: most})).time < self.estimates.of(coded(taken)).time
        return most if faster else None

    def _fits(self, taken: Taken) -> bool:
        estimate = self.estimates.of(coded(taken))
        return estimate.flash + self.tiles.added(taken) <= self.flash and estimate.ram <= self.ram


def _saved(taken: Taken, measure: Measure) -> float:
    return sum(measure(each.saving) for each in taken.values())


def _saving(taken: Taken, part: Operation, measure: Measure) -> float:
    each = taken.get(part)
    return 0.0 if each is None else measure(each.saving)
