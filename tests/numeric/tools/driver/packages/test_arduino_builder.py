"""Arduino's own build of the library and its sketches; the simulator runs the program for an Uno."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from programs.arduino_builder import built_sketch, is_installed
from programs.sensor_models import NAME, SensorModel, inputs, sensor_model
from programs.sketches import CORE, sketches
from programs.spread import spread

from tinyml.runtime.devices.registry import is_available
from tinyml.targets.registry import board

pytestmark = pytest.mark.skipif(not is_installed(), reason="arduino-builder is not installed")


@pytest.fixture(scope="module")
def sensor(tmp_path_factory: pytest.TempPathFactory) -> SensorModel:
    return sensor_model(tmp_path_factory.mktemp("sensor"), "uno")


def build(model: SensorModel, sketch: Path, folder: Path, target: str) -> Path:
    return built_sketch(model.out / "arduino", sketch, folder, target)


@pytest.fixture(scope="module")
def on_uno(sensor: SensorModel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The ELF file of each sketch for an Uno."""
    folder = tmp_path_factory.mktemp("uno")
    found = sketches(sensor.out / "arduino" / NAME)
    return {sketch.stem: build(sensor, sketch, folder / sketch.stem, "uno") for sketch in found}


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize("target", spread(["mega", "leonardo"], 1))
def test_every_sketch_builds(sensor: SensorModel, on_uno: dict[str, Path], target: str, tmp_path: Path):
    assert all(elf.is_file() for elf in on_uno.values())
    found = sketches(sensor.out / "arduino" / NAME)
    # A core of the Uno's kind compiles the same library.
    for sketch in found if target == "leonardo" else found[:1]:
        assert build(sensor, sketch, tmp_path / "build", target).is_file()


def answers(elf: Path, folder: Path, lines: int, sent: str = "") -> list[str]:
    """The first `lines` lines that a program for an Uno on simavr writes to its serial line.

    sent: the text that the program receives.
    """
    uart = folder / "uart"
    if not uart.exists():
        subprocess.run(["gcc", "-O2", CORE / "uart.c", "-lsimavr", "-lelf", "-o", uart], check=True)
    command = [uart, board("uno").part, elf, str(lines), "200000000"]
    said = subprocess.run(command, input=sent, capture_output=True, text=True, check=True).stdout
    return [line for line in said.splitlines() if not line.startswith("Loaded ")]


@pytest.mark.long
@pytest.mark.skipif(not is_available("uno"), reason="simavr is not installed")
def test_the_uno_answers_over_its_serial_line(sensor: SensorModel, on_uno: dict[str, Path], tmp_path: Path):
    """The answers of sketches on an Uno equal the evaluator's, although Arduino links with link-time optimisation."""
    # Some numbers have exponents, and most have ten digits or more.
    x = np.vstack([inputs(20), inputs(20) / 1e5])
    sent = "".join(" ".join(map(str, sample)) + "\n" for sample in x)
    words = [line.split()[0] for line in answers(on_uno["Serial"], tmp_path, len(x), sent)]
    assert words == sensor.words(x)
    assert len(set(words)) > 1
    assert answers(on_uno["SelfTest"], tmp_path, 6)[-1] == "5 of 5 samples as on the desk"
