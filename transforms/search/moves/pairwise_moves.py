"""Exchanges: tensors made wide and others narrow at the same time, within limits, by what a model says they lose.

From a candidate at the limits no tensor alone can get wide, and where errors cancel none alone is better wide. Pairs of
changes find a way on; there are thousands, which only a model of errors (`LinearErrors`) and of costs can look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.transforms.search.costs.candidate_costs import Cost
from tinyml.transforms.search.moves.error_model import Change, LinearErrors

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.formats.assignment.format_assignment import Choice
    from tinyml.transforms.search.engine.limits import LimitedSearch
    from tinyml.transforms.search.engine.search import Search

TRIES = 16
"""How many of the best exchanges of a step are looked at."""

GAIN = 0.02
"""An exchange is worth its while where the error falls by this part of it: what falls less may not on other data."""

ZOOMS = (-1, 1)
"""Scales that are tried beside another: half and twice as fine."""


class Exchanges:
    """search: with limits. model: of errors. start: a candidate within the limits, of which `options` are changes."""

    def __init__(self, search: LimitedSearch, model: LinearErrors, start: Sequence[Choice], options: Sequence[Change]):
        self.search = search
        self.model = model
        self.start = start
        self.cost = search.known_costs.of(search.formats(start))
        self._known: dict[Change, Cost | None] = {}
        known = [one for one in options if model.of(one.place, one.choice) is not None]
        search.learn(self._unscaled(one).applied(start) for one in known)
        self.options = [one for one in known if self._added(one)]

    def _unscaled(self, change: Change) -> Change:
        """The change that costs as much, but for the scale."""
        return replace(change, choice=replace(change.choice, zoom=self.start[change.place].zoom))

    def _added(self, change: Change) -> Cost | None:
        """What a change of the start costs, whatever the scale; None where there is no program."""
        now = self.start[change.place]
        if change.choice.prototype == now.prototype:
            return Cost(0, 0, 0)
        key = self._unscaled(change)
        if key not in self._known:
            try:
                cost = self.search.known_costs.of(self.search.formats(key.applied(self.start)))
                self._known[key] = cost.minus(self.cost)
            except InputError:
                self._known[key] = None
        return self._known[key]

    def proposals(self, current: Sequence[Choice]) -> list[list[Choice]]:
        """The candidates one or two changes away that should have the least errors, of those that should be within the
        limits; whether they are takes longer to tell than what they lose."""
        import numpy as np

        moves = [one for one in self.options if current[one.place] != one.choice]
        if not moves:
            return []
        errors = self.model.sum(current)
        places = np.array([one.place for one in moves])
        added = np.array([self.model.difference(one.place, current[one.place], one.choice) for one in moves])
        costs = np.array([self._difference(current, one) for one in moves])
        now = self.search.cost(self.search.formats(current))
        room = np.array(self.search.limits.minus(now).numbers)
        most = (1 - GAIN) * float(np.abs(errors).sum())
        found: list[tuple[float, int, int]] = []
        for i in range(len(moves)):
            # A change by itself, or together with one after it.
            alone = np.arange(i, len(moves)) == i
            fits = (costs[i] + np.where(alone[:, None], 0, costs[i:]) <= room).all(1) & (
                alone | (places[i:] != places[i])
            )
            losses = np.abs(errors + added[i] + np.where(alone[:, None], 0, added[i:])[fits]).sum(1)
            pairs = zip(losses.tolist(), (i + np.flatnonzero(fits)).tolist(), strict=True)
            found += [(loss, i, j) for loss, j in pairs if loss < most]
        return [moves[j].applied(moves[i].applied(current)) for _, i, j in sorted(found)[:TRIES]]

    def _difference(self, current: Sequence[Choice], change: Change) -> tuple[float, float, float]:
        """What a change of another candidate should cost."""
        after, before = self._added(change), self._added(Change(change.place, current[change.place]))
        assert after is not None
        assert before is not None
        return after.minus(before).numbers


def changes(search: Search, start: Sequence[Choice], offered: Sequence[NumberFormat]) -> list[Change]:
    """To what single tensors can be changed: of a constant each width, of others those that memory tells apart.

    Scales make a difference where bits are few, so that they are tried with half of the widest width.
    """
    found: list[Change] = []
    most = max(format.bits for format in offered)
    for place, (one, now) in enumerate(zip(search.classes, start, strict=True)):
        best: dict[object, NumberFormat] = {}
        for format in sorted(offered, key=lambda format: format.bits):
            best[format.bits if one.is_constant and one.elements > 1 else format.dtype.itemsize] = format
        widths = [replace(now, prototype=format, zoom=0) for format in best.values()]
        halves = [choice for choice in widths if 2 * choice.prototype.bits == most]
        zooms = [replace(choice, zoom=zoom) for choice in halves for zoom in ZOOMS]
        found += [Change(place, choice) for choice in (*widths, *zooms) if choice != now]
    return found
