"""Searches on a program with two outputs of different lengths, which are equally important."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from programs.formatted import parse
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator
from tinyml.runtime.model.data import Data
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.evaluation.candidates import evaluate_program
from tinyml.transforms.formats.evaluation.reference import Reference
from tinyml.transforms.reals.analysis.profiles import record_profiles
from tinyml.transforms.search.engine.search_pass import SearchPass
from tinyml.transforms.search.search_by_accuracy import SearchByAccuracyPass
from tinyml.transforms.search.search_by_size import SearchBySizePass
from tinyml.transforms.search.search_demote import SearchDemotePass
from tinyml.transforms.search.search_maxscale import SearchMaxscalePass
from tinyml.transforms.search.search_pareto import SearchParetoPass
from tinyml.transforms.search.search_promote import SearchPromotePass
from tinyml.transforms.search.search_uniform import SearchUniformPass
from tinyml.transforms.search.search_weights import SearchWeightsPass

PROGRAM = """
func.func @two(%x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x1xf32>) {
  %w = tdsl.const dense<[[0.3], [-0.7], [0.9], [0.2]]> : tensor<4x1xf32> -> tensor<4x1xf32>
  %s = tdsl.sigmoid %x : tensor<1x4xf32> -> tensor<1x4xf32>
  %p = tdsl.matmul %x, %w : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  func.return %s, %p : tensor<1x4xf32>, tensor<1x1xf32>
}
"""

SEARCHES: dict[str, Callable[..., SearchPass]] = {
    "by-accuracy": SearchByAccuracyPass,
    "by-size": SearchBySizePass,
    "demote": partial(SearchDemotePass, loss=0.01),
    "maxscale": partial(SearchMaxscalePass, widths=(8,)),
    "promote": SearchPromotePass,
    "uniform": SearchUniformPass,
    "pareto": partial(SearchParetoPass, effort=2),
    "weights": partial(SearchWeightsPass, metric="error"),
}


@pytest.fixture
def inputs() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(40, 4)).astype(np.float32)


@pytest.fixture
def module(inputs: np.ndarray) -> ModuleOp:
    module = parse(PROGRAM)
    record_profiles(module, inputs)
    return module


@pytest.mark.long
@pytest.mark.parametrize("metric", ["error", "margin", "disagreement"])
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_chooses_formats(name: str, metric: str, module: ModuleOp, inputs: np.ndarray, tmp_path: Path):
    np.savez(tmp_path / "val.npz", x=inputs)
    chosen = module.clone()
    SEARCHES[name](str(tmp_path / "val.npz"), metric=metric, jobs=1).apply(context(), chosen)
    ChooseAccumulatorsPass().apply(context(), chosen)
    chosen.verify()
    outputs = evaluate(chosen, encode_inputs(chosen, inputs))
    assert [tensor.shape for tensor in outputs.tensors] == [(40, 4), (40, 1)]


def test_the_error_is_that_of_the_mean_output(module: ModuleOp, inputs: np.ndarray):
    """The error is the mean of the errors of both outputs: the single number of the second output counts as much as the
    four numbers of the first.
    """
    reals = evaluate_reals(module, inputs).tensors
    reference = Reference(module, Data(inputs, None))
    narrow = module.clone()
    AssignFormatPass("fixed", 16, widths=("p:4",)).apply(context(), narrow)
    ChooseAccumulatorsPass().apply(context(), narrow)
    outcome = evaluate_program(narrow, reference, SharedEvaluator(reference.inputs), "error", np.inf)
    raws = evaluate(narrow, encode_inputs(narrow, inputs)).tensors
    program = SharedEvaluator(inputs).prepare(narrow)
    first, second = (
        np.abs(format.decode(raw) - exact).mean()
        for format, raw, exact in zip(program.output_formats, raws, reals, strict=True)
    )
    assert isinstance(program.output_formats[1], FixedType)
    assert program.output_formats[1].bits == 4
    assert first < 1e-3 < second
    assert reference.loss(outcome, "error") == pytest.approx((first + second) / 2)
