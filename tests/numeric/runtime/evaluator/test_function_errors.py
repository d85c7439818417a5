"""exp, tanh and sigmoid of generated code have the evaluator's bits, and their errors are within those that the report
states.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES
from programs.spread import spread

from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import Function
from tinyml.dialects.formats.posit.type import PositType
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.evaluator.function_errors import function_errors, greatest_error
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import HOST
from tinyml.tools.calibration.avr import DEVICE, FUNCTION_LIMITS
from tinyml.tools.calibration.programs.generated_code import LENGTH, cycles_of_function, program, write

SAMPLES = {"host": 1 << 16, "uno": 80}
"""Inputs of each device; 200 where it is not said."""
CASES: list[tuple[Function, FixedType, FixedType, str | None]] = [
    ("exp", FixedType(16, 11), FixedType(16, 15), None),
    ("exp", FixedType(16, 12), FixedType(16, 12), None),
    ("exp", FixedType(16, 10), FixedType(8, 7), None),
    ("exp", FixedType(8, 4), FixedType(8, 6), None),
    ("exp", FixedType(16, 11), FixedType(16, 14), "seedot"),
    ("exp", FixedType(16, 11), FixedType(16, 14), "shiftry"),
    ("tanh", FixedType(16, 10), FixedType(16, 14), None),
    ("tanh", FixedType(16, 12), FixedType(16, 15), None),
    ("tanh", FixedType(13, 9), FixedType(16, 17), None),
    ("tanh", FixedType(8, 5), FixedType(8, 7), None),
    ("tanh", FixedType(16, 10), FixedType(16, 14), "shiftry"),
    ("sigmoid", FixedType(16, 10), FixedType(16, 15), None),
    ("sigmoid", FixedType(16, 12), FixedType(8, 7), None),
    ("sigmoid", FixedType(8, 4), FixedType(16, 15), None),
    ("sigmoid", FixedType(8, 4), FixedType(8, 7), "seedot"),
    ("sigmoid", FixedType(8, 4), FixedType(8, 7), "shiftry"),
]


def real(function: Function, x: float) -> float:
    """The value of a function by the C library, for one number."""
    match function:
        case "exp":
            return math.exp(x)
        case "tanh":
            return math.tanh(x)
        case "sigmoid":
            return 1 / (1 + math.exp(-x))
        case "erf":
            return math.erf(x)
        case "log":
            return math.log(max(x, 2.0**-126))
        case "softplus":
            return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def raws_of(format: FixedType) -> NDArray[np.signedinteger]:
    """Every raw of a format, of shape (n, LENGTH); the greatest raw fills the last row."""
    low, high = format.limits
    count = -(-(high - low + 1) // LENGTH) * LENGTH
    return np.minimum(np.arange(low, low + count), high).astype(format.dtype).reshape(-1, LENGTH)


TURNS = [
    (device, *case)
    for number, case in enumerate(CASES)
    for turn, device in enumerate(DEVICES)
    if device == HOST or (number + turn) % 3 == 0 or len(DEVICES) == 1
]
"""The host runs all, chips every third one in turn."""


@pytest.mark.long
@pytest.mark.parametrize(("device", "function", "source", "result", "scheme"), spread(TURNS, 8), ids=str)
def test_devices_keep_the_stated_errors(
    device: str, function: Function, source: FixedType, result: FixedType, scheme: str | None, tmp_path: Path
):
    context, module = program(function, str(source), str(result), scheme)
    raws = raws_of(source)
    spread = np.linspace(0, len(raws) - 1, min(SAMPLES.get(device, 200), len(raws))).astype(int)
    raws = raws[spread]
    runner, interface = runner_for(device), interface_of(module)
    folder = write(context, module, device, tmp_path / "source")
    scores = runner.run(runner.build(folder, interface, tmp_path / "build"), interface, raws).scores
    assert scores is not None
    expected = evaluate(module, raws).scores
    np.testing.assert_array_equal(scores, cast(NDArray[np.signedinteger], expected).reshape(scores.shape))
    [stated] = function_errors(module)
    assert stated.error is not None
    low, high = result.decode(np.array(result.limits))
    exact = [min(max(real(function, x), low), high) for x in source.decode(raws).ravel()]
    assert np.abs(result.decode(scores).ravel() - exact).max() <= stated.error * (1 + 1e-9)


def test_wide_arguments_and_floats_have_no_stated_error():
    for source, result in [("!fixed.q<32, 26>", "!fixed.q<16, 14>"), ("f32", "f32")]:
        [stated] = function_errors(program("tanh", source, result)[1])
        assert stated.error is None


@pytest.mark.long
@pytest.mark.parametrize("name", FUNCTION_LIMITS)
def test_cycles(name: str):
    assert cycles_of_function(DEVICE, name) <= FUNCTION_LIMITS[name]


@pytest.mark.parametrize("function", ["exp", "tanh", "sigmoid"])
def test_the_error_in_standard_posits_leaves_out_nar(function: Function):
    """The raw of NaR is no number. The greatest posit of 8 bits with es 1 is 4096, to which exact values saturate."""
    posit = PositType(8, 1)
    reals = posit.decode(np.arange(-127, 128).astype(np.int8))
    exact = np.array([min(real(function, x), 4096.0) if x < 700 else 4096.0 for x in reals.clip(-700)])
    rounded = posit.decode(posit.encode(exact))
    error = greatest_error(function, None, posit, posit)
    assert error == pytest.approx(np.abs(rounded - exact).max(), rel=1e-6)
