"""Models with a state compute TFLM's bytes for each step of a stream, in the evaluator and on devices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.spread import examples, spread
from programs.streamed_networks import answers
from programs.streamed_tflite import spotter
from programs.tflite_models import computed_by_tflm, inputs_of

from tinyml.dialects.context import context
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.listening import answers_to
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.stages import compile_kept


def stream_of(content: bytes, steps: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The raws of a random stream (steps, elements), and the scores that TFLM computes in each step, as signed raws."""
    x = inputs_of(content, steps)
    [scores] = computed_by_tflm(content, x)
    signed = scores.astype(int) - (128 if scores.dtype == np.uint8 else 0)
    return x.reshape(steps, -1), signed


@pytest.mark.long
@given(st.integers(0, 1 << 20), st.sampled_from(["int8", "int8", "int16"]))
@settings(max_examples=examples(6))
def test_every_step_gives_the_bytes_of_tflm(seed: int, dtype: str):
    content = spotter(seed, dtype)
    x, expected = stream_of(content, 30)
    whole = read_tflite(content, "spotter.tflite")
    whole.verify()
    first = evaluate(whole, x[:2].reshape(1, -1))
    np.testing.assert_array_equal(first.scores, expected[1:2])
    got = [outputs.scores for outputs in answers(whole, 1, x.reshape(1, -1))]
    np.testing.assert_array_equal(np.concatenate([each for each in got if each is not None]), expected[1:])


@pytest.mark.long
@pytest.mark.parametrize("target", spread(["host", "uno", "cortex-m4", "riscv"], 2))
def test_devices_give_the_bytes_of_tflm(target: str, tmp_path: Path):
    content = spotter(4)
    x, expected = stream_of(content, 24)
    module = read_tflite(content, "spotter.tflite")
    compiled = compile_kept(module, context(), PipelineOptions(data="", target=target))
    for name, text in (("spotter.c", compiled.source), ("spotter.h", compiled.header)):
        (tmp_path / name).write_text(text)
    heard = answers_to(tmp_path, interface_of(compiled.formats), x.ravel(), target=target, optimize="-Os")
    np.testing.assert_array_equal(heard.outputs.tensors[0], expected[1:])
    assert len(np.unique(expected)) > 8
