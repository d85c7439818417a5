"""Segments that run tile by tile return the same bits as the ordinary schedule."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from programs.network_writer import NetworkWriter
from programs.sliced_networks import (
    arena,
    buffers_of,
    channel_networks,
    check_bits,
    check_bits_on_device,
    inputs_of,
    refined,
)
from programs.streamed_networks import networks
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.targets.registry import HOST
from tinyml.transforms.formats.plan_execution import streamed_segments
from tinyml.transforms.schedules.channels_in_patches import CHANNELS_IN_PATCHES
from tinyml.transforms.schedules.patches import PATCHES
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.rewriting.channel_patches import ChannelPatches
from tinyml.transforms.schedules.rewriting.patch_loops import PatchLoops
from tinyml.transforms.schedules.segments import NotTiled


def patches(module: ModuleOp, last: int, count: int) -> PatchLoops | None:
    try:
        return PatchLoops(network_of(predict_function(module)), 0, last, count)
    except NotTiled:
        return None


@pytest.mark.long
@settings(max_examples=3)
@given(st.one_of(channel_networks(), networks()), st.data())
def test_any_tiles_compute_the_same_bits(network: str, data: st.DataObject):
    module = refined(Parser(context(), network).parse_module())
    nodes = network_of(predict_function(module)).graph.nodes
    options = data.draw(st.permutations([(last, count) for last in range(len(nodes)) for count in (2, 3)]))
    tiled = module.clone()
    run = next(filter(None, (patches(tiled, *option) for option in options)), None)
    assume(run)
    assert run is not None
    run.rewrite()
    check_bits(module, tiled)


def by_channels(module: ModuleOp, last: int, count: int, loop: tuple[int, int]) -> ChannelPatches | None:
    try:
        return ChannelPatches(network_of(predict_function(module)), last, count, [loop], 32)
    except NotTiled:
        return None


@pytest.mark.long
@settings(max_examples=4)
@given(st.one_of(channel_networks(), networks()), st.data())
def test_any_loop_over_channels_in_tiles_computes_the_same_bits(network: str, data: st.DataObject):
    module = refined(Parser(context(), network).parse_module())
    count = len(network_of(predict_function(module)).graph.nodes)
    options = [(last, i, k) for last in range(count) for k in range(last + 1) for i in range(k)]
    tiled = module.clone()
    tiles = data.draw(st.sampled_from((1, 2, 3)))
    order = data.draw(st.permutations(options)) if options else []
    run = next(filter(None, (by_channels(tiled, last, tiles, (i, k)) for last, i, k in order)), None)
    assume(run)
    assert run is not None
    run.rewrite()
    check_bits(module, tiled)


@pytest.mark.long
def test_tiles_that_share_memory_with_windows_of_earlier_ones():
    """A program in patches computes the bits of ordinary execution although a ring of one pixel shares memory with the
    windows that are gathered for each tile.
    """
    net = NetworkWriter((1, 7, 7, 3), 7)
    image = net.convolution(net.input, None, strides=2)
    deep = net.convolution(net.convolution(image, 3, 3, padding=1), 3, 3, padding=1)
    last = net.convolution(net.add(deep, image), 2, strides=2)
    both = net.insert(tdsl.ConcatOp([last, net.convolution(last, 3, 3, padding=1)], 3))
    module = refined(net.module(net.convolution(both, 4, 2)))
    tiled = module.clone()
    run = patches(tiled, 6, 2)
    assert run is not None
    run.rewrite()
    check_bits(module, tiled)


def bottlenecks() -> ModuleOp:
    """A network of two inverted bottlenecks on a large image; the second has a residual connection."""
    net = NetworkWriter((1, 16, 16, 1), 7)
    image = net.convolution(net.input, 4, 3, padding=1)
    image = net.convolution(net.convolution(net.convolution(image, 24), None, 3, strides=2, padding=(0, 1, 0, 1)), 4)
    inner = net.convolution(net.convolution(net.convolution(image, 24), None, 3, padding=1), 4)
    return net.module(net.convolution(net.pool(net.add(inner, image)), 4, 3, padding=1))


@pytest.mark.long
@pytest.mark.parametrize("device", [HOST, "uno", "cortex-m4"])
def test_networks_run_by_channels_in_patches_on_devices(device: str, tmp_path: Path):
    """A network that runs by channels in patches computes the evaluator's bits on every device. Its arena is within the
    peak of the plan, which is lower than by channels or in patches alone.
    """
    module = refined(bottlenecks())
    network = network_of(predict_function(module))
    plan = CHANNELS_IN_PATCHES.program_plan(network, None, network.graph.macs * 30 // 100)
    program = buffers_of(module, "channels-in-patches", device)
    segment, *_ = streamed_segments(program)
    assert (segment["by"], segment["more_macs"]) == (plan.segments[0].schedule, plan.segments[0].extra)
    assert segment["by"] == "2x2 patches by channels"
    assert arena(program) == 1362 <= plan.bits // 8
    assert [arena(buffers_of(module, mode)) for mode in ("patches", "partial-32")] == [2224, 2992]
    check_bits_on_device(module, program, inputs_of(module, 2), device, tmp_path)


def shrinking_network() -> ModuleOp:
    """A network that begins with large images and overlapping windows."""
    net = NetworkWriter((1, 16, 16, 1), 7)
    image = net.convolution(net.input, 8, 3, padding=1)
    image = net.convolution(image, None, 3, strides=2, padding=(0, 1, 0, 1))
    image = net.pool(image)
    return net.module(net.convolution(image, 4, 3, padding=1))


@pytest.mark.long
@pytest.mark.parametrize("device", [HOST, "cortex-m4"])
def test_networks_run_in_patches_on_devices(device: str, tmp_path: Path):
    """A network in patches computes the evaluator's bits on every device. Its arena is within the peak of the plan,
    which is lower than that of ordinary execution.
    """
    module = refined(shrinking_network())
    network = network_of(predict_function(module))
    plan = PATCHES.program_plan(network, None, network.graph.macs * 30 // 100)
    program = buffers_of(module, "patches", device)
    [segment] = streamed_segments(program)
    assert (segment["by"], segment["more_macs"]) == (plan.segments[0].schedule, plan.extra)
    assert arena(program) <= plan.bits // 8 < arena(buffers_of(module, "ordinary"))
    check_bits_on_device(module, program, inputs_of(module, 2), device, tmp_path)
