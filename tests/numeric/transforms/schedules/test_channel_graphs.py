"""Loops over channels across branches and joins, in any topological order, with one or several channels at a time."""

from __future__ import annotations

from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.channel_graphs import MODES, channel_graphs, check_graph
from programs.graph_programs import program_of
from programs.graphs import DS_CNN_M
from programs.network_writer import NetworkWriter
from programs.sliced_networks import (
    arena,
    buffers_of,
    check_bits,
    check_bits_on_device,
    inputs_of,
    refined,
)
from programs.spread import spread
from programs.streamed_networks import inverted_bottlenecks
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.runtime.evaluator.evaluator import evaluate, predict_function
from tinyml.targets.registry import HOST
from tinyml.transforms.formats.plan_execution import PlanExecutionPass, streamed_segments
from tinyml.transforms.formats.tile_segment import TileSegmentPass
from tinyml.transforms.ir.indices import executions
from tinyml.transforms.schedules.channels import PARTIAL_32, ByChannel
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.plans.segmentation import least_peak
from tinyml.transforms.schedules.table import schedule_named


def parting_branches() -> ModuleOp:
    """A network of two convolutions from 4 to 32 channels, their sum, a depthwise convolution, and a convolution to 4
    channels.

    Sums of 8 bits are exact in the last convolution, because its weights are -1, 0 or 1 and its operand is clamped.
    """
    net = NetworkWriter((1, 16, 16, 4), 3)
    parts = [net.convolution(net.input, 32) for _ in range(2)]
    wide = net.convolution(net.add(parts[0], parts[1]), None, 3, padding=1)
    format = net.format.for_range(-1.5, 1.5)
    ones = format.encode(net.random.integers(-1, 2, (4, 1, 1, 32)).astype(float))
    filter = net.constant(ones, format)
    clipped = net.insert(tdsl.ClipOp(wide, 0.0, 3 / 128))
    return net.module(net.insert(tdsl.Conv2dOp(filter, clipped, (1, 1), (1, 1), 1, None, net.format.type)))


@pytest.mark.long
@pytest.mark.parametrize("device", [HOST, "cortex-m4"])
def test_parting_branches_take_a_slice_each(device: str, tmp_path: Path):
    """With loops across both branches, a plan needs 2,560 bytes for the input, the sums and two slices. Without them it
    needs 10,752 bytes.
    """
    module = refined(parting_branches())
    graph = network_of(predict_function(module)).graph
    assert schedule_named("partial-8").plan(graph).bits == 8 * 2560
    program = buffers_of(module, "partial-8", device)
    assert [segment["by"] for segment in streamed_segments(program)] == ["partial-8, rounded"]
    assert arena(program) <= 3000
    x = inputs_of(module, 2)
    scores = evaluate(module, x).scores
    assert scores is not None
    assert len(np.unique(scores)) > 20
    check_bits_on_device(module, program, x, device, tmp_path)


@pytest.mark.long
def test_a_keyword_network_runs_by_channels_on_a_cortex_m4(tmp_path: Path):
    """DS-CNN-M of PEX, appendix D, has a peak of 54,180 bytes by ordinary execution and of 22,360 bytes by channels
    with exact sums.
    """
    by_mode = {mode: schedule_named(mode).plan(DS_CNN_M).bits // 8 for mode in ("ordinary", "partial-32")}
    assert by_mode == {"ordinary": 54_180, "partial-32": 22_360}
    module = refined(program_of(DS_CNN_M))
    program = buffers_of(module, "partial-32", "cortex-m4")
    assert [segment["by"] for segment in streamed_segments(program)] == ["partial-32"]
    assert arena(program) <= 22_360 < arena(buffers_of(module, "ordinary", "cortex-m4"))
    x = inputs_of(module, 1)
    scores = evaluate(module, x).scores
    assert scores is not None
    assert len(np.unique(scores)) > 5
    check_bits_on_device(module, program, x, "cortex-m4", tmp_path)


@pytest.mark.long
def test_nodes_run_in_the_order_of_least_peak():
    """A plan computes a narrow image before all wide images are computed, although the file lists the wide images
    first. Its peak is lower than in the order of the file.
    """
    net = NetworkWriter((1, 4, 4, 2), 1)
    wide = [net.convolution(net.input, 8) for _ in range(3)]
    narrow = [net.convolution(image, 2, 3, padding=1) for image in wide]
    module = refined(net.module(net.add(net.add(narrow[0], narrow[1]), narrow[2])))
    network = network_of(predict_function(module))
    plan = schedule_named("partial-8").program_plan(network)
    assert min(map(plan.order.index, (3, 4, 5))) < max(map(plan.order.index, (0, 1, 2)))
    in_file_order = least_peak(len(plan.order), schedule_named("partial-8").program_segments(network))
    assert in_file_order is not None
    assert plan.bits < in_file_order.bits
    check_graph(module, "partial-8")


@pytest.mark.parametrize("mode", MODES)
def test_loops_over_channels_repeat_no_work(mode: str):
    """PEX's table 3: partial execution has an overhead of 0 %. The multiply-accumulates of all ops, each times the
    iterations of the loops around it, are those of ordinary execution.
    """
    module = refined(inverted_bottlenecks())
    PlanExecutionPass(mode).apply(Context(), module)
    assert streamed_segments(module)
    ops = [op for op in module.walk() if isinstance(op, tdsl.TensorOp)]
    # `tdsl.mac` adds one product to each sum.
    work = (executions(op) * (prod(tdsl.shape_of(op.out)) if isinstance(op, tdsl.MacOp) else op.macs) for op in ops)
    assert sum(work) == 13_184


@pytest.mark.long
def test_several_channels_at_once():
    """A segment that computes four channels at once returns the same bits as the ordinary program."""
    module = refined(inverted_bottlenecks())
    tiled, network = module.clone(), network_of(predict_function(module))
    first = next(s for s in PARTIAL_32.program_plan(network).segments if s.last > s.first)
    ends = [network.graph.nodes[i].result for i in (first.first, first.last)]
    TileSegmentPass(*ends, by="channels", channels=4).apply(Context(), tiled)
    check_bits(module, tiled)


@pytest.mark.long
def test_several_channels_take_the_window_of_one_beside_them():
    """In a segment with several channels at once, a depthwise convolution copies the window of one channel at a time;
    the bits are those of the ordinary program.
    """
    net = NetworkWriter((1, 2, 3, 2), 5)
    wide = net.convolution(net.input, 6)
    narrow = net.convolution(net.convolution(wide, None, 3, padding=1), 2)
    check_graph(net.module(net.add(narrow, net.input)), "partial-8", more=24)


@pytest.mark.long
@pytest.mark.parametrize("device", spread([HOST, "cortex-m4"], 1))
def test_plans_take_as_many_channels_at_once_as_fit(device: str, tmp_path: Path):
    """PEX, remark 4: in 5,000 bytes, of which input and sums take 2,048, the plan computes 4 channels at once. Two
    slices of 8 channels would not fit.
    """
    module = refined(parting_branches())
    network = network_of(predict_function(module))
    by = schedule_named("partial-8").program_plan(network, 5000).segments[0].tiling
    assert by == ByChannel(8, 4)
    program = buffers_of(module, "partial-8", device, ram=5000)
    assert [segment["by"] for segment in streamed_segments(program)] == ["partial-8, 4 channels at once, rounded"]
    assert 3000 < arena(program) <= 5000
    check_bits_on_device(module, program, inputs_of(module, 2), device, tmp_path)


@settings(max_examples=1, deadline=None)
@given(channel_graphs(), st.sampled_from(MODES), st.sampled_from([0, 100, 1000]))
def test_any_graph_runs_in_exactly_the_arena_that_is_claimed(module: ModuleOp, mode: str, more: int):
    check_graph(module, mode, more)
