"""Feasibility: which candidates of a search keep its limits on RAM, the stack included, on flash and on time.

The cost of a program is known once it is built and run, which takes most of a second. Before that there is the packer,
which knows the arena and the input, and, ten times slower, the cost model, which estimates the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects.errors import InputError
from tinyml.targets.costs import cost_table
from tinyml.transforms.search.costs.pipelines_below import ProgramCost

if TYPE_CHECKING:
    from tinyml.transforms.formats.assignment.choices import FormatChoice
    from tinyml.transforms.formats.evaluation.candidates import Formats
    from tinyml.transforms.search.costs.candidate_costs import CandidateCosts
    from tinyml.transforms.search.engine.limits import Limits
    from tinyml.transforms.search.engine.result import SearchResult
    from tinyml.transforms.search.engine.search import Search

Criterion: TypeAlias = "Callable[[Sequence[FormatChoice]], bool]"
"""A condition on candidates, such as `Feasibility.fits`."""

SPREAD = 3
"""Bytes by which the stacks of two programs, and the errors of their estimates, differ at most."""

NEAR = 1.02
"""A program is just beyond the limits if it keeps them multiplied by this factor."""


class Feasibility:
    """Tells which candidates keep limits.

    A measured cost counts where there is one. For other candidates there is an estimate, corrected by its error for the
    candidate at hand (`calibrate`). The cost model need not be asked where arena and input leave less than the smallest
    stack that was seen, nor where they leave more than the greatest and nothing but RAM is limited. On a target of
    unknown costs the stack counts for nothing.

    error: of estimates. stacks: bytes, of candidates that were measured.
    """

    def __init__(self, search: Search, limits: Limits):
        self.search = search
        self.limits = limits
        self.error = ProgramCost(0, 0, 0)
        self.stacks: list[float] = []
        self.is_limited = cost_table(limits.target) is not None and limits.on_cost

    @cached_property
    def costs(self) -> CandidateCosts:
        """The costs of candidates on the target of the limits."""
        return self.search.costs(self.limits.target)

    def fits(self, choices: Sequence[FormatChoice], ram: float = math.inf) -> bool:
        """True if a candidate keeps the limits by its estimate. ram: a limit in place of the usual one."""
        limits = self.limits if math.isinf(ram) else replace(self.limits, ram=ram)
        if not self.search.fits(choices, limits.ram):
            return False
        if not self.is_limited:
            return True
        formats = self.search.formats(choices)
        if self.stacks and self.costs.measurements.get(formats) is None:
            room = limits.ram - self.search.memory.of(formats)
            if room < min(self.stacks) - SPREAD:
                return False
            if room >= max(self.stacks) + SPREAD and limits.on_ram_only:
                return True
        return self.cost(formats).within(limits.cost)

    def may_fit(self, choices: Sequence[FormatChoice], factor: float) -> bool:
        """True if the estimate of a candidate keeps the limits times a factor, or its measurement the limits."""
        if not self.search.fits(choices, self.limits.ram):
            return False
        formats = self.search.formats(choices)
        if (measured := self.costs.measurements.get(formats)) is not None:
            return measured.within(self.limits.cost)
        spread = SPREAD if factor > 1 else 0
        relaxed = self.limits.cost.times(factor)
        return self.cost(formats).within(replace(relaxed, ram=max(relaxed.ram, self.limits.ram + spread)))

    def cost(self, formats: Formats) -> ProgramCost:
        """The measured cost of a candidate, or else its corrected estimate."""
        return self.costs.measurements.get(formats) or self.costs.estimated(formats).plus(self.error)

    def estimate_fitting(self, candidates: Iterable[Sequence[FormatChoice]]) -> None:
        """Estimate together those candidates whose arena and input fit."""
        if self.is_limited:
            self.estimate(choices for choices in candidates if self.search.fits(choices, self.limits.ram))

    def estimate(self, candidates: Iterable[Sequence[FormatChoice]]) -> None:
        """Estimate candidates together, which takes less time."""
        programs: list[Formats] = []
        for choices in candidates:
            with suppress(InputError):
                programs.append(self.search.formats(choices))
        self.costs.estimate(programs, self.search.evaluation.problem, self.search.evaluation.workers)

    def measure(self, candidates: Iterable[Sequence[FormatChoice]]) -> None:
        """Build and run candidates together, which takes less time."""
        evaluation = self.search.evaluation
        self.costs.measure(map(self.search.formats, candidates), evaluation.problem, evaluation.workers)

    def is_feasible(self, choices: Sequence[FormatChoice]) -> bool:
        """True if a candidate keeps the limits when it is built and run, or where that cannot be done."""
        if not self.is_limited:
            return True
        measured = self._measured(self.search.formats(choices))
        return measured is None or measured.within(self.limits.cost)

    def admits(self, choices: Sequence[FormatChoice]) -> bool:
        """True if a candidate keeps the limits by its estimate, and then when it is built and run."""
        return self.fits(choices) and self.is_feasible(choices)

    def just_misses(self, choices: Sequence[FormatChoice]) -> bool:
        """True if a candidate is just beyond the limits when it is built and run."""
        measured = self._measured(self.search.formats(choices))
        if measured is None or measured.within(self.limits.cost):
            return False
        return measured.within(self.limits.cost.times(NEAR))

    def calibrate(self, choices: Sequence[FormatChoice]) -> None:
        """Correct estimates by their error for this candidate, if it was measured."""
        formats = self.search.formats(choices)
        measured = self.costs.measurements.get(formats)
        if measured is not None:
            self.error = measured.minus(self.costs.estimated(formats))

    def first_feasible(self, find: Callable[[], SearchResult], least: Sequence[FormatChoice]) -> SearchResult:
        """The first result that keeps the limits when it is built and run, of calls with better and better estimates.

        least: a candidate that needs little, measured before the first call. Raises what `find` raises where no
        candidate fits.
        """
        if self.search.fits(least, math.inf):
            self.is_feasible(least)
            self.calibrate(least)
        while True:
            result = find()
            if self.is_feasible(result.choices):
                return result
            self.calibrate(result.choices)

    def _measured(self, formats: Formats) -> ProgramCost | None:
        measured = self.costs.measured(formats)
        cost = measured or self.costs.estimated(formats)
        self.stacks.append(cost.ram - self.search.memory.of(formats))
        return measured
