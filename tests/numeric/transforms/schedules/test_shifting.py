"""Herringbone by shifting pixels (Gural and Murmann 2019, section 3.4.2), a schedule of a test package."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import pytest
from programs import gural_murmann
from programs.compiled import compile_without_pictures
from programs.devices import with_llvm
from programs.network_writer import NetworkWriter
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType, UnsignedType
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program, print_ir
from tinyml.transforms.formats.plan_execution import PlanExecutionPass
from tinyml.transforms.formats.reuse_input import ReuseInputPass

PLANS = "herringbone-shifting", "herringbone"


@pytest.fixture(scope="module", autouse=True)
def installed_shifting() -> Generator[None]:
    """Install the package `tests/plugins/shifting` for the duration of a test."""
    folder = str(ROOT / "tests/plugins/shifting")
    with patch.object(sys, "path", [folder, *sys.path]), installed(*entry_points_of("shifting")):
        yield


def network(
    extents: tuple[int, int], channels: tuple[int, int], kernel: tuple[int, int], width: int, steps: tuple[int, int]
) -> ModuleOp:
    """A program of a convolution with bias, and the mean of its result.

    extents: the height and width of the image.
    channels: those of the image and of the result.
    width: the bits of an element.
    steps: the strides.
    """
    net = NetworkWriter((1, *extents, channels[0]), width, UnsignedType(width, 4))
    filter = net.constant(net.random.integers(-7, 8, (channels[1], *kernel, channels[0])), FixedType(4, 3))
    bias = net.constant(net.random.integers(-99, 99, channels[1]), FixedType(8, 7))
    output = UnsignedType(width, 2).type
    return net.module(net.mean(net.insert(tdsl.Conv2dOp(filter, net.input, steps, (1, 1), 1, bias, output))))


def compiled(module: ModuleOp, plan: str, folder: Path) -> dict[str, Any]:
    """The report of a compiled network; asserts that its outputs on an Uno are the evaluator's."""
    folder.mkdir()
    (folder / "network.mlir").write_text(print_ir(module))
    request = Request(
        model=folder / "network.mlir", out=folder / "out", reuse_input=True, pack_buffers=True, plan=plan, optimize="O2"
    )
    report = compile_without_pictures(request)
    assert report["cycles_per_inference"] is not None
    assert report["mismatch"] is None
    return report


@pytest.mark.long
@pytest.mark.parametrize(
    ("extents", "channels", "kernel", "width"),
    [
        ((9, 7), (2, 7), (3, 3), 15),
        ((6, 8), (1, 5), (3, 3), 7),
        ((7, 9), (3, 5), (3, 2), 4),
        ((5, 5), (3, 9), (1, 1), 4),
    ],
    ids=["words", "bytes", "halves", "pixels"],
)
def test_bits_and_memory(
    extents: tuple[int, int], channels: tuple[int, int], kernel: tuple[int, int], width: int, tmp_path: Path
):
    """For a convolution with `herringbone-shifting`, all devices compute the evaluator's bits. The arena is as large as
    with `herringbone`, and only the result is transposed, not the image.
    """
    module = network(extents, channels, kernel, width, (1, 1))
    shifting, transposing = (compiled(module, plan, tmp_path / plan) for plan in PLANS)
    assert [segment["by"] for segment in shifting["segments"]] == ["herringbone-shifting"]
    assert shifting["ram_bytes"]["arena"] == transposing["ram_bytes"]["arena"]
    folder = tmp_path / "herringbone-shifting/out"
    # Both turn the result; the other plan has one more call, for the image.
    shifts, turns = ((tmp_path / plan / "out/network.c").read_text().count("tm_transpose") for plan in PLANS)
    assert turns == shifts + 1
    for device in ("host", "cortex-m4", "riscv", *with_llvm(f"shifting, {width}")):
        ran = run_model(RunRequest(folder=folder, data=folder / "samples.npz", device=device))
        assert ran["mismatch"] is None


def test_convolutions_with_strides_run_as_usual(tmp_path: Path):
    """Only convolutions like those in Gural and Murmann's section 3.4.2 are shifted; a convolution with a stride of 2
    runs in ordinary order.
    """
    report = compiled(network((9, 9), (1, 6), (3, 3), 7, (2, 2)), PLANS[0], tmp_path / "strides")
    assert not report.get("segments")


@pytest.mark.parametrize(("side", "moved"), [(10, 868), (64, 1989454)])
def test_moved_pixels(side: int, moved: int):
    """When pixels of the image are freed, the pixels before them move. For a 3x3 convolution, the total number of moved
    pixels is slightly more than an eighth of h_out w_out h_in w_in, the product of the pixels of both images.

    side: the height and width of the image.
    moved: the expected number.
    """
    module = network((side, side), (2, 7), (3, 3), 7, (1, 1))
    ReuseInputPass().apply(context(), module)
    PlanExecutionPass(PLANS[0]).apply(context(), module)
    [op] = (op for op in module.walk() if op.name == "shifting.conv2d")
    runs = [run for run in cast("Any", op).line_list if run.columns]
    before = [x * (run.row - y - 1) for run in runs for y in range(run.lines) for x in range(run.freed)]
    assert sum(before) == moved
    assert 1 / 8 < moved / ((side - 2) ** 2 * side**2) < 0.14


@pytest.mark.long
def test_the_network_of_the_paper(tmp_path: Path):
    """On an Uno, Gural and Murmann's network computes the logits of integer arithmetic in the 435 bytes of
    `herringbone`. Cycles increase by at most 20 %.
    """
    module = gural_murmann.program()
    shifting, transposing = (compiled(module, plan, tmp_path / plan) for plan in PLANS)
    assert shifting["ram_bytes"]["arena"] == transposing["ram_bytes"]["arena"] == 435
    assert [segment["by"] for segment in shifting["segments"]] == [PLANS[0]] * len(transposing["segments"])
    assert 1 < shifting["cycles_per_inference"] / transposing["cycles_per_inference"] < 1.2
    folder = tmp_path / PLANS[0] / "out"
    images = gural_murmann.images(np.load(gural_murmann.FOLDER / "test.npz")["x"][:50])
    interface = interface_of(load_program(folder / "ir/1-formats.mlir", context()))
    runner = HostRunner(sanitize=True)
    got = runner.run(runner.build(folder, interface, tmp_path), interface, images)
    np.testing.assert_array_equal(got.scores, gural_murmann.logits(images))
