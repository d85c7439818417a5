"""Refinement of the constants of a result, the last step of every search."""

from __future__ import annotations

import math
from dataclasses import replace

from tinyml.transforms.formats.constants.refine_constants import refinements_of
from tinyml.transforms.formats.evaluation.evaluator import EvaluationTask
from tinyml.transforms.search.engine.feasibility import Feasibility
from tinyml.transforms.search.engine.limits import Limits
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Search


def refine_result(search: Search, limits: Limits, result: SearchResult) -> SearchResult:
    """The result or one of its rivals with refined constants (`refine_constants`).

    Among those that lose no more than the result and keep the limits, the one that loses least is taken; if there is
    none, the result is unchanged.
    """
    evaluation, feasibility = search.evaluation, Feasibility(search, limits)
    evaluation.begin("constants")
    candidates = {search.formats(candidate.choices): candidate for candidate in (result, *result.rivals)}
    most = search.losses([result.choices])[0]
    tasks: list[tuple[float, EvaluationTask]] = []
    for formats, refined in evaluation.workers.run(evaluation.problem, list(candidates), refinements_of):
        task = EvaluationTask(formats, evaluation.metric, math.inf, refined)
        tasks.append((evaluation.loss(search.evaluator.outcome(task)), task))
    for loss, task in sorted(tasks, key=lambda pair: pair[0]):
        if loss > most:
            break
        refined = _refined(feasibility, candidates[task.formats], task, loss)
        if refined is not None:
            return refined
    return result


def _refined(feasibility: Feasibility, result: SearchResult, task: EvaluationTask, loss: float) -> SearchResult | None:
    """A result with the constants of a task; None if it then exceeds the limits."""
    cost = feasibility.costs.measured_with(task.formats, task.refined) if feasibility.is_limited else None
    if cost is not None and not cost.within(feasibility.limits.cost):
        return None
    if feasibility.spending is not None:
        cost = feasibility.spending.measured_with(task.formats, task.refined)
    points = [replace(point, loss=loss, cost=cost or point.cost) if point.chosen else point for point in result.points]
    return replace(result, refined=task.refined, points=points)
