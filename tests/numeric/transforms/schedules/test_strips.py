"""Segments in strips return the same bits as the ordinary schedule, in at most the memory and with exactly the work
that the plan states.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
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
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.targets.registry import HOST
from tinyml.transforms.formats.plan_execution import PlanExecutionPass, streamed_segments
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.protocol import Schedule
from tinyml.transforms.schedules.rewriting.copied_images import without_given_input
from tinyml.transforms.schedules.rewriting.strip_loops import StripLoops
from tinyml.transforms.schedules.rings.pooled_blocks import By
from tinyml.transforms.schedules.segments import Kernels, NotTiled, Tiling
from tinyml.transforms.schedules.streaming import Streamed
from tinyml.transforms.schedules.strips import STRIPS, InStrips, NarrowStreamed
from tinyml.transforms.schedules.tiling.window_tiles import AMPLE_MEMORY

_INTEGERS: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    arith.MuliOp: operator.mul,
    arith.DivSIOp: lambda a, b: int(a / b),
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
}


def products(module: ModuleOp) -> int:
    """The number of multiply-accumulates of a program on tensors, counted by interpreting its loops."""
    known: dict[SSAValue, int] = {}

    def run(block: Block) -> int:
        count = 0
        for op in block.ops:
            if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
                known[op.result] = op.value.value.data
            elif (compute := _INTEGERS.get(type(op))) is not None:
                known[op.results[0]] = compute(*(known[value] for value in op.operands))
            elif isinstance(op, scf.ForOp):
                for i in range(known[op.lb], known[op.ub], known[op.step]):
                    known[op.body.block.args[0]] = i
                    count += run(op.body.block)
            elif isinstance(op, tdsl.TensorOp):
                count += op.macs
        return count

    return run(predict_function(module).body.block)


@pytest.mark.long
@settings(max_examples=4)
@given(st.one_of(channel_networks(), networks()), st.data())
def test_any_strips_compute_the_same_bits(network: str, data: st.DataObject):
    module = refined(Parser(context(), network).parse_module())
    count = len(network_of(predict_function(module)).graph.nodes)
    options = [(first, last, n) for last in range(count) for first in range(last + 1) for n in (2, 3)]
    rows, narrow = data.draw(st.booleans()), data.draw(st.booleans())
    tiled = module.clone()

    def strips(first: int, last: int, count: int) -> StripLoops | None:
        try:
            return StripLoops(network_of(predict_function(tiled)), first, last, count, rows=rows, narrow=narrow)
        except NotTiled:
            return None

    run = next(filter(None, (strips(*option) for option in data.draw(st.permutations(options)))), None)
    assume(run)
    assert run is not None
    run.rewrite()
    check_bits(module, tiled)


def shrinking_network() -> ModuleOp:
    """A network of large images with many channels, whose last result is small."""
    net = NetworkWriter((1, 24, 24, 1), 7)
    image = net.convolution(net.input, 16, 3, padding=1)
    image = net.convolution(image, None, 3, strides=2, padding=(0, 1, 0, 1))
    image = net.pool(net.convolution(image, 4))
    return net.module(net.convolution(image, 4, 3, padding=1))


def outside(module: ModuleOp) -> ModuleOp:
    """Lower a program at L1 until it has accumulators, and return it. Its input is in an array of the caller, outside
    the arena.
    """
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {}))
    return module


@pytest.mark.long
@pytest.mark.parametrize("device", [HOST, "uno", "cortex-m4"])
def test_networks_run_in_strips_on_devices(device: str, tmp_path: Path):
    module = outside(shrinking_network())
    function = predict_function(module)
    network = without_given_input(network_of(function), function)
    plan = STRIPS.program_plan(network, None, network.graph.macs * 30 // 100)
    program = buffers_of(module, "strips", device)
    segments = streamed_segments(program)
    assert any("strips" in str(segment["by"]) for segment in segments)
    assert sum(int(segment["more_macs"]) for segment in segments) == plan.extra > 0
    assert (arena(program), plan.bits // 8) == (448, 457)
    assert arena(buffers_of(module, "pixels")) > 2 * arena(program)
    check_bits_on_device(module, program, inputs_of(module, 2), device, tmp_path)


def narrow_network() -> ModuleOp:
    """A network on which all tilings of the mode `strips` can run, with padding and strides."""
    net = NetworkWriter((1, 6, 7, 2), 7)
    image = net.convolution(net.convolution(net.input, 3), None, 3, padding=1)
    image = net.convolution(net.convolution(image, 2), None, (3, 2), strides=2, padding=(0, 1, 1, 0), linear=True)
    return refined(net.module(image))


@pytest.mark.long
@pytest.mark.parametrize(
    "tiling",
    [
        InStrips(3, rows=True),
        InStrips(3, rows=True, narrow=True),
        InStrips(3, narrow=True),
        NarrowStreamed(By.ROWS),
        NarrowStreamed(By.PIXELS),
    ],
    ids=lambda tiling: tiling.name,
)
def test_strips_of_rows_and_windows_of_single_channels_keep_the_bits(tiling: Tiling):
    module = narrow_network()
    tiled = module.clone()
    tiling.rewrite(network_of(predict_function(tiled)), 0, 3)(Kernels(HOST, AMPLE_MEMORY))
    check_bits(module, tiled)


@pytest.mark.long
@pytest.mark.parametrize(("channels", "narrow"), [(14, False), (15, True)])
def test_segments_of_more_than_seven_eighths_of_the_peak_gather_single_channels(channels: int, narrow: bool):
    net = NetworkWriter((1, 12, 12, 4), 7)
    image = net.convolution(net.input, 4)
    for wide in (24, channels):
        image = net.convolution(net.convolution(net.convolution(image, wide), None, 3, padding=1), 4)
    module = outside(net.module(image))
    function = predict_function(module)
    network = without_given_input(network_of(function), function)
    *_, peak, last = STRIPS.program_plan(network, None, 0).segments
    [found] = (each for each in Schedule.program_plan(STRIPS, network, None, 0).segments if each.first == last.first)
    assert found.tiling == Streamed(By.PIXELS)
    assert (8 * found.bits > 7 * peak.bits) == narrow
    assert (last.tiling == NarrowStreamed(By.PIXELS), last.bits < found.bits) == (narrow, narrow)


@pytest.mark.long
@pytest.mark.parametrize("extra", [0, 10, 30, 100])
def test_a_program_computes_the_products_that_its_plan_states(extra: int):
    module = outside(shrinking_network())
    macs = products(module)
    PlanExecutionPass("strips", extra=extra).apply(context(), module)
    more = sum(int(segment["more_macs"]) for segment in streamed_segments(module))
    assert products(module) == macs + more <= macs * (100 + extra) // 100
