"""Exchanges of widths between tensors: the predicted margins, the predictions of the error model, and the exchanges
that these suggest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from programs.paths import MODELS
from programs.searches import evaluation_of
from programs.spread import spread

from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.formats.evaluation.margins import MarginModel
from tinyml.transforms.search.engine.moves import LinearErrors, PairwiseMoves, possible_changes
from tinyml.transforms.search.engine.search import MIN_GAIN, Feasibility, Limits, Search

OFFERED = [FixedType.of_width(width) for width in (6, 8, 16)]
NARROW, WIDE = OFFERED[1], OFFERED[-1]


@pytest.mark.parametrize("classes", [1, 2, 10])
@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_as_many_differ_as_margins_say(classes: int, noise: float):
    random = np.random.default_rng(5)
    scores = random.normal(size=(200_000, classes))
    moved = scores + noise * random.normal(size=scores.shape)
    expected = float(np.abs(MarginModel(scores).weighted_errors(moved, slice(None))).sum())
    differ = (scores > 0) != (moved > 0) if classes == 1 else scores.argmax(1) != moved.argmax(1)
    # A third class may come first, too.
    assert 0.75 * 100.0 * np.mean(differ) < expected < 1.05 * 100.0 * np.mean(differ)


@pytest.mark.parametrize("model", MODELS)
def test_the_label_is_that_of_the_scores_that_are_compared(model: str):
    with evaluation_of(model) as evaluation:
        evaluator = evaluation.evaluator
        search = Search(evaluation, WIDE)
        program = evaluator.shared.prepare(evaluator.candidates.program(search.formats(search.uniform(NARROW))))
        scores, outputs = program.compared(0), program.outputs(0)
    assert scores is not None
    assert outputs.scores is not None
    assert scores.shape == outputs.scores.shape
    chosen = scores[np.arange(len(scores)), outputs.classes]
    assert np.array_equal(chosen, scores.max(1))
    # Half a unit of the output's last place, where it was rounded to that.
    [format] = program.output_formats
    assert np.abs(scores - format.decode(outputs.scores)).max() <= format.decode(np.ones((), format.dtype))


@pytest.mark.long
@pytest.mark.parametrize("model", MODELS)
def test_errors_add_up(model: str):
    """For a change of one tensor, the predicted errors equal the true ones. For a change of all tensors, the sum of the
    magnitudes of the predicted errors is right up to a factor of 2.
    """
    with evaluation_of(model) as evaluation:
        search = Search(evaluation, WIDE)
        model_of = LinearErrors(search, search.uniform(WIDE))
        narrow = FormatChoice(NARROW)
        one = model_of.true_errors([narrow, *model_of.base[1:]])
        total = model_of.true_errors(search.uniform(NARROW))
        said = [model_of.predicted([narrow, *model_of.base[1:]]), model_of.predicted(search.uniform(NARROW))]
    assert one is not None
    assert total is not None
    assert np.allclose(one, said[0], rtol=0, atol=1e-15)
    assert 0.5 < np.abs(said[1]).sum() / np.abs(total).sum() < 2.0


@pytest.mark.long
@pytest.mark.parametrize("model", spread(["protonn", "fastgrnn"], 1))
def test_proposals_are_within_the_limits(model: str):
    with evaluation_of(model) as evaluation:
        search = Search(evaluation, WIDE)
        start = search.uniform(NARROW)
        costs = search.costs("uno")
        cost = costs.estimated(search.formats(start))
        # Room for some of the wide tensors, not for all.
        limits = Limits(flash=cost.flash + 600, ram=cost.ram + 60)
        errors = LinearErrors(search, search.uniform(WIDE))
        feasibility = Feasibility(search, limits)
        moves = PairwiseMoves(feasibility, errors, start, possible_changes(search, start, OFFERED))
        proposals = moves.proposals(start)
        assert proposals
        here = errors.predicted(start)
        for choices in proposals:
            assert costs.estimated(search.formats(choices)).within(limits.cost)
            changed = [place for place, choice in enumerate(choices) if choice != start[place]]
            assert 1 <= len(changed) <= 2
            assert np.abs(errors.predicted(choices)).sum() < (1 - MIN_GAIN) * np.abs(here).sum()


def test_memory_tells_few_widths_apart():
    with evaluation_of("protonn") as evaluation:
        search = Search(evaluation, WIDE)
        start = search.uniform(NARROW)
        found = possible_changes(search, start, OFFERED)
    widths: dict[int, set[int]] = {}
    for one in found:
        widths.setdefault(one.index, set()).add(one.choice.prototype.bits)
        assert one.choice != start[one.index]
        assert one.choice.zoom == 0 or one.choice == replace(start[one.index], zoom=one.choice.zoom)
    for place, tensor in enumerate(search.classes):
        assert widths[place] == ({6, 8, 16} if tensor.is_constant and tensor.elements > 1 else {8, 16})
