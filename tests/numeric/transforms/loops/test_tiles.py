"""Convolutions by kernels that finish their sums give TensorFlow Lite Micro's bytes on every device."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.lowered import lowered
from programs.tflite_models import NONE, RELU, SAME, VALID, TfliteModel, computed_by_tflm, inputs_of, weighted

from tinyml.dialects.context import context
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import tile_families
from tinyml.tools.driver.measure import first_mismatch

DEVICES = {
    "cortex-m0": ("host", "cortex-m0", "cortex-m3"),
    "cortex-m4": ("host", "cortex-m0", "cortex-m3", "cortex-m4"),
    "riscv": ("host", "riscv"),
}
"""The targets with kernels for tiles, and what runs programs for them."""

ONE, TWO, UNEQUAL = ({"StrideH": down, "StrideW": across} for down, across in ((1, 1), (2, 2), (2, 1)))
CASES: list[tuple[tuple[int, ...], dict[str, Any], tuple[int, int]]] = [
    # Filters, options, height and width of the result of an image of 6 x 7 pixels and 5 channels.
    ((6, 3, 3, 5), dict(Padding=SAME, FusedActivationFunction=RELU, **ONE), (6, 7)),
    ((4, 1, 1, 5), dict(Padding=VALID, **ONE), (6, 7)),
    ((8, 1, 1, 5), dict(Padding=VALID, **TWO), (3, 4)),
    ((2, 2, 3, 5), dict(Padding=SAME, DilationWFactor=2, **ONE), (6, 7)),
    ((10, 3, 2, 5), dict(Padding=VALID, **UNEQUAL), (2, 6)),
]
"""The rests of windows in fours are 1 (three times) and 2 (twice); those of pixels in pairs 1 (once), 0, 0, 1 and 0."""

DEPTHWISE: list[tuple[tuple[int, ...], dict[str, Any], tuple[int, int]]] = [
    # Filters, options, height and width of the result of an image of 3 x 4 pixels and 8 channels.
    ((1, 3, 3, 8), dict(Padding=SAME, FusedActivationFunction=RELU, **ONE), (3, 4)),
    ((1, 2, 2, 8), dict(Padding=VALID, **TWO), (1, 2)),
    ((1, 2, 3, 8), dict(Padding=SAME, DilationWFactor=2, **ONE), (3, 4)),
]


def network() -> tuple[bytes, int]:
    """Every case on the same image, depthwise ones on the result of one, and a residual sum behind the first one."""
    random, model = np.random.default_rng(3), TfliteModel()
    x = model.tensor((1, 6, 7, 5), "int8", 0.05, -9)
    outputs: list[int] = []
    for filters, options, size in CASES:
        outputs.append(model.tensor((1, *size, filters[0]), "int8", 1.1, 6))
        weighted(model, "CONV_2D", x, filters, outputs[-1], random, **options)
    for filters, options, size in DEPTHWISE:
        outputs.append(model.tensor((1, *size, filters[3]), "int8", 1.7, -128))
        weighted(model, "DEPTHWISE_CONV_2D", outputs[2], filters, outputs[-1], random, DepthMultiplier=1, **options)
    inner, total = (model.tensor((1, 6, 7, 6), "int8", scale, 20) for scale in (0.9, 1.3))
    weighted(model, "CONV_2D", outputs[0], (6, 3, 3, 6), inner, random, Padding=SAME, **ONE)
    model.op("ADD", [outputs[0], inner], total, FusedActivationFunction=NONE)
    return model.finish([x], [*outputs, total]), len(outputs) + 1


Compiled = tuple[Path, Any, NDArray[Any], list[NDArray[Any]]]
"""The folder with the C, its interface, inputs and TFLM's outputs."""


@pytest.fixture(scope="module", params=DEVICES)
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Compiled]:
    """A target and the network compiled for it."""
    content, count = network()
    module, ctx = read_tflite(content, "network.tflite"), context()
    x = inputs_of(content, 3)
    interface = interface_of(module)
    lowered(module, ctx, start="refine-formats", target=request.param)
    folder = tmp_path_factory.mktemp("pairs")
    write_c(module, ctx, request.param, folder)
    return request.param, (folder, interface, x.reshape(3, -1), computed_by_tflm(content, x, count))


def kernels_called(folder: Path, target: str) -> list[list[str]]:
    """The calls of kernels of each family in the function of a program."""
    text = next(folder.glob("*.c")).read_text()
    body = text[text.index("_predict(") :]
    return [re.findall(rf"^ +({family.name}_\w+)\(", body, re.MULTILINE) for family in tile_families(target)]


def test_every_convolution_calls_a_kernel(compiled: tuple[str, Compiled]):
    target, (folder, *_) = compiled
    dots, channels = kernels_called(folder, target)
    assert (len(dots), len(channels)) == (len(CASES) + 1, len(DEPTHWISE))


def test_one_source_gives_the_bytes_of_tflm(compiled: tuple[str, Compiled], tmp_path: Path):
    target, (folder, interface, x, expected) = compiled
    first, *more = (output.reshape(len(x), -1) for output in expected)
    for device in DEVICES[target]:
        runner = HostRunner(sanitize=True) if device == "host" else runner_for(device)
        result = runner.run(runner.build(folder, interface, tmp_path / device, "-O2"), interface, x)
        different = first_mismatch(Outputs(None, first, tuple(more)), Outputs(None, result.scores, result.more))
        assert different is None, device


def test_tiles_of_avr_give_the_bytes_of_tflm(tmp_path: Path):
    content, count = network()
    module, ctx = read_tflite(content, "network.tflite"), context()
    x, interface, target = inputs_of(content, 3), interface_of(module), "atmega1284p"
    lowered(module, ctx, start="refine-formats", target=target)
    write_c(module, ctx, target, tmp_path)
    text = next(tmp_path.glob("*.c")).read_text()
    body = text[text.index("_predict(") :]
    assert body.count("tm_dot_requantised_s8_") == len(CASES) + 1
    assert body.count("tm_channel_requantised_s8_") == len(DEPTHWISE)
    first, *more = (output.reshape(len(x), -1) for output in computed_by_tflm(content, x, count))
    for device in ("host", target):
        runner = HostRunner(sanitize=True) if device == "host" else runner_for(device)
        build = runner.build(tmp_path, interface, tmp_path / device, "-Os")
        result = runner.run(build, interface, x.reshape(3, -1))
        assert first_mismatch(Outputs(None, first, tuple(more)), Outputs(None, result.scores, result.more)) is None


def chain() -> bytes:
    """Windows that overlap, depthwise ones with a stride, and pixels, in images of odd width; then a product."""
    random, model = np.random.default_rng(5), TfliteModel()
    x = model.tensor((1, 9, 11, 3), "int8", 0.05, -9)
    wide, narrow, mixed = (
        model.tensor((1, *shape), "int8", scale, zero)
        for shape, scale, zero in (((9, 11, 12), 1.1, 6), ((5, 6, 12), 1.7, -128), ((5, 6, 7), 3.0, 20))
    )
    weighted(model, "CONV_2D", x, (12, 3, 3, 3), wide, random, Padding=SAME, **ONE)
    weighted(model, "DEPTHWISE_CONV_2D", wide, (1, 3, 3, 12), narrow, random, Padding=SAME, DepthMultiplier=1, **TWO)
    weighted(model, "CONV_2D", narrow, (7, 1, 1, 12), mixed, random, Padding=VALID, **ONE)
    return model.finish([x], [mixed])


@pytest.mark.parametrize(
    ("target", "plan", "ram", "kernels"),
    [
        ("cortex-m4", "rows", None, 3),
        ("cortex-m4", "auto", 1500, 3),
        ("cortex-m4", "pixels", None, 2),
        ("cortex-m0", "rows", None, 3),
        ("cortex-m0", "pixels", None, 2),
        ("cortex-m0", "patches", None, 2),
        ("riscv", "rows", None, 3),
        ("riscv", "auto", 1500, 3),
        # Partial sums and chips without kernels for tiles take others, and give the same bytes.
        ("riscv", "partial-32", None, 0),
        ("cortex-m3", "pixels", None, 0),
    ],
)
def test_streamed_rows_are_made_of_tiles(target: str, plan: str, ram: int | None, kernels: int, tmp_path: Path):
    content = chain()
    module, ctx, x = read_tflite(content, "network.tflite"), context(), inputs_of(content, 2)
    interface = interface_of(module)
    lowered(module, ctx, start="refine-formats", target=target, plan=plan, ram=ram)
    write_c(module, ctx, target, tmp_path)
    called = {name for names in kernels_called(tmp_path, target) for name in names}
    assert len(called) >= kernels
    [expected] = computed_by_tflm(content, x, 1)
    for device in ("host", target):
        runner = HostRunner(sanitize=True) if device == "host" else runner_for(device)
        result = runner.run(runner.build(tmp_path, interface, tmp_path / device, "-O2"), interface, x.reshape(2, -1))
        np.testing.assert_array_equal(result.scores, expected.reshape(2, -1))


def winograd(height: int) -> bytes:
    """Windows of three pixels in a row, one pixel apart, padded and not."""
    random, model = np.random.default_rng(6), TfliteModel()
    x, wide, narrow = (
        model.tensor((1, *shape), "int8", scale, zero)
        for shape, scale, zero in (
            ((height, 9, 8), 0.05, -9),
            ((height, 9, 12), 1.1, 6),
            ((height - 2, 7, 7), 3.0, 20),
        )
    )
    weighted(model, "CONV_2D", x, (12, 3, 3, 8), wide, random, Padding=SAME, FusedActivationFunction=RELU, **ONE)
    weighted(model, "CONV_2D", wide, (7, 3, 3, 12), narrow, random, Padding=VALID, **ONE)
    return model.finish([x], [narrow])


@pytest.mark.parametrize(
    ("target", "families"),
    [
        ("cortex-m4", {"tm_cm_wide_strip_s8_": len(CASES) + 1, "tm_cm_channels_": len(DEPTHWISE)}),
        # Two convolutions have too few windows for the constants that a call of code begins with.
        ("cortex-m0", {"tm_cm_small_rows_": len(CASES) - 1, "tm_cm_small_channels_": len(DEPTHWISE)}),
    ],
)
def test_kernels_that_take_flash_give_the_bytes_of_tflm(target: str, families: Mapping[str, int], tmp_path: Path):
    content, count = network()
    module, ctx, x = read_tflite(content, "network.tflite"), context(), inputs_of(content, 3)
    interface = interface_of(module)
    lowered(module, ctx, start="refine-formats", target=target, flash=100000)
    write_c(module, ctx, target, tmp_path)
    text = next(tmp_path.glob("*.c")).read_text()
    body = text[text.index("_predict(") :]
    assert {prefix: len(re.findall(rf"^ +{prefix}\w+\(", body, re.MULTILINE)) for prefix in families} == families
    first, *more = (output.reshape(len(x), -1) for output in computed_by_tflm(content, x, count))
    for device in ("host", target):
        runner = HostRunner(sanitize=True) if device == "host" else runner_for(device)
        result = runner.run(runner.build(tmp_path, interface, tmp_path / device, "-O2"), interface, x.reshape(3, -1))
        assert first_mismatch(Outputs(None, first, tuple(more)), Outputs(None, result.scores, result.more)) is None


@pytest.mark.parametrize(
    ("plan", "height", "flash", "strips", "squares"),
    # An odd last row is no part of a square. With little flash lines of windows are taken one by one, as rings are.
    [("ordinary", 7, 100000, 2, 2), ("ordinary", 7, 12000, 3, 0), ("rows", 15, 100000, 2, 0)],
)
def test_kernels_with_fewer_products_give_the_same_bytes(
    plan: str, height: int, flash: int, strips: int, squares: int, tmp_path: Path
):
    content = winograd(height)
    module, ctx, x = read_tflite(content, "network.tflite"), context(), inputs_of(content, 3)
    interface, target = interface_of(module), "cortex-m4"
    lowered(module, ctx, start="refine-formats", target=target, plan=plan, flash=flash)
    write_c(module, ctx, target, tmp_path)
    text = next(tmp_path.glob("*.c")).read_text()
    calls = re.findall(r"^ +tm_cm_winograd_(strip|squares)_s8_\w+\(", text[text.index("_predict(") :], re.MULTILINE)
    assert (calls.count("strip"), calls.count("squares")) == (strips, squares)
    [expected] = computed_by_tflm(content, x, 1)
    for device in ("host", "cortex-m3", target):
        runner = HostRunner(sanitize=True) if device == "host" else runner_for(device)
        result = runner.run(runner.build(tmp_path, interface, tmp_path / device, "-O2"), interface, x.reshape(3, -1))
        np.testing.assert_array_equal(result.scores, expected.reshape(3, -1))


def test_lines_of_windows_without_kernels_become_loops(tmp_path: Path):
    content = winograd(7)
    module, ctx, x = read_tflite(content, "network.tflite"), context(), inputs_of(content, 3)
    interface = interface_of(module)
    lowered(module, ctx, start="refine-formats", end="formats-to-buffers", target="cortex-m4", flash=100000)
    lowered(module, ctx, start="buffers-to-loops", target="host", flash=100000)
    write_c(module, ctx, "host", tmp_path)
    runner = HostRunner(sanitize=True)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build", "-O2"), interface, x.reshape(3, -1))
    [expected] = computed_by_tflm(content, x, 1)
    np.testing.assert_array_equal(result.scores, expected.reshape(3, -1))
