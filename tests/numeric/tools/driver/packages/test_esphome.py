"""The components of ESPHome report the answers of the evaluator, in a substitute for ESPHome and in ESPHome itself.

`make folders FROM=DIR` also checks the configurations with the virtual environment DIR/esphome (`pip install esphome`),
and builds and runs the program that ESPHome generates for this computer.
"""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs import gural_murmann
from programs.esphome_components import components_run
from programs.estimators import sk
from programs.other_tools import from_folder, passed
from programs.paths import TESTS
from programs.sensor_models import CLASSES, inputs, sensor_model
from programs.sounds import WAKE_WORDS, wake_word

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.listening import answers_to
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, in_reals
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import board
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.packages.packaging_table import packagings_for
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import load_program, print_ir

LISTENS = """\
#include "tinyml_hey_jarvis/component.h"
#include "tinyml_okay_nabu/component.h"

#include <cstdio>
#include <cstring>

template <typename Model> static void listen(Model &model, esphome::microphone::MicrophoneSource &source, int id)
{
    model.set_microphone(&source);
    model.add_background(0);
    model.set_pause(66);
    model.get_answer_trigger()->does = [&model, id](const std::string &name, int16_t label) {
        std::printf("answer %d %d %a %s\\n", id, label, static_cast<double>(model.score(0)), name.c_str());
    };
    model.get_detected_trigger()->does = [id](const std::string &name, int16_t) {
        std::printf("detected %d %s\\n", id, name.c_str());
    };
    model.setup();
    model.dump_config();
}

int main(int, char **arguments)
{
    static esphome::tinyml_hey_jarvis::Model first, second;
    static esphome::tinyml_okay_nabu::Model other;
    static esphome::microphone::MicrophoneSource sources[3];
    listen(first, sources[0], 0);
    listen(second, sources[1], 1);
    listen(other, sources[2], 2);
    std::FILE *const files[] = {std::fopen(arguments[1], "rb"), std::fopen(arguments[2], "rb")};
    std::vector<uint8_t> data;
    bool more = true;
    for (unsigned block = 1; more; block = block * 5 % 1009) {
        more = false;
        for (int id = 0; id < 3; id++) {
            data.resize(2 * block);
            data.resize(std::fread(data.data(), 1, id == 1 ? 0 : data.size(), files[id / 2]));
            more |= !data.empty();
            sources[id].callback(data);
            if (id == 0)
                sources[1].callback(data);
        }
        first.loop();
        second.loop();
        other.loop();
    }
    first.stop();
    first.stop();
    std::printf("started %d %d\\n", sources[0].started, sources[1].started);
    return 0;
}
"""


SENSES = """\
#include "tinyml_gestures/component.h"

#include <cstdio>

int main(void)
{{
    static esphome::tinyml_gestures::Model model;
    static esphome::sensor::Sensor sensors[6];
    static const float rows[][6] = {{
{rows}
    }};
    model.set_inputs({{&sensors[0], &sensors[1], &sensors[2], &sensors[3], &sensors[4], &sensors[5]}});
    model.get_answer_trigger()->does = [](const std::string &name, int16_t label) {{
        std::printf("%s %d %d", name.c_str(), label, model.label());
        for (int i = 0; i < 3; i++)
            std::printf(" %a", static_cast<double>(model.score(i)));
        std::printf("\\n");
    }};
    model.setup();
    model.update(); /* The sensors have no state. */
    for (const auto &row : rows) {{
        std::array<float, 6> values;
        for (size_t i = 0; i < 6; i++)
            sensors[i].state = values[i] = row[i];
        model.update();
        model.predict(values);
    }}
    return 0;
}}
"""

PUSHES = """\
#include "tinyml_network/component.h"

#include <cstdio>

int main(int, char **arguments)
{
    static esphome::tinyml_network::Model models[2];
    static esphome::sensor::Sensor sensor;
    for (auto &model : models) {
        model.set_inputs({&sensor});
        model.get_answer_trigger()->does = [&model](int16_t label) {
            std::printf("%d", label);
            for (int i = 0; i < network_OUTPUT_LENGTH; i++)
                std::printf(" %a", static_cast<double>(model.score(i)));
            std::printf("\\n");
        };
        model.setup();
    }
    std::FILE *const file = std::fopen(arguments[1], "rb");
    while (std::fread(&sensor.state, sizeof sensor.state, 1, file) == 1)
        for (auto &model : models)
            model.update();
    return 0;
}
"""


@cache
def word_program(word: str) -> tinyml.Program:
    return tinyml.compile(WAKE_WORDS / f"{word}.json", board="esp32-s3", instances=True)


def lines_of(out: Path, found: Outputs) -> list[list[str]]:
    """The label and the scores of each answer, as the programs of this file print them."""
    formats = load_program(out / "ir" / "1-formats.mlir", context())
    scores = in_reals(formats, found).scores
    assert scores is not None
    rows = scores.reshape(len(scores), -1).astype(np.float32)
    labels = found.classes.tolist()
    return [[str(label), *map(printed, row)] for label, row in zip(labels, rows.tolist(), strict=True)]


def printed(number: float) -> str:
    """A number as `printf` prints it with %a."""
    mantissa, exponent = number.hex().split("p")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{'0x0' if mantissa == '0x' else mantissa}p{exponent}"


def heard(program: tinyml.Program, samples: NDArray[Any]) -> list[list[str]]:
    """The answers of a program without components to a recording."""
    interface = interface_of(load_program(program.folder / "ir" / "1-formats.mlir", context()))
    found = answers_to(program.folder, interface, samples, target="host", optimize="-O1").outputs
    return lines_of(program.folder, found)


@pytest.mark.long(seconds=20)
def test_wake_words_are_heard(tmp_path: Path):
    """Two instances of a word, and another word, in blocks of all sizes, with the answers of each alone.

    The first answer is that of the evaluator for the first window. Each word is detected once.
    """
    samples = {word: wake_word(word) for word in ("hey_jarvis", "okay_nabu")}
    outs: list[Path] = []
    for word, each in samples.items():
        each.tofile(tmp_path / word)
        outs.append(word_program(word).save(tmp_path / f"out_{word}", packages=["esphome"]))
    said = components_run(outs, LISTENS, tmp_path, *(tmp_path / word for word in samples))
    for number, word in enumerate(["hey_jarvis", "hey_jarvis", "okay_nabu"]):
        program, spoken = word_program(word), word.replace("_", " ").title()
        own = [line[2:] for line in said if line[:2] == ["answer", str(number)]]
        expected = heard(program, samples[word])
        assert [line[:2] for line in own] == expected
        formats = load_program(program.folder / "ir" / "1-formats.mlir", context())
        window = samples[word][None, : interface_of(formats).input_length]
        assert lines_of(program.folder, evaluate(formats, window)) == expected[:1]
        assert {" ".join(line[2:]) for line in own} == {"nothing", spoken}
        assert [line[2:] for line in said if line[:2] == ["detected", str(number)]] == [spoken.split()]
    assert said[-1] == ["started", "0", "1"]


@pytest.mark.long(seconds=4)
@pytest.mark.parametrize("instances", [False, True])
@pytest.mark.parametrize("target", ["esp8266", "esp32-c3", "pico"])
def test_states_of_sensors_become_classes(target: str, instances: bool, tmp_path: Path):
    out = sensor_model(tmp_path, target, packages=("esphome",), instances=instances, width=16).out
    x = inputs(50).astype(np.float32)
    rows = ",\n".join(f"        {{{', '.join(f'{value!r}f' for value in row)}}}" for row in x.tolist())
    said = components_run([out], SENSES.format(rows=rows), tmp_path)
    formats = load_program(out / "ir" / "1-formats.mlir", context())
    each = lines_of(out, evaluate(formats, encode_inputs(formats, x)))
    assert said == [[CLASSES[int(line[0])], line[0], *line] for line in each for _ in range(2)]


@pytest.mark.long(seconds=10)
def test_samples_of_a_stream_are_pushed(tmp_path: Path):
    images = gural_murmann.images(np.load(gural_murmann.FOLDER / "test.npz")["x"])[:4]
    (tmp_path / "network.mlir").write_text(print_ir(gural_murmann.program()))
    np.savez(tmp_path / "images.npz", x=images)
    options: dict[str, Any] = {"name": "network", "input": "push", "instances": True, "packages": ("esphome",)}
    options |= {"model": tmp_path / "network.mlir", "val": tmp_path / "images.npz", "out": tmp_path / "out"}
    compile_model(Request(target="esp32-c3", **options))
    images.astype(np.float32).tofile(tmp_path / "samples")
    formats = load_program(tmp_path / "out/ir/1-formats.mlir", context())
    each = lines_of(tmp_path / "out", evaluate(formats, encode_inputs(formats, images)))
    said = components_run([tmp_path / "out"], PUSHES, tmp_path, tmp_path / "samples")
    assert said == [line for line in each for _ in range(2)]


FIRMWARE = """\
esphome:
  name: firmware
host:
logger:
external_components:
  - source:
      type: local
      path: components
microphone:
  - platform: esphome_recording
    id: mic
    file: "{recording}"
tinyml_hey_jarvis:
{instances}
tinyml_okay_nabu:
  id: other
  microphone: mic
  on_answer:
    - lambda: 'printf("other %d %a\\n", label, (double) id(other).score(0));'
  on_detected:
    - lambda: 'printf("detected %s\\n", name.c_str());'
"""

INSTANCE = """\
  - id: {name}
    microphone: mic
    pause: 1s
    on_answer:
      - lambda: 'printf("{name} %d %a\\n", label, (double) id({name}).score(0));'
    on_detected:
      - lambda: 'printf("detected %s\\n", name.c_str());'
"""


def esphome() -> Path:
    """The program of the virtual environment DIR/esphome; skips the test without it."""
    return from_folder("esphome", "bin/esphome")


def audio_of_this_computer(to: Path) -> None:
    """Write the component `audio` of the installed ESPHome, which ESPHome permits for the ESP32 only, for all chips."""
    [source] = esphome().parent.parent.glob("lib/python*/site-packages/esphome/components/audio")
    to.mkdir()
    for name in ("audio.h", "audio.cpp"):
        shutil.copy(source / name, to)
    text = (
        (source / "__init__.py").read_text().replace("cv.only_on_esp32,", "").replace('AUTO_LOAD = ["', 'OTHERS = ["')
    )
    (to / "__init__.py").write_text(f"{text}\n\nasync def to_code(config):\n    pass\n")


@pytest.mark.long(seconds=60)
def test_the_program_of_esphome_hears_the_same_words(tmp_path: Path):
    """Two instances of a word and another word on one microphone, in the main loop of ESPHome on this computer."""
    program = esphome()
    components = tmp_path / "components"
    samples = np.concatenate([wake_word("hey_jarvis"), wake_word("okay_nabu"), np.zeros(480, np.int16)])
    samples.tofile(tmp_path / "recording")
    for word in ("hey_jarvis", "okay_nabu"):
        out = word_program(word).save(tmp_path / word, packages=["esphome"])
        shutil.copytree(out / "esphome/components", components, dirs_exist_ok=True)
    shutil.copytree(TESTS / "programs/esphome_recording", components / "esphome_recording")
    audio_of_this_computer(components / "audio")
    instances = "".join(INSTANCE.format(name=name) for name in ("first", "second"))
    yaml = tmp_path / "firmware.yaml"
    yaml.write_text(FIRMWARE.format(recording=tmp_path / "recording", instances=instances))
    passed([program, "config", yaml], folder=tmp_path)
    passed([program, "compile", "--only-generate", yaml], folder=tmp_path)
    source = tmp_path / ".esphome/build/firmware/src"
    objects: list[Path] = []
    for file in [*source.rglob("*.cpp"), *source.rglob("*.c")]:
        objects.append(tmp_path / f"{len(objects)}.o")
        compiler = ["gcc", "-std=gnu17"] if file.suffix == ".c" else ["g++", "-std=gnu++20"]
        passed([*compiler, "-DUSE_HOST", "-ffp-contract=off", "-I", source, "-c", file, "-o", objects[-1]])
    passed(["g++", *objects, "-o", tmp_path / "firmware", "-lpthread", "-lm"])
    said = [line.split() for line in passed([tmp_path / "firmware"], folder=tmp_path).splitlines()]
    for name, word in {"first": "hey_jarvis", "second": "hey_jarvis", "other": "okay_nabu"}.items():
        assert [line[1:] for line in said if line[:1] == [name]] == heard(word_program(word), samples)
    words = [" ".join(line[1:]) for line in said if line[:1] == ["detected"]]
    assert sorted(words) == ["Hey Jarvis", "Hey Jarvis", "Okay Nabu"]


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize("target", ["esp32", "esp8266", "pico", "esp32-s3"])
def test_the_example_is_a_configuration(target: str, tmp_path: Path):
    """A microphone, six sensors, and more inputs than an example has sensors, for chips of each platform."""
    program = esphome()
    if target == "esp32-s3":
        out = word_program("okay_nabu").save(tmp_path / "out", packages=["esphome"])
    elif target == "esp32":
        x = np.random.default_rng(0).normal(size=(30, 20)).astype(np.float32)
        fitted = sk.LogisticRegression().fit(x, x[:, :3].argmax(1))
        out = tinyml.compile(fitted, x, board=target).save(tmp_path / "out", packages=["esphome"])
    else:
        out = sensor_model(tmp_path, target, packages=("esphome",)).out
    [yaml] = (out / "esphome").glob("*.yaml")
    for command in (["config"], ["compile", "--only-generate"]):
        passed([program, *command, yaml])
    assert len([*(out / "esphome/.esphome/build").glob("*/src/esphome/components/tinyml_*/*.c")]) == 1


@pytest.mark.long(seconds=4)
def test_what_is_no_program_of_esphome(tmp_path: Path):
    with pytest.raises(InputError, match="uno is no board of ESPHome"):
        packagings_for(board("uno"), ["esphome"], zipped=False)
    with pytest.raises(InputError, match="ESPHome has no microphones for esp8266"):
        tinyml.compile(WAKE_WORDS / "hey_jarvis.json", board="esp8266").save(tmp_path / "a", packages=["esphome"])
