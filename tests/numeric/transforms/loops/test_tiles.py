"""Convolutions by kernels that also requantise their sums compute TensorFlow Lite Micro's bytes on every device."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import need_tools
from programs.kernel_tables import tile_families, window_families
from programs.lowered import lowered
from programs.spread import spread
from programs.tflite_models import NONE, RELU, SAME, VALID, TfliteModel, computed_by_tflm, inputs_of, weighted

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import HOST
from tinyml.tools.driver.measure import first_mismatch

DEVICES = {
    "cortex-m0": ("host", "cortex-m0"),
    "cortex-m4": ("host", "cortex-m0", "cortex-m3", "cortex-m4"),
    "riscv": ("host", "riscv"),
    "cortex-m55": ("host", "cortex-m4", "cortex-m55"),
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

SEVERAL: list[tuple[tuple[int, ...], dict[str, Any], tuple[int, int]]] = [
    # The same for images of 6 x 7 pixels and 5 channels, each of which has several filters.
    ((1, 3, 3, 10), dict(Padding=SAME, DepthMultiplier=2, **ONE), (6, 7)),
    ((1, 5, 2, 20), dict(Padding=SAME, DepthMultiplier=4, FusedActivationFunction=RELU, **TWO), (3, 4)),
]


def network() -> tuple[bytes, int]:
    """A network with an output for each convolution of `CASES` on one image, for each of `DEPTHWISE`, and for a
    residual sum.

    Returns the bytes of the model and the number of outputs.
    """
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


@dataclass(frozen=True)
class Compiled:
    """A network in C.

    folder: the folder of its C files.
    interface: the interface of its C.
    x: inputs, of shape (samples, elements).
    expected: the outputs that TFLM computes from x.
    """

    folder: Path
    interface: Interface
    x: NDArray[Any]
    expected: Outputs

    @property
    def calls(self) -> str:
        """The C of the function that computes the outputs."""
        text = next(self.folder.glob("*.c")).read_text()
        return text[text.index("_predict(") :]

    def check(self, *devices: str, optimize: str = "-O2") -> None:
        """Assert that devices compute TFLM's bytes. The host runs with sanitizers and at -O1, the other devices at
        `optimize`.
        """
        for device in devices:
            need_tools(device)
            runner, level = (HostRunner(sanitize=True), "-O1") if device == HOST else (runner_for(device), optimize)
            build = runner.build(self.folder, self.interface, self.folder / device, level)
            result = runner.run(build, self.interface, self.x)
            assert first_mismatch(self.expected, Outputs(None, result.scores, result.more)) is None, device


def compiled_for(target: str, model: tuple[bytes, int], folder: Path, **options: Any) -> Compiled:
    """Compile a quantised TensorFlow Lite network for a target, and return it with three inputs and the outputs
    that TensorFlow Lite Micro computes for them.

    model: the bytes of the file, and the number of outputs.
    """
    content, count = model
    module, ctx = read_tflite(content, "network.tflite"), context()
    x, interface = inputs_of(content, 3), interface_of(module)
    lowered(module, ctx, start="refine-formats", target=target, **options)
    write_c(module, ctx, target, folder)
    first, *more = (output.reshape(3, -1) for output in computed_by_tflm(content, x, count))
    return Compiled(folder, interface, x.reshape(3, -1), Outputs(None, first, tuple(more)))


def kernels_called(program: Compiled, target: str) -> list[list[str]]:
    """For each family of kernels, the calls of its kernels in the C of the program. The families for single windows
    come last.
    """
    families = [*tile_families(target), *window_families(target)]
    return [re.findall(rf"^ +({family.name}_\w+)\(", program.calls, re.MULTILINE) for family in families]


@pytest.mark.long
@pytest.mark.parametrize("target", spread(DEVICES, 2))
def test_every_convolution_calls_a_kernel_and_gives_the_bytes_of_tflm(target: str, tmp_path: Path):
    program = compiled_for(target, network(), tmp_path)
    dots, channels, *_ = kernels_called(program, target)
    assert (len(dots), len(channels)) == (len(CASES) + 1, len(DEPTHWISE))
    # The assembly stands in the file, beside plain C; with Helium the residual sum is a loop over elements.
    sums = re.findall(r"^ +(tm_\w+_elements_\w+)\(", program.calls, re.MULTILINE)
    assert bool(sums) == (target == "cortex-m55")
    assert next(tmp_path.glob("*.c")).read_text().count("\nstatic TM_NAKED") == len({*dots, *channels, *sums})
    program.check(*DEVICES[target])


@pytest.mark.long
def test_several_filters_of_a_channel_have_a_kernel_with_helium(tmp_path: Path):
    random, model, target = np.random.default_rng(4), TfliteModel(), "cortex-m55"
    x = model.tensor((1, 6, 7, 5), "int8", 0.05, -9)
    outputs = [model.tensor((1, *size, filters[3]), "int8", 1.7, 4) for filters, _, size in SEVERAL]
    for (filters, options, _), output in zip(SEVERAL, outputs, strict=True):
        weighted(model, "DEPTHWISE_CONV_2D", x, filters, output, random, **options)
    program = compiled_for(target, (model.finish([x], outputs), len(outputs)), tmp_path)
    dots, channels, *_ = kernels_called(program, target)
    assert (dots, len(channels)) == ([], len(SEVERAL))
    program.check(*DEVICES[target])


@pytest.mark.long
def test_tiles_of_avr_give_the_bytes_of_tflm(tmp_path: Path):
    program = compiled_for("atmega1284p", network(), tmp_path)
    assert program.calls.count("tm_dot_requantised_s8_") == len(CASES) + 1
    assert program.calls.count("tm_channel_requantised_s8_") == len(DEPTHWISE)
    program.check(HOST, "atmega1284p", optimize="-Os")


def chain() -> tuple[bytes, int]:
    """A network of a convolution with overlapping windows, a depthwise convolution with a stride, and a pointwise
    convolution. Returns the bytes and the number of outputs.
    """
    random, model = np.random.default_rng(5), TfliteModel()
    x = model.tensor((1, 9, 11, 3), "int8", 0.05, -9)
    wide, narrow, mixed = (
        model.tensor((1, *shape), "int8", scale, zero)
        for shape, scale, zero in (((9, 11, 12), 1.1, 6), ((5, 6, 12), 1.7, -128), ((5, 6, 7), 3.0, 20))
    )
    weighted(model, "CONV_2D", x, (12, 3, 3, 3), wide, random, Padding=SAME, **ONE)
    weighted(model, "DEPTHWISE_CONV_2D", wide, (1, 3, 3, 12), narrow, random, Padding=SAME, DepthMultiplier=1, **TWO)
    weighted(model, "CONV_2D", narrow, (7, 1, 1, 12), mixed, random, Padding=VALID, **ONE)
    return model.finish([x], [mixed]), 1


STREAMED = [
    # Target, plan, RAM, and the least number of different kernels.
    ("cortex-m4", "rows", None, 3),
    ("cortex-m4", "auto", 1500, 3),
    ("cortex-m4", "pixels", None, 2),
    ("cortex-m0", "rows", None, 3),
    ("cortex-m0", "patches", None, 2),
    ("riscv", "rows", None, 3),
    # Partial sums and chips without kernels for tiles take others, and give the same bytes.
    ("riscv", "partial-32", None, 0),
    ("cortex-m3", "pixels", None, 0),
]


@pytest.mark.long
@pytest.mark.parametrize(("target", "plan", "ram", "kernels"), spread(STREAMED, 3))
def test_streamed_rows_are_made_of_tiles(target: str, plan: str, ram: int | None, kernels: int, tmp_path: Path):
    """Streamed rows are computed by at least `kernels` kernels for tiles; the bytes equal TFLM's. The host runs only
    the first program of each plan.
    """
    program = compiled_for(target, chain(), tmp_path, plan=plan, ram=ram)
    assert len({name for names in kernels_called(program, target) for name in names}) >= kernels
    [first, *_] = [chip for chip, by, *_ in STREAMED if by == plan]
    program.check(*[HOST] * (target == first), target)


def winograd(height: int) -> tuple[bytes, int]:
    """A network of two convolutions with 3x3 windows and a stride of 1, the first with and the second without padding.
    Returns the bytes of the model and the number of outputs.

    height: the height of the image.
    """
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
    return model.finish([x], [narrow]), 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("target", "families"),
    spread(
        [
            ("cortex-m4", {"tm_cm_wide_tile_s8_": len(CASES) + 1, "tm_cm_channels_": len(DEPTHWISE)}),
            # Two convolutions have too few windows for the constants that a call of code begins with.
            ("cortex-m0", {"tm_cm_small_rows_": len(CASES) - 1, "tm_cm_small_channels_": len(DEPTHWISE)}),
        ],
        1,
    ),
)
def test_kernels_that_take_flash_give_the_bytes_of_tflm(target: str, families: Mapping[str, int], tmp_path: Path):
    program = compiled_for(target, network(), tmp_path, flash=100000)
    calls = {prefix: re.findall(rf"^ +{prefix}\w+\(", program.calls, re.MULTILINE) for prefix in families}
    assert {prefix: len(found) for prefix, found in calls.items()} == families
    program.check(HOST, target)


@pytest.mark.long
@pytest.mark.parametrize(
    ("plan", "height", "flash", "in_rows", "in_squares"),
    # An odd last row is no part of a square. With little flash lines of windows are taken one by one, as rings are.
    spread([("ordinary", 7, 100000, 2, 2), ("ordinary", 7, 12000, 3, 0), ("rows", 15, 100000, 2, 0)], 2),
)
def test_kernels_with_fewer_products_give_the_same_bytes(
    plan: str, height: int, flash: int, in_rows: int, in_squares: int, tmp_path: Path
):
    program = compiled_for("cortex-m4", winograd(height), tmp_path, plan=plan, flash=flash)
    calls = re.findall(r"^ +tm_cm_winograd_(1d|2d)_s8_\w+\(", program.calls, re.MULTILINE)
    assert (calls.count("1d"), calls.count("2d")) == (in_rows, in_squares)
    program.check(HOST, "cortex-m4")


@pytest.mark.long
def test_lines_of_windows_without_kernels_become_loops(tmp_path: Path):
    content, _ = winograd(7)
    module, ctx, x = read_tflite(content, "network.tflite"), context(), inputs_of(content, 3)
    interface = interface_of(module)
    lowered(module, ctx, start="refine-formats", end="formats-to-buffers", target="cortex-m4", flash=100000)
    for op in module.walk():
        if isinstance(op, tdsl.Conv2dOp):
            op.tile = None
    lowered(module, ctx, start="buffers-to-loops", target=HOST, flash=100000)
    write_c(module, ctx, HOST, tmp_path)
    [expected] = computed_by_tflm(content, x, 1)
    Compiled(tmp_path, interface, x.reshape(3, -1), Outputs(None, expected.reshape(3, -1))).check(HOST)
