"""LSTMs of TensorFlow Lite compute TFLM's bytes: whole sequences, single steps of a stream, and on devices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from programs.devices import DEVICES, roomy
from programs.lowered import lowered
from programs.lstm_models import lstm
from programs.spread import examples, spread
from programs.streamed_networks import answers
from programs.tflite_models import computed_by_tflm, inputs_of

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import first_mismatch


@pytest.mark.long
@given(
    seed=st.integers(0, 1 << 20),
    dtype=st.sampled_from(["int8", "int16"]),
    steps=st.integers(2, 6),
    inputs=st.integers(1, 6),
    units=st.integers(1, 6),
    cell=st.integers(-15, -8),
    clip=st.sampled_from([0.0, 0.3]),
    time_major=st.booleans(),
)
@example(seed=0, dtype="int8", steps=2, inputs=1, units=2, cell=-8, clip=0.3, time_major=False)
@example(seed=91, dtype="int16", steps=2, inputs=1, units=1, cell=-13, clip=0.0, time_major=False)
@settings(max_examples=examples(20))
def test_sequences_give_the_bytes_of_tflm(
    seed: int, dtype: str, steps: int, inputs: int, units: int, cell: int, clip: float, time_major: bool
):
    content = lstm(seed, dtype, steps, inputs=inputs, units=units, cell=cell, clip=clip, time_major=time_major)
    module = read_tflite(content, "lstm.tflite")
    module.verify()
    x = inputs_of(content, 6, seed)
    [expected] = computed_by_tflm(content, x, reset=True)
    np.testing.assert_array_equal(evaluate(module, x.reshape(6, -1)).scores, expected)


@pytest.mark.parametrize("clip", [0.0, 0.3])
def test_a_sequence_in_floats(clip: float):
    content = lstm(7, "float32", 5, clip=clip)
    x = np.random.default_rng(7).normal(size=(8, 1, 5, 3)).astype(np.float32)
    [expected] = computed_by_tflm(content, x, reset=True)
    scores = evaluate(read_tflite(content, "lstm.tflite"), x.reshape(8, -1)).scores
    assert scores is not None
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_an_lstm_of_a_single_step_keeps_its_states(dtype: str):
    """For a stream of single steps, the scores of an LSTM equal TFLM's, which computes each step from the states of the
    previous one.
    """
    content = lstm(9, dtype, 1, units=6)
    x = inputs_of(content, 20)
    [expected] = computed_by_tflm(content, x)
    module = read_tflite(content, "lstm.tflite")
    module.verify()
    got = [outputs.scores for outputs in answers(module, 1, x.reshape(1, -1))]
    np.testing.assert_array_equal(np.concatenate([each for each in got if each is not None]), expected[1:])


@pytest.mark.long
@pytest.mark.parametrize("target", spread([roomy(device) for device in DEVICES], 2))
def test_devices_give_the_bytes_of_the_evaluator(target: str, tmp_path: Path):
    content = lstm(11, "int8", 4, inputs=5, units=6)
    module, ctx, x = read_tflite(content, "lstm.tflite"), context(), inputs_of(content, 4).reshape(4, -1)
    options = {"target": target}
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    expected, interface = evaluate(module, x), interface_of(module)
    lowered(module, ctx, **options)
    write_c(module, ctx, target, tmp_path)
    runner = runner_for(target)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "out"), interface, x)
    assert first_mismatch(expected, Outputs(None, result.scores, result.more)) is None
