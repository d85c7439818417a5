"""Networks on images with channels first compute the evaluator's bits in every plan, without a copy of the image."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.compiled import compile_without_pictures
from programs.network_writer import NetworkWriter
from programs.sliced_networks import arena, buffers_of, check_bits_on_device, inputs_of, refined
from programs.spread import spread
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.runtime.evaluator.evaluator import evaluate, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import HOST
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import print_ir
from tinyml.transforms.formats.order_input import OrderInputPass
from tinyml.transforms.formats.plan_execution import PlanExecutionPass
from tinyml.transforms.formats.receive_input import ReceiveInputPass
from tinyml.transforms.formats.reuse_input import ReuseInputPass
from tinyml.transforms.formats.tile_windows import TileWindowsPass
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.table import schedule_named

FIRST, LAST = (0, 3, 1, 2), (0, 2, 3, 1)


def of_planes(shape: tuple[int, int, int], seed: int) -> tuple[NetworkWriter, SSAValue]:
    """The writer of a network whose input has its channels first, and the image of shape `shape` that its ops read."""
    height, width, channels = shape
    net = NetworkWriter((1, channels, height, width), seed)
    return net, net.insert(tdsl.TransposeOp(net.input, LAST))


def network(shape: tuple[int, int, int], convolutions: list[tuple[Any, ...]], *, image: bool) -> ModuleOp:
    """A network of consecutive convolutions on an input with its channels first.

    shape: the shape of the image that ops read.
    convolutions: for each convolution, the arguments of `NetworkWriter.convolution`.
    image: whether the result has its channels first.
    """
    net, value = of_planes(shape, 5)
    for convolution in convolutions:
        value = net.convolution(value, *convolution)
    return net.module(net.insert(tdsl.TransposeOp(value, FIRST)) if image else value)


CLASSIFIER = network((12, 10, 3), [(4, 3, 1, 1), (6, 3, 2, (0, 1, 0, 1)), (3, 2, 2)], image=False)
SEGMENTER = network((8, 6, 2), [(None, 3, 1, 1), (5,)], image=True)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "target", "plan", "input", "order"),
    spread(
        [
            ("classifier", "uno", "rows", "callback", "file"),
            ("segmenter", "uno", "rows", "callback", "file"),
            ("classifier", "uno", "ordinary", "memory", "file"),
            ("segmenter", "cortex-m4", "pixels", "memory", "file"),
            ("classifier", "cortex-m4", "rows", "callback", "channels-last"),
            ("segmenter", "cortex-m4", "rows", "callback", "channels-last"),
            ("classifier", "riscv", "patches", "memory", "file"),
            ("segmenter", "riscv", "pixels", "callback", "file"),
            ("classifier", "host", "partial-32", "memory", "file"),
        ],
        3,
    ),
)
def test_devices_give_the_bits_of_the_evaluator(
    name: str, target: str, plan: str, input: str, order: str, tmp_path: Path
):
    """The outputs of a network on images equal the evaluator's, and the report states the order of axes of the input.
    In plans that do not copy the input, no buffer has its size.
    """
    model = tmp_path / "model.mlir"
    model.write_text(print_ir({"classifier": CLASSIFIER, "segmenter": SEGMENTER}[name].clone()))
    request = Request(model=model, out=tmp_path / "out", plan=plan, input=input, input_order=order, target=target)
    report = compile_without_pictures(request)
    rows = {"memory": "channels x height x width", "callback": "height x channels x width"}
    assert report["input_layout"] == ("height x width x channels" if order != "file" else rows[input])
    if name == "classifier" and plan != "partial-32":
        assert not [row for row in report["memory"]["map"] if row["bytes"] == 360], "a copy of the input"


def pooled(side: int, *channels: int) -> ModuleOp:
    """A network of 3x3 convolutions, each followed by a 2x2 pool, on an image of three planes, and an average.

    side: the height and width of the image.
    channels: for each convolution, the number of channels of its result.
    """
    net, image = of_planes((side, side, 3), 3)
    for count in channels:
        image = net.pool(net.convolution(image, count, 3, padding=1))
    return net.module(net.mean(image))


def pool_first(shape: tuple[int, int, int]) -> ModuleOp:
    """A network with channels first that begins with a pool and a convolution. No window of the pool is gathered."""
    net, image = of_planes(shape, 6)
    image = net.pool(image, kind=tdsl.AveragePoolOp)
    return net.module(net.mean(net.convolution(image, 4, 3, padding=1)))


def residual(side: int, channels: int) -> ModuleOp:
    """A network of a convolution that halves an image of three planes, a residual block, a convolution, and an average.

    side: the height and width of the image.
    channels: the number of channels of the residual block.
    """
    net, image = of_planes((side, side, 3), 4)
    first = net.convolution(image, channels, 3, strides=2, padding=1)
    image = net.convolution(first, channels, 3, padding=1)
    image = net.add(net.convolution(image, channels, 3, padding=1), first)
    return net.module(net.mean(net.convolution(image, 24, 3, strides=2, padding=1)))


@pytest.mark.long
def test_a_result_grows_into_the_first_plane():
    """By rows, the result of two convolutions and pools overwrites the image plane next to it. The arena is at most 16
    bytes larger than the image, the rings and the window.

    A row of the result has as many bytes as four rows of one plane, and is computed when five rows of the image have
    been read. Hardware does not transpose in place, and its buffers begin at whole words.
    """
    module = refined(pooled(32, 8, 16, 16))
    program = buffers_of(module, "rows", "ecp5-25k")
    image, rings, window = 3 * 32 * 32, 2 * 32 * 8 + 3 * 16 * 8 + 2 * 16 * 16, 3 * 3 * 8
    assert arena(program) <= image + rings + window + 16


CHANNELS_FIRST = {
    "pooled": (lambda: pooled(32, 8, 16, 16), 3643),
    "residual": (lambda: residual(32, 16), 5024),
    "pool": (lambda: pool_first((14, 11, 2)), 308),
}
"""Networks, and the bytes of their arenas by rows, which are those of the same networks with channels last."""


@pytest.mark.long
@pytest.mark.parametrize("name", CHANNELS_FIRST)
def test_an_image_that_may_be_overwritten_takes_what_channels_last_take(name: str, tmp_path: Path):
    """The arena of a network with channels first is as large as with channels last, because the image is transposed in
    place.
    """
    network, bytes = CHANNELS_FIRST[name]
    module, other = refined(network()), network()
    OrderInputPass("channels-last").apply(Context(), other)
    program = buffers_of(module, "rows")
    assert arena(program) == arena(buffers_of(refined(other), "rows")) == bytes
    check_bits_on_device(module, program, inputs_of(module, 2), HOST, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(("mode", "bytes"), [("rows", 5024), ("pixels", 4353)])
def test_plans_know_what_residual_blocks_take(mode: str, bytes: int):
    """For a residual block, the plan states at least the bytes of the arena and at most 4 % more. The sum of the
    branches is computed in the loops of a convolution and overwrites an operand.

    By pixels, the ring of the last convolution overwrites the first rows of the image.
    """
    network = residual(32, 16)
    OrderInputPass("channels-last").apply(Context(), network)
    module = refined(network)
    assert arena(buffers_of(module, mode)) == bytes
    plan = schedule_named(mode).program_plan(network_of(predict_function(module)))
    assert bytes <= plan.bits // 8 <= 1.04 * bytes


@pytest.mark.long
@pytest.mark.parametrize(
    ("device", "plan"), spread([("uno", "rows"), ("cortex-m0", "pixels"), ("riscv", "ordinary")], 1)
)
def test_images_are_transposed_in_place_on_devices(device: str, plan: str, tmp_path: Path):
    module = refined(pooled(12, 4, 6))
    program = buffers_of(module, plan, device)
    assert any(isinstance(op, tdsl.TransposeOp) and op.in_place is not None for op in program.walk())
    check_bits_on_device(module, program, inputs_of(module, 2), device, tmp_path)


@st.composite
def programs(draw: st.DrawFn) -> tuple[tuple[int, int, int], list[tuple[Any, ...]]]:
    """A random shape of an image, and the arguments of one to three convolutions of any kernel, stride and padding,
    depthwise or not.
    """
    height, width, channels = (draw(st.integers(1, 7)), draw(st.integers(1, 7)), draw(st.integers(1, 4)))
    shape = height, width, channels
    convolutions: list[tuple[Any, ...]] = []
    for _ in range(draw(st.integers(1, 3))):
        kernel = draw(st.integers(1, min(height, 3))), draw(st.integers(1, min(width, 3)))
        strides = draw(st.integers(1, 2)), draw(st.integers(1, 2))
        padding = tuple(draw(st.integers(0, size - 1)) for size in (kernel[0], kernel[0], kernel[1], kernel[1]))
        convolutions.append((draw(st.none() | st.integers(1, 4)), kernel, strides, padding))
        height = (height + padding[0] + padding[1] - kernel[0]) // strides[0] + 1
        width = (width + padding[2] + padding[3] - kernel[1]) // strides[1] + 1
    return shape, convolutions


@pytest.mark.long
@given(
    programs(),
    st.booleans(),
    st.sampled_from(["ordinary", "rows", "pixels", "patches", "partial-32", "replace", "herringbone"]),
    st.sampled_from(["memory", "callback", "reused"]),
)
@settings(max_examples=25, deadline=None)
def test_any_network_keeps_its_bits(
    program: tuple[tuple[int, int, int], list[tuple[Any, ...]]], image: bool, mode: str, given: str
):
    """The program whose ops read the image with channels first returns the same bits as the program that transposes
    it.
    """
    module = network(*program, image=image)
    shape = tdsl.shape_of(predict_function(module).args[0])
    x = np.random.default_rng(1).integers(-128, 128, (3, *shape[1:]), np.int8)
    expected = evaluate(module, x.reshape(3, -1)).scores
    input = "callback" if given == "callback" else "memory"
    OrderInputPass(input=input).apply(Context(), module)
    ReceiveInputPass(input).apply(Context(), module)
    if given == "reused":
        ReuseInputPass().apply(Context(), module)
    PlanExecutionPass(mode).apply(Context(), module)
    TileWindowsPass().apply(Context(), module)
    module.verify()
    # A single channel has the same order everywhere, and is received as it is.
    if interface_of(module).input_layout == "height x channels x width":
        x = x.transpose(0, 2, 1, 3)
    np.testing.assert_array_equal(evaluate(module, x.reshape(3, -1)).scores, expected)
