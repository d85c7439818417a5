"""Searches for programs that are within limits on RAM, the stack included, on flash and on time.

What a program takes is known once it is built and run, which takes most of a second. Before that there is what the
packer says, its arena and input, and ten times later what the cost model says of the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.targets.costs import cost_table
from tinyml.transforms.search.costs.candidate_costs import Cost
from tinyml.transforms.search.engine.result import Found
from tinyml.transforms.search.engine.search import Search

if TYPE_CHECKING:
    from tinyml.transforms.formats.assignment.format_assignment import Choice
    from tinyml.transforms.formats.evaluation.candidates import Formats
    from tinyml.transforms.formats.evaluation.outcomes import Task

SPREAD = 3
"""Bytes by which stacks, and errors of their estimates, differ more for one program than for another."""

NEAR = 1.02
"""By what factor programs may be beyond limits to be just beyond them."""


class LimitedSearch(Search):
    """A search in which a program fits where it is within limits on all that it costs.

    What was measured of a candidate counts. Of others the cost model is asked, as far off as it was for the candidate
    at hand; but not where arena and input leave room for none of the stacks that were seen, nor where they leave room
    for all of them and nothing but RAM is limited. On a target of unknown costs the stack counts for nothing.

    target: as `search-pareto` takes it. unlimited: the same candidates without limits. error: of estimates.
    """

    def __init__(self, search: Search, limits: Cost, target: str):
        super().__init__(search.evaluation, search.prototype, search.others, search.pack_buffers, search.earlier)
        self.unlimited = search
        self.memory = search.memory
        self.limits = limits
        self.known_costs = search.costs(target)
        self.error = Cost(0, 0, 0)
        self.stacks: list[float] = []
        self.is_limited_in_ram_only = math.isinf(limits.time) and math.isinf(limits.flash)
        self.is_limited = cost_table(target) is not None and not all(map(math.isinf, limits.numbers))

    def fits(self, choices: Sequence[Choice], ram: float = math.inf) -> bool:
        """ram: a limit in place of the search's own."""
        limits = self.limits if math.isinf(ram) else replace(self.limits, ram=ram)
        if not self.unlimited.fits(choices, limits.ram):
            return False
        if not self.is_limited:
            return True
        formats = self.formats(choices)
        if self.stacks and self.known_costs.measurements.get(formats) is None:
            room = limits.ram - self.memory.of(formats)
            if room < min(self.stacks) - SPREAD:
                return False
            if room >= max(self.stacks) + SPREAD and self.is_limited_in_ram_only:
                return True
        return self.cost(formats).within(limits)

    def may_fit(self, choices: Sequence[Choice], factor: float) -> bool:
        """Is a candidate within limits so many times as great? What was measured is to be within them as they are."""
        if not self.unlimited.fits(choices, self.limits.ram):
            return False
        formats = self.formats(choices)
        if (measured := self.known_costs.measurements.get(formats)) is not None:
            return measured.within(self.limits)
        spread = SPREAD if factor > 1 else 0
        nearly = self.limits.times(factor)
        return self.cost(formats).within(replace(nearly, ram=max(nearly.ram, self.limits.ram + spread)))

    def cost(self, formats: Formats) -> Cost:
        """What was measured of a candidate, or else an estimate, as far off as that of the candidate at hand."""
        return self.known_costs.measurements.get(formats) or self.known_costs.of(formats).plus(self.error)

    def learn_to_fit(self, candidates: Iterable[Sequence[Choice]]) -> None:
        """Estimate those candidates together that work in the RAM."""
        if self.is_limited:
            self.learn(one for one in candidates if self.unlimited.fits(one, self.limits.ram))

    def learn(self, candidates: Iterable[Sequence[Choice]]) -> None:
        """Estimate candidates together, which takes less time."""
        found: list[Formats] = []
        for choices in candidates:
            with suppress(InputError):
                found.append(self.formats(choices))
        self.known_costs.learn(found, self.evaluation.problem, self.evaluation.workers)

    def keeps(self, choices: Sequence[Choice]) -> bool:
        """Is a candidate within the limits when it is built and run? Taken for granted where that cannot be done."""
        if not self.is_limited:
            return True
        measured = self._measured(self.formats(choices))
        return measured is None or measured.within(self.limits)

    def measure(self, candidates: Iterable[Sequence[Choice]]) -> None:
        """Build and run candidates together, which takes less time."""
        self.known_costs.measure(map(self.formats, candidates), self.evaluation.problem, self.evaluation.workers)

    def just_misses(self, choices: Sequence[Choice]) -> bool:
        """Is a candidate beyond the limits, but not beyond limits `NEAR` times as great, when it is built and run?"""
        measured = self._measured(self.formats(choices))
        if measured is None or measured.within(self.limits):
            return False
        return measured.within(self.limits.times(NEAR))

    def settle(self, choices: Sequence[Choice]) -> None:
        """Take this candidate for the one at hand."""
        formats = self.formats(choices)
        measured = self.known_costs.measurements.get(formats)
        if measured is not None:
            self.error = measured.minus(self.known_costs.of(formats))

    def found(self, find: Callable[[], Found], least: Sequence[Choice]) -> Found:
        """What is found that is within the limits once it is built and run; until then it is looked for again.

        least: a candidate that needs little, measured before anything is looked for. Raises what `find` raises where
        nothing fits.
        """
        if self.unlimited.fits(least, math.inf):
            self.keeps(least)
            self.settle(least)
        while True:
            found = find()
            if self.keeps(found.choices):
                return found
            self.settle(found.choices)

    def taken(self, found: Found, task: Task, loss: float) -> Found | None:
        cost = self.known_costs.measured_with(task.formats, task.refined) if self.is_limited else None
        if cost is not None and not cost.within(self.limits):
            return None
        points = [replace(one, loss=loss, cost=cost or one.cost) if one.chosen else one for one in found.points]
        return replace(found, refined=task.refined, points=points)

    def _measured(self, formats: Formats) -> Cost | None:
        measured = self.known_costs.measured(formats)
        taken = measured or self.known_costs.of(formats)
        self.stacks.append(taken.ram - self.memory.of(formats))
        return measured
