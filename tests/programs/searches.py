"""Trained models in the state in which searches receive them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from programs.paths import MODELS, NETWORK
from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.model.data import Data, load_data
from tinyml.tools.driver.stages import load_program, print_ir
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.evaluation.candidates import Formats, SearchProblem
from tinyml.transforms.programs.store import Programs
from tinyml.transforms.search.costs.candidate_costs import CandidateCosts, Platform, costs_on
from tinyml.transforms.search.engine.evaluation import Evaluation
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.workers import Workers

SOURCES = MODELS | {"network": NETWORK}
SAMPLES = 200


@lru_cache
def some_data(model: str) -> Data:
    data = load_data(str(SOURCES[model].with_name("val.npz")))
    assert data.y is not None
    return Data(data.x[:SAMPLES], data.y[:SAMPLES])


def passes(data: str) -> tuple[list[ModulePass], list[ModulePass]]:
    """The passes of a compilation before the assignment of formats, and those after it."""
    steps = flatten("reals-to-formats", {"data": data})
    place = next(i for i, step in enumerate(steps) if isinstance(step, AssignFormatPass))
    return steps[:place], steps[place + 1 :]


@lru_cache
def profiled(model: str) -> ModuleOp:
    """A model on reals after the passes that precede a search, including profiling. Callers must not change it."""
    module = load_program(SOURCES[model], context())
    run(module, context(), passes(str(SOURCES[model].with_name("val.npz")))[0])
    return module


@lru_cache
def problem_of(model: str, samples: int = SAMPLES) -> SearchProblem:
    data = some_data(model)
    assert data.y is not None
    return SearchProblem(print_ir(profiled(model)), data.x[:samples], data.y[:samples], None)


def evaluation_of(model: str, workers: Workers | None = None, samples: int = SAMPLES, **options: Any) -> Evaluation:
    return Evaluation(problem_of(model, samples), "disagreement", workers or Workers(1), **options)


def costs_of(evaluation: Evaluation) -> CandidateCosts:
    """A new cache for the costs of candidates on the Uno."""
    return costs_anew(evaluation, Platform("uno"))


def costs_anew(evaluation: Evaluation, platform: Platform) -> CandidateCosts:
    """A new cache for the costs of candidates on a platform."""
    candidates = evaluation.evaluator.candidates
    candidates.programs = Programs()
    return costs_on(candidates, platform)


def uniform(evaluation: Evaluation, *widths: int) -> list[Formats]:
    search = Search(evaluation, FixedType.of_width(8))
    return [search.formats(search.uniform(FixedType.of_width(width))) for width in widths]
