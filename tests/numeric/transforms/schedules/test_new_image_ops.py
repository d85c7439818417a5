"""Image ops that only a test package defines. They are streamed, fused and lowered to hardware like tinyml's own
ops.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.network_writer import NetworkWriter
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed
from programs.sliced_networks import arena, buffers_of, check_bits_on_device, inputs_of, refined
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import num, tdsl
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of


@pytest.fixture(scope="module", name="neighbours")
def installed_neighbours() -> Generator[Any]:
    """Install the package `tests/plugins/neighbours` for the duration of a test."""
    with (
        patch.object(sys, "path", [str(ROOT / "tests/plugins/neighbours"), *sys.path]),
        installed(*entry_points_of("neighbours")),
    ):
        yield import_module("neighbours")


def network(neighbours: Any, side: int, channels: int) -> ModuleOp:
    """A classifier on the mean of an image. A gate blends this image from averages of neighbouring pixels and the
    result of a convolution.
    """
    net = NetworkWriter((1, side, side, 2), 7)
    image = net.convolution(net.input, channels, 3, padding=1)
    average = net.insert(neighbours.CrossAverageOp(image))
    gate = net.insert(tdsl.SigmoidOp(net.convolution(image, channels, 3)))
    sums = net.insert(neighbours.GatedSumOp(gate, average, net.convolution(image, channels, 3)))
    return refined(net.module(net.dense(net.mean(sums), 3)))


@pytest.mark.long(seconds=5)
def test_they_stream(neighbours: Any, tmp_path: Path):
    """By rows, by pixels and in patches, a network with ops of the package needs less memory than by ordinary execution
    and computes the evaluator's bits.
    """
    module = network(neighbours, 10, 4)
    plans = {plan: buffers_of(module, plan, "host") for plan in ("ordinary", "rows", "pixels", "patches")}
    sizes = {plan: arena(buffers) for plan, buffers in plans.items()}
    assert sizes["pixels"] < sizes["rows"] < sizes["ordinary"] / 2, sizes
    assert sizes["patches"] < sizes["ordinary"]
    for device, some in (("host", plans), ("uno", {"rows": buffers_of(module, "rows", "uno")})):
        for plan, buffers in some.items():
            check_bits_on_device(module, buffers, inputs_of(module, 2), device, tmp_path / device / plan)


def test_their_windows_overlap(neighbours: Any, tmp_path: Path):
    """The result of an op of the package overlaps the image whose windows it reads, up to the rows and columns of a
    window: with `footprint`, the order of loads is known.
    """
    net = NetworkWriter((1, 10, 10, 2), 7)
    average = net.insert(neighbours.CrossAverageOp(net.insert(tdsl.ReluOp(net.input))))
    module = refined(net.module(average))
    buffers = buffers_of(module, "ordinary", "host")
    assert arena(buffers) == 10 * 10 * 2
    check_bits_on_device(module, buffers, inputs_of(module, 2), "host", tmp_path)


def test_they_fuse(neighbours: Any):
    """In a network with a gate, the gated sum is computed in the loop over pixels of the convolution that it reads, in
    one loop over channels with the activation.
    """
    module = network(neighbours, 12, 6)
    loops = lowered(buffers_of(module, "ordinary"), start="buffers-to-loops", end="buffers-to-loops")
    [rest] = [op for op in loops.walk() if isinstance(op, num.SubOp)]
    channels = rest.parent_op()
    assert isinstance(channels, scf.ForOp)
    assert any(isinstance(op, num.ClampOp) for op in channels.body.block.ops)
    pixels = channels.parent_op()
    assert isinstance(pixels, scf.ForOp)
    assert any(isinstance(op, num.FinishOp) for op in pixels.walk())


@pytest.mark.long
def test_they_are_hardware(neighbours: Any, tmp_path: Path):
    need_simulator("iverilog")
    module = network(neighbours, 6, 2)
    bits, x = lowered(module.clone(), end="loops-to-bits", target="ecp5-25k"), inputs_of(module, 2)
    result = IcarusSimulation(verilog_of(bits, factor=8), tmp_path).run(interface_of(module), x)
    np.testing.assert_array_equal(result.scores, evaluate(module, x).scores)
