"""MLPerf Tiny's streaming wake word, compared with its definition and with TensorFlow Lite Micro, and on devices."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.streaming_network import FRAMES, SCALE, streaming_network
from programs.tflite_models import SAME, computed_by_tflm

import tinyml
from tinyml import features
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.signals.front_ends import mel_matrix
from tinyml.lowering.frontends.signals.log_mel import LogMel
from tinyml.runtime.devices.listening import answers_to
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.api.loading import load

FOLDER = Path(__file__).parents[3] / "models" / "mlperf"
MODEL = FOLDER / "str_ww_ref_model.tflite"

CUTOFF = 0.95
"""The benchmark's firmware detects a word where the raw of its probability exceeds 115."""

WORDS = [(1.0, 1.647625), (4.0, 4.76175), (7.0, 7.358625)]
"""The seconds in which the words are spoken, from the benchmark's `sww_short_test.json`."""


@pytest.fixture(scope="module", name="sound")
def padded_recording() -> NDArray[np.int16]:
    """The recording, preceded by half a frame of silence, so that the first frame ends with the recording's first 512
    samples.
    """
    with np.load(FOLDER / "short_wav_easy10s.npz") as data:
        return np.concatenate([np.zeros(512, np.int16), data["samples"]])


@pytest.fixture(scope="module", name="rows")
def features_of_recording(sound: NDArray[np.int16]) -> NDArray[np.int8]:
    """The features of every frame, (frames, 40), as raws of the model's input."""
    scores = evaluate(LogMel(samples=len(sound), scale=SCALE).module(), sound[None]).scores
    assert scores is not None
    return scores.reshape(-1, 40).astype(np.int8)


@pytest.fixture(scope="module", name="program")
def program_on_host() -> tinyml.Program:
    return tinyml.compile(MODEL, features=features.LogMel(), cutoff=CUTOFF, board="host")


def answers_of(program: tinyml.Program, samples: NDArray[np.int16], target: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """The classes and the raws of the probabilities that a program computes for samples on a target."""
    interface = interface_of(load(program.folder / "ir" / "1-formats.mlir").module)
    found = answers_to(program.folder, interface, samples, target=target, optimize="-Os").outputs
    assert found.labels is not None
    assert found.scores is not None
    return found.labels, found.scores.ravel()


@pytest.mark.long(seconds=5)
def test_features_are_those_of_the_benchmark(sound: NDArray[np.int16], rows: NDArray[np.int8]):
    """The features equal those of the benchmark's definition in double precision, except for fewer than 0.02 % that
    single precision rounds differently, by one step.
    """
    real = sound / 32768
    emphasised = real - 31 / 32 * np.concatenate([[0.0], real[:-1]])
    frames = np.lib.stride_tricks.sliding_window_view(emphasised, 1024)[::512]
    powers = np.abs(np.fft.rfft(frames * np.hamming(1024)))[:, :512] ** 2 / 1024
    bands = np.maximum(powers @ mel_matrix(40, 512, 16000.0, 0.0, 8000.0).T, 1e-30)
    reals = ((10 * np.log10(bands) + 52) / 64).clip(0, 1)
    expected = np.trunc(reals / SCALE - 128).clip(-128, 127)
    assert rows.shape == expected.shape == (312, 40)
    assert np.abs(rows - expected).max() <= 1
    assert (rows != expected).mean() < 2e-4
    assert len(np.unique(rows)) > 150


def test_features_without_a_scale_are_floats(sound: NDArray[np.int16], rows: NDArray[np.int8]):
    front_end = LogMel(samples=4096)
    device = features.for_device(front_end, sound[None, :4096] / 32768)
    reals = device(sound[None, 16384:20480] / 32768).reshape(-1, 40)
    inside = rows[33:39] > -128
    assert np.abs(reals[1:] / SCALE - 128 - rows[33:39])[inside].max() < 1.001


@pytest.mark.long(seconds=10)
def test_probabilities_are_those_of_tflm_over_each_window(
    program: tinyml.Program, sound: NDArray[np.int16], rows: NDArray[np.int8]
):
    windows = np.stack([rows[i : i + FRAMES, None] for i in range(len(rows) - FRAMES + 1)])
    [theirs] = computed_by_tflm(MODEL.read_bytes(), windows)
    labels, probabilities = answers_of(program, sound, "host")
    np.testing.assert_array_equal(probabilities, theirs[:, 0])
    np.testing.assert_array_equal(labels, theirs[:, 0] > 115)


def detected(above: NDArray[np.bool_]) -> tuple[list[bool], int]:
    """For each word, whether it is detected by the rule of the benchmark's runner, and the number of other
    detections.
    """
    times = (np.flatnonzero(above) + FRAMES) * 512 / 16000
    inside = [(times >= begin) & (times <= end + 1) for begin, end in WORDS]
    return [bool(each.any()) for each in inside], int((~np.any(inside, 0)).sum())


@pytest.mark.long
def test_words_of_the_short_recording(program: tinyml.Program, sound: NDArray[np.int16]):
    """The program detects the first two words and misses the third, as the benchmark documents for this recording. With
    a cutoff of 0.85 it detects all three, since the probability of the third word is 0.89.
    """
    labels, probabilities = answers_of(program, sound, "host")
    assert detected(labels == 1) == ([True, True, False], 0)
    assert detected((probabilities + 128.0) / 256 > 0.85) == ([True, True, True], 0)


@pytest.mark.long(seconds=10)
def test_a_board_computes_the_same_bits_in_time(sound: NDArray[np.int16], program: tinyml.Program):
    board = tinyml.compile(MODEL, features=features.LogMel(), cutoff=CUTOFF, board="nucleo-l4r5zi")
    part = sound[: 50 * 512]
    for ours, theirs in zip(answers_of(board, part, "cortex-m4"), answers_of(program, part, "host"), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert board.report.stream is not None
    assert (board.report.stream["hop"], board.report.stream["stride"]) == (512, 1)
    # Published for the benchmark's board: 2.146 million cycles.
    assert board.report.stream["longest_hop"] < 200_000
    assert board.report.ram_bytes.total is not None
    assert board.report.ram_bytes.total < 12_000


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (streaming_network(), {}, "cutoff is missing"),
        (streaming_network(), {"cutoff": 1.0}, "from 0 to less than 1, got 1.0"),
        (streaming_network(), {"cutoff": 0.999}, "no probability exceeds the cutoff 0.999"),
        (
            streaming_network(),
            {"cutoff": 0.5, "window": 5},
            "each probability is compared with the cutoff: omit window",
        ),
        (streaming_network(outputs=2), {"cutoff": 0.5}, "the model has 2 outputs, a wake word has one"),
        (streaming_network(channels=20), {"cutoff": 0.5}, "rows of 20 features, not of 40"),
        (
            streaming_network(padding=SAME),
            {"cutoff": 0.5},
            "of several frames: a streaming wake word consists of convolutions",
        ),
        (
            streaming_network(stride=2),
            {"cutoff": 0.5},
            "of several frames: a streaming wake word consists of convolutions",
        ),
    ],
)
def test_what_is_no_streaming_network(content: bytes, options: dict[str, Any], said: str, tmp_path: Path):
    file = tmp_path / "word.tflite"
    file.write_bytes(content)
    with pytest.raises(InputError, match=said):
        tinyml.compile(file, features=LogMel(), board="host", **options)


def test_networks_that_read_other_inputs():
    keeps_states = FOLDER.parent / "microwakeword" / "hey_jarvis.tflite"
    with pytest.raises(InputError, match="expected a model quantised to 8 bits that reads images of one column"):
        tinyml.compile(keeps_states, features=LogMel(), cutoff=0.5, board="host")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"frame": 1000}, "a power of two of samples, at least 8, got 1000"),
        ({"frame": 4}, "a power of two of samples, at least 8, got 4"),
        ({"hop": 1025}, "at most their length of 1024 samples apart, got 1025"),
        ({"rate": float("inf")}, "the rate is finite and above 0"),
        ({"scale": 0.0}, "a scale above 0 and a zero from -128 to 127"),
        ({"scale": 1.0, "zero": 128}, "a scale above 0 and a zero from -128 to 127"),
        ({"bands": 0}, "some of 0 bands contain no bin"),
        ({"bands": 300}, "some of 300 bands contain no bin"),
    ],
)
def test_parameters_at_their_limits(options: dict[str, Any], said: str):
    with pytest.raises(InputError, match=said):
        LogMel(**options)
    replace(LogMel(), hop=1024, zero=127, scale=1.0)
