"""The cost of a candidate on a target, estimated by the cost model, or measured by building and running its program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.evaluation.evaluator import evaluator_of
from tinyml.transforms.search.costs.lowered_programs import LoweringPasses, registered_pass
from tinyml.transforms.search.costs.pipelines_below import (
    BUFFERS_TO_LOOPS,
    ESTIMATE_COST,
    MEASURE_COST,
    ProgramCost,
    cost_of,
)
from tinyml.transforms.search.costs.working_memory import WorkingMemory

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws
    from tinyml.transforms.formats.evaluation.candidates import Candidates, Formats
    from tinyml.transforms.formats.evaluation.evaluator import SearchProblem
    from tinyml.transforms.search.engine.workers import Workers


@dataclass(frozen=True)
class Platform:
    """The target for which candidates are built, as for `select-kernels`.

    pack_buffers: true if `pack-buffers` runs. flash: the bytes that `spend-flash` may fill.
    """

    target: str
    pack_buffers: bool = False
    flash: int | None = None


class CandidateCosts:
    """The costs of one program's candidates on a platform.

    memory: of candidates, without the stack; estimates go on from the programs that it has lowered. estimates: by
    candidate, as far as requested. measurements: as returned by `measured`. faults: the reason for candidates that are
    not programs.
    """

    def __init__(self, candidates: Candidates, platform: Platform):
        self.candidates = candidates
        self.platform = platform
        options = vars(platform)
        self.memory = WorkingMemory(candidates, **options)
        self.estimating = LoweringPasses((BUFFERS_TO_LOOPS,), registered_pass(ESTIMATE_COST, **options), **options)
        self.measuring = registered_pass(MEASURE_COST, **options)
        self.estimates: dict[Formats, ProgramCost] = {}
        self.faults: dict[Formats, str] = {}
        self.measurements: dict[Formats, ProgramCost | None] = {}

    def estimated(self, formats: Formats) -> ProgramCost:
        """The estimate of a candidate's cost.

        Raises `InputError` if the formats make no program, and for a target of unknown costs.
        """
        if formats in self.faults:
            raise InputError(self.faults[formats])
        if formats not in self.estimates:
            module = self.memory.lowered(formats)
            self.estimating.apply(module)
            cost = cost_of(module)
            assert cost is not None
            self.estimates[formats] = cost
        return self.estimates[formats]

    def estimate(self, candidates: Iterable[Formats], problem: SearchProblem, workers: Workers) -> None:
        """Estimate candidates together, and store the results for `estimated`."""
        known = self.estimates.keys() | self.faults.keys()
        queries = [CostQuery(formats, self.platform) for formats in dict.fromkeys(candidates) if formats not in known]
        for query, result in workers.run(problem, queries, estimated_costs):
            if isinstance(result, ProgramCost):
                self.estimates[query.formats] = result
            else:
                self.faults[query.formats] = result

    def measure(self, candidates: Iterable[Formats], problem: SearchProblem, workers: Workers) -> None:
        """Build and run candidates together, and store the results for `measured`."""
        new = [formats for formats in dict.fromkeys(candidates) if formats not in self.measurements]
        queries = [CostQuery(formats, self.platform) for formats in new]
        for query, cost in workers.run(problem, queries, measured_costs):
            self.measurements[query.formats] = cost

    def measured(self, formats: Formats) -> ProgramCost | None:
        """The cost of the built program; None if the target is too small, or its tools are not installed."""
        if formats not in self.measurements:
            self.measurements[formats] = self.measured_with(formats, None)
        return self.measurements[formats]

    def measured_with(self, formats: Formats, refined: Mapping[int, Raws] | None) -> ProgramCost | None:
        """The cost of the built program with other raws, as for `RoundedConstants.raws`; None as for `measured`."""
        module, _ = self.candidates.in_formats(formats, refined)
        with suppress(InputError):
            self.measuring.apply(context(), module)
        return cost_of(module)


@dataclass(frozen=True)
class CostQuery:
    """A request for the cost of a candidate on a platform, sent to workers."""

    formats: Formats
    platform: Platform


def estimated_costs(problem: SearchProblem, queries: Sequence[CostQuery]) -> list[ProgramCost | str]:
    """Estimates computed in this process; a message if there is no program."""
    results: list[ProgramCost | str] = []
    for query in queries:
        try:
            results.append(costs_on(evaluator_of(problem).candidates, query.platform).estimated(query.formats))
        except InputError as error:
            results.append(error.message)
    return results


def measured_costs(problem: SearchProblem, queries: Sequence[CostQuery]) -> list[ProgramCost | None]:
    """Measurements made in this process, as by `CandidateCosts.measured`."""
    return [costs_on(evaluator_of(problem).candidates, query.platform).measured(query.formats) for query in queries]


@lru_cache(2)
def costs_on(candidates: Candidates, platform: Platform) -> CandidateCosts:
    """The costs of one program's candidates on a platform; the same object each time."""
    return CandidateCosts(candidates, platform)
