"""Ops on images: convolutions, padding, pools and concatenation, on reals and, bit for bit, on the host and on other
devices.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.devices import PRINTED, roomy
from programs.lowered import lowered
from programs.network_writer import NetworkWriter
from programs.spread import examples, spread
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.evaluator.gradients import Gradients
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import HOST
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.tile_windows import TileWindowsPass
from tinyml.transforms.reals.analysis.profiles import record_profiles
from tinyml.transforms.reals.scale_rows import ScaleRowsPass

Reals = NDArray[np.float64]
RANDOM = np.random.default_rng(7)


class Convolution(NamedTuple):
    """The parameters of a convolution.

    filter: the extents (O, KH, KW).
    padding: top, bottom, left and right.
    """

    filter: tuple[int, int, int]
    strides: tuple[int, int] = (1, 1)
    dilations: tuple[int, int] = (1, 1)
    groups: int = 1
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)


IMAGE = 1, 5, 4, 4
CASES = {
    "same": Convolution((5, 3, 3), padding=(1, 1, 1, 1)),
    "strides": Convolution((3, 2, 3), (2, 3), padding=(0, 1, 2, 0)),
    "dilations": Convolution((2, 3, 2), dilations=(2, 3)),
    "dilated padding": Convolution((4, 2, 3), (2, 1), (3, 2), padding=(2, 1, 1, 2)),
    "far padding": Convolution((4, 1, 2), padding=(1, 2, 3, 3)),
    "pointwise": Convolution((6, 1, 1), (2, 1)),
    "rows": Convolution((3, 2, 4)),
    "depthwise": Convolution((4, 3, 2), (1, 2), groups=4, padding=(1, 0, 0, 1)),
    "multiplier": Convolution((8, 2, 2), groups=4),
    "groups": Convolution((6, 2, 2), groups=2, padding=(0, 1, 0, 0)),
}


def parameter(net: NetworkWriter, *shape: int) -> SSAValue:
    """A constant of random weights whose rows differ in magnitude."""
    rows = 2.0 ** -(np.arange(shape[0]) % 4)
    return net.constant((net.random.uniform(-1, 1, shape).T * rows).T)


def row(net: NetworkWriter, image: SSAValue) -> SSAValue:
    return net.insert(tdsl.ReshapeOp(image, (1, prod(tdsl.shape_of(image)))))


def network(cases: Sequence[Convolution]) -> ModuleOp:
    """A program of three parts: convolutions with biases and activations, followed by pools; a resized image; and a
    transposed convolution.
    """
    net = NetworkWriter(IMAGE, 8, F32_FORMAT)
    parts: list[SSAValue] = []
    for case in cases:
        top, bottom, left, right = case.padding
        rows, *kernel = case.filter
        filter, bias = parameter(net, rows, *kernel, IMAGE[3] // case.groups), parameter(net, rows)
        padded = net.insert(tdsl.PadOp(net.input, (0, top, left, 0), (0, bottom, right, 0)))
        made = tdsl.Conv2dOp(filter, padded, case.strides, case.dilations, case.groups, bias)
        active = net.relu(net.insert(made))
        pooled = net.pool(active, (2, 1), padding=(1, 0, 0, 0))
        parts.append(row(net, net.insert(tdsl.ConcatOp([active, pooled], 1))))
    filter, resized = parameter(net, 3, 3, 2, 4), net.insert(tdsl.ResizeNearestOp(net.input, (7, 8)))
    spread = net.insert(tdsl.PadOp(net.input, (0, 1, 1, 0), (0, 2, 1, 0), interior=(0, 1, 2, 0)))
    parts += [row(net, image) for image in (resized, net.insert(tdsl.Conv2dOp(filter, spread)))]
    return net.module(net.insert(tdsl.ConcatOp(parts, 1)))


def expected(module: ModuleOp, cases: Sequence[Convolution], x: Reals) -> Reals:
    """The results of `network`, computed by numpy."""
    parameters = iter([op.raws.astype("f8") for op in module.walk() if isinstance(op, tdsl.ConstOp)])
    image = x.reshape(-1, *IMAGE[1:])
    parts = [_expected(case, next(parameters), next(parameters), x) for case in cases]
    resized = image[:, np.arange(7) * 5 // 7][:, :, np.arange(8) // 2]
    # Each pixel adds the filter, times its numbers, to a part of the result.
    filter = next(parameters)[:, ::-1, ::-1]
    back = np.zeros((len(x), 2 * 4 + 3, 3 * 3 + 2 + 1, 3))
    for i, j in np.ndindex(5, 4):
        back[:, 2 * i : 2 * i + 3, 3 * j : 3 * j + 2] += np.einsum("nc,oyxc->nyxo", image[:, i, j], filter)
    parts += [part.reshape(len(x), -1) for part in (resized, back[:, 1:, :-1])]
    return np.concatenate(parts, 1)


def _expected(case: Convolution, filter: Reals, bias: Reals, x: Reals) -> Reals:
    top, bottom, left, right = case.padding
    image = np.pad(x.reshape(-1, *IMAGE[1:]), ((0, 0), (top, bottom), (left, right), (0, 0)))
    spans = [case.dilations[i] * (case.filter[1 + i] - 1) + 1 for i in range(2)]
    windows = np.lib.stride_tricks.sliding_window_view(image, spans, (1, 2))
    windows = windows[:, :: case.strides[0], :: case.strides[1], :, :: case.dilations[0], :: case.dilations[1]]
    windows = windows.reshape(*windows.shape[:3], case.groups, -1, *windows.shape[4:])
    grouped = filter.reshape(case.groups, -1, *filter.shape[1:])
    made = np.einsum("nyxgcij,gmijc->nyxgm", windows, grouped).reshape(*windows.shape[:3], -1) + bias
    active = np.maximum(made, 0)
    framed = np.pad(active, ((0, 0), (1, 0), (0, 0), (0, 0)))
    pooled = np.lib.stride_tricks.sliding_window_view(framed, (2, 1), (1, 2))[:, ::2].max((-1, -2))
    return np.concatenate([active, pooled], 1).reshape(len(x), -1)


X = RANDOM.uniform(-1, 1, (20, int(np.prod(IMAGE)))).astype(np.float32)


def scores_of(outputs: Outputs) -> NDArray[Any]:
    assert outputs.scores is not None
    return outputs.scores


def result_of(module: ModuleOp) -> SSAValue:
    [function] = module.ops
    assert isinstance(function, func.FuncOp)
    last = function.body.block.last_op
    assert last is not None
    return last.operands[0]


@pytest.mark.parametrize("name", CASES)
def test_reals(name: str):
    module = network([CASES[name]])
    np.testing.assert_allclose(scores_of(evaluate_reals(module, X)), expected(module, [CASES[name]], X.astype("f8")))


@pytest.mark.long
def test_gradients():
    """The derivatives of a sum of scores with respect to filters and biases equal finite differences."""
    module, x = network(list(CASES.values())), X[:2]
    direction = RANDOM.normal(size=scores_of(evaluate_reals(module, x)).shape)
    gradients = Gradients(module, x, direction)
    for constant in [op for op in module.walk() if isinstance(op, tdsl.ConstOp)]:
        slopes = np.concatenate([slope for _, slope in gradients.rows(constant)], 1)
        step = 2.0**-16 * RANDOM.choice([-1.0, 1.0], constant.raws.shape).astype(np.float32)
        # Steps in double precision: raws are floats, which would round them.
        ends: list[NDArray[Any]] = []
        for sign in (1, -1):
            with shifted(constant, sign * step):
                ends.append(scores_of(evaluate_reals(module, x)))
        change = ((ends[0] - ends[1]) * direction).sum(1) / 2
        np.testing.assert_allclose(slopes @ step.reshape(-1), change, rtol=1e-3, atol=1e-7)


@contextmanager
def shifted(constant: tdsl.ConstOp, step: NDArray[Any]) -> Generator[None]:
    """A context in which `step` is added to the numbers of a constant, in double precision."""
    real = tdsl.ConstOp.real

    def moved(op: tdsl.ConstOp, x: Sequence[Any]) -> NDArray[Any]:
        return real(op, x) + (step if op is constant else 0.0)

    with patch.object(tdsl.ConstOp, "real", moved):
        yield


@st.composite
def drawn_convolution(draw: st.DrawFn) -> Convolution:
    few, groups = st.integers(1, 3), draw(st.sampled_from([1, 2, 4]))
    kernel, dilations, strides = (draw(st.tuples(few, few)) for _ in range(3))
    padding = draw(st.tuples(*[st.integers(0, 3)] * 4))
    spans = [gap * (size - 1) + 1 for size, gap in zip(kernel, dilations, strict=True)]
    sizes = [extent + sum(padding[2 * i : 2 * i + 2]) for i, extent in enumerate(IMAGE[1:3])]
    assume(all(span <= size for span, size in zip(spans, sizes, strict=True)))
    return Convolution((groups * draw(few), *kernel), strides, dilations, groups, padding)


@pytest.mark.long
@settings(max_examples=examples(6))
@given(drawn_convolution(), st.sampled_from(["fixed", "affine"]))
def test_windows_compute_the_same_bits(case: Convolution, format: str):
    """`tile-windows` does not change the results of a convolution."""
    module, ctx = network([case]), context()
    reals = scores_of(evaluate_reals(module, X[:3]))
    np.testing.assert_allclose(reals, expected(module, [case], X[:3].astype("f8")), atol=1e-12)
    record_profiles(module, X)
    AssignFormatPass(format, 8).apply(ctx, module)
    ChooseAccumulatorsPass().apply(ctx, module)
    x = encode_inputs(module, X[:3])
    before = evaluate(module, x).scores
    TileWindowsPass().apply(ctx, module)
    module.verify()
    np.testing.assert_array_equal(evaluate(module, x).scores, before)


FORMATS_OF_NETWORKS = (("fixed", 8), ("affine", 8), ("f32", None), ("posit", 8))


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(("format", "width"), spread(FORMATS_OF_NETWORKS, 2))
def test_devices_compute_the_bits(format: str, width: int | None, tmp_path: Path):
    # Formats take turns in pairs, whose two networks have all cases, so that each case meets two formats.
    turn = FORMATS_OF_NETWORKS.index((format, width))
    cases = [*CASES.values()][turn % 2 :: 2]
    module, ctx = network(cases), context()
    reals = expected(module, cases, X.astype("f8"))
    if format == "fixed":
        ScaleRowsPass().apply(ctx, module)
        assert any(isinstance(op, tdsl.Conv2dOp) and op.shifts is not None for op in module.walk())
    record_profiles(module, X)
    AssignFormatPass(format, width).apply(ctx, module)
    ChooseAccumulatorsPass().apply(ctx, module)
    module.verify()
    x, interface = encode_inputs(module, X), interface_of(module)
    wanted = scores_of(evaluate(module, x))
    coarse = 2.0 ** -((width or 16) - 4)
    np.testing.assert_allclose(tdsl.format_of(result_of(module)).decode(wanted), reals, atol=6 * coarse)
    # Chips take turns, so that each meets floats or coded numbers, and integers.
    for target, devices in [item for i, item in enumerate(PRINTED.items()) if (i - turn) % len(PRINTED) == 0]:
        program, folder = module.clone(), tmp_path / target
        lowered(program, ctx, target=target)
        write_c(program, ctx, target, folder)
        for device in devices:
            runner, samples = runner_for(roomy(device)), slice(None if device == HOST else 2)
            result = runner.run(runner.build(folder, interface, folder / device), interface, x[samples])
            np.testing.assert_array_equal(result.scores, wanted[samples])


def assert_host_computes_the_bits(module: ModuleOp, format: str, width: int | None, x: NDArray[Any], folder: Path):
    ctx = context()
    record_profiles(module, x)
    AssignFormatPass(format, width).apply(ctx, module)
    ChooseAccumulatorsPass().apply(ctx, module)
    raws, interface = encode_inputs(module, x), interface_of(module)
    wanted = scores_of(evaluate(module, raws))
    lowered(module, ctx, target=HOST)
    write_c(module, ctx, HOST, folder)
    runner = runner_for(HOST)
    result = runner.run(runner.build(folder, interface, folder / "build"), interface, raws)
    np.testing.assert_array_equal(result.scores, wanted)


@pytest.mark.long
@pytest.mark.parametrize("format", ["seedot", "shiftry"])
@pytest.mark.parametrize("filter", [(6, 2, 2, 2), (8, 2, 2, 1), (4, 3, 3, 2)])
def test_sums_of_groups_are_trees(format: str, filter: tuple[int, ...], tmp_path: Path):
    """A grouped convolution adds its products in the tree that the format prescribes, also if their number is no power
    of two.
    """
    net = NetworkWriter(IMAGE, 8, F32_FORMAT)
    made = tdsl.Conv2dOp(parameter(net, *filter), net.input, groups=IMAGE[3] // filter[3])
    assert_host_computes_the_bits(net.module(row(net, net.insert(made))), format, 16, X, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(("format", "width"), [("f32", None), ("posit", 16), ("fixed", 8)])
def test_depthwise_windows_of_several_images(format: str, width: int | None, tmp_path: Path):
    """A depthwise convolution with one window for each image of a batch computes the evaluator's bits, in formats whose
    sums are plain integers and in others.
    """
    net = NetworkWriter((3, 2, 2, 4), 8, F32_FORMAT)
    made = tdsl.Conv2dOp(parameter(net, 4, 2, 2, 1), net.input, groups=4)
    x = RANDOM.uniform(-1, 1, (5, 48)).astype(np.float32)
    assert_host_computes_the_bits(net.module(row(net, net.insert(made))), format, width, x, tmp_path)
