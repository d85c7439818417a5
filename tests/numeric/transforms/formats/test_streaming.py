"""Streamed segments compute the bits of ordinary execution, in memory of exactly the size that they claim."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from interpreters import memory
from programs.streamed_networks import NetworkWriter, networks
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.scratch import ArenaOp
from tinyml.lowering import pipelines
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import HOST
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.request import Request
from tinyml.transforms.formats.plan_execution import streamed_segments
from tinyml.transforms.formats.plans.blocks import By
from tinyml.transforms.formats.plans.network import network_of
from tinyml.transforms.formats.reuse_input import ReuseInputPass
from tinyml.transforms.formats.streaming.choice import plan_of
from tinyml.transforms.formats.streaming.nest import stream
from tinyml.transforms.formats.streaming.stages import NotStreamed

LOWERING = ("formats-to-buffers", "buffers-to-loops", "loops-to-bits")


def refined(module: ModuleOp) -> ModuleOp:
    ReuseInputPass().apply(context(), module)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {}))
    return module


def lowered(module: ModuleOp) -> ModuleOp:
    """A program at L1 lowered to bits."""
    module = module.clone()
    for step in LOWERING:
        pipelines.run(module, context(), pipelines.flatten(step, {}))
    return module


def inputs_of(module: ModuleOp, samples: int) -> np.ndarray:
    shape = tdsl.shape_of(predict_function(module).body.block.args[0])
    return np.random.default_rng(1).integers(-128, 128, (samples, int(np.prod(shape))), np.int8)


def streamed(module: ModuleOp, first: int, last: int, by: By) -> ModuleOp:
    """A program with the nodes from first to last as one loop nest; raises `NotStreamed`."""
    module = module.clone()
    stream(network_of(predict_function(module)), first, last, by)
    module.verify()
    return module


@settings(max_examples=12)
@given(networks(), st.sampled_from(By), st.data())
def test_any_segment_computes_the_same_bits(network: str, by: By, data: st.DataObject):
    """On tensors, and in an arena that was filled with random bytes, in which nothing is read before it is written."""
    module = refined(Parser(context(), network).parse_module())
    count = len(network_of(predict_function(module)).graph.nodes)
    first = data.draw(st.integers(0, count - 1))
    last = data.draw(st.integers(first, count - 1))
    x = inputs_of(module, 2)
    expected = evaluate(module, x)
    try:
        tiled = streamed(module, first, last, by)
    except NotStreamed as reason:
        event(str(reason).partition(" ")[2])
        return
    assert first_mismatch(expected, evaluate(tiled, x)) is None
    results = memory.run(lowered(tiled), x[0])
    got = [np.asarray(result).reshape(1, -1) for result in results]
    alone = evaluate(module, x[:1])
    assert first_mismatch(alone, Outputs(None, got[0], tuple(got[1:]))) is None


def residual_network() -> ModuleOp:
    """Images that shrink, with a join of two branches, of which one has a shortcut of its own, and an average."""
    net = NetworkWriter((12, 12, 3), np.random.default_rng(7))
    image = net.window(net.input, (3, 3), (1, 1), (1, 1, 1, 1), 6)
    image = net.insert(tdsl.AddOp(image, net.window(image, (3, 3), (1, 1), (1, 1, 1, 1), 6)))
    branch = net.window(image, (3, 3), (2, 2), (0, 1, 0, 1), 8)
    branch = net.window(branch, (3, 3), (1, 1), (1, 1, 1, 1))
    shortcut = net.window(image, (1, 1), (2, 2), (0, 0, 0, 0), 8)
    image = net.insert(tdsl.AddOp(shortcut, branch))
    image = net.insert(tdsl.MaxPoolOp(image, (3, 3), (1, 1, 1, 1), (1, 1)))
    return net.module(net.insert(tdsl.MeanOp(image, (1, 2))))


def buffers_of(module: ModuleOp, plan: str, target: str = HOST) -> ModuleOp:
    module = module.clone()
    pipelines.run(module, context(), pipelines.flatten("formats-to-buffers", {"plan": plan, "target": target}))
    return module


def arena(buffers: ModuleOp) -> int:
    return sum(op.size for op in buffers.walk() if isinstance(op, ArenaOp))


@pytest.mark.parametrize("device", [HOST, "cortex-m4", "uno"])
@pytest.mark.parametrize("mode", ["rows", "pixels"])
def test_networks_run_streamed_on_devices(mode: str, device: str, tmp_path: Path):
    """On the host every access is checked. The arena is no larger than the plan says, which is less than before."""
    module = refined(residual_network())
    expected, interface = evaluate(module, x := inputs_of(module, 2)), interface_of(module)
    plan = plan_of(network_of(predict_function(module)), mode)
    program = buffers_of(module, mode, device)
    assert {segment["by"] for segment in streamed_segments(program)} == {mode}
    assert arena(program) <= plan.bits // 8 < arena(buffers_of(module, "ordinary"))
    for step in ("buffers-to-loops", "loops-to-bits", "bits-to-c"):
        pipelines.run(program, context(), pipelines.flatten(step, {"target": device}))
    write_c(program, context(), device, tmp_path)
    runner = HostRunner(sanitize=True) if device == HOST else runner_for(device)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build"), interface, x)
    assert first_mismatch(expected, Outputs(None, result.scores, result.more)) is None


def test_the_fastest_plan_that_fits_is_compiled(tmp_path: Path):
    """The input moves into the arena first, which keeps the order; then segments are streamed."""
    model = tmp_path / "model.mlir"
    model.write_text(str(residual_network()))
    reports: dict[int, dict[str, Any]] = {}
    for ram in (1300, 1150):
        request = Request(model=model, out=tmp_path / str(ram), target=HOST, ram=ram)
        reports[ram] = compile_model(request)
        assert reports[ram]["ram_bytes"]["arena"] + reports[ram]["ram_bytes"]["input"] <= ram
    assert [report["reuse_input"] for report in reports.values()] == [True, True]
    assert [bool(report["segments"]) for report in reports.values()] == [False, True]
