"""Ranges that hold for all inputs, not only for the validation set: the attainable sums of boosted trees are clipped in
no width or format.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.devices import DEVICES, with_llvm
from programs.estimators import sk
from programs.on_boards import difference, printed
from programs.spread import spread_product
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block
from xdsl.rewriter import InsertPoint

from tinyml.dialects import num, tdsl
from tinyml.dialects.context import context
from tinyml.dialects.rewriting import Rewriter
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, predict_function
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.known_ranges import known_ranges
from tinyml.transforms.reals.analysis.profiles import record_profiles

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(300, 4)).round(1)
Y = 100 * X[:, 0] * X[:, 1] + 500
BOOSTED = sk.GradientBoostingRegressor(n_estimators=12, max_depth=3, random_state=0).fit(X, Y)
ESTIMATORS: dict[str, Any] = {
    "boosted": BOOSTED,
    "several": sk.MultiOutputRegressor(sk.GradientBoostingRegressor(n_estimators=6, max_depth=2, random_state=0)).fit(
        X, np.stack([Y, 3 - Y], 1)
    ),
    "mean": sk.VotingRegressor(
        [
            ("a", sk.GradientBoostingRegressor(n_estimators=6, random_state=0)),
            ("b", sk.DecisionTreeRegressor(max_depth=3)),
        ]
    ).fit(X, Y),
    "forest": sk.RandomForestRegressor(5, max_depth=4, random_state=0).fit(X, Y),
}
USUAL = X[np.abs(BOOSTED.predict(X) - 500) < 60]
"""A validation set whose answers span a third of those of all samples."""
FORMATS = [
    ("fixed", 8, 2**-6),
    ("fixed", 16, 2**-12),
    ("fixed", 32, 2**-20),
    ("posit", 16, 2**-9),
    ("zeroskew", 8, 2**-5),
]


def in_format(estimator: Any, format: str, width: int) -> ModuleOp:
    module, ctx = import_estimator(estimator), context()
    record_profiles(module, USUAL)
    AssignFormatPass(format, width).apply(ctx, module)
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", {"target": "host"}))
    return module


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize(("format", "width", "share"), FORMATS)
def test_sums_beyond_the_data(name: str, format: str, width: int, share: float):
    module = in_format(ESTIMATORS[name], format, width)
    raws = encode_inputs(module, X)
    scores = evaluate(module, raws).scores
    assert scores is not None
    function = predict_function(module)
    rounded = tdsl.format_of(function.body.block.args[0]).decode(raws)
    last = function.get_return_op()
    assert last is not None
    result = tdsl.format_of(last.operands[0])
    wanted = ESTIMATORS[name].predict(rounded.reshape(len(X), -1)).reshape(scores.shape)
    errors = np.abs(result.decode(scores) - wanted)
    assert np.quantile(errors, 0.98) <= share * np.abs(wanted).max()


@pytest.mark.long
@pytest.mark.parametrize(
    ("device", "name", "format", "width"),
    [
        (device, *case)
        for device, case in spread_product(
            8, with_llvm(DEVICES), [("boosted", "fixed", 8), ("several", "fixed", 32), ("mean", "zeroskew", 8)]
        )
    ],
)
def test_devices_add_as_the_evaluator(device: str, name: str, format: str, width: int, tmp_path: Path):
    module = in_format(ESTIMATORS[name], format, width)
    source = printed(module, device, tmp_path / "program")
    raws = encode_inputs(module, X[:20])
    assert difference(module, raws, source, runner_for(device), tmp_path / "build") is None


def test_ranges_hold_for_all_inputs():
    """For a regressor by three nearest neighbours, the known range of the predictions extends from the mean of the
    three least targets, 1, to that of the three greatest, 38. The input has no known range.
    """
    targets = np.arange(40.0)
    module = import_estimator(sk.KNeighborsRegressor(3).fit(X[:40, :2], targets))
    record_profiles(module, X[:2, :2])
    function = predict_function(module)
    last = function.get_return_op()
    assert last is not None
    known = known_ranges(function)
    np.testing.assert_allclose(known[last.operands[0]].interval, (1.0, 38.0), rtol=1e-6)
    assert function.body.block.args[0] not in known


def test_the_range_of_squares_is_unknown():
    """The square of a prediction between -19 and 18 is between 0 and 361: products of the ends do not bound it."""
    module = import_estimator(sk.KNeighborsRegressor(3).fit(X[:40, :2], np.arange(40.0) - 20))
    record_profiles(module, X[:2, :2])
    function = predict_function(module)
    last = function.get_return_op()
    assert last is not None
    predictions = last.operands[0]
    body = Block(arg_types=[f32])
    square = num.MulOp(body.args[0], body.args[0], f32)
    body.add_ops([square, tdsl.YieldOp(square.result)])
    squares = tdsl.MapOp([predictions], body, tdsl.shape_of(predictions), f32)
    Rewriter.insert_op(squares, InsertPoint.before(last))
    known = known_ranges(function)
    assert predictions in known
    assert squares.out not in known
