"""Streaming programs return the same bits as the program that computes all frames at once, in the evaluator and on
every device.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from interpreters.streams import evaluate_stream
from programs.streamed_networks import networks
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.evaluator import evaluate, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import run_on_device
from tinyml.tools.driver.stages import compile_kept
from tinyml.tools.reports.input_report import stream_report
from tinyml.transforms.formats.stream_over_time import StreamOverTimePass
from tinyml.transforms.schedules.streams.time_loops import time_of

LAYER = """
  %W{n} = tdsl.const dense<{w}> : tensor<{d}x{h}xi8> -> tensor<{d}x{h}x!w>
  %U{n} = tdsl.const dense<{u}> : tensor<{h}x{h}xi8> -> tensor<{h}x{h}x!w>
  %H{n} = tdsl.fill {{value = 0.25 : f64}} -> !row{n}
  %A{n} = tdsl.fill {{value = 0.0 : f64}} -> !rows{n}
  %r{n}, %a{n} = scf.for %i = %zero to %steps step %one iter_args(%h = %H{n}, %a = %A{n}) -> (!row{n}, !rows{n}) {{
    %x = tdsl.index {x}[%i] : tensor<{t}x1x{d}x!q> -> tensor<1x{d}x!q>
    %p = tdsl.matmul %x, %W{n} : tensor<1x{d}x!q>, tensor<{d}x{h}x!w> -> !row{n}
    %q = tdsl.matmul %h, %U{n} : !row{n}, tensor<{h}x{h}x!w> -> !row{n}
    %s = tdsl.add %p, %q : !row{n}, !row{n} -> !row{n}
    %g = tdsl.relu %s : !row{n} -> !row{n}
    %e = tdsl.sub %h, %g : !row{n}, !row{n} -> !row{n}
    %row = tdsl.reshape %e : !row{n} -> tensor<1x1x{h}x!q>
    %b = tdsl.insert_slice %row, %a[%i, %zero, %zero] : tensor<1x1x{h}x!q>, !rows{n} -> !rows{n}
    scf.yield %e, %b : !row{n}, !rows{n}
  }}
"""


@st.composite
def recurrent(draw: st.DrawFn) -> str:
    """Random programs of one or two layers; the second layer reads all results of the first."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    steps, *sizes = draw(st.tuples(st.integers(2, 6), *[st.integers(1, 4)] * draw(st.integers(2, 3))))
    lines = ["!q = !fixed.q<16, 12>", "!w = !fixed.q<8, 6>"]
    for n, h in enumerate(sizes[1:]):
        lines += [f"!row{n} = tensor<1x{h}x!q>", f"!rows{n} = tensor<{steps}x1x{h}x!q>"]
    first, last, output = steps * sizes[0], len(sizes) - 2, f"!row{len(sizes) - 2}"
    lines += [
        f"func.func @rnn(%X: tensor<{first}x1x!q>) -> (index, {output}) {{",
        f"  %X0 = tdsl.reshape %X : tensor<{first}x1x!q> -> tensor<{steps}x1x{sizes[0]}x!q>",
        "  %zero = arith.constant 0 : index",
        "  %one = arith.constant 1 : index",
        f"  %steps = arith.constant {steps} : index",
    ]
    values = "%X0"
    for n, (d, h) in enumerate(pairwise(sizes)):
        w, u = (random.integers(-80, 80, shape).tolist() for shape in ((d, h), (h, h)))
        lines.append(LAYER.format(n=n, w=w, u=u, d=d, h=h, t=steps, x=values))
        values = f"%a{n}"
    lines += [f"  %c = tdsl.argmax %r{last} : {output}", f"  func.return %c, %r{last} : index, {output}", "}"]
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
    expected, [got] = evaluate(whole, raws), evaluate_stream(step, raws)
    np.testing.assert_array_equal(got.scores, expected.scores)
    if expected.labels is not None:
        np.testing.assert_array_equal(got.labels, expected.labels)


@settings(max_examples=6, deadline=None)
@given(recurrent())
def test_recurrent_networks(text: str):
    expect_equal(parsed(text))


@pytest.mark.long
@settings(max_examples=6, deadline=None)
@given(networks())
def test_convolutions_over_time(text: str):
    whole = parsed(text)
    assume(tdsl.shape_of(predict_function(whole).body.block.args[0])[1] > 1)
    expect_equal(whole)


SPOTTER = """
!q = !fixed.q<8, 7>
!rows = tensor<6x4x!q>
!row = tensor<1x4x!q>
!image = tensor<1x6x4x1x!q>
!padded = tensor<1x8x6x1x!q>
!filters = tensor<3x3x3x1x!q>
!result = tensor<1x6x4x3x!q>
!scores = tensor<1x1x1x3x!q>
func.func @spotter(%X: tensor<1x30x!q>) -> (index, !scores) {{
  %B = tdsl.const dense<{bands}> : tensor<8x4xi8> -> tensor<8x4x!q>
  %W = tdsl.const dense<{filters}> : tensor<3x3x3x1xi8> -> !filters
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %frames = arith.constant 6 : index
  %rows = tdsl.fill {{value = 0.0 : f64}} -> !rows
  %mean = tdsl.fill {{value = 0.25 : f64}} -> !row
  %F, %m = scf.for %i = %zero to %frames step %one iter_args(%all = %rows, %before = %mean) -> (!rows, !row) {{
    %first = arith.muli %i, %four : index
    %frame = tdsl.slice %X[%zero, %first] : tensor<1x30x!q> -> tensor<1x8x!q>
    %row = tdsl.matmul %frame, %B : tensor<1x8x!q>, tensor<8x4x!q> -> !row
    %new = tdsl.sub %row, %before : !row, !row -> !row
    %next = tdsl.insert_slice %new, %all[%i, %zero] : !row, !rows -> !rows
    scf.yield %next, %new : !rows, !row
  }}
  %I = tdsl.reshape %F : !rows -> !image
  %p = tdsl.pad %I {{low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>}} : !image -> !padded
  %s = tdsl.conv2d %W, %p {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}}
    : !filters, !padded -> !result
  %a = tdsl.mean %s {{axes = array<i64: 1, 2>}} : !result -> !scores
  %c = tdsl.argmax %a : !scores
  func.return %c, %a : index, !scores
}}
"""


@pytest.mark.long
@pytest.mark.parametrize("target", ["uno", "cortex-m0", "cortex-m4", "riscv"])
def test_devices_give_the_bits_of_the_evaluator(target: str, tmp_path: Path):
    """A program with overlapping frames, a difference from the previous frame, a convolution and an average computes
    the evaluator's bits. The last two samples belong to no frame.
    """
    random = np.random.default_rng(2)
    words = {
        "bands": random.integers(-90, 90, (8, 4)).tolist(),
        "filters": random.integers(-90, 90, (3, 3, 3, 1)).tolist(),
    }
    whole = parsed(SPOTTER.format(**words))
    expect_equal(whole)
    compiled = compile_kept(whole, context(), PipelineOptions(data="", input="push", target=target))
    for name, text in (("spotter.c", compiled.source), ("spotter.h", compiled.header)):
        (tmp_path / name).write_text(text)
    reals = raws_of(whole) / 128
    measured, mismatch = run_on_device(tmp_path, compiled.formats, reals, target=target)
    assert mismatch is None
    assert measured.outputs is not None
    assert len(np.unique(measured.outputs.tensors[0])) > 3
    assert measured.longest is not None
    assert measured.cost is not None
    assert measured.cost / 7 < measured.longest < measured.cost
    stream = stream_report(compiled.buffers, interface_of(compiled.formats), measured.longest)
    # A frame, the row before, three rows of the image and three sums.
    assert stream == {
        **{"frame": 8, "hop": 4, "steps": 6, "stride": 6, "state_bytes": 8 + 4 + 3 * 4 + 3 * 4},
        "rate": None,
        "longest_hop": measured.longest,
        "milliseconds": None,
        "period": None,
    }
