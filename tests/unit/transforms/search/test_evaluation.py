"""Outcomes of many candidates do not depend on the computer or on interruptions. An evaluation ends early only if this
does not change its result.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from multiprocessing import parent_process
from typing import Any, cast

import pytest
from programs.paths import MODELS
from programs.searches import costs_of, evaluation_of, problem_of, uniform
from threadpoolctl import threadpool_info, threadpool_limits

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.transforms.formats.evaluation.candidates import SearchProblem
from tinyml.transforms.formats.evaluation.metrics import DECLARED_METRICS, NUMBERS
from tinyml.transforms.formats.evaluation.reference import CandidateOutcome
from tinyml.transforms.search.engine import workers as workers_module
from tinyml.transforms.search.engine.status import STATUS_LISTENER, Status
from tinyml.transforms.search.engine.tensor_values import tensor_errors
from tinyml.transforms.search.engine.workers import Workers


@pytest.mark.parametrize(
    "metric", [metric.name for metric in DECLARED_METRICS if metric.of != NUMBERS] + ["f1:0", "auc:0"]
)
@pytest.mark.parametrize("model", MODELS)
def test_a_candidate_is_given_up_only_where_it_is_hopeless(model: str, metric: str):
    with evaluation_of(model) as evaluation:
        [exact] = evaluation.outcomes(uniform(evaluation, 5), metric=metric)
        loss = evaluation.loss(exact, metric)
    for margin, given_up in ((1e-9, False), (-1e-9, True), (-abs(loss) / 2 - 1e-9, True)):
        with evaluation_of(model) as evaluation:
            [outcome] = evaluation.outcomes(uniform(evaluation, 5), loss + margin, metric)
            assert outcome == exact if not given_up else evaluation.loss(outcome, metric) > loss + margin


@pytest.mark.long
def test_any_number_of_workers_gives_the_same(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(workers_module, "START_DELAY", 0.0)
    found: list[tuple[list[CandidateOutcome], object]] = []
    for jobs in (1, 2):
        with Workers(jobs) as started, evaluation_of("protonn", started) as evaluation:
            candidates = uniform(evaluation, 8, 4, 16, 6)
            costs = costs_of(evaluation)
            costs.estimate(candidates, evaluation.problem, evaluation.workers)
            found.append((evaluation.outcomes(candidates), costs.estimates))
    assert found[0] == found[1]


def numbers_of_processes(problem: SearchProblem, tasks: Sequence[int]) -> list[int]:
    time.sleep(0.05)  # Long enough for the copies to begin.
    return [os.getpid() for _ in tasks]


def end_elsewhere(problem: SearchProblem, tasks: Sequence[int]) -> list[int]:
    return [os._exit(1) if parent_process() is not None else task for task in tasks]


@pytest.mark.skipif(sys.platform != "linux", reason="joblib starts the processes")
def test_processes_are_copies_beside_which_the_first_one_works(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(workers_module, "START_DELAY", 0.0)
    with Workers(3) as started:
        found = [process for _, process in started.run(problem_of("protonn"), range(24), numbers_of_processes)]
    assert found[-1] == os.getpid()
    assert len(set(found)) > 1


@pytest.mark.skipif(sys.platform != "linux", reason="joblib starts the processes")
def test_a_process_that_ends_is_one_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(workers_module, "START_DELAY", 0.0)
    with Workers(2) as started:
        # The second time, it has ended before anything is sent.
        for _ in range(2):
            with pytest.raises(InputError, match="perhaps for lack of memory"):
                list(started.run(problem_of("protonn"), range(64), end_elsewhere))


def test_numeric_libraries_have_one_thread_while_there_are_workers():
    def threads() -> set[int]:
        return {library["num_threads"] for library in cast("Any", threadpool_info)()}

    with threadpool_limits(2):
        with Workers(1):
            assert threads() == {1}
        assert threads() == {2}


def test_progress_is_told():
    told: list[Status] = []
    token = STATUS_LISTENER.set(told.append)
    with evaluation_of("protonn") as evaluation:
        evaluation.begin("widths")
        losses = evaluation.losses(uniform(evaluation, 8, 4))
    STATUS_LISTENER.reset(token)
    assert [(one.phase, one.candidates, one.done, one.of) for one in told] == [
        ("widths", 0, 0, 0),
        ("widths", 0, 0, 2),
        ("widths", 1, 1, 2),
        ("widths", 2, 2, 2),
        ("", 2, 0, 0),
    ]
    assert told[-1].best == min(losses)


def test_tensors_have_errors_where_a_matrix_rounds_to_zero():
    """A matrix that rounds to zero causes errors, although the evaluator computes its products once for all samples."""
    with evaluation_of("protonn") as evaluation:
        classes = evaluation.evaluator.candidates.assignment.classes
        [formats] = uniform(evaluation, 16)
        matrices = [one.is_constant and one.elements > 64 for one in classes]
        coarse = [FixedType(16, -10) if is_one else format for is_one, format in zip(matrices, formats, strict=True)]
        before, after = (tensor_errors(evaluation.evaluator, tuple(each), None) for each in (formats, coarse))
        assert all(after[place] > before[place] for place, is_one in enumerate(matrices) if is_one)
        assert after[-1] > before[-1]
