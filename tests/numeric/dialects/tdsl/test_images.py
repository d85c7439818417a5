"""Ops on images: convolutions, padding, pools and concatenation, on reals and, bit for bit, as C on the host."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Block, Region, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.lowering import pipelines
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.reals.analysis.profiles import record_profiles
from tinyml.transforms.reals.scale_rows import ScaleRowsPass

Reals = NDArray[np.float64]
RANDOM = np.random.default_rng(7)


class Convolution(NamedTuple):
    """filter: O, KH, KW. padding: top, bottom, left, right."""

    filter: tuple[int, int, int]
    strides: tuple[int, int] = (1, 1)
    dilations: tuple[int, int] = (1, 1)
    groups: int = 1
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)


IMAGE = 1, 7, 6, 4
CASES = {
    "same": Convolution((5, 3, 3), padding=(1, 1, 1, 1)),
    "strides": Convolution((3, 2, 3), (2, 3), padding=(0, 1, 2, 0)),
    "dilations": Convolution((2, 3, 2), dilations=(2, 3)),
    "pointwise": Convolution((6, 1, 1)),
    "depthwise": Convolution((4, 3, 2), (1, 2), groups=4, padding=(1, 0, 0, 1)),
    "multiplier": Convolution((8, 2, 2), groups=4),
    "groups": Convolution((6, 2, 2), groups=2),
}


def parameter(shape: tuple[int, ...]) -> tdsl.ConstOp:
    """Weights whose rows differ in magnitude."""
    rows = 2.0 ** -(np.arange(shape[0]) % 4)
    return tdsl.ConstOp((RANDOM.uniform(-1, 1, shape).T * rows).T.astype(np.float32), F32_FORMAT)


def network(case: Convolution) -> ModuleOp:
    """A convolution with a bias, pooled, above the upper rows of a part of the image."""
    block = Block(arg_types=[TensorType(f32, IMAGE)])
    [x] = block.args
    x.name_hint = "X"
    top, bottom, left, right = case.padding
    padded = tdsl.PadOp(x, (0, top, left, 0), (0, bottom, right, 0))
    rows, height, width = case.filter
    filter, bias = parameter((rows, height, width, IMAGE[3] // case.groups)), parameter((rows,))
    made = tdsl.Conv2dOp(filter.result, padded.out, case.strides, case.dilations, case.groups, bias.result)
    pooled = tdsl.MaxPoolOp(made.out, (2, 2), (1, 0, 0, 1), (2, 1))
    both = tdsl.ConcatOp([made.out, pooled.out], 1)
    block.add_ops([filter, bias, padded, made, pooled, both, func.ReturnOp(both.out)])
    module = ModuleOp([func.FuncOp("network", ([x.type], [both.out.type]), Region(block))])
    module.verify()
    return module


def expected(module: ModuleOp, case: Convolution, x: Reals) -> Reals:
    """The same in numpy."""
    filter, bias = (op.raws.astype("f8") for op in module.walk() if isinstance(op, tdsl.ConstOp))
    top, bottom, left, right = case.padding
    image = np.pad(x.reshape(-1, *IMAGE[1:]), ((0, 0), (top, bottom), (left, right), (0, 0)))
    spans = [case.dilations[i] * (case.filter[1 + i] - 1) + 1 for i in range(2)]
    windows = np.lib.stride_tricks.sliding_window_view(image, spans, (1, 2))
    windows = windows[:, :: case.strides[0], :: case.strides[1], :, :: case.dilations[0], :: case.dilations[1]]
    windows = windows.reshape(*windows.shape[:3], case.groups, -1, *windows.shape[4:])
    grouped = filter.reshape(case.groups, -1, *filter.shape[1:])
    made = np.einsum("nyxgcij,gmijc->nyxgm", windows, grouped).reshape(*windows.shape[:3], -1) + bias
    framed = np.pad(made, ((0, 0), (1, 0), (0, 1), (0, 0)), constant_values=-np.inf)
    pooled = np.lib.stride_tricks.sliding_window_view(framed, (2, 2), (1, 2))[:, ::2].max((-1, -2))
    return np.concatenate([made, pooled], 1).reshape(len(x), -1)


X = RANDOM.uniform(-1, 1, (20, int(np.prod(IMAGE)))).astype(np.float32)


def result_of(module: ModuleOp) -> SSAValue:
    [function] = module.ops
    assert isinstance(function, func.FuncOp)
    last = function.body.block.last_op
    assert last is not None
    return last.operands[0]


@pytest.mark.parametrize("name", CASES)
def test_reals(name: str):
    module = network(CASES[name])
    np.testing.assert_allclose(evaluate_reals(module, X).scores, expected(module, CASES[name], X.astype("f8")))


FORMATS_OF_NETWORKS = (("fixed", 8), ("fixed", 16), ("affine", 8), ("codebook", 6), ("f32", None), ("posit", 8))


@pytest.mark.parametrize(("format", "width"), FORMATS_OF_NETWORKS)
@pytest.mark.parametrize("name", CASES)
def test_the_host_computes_the_bits(name: str, format: str, width: int | None, tmp_path: Path):
    module, ctx = network(CASES[name]), context()
    reals = expected(module, CASES[name], X.astype("f8"))
    if format == "fixed":
        ScaleRowsPass().apply(ctx, module)
        assert any(isinstance(op, tdsl.Conv2dOp) and op.shifts is not None for op in module.walk())
    record_profiles(module, X)
    AssignFormatPass(format, width).apply(ctx, module)
    ChooseAccumulatorsPass().apply(ctx, module)
    module.verify()
    x, interface = encode_inputs(module, X), interface_of(module)
    wanted = evaluate(module, x).scores
    assert wanted is not None
    coarse = 2.0 ** -((width or 16) - 4)
    np.testing.assert_allclose(tdsl.format_of(result_of(module)).decode(wanted), reals, atol=4 * coarse)
    for step in ("formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-c"):
        pipelines.run(module, ctx, pipelines.flatten(step, {"target": "host"}))
    write_c(module, ctx, "host", tmp_path)
    runner = HostRunner(sanitize=True)
    result = runner.run(runner.build(tmp_path, interface, tmp_path), interface, x)
    np.testing.assert_array_equal(result.scores, wanted)
