"""SVDF layers of TensorFlow Lite compute TFLM's bytes for each step, in the evaluator and on devices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from programs.spread import examples, spread
from programs.streamed_networks import answers
from programs.svdf_models import svdf
from programs.tflite_models import computed_by_tflm, inputs_of

from tinyml.dialects.context import context
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.listening import answers_to
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.stages import compile_kept


@pytest.mark.long
@given(
    seed=st.integers(0, 1 << 20),
    dtype=st.sampled_from(["int8", "int16"]),
    inputs=st.integers(1, 9),
    units=st.integers(1, 5),
    rank=st.integers(1, 3),
    steps=st.integers(1, 9),
    most=st.sampled_from([0.08, 0.0003]),
    shares=st.booleans(),
)
@example(seed=0, dtype="int16", inputs=9, units=1, rank=1, steps=9, most=0.08, shares=False)
@example(seed=0, dtype="int16", inputs=9, units=3, rank=2, steps=6, most=0.0003, shares=False)
@example(seed=1, dtype="int8", inputs=9, units=3, rank=2, steps=6, most=0.003, shares=True)
@settings(max_examples=examples(5, 150))
def test_every_step_gives_the_bytes_of_tflm(
    seed: int, dtype: str, inputs: int, units: int, rank: int, steps: int, most: float, shares: bool
):
    """Every step computes TFLM's bytes, also if the scale of the states is so fine that 16-bit states saturate, sums
    over time exceed 32 bits, and 8-bit states with a zero point wrap around.
    """
    content = svdf(seed, dtype, inputs=inputs, units=units, rank=rank, steps=steps, most=most, shares=shares)
    x = inputs_of(content, 30)
    [expected] = computed_by_tflm(content, x)
    module = read_tflite(content, "svdf.tflite")
    module.verify()
    got = [outputs.scores for outputs in answers(module, 1, x.reshape(1, -1))]
    np.testing.assert_array_equal(np.concatenate([each for each in got if each is not None]), expected[1:])


def test_layers_in_floats():
    content = svdf(3, "float32")
    x = np.random.default_rng(3).normal(size=(20, 1, 5)).astype(np.float32)
    [expected] = computed_by_tflm(content, x)
    got = [outputs.scores for outputs in answers(read_tflite(content, "svdf.tflite"), 1, x.reshape(1, -1))]
    scores = np.concatenate([each for each in got if each is not None])
    np.testing.assert_allclose(scores, expected[1:], rtol=1e-5, atol=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["int8", "int16"])
@pytest.mark.parametrize("target", spread(["host", "uno", "cortex-m4", "riscv"], 2))
def test_devices_give_the_bytes_of_tflm(target: str, dtype: str, tmp_path: Path):
    content = svdf(4, dtype, inputs=8, units=6, shares=True)
    x = inputs_of(content, 24)
    [expected] = computed_by_tflm(content, x)
    module = read_tflite(content, "svdf.tflite")
    compiled = compile_kept(module, context(), PipelineOptions(data="", target=target))
    for name, text in (("svdf.c", compiled.source), ("svdf.h", compiled.header)):
        (tmp_path / name).write_text(text)
    heard = answers_to(tmp_path, interface_of(compiled.formats), x.ravel(), target=target, optimize="-Os")
    np.testing.assert_array_equal(heard.outputs.tensors[0], expected[1:])
    assert len(np.unique(expected)) > 8
