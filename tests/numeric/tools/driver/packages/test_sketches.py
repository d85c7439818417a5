"""The sketches of the Arduino library run on this computer and compile for other chip families."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.devices import need_tools
from programs.estimators import sk
from programs.gural_murmann import FOLDER as GURAL
from programs.gural_murmann import images as reduced
from programs.gural_murmann import logits, program
from programs.pushed_sums import running_sum
from programs.sensor_models import NAME, SensorModel, inputs, sensor_model
from programs.simulated_board import compiled_board, printed_lines
from programs.sketches import CORE, compile_sketch, run_sketch, sketches
from programs.spread import spread

import tinyml
from tinyml import features
from tinyml.dialects.layouts.packed_bits import pack_bits
from tinyml.dialects.options import Seconds
from tinyml.targets.registry import board, chip_of
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.heard import Rule, words_in
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import print_ir


@pytest.fixture(scope="module")
def sensor(tmp_path_factory: pytest.TempPathFactory) -> SensorModel:
    return sensor_model(tmp_path_factory.mktemp("sensor"), "uno")


def library(model: SensorModel) -> Path:
    return model.out / "arduino" / NAME


@pytest.mark.long
def test_there_is_a_sketch_for_each_sensor(sensor: SensorModel):
    names = [path.stem for path in sketches(library(sensor))]
    assert names == ["Accelerometer", "AnalogPins", "SelfTest", "Serial", "Stream"]


TYPED = """\
#include <{name}.h>
static const float samples[{count}][{name}_INPUT_LENGTH] = {{{samples}}};
void setup()
{{
    Serial.begin(115200);
    for (int i = 0; i < {count}; i++) {{
        int c = {name}_predict_floats(samples[i]);
        Serial.println({name}_class_name(c));
    }}
    Serial.print("<");
    Serial.print({name}_class_name(-1));
    Serial.println(">");
}}
void loop() {{}}
"""


@pytest.mark.long
def test_names_of_classes_are_printed_as_they_come(sensor: SensorModel, tmp_path: Path):
    """The sketches print class names unchanged, on this computer and on a chip that stores them in program memory."""
    need_tools("uno")
    x = inputs(50)[:5]
    sketch = library(sensor) / "examples/Typed/Typed.ino"
    sketch.parent.mkdir()
    try:
        rows = ", ".join("{" + ", ".join(f"{value!r}f" for value in row.tolist()) + "}" for row in x)
        sketch.write_text(TYPED.format(name=NAME, count=len(x), samples=rows))
        names = [*sensor.words(x), "<>"]
        assert len(set(names)) > 2
        elf = compiled_board(sensor.out, tmp_path, "examples/Typed/Typed.ino")
        assert printed_lines(elf, tmp_path, len(names)) == names
        assert run_sketch(library(sensor), "Typed", tmp_path / "host") == names
    finally:
        sketch.unlink()
        sketch.parent.rmdir()
    assert f"`Serial.println({NAME}_class_name(label))` prints" in (library(sensor) / "README.md").read_text()


@pytest.mark.long
def test_stored_samples_are_right(sensor: SensorModel, tmp_path: Path):
    *answers, result = run_sketch(library(sensor), "SelfTest", tmp_path)
    assert [line.split()[0] for line in answers] == sensor.words(inputs(50)[:5])
    assert result == "5 of 5 samples as on the desk"


@pytest.mark.long
def test_a_sample_that_is_wrong_is_noticed(sensor: SensorModel, tmp_path: Path):
    file = library(sensor) / "examples/SelfTest/samples.h"
    text = file.read_text()
    before, scores, after = text.partition("sample_scores[SAMPLES][3] SAMPLE_FLASH = {\n    {")
    number = after.partition(",")[0]
    file.write_text(before + scores + after.replace(number, str(int(number) ^ 1), 1))
    try:
        assert run_sketch(library(sensor), "SelfTest", tmp_path)[-1] == "4 of 5 samples as on the desk"
    finally:
        file.write_text(text)


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    spread(
        [
            {},
            {"width": 16, "reuse_input": True},
            {"width": 32, "feature_scales": True},
            {"format": "zeroskew", "feature_scales": True},
            {"format": "f32", "width": None, "feature_scales": True},
        ],
        2,
    ),
    ids=lambda options: " ".join(map(str, options.values())),
)
def test_numbers_over_the_serial_line(options: dict[str, Any], tmp_path: Path):
    model = sensor_model(tmp_path, "uno", packages=("arduino",), **options)
    x = np.vstack([inputs(8), inputs(2) / 1e5])
    sent = "\n".join(", ".join(str(value) for value in sample) for sample in x) + "\r\n"
    said = run_sketch(library(model), "Serial", tmp_path / "run", sent.encode())
    assert [line.split()[0] for line in said] == model.words(x)


@pytest.mark.long
def test_analog_pins(sensor: SensorModel, tmp_path: Path):
    readings = np.random.default_rng(5).integers(0, 1024, (8, 6))
    readings.astype(np.int16).tofile(tmp_path / "readings")
    name = "AnalogPins"
    sketch = library(sensor) / f"examples/{name}/{name}.ino"
    text = sketch.read_text()
    sketch.write_text(text.replace("UNIT = 1.0f;", "UNIT = 1.0f / 1024;"))
    try:
        said = run_sketch(library(sensor), name, tmp_path, readings=tmp_path / "readings")
    finally:
        sketch.write_text(text)
    assert sketch.read_text() == text
    assert said == sensor.words(readings / 1024)


@pytest.mark.long
def test_windows_of_an_accelerometer(sensor: SensorModel, tmp_path: Path):
    readings = np.random.default_rng(6).integers(-16384, 16384, (8, 6))
    readings.astype(np.int16).tofile(tmp_path / "readings")
    said = run_sketch(library(sensor), "Accelerometer", tmp_path, readings=tmp_path / "readings")
    assert said == sensor.words(readings / 16384)


@pytest.mark.long(seconds=5)
def test_integers_of_sensors(tmp_path: Path):
    """The generated sketches `Accelerometer` and `Serial` print the model's answers for the integers of a sensor.
    `Accelerometer` reads the sensor, and `Serial` reads the serial line.
    """
    model = sensor_model(tmp_path, "uno", packages=("arduino",), input_unit="g16384")
    readings = np.random.default_rng(6).integers(-16384, 16384, (8, 6))
    readings.astype(np.int16).tofile(tmp_path / "readings")
    said = run_sketch(library(model), "Accelerometer", tmp_path / "axes", readings=tmp_path / "readings")
    assert said == model.words(readings / 16384)
    sent = "\n".join(" ".join(map(str, sample)) for sample in readings.tolist()) + "\n"
    answers = run_sketch(library(model), "Serial", tmp_path / "serial", sent.encode())
    assert [line.split()[0] for line in answers] == said
    assert len(set(said)) > 1


def images() -> np.ndarray:
    return reduced(np.load(GURAL / "test.npz")["x"])[:4]


def packed(images: np.ndarray) -> bytes:
    return b"".join(pack_bits(image.astype("i8") - 8, 4).tobytes() for image in images)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("input", spread(["serial", "callback"], 1))
def test_images_row_by_row(input: str, tmp_path: Path):
    """The sketch requests each row of an image over the serial line. For images that are stored in the sketch, a
    function returns the rows.
    """
    (tmp_path / "network.mlir").write_text(print_ir(program()))
    np.savez(tmp_path / "images.npz", x=images())
    request = Request(
        model=tmp_path / "network.mlir",
        val=tmp_path / "images.npz",
        out=tmp_path / "out",
        input=input,
        plan="rows",
        pack_buffers=True,
    )
    compile_model(request)
    found = tmp_path / "out/arduino/gural_mnist10"
    labels = [f"class {label}" for label in logits(images()).argmax(1)]
    assert [path.stem for path in sketches(found)] == ["SelfTest", *["SerialRows"] * (input == "serial")]
    *answers, result = run_sketch(found, "SelfTest", tmp_path / "stored")
    assert [line.partition("  ")[0] for line in answers] == labels
    assert result == "4 of 4 samples as on the desk"
    if input == "serial":
        said = run_sketch(found, "SerialRows", tmp_path / "rows", packed(images()))
        assert said == [*labels, f"{4 * 14} rows"]


@pytest.mark.long(seconds=5)
def test_samples_are_pushed(tmp_path: Path):
    """The sketch `SelfTest` pushes the stored samples. The sketch `Listen` pushes the samples of an analog pin, from
    which it subtracts the middle of the pin's range.
    """
    need_tools("uno")
    (tmp_path / "sums.mlir").write_text(running_sum("sums"))
    out, packages = tmp_path / "out", ("arduino",)
    compile_model(Request(model=tmp_path / "sums.mlir", out=out, input="push", target="uno", packages=packages))
    found = out / "arduino/sums"
    assert [path.stem for path in sketches(found)] == ["Listen", "SelfTest"]
    assert run_sketch(found, "SelfTest", tmp_path / "stored")[-1] == "5 of 5 samples as on the desk"
    (512 + np.arange(18) * 8).astype(np.int16).tofile(tmp_path / "readings")
    said = run_sketch(found, "Listen", tmp_path / "listen", readings=tmp_path / "readings")
    sums = np.arange(18).reshape(3, 3, 2).sum(1) / 64
    for line, expected in zip(said, sums, strict=True):
        np.testing.assert_allclose([float(word) for word in line.split()], expected, atol=1e-4)
    sketch = found / "examples/Listen/Listen.ino"
    flags = ["-mmcu=atmega328p", "-DF_CPU=16000000UL"]
    compile_sketch(found, sketch, tmp_path / "avr", prefix="avr-", flags=flags)


@pytest.mark.long(seconds=5)
def test_words_are_heard_by_the_rule_of_the_command(tmp_path: Path):
    need_tools("uno")
    (tmp_path / "sums.mlir").write_text(running_sum("sums", classifies=True))
    out = tmp_path / "out"
    compile_model(
        Request(model=tmp_path / "sums.mlir", out=out, input="push", stride=1, target="uno", packages=("arduino",))
    )
    readings = np.random.default_rng(1).integers(256, 768, 240)
    readings.astype(np.int16).tofile(tmp_path / "readings")
    heard = tinyml.open(out).listen((readings - 512) / 512, rate=1.0)
    sketch = out / "arduino/sums/examples/Listen/Listen.ino"
    text = sketch.read_text()
    for smooth, threshold, pause, background in ((1, 0, 0, -1), (3, 0.25, 4, -1), (2, 0, 0, 1)):
        constants = f"SMOOTH {smooth}", f"THRESHOLD = {threshold}", f"PAUSE = {pause}", f"BACKGROUND = {background}"
        changed = text
        for constant in constants:
            changed = re.sub(rf"{re.escape(constant.rpartition(' ')[0])} -?\d+", constant, changed, count=1)
        sketch.write_text(changed)
        said = run_sketch(out / "arduino/sums", "Listen", tmp_path / "listen", readings=tmp_path / "readings")
        # A pause ends with the answer that is due after it.
        rule = Rule(
            smooth=smooth,
            threshold=float(threshold),
            refractory=Seconds(pause + 1),
            background=() if background < 0 else (str(background),),
        )
        words = words_in(rule, np.arange(len(heard.times)), heard.scores, heard.names)
        assert said == [f"class {word.label}" for word in words]
        assert len(words) > 5


@pytest.mark.long(seconds=10)
def test_a_detector_tells_anomalies(tmp_path: Path):
    """The sketch of a detector reads three pins, converts their values to the unit of the training data, and prints the
    decisions that the program makes in Python. Its self-test passes, and both sketches compile for the AVR.
    """
    need_tools("uno")
    random = np.random.default_rng(2)
    usual = random.normal(0, 0.1, (200, 96)) + np.tile([0, 0, 1], 32)
    motion = features.Motion(samples=96, axes=3, frame=48, hop=48, rate=50, bands=[(5, 15)])
    device = features.for_device(motion, np.vstack([usual, 4 * usual]))
    means = sk.KMeans(2, n_init=1, random_state=0).fit(device(usual[:100]))
    model = device.followed_by(tinyml.load(means, detector=True))
    given: Any = {"board": "uno", "input": "push", "format": "fixed", "width": 16}
    with warnings.catch_warnings(action="ignore"):
        program = tinyml.compile(model, usual[100:], false_alarms=0.05, **given)
    found = program.save(tmp_path / "out", packages=["arduino"]) / "arduino" / program.name
    shaken = usual[:6] + np.repeat([0, 1], 3)[:, None] * random.normal(0, 1, (6, 96))
    readings = (512 + 68.2 * shaken).clip(0, 1023).astype(np.int16)
    readings.tofile(tmp_path / "readings")
    sketch = found / "examples/Listen/Listen.ino"
    text = sketch.read_text()
    assert "RATE = 150;" in text
    for before, after in (("{A0};", "{A0, A1, A2};"), ("UNIT = 1.0f / 512", "UNIT = 1 / 68.2f")):
        assert before in text
        text = text.replace(before, after)
    sketch.write_text(text)
    said = run_sketch(found, "Listen", tmp_path / "listen", readings=tmp_path / "readings")
    decided = program.predict((readings - 512) / 68.2)
    assert {*decided} == {1, -1}
    assert [line.split(",")[0] for line in said] == ["normal" if each > 0 else "anomaly" for each in decided]
    assert run_sketch(found, "SelfTest", tmp_path / "stored")[-1].endswith("samples as on the desk")
    for each in (sketch, found / "examples/SelfTest/SelfTest.ino"):
        compile_sketch(found, each, tmp_path / "avr", prefix="avr-", flags=["-mmcu=atmega328p", "-DF_CPU=16000000UL"])
    assert "Finds anomalies in 96 numbers." in (found / "README.md").read_text()


OTHERS = {"mkr1000": "gnu++11", "due": "gnu++11", "pico": "gnu++17", "nano33ble": "gnu++14", "esp32-c3": "gnu++20"}
"""Boards of other families, and the standard of C++ in which their cores are compiled."""


@pytest.mark.long
@pytest.mark.parametrize("target", spread(OTHERS, 2))
def test_sketches_compile_for_other_families(target: str, tmp_path: Path):
    need_tools(target)
    model, chip = sensor_model(tmp_path, target, packages=("arduino",)), chip_of(target)
    freestanding = [f"-I{CORE / 'freestanding'}"] if "-ffreestanding" in chip.flags else []
    flags = [*chip.flags, *board(target).flags, *freestanding]
    prefix, cxx = chip.prefix, OTHERS[target]
    for sketch in sketches(library(model)):
        compile_sketch(library(model), sketch, tmp_path / sketch.stem, prefix=prefix, flags=flags, cxx=cxx)
    properties = (library(model) / "library.properties").read_text()
    architectures = dict.fromkeys(name.split(":")[1] for name in board(target).arduino)
    assert f"\narchitectures={','.join(architectures)}\n" in properties
