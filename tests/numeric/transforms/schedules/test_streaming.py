"""Streamed segments return the same bits as the ordinary schedule, and fit the memory that the plan states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from programs.compiled import compile_without_pictures
from programs.sliced_networks import arena, buffers_of, check_bits, check_bits_on_device, inputs_of, refined
from programs.spread import spread
from programs.streamed_networks import networks, residual_block, residual_network
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.targets.registry import HOST
from tinyml.tools.driver.request import Request
from tinyml.transforms.formats.plan_execution import streamed_segments
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.rings.pooled_blocks import By
from tinyml.transforms.schedules.segments import Kernels, NotTiled
from tinyml.transforms.schedules.streaming import Streamed
from tinyml.transforms.schedules.table import schedule_named
from tinyml.transforms.schedules.tiling.window_tiles import AMPLE_MEMORY


def streamed(module: ModuleOp, first: int, last: int, by: By) -> ModuleOp:
    """A copy of a program with the nodes from `first` to `last` as one loop nest. Raises `NotTiled` if these nodes
    cannot be streamed.
    """
    module = module.clone()
    Streamed(by).rewrite(network_of(predict_function(module)), first, last)(Kernels(HOST, AMPLE_MEMORY))
    module.verify()
    return module


@pytest.mark.long
@settings(max_examples=5)
@given(networks(), st.sampled_from(By), st.data())
def test_any_segment_computes_the_same_bits(network: str, by: By, data: st.DataObject):
    """Any streamed segment computes the bits of ordinary execution, on tensors and in an arena filled with random
    bytes, none of which is read before it is written.
    """
    module = refined(Parser(context(), network).parse_module())
    count = len(network_of(predict_function(module)).graph.nodes)
    first = data.draw(st.integers(0, count - 1))
    last = data.draw(st.integers(first, count - 1))
    try:
        tiled = streamed(module, first, last, by)
    except NotTiled as reason:
        event(str(reason).partition(" ")[2])
        return
    check_bits(module, tiled)


@pytest.mark.long
@pytest.mark.parametrize(
    ("mode", "device"), spread([("pixels", "uno"), ("rows", HOST), ("rows", "cortex-m4"), ("pixels", HOST)], 1)
)
def test_networks_run_streamed_on_devices(mode: str, device: str, tmp_path: Path):
    """A streamed network computes the evaluator's bits on every device. Its arena is within the peak of the plan, which
    is lower than that of ordinary execution. Without a limit, kernels may take larger windows than the plan counts.
    """
    module = refined(residual_network())
    plan = schedule_named(mode).program_plan(network_of(predict_function(module)))
    program = buffers_of(module, mode, device, ram=plan.bits // 8)
    assert {segment["by"] for segment in streamed_segments(program)} == {mode}
    assert arena(program) <= plan.bits // 8 < arena(buffers_of(module, "ordinary"))
    check_bits_on_device(module, program, inputs_of(module, 2), device, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("mode", spread(["replace", "herringbone", "single-transpose", "optimal-turns"], 2))
def test_residual_blocks_run_in_place(mode: str, tmp_path: Path):
    """For a residual block on an image of width w, the arena is at most 2w + 5 pixels larger than the image, plus
    scratch memory of 10 pixels that a convolution needs.

    Gural and Murmann, C.4, need 3w + 2 pixels in addition to the image. From w = 14 on, this is more than 2w + 5 and
    the scratch memory together.
    """
    height, width, channels = 4, 20, 3
    module = refined(residual_block(height, width, channels))
    program = buffers_of(module, mode)
    assert [segment["by"] for segment in streamed_segments(program)] == [mode, "pixels"]
    scratch = 9 * channels + channels
    assert arena(program) <= (height * width + 2 * width + 5) * channels + scratch
    assert arena(program) < (height * width + 3 * width + 2) * channels
    check_bits_on_device(module, program, inputs_of(module, 2), HOST, tmp_path)


@pytest.mark.long
def test_the_fastest_plan_that_fits_is_compiled(tmp_path: Path):
    """To fit the RAM, the compiler first moves the input into the arena, which does not change the order of ops. If
    this is not sufficient, it streams segments.
    """
    model = tmp_path / "model.mlir"
    model.write_text(str(residual_network()))
    reports: dict[int, dict[str, Any]] = {}
    for ram in (1300, 1150):
        request = Request(model=model, out=tmp_path / str(ram), target=HOST, ram=ram)
        reports[ram] = compile_without_pictures(request)
        assert reports[ram]["ram_bytes"]["arena"] + reports[ram]["ram_bytes"]["input"] <= ram
    assert [report["reuse_input"] for report in reports.values()] == [True, True]
    assert [bool(report["segments"]) for report in reports.values()] == [False, True]
