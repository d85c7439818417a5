"""RISC-V's vector unit, defined by a test package: its kernels are exact, and its programs have the evaluator's
bits.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from measured.measures.layers import model_of
from programs import devices
from programs.chip_kernels import LENGTHS, RVV, built, extreme_calls, make_call
from programs.chip_kernels import check as check_calls
from programs.devices import need_tools
from programs.kernel_tables import kernels_of, tile_families
from programs.lowered import lowered
from programs.paths import MODELS, NETWORK, ROOT
from programs.plugins import package_of
from programs.printed import WARNINGS
from programs.random_loops import check_loops
from programs.spread import EXHAUSTIVE, spread
from programs.tflite_models import NONE, VALID, TfliteModel, inputs_of
from programs.tile_cases import tile_case
from programs.tile_programs import build_cases, cases_of, check, check_on, check_times

from tinyml.dialects.context import context
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.kernel_table import LoopCoder
from tinyml.targets.registry import HOST, table_entries
from tinyml.targets.tiles import Tile, TileFamily
from tinyml.tools.driver.stages import compile_stages, load_program

RVV_BOARD = "rvv"
END_OF_RAM = 0x84000000
"""The end of the memory of the emulated machine, behind which every access is a fault."""

ROWS = [
    # One to 32 rows in the lanes, and more than one block of them; groups of windows, and a last one of fewer.
    Tile(32, 1, 16, 0, 16, 4, 0),
    Tile(40, 1, 5, 0, 5, 3, -128),
    Tile(17, 2, 21, 60, 7, 7, 127),
    Tile(8, 3, 9, 40, 3, 9, -5),
    Tile(1, 1, 3, 0, 3, 17, 3),
    # Loops over elements and over runs; windows that are too far apart for loads from one address.
    Tile(20, 3, 43, 60, 20, 3, 1),
    Tile(16, 2, 30, 40, 300, 4, 0),
]

COLUMNS = [
    # Blocks of four rows and fewer; whole registers of elements, loops over these, and rests.
    Tile(4, 1, 64, 0, 64, 1, 0),
    Tile(10, 1, 643, 0, 643, 1, 127),
    Tile(3, 1, 200, 0, 200, 5, -128),
    Tile(9, 3, 300, 320, 40, 3, 9),
]

CHANNELS = [
    # Blocks of up to 32 channels; filters with a loop over their runs and without; strides and gaps.
    Tile(32, 3, 96, 240, 32, 4, -128),
    Tile(61, 1, 183, 0, 122, 2, 5),
    Tile(6, 5, 30, 72, 6, 7, 0),
    Tile(1, 7, 7, 20, 1, 9, -7),
    Tile(16, 3, 48, 160, 48, 3, 127),
]


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with package_of("rvv"):
        monkeypatch.setattr(devices, "SMALL", [*devices.SMALL, RVV_BOARD])
        yield


def families() -> list[tuple[TileFamily, Tile]]:
    """The tile families of the package, each with its tiles."""
    columns, rows, channels = tile_families(RVV_BOARD)[:3]
    shapes = (rows, ROWS), (columns, COLUMNS), (channels, CHANNELS)
    return [(family, tile) for family, tiles in shapes for tile in tiles]


@pytest.mark.long
def test_tiles(tmp_path: Path):
    """The results of all tile families of the package are exact, the numbers of instructions are those of the cost
    model, and nothing outside the windows is read.
    """
    need_tools(RVV_BOARD)
    runner, cases = runner_for(RVV_BOARD), cases_of(families())
    build = build_cases(runner, cases, tmp_path, end=END_OF_RAM)
    check(runner, build, cases)
    for tile, code, size in check_times(runner, build, cases, 0):
        assert size <= code <= 1.7 * size, tile


@pytest.mark.long
def test_plain_c_has_the_same_bits(tmp_path: Path):
    check_on([HOST], cases_of(families()), tmp_path)


def test_negative_halves_round_away_from_zero(tmp_path: Path):
    """Requantised sums equal the reference if VSMUL halves them exactly and the shift then leads to ties between two
    bytes.
    """
    need_tools(RVV_BOARD)
    runner, random = runner_for(RVV_BOARD), np.random.default_rng(8)
    columns, rows, *_ = tile_families(RVV_BOARD)
    shapes = (rows, Tile(12, 1, 16, 0, 16, 4, -3)), (columns, Tile(12, 1, 128, 0, 128, 1, 0))
    cases = [tile_case(family, tile, random) for family, tile in shapes]
    for case in cases:
        case.sums.weights[:] = random.integers(-1, 2, case.sums.weights.shape)
        case.sums.multipliers[:] = 1 << 30
        case.sums.shifts[:] = -1 - np.arange(12) % 5
        case.sums.starts[:] = -2 * random.integers(0, 40, 12)
    check(runner, build_cases(runner, cases, tmp_path), cases)


@pytest.mark.long
def test_dot_products(tmp_path: Path):
    need_tools(RVV_BOARD)
    runner, random = runner_for(RVV_BOARD), np.random.default_rng(6)
    calls = [call for kernel in RVV for call in spread(extreme_calls(kernel), 12)]
    calls += [make_call(kernel, int(random.choice(LENGTHS)), random) for kernel in RVV for _ in range(8)]
    check_calls(runner, built(runner, RVV, "-Os", tmp_path), calls)


def test_kernels_overwrite_what_calls_may():
    """No kernel uses a register that it would have to preserve."""
    listed = [kernel for kernel in kernels_of(RVV_BOARD) if kernel.symbol.startswith("tm_rvv_")]
    tiles = [family.kernel(tile) for family, tile in families()]
    for kernel in (*listed, *tiles):
        assert kernel is not None
        assert kernel.composed is not None
        [body] = kernel.composed.bodies.values()
        assert not re.search(r"\b(s\d+|[sgt]p|ra)\b", body)


@pytest.mark.long
@pytest.mark.parametrize(
    ("model", "format", "width", "called"),
    [
        ("protonn", "fixed", 16, "tm_rvv_dot4_s16_s16_s32"),
        ("bonsai", "fixed", 8, "tm_rvv_dot4_s8_s8_s32"),
        ("network", "affine", 8, "tm_rvv_channel_tile_s8"),
        ("fastgrnn", "fixed", 8, "tm_rvv_elements"),
    ],
)
def test_programs_have_the_bits_of_the_evaluator(model: str, format: str, width: int, called: str, tmp_path: Path):
    need_tools(RVV_BOARD)
    ctx, program = context(), {**MODELS, "network": NETWORK}[model]
    val = program.with_name("val.npz")
    options = PipelineOptions(data=str(val), format=format, width=width, target=RVV_BOARD)
    compiled = compile_stages(load_program(program, ctx), ctx, options)
    assert called in compiled.source
    interface = interface_of(compiled.formats)
    for suffix, text in (("c", compiled.source), ("h", compiled.header)):
        (tmp_path / f"{interface.name}.{suffix}").write_text(text)
    with np.load(val) as data:
        inputs = encode_inputs(compiled.formats, data["x"][:10])
    runner = runner_for(RVV_BOARD)
    result = runner.run(runner.build(tmp_path, interface, tmp_path, extra_flags=WARNINGS), interface, inputs)
    expected = evaluate(compiled.formats, inputs)
    if expected.labels is not None:
        np.testing.assert_array_equal(result.labels, expected.labels)
    if expected.scores is not None:
        assert result.scores is not None
        np.testing.assert_array_equal(result.scores.view(np.uint8), np.asarray(expected.scores).view(np.uint8))


@pytest.mark.long
def test_elements(tmp_path: Path):
    """Loops over elements compute the evaluator's bits for sums, products, changes of scale, clamps and pools. Some
    numbers of elements are less than the number of lanes; others are greater, but not a multiple of it.
    """
    need_tools(RVV_BOARD)
    for count in (1, 7, 331):
        model = TfliteModel()
        shape = 1, count, 2, 9
        x, y = model.tensor(shape, "int8", 0.05, -9), model.tensor(shape, "int8", 0.04, 3)
        clamped, sum = model.tensor(shape, "int8", 0.05, -9), model.tensor(shape, "int8", 0.09, 6)
        product, pooled = model.tensor(shape, "int8", 0.3, 1), model.tensor((1, count, 1, 9), "int8", 0.3, 1)
        model.op("QUANTIZE", [x], y)
        model.op("RELU", [x], clamped)
        model.op("ADD", [clamped, y], sum, FusedActivationFunction=NONE)
        model.op("MUL", [sum, x], product, FusedActivationFunction=NONE)
        filter = {"FilterHeight": 1, "FilterWidth": 2, "StrideH": 1, "StrideW": 2}
        model.op("MAX_POOL_2D", [product], pooled, Padding=VALID, FusedActivationFunction=NONE, **filter)
        content = model.finish([x], [pooled])
        module, ctx, inputs = read_tflite(content, "network.tflite"), context(), inputs_of(content, 3).reshape(3, -1)
        interface, expected = interface_of(module), evaluate(module, inputs).scores
        lowered(module, ctx, start="refine-formats", target=RVV_BOARD)
        folder = tmp_path / str(count)
        write_c(module, ctx, RVV_BOARD, folder)
        assert "tm_rvv_elements" in (folder / "network.c").read_text()
        runner = runner_for(RVV_BOARD)
        result = runner.run(runner.build(folder, interface, folder / "build"), interface, inputs)
        np.testing.assert_array_equal(result.scores, expected)


@pytest.mark.long
def test_random_loops(tmp_path: Path):
    need_tools(RVV_BOARD)
    [coder] = table_entries(RVV_BOARD, LoopCoder)
    check_loops(runner_for(RVV_BOARD), coder, RVV_BOARD, 400 if EXHAUSTIVE in os.environ else 32, tmp_path)


PAGE = ROOT / "docs/adding-a-vector-unit.md"
LAYERS = re.findall(r"^\| ((?:conv|dense|depth).*?) \| (0\.\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
"""The layers of the page, with the instructions of a product."""


def test_the_page_tells_the_lines_of_files():
    folder, text = ROOT / "tests/plugins/rvv", PAGE.read_text("utf-8")
    listed = re.findall(r"^\| `(\S+)` \| (\d+) \|", text, re.MULTILINE)
    files = [path for path in folder.rglob("*.*") if path.is_file() and "__pycache__" not in path.parts]
    lines = {str(path.relative_to(folder)): str(len(path.read_text("utf-8").splitlines())) for path in files}
    assert dict(listed) == lines


@pytest.mark.long
@pytest.mark.parametrize(("layer", "told"), spread(LAYERS, 2))
def test_the_page_tells_the_instructions_of_layers(layer: str, told: str, tmp_path: Path):
    need_tools(RVV_BOARD)
    content, products = model_of(layer)
    module, ctx, inputs = read_tflite(content, "network.tflite"), context(), inputs_of(content, 1)
    interface = interface_of(module)
    lowered(module, ctx, start="refine-formats", target=RVV_BOARD)
    write_c(module, ctx, RVV_BOARD, tmp_path)
    runner = runner_for(RVV_BOARD)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build", "-O2"), interface, inputs.reshape(1, -1))
    assert result.cycles is not None
    assert result.cycles.mean() / products == pytest.approx(float(told), rel=0.02)
