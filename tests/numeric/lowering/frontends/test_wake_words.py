"""Wake words from microWakeWord's files, compared with TensorFlow Lite Micro and pymicro-wakeword, and on devices."""

from __future__ import annotations

import json
import re
import shutil
from collections import deque
from functools import cache
from importlib import import_module
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.paths import ROOT
from programs.sounds import sounds, wake_word

import tinyml
from tinyml import features
from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.signals.micro_frontend import MicroFrontend
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.listening import answers_to
from tinyml.runtime.evaluator.evaluator import evaluate, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.api.loading import load
from tinyml.tools.driver.choice import faster_programs

FOLDER = Path(__file__).parents[3] / "models" / "microwakeword"
MODEL, MANIFEST = FOLDER / "hey_jarvis.tflite", FOLDER / "hey_jarvis.json"
CLIPS = ROOT / "examples" / "spoken_digits" / "clips" / "clips.npz"

WINDOW = 5
"""The steps of the sliding mean, as in the manifests."""

WORDS = {"hey_jarvis": (0.97, 8), "okay_nabu": (0.85, 8)}
"""The cutoff in the manifest of each word, and the number of steps in which its recording exceeds the cutoff."""

CUTOFF = WORDS["hey_jarvis"][0]


def arena_of(word: str) -> int:
    """The bytes of RAM that a manifest states for TensorFlow Lite Micro, without the front end and the samples."""
    return json.loads((FOLDER / f"{word}.json").read_text())["micro"]["tensor_arena_size"]


def means_of_tflm(word: str, samples: NDArray[np.int16]) -> NDArray[np.float64]:
    """The mean probability of the last `WINDOW` steps of a word's model, from step `WINDOW` on, computed by TensorFlow
    Lite Micro.
    """
    tflm: Any = import_module("tflite_micro").runtime
    front_end = MicroFrontend(samples=len(samples), scale=float(np.float32(26 / 255)))
    scores = evaluate(front_end.module(), samples[None]).scores
    assert scores is not None
    rows = scores.reshape(-1, 40)
    model = tflm.Interpreter.from_file(str(FOLDER / f"{word}.tflite"))
    last, found = deque[float](maxlen=WINDOW), list[float]()
    for step in range(0, len(rows) - 2, 3):
        model.set_input(rows[None, step : step + 3], 0)
        model.invoke()
        last.append(float(model.get_output(0)[0, 0]) / 256)
        found.append(sum(last) / WINDOW)
    return np.array(found[WINDOW - 1 :])


@cache
def program_of(word: str, board: str) -> tinyml.Program:
    return tinyml.compile(FOLDER / f"{word}.json", board=board)


@pytest.fixture(scope="module", name="programs")
def programs_of_boards() -> dict[str, tinyml.Program]:
    return {board: program_of("hey_jarvis", board) for board in ("host", "nano33ble")}


def answers_of(program: tinyml.Program, samples: NDArray[np.int16], target: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """The classes and the mean probabilities that a program computes for samples on a target."""
    formats = load(program.folder / "ir" / "1-formats.mlir").module
    found = answers_to(program.folder, interface_of(formats), samples, target=target, optimize="-Os").outputs
    assert found.labels is not None
    assert found.scores is not None
    last: Any = predict_function(formats).body.block.last_op
    return found.labels, tdsl.format_of(last.operands[1]).decode(found.scores.ravel())


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize(("board", "target"), [("host", "host"), ("nano33ble", "cortex-m4")])
@pytest.mark.parametrize("word", WORDS)
def test_answers_are_those_of_tflm_and_triggers_those_of_pymicro_wakeword(word: str, board: str, target: str):
    cutoff, count = WORDS[word]
    labels, means = answers_of(program_of(word, board), samples := wake_word(word), target)
    np.testing.assert_allclose(means, means_of_tflm(word, samples), atol=1e-6)
    with np.load(FOLDER / "expected.npz") as expected:
        theirs = expected[word][WINDOW - 1 :]
    np.testing.assert_array_equal(labels, theirs > cutoff)
    assert labels.sum() == count
    # Their interpreter rounds sums of products otherwise.
    assert np.abs(means - theirs).max() < 0.03


LIMITS = {
    ("hey_jarvis", "nano33ble"): (225_000, 7_200),
    ("hey_jarvis", "pico2"): (226_000, 7_200),
    ("hey_jarvis", "esp8266"): (730_000, None),
    ("okay_nabu", "nano33ble"): (268_000, 7_900),
    ("okay_nabu", "pico2"): (268_000, 7_900),
    ("okay_nabu", "esp8266"): (890_000, None),
}
"""Limits on the instructions of the longest step, and on bytes of RAM; the C for esp8266 is that for esp32."""

IN_A_STEP = {"nano33ble": 1_920_000, "pico2": 4_500_000, "esp8266": 7_200_000}
"""Cycles in 30 ms, at 64, 150 and 240 MHz (ESP32)."""


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize(("word", "board"), LIMITS)
def test_a_board_hears_in_time_and_in_less_memory(word: str, board: str):
    """A step, which consists of three frames of the front end and one inference of the model, takes less than a third
    of 30 ms. Where `LIMITS` has a limit on RAM, the RAM with the front end, the samples and the stack is less than
    the arena that the manifest states for the model alone.
    """
    report = program_of(word, board).report
    instructions, ram = LIMITS[word, board]
    assert report.stream is not None
    assert report.stream["hop"] == 480
    assert report.stream["longest_hop"] < instructions < IN_A_STEP[board] / 3
    if ram is not None:
        assert report.ram_bytes.total is not None
        assert report.ram_bytes.total < ram < arena_of(word)


@pytest.mark.long
@pytest.mark.parametrize("word", WORDS)
def test_speech_without_the_word_triggers_nothing(word: str):
    """The program for a wake word detects it neither in 80 spoken digits, interpolated to 16 kHz, nor in the other wake
    word.
    """
    with np.load(CLIPS) as clips:
        rows = np.concatenate([clips["theo"], clips["others"]]).ravel()
    digits = np.interp(np.arange(2 * len(rows)) / 2, np.arange(len(rows)), rows).astype(np.int16)
    [other] = WORDS.keys() - {word}
    samples = np.concatenate([digits, wake_word(other)])
    labels, _ = answers_of(program_of(word, "host"), samples, "host")
    assert len(labels) > 1700
    assert not labels.any()


@pytest.mark.long
def test_a_word_is_heard_above_the_cutoff(programs: dict[str, tinyml.Program]):
    heard = programs["host"].listen(wake_word() / 32768)
    [word] = heard.words(background=["nothing"])
    assert (word.name, word.label) == ("Hey Jarvis", 1)
    assert word.score > CUTOFF > heard.scores[~(heard.labels == "Hey Jarvis"), 1].max()


def another_model() -> bytes:
    """The bytes of the model with one bit changed in each constant of at least 150 elements."""
    content = MODEL.read_bytes()
    changed = bytearray(content)
    for op in read_tflite(content, MODEL.name).walk():
        if isinstance(op, tdsl.ConstOp) and op.raws.size >= 150:
            orders = permutations(range(op.raws.ndim))
            places = (content.find(op.raws.transpose(order).tobytes()) for order in orders)
            changed[next(place for place in places if place >= 0)] ^= 64
    return bytes(changed)


@pytest.fixture(scope="module", name="words")
def two_words(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The .json files of two wake words with different weights and cutoffs."""
    folder = tmp_path_factory.mktemp("words")
    (folder / "lower.tflite").write_bytes(another_model())
    text = MANIFEST.read_text().replace("hey_jarvis.tflite", "lower.tflite").replace("Hey Jarvis", "Lower")
    (folder / "lower.json").write_text(text.replace("0.97", "0.5"))
    return [MANIFEST, folder / "lower.json"]


@pytest.mark.long(seconds=5)
def test_no_other_formats_are_chosen_for_a_front_end(monkeypatch: pytest.MonkeyPatch):
    """The ops of a front end compute on integers of their own. No faster program with other formats is looked for, and
    a request for other formats is refused in one line.
    """

    def nothing(*_: object) -> float:
        return 0.0

    monkeypatch.setattr(faster_programs, "least_time", nothing)
    monkeypatch.setattr(faster_programs, "QUICK", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(faster_programs, "Trials", None)
        program = tinyml.compile(MANIFEST, board="nano33ble")
    assert all(warning["name"] != "faster program" for warning in program.report.warnings)
    samples = np.random.default_rng(0).uniform(-1, 1, (3, load(MANIFEST).features)).astype(np.float32)
    with pytest.raises(
        InputError, match=r"'tdsl\.\w+' computes on integers of \d+ bits .*: its formats cannot be chosen"
    ):
        tinyml.compile(MANIFEST, samples, board="nano33ble", quantization="anew", width=8)


@pytest.mark.long(seconds=5)
def test_words_with_one_front_end_have_the_means_of_each_alone(words: list[Path], programs: dict[str, tinyml.Program]):
    program = tinyml.compile(features.wake_words(words), board="host")
    assert (program.name, program.classes) == ("hey_jarvis_lower", ["nothing", "Hey Jarvis", "Lower"])
    labels, means = answers_of(program, samples := wake_word(), "host")
    _, first = answers_of(programs["host"], samples, "host")
    _, second = answers_of(tinyml.compile(words[1], board="host"), samples, "host")
    np.testing.assert_array_equal(means.reshape(-1, 2), np.stack([first, second], 1))
    np.testing.assert_array_equal(labels, np.where(first > CUTOFF, 1, np.where(second > 0.5, 2, 0)))
    assert {*labels} >= {0, 1}
    assert (first != second).any()


@pytest.mark.long
def test_words_that_cannot_share_a_front_end(words: list[Path], tmp_path: Path):
    shutil.copy(words[1].with_suffix(".tflite"), tmp_path / "longer.tflite")
    text = MANIFEST.read_text().replace("hey_jarvis.tflite", "longer.tflite")
    longer = tmp_path / "longer.json"
    longer.write_text(re.sub(r'("sliding_window_size": *)5', r"\g<1>6", text))
    with pytest.raises(InputError, match=r"have the same window, hey_jarvis.tflite has 5, this one 6"):
        features.wake_words([words[0], longer])
    with pytest.raises(InputError, match=r"expected the .json files of two wake words or more"):
        features.wake_words(words[:1])
    for same in ([words[0], words[0]], [*words, words[1]]):
        with pytest.raises(InputError, match="is the model of another wake word"):
            features.wake_words(same)


@pytest.mark.long
def test_noise_triggers_nothing(programs: dict[str, tinyml.Program]):
    for samples in sounds().values():
        labels, _ = answers_of(programs["host"], samples[:48_000], "host")
        assert not labels.any()


@pytest.mark.long
def test_a_model_with_a_cutoff_is_its_manifest(programs: dict[str, tinyml.Program]):
    program = tinyml.compile(MODEL, features=features.MicroFrontend(), cutoff=CUTOFF, board="host")
    assert program.classes == ["nothing", "wake word"]
    lower = tinyml.compile(MANIFEST, cutoff=0.5, window=3, board="host")
    assert lower.classes == ["nothing", "Hey Jarvis"]
    assert lower.report.stream is not None
    assert lower.report.stream["steps"] == 3
    assert program.c == programs["host"].c


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        (MODEL, {"features": MicroFrontend()}, "cutoff is missing"),
        (MODEL, {"cutoff": 1.0}, "from 0 to less than 1, got 1.0"),
        (MODEL, {"cutoff": 0.999}, "no probability exceeds the cutoff 0.999"),
        (MODEL, {"cutoff": 0.5, "window": 1}, "from 2 to 100, got 1"),
        (MODEL, {"cutoff": 0.5, "features": MicroFrontend(channels=20)}, "rows of 40 features, not of 20"),
        (MODEL, {"cutoff": 0.5, "features": 3}, "expected a MicroFrontend or a LogMel, got int"),
        (MANIFEST.with_name("none.json"), {"cutoff": 0.5}, "cannot read"),
        (3, {"cutoff": 0.5}, "a wake word in a .tflite or .json file"),
    ],
)
def test_what_is_no_wake_word(source: object, options: dict[str, Any], said: str):
    with pytest.raises(InputError, match=said):
        tinyml.compile(source, board="host", **options)


def test_a_manifest_states_its_cutoff(tmp_path: Path):
    file = tmp_path / "word.json"
    for text, said in (
        ('{"model": "word.tflite", "micro": {"sliding_window_size": 5}}', "a wake word has `model`"),
        (
            '{"model": "w.tflite", "micro": {"probability_cutoff": 0.9, "sliding_window_size": 5, '
            '"feature_step_size": 20}}',
            "features every 10 ms, got 20",
        ),
        ('{"model": "w.tflite", "micro": {"probability_cutoff": 0.9, "sliding_window_size": 5}}', "cannot read"),
    ):
        file.write_text(text)
        with pytest.raises(InputError, match=said):
            load(file)


@pytest.mark.parametrize(
    ("model", "word", "cutoff", "window", "said"),
    [
        ('"w.tflite"', '"w"', "0.9", "5.7", "'w.tflite', 'w', 0.9, 5.7"),
        ('"w.tflite"', '"w"', "0.9", "Infinity", "'w.tflite', 'w', 0.9, inf"),
        ('"w.tflite"', '"w"', "0.9", "true", "'w.tflite', 'w', 0.9, True"),
        ('"w.tflite"', '"w"', "NaN", "5", "'w.tflite', 'w', nan, 5"),
        ('"w.tflite"', '"w"', "1" * 400, "5", "'w.tflite', 'w', inf, 5"),
        ('"w.tflite"', "null", "0.9", "5", "'w.tflite', None, 0.9, 5"),
        ("5", '"w"', "0.9", "5", "5, 'w', 0.9, 5"),
        (r'"w\u0000.tflite"', '"w"', "0.9", "5", "cannot read the model"),
        (r'"\ud800.tflite"', '"w"', "0.9", "5", "cannot read the model"),
        ('"http://host/w.tflite"', '"w"', "0.9", "5", "cannot read the model"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"window": 3}])
def test_fields_of_a_manifest_have_their_types(
    model: str, word: str, cutoff: str, window: str, said: str, options: dict[str, Any], tmp_path: Path
):
    file = tmp_path / "word.json"
    micro = f'{{"probability_cutoff": {cutoff}, "sliding_window_size": {window}}}'
    file.write_text(f'{{"model": {model}, "wake_word": {word}, "micro": {micro}}}')
    with pytest.raises(InputError, match=said):
        tinyml.compile(file, board="host", **options)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\udcff"])
@pytest.mark.parametrize("options", [{}, {"window": 3}])
def test_a_broken_manifest_is_refused(text: str, options: dict[str, Any], tmp_path: Path):
    file = tmp_path / "word.json"
    file.write_text(text, "utf-8", "surrogateescape")
    with pytest.raises(InputError, match="not a JSON file"):
        tinyml.compile(file, board="host", **options)


@pytest.mark.parametrize("text", ["[]", "3", '{"micro": 5}', "{}"])
def test_another_json_file_is_no_manifest(text: str, tmp_path: Path):
    file = tmp_path / "word.json"
    file.write_text(text)
    with pytest.raises(InputError, match="expected the description of a wake word of microWakeWord"):
        tinyml.compile(file, board="host", window=3)
