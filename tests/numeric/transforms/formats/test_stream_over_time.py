"""Programs that stream give the bits of the whole program: on the desk, and on every device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.streamed_networks import networks
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml import features
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.evaluator import evaluate, predict_function
from tinyml.runtime.streams.evaluation import evaluate_stream
from tinyml.tools.driver.measure import run_on_device
from tinyml.tools.driver.stages import compile_kept
from tinyml.transforms.formats.stream_over_time import StreamOverTimePass
from tinyml.transforms.formats.streams.time_axis import time_of

LAYER = """
  %W{n} = tdsl.const dense<{w}> : tensor<{d}x{h}xi8> -> tensor<{d}x{h}x!fixed.q<8, 6>>
  %U{n} = tdsl.const dense<{u}> : tensor<{h}x{h}xi8> -> tensor<{h}x{h}x!fixed.q<8, 6>>
  %H{n} = tdsl.fill {{value = 0.25 : f64}} -> tensor<1x{h}x!fixed.q<16, 12>>
  %A{n} = tdsl.fill {{value = 0.0 : f64}} -> tensor<{t}x1x{h}x!fixed.q<16, 12>>
  %r{n}, %a{n} = scf.for %i = %zero to %steps step %one iter_args(%h = %H{n}, %a = %A{n}) -> (tensor<1x{h}x!fixed.q<16, 12>>, tensor<{t}x1x{h}x!fixed.q<16, 12>>) {{
    %x = tdsl.index {x}[%i] : tensor<{t}x1x{d}x!fixed.q<16, 12>> -> tensor<1x{d}x!fixed.q<16, 12>>
    %p = tdsl.matmul %x, %W{n} : tensor<1x{d}x!fixed.q<16, 12>>, tensor<{d}x{h}x!fixed.q<8, 6>> -> tensor<1x{h}x!fixed.q<16, 12>>
    %q = tdsl.matmul %h, %U{n} : tensor<1x{h}x!fixed.q<16, 12>>, tensor<{h}x{h}x!fixed.q<8, 6>> -> tensor<1x{h}x!fixed.q<16, 12>>
    %s = tdsl.add %p, %q : tensor<1x{h}x!fixed.q<16, 12>>, tensor<1x{h}x!fixed.q<16, 12>> -> tensor<1x{h}x!fixed.q<16, 12>>
    %g = tdsl.relu %s : tensor<1x{h}x!fixed.q<16, 12>> -> tensor<1x{h}x!fixed.q<16, 12>>
    %e = tdsl.sub %h, %g : tensor<1x{h}x!fixed.q<16, 12>>, tensor<1x{h}x!fixed.q<16, 12>> -> tensor<1x{h}x!fixed.q<16, 12>>
    %row = tdsl.reshape %e : tensor<1x{h}x!fixed.q<16, 12>> -> tensor<1x1x{h}x!fixed.q<16, 12>>
    %b = tdsl.insert_slice %row, %a[%i, %zero, %zero] : tensor<1x1x{h}x!fixed.q<16, 12>>, tensor<{t}x1x{h}x!fixed.q<16, 12>> -> tensor<{t}x1x{h}x!fixed.q<16, 12>>
    scf.yield %e, %b : tensor<1x{h}x!fixed.q<16, 12>>, tensor<{t}x1x{h}x!fixed.q<16, 12>>
  }}
"""


@st.composite
def recurrent(draw: st.DrawFn) -> str:
    """Programs of one or two layers, each of which reads all that the one before gives."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    steps, *sizes = draw(st.tuples(st.integers(2, 6), *[st.integers(1, 4)] * draw(st.integers(2, 3))))
    lines = [
        f"func.func @rnn(%X: tensor<{steps * sizes[0]}x1x!fixed.q<16, 12>>) -> (index, tensor<1x{sizes[-1]}x!fixed.q<16, 12>>) {{",
        f"  %X0 = tdsl.reshape %X : tensor<{steps * sizes[0]}x1x!fixed.q<16, 12>> -> tensor<{steps}x1x{sizes[0]}x!fixed.q<16, 12>>",
        "  %zero = arith.constant 0 : index",
        "  %one = arith.constant 1 : index",
        f"  %steps = arith.constant {steps} : index",
    ]
    values = "%X0"
    for n, (d, h) in enumerate(zip(sizes, sizes[1:], strict=False)):
        w, u = (random.integers(-80, 80, shape).tolist() for shape in ((d, h), (h, h)))
        lines.append(LAYER.format(n=n, w=w, u=u, d=d, h=h, t=steps, x=values))
        values = f"%a{n}"
    last = len(sizes) - 2
    lines.append(f"  %c = tdsl.argmax %r{last} : tensor<1x{sizes[-1]}x!fixed.q<16, 12>>")
    lines.append(f"  func.return %c, %r{last} : index, tensor<1x{sizes[-1]}x!fixed.q<16, 12>>\n}}")
    return "\n".join(lines)


def parsed(text: str) -> ModuleOp:
    return Parser(context(), text).parse_module()


def raws_of(module: ModuleOp, samples: int = 8) -> np.ndarray:
    [argument] = predict_function(module).body.block.args
    format, length = tdsl.format_of(argument), int(np.prod(tdsl.shape_of(argument)))
    info = np.iinfo(format.dtype)
    return np.random.default_rng(1).integers(-info.max, info.max, (samples, length), endpoint=True).astype(format.dtype)


def expect_equal(whole: ModuleOp) -> None:
    step, raws = whole.clone(), raws_of(whole)
    StreamOverTimePass(axis=time_of(predict_function(whole)).axis).apply(context(), step)
    step.verify()
    expected, got = evaluate(whole, raws), evaluate_stream(step, raws)
    np.testing.assert_array_equal(got.scores, expected.scores)
    if expected.labels is not None:
        np.testing.assert_array_equal(got.labels, expected.labels)


@settings(max_examples=8, deadline=None)
@given(recurrent())
def test_recurrent_networks(text: str):
    expect_equal(parsed(text))


@settings(max_examples=8, deadline=None)
@given(networks())
def test_convolutions_over_time(text: str):
    whole = parsed(text)
    try:
        time_of(predict_function(whole))
    except InputError as error:
        assert "a sequence of 1 step does not stream" in str(error)
        return
    try:
        expect_equal(whole)
    except InputError as error:
        assert "needs all rows of it at once" in str(error)


SPOTTER = """
func.func @spotter(%X: tensor<1x40xf32>) -> (index, tensor<1x1x1x3xf32>) {{
  %I = tdsl.reshape %X : tensor<1x40xf32> -> tensor<1x5x8x1xf32>
  %W = tdsl.const dense<{weights}> : tensor<3x3x3x1xf32> -> tensor<3x3x3x1xf32>
  %p = tdsl.pad %I {{low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>}} : tensor<1x5x8x1xf32> -> tensor<1x7x10x1xf32>
  %s = tdsl.conv2d %W, %p {{strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64}} : tensor<3x3x3x1xf32>, tensor<1x7x10x1xf32> -> tensor<1x5x4x3xf32>
  %r = tdsl.relu %s : tensor<1x5x4x3xf32> -> tensor<1x5x4x3xf32>
  %m = tdsl.mean %r {{axes = array<i64: 1, 2>}} : tensor<1x5x4x3xf32> -> tensor<1x1x1x3xf32>
  %c = tdsl.argmax %m : tensor<1x1x1x3xf32>
  func.return %c, %m : index, tensor<1x1x1x3xf32>
}}
"""


@pytest.fixture(scope="module")
def spotter(tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleOp, np.ndarray, Path]:
    """A program from samples to a label: overlapping frames, a running mean, differences, a convolution, an average."""
    random, folder = np.random.default_rng(2), tmp_path_factory.mktemp("spotter")
    weights = random.normal(size=(3, 3, 3, 1)).round(3).tolist()
    (folder / "spotter.mlir").write_text(SPOTTER.format(weights=weights))
    sounds = (random.normal(size=(20, 50)) * 0.3).astype(np.float32)
    front_end = features.Spectrogram(samples=50, frame=16, hop=8, rate=8000, bands=4, normalise=0.25, delta=True)
    whole = features.for_device(front_end, sounds).followed_by(folder / "spotter.mlir")
    np.savez(folder / "val.npz", x=sounds)
    return whole.module, sounds, folder


@pytest.mark.parametrize("target", ["host", "uno", "cortex-m0", "cortex-m4", "riscv"])
def test_from_samples_to_a_label_on_devices(spotter: tuple[ModuleOp, np.ndarray, Path], target: str, tmp_path: Path):
    """Of 50 samples 16 are in memory; the last 2 are in no frame."""
    module, sounds, folder = spotter
    options = PipelineOptions(data=str(folder / "val.npz"), input="push", width=16, target=target)
    compiled = compile_kept(module, context(), options)
    for name, text in (("spotter.c", compiled.source), ("spotter.h", compiled.header)):
        (tmp_path / name).write_text(text)
    _, mismatch = run_on_device(tmp_path, compiled.formats, sounds, target=target)
    assert mismatch is None
    arena = next(op for op in compiled.buffers.walk() if op.name == "scratch.arena")
    assert arena.result.type.get_shape()[0] < 200
