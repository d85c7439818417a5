"""Retreats of the search: wide formats of tensors in RAM are kept as far as the built program is within the limits,
even if estimates exceed them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest
from programs.searches import problem_of

from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.transforms.formats.evaluation.candidates import Formats
from tinyml.transforms.ir.pipeline_names import ProgramCost
from tinyml.transforms.search.engine.evaluation import Evaluation
from tinyml.transforms.search.engine.moves import greedy_steps, ranked_steps, with_better_scales
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.workers import Workers
from tinyml.transforms.search.search_pareto import SearchParetoPass


@pytest.mark.long
def test_a_byte_that_is_missing_takes_back_few_registers(monkeypatch: pytest.MonkeyPatch):
    """The estimates of all programs with wide registers exceed the limit, but of the built programs only those with
    more than three wide registers exceed it. The search keeps up to three wide registers.
    """
    narrow, limit = FixedType.of_width(8), 400
    with Evaluation(problem_of("fastgrnn", 40), "margin", Workers(1)) as evaluation:
        search = Search(evaluation, FixedType.of_width(16))
        costs, start = search.costs("uno"), search.formats(search.uniform(narrow))

        def wide(formats: Formats) -> int:
            return sum(one.bits > own.bits for one, own in zip(formats, start, strict=True))

        def cost(formats: Formats, stack: int) -> ProgramCost:
            return ProgramCost(0, 0, limit + search.memory(formats) - search.memory(start) + stack)

        def measure(candidates: Iterable[Formats], *_: object) -> None:
            for formats in candidates:
                costs.measurements[formats] = cost(formats, wide(formats) > 3)

        def measured(formats: Formats) -> ProgramCost | None:
            measure([formats])
            return costs.measurements[formats]

        monkeypatch.setattr(costs, "measurements", {})
        monkeypatch.setattr(costs, "measure", measure)
        monkeypatch.setattr(costs, "measured", measured)
        monkeypatch.setattr(costs, "estimated", lambda formats: cost(formats, 10 * (wide(formats) > 0)))  # pyright: ignore
        found = search.formats(SearchParetoPass("", widths=(8, 16), ram=limit, effort=1).search(search).choices)
        [less, more] = evaluation.losses([found, start])
    assert 0 < wide(found) <= 3
    assert less < more


@pytest.mark.long
def test_backtracking_ends_at_the_goal_and_at_the_permitted_loss():
    with Evaluation(problem_of("protonn"), "margin", Workers(1)) as evaluation:
        search = Search(evaluation, FixedType.of_width(16))
        wide, narrow = (search.uniform(FixedType.of_width(width)) for width in (12, 8))
        start = with_better_scales(search, narrow)
        assert {one.prototype for one in start} == {narrow[0].prototype}
        [better, same] = search.losses([start, narrow])
        assert better < same
        steps, straight = list(greedy_steps(search, wide, narrow, math.inf)), list(ranked_steps(search, wide, narrow))
        for way in (steps, straight):
            assert [sum(one.prototype.bits == 8 for one in step) for step in way] == [*range(1, len(wide) + 1)]
        assert steps[0] == straight[0]
        least = min(search.losses(steps))
        assert not list(greedy_steps(search, wide, narrow, math.nextafter(least, 0.0)))
