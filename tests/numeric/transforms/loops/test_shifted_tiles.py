"""Convolutions in fixed point by kernels that shift their sums give the evaluator's bits on an AVR and on the host."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.printed import WARNINGS

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.cli.located_parser import parse_mlir
from tinyml.tools.driver.measure import first_mismatch

KERNEL = "tm_dot_strip_s8_"
FRAC = 7


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
    x: Image, name: str, filters: int, taps: tuple[int, int], right: int, random: np.random.Generator
) -> tuple[Image, str]:
    """A convolution without padding whose sums are shifted by `right` places, and its result."""
    frac = x.frac + FRAC
    y = Image(name, x.height - taps[0] + 1, x.width - taps[1] + 1, filters, frac - right)
    shape = filters, *taps, x.channels
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
    %{name} = tdsl.conv2d %{name}_w, %{x.name} from %{name}_b : tensor<{b}{format} {{strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<24, {frac}>}}
      : tensor<{w}{format}, {x.type} -> {y.type}""",
    )


def program(x: Image, body: str, results: list[Image]) -> str:
    names, types = ", ".join(f"%{y.name}" for y in results), ", ".join(y.type for y in results)
    head = f"builtin.module {{\n  func.func @model(%{x.name}: {x.type}) -> ({types}) {{"
    return f"{head}{body}\n    func.return {names} : {types}\n  }}\n}}\n"


def check(text: str, devices: list[str], folder: Path, convolutions: int) -> float:
    """The time on the last device."""
    ctx = context()
    module = parse_mlir(ctx, text.encode(), "model.mlir")
    interface = interface_of(module)
    random = np.random.default_rng(1)
    x = random.integers(-127, 128, (4, interface.input_length)).astype(np.int8)
    x[0], x[1] = 127, -127
    expected = evaluate(module, x)
    for name in ("formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-c"):
        pipelines.run(module, ctx, pipelines.flatten(name, {"target": "uno"}))
    source = folder / "source"
    source.mkdir(exist_ok=True)
    write_c(module, ctx, "uno", source)
    printed = next(source.glob("*.c")).read_text()
    assert printed[printed.index("_predict(") :].count(KERNEL) == convolutions
    time = 0.0
    for device in devices:
        runner = HostRunner(sanitize=True) if device == "host" else runner_for(device)
        result = runner.run(runner.build(source, interface, folder, "-Os", WARNINGS), interface, x)
        assert first_mismatch(expected, Outputs(None, result.scores, result.more)) is None, device
        time = 0.0 if result.cycles is None else float(result.cycles.mean())
    return time


@pytest.mark.parametrize("device", ["host", "uno"])
def test_runs_of_any_length_and_shifts_by_any_places(device: str, tmp_path: Path):
    """Runs of 27, 27, 12 and 45 elements; shifts by less than a byte, a byte and more."""
    random, x = np.random.default_rng(7), Image("x", 6, 6, 9, FRAC)
    a, first = convolution(x, "a", 4, (3, 3), 7, random)
    b, second = convolution(x, "b", 6, (1, 3), 8, random)
    c, third = convolution(a, "c", 2, (3, 3), 3, random)
    d, fourth = convolution(x, "d", 2, (6, 5), 12, random)
    text = program(x, first + second + third + fourth, [a, b, c, d])
    check(text, [device], tmp_path, 4)


def test_a_convolution_takes_few_cycles(tmp_path: Path):
    x = Image("x", 8, 8, 8, FRAC)
    y, body = convolution(x, "y", 8, (3, 3), 9, np.random.default_rng(2))
    assert check(program(x, body, [y]), ["uno"], tmp_path, 1) <= 10.5 * y.height * y.width * 8 * 72


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
    """With windows that are long enough for tiles to pay."""
    x = Image("x", height + 1, width + 3, 30 // (height * width) + more, FRAC)
    y, body = convolution(x, "y", 2 * pairs, (height, width), right, np.random.default_rng(seed))
    check(program(x, body, [y]), ["host", "uno"], tmp_path_factory.mktemp("tiles"), 1)
