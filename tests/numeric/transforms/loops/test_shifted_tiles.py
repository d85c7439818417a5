"""Fixed-point convolutions by kernels that shift their sums compute the evaluator's bits on all chips that have such
kernels, and in plain C on the host.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.lowered import lowered
from programs.printed import WARNINGS

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.toolchain import symbol_table
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import kernel_of
from tinyml.targets.tiles import Tile
from tinyml.tools.cli.parse_mlir import parse_mlir
from tinyml.tools.driver.measure import first_mismatch

KERNEL = re.compile(r"\btm_(?:(?:dot|channel)_tile|\w+_shift_(?:tile|channel))_s8_\w+(?=\()")
FRAC = 7
CALL = 10
"""The cycles of a call and its arguments."""


@dataclass(frozen=True)
class Image:
    name: str
    height: int
    width: int
    channels: int
    frac: int

    @property
    def type(self) -> str:
        return f"tensor<1x{self.height}x{self.width}x{self.channels}x!fixed.q<8, {self.frac}>>"


def convolution(
    x: Image,
    name: str,
    filters: int,
    taps: tuple[int, int],
    right: int,
    random: np.random.Generator,
    across: int = 1,
    groups: int = 1,
) -> tuple[Image, str]:
    """The result image of a convolution without padding, and the text of its ops. Sums are shifted right by `right`
    bits.

    name: the name of the result.
    filters: the number of channels of the result.
    taps: the height and width of the window.
    across: the stride along a row.
    groups: the number of groups of channels.
    """
    frac = x.frac + FRAC
    y = Image(name, x.height - taps[0] + 1, (x.width - taps[1]) // across + 1, filters, frac - right)
    shape = filters, *taps, x.channels // groups
    weights = random.integers(-127, 128, shape)
    # Sums of the first filter are the greatest, and saturate.
    weights[0] = 127
    w, b = ("x".join(map(str, shape)) + "x", f"{filters}x")
    format = f"!fixed.q<8, {FRAC}>>"
    return (
        y,
        f"""
    %{name}_w = tdsl.const dense<{weights.tolist()}> : tensor<{w}i8> -> tensor<{w}{format}
    %{name}_b = tdsl.const dense<{random.integers(-127, 128, filters).tolist()}> : tensor<{b}i8> -> tensor<{b}{format}
    %{name} = tdsl.conv2d %{name}_w, %{x.name} from %{name}_b : tensor<{b}{format} {{strides = array<i64: 1, {across}>,
      dilations = array<i64: 1, 1>, groups = {groups} : i64, acc = !fixed.acc<24, {frac}>}}
      : tensor<{w}{format}, {x.type} -> {y.type}""",
    )


def program(x: Image, body: str, results: list[Image]) -> str:
    names, types = ", ".join(f"%{y.name}" for y in results), ", ".join(y.type for y in results)
    head = f"builtin.module {{\n  func.func @model(%{x.name}: {x.type}) -> ({types}) {{"
    return f"{head}{body}\n    func.return {names} : {types}\n  }}\n}}\n"


def depthwise(
    x: Image, name: str, taps: tuple[int, int], right: int, random: np.random.Generator, across: int = 1
) -> tuple[Image, str]:
    """The result image of a depthwise convolution without padding, and the text of its ops. Sums are shifted right by
    `right` bits.

    name: the name of the result.
    taps: the height and width of the window.
    across: the stride along a row.
    """
    return convolution(x, name, x.channels, taps, right, random, across, x.channels)


@dataclass(frozen=True)
class Run:
    """The measured run of a program.

    time: the mean number of cycles of an inference; 0 if the host is the only device.
    kernels: the names of the kernels that the program calls.
    spent: the cycles of all calls of each kernel.
    tiles: the tile of each kernel.
    """

    time: float
    kernels: list[str]
    spent: dict[str, float]
    tiles: dict[str, num.TileKernelAttr]


def check(text: str, devices: list[str], folder: Path, target: str = "uno") -> Run:
    """Assert that devices compute the evaluator's bits with the program for `target`, and return the run on the last
    device.
    """
    ctx = context()
    module = parse_mlir(ctx, text.encode(), "model.mlir")
    interface = interface_of(module)
    random = np.random.default_rng(1)
    x = random.integers(-127, 128, (4, interface.input_length)).astype(np.int8)
    x[0], x[1] = 127, -127
    expected = evaluate(module, x)
    lowered(module, ctx, end="buffers-to-loops", target=target)
    calls = [op.kernel for op in module.walk() if isinstance(op, num.CallOp)]
    tiles = {kernel_of(call, target).symbol: call for call in calls if isinstance(call, num.TileKernelAttr)}
    lowered(module, ctx, start="loops-to-bits", target=target)
    source = folder / "source"
    source.mkdir(exist_ok=True)
    write_c(module, ctx, target, source)
    printed = next(source.glob("*.c")).read_text()
    kernels = KERNEL.findall(printed[printed.index("_predict(") :])
    time, spent = 0.0, dict.fromkeys(kernels, 0.0)
    for device in devices:
        runner = HostRunner(sanitize=True) if device == "host" else runner_for(device)
        build = runner.build(source, interface, folder, "-Os", WARNINGS)
        if device == "host":
            result = runner.run(build, interface, x)
        else:
            profile = runner.profile(build, interface, x)
            result = profile.result
            assert result.cycles is not None
            time = float(result.cycles.mean())
            table = {symbol.name: symbol for symbol in symbol_table(runner.chip, build.elf)}
            for kernel in spent:
                begin, size = table[kernel].address, table[kernel].size
                spent[kernel] = sum(cycles for (_, pc), cycles in profile.spent.items() if begin <= pc < begin + size)
        assert first_mismatch(expected, Outputs(None, result.scores, result.more)) is None, device
    return Run(time, kernels, spent, tiles)


@pytest.mark.long
@pytest.mark.parametrize("device", ["host", "uno"])
def test_runs_of_any_length_and_shifts_by_any_places(device: str, tmp_path: Path):
    """Kernels are exact for windows whose runs of contiguous elements have 27, 12 and 45 elements, and for shifts by
    less than, exactly and more than a byte.
    """
    random, x = np.random.default_rng(7), Image("x", 6, 6, 9, FRAC)
    a, first = convolution(x, "a", 4, (3, 3), 7, random)
    b, second = convolution(x, "b", 6, (1, 3), 8, random)
    c, third = convolution(a, "c", 2, (3, 3), 3, random)
    d, fourth = convolution(x, "d", 2, (6, 5), 12, random)
    run = check(program(x, first + second + third + fourth, [a, b, c, d]), [device], tmp_path)
    assert len(run.kernels) == 4


@pytest.mark.long
@pytest.mark.parametrize("device", ["host", "uno"])
def test_filters_of_channels(device: str, tmp_path: Path):
    """Kernels for depthwise filters are exact: with three, two and one window at a time, with rows within and beyond
    the displacement of a load, and with weights that are loaded row by row.
    """
    random, x = np.random.default_rng(8), Image("x", 5, 9, 4, FRAC)
    a, first = depthwise(x, "a", (3, 3), 5, random)
    b, second = depthwise(x, "b", (2, 3), 8, random, across=2)
    c, third = depthwise(x, "c", (4, 1), 12, random)
    d, fourth = depthwise(a, "d", (3, 3), 2, random, across=3)
    e, fifth = depthwise(x, "e", (4, 4), 9, random)
    run = check(program(x, first + second + third + fourth + fifth, [a, b, c, d, e]), [device], tmp_path)
    assert len(run.kernels) == 5


@pytest.mark.long
@pytest.mark.parametrize("target", ["cortex-m0", "cortex-m4", "cortex-m55", "riscv"])
def test_other_chips(target: str, tmp_path: Path):
    """Kernels are exact for rows of single pixels and of windows, for an odd number of windows and of rows, and for
    depthwise filters.
    """
    random, x = np.random.default_rng(6), Image("x", 7, 9, 12, FRAC)
    a, first = convolution(x, "a", 7, (1, 1), 8, random)
    b, second = convolution(x, "b", 5, (3, 3), 9, random, across=2)
    c, third = depthwise(x, "c", (3, 3), 7, random)
    d, fourth = depthwise(a, "d", (2, 3), 6, random, across=2)
    run = check(program(x, first + second + third + fourth, [a, b, c, d]), ["host", target], tmp_path, target)
    assert len(run.kernels) == 4


def test_the_time_of_a_call_is_known(tmp_path: Path):
    """The cycles of every kernel equal those that its composer computes: for windows of one and of several runs, for an
    odd number of windows, and for depthwise filters.
    """
    random, x = np.random.default_rng(9), Image("x", 5, 11, 8, FRAC)
    a, first = convolution(x, "a", 4, (3, 3), 6, random)
    b, second = convolution(x, "b", 6, (1, 4), 9, random)
    c, third = depthwise(x, "c", (3, 3), 7, random)
    d, fourth = depthwise(x, "d", (3, 2), 9, random, across=2)
    e, fifth = depthwise(x, "e", (2, 6), 9, random)
    run = check(program(x, first + second + third + fourth + fifth, [a, b, c, d, e]), ["uno"], tmp_path)
    heights = {(y.channels, y.width): y.height for y in (a, b, c, d, e)}
    assert len(run.spent) == len(heights) == 5
    for kernel, spent in run.spent.items():
        tile, composed = Tile.of(run.tiles[kernel]), kernel_of(run.tiles[kernel], "uno").composed
        assert composed is not None
        # A call for each row of the result.
        assert spent == heights[tile.rows, tile.count] * (composed.costs[""] - CALL), kernel


def test_a_convolution_takes_few_cycles(tmp_path: Path):
    x = Image("x", 8, 8, 8, FRAC)
    y, body = convolution(x, "y", 8, (3, 3), 9, np.random.default_rng(2))
    assert check(program(x, body, [y]), ["uno"], tmp_path).time <= 10.5 * y.height * y.width * 8 * 72


def test_a_depthwise_convolution_takes_few_cycles(tmp_path: Path):
    x = Image("x", 8, 10, 8, FRAC)
    y, body = depthwise(x, "y", (3, 3), 9, np.random.default_rng(2))
    assert check(program(x, body, [y]), ["uno"], tmp_path).time <= 13 * y.height * y.width * 8 * 9


@pytest.mark.long
@settings(max_examples=3)
@given(
    st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(0, 3), st.integers(1, 13), st.integers(0, 99)
)
def test_random_shapes(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: int,
    height: int,
    width: int,
    more: int,
    right: int,
    seed: int,
):
    """Convolutions of random shapes compute the evaluator's bits. Their windows are so long that kernels for tiles are
    faster than others.
    """
    x = Image("x", height + 1, width + 3, 30 // (height * width) + more, FRAC)
    random = np.random.default_rng(seed)
    y, body = convolution(x, "y", 2 * pairs, (height, width), right, random)
    z, more_body = depthwise(x, "z", (height, width), right, random, across=pairs)
    text = program(x, body + more_body, [y, z])
    check(text, ["host", "uno"], tmp_path_factory.mktemp("tiles"))
