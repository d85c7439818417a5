"""Masks of the greatest elements, and step functions: on reals compared with numpy, and bit for bit with the evaluator
on the host in several formats and on boards in fixed point.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES
from programs.network_writer import NetworkWriter
from programs.on_boards import difference, printed
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.lowering import pipelines
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate_reals
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles

RANDOM = np.random.default_rng(3)
# Few different numbers: many elements are equal, and zeros of both signs are among them.
X = np.concatenate([RANDOM.integers(-3, 4, (30, 12)) / 2.0, RANDOM.normal(size=(10, 12))]).astype(np.float32)
X[0] = [0.0, -0.0] * 6
X[1] = 1.5


def masks(count: int) -> ModuleOp:
    """A program that returns the mask of the `count` greatest elements of a 3x4 input, and the step function of the
    input minus this mask.
    """
    net = NetworkWriter((3, 4), format=F32_FORMAT, name="masks")
    mask = net.insert(tdsl.TopKMaskOp(net.input, count))
    step = net.insert(tdsl.StepOp(net.input))
    return net.module(mask, net.insert(tdsl.SubOp(step, mask)))


def expected(x: NDArray[np.float32], count: int) -> NDArray[np.float64]:
    """The masks, computed by sorting numbers with their indices."""
    marks = np.zeros(x.shape)
    for row, values in enumerate(x.tolist()):
        for i in sorted(range(len(values)), key=lambda i: (-values[i], i))[:count]:
            marks[row, i] = 1
    return marks


@pytest.mark.parametrize("count", [1, 5, 12])
def test_masks_and_steps_of_reals(count: int):
    outputs = evaluate_reals(masks(count), X)
    np.testing.assert_array_equal(outputs.scores, expected(X, count))
    np.testing.assert_array_equal(outputs.more[0], (X > 0) - expected(X, count))


def in_format(format: str, width: int | None) -> ModuleOp:
    module, ctx = masks(5), context()
    record_profiles(module, X)
    AssignFormatPass(format, width).apply(ctx, module)
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", {"target": "host"}))
    return module


@pytest.mark.long
@pytest.mark.parametrize(
    ("format", "width"),
    [("fixed", 8), ("fixed", 16), ("zeroskew", 8), ("posit", 8), ("posit", 16), ("f32", None), ("bf16", None)],
)
def test_the_host_gives_the_same_bits_in_every_format(format: str, width: int | None, tmp_path: Path):
    module = in_format(format, width)
    source = printed(module, "host", tmp_path / "c")
    assert difference(module, encode_inputs(module, X), source, HostRunner(sanitize=True), tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
def test_devices_give_the_same_bits(device: str, tmp_path: Path):
    module = in_format("fixed", 8)
    source = printed(module, device, tmp_path / "c")
    assert difference(module, encode_inputs(module, X[:4]), source, runner_for(device), tmp_path) is None
