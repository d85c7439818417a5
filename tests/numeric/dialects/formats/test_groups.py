"""Formats whose elements share scales in groups: numbers equal those of ml_dtypes, sums are exact, and all devices
compute equal bits.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from plugins.normal.normal import NormalType
from programs.compiled import some_samples
from programs.devices import DEVICES, roomy
from programs.hardware import need_simulator, verilog_of
from programs.lowered import lowered
from programs.number_formats import Array
from programs.on_boards import difference, printed
from programs.paths import MODELS, NETWORK
from programs.spread import spread, spread_product
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.grouped import GroupedFormat
from tinyml.dialects.formats.grouping import Grouping
from tinyml.dialects.formats.groups import GroupsAttr
from tinyml.dialects.formats.lookup import format_spelled
from tinyml.dialects.formats.mxfp import MxFpType
from tinyml.dialects.formats.mxint import MxIntType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.model.data import load_data
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import HOST
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.evaluation.group_checks import check_groups
from tinyml.transforms.reals.analysis.profiles import record_profiles
from tinyml.transforms.reals.fuse_products import FuseProductsPass
from tinyml.transforms.reals.scale_rows import ScaleRowsPass

ELEMENTS: dict[tuple[int, int], Any] = {
    (4, 3): ml_dtypes.float8_e4m3fn,
    (5, 2): ml_dtypes.float8_e5m2,
    (2, 3): ml_dtypes.float6_e2m3fn,
    (3, 2): ml_dtypes.float6_e3m2fn,
    (2, 1): ml_dtypes.float4_e2m1fn,
}
KINDS = ("mxint:8", "mxint:4", "mxfp:8", "mxfp:6", "mxfp:4")

SAMPLES = 6


def blocks(rows: int, length: int, seed: int) -> Array:
    """Random numbers (rows, length) whose magnitude changes after every 16 numbers of a row. The first half of row 0 is
    zero.
    """
    random = np.random.default_rng(seed)
    scales = 2.0 ** random.integers(-4, 3, (rows, -(-length // 16))).repeat(16, 1)[:, :length]
    numbers = random.normal(size=(rows, length)) * scales
    numbers[0, : length // 2] = 0.0
    return numbers.astype(np.float32)


@pytest.mark.parametrize(("e", "m"), ELEMENTS)
def test_elements_are_those_of_ml_dtypes(e: int, m: int):
    """All numbers of an element type, their midpoints and the neighbours of these midpoints are rounded as in
    ml_dtypes, at the scales of three groups. Larger numbers saturate.
    """
    numbers = np.unique(np.arange(1 << (1 + e + m)).astype(np.uint8).view(ELEMENTS[e, m]).astype(np.float64))
    numbers = numbers[np.isfinite(numbers)]
    between = ((numbers[:-1] + numbers[1:]) / 2).astype(np.float32)
    around = [np.nextafter(between, np.float32(far)) for far in (-9e9, 9e9)]
    reals = np.concatenate([numbers, between, *around]).astype(np.float32).astype(np.float64)
    shifts = np.array([0, 3, 7])
    format = MxFpType(e, m, 0, GroupsAttr(len(reals), len(reals), shifts.tolist()))
    scaled = np.ldexp(reals, shifts[:, None])
    found = format.decode(format.encode(scaled))
    expected = np.ldexp(reals.astype(ELEMENTS[e, m]).astype(np.float64), shifts[:, None])
    np.testing.assert_array_equal(found, expected)
    beyond = np.full(scaled.shape, 1e30)
    np.testing.assert_array_equal(
        format.decode(format.encode(beyond)), np.ldexp(numbers[-1] + 0 * reals, shifts[:, None])
    )


@pytest.mark.parametrize("kind", KINDS)
def test_scales_of_groups(kind: str):
    """`shared_scales` follows OCP's rule, which derives a scale that is a power of two from the exponent of the group's
    greatest magnitude. The scales that `grouped` chooses have no greater squared error than the scales of this rule.
    """
    prototype = format_spelled(context(), kind)
    assert isinstance(prototype, GroupedFormat)
    numbers = blocks(5, 70, 1).astype(np.float64)
    format = prototype.grouped(numbers, None, Grouping(1, 1))
    assert format.groups is not None
    assert format.groups.by_run.shape == (5, 3)
    format.verify_raws(format.encode(numbers))
    parts = [numbers[:, at : at + 32] for at in (0, 32, 64)]
    usual = np.stack([prototype.shared_scales(part) for part in parts], 1)
    greatest = int(prototype.element.integer_limits[1]).bit_length() - 1
    for part, scales in zip(parts, usual.T, strict=True):
        magnitudes = np.abs(part).max(1)
        exponents = np.floor(np.log2(np.where(magnitudes, magnitudes, 0.5))) - greatest
        np.testing.assert_array_equal(np.ldexp(1.0, -scales[magnitudes > 0]), 2.0 ** exponents[magnitudes > 0])
    unit = int(usual.max()) + 1
    plain = type(format).with_groups(format, unit, GroupsAttr(32, 70, (unit - usual).reshape(-1).tolist()))
    assert format.squared_error(numbers, None) <= plain.squared_error(numbers, None)
    np.testing.assert_array_equal(
        np.ldexp(format.integers(format.encode(numbers)).astype(np.float64), -format.scale),
        format.decode(format.encode(numbers)),
    )


@pytest.mark.parametrize("prototype", [*(format_spelled(context(), kind) for kind in KINDS), NormalType(0)], ids=str)
def test_formats_keep_what_they_promise(prototype: NumberFormat):
    """The formats, one of which is from a package, pass `check_groups`, the checks that packages run in their own
    tests.
    """
    check_groups(prototype)


def test_groups_too_far_apart_are_refused_and_not_made():
    far = MxFpType(5, 2, 0, GroupsAttr(2, 2, [0, 15, 16]))
    with pytest.raises(
        InputError, match="apart, whose numbers have 48 bits in one unit, and sums of 64 bits have room"
    ):
        far.integers(far.ends((3, 2))[1])
    numbers = np.ldexp(np.ones((3, 2)), [[0], [-20], [-100]])
    made = MxIntType.of_width(8).grouped(numbers, None, Grouping(1, 1))
    np.testing.assert_array_equal(made.decode(made.encode(numbers)), numbers * [[1], [1], [0]])
    assert made.integers(made.encode(numbers)).max() < 1 << 47


def test_narrower_formats_keep_the_coarse_groups():
    numbers = blocks(4, 64, 2).astype(np.float64)
    format = MxIntType.of_width(4).grouped(numbers, None, Grouping(1, 1))
    narrow = format.narrowed(2)
    assert format.groups is not None
    assert narrow.scale == format.scale - 2
    coarse = np.repeat(format.groups.by_run.reshape(-1) >= 2, 32).reshape(4, 64)
    assert coarse.any()
    assert not coarse.all()
    before, after = (one.decode(one.encode(numbers)) for one in (format, narrow))
    np.testing.assert_array_equal(before[coarse], after[coarse])
    with pytest.raises(InputError, match="groups of 32 in runs of 64 divide 256 elements, got 100"):
        format.encode(np.zeros(100))


NET = """
func.func @net(%x: tensor<1x6x6x5xf32>) -> tensor<7x1xf32> {{
  %f = tdsl.const {filter} -> tensor<6x3x3x5xf32>
  %g = tdsl.const {dilated} -> tensor<3x3x3x5xf32>
  %d = tdsl.const {channels} -> tensor<6x2x2x1xf32>
  %w = tdsl.const {first} -> tensor<7x54xf32>
  %u = tdsl.const {second} -> tensor<7x180xf32>
  %v = tdsl.const {third} -> tensor<7x12xf32>
  %s = tdsl.const {sparse} -> tensor<7x54xf32, #tdsl.csr>
  %b = tdsl.const {bias} -> tensor<7x1xf32>
  %c = tdsl.conv2d %f, %x {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}}
    : tensor<6x3x3x5xf32>, tensor<1x6x6x5xf32> -> tensor<1x4x4x6xf32>
  %r = tdsl.relu %c : tensor<1x4x4x6xf32> -> tensor<1x4x4x6xf32>
  %e = tdsl.conv2d %d, %r {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 6 : i64}}
    : tensor<6x2x2x1xf32>, tensor<1x4x4x6xf32> -> tensor<1x3x3x6xf32>
  %k = tdsl.conv2d %g, %x {{strides = array<i64: 1, 1>, dilations = array<i64: 2, 2>, groups = 1 : i64}}
    : tensor<3x3x3x5xf32>, tensor<1x6x6x5xf32> -> tensor<1x2x2x3xf32>
  %h = tdsl.reshape %e : tensor<1x3x3x6xf32> -> tensor<54x1xf32>
  %y = tdsl.reshape %x : tensor<1x6x6x5xf32> -> tensor<180x1xf32>
  %z = tdsl.reshape %k : tensor<1x2x2x3xf32> -> tensor<12x1xf32>
  %a = tdsl.matmul_sum %w, %h, %u, %y, %v, %z from %b : tensor<7x1xf32>
    : tensor<7x54xf32>, tensor<54x1xf32>, tensor<7x180xf32>, tensor<180x1xf32>, tensor<7x12xf32>, tensor<12x1xf32>
    -> tensor<7x1xf32>
  %t = tdsl.spmv %s, %h : tensor<7x54xf32, #tdsl.csr>, tensor<54x1xf32> -> tensor<7x1xf32>
  %o = tdsl.add %a, %t : tensor<7x1xf32>, tensor<7x1xf32> -> tensor<7x1xf32>
  func.return %o : tensor<7x1xf32>
}}
"""
"""Products with groups: of windows and channels of images, dilated windows, several matrices, and a sparse one."""


def dense(numbers: Array) -> str:
    """The text of an MLIR dense attribute of floats."""
    return f"dense<{numbers.tolist()}> : tensor<{'x'.join(map(str, numbers.shape))}xf32>"


@cache
def network(kind: str) -> tuple[ModuleOp, Array]:
    """The test network with weights of the format `kind` and other tensors in fixed point, and raws of its input."""
    shapes = {"filter": (6, 3, 3, 5), "dilated": (3, 3, 3, 5), "channels": (6, 2, 2, 1), "first": (7, 54)}
    shapes |= {"second": (7, 180), "third": (7, 12), "sparse": (7, 54), "bias": (7, 1)}
    texts: dict[str, str] = {}
    for seed, (name, shape) in enumerate(shapes.items()):
        numbers = blocks(shape[0], int(np.prod(shape[1:])), seed).reshape(shape)
        numbers[np.random.default_rng(seed).random(shape) < 0.9 * (name == "sparse")] = 0
        texts[name] = dense(numbers)
    module = Parser(context(), NET.format(**texts)).parse_module()
    inputs = np.random.default_rng(9).uniform(-1, 1, (40, 180)).astype(np.float32)
    record_profiles(module, inputs)
    AssignFormatPass("fixed", 8, weights=kind).apply(context(), module)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": "host"}))
    return module, encode_inputs(module, inputs[:SAMPLES])


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_sums_are_rounded_once(kind: str):
    """Sums of products with weights in groups are exact, and rounded once."""
    module, raws = network(kind)
    grouped = 0
    values: dict[Any, Array] = {}
    evaluate(module, raws, observe=values.__setitem__)
    for op in module.walk():
        if not isinstance(op, tdsl.MatmulSumOp):
            continue
        grouped += sum(tdsl.format_of(lhs).groups is not None for lhs, _ in op.pairs)
        reals = [tdsl.format_of(value).decode(values[value]) for value in op.operands]
        exact = sum((lhs @ rhs for lhs, rhs in zip(reals[:-1:2], reals[1:-1:2], strict=True)), reals[-1])
        np.testing.assert_array_equal(values[op.out], tdsl.format_of(op.out).encode(exact))
    assert grouped == 3


ROWS = """
func.func @rows(%x: tensor<23x1xf32>) -> tensor<7x1xf32> {{
  %w = tdsl.const {first} -> tensor<7x23xf32>
  %u = tdsl.const {second} -> tensor<7x23xf32>
  %v = tdsl.const {third} -> tensor<7x23xf32>
  %p = tdsl.matmul %w, %x : tensor<7x23xf32>, tensor<23x1xf32> -> tensor<7x1xf32>
  %q = tdsl.matmul %u, %x : tensor<7x23xf32>, tensor<23x1xf32> -> tensor<7x1xf32>
  %r = tdsl.matmul %v, %x : tensor<7x23xf32>, tensor<23x1xf32> -> tensor<7x1xf32>
  %s = tdsl.add %p, %q : tensor<7x1xf32>, tensor<7x1xf32> -> tensor<7x1xf32>
  %t = tdsl.add %s, %r : tensor<7x1xf32>, tensor<7x1xf32> -> tensor<7x1xf32>
  func.return %t : tensor<7x1xf32>
}}
"""
"""Three products, whose rows get scales of their own and still have one sum."""


@cache
def rows() -> tuple[ModuleOp, Array]:
    """A program in 8-bit fixed point that adds three products whose weights have a separate scale for each row, and
    raws of its inputs.
    """
    random = np.random.default_rng(5)
    weights = {
        name: dense((random.normal(size=(7, 23)) * 2.0 ** random.integers(-6, 2, (7, 1))).astype(np.float32))
        for name in ("first", "second", "third")
    }
    module = Parser(context(), ROWS.format(**weights)).parse_module()
    inputs = random.uniform(-1, 1, (100, 23)).astype(np.float32)
    before = evaluate_reals(module, inputs).scores
    ScaleRowsPass().apply(context(), module)
    FuseProductsPass().apply(context(), module)
    after = evaluate_reals(module, inputs).scores
    assert before is not None
    assert after is not None
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-12)
    record_profiles(module, inputs)
    AssignFormatPass("fixed", 8).apply(context(), module)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": "host"}))
    return module, encode_inputs(module, inputs[:SAMPLES])


def test_scales_of_rows_keep_one_sum():
    """Products with different row scales are added before any rounding."""
    module, raws = rows()
    [op] = [op for op in module.walk() if isinstance(op, tdsl.ContractionOp)]
    assert isinstance(op, tdsl.MatmulSumOp)
    assert sum(left is not None for left in op.left_shifts) == len(op.pairs) == 3
    values: dict[Any, Array] = {}
    evaluate(module, raws, observe=values.__setitem__)
    reals = [tdsl.format_of(value).decode(values[value]) for value in op.operands]
    parts = zip(reals[::2], reals[1::2], op.left_shifts, strict=True)
    exact = sum(np.ldexp(lhs @ rhs, np.array(left)[:, None]) for lhs, rhs, left in parts if left)
    assert op.shifts is not None
    exact = np.ldexp(exact, -np.array(op.shifts)[:, None])
    np.testing.assert_array_equal(values[op.out], tdsl.format_of(op.out).encode(exact))


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 4))
def test_scales_of_rows_on_devices(device: str, tmp_path: Path):
    module, raws = rows()
    source = printed(module, device, tmp_path / "c")
    assert difference(module, raws, source, runner_for(device), tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize(("kind", "device"), spread_product(4, ["mxint:4", "mxfp:8", "mxfp:4"], DEVICES))
def test_devices_give_the_bits_of_the_evaluator(kind: str, device: str, tmp_path: Path):
    module, raws = network(kind)
    target = roomy(device)
    source = printed(module, target, tmp_path / "c")
    assert difference(module, raws, source, runner_for(target), tmp_path) is None


REAL = {"bonsai": "mxint:4", "protonn": "mxint:8", "network": "mxfp:4"}
"""Models with the weights that they are tried with."""


@cache
def real(model: str) -> tuple[ModuleOp, Array]:
    """A trained model with weights in groups and other tensors in fixed point, and raws of its inputs. Some of its
    samples determine the formats.
    """
    program = {**MODELS, "network": NETWORK}[model]
    module = load_program(program, context())
    with TemporaryDirectory() as folder:
        data = some_samples(program, Path(folder) / "val.npz")
        options = {"data": str(data), "format": "fixed", "width": 8, "weights": REAL[model], "target": HOST}
        pipelines.run(module, context(), pipelines.flatten("reals-to-formats", options))
        x = load_data(str(data)).x[:SAMPLES]
    return module, encode_inputs(module, x)


@pytest.mark.long
@pytest.mark.parametrize(("model", "device"), spread_product(3, REAL, DEVICES))
def test_real_models_on_devices(model: str, device: str, tmp_path: Path):
    module, raws = real(model)
    target = roomy(device)
    source = printed(module, target, tmp_path / "c")
    assert difference(module, raws, source, runner_for(target), tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize("model", spread(["protonn", "bonsai"], 1))
def test_real_models_in_hardware(model: str, tmp_path: Path):
    need_simulator("iverilog")
    module, raws = real(model)
    bits = lowered(module.clone(), end="loops-to-bits", target="host")
    result = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), raws[:2])
    assert first_mismatch(evaluate(module, raws[:2]), Outputs(result.labels, result.scores, result.more)) is None


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("kind", spread(["mxint:4", "mxfp:4"], 1))
def test_hardware_gives_the_bits_of_the_evaluator(kind: str, tmp_path: Path):
    need_simulator("iverilog")
    module, raws = network(kind)
    bits = lowered(module.clone(), end="loops-to-bits", target="host")
    result = IcarusSimulation(verilog_of(bits), tmp_path).run(interface_of(module), raws[:2])
    assert first_mismatch(evaluate(module, raws[:2]), Outputs(result.labels, result.scores, result.more)) is None
