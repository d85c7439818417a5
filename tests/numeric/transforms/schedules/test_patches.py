"""Segments that run tile by tile compute the bits of ordinary execution."""

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
from tinyml.transforms.schedules.patches import PATCHES
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.protocol import NotTiled
from tinyml.transforms.schedules.rewriting.patch_loops import PatchLoops


def patches(module: ModuleOp, last: int, count: int) -> PatchLoops | None:
    try:
        return PatchLoops(network_of(predict_function(module)), 0, last, count)
    except NotTiled:
        return None


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


def test_tiles_that_share_memory_with_windows_of_earlier_ones():
    """A ring of one pixel is not written where nobody reads it, and lies where windows are gathered for each tile."""
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


def shrinking_network() -> ModuleOp:
    """Large images at the beginning, whose windows overlap."""
    net = NetworkWriter((1, 16, 16, 1), 7)
    image = net.convolution(net.input, 8, 3, padding=1)
    image = net.convolution(image, None, 3, strides=2, padding=(0, 1, 0, 1))
    image = net.pool(image)
    return net.module(net.convolution(image, 4, 3, padding=1))


@pytest.mark.parametrize("device", [HOST, "cortex-m4"])
def test_networks_run_in_patches_on_devices(device: str, tmp_path: Path):
    """The arena is no larger than the plan says, which is less than before."""
    module = refined(shrinking_network())
    network = network_of(predict_function(module))
    plan = PATCHES.program_plan(network, None, network.graph.macs * 30 // 100)
    program = buffers_of(module, "patches", device)
    [segment] = streamed_segments(program)
    assert (segment["by"], segment["more_macs"]) == (plan.segments[0].schedule, plan.extra)
    assert arena(program) <= plan.bits // 8 < arena(buffers_of(module, "ordinary"))
    check_bits_on_device(module, program, inputs_of(module, 2), device, tmp_path)
