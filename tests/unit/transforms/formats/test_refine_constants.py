"""Constants rounded once more: margins get better, on other data too, and what proofs and storage count on stays."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from programs.paths import MODELS
from programs.searches import evaluation_of, profiled

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.lookup import format_named
from tinyml.runtime.model.data import Data, load_data
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.format_assignment import Choice
from tinyml.transforms.formats.constants.refine_constants import refine_constants
from tinyml.transforms.formats.evaluation.outcomes import Judge, Task
from tinyml.transforms.search.costs.candidate_costs import Cost, Costs
from tinyml.transforms.search.engine.limits import LimitedSearch
from tinyml.transforms.search.engine.result import Found
from tinyml.transforms.search.engine.search import Search

NARROW = FixedType.of_width(8)


def halves(model: str) -> tuple[Judge, Judge]:
    """The same program and constants with every second sample, and with the others."""
    data = load_data(str(MODELS[model].with_name("val.npz")))
    assert data.y is not None
    one, other = (Judge(profiled(model), Data(data.x[i::2], data.y[i::2]), None) for i in (0, 1))
    other.candidates.constants = one.candidates.constants
    return one, other


@pytest.mark.parametrize("model", MODELS)
def test_margins_get_better(model: str):
    judge, other = halves(model)
    assignment, constants = judge.candidates.assignment, judge.candidates.constants
    formats = tuple(assignment.formats([Choice(NARROW)] * len(assignment.classes)))
    refined = refine_constants(judge, formats)
    for one in (judge, other):
        before, after = (one.outcome(Task(formats, "margin", math.inf, raws)).margin for raws in (None, refined))
        assert after < 0.99 * before
    before, after = constants.raws(formats), constants.raws(formats, refined)
    for place, op in enumerate(constants.constants):
        format = formats[assignment.classes.index(assignment.class_of[op.result])]
        reals, new = tdsl.format_of(op.result).decode(op.raws), after[op.result]
        assert (place in refined) == (new != before[op.result]).any()
        assert ((new == format.encode(reals)) | (new == format.encode_away(reals))).all()
        sizes = [
            np.abs(format.decode(one)).reshape(-1, op.raws.shape[-1] if op.raws.ndim else 1).sum(1).max()
            for one in (new, format.encode(reals))
        ]
        assert sizes[0] <= sizes[1] * (1 + 1e-9) or op.raws.shape[-1:] in ((), (1,))
        if isinstance(op.result.type.encoding, tdsl.Csr):
            assert ((new == 0) == (before[op.result] == 0)).all()


@pytest.mark.parametrize("model", ["protonn"])
@pytest.mark.parametrize(("flash", "kept"), [(1000, True), (1001, False)])
def test_limits_hold_with_refined_constants(model: str, flash: int, kept: bool, monkeypatch: pytest.MonkeyPatch):
    def measured(*_: object) -> Cost:
        return Cost(0, flash, 0)

    monkeypatch.setattr(Costs, "measured_with", measured)
    with evaluation_of(model) as evaluation:
        search = LimitedSearch(Search(evaluation, NARROW), Cost(math.inf, 1000, math.inf), "uno")
        found = Found(search.uniform(NARROW), {})
        assert bool(search.refined(found).refined) == kept


def test_a_rival_is_taken_that_loses_less():
    with evaluation_of("protonn") as evaluation:
        search = Search(evaluation, NARROW)
        worse, better = (Found(search.uniform(FixedType.of_width(width)), {}) for width in (4, 8))
        limited = LimitedSearch(search, Cost(math.inf, math.inf, math.inf), "uno")
        assert limited.refined(replace(worse, rivals=[better])).choices == better.choices
        assert limited.refined(replace(better, rivals=[worse])).choices == better.choices


def test_uniform_programs_have_refined_constants():
    file = MODELS["protonn"].with_name("val.npz")
    judge = Judge(profiled("protonn"), load_data(str(file)), None)
    formats = tuple(judge.candidates.assignment.formats([Choice(NARROW)] * len(judge.candidates.assignment.classes)))
    wanted = judge.candidates.constants.raws(formats, refine_constants(judge, formats))
    module = profiled("protonn").clone()
    AssignFormatPass(width=8, data=str(file)).apply(context(), module)
    found = [op.raws for op in module.walk() if isinstance(op, tdsl.ConstOp)]
    assert len(found) == len(wanted)
    assert all(np.array_equal(one, other) for one, other in zip(found, wanted.values(), strict=True))


def test_published_arithmetic_stays_as_it_was():
    judge, _ = halves("protonn")
    published = format_named(context(), "shiftry", 8)
    assignment = judge.candidates.assignment
    assert not refine_constants(judge, tuple(assignment.formats([Choice(published)] * len(assignment.classes))))
