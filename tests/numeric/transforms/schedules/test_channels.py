"""Segments that run channel by channel return the same bits as the ordinary schedule."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from programs.compiled import compile_without_pictures
from programs.devices import with_llvm
from programs.network_writer import NetworkWriter
from programs.paths import ROOT
from programs.sliced_networks import (
    arena,
    buffers_of,
    channel_networks,
    check_bits,
    check_bits_on_device,
    inputs_of,
    refined,
)
from programs.spread import spread
from programs.streamed_networks import inverted_bottlenecks
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.evaluator import evaluate, predict_function
from tinyml.targets.registry import HOST
from tinyml.tools.driver.limits import compile_wider
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.transforms.formats.plan_execution import streamed_segments
from tinyml.transforms.schedules.channels import PARTIAL_32, divisors
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.rewriting.channel_loop import ChannelLoop
from tinyml.transforms.schedules.segments import NotTiled


def loop(module: ModuleOp, first: int, last: int, sum_bits: int = 32, width: int = 1) -> ChannelLoop | None:
    try:
        return ChannelLoop(network_of(predict_function(module)), first, last, sum_bits, width)
    except NotTiled:
        return None


@pytest.mark.long
@settings(max_examples=4)
@given(channel_networks(), st.data())
def test_any_loop_computes_the_same_bits(network: str, data: st.DataObject):
    module = refined(Parser(context(), network).parse_module())
    count = len(network_of(predict_function(module)).graph.nodes)
    pairs = [(i, k) for i in range(count) for k in range(i + 1, count) if loop(module, i, k)]
    assume(pairs)
    tiled = module.clone()
    run = loop(tiled, *data.draw(st.sampled_from(pairs)))
    assert run is not None
    run.rewrite()
    check_bits(module, tiled)


@pytest.mark.long
@settings(max_examples=4)
@given(channel_networks(), st.sampled_from((8, 16)), st.booleans(), st.data())
def test_sums_are_rounded_on_whole_images_as_in_loops(network: str, bits: int, several: bool, data: st.DataObject):
    module = refined(Parser(context(), network).parse_module())
    count = len(network_of(predict_function(module)).graph.nodes)
    pairs = [(i, k) for i in range(count) for k in range(i + 1, count) if loop(module, i, k, bits)]
    assume(pairs)
    first, last = data.draw(st.sampled_from(pairs))
    planned, whole = module.clone(), module.clone()
    runs = [loop(program, first, last, bits) for program in (planned, whole)]
    assert runs[0] is not None
    if several and (width := max(divisors(runs[0].channels)[:-1], default=1)) > 1:
        runs = [loop(program, first, last, bits, width) for program in (planned, whole)]
    rounding, at_once = runs
    assert rounding is not None
    assert at_once is not None
    assume(not rounding.is_exact)
    rounding.rewrite()
    at_once.round_sums()
    whole.verify()
    x = inputs_of(module, 3)
    assert first_mismatch(evaluate(planned, x), evaluate(whole, x)) is None


PER_CHANNEL = """
!X = tensor<1x4x5x2x!zeroskew.q<8, 0.5, -3>>
!F = tensor<3x1x1x2x!zeroskew.q<8, [0.01, 0.02, 0.005], 0>>
!f = tensor<3x!zeroskew.q<32, [0.005, 0.01, 0.0025], 0>>
!Y = tensor<1x4x5x3x!zeroskew.q<8, 0.5, -128>>
!G = tensor<3x2x1x1x!zeroskew.q<8, [0.02, 0.01, 0.03], 0>>
!Z = tensor<1x2x3x3x!zeroskew.q<8, 0.5, 5>>
!H = tensor<2x1x1x3x!zeroskew.q<8, [0.01, 0.03], 0>>
!h = tensor<2x!zeroskew.q<32, [0.005, 0.015], 0>>
!S = tensor<1x2x3x2x!zeroskew.q<8, 0.5, 7>>
func.func @bottleneck(%X: !X) -> !S {
  %F = tdsl.const dense<[[[[50, -70]]], [[[90, 3]]], [[[-120, 60]]]]> : tensor<3x1x1x2xi8> -> !F
  %f = tdsl.const dense<[100, -50, 30]> : tensor<3xi32> -> !f
  %G = tdsl.const dense<[[[[40]], [[-5]]], [[[9]], [[77]]], [[[-60]], [[31]]]]> : tensor<3x2x1x1xi8> -> !G
  %H = tdsl.const dense<[[[[7, 80, -60]]], [[[-33, 120, 5]]]]> : tensor<2x1x1x3xi8> -> !H
  %h = tdsl.const dense<[-400, 900]> : tensor<2xi32> -> !h
  %y = tdsl.conv2d %F, %X from %f : !f
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : !F, !X -> !Y
  %z = tdsl.conv2d %G, %y
    {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 3 : i64} : !G, !Y -> !Z
  %s = tdsl.conv2d %H, %z from %h : !h
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : !H, !Z -> !S
  func.return %s : !S
}
"""


@pytest.mark.long
@pytest.mark.parametrize("sum_bits", [32, 8])
def test_channels_have_scales_of_their_own(sum_bits: int):
    """Segments by channels preserve separate scales of channels. Exact sums result in the bits of ordinary execution.
    Sums of 8 bits result in slightly different bits, which are the same by channels as by ordinary execution with
    such sums.
    """
    module = refined(Parser(context(), PER_CHANNEL).parse_module())
    tiled = module.clone()
    run = loop(tiled, 0, 2, sum_bits)
    assert run is not None
    run.rewrite()
    if run.is_exact:
        check_bits(module, tiled)
    else:
        check_bits(tiled, tiled)
        whole = module.clone()
        at_once = loop(whole, 0, 2, sum_bits)
        assert at_once is not None
        at_once.round_sums()
        assert first_mismatch(evaluate(tiled, inputs_of(module, 20)), evaluate(whole, inputs_of(module, 20))) is None
        x = inputs_of(module, 20)
        exact, rounded = (evaluate(program, x).scores for program in (module, tiled))
        assert exact is not None
        assert rounded is not None
        assert 0 < np.abs(exact.astype(int) - rounded).mean() < 2


@pytest.mark.long
def test_sums_of_16_bits_are_exact_where_they_fit():
    """A convolution with few 8-bit products has exact sums of 16 bits. One with more products has rounded sums, which
    change results by at most 1.
    """
    net = NetworkWriter((1, 4, 4, 2), 3)
    image = net.convolution(net.convolution(net.input, 2), None, 2)
    narrow = net.convolution(image, 3)
    wide = net.convolution(net.convolution(narrow, None, 2, padding=(1, 0, 1, 0)), 3, 3, padding=1)
    module = refined(net.module(wide))
    exact, rounded = module.clone(), module.clone()
    loops = loop(exact, 0, 2, 16), loop(rounded, 3, 4, 16)
    assert [run is not None and run.is_exact for run in loops] == [True, False]
    for run in loops:
        assert run is not None
        run.rewrite()
    check_bits(module, exact)
    # Sums of 16 bits have bits to spare for roundings.
    x = inputs_of(module, 20)
    difference = evaluate(rounded, x).scores.astype(int) - evaluate(module, x).scores  # type: ignore[union-attr]
    assert np.abs(difference).max() <= 1


@pytest.mark.long
def test_ram_that_is_left_goes_to_channels_at_once(tmp_path: Path):
    model = ROOT / "docs/schedules/bottleneck.mlir"
    report = compile_without_pictures(
        Request(model=model, out=tmp_path / "out", target="cortex-m4", plan="partial-32", ram=8000)
    )
    assert [segment["by"] for segment in report["segments"]] == ["partial-32, 32 channels at once"]
    assert report["ram_bytes"]["total"] <= 8000
    assert report["rounded_sums"] is None


def test_slower_programs_take_no_ram(monkeypatch: pytest.MonkeyPatch):
    """Of several programs, one with more RAM is chosen only if it is faster and within the limit. In this test, a
    program is the number of its bytes; programs of 100, 200 and 300 bytes take 10, 12 and 9 units of time.
    """
    module = "tinyml.tools.driver.limits"

    def time(compiled: int, target: str) -> int:
        return {100: 10, 200: 12, 300: 9}[compiled]

    monkeypatch.setattr(f"{module}._alive", int)
    monkeypatch.setattr(f"{module}._time", time)

    def chosen(limit: int, *programs: int) -> Any:
        later = iter(programs)
        options = PipelineOptions(data="", plan="partial-32")
        return compile_wider(limit, cast("Any", 100), options, cast("Any", int), lambda _: cast("Any", next(later)))[0]

    assert chosen(200, 200) == 100
    assert chosen(300, 200, 300) == 300
    assert chosen(250, 200, 300) == 100


@pytest.mark.long(seconds=5)
def test_rounded_sums_are_the_same_on_a_device_and_their_loss_is_reported(tmp_path: Path):
    """The host, the evaluator and LLVM's code round sums equally. The report of compilation includes the loss."""
    model = tmp_path / "model.mlir"
    model.write_text(str(inverted_bottlenecks()))
    rounded = tmp_path / "partial-8"
    report = compile_without_pictures(Request(model=model, out=rounded, target=HOST, plan="partial-8"))
    # The sums of the second segment are exact in 8 bits.
    assert [segment["by"] for segment in report["segments"]] == ["partial-8, rounded", "partial-8"]
    assert report["rounded_sums"]["mean_error"] > 0
    assert report["ram_bytes"]["arena"] < arena(buffers_of(refined(inverted_bottlenecks()), "partial-32"))
    for device in with_llvm("rounded sums", 1):
        ran = run_model(RunRequest(folder=rounded, data=rounded / "samples.npz", device=device, limit=2))
        assert ran["mismatch"] is None


@pytest.mark.long
@pytest.mark.parametrize("device", spread([HOST, "uno"], 1))
def test_networks_run_channel_by_channel_on_devices(device: str, tmp_path: Path):
    """A network by channels computes the evaluator's bits on every device. Its arena is within the peak of the plan,
    which is lower than that of ordinary execution.
    """
    module = refined(inverted_bottlenecks())
    plan = PARTIAL_32.program_plan(network_of(predict_function(module)))
    program = buffers_of(module, "partial-32", device)
    assert {str(segment["by"])[:10] for segment in streamed_segments(program)} == {"partial-32"}
    assert arena(program) <= plan.bits // 8 < arena(buffers_of(module, "ordinary"))
    check_bits_on_device(module, program, inputs_of(module, 2), device, tmp_path)
