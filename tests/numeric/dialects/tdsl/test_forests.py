"""Forests, compared with an independent tree walk on reals, in every kind of format, and bit for bit in C on
devices.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.devices import DEVICES, roomy, with_llvm
from programs.forests import expected_sums, forest_program, random_trees, random_votes
from programs.on_boards import difference, printed
from programs.spread import spread, spread_product
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.lookup import format_named
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.forest import greatest_raw, greatest_raws
from tinyml.lowering import pipelines
from tinyml.runtime.devices.float_inputs import run_on_floats
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import LLVM, runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles
from tinyml.transforms.reals.compare_floats import CompareFloatsPass
from tinyml.transforms.reals.note_read_features import NoteReadFeaturesPass

FORMATS = [
    ("fixed", 8),
    ("fixed", 12),
    ("fixed", 16),
    ("zeroskew", 8),
    ("posit", 8),
    ("posit", 16),
    ("posit", 32),
    ("minifloat", None),
    ("f32", None),
    ("bf16", None),
]
PUBLISHED = [("seedot", 16), ("shiftry", 16), ("shiftry", 8)]
"""Their sums are rounded tree by tree, and their numbers wrap around."""

REACH = 7.0


def random_program(seed: int, features: int = 12) -> tuple[ModuleOp, NDArray[np.float32]]:
    """A random forest, and inputs some of which equal thresholds.

    In some forests all votes are nonnegative, and some forests have only one result.
    """
    random = np.random.default_rng(seed)
    results = int(random.choice([1, 2, 3, 5, 10]))
    trees = random_trees(random, int(random.integers(1, 9)), 20, features, 30, -REACH, REACH)
    signed, pure = bool(random.random() < 0.5), float(random.choice([0, 0.5, 1]))
    votes = random_votes(random, 30, results, signed=signed, pure=pure)
    inputs = random.uniform(-REACH, REACH, (40, features))
    inputs[::2] = np.round(4 * inputs[::2]) / 4
    return forest_program(trees, votes, features), inputs.astype(np.float32)


def in_format(module: ModuleOp, inputs: NDArray[np.float32], format: str, width: int | None) -> ModuleOp:
    module, ctx = module.clone(), context()
    record_profiles(module, inputs)
    AssignFormatPass(format, width).apply(ctx, module)
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", {"target": "host"}))
    return module


def forest_of(module: ModuleOp) -> tdsl.ForestOp:
    return next(op for op in module.walk() if isinstance(op, tdsl.ForestOp))


def votes_of(forest: tdsl.ForestOp) -> NDArray[np.float64]:
    constant = tdsl.constant_root(forest.votes)
    assert constant is not None
    return tdsl.format_of(forest.votes).decode(constant.raws)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_reals(seed: int):
    module, inputs = random_program(seed)
    forest = forest_of(module)
    wanted = expected_sums(forest.trees, votes_of(forest), inputs)
    scores = evaluate_reals(module, inputs).scores
    assert scores is not None
    np.testing.assert_allclose(scores, wanted, atol=1e-12)
    low, high = forest.interval
    assert low - 1e-9 <= wanted.min() <= wanted.max() <= high + 1e-9


@pytest.mark.long
@pytest.mark.parametrize(("format", "width"), FORMATS)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_comparisons_are_exact_for_numbers_of_the_format(format: str, width: int | None, seed: int):
    """In fixed point and zero-skew, the results are exactly the sums of the votes that a walk over the rounded inputs
    selects. In other formats, more than 95 % of them are near these sums.
    """
    module, inputs = random_program(seed)
    module = in_format(module, inputs, format, width)
    raws, forest = encode_inputs(module, inputs), forest_of(module)
    numbers = tdsl.format_of(predict_function(module).body.block.args[0]).decode(raws)
    wanted = expected_sums(forest.trees, votes_of(forest), numbers)
    scores = evaluate(module, raws).scores
    assert scores is not None
    found = tdsl.format_of(forest.out).decode(scores)
    if format in ("fixed", "zeroskew"):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)
    else:
        # The walk is that of the reference if the sums are near; a wrong leaf changes them by more in most samples.
        step = {"posit": 2.0 ** -(3 if width == 8 else 8), "minifloat": 2.0**-2, "f32": 2.0**-20, "bf16": 2.0**-5}[
            format
        ]
        assert np.mean(np.abs(found - wanted) <= step * (1 + np.abs(wanted)) * 4) > 0.95


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 1 << 32), width=st.sampled_from([4, 8, 16]))
def test_labels_differ_only_within_the_bound(seed: int, width: int):
    """Labels in fixed point equal those of the model on reals for inputs whose two greatest sums differ by more than
    the rounding errors of all votes.
    """
    module, inputs = random_program(seed)
    exact = module.clone()
    module = in_format(module, inputs, "fixed", width)
    raws = encode_inputs(module, inputs)
    numbers = tdsl.format_of(predict_function(module).body.block.args[0]).decode(raws).astype(np.float32)
    reference, outputs = evaluate_reals(exact, numbers), evaluate(module, raws)
    forest = forest_of(module)
    # Each tree rounds its vote for either class by at most half a step.
    step = np.abs(votes_of(forest) - votes_of(forest_of(exact))).max()
    bound = 2 * step * len(forest.trees.roots)
    assert reference.scores is not None
    ranked = np.sort(reference.scores, 1)
    clear = np.ones(len(inputs), bool) if ranked.shape[1] < 2 else ranked[:, -1] - ranked[:, -2] > bound
    np.testing.assert_array_equal(outputs.classes[clear], reference.classes[clear])


@pytest.mark.parametrize(("name", "width"), [*FORMATS, *PUBLISHED])
def test_thresholds_compare_like_raws_within_and_beyond_the_range(name: str, width: int | None):
    format = format_named(context(), name, width).for_range(-REACH, REACH)
    raws = np.unique(format.encode(np.linspace(-REACH, REACH, 500)))
    numbers = format.decode(raws)
    thresholds = np.array([-1e30, -40.0, *numbers[::50], *(numbers[::50] + 1e-9), 40.0, 500.0, 1e30])
    greatest, exists = greatest_raws(format, thresholds)
    np.testing.assert_array_equal((raws[:, None] <= greatest) & exists, numbers[:, None] <= thresholds)
    assert format.decode(greatest_raw(format)) >= numbers.max()


def test_floats_compare_with_thresholds_at_the_ends_of_single_precision():
    most = float(np.finfo(np.float32).max)
    thresholds = np.array([-np.inf, -most, most, np.inf])
    greatest, exists = greatest_raws(F32_FORMAT, thresholds)
    assert exists.all()
    np.testing.assert_array_equal(greatest, np.array([-np.inf, -most, most, most], np.float32))
    machine, numbers = NumpyMachine(), np.array([-np.inf, -most, 0.0, most, np.inf], np.float32)
    for threshold in (-1e300, -most, most, np.nextafter(most, np.inf), 1e300):
        reached = F32_FORMAT.at_least(machine, numbers, threshold)
        np.testing.assert_array_equal(reached, numbers.astype(np.float64) >= threshold)


@pytest.mark.long
@pytest.mark.parametrize(("format", "width"), [*spread(FORMATS, 2), *PUBLISHED])
def test_the_host_gives_the_same_bits(format: str, width: int | None, tmp_path: Path):
    """The C of a forest in a format, compiled by gcc, computes the evaluator's bits on the host. For half of the
    formats, so does LLVM's code, which loops over the tables of the trees.
    """
    module, inputs = random_program(width or 3)
    module = in_format(module, inputs, format, width)
    raws = encode_inputs(module, inputs)
    source = printed(module, "host", tmp_path / "c")
    assert difference(module, raws, source, HostRunner(sanitize=True), tmp_path) is None
    for device in with_llvm(format, 2):
        upstream = printed(module, device, tmp_path / device)
        assert difference(module, raws, upstream, runner_for(device), tmp_path / f"{device}-build") is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("device", "seed", "width", "flash"),
    [
        (device, *case)
        for device, case in spread_product(12, DEVICES, [(5, 8, None), (6, 8, 1), (7, 16, 1), (8, 16, None)])
    ],
)
def test_devices_give_the_same_bits(device: str, seed: int, width: int, flash: int | None, tmp_path: Path):
    """Forests as code and as tables compute the evaluator's bits on devices. The offsets of some of the 90 features
    exceed the displacement of a load instruction.
    """
    module, inputs = random_program(seed, features=90)
    module = in_format(module, inputs, "fixed", width)
    source = printed(module, device, tmp_path / "c", {"flash": flash} if flash else {})
    raws = encode_inputs(module, inputs)[:12]
    forest = forest_of(module)
    greatest, _ = greatest_raws(tdsl.format_of(forest.input), forest.trees.thresholds)
    for sample in range(8):
        # As many of the features as possible are at a threshold, or next to it.
        some = np.random.default_rng(sample).permutation(len(greatest))
        raws[sample, forest.trees.features[some]] = greatest[some] + sample % 2
    assert difference(module, raws, source, runner_for(device if device == LLVM else roomy(device)), tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("device", "format", "width"),
    [(device, *case) for device, case in spread_product(6, DEVICES, [("fixed", 8), ("fixed", 16), ("f32", None)])],
)
def test_calls_with_floats_convert_what_is_read(device: str, format: str, width: int | None, tmp_path: Path):
    """In fixed point, calls with floats convert only the features that a node compares; in f32, they convert none.
    Features that no node compares are NaN in this test.
    """
    module, inputs = random_program(11, features=40)
    NoteReadFeaturesPass().apply(context(), module)
    read = tdsl.read_input(module).read
    assert read is not None
    module = in_format(module, inputs, format, width)
    source = printed(module, device, tmp_path / "c")
    assert ("read_features" in (source / "forest.c").read_text()) == (format == "fixed")
    x = np.full_like(inputs[:12], np.nan)
    x[:, read] = inputs[:12, read]
    (tmp_path / "run").mkdir()
    _, result = run_on_floats(source, interface_of(module), x, roomy(device), tmp_path / "run")
    expected = evaluate(module, encode_inputs(module, inputs[:12]))
    np.testing.assert_array_equal(result.scores, expected.scores)


ODD = np.array([0.0, -0.0, 1e-45, -1e-45, 1e-39, -1e-39, 3e38, -3e38, np.inf, -np.inf, np.nan, -np.nan], np.float32)


@pytest.mark.long
@pytest.mark.parametrize(
    ("device", "features", "flash"),
    [
        *((device, *case) for device, case in spread_product(8, DEVICES, [(12, None), (90, None), (40, 1)])),
        *((device, 12, None) for device in with_llvm("floats", 1)),
    ],
)
def test_floats_are_compared_by_their_bits(device: str, features: int, flash: int | None, tmp_path: Path):
    """Forests in f32, as code and as tables, compute the evaluator's bits for features at and next to thresholds,
    zeros, denormals, infinities and NaN. Their code compares the bits of floats as integers.
    """
    module, inputs = random_program(9, features=features)
    thresholds = forest_of(module).trees.thresholds.copy()
    thresholds[:3] = 0.0, -0.0, -1e-42
    forest_of(module).properties |= replace(forest_of(module).trees, thresholds=thresholds).attributes
    module = in_format(module, inputs, "f32", None)
    source = printed(module, device, tmp_path / "c", {"flash": flash} if flash else {})
    trees, random = forest_of(module).trees, np.random.default_rng(0)
    limits = trees.thresholds.astype(np.float32)
    around = [limits, np.nextafter(limits, np.float32(np.inf)), np.nextafter(limits, np.float32(-np.inf))]
    raws = np.repeat(inputs[:1], 24, axis=0)
    for sample, values in enumerate(raws):
        some = random.permutation(len(limits))
        values[trees.features[some]] = around[sample % 3][some]
        if sample % 2:
            values[:] = np.where(random.random(features) < 0.4, random.choice(ODD, features), values)
    assert difference(module, raws, source, runner_for(device if device == LLVM else roomy(device)), tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("device", "features", "flash", "sides"),
    [
        (device, *case)
        for device, case in spread_product(6, DEVICES, [(12, None, "both"), (40, 1, "both"), (12, None, "first")])
    ],
)
def test_missing_floats_go_to_the_side_of_each_node(
    device: str, features: int, flash: int | None, sides: str, tmp_path: Path
):
    """In forests as code and as tables, NaN of either sign and infinities take the branches of an independent walk."""
    module, inputs = random_program(9, features=features)
    random, trees = np.random.default_rng(2), forest_of(module).trees
    missing = random.random(trees.inner) < (0.5 if sides == "both" else 1)
    forest_of(module).properties |= replace(trees, missing=missing).attributes
    votes = votes_of(forest_of(module))
    tdsl.update_input(module, missing=True)
    x = np.where(random.random(inputs.shape) < 0.3, random.choice(ODD, inputs.shape), inputs)
    exact = evaluate_reals(module, x).scores
    assert exact is not None
    np.testing.assert_allclose(exact, expected_sums(replace(trees, missing=missing), votes, x), rtol=1e-6)
    module = in_format(module, inputs, "f32", None)
    source = printed(module, device, tmp_path / "c", {"flash": flash} if flash else {})
    assert difference(module, x[:24], source, runner_for(roomy(device)), tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize("device", ["uno", "mega"])
@pytest.mark.parametrize(
    ("form", "apart", "results", "flash"),
    [("registers", 1, 5, None), ("registers", 30, 3, None), ("tables", 7, 5, 1), ("code", 1, 30, None)],
)
def test_floats_between_small_integers_are_compared_as_bytes(
    form: str, apart: int, results: int, flash: int | None, device: str, tmp_path: Path
):
    """Forests with thresholds from 0.5 to 14.5 compare features as bytes, with exact results for floats at and next to
    thresholds, zeros, denormals, infinities and NaN.
    """
    random = np.random.default_rng(apart)
    trees = random_trees(random, 20, 50, 12, 30, 0, 15)
    trees = replace(trees, features=apart * trees.features, thresholds=np.floor(trees.thresholds) + 0.5)
    votes = random_votes(random, 30, results, signed=apart > 1, pure=0.5)
    module, inputs = forest_program(trees, votes, 12 * apart), random.uniform(0, 15, (40, 12 * apart))
    CompareFloatsPass().apply(context(), module)
    module = in_format(module, inputs.astype(np.float32), "fixed", 8)
    limits = np.unique(trees.thresholds).astype(np.float32)
    beside = (np.nextafter(limits, np.float32(way * np.inf)) for way in (1, -1))
    raws = random.choice(np.concatenate([limits, *beside, ODD]), (24, 12 * apart))
    source = printed(module, device, tmp_path / "c", {"flash": flash} if flash else {})
    assert f"tm_avr_forest_keyed_{form}" in (source / "forest.c").read_text()
    assert difference(module, raws, source, runner_for(device if device == LLVM else roomy(device)), tmp_path) is None
