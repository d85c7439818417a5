"""Convolutions in place compute the bytes of ordinary execution, in no more memory than the plan states."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from programs import gural_murmann
from programs.compiled import compile_without_pictures
from programs.devices import with_llvm
from programs.lowered import lowered
from programs.network_writer import NetworkWriter
from programs.random_models import attention
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp

import tinyml
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType, UnsignedType
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program, print_ir
from tinyml.transforms.formats.plan_execution import PlanExecutionPass
from tinyml.transforms.formats.reuse_input import ReuseInputPass

IMAGES = gural_murmann.images(np.load(gural_murmann.FOLDER / "test.npz")["x"][:100])


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.parametrize("plan", ["replace", "single-transpose", "herringbone", "optimal-turns"])
def test_products_of_queries_and_keys_are_not_in_place(plan: str, tmp_path: Path):
    """Attention multiplies two computed matrices by a convolution whose weights are computed: it reads two images."""
    made = attention(Random(0))
    tinyml.compile(made.save(tmp_path), made.x, board="host", format="fixed", width=8, plan=plan).measure(made.x[:3])


@pytest.mark.long
@pytest.mark.parametrize(
    ("plan", "arena"),
    spread([("herringbone", 435), ("replace", 468), ("pixels", 350)], 1),
)
def test_gural_and_murmann_on_the_uno(plan: str, arena: int, tmp_path: Path):
    """For Gural and Murmann's network with activations of 4 bits, the arena of the image and the result takes 467.5
    bytes, rounded up to 468, with the plan `replace`. With `herringbone` it takes 434.5 bytes, rounded up to 435, as
    in the paper.

    With `pixels` it takes 350 bytes: 313 for the images, and 36 or 37 for the windows.
    """
    (tmp_path / "network.mlir").write_text(print_ir(gural_murmann.program()))
    folder = tmp_path / "out"
    request = Request(
        model=tmp_path / "network.mlir", out=folder, reuse_input=True, pack_buffers=True, plan=plan, optimize="O2"
    )
    report = compile_without_pictures(request)
    assert report["ram_bytes"]["static"] == report["ram_bytes"]["arena"] == arena
    assert [segment["by"] for segment in report["segments"]] == [plan] * len(report["segments"])
    interface = interface_of(load_program(folder / "ir/1-formats.mlir", context()))
    runner, expected = HostRunner(sanitize=True), gural_murmann.logits(IMAGES)
    got = runner.run(runner.build(folder, interface, tmp_path), interface, IMAGES)
    np.testing.assert_array_equal(got.scores, expected)
    np.testing.assert_array_equal(got.labels, expected.argmax(1))
    np.savez(tmp_path / "images.npz", x=IMAGES[:2])
    # The Uno ran what compiling measured.
    assert report["cycles_per_inference"] is not None
    assert report["mismatch"] is None
    device = ("cortex-m4", "riscv")[arena % 2]
    assert run_model(RunRequest(folder=folder, data=tmp_path / "images.npz", device=device))["mismatch"] is None


def network(
    extents: tuple[int, int],
    channels: tuple[int, int],
    kernel: tuple[int, int],
    steps: tuple[int, int],
    width: int,
    groups: int,
    padding: tuple[int, int, int, int],
) -> ModuleOp:
    """A program of a convolution and of the mean of all pixels of its result.

    extents: the height and width of the image.
    channels: those of the image and of the result.
    steps: the strides.
    width: the bits of an element.
    padding: the padding above, below, on the left and on the right.
    """
    net = NetworkWriter((1, *extents, channels[0]), width, UnsignedType(width, 4))
    filters = net.random.integers(-7, 8, (channels[1], *kernel, channels[0] // groups))
    filter = net.constant(filters, FixedType(4, 3))
    bias = net.constant(net.random.integers(-99, 99, channels[1]), FixedType(8, 7))
    image, (top, bottom, left, right) = net.input, padding
    if any(padding):
        image = net.insert(tdsl.PadOp(image, (0, top, left, 0), (0, bottom, right, 0)))
    output = UnsignedType(width, 2).type
    return net.module(net.mean(net.insert(tdsl.Conv2dOp(filter, image, steps, (1, 1), groups, bias, output))))


SHAPES = {
    "words": ((9, 7), (2, 7), (3, 3), (1, 1), 15, 1, (0, 0, 0, 0)),
    "depthwise": ((8, 7), (5, 5), (3, 3), (1, 1), 7, 5, (0, 0, 0, 0)),
    "strides": ((9, 9), (1, 6), (3, 3), (2, 2), 7, 1, (0, 0, 0, 0)),
    "padding": ((7, 6), (3, 4), (3, 3), (1, 1), 7, 1, (1, 1, 1, 1)),
    "halves": ((7, 9), (3, 5), (3, 2), (1, 1), 4, 1, (0, 0, 0, 0)),
    "halves-strides": ((8, 10), (2, 9), (2, 4), (1, 2), 4, 1, (0, 0, 0, 0)),
    "halves-depthwise": ((9, 8), (3, 6), (3, 2), (1, 1), 4, 3, (0, 0, 0, 0)),
    "halves-padding": ((6, 8), (4, 4), (3, 4), (1, 1), 4, 4, (1, 1, 2, 1)),
    "padding-strides": ((9, 8), (2, 9), (3, 3), (2, 2), 15, 1, (0, 1, 1, 2)),
}
"""Arguments of `network`."""

PLANS = "herringbone", "single-transpose", "replace", "optimal-turns"
"""Orders that differ in when they turn the image."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("plan", "shape"),
    spread([(plan, shape) for turn, plan in enumerate(PLANS) for shape in [*SHAPES][turn % 3 :: 3]], 3),
)
def test_shapes(plan: str, shape: str, tmp_path: Path):
    """For words and half-bytes, padding and depthwise convolutions, each plan computes the bytes of ordinary execution
    for a third of the shapes, in less memory than image and result need together.
    """
    (tmp_path / "network.mlir").write_text(print_ir(network(*SHAPES[shape])))
    request = Request(
        model=tmp_path / "network.mlir", out=tmp_path / "out", reuse_input=True, pack_buffers=True, plan=plan
    )
    # What is measured is compared with the evaluator, which knows no turns.
    report = compile_without_pictures(request)
    assert [segment["by"] for segment in report["segments"]] == [plan]
    assert "tm_transpose" in (tmp_path / "out/network.c").read_text() or plan != "herringbone"
    interface = interface_of(load_program(tmp_path / "out/ir/1-formats.mlir", context()))
    assert report["ram_bytes"]["arena"] < interface.input_bytes + _result_bytes(tmp_path / "out")
    # On tensors, with the turns.
    turned = load_program(tmp_path / "out/ir/1-formats.mlir", context())
    x = np.random.default_rng(0).integers(0, 16, (2, interface.input_length)).astype(interface.input_dtype)
    expected = evaluate(turned, x)
    PlanExecutionPass(plan).apply(context(), turned)
    assert any(isinstance(op, tdsl.Conv2dOp) and op.turns is not None for op in turned.walk())
    assert first_mismatch(expected, evaluate(turned, x)) is None
    # Beside the usual board, which compiling runs; by the plan and the shape, two devices take turns.
    for device in (("host", "cortex-m4")[(len(plan) + SHAPES[shape][0][0]) % 2], *with_llvm(f"{plan}, {shape}")):
        ran = run_model(RunRequest(folder=tmp_path / "out", data=tmp_path / "out/samples.npz", device=device))
        assert ran["mismatch"] is None


@pytest.mark.parametrize("reused", [False, True])
def test_only_an_image_in_the_arena_is_overwritten(reused: bool):
    """The schedule `replace` lets a convolution overwrite its image if and only if the image is in the arena and not in
    an array of the caller.
    """
    module = network((9, 7), (2, 7), (3, 3), (1, 1), 15, 1, (0, 0, 0, 0))
    if reused:
        ReuseInputPass().apply(context(), module)
    lowered(module, start="refine-formats", end="refine-formats")
    PlanExecutionPass("replace").apply(context(), module)
    [convolution] = [op for op in module.walk() if isinstance(op, tdsl.Conv2dOp)]
    assert (convolution.turns is not None) == reused


def _result_bytes(folder: Path) -> int:
    """The size in bytes of the convolution's result: the largest buffer that the program computes."""
    from tinyml.tools.driver.output_folder import read_report

    return max(row["bytes"] for row in read_report(folder)["memory"]["map"] if row["first"] >= 0)
