"""The warning about a program that takes less than a third of the time and differs by one option."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from programs.estimators import halves, sk
from programs.paths import ROOT

import tinyml
from tinyml.targets.costs import cost_table
from tinyml.tools.driver.choice import faster_programs
from tinyml.tools.driver.choice.faster_programs import least_time, permitted_for

PT2E = ROOT / "tests/models/pt2e"


def warned(program: tinyml.CompiledModel) -> Any:
    """The text and the cure of the warning; None without it."""
    found = [each for each in program.report.warnings if each["name"] == "faster program"]
    return found[0] if found else None


@pytest.fixture(scope="module")
def perceptron() -> Any:
    digits = halves("digits")
    return sk.MLPClassifier((16,), max_iter=600, random_state=0).fit(digits.x, digits.y)


def compiled(model: Any, **options: Any) -> tinyml.CompiledModel:
    digits = halves("digits")
    return tinyml.compile(model, digits.held_x, digits.held_y, board="uno", **options)


@pytest.mark.long(seconds=3)
@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
def test_floats_in_software_name_the_integers_that_are_estimated(perceptron: Any) -> None:
    """The warning states the estimate and the loss of the named program, which are those of this program."""
    slow = compiled(perceptron, format="f32")
    said = warned(slow)
    fields = re.fullmatch(r"takes ([\d.]+) times as long as another program .*: ([\d,]+) cycles a call", said["text"])
    assert fields is not None
    named = re.match(r"format='fixed', width=(\d+): ", said["cure"])
    assert named is not None
    width = int(named[1])
    assert all(each["name"] != "floats" for each in slow.report.warnings)
    fast = compiled(perceptron, format="fixed", width=width)
    assert fast.report.estimate is not None
    time = int(fields[2].replace(",", ""))
    assert time == pytest.approx(fast.report.estimate["cycles_per_call"], rel=0.02)
    assert slow.report.time_per_inference is None or float(fields[1]) == pytest.approx(
        slow.report.time_per_inference / time, rel=0.05
    )
    assert float(fields[1]) > faster_programs.FACTOR


@pytest.mark.long
def test_an_ordinary_program_is_compared_with_no_other(perceptron: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program near the lower bound of its products is not compared, which would take time."""

    def fail(*_: object) -> None:
        raise AssertionError("estimated another program")

    monkeypatch.setattr(faster_programs, "_of_request", fail)
    for options in ({"width": 8}, {"width": 16}, {}):
        assert warned(compiled(perceptron, outputs="class", **options)) is None


@pytest.mark.long(seconds=3)
@pytest.mark.parametrize("file", ["sequence-16x8.tflite"])
def test_a_quantised_network_on_avr_names_its_formats_anew(file: str) -> None:
    """Each step of a recurrent network of TensorFlow Lite is rounded with scales of its own. Without data, the time of
    the other program is estimated, but its loss is said to be unknown.
    """
    with pytest.warns(tinyml.CompileWarning, match="times as long"):
        program = tinyml.compile(ROOT / "tests/models/keras" / file, board="uno")
    assert warned(program)["cure"] == "quantization='anew', format='fixed', width=8: its loss is unknown without X_val"


@pytest.mark.long(seconds=3)
def test_the_loss_of_formats_chosen_anew_is_measured_on_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's network takes less than three times as long as with formats chosen anew; a lower limit names these."""
    data = np.load(PT2E / "residual.npz")
    assert warned(tinyml.compile(PT2E / "residual.onnx", data["x"], data["y"], board="uno")) is None
    monkeypatch.setattr(faster_programs, "FACTOR", 1.01)
    with pytest.warns(tinyml.CompileWarning, match="times as long"):
        program = tinyml.compile(PT2E / "residual.onnx", data["x"], data["y"], board="uno")
    assert warned(program)["cure"] == "quantization='anew', format='fixed', width=8: loses 0.50 points"


def test_the_named_loss_grows_with_the_factor() -> None:
    assert permitted_for(3, growth=False) == pytest.approx(1)
    assert permitted_for(27, growth=False) == pytest.approx(3)
    assert permitted_for(9, growth=True) == pytest.approx(10)


@pytest.mark.parametrize("board", ["uno", "cortex-m0", "cortex-m4", "esp32-c3"])
def test_the_bound_of_products_is_proportional_to_their_number(board: str) -> None:
    table = cost_table(board)
    assert table is not None
    assert least_time(0, table) == 0
    assert least_time(1000, table) > 1000
    assert least_time(2000, table) == pytest.approx(2 * least_time(1000, table))
