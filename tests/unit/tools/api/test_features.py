"""Front ends: in floating point they equal numpy and scipy, and their approximations on devices are close to floating
point.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.signals import noise, tones

import tinyml
from tinyml import features
from tinyml.lowering.frontends.signals.motion import band_pass
from tinyml.runtime.evaluator.evaluator import evaluate_as_it_is, evaluate_reals

# These packages have no types.
dct: Any = import_module("scipy.fft").dct
filters: Any = import_module("scipy.signal")
LogisticRegression: Any = import_module("sklearn.linear_model").LogisticRegression

SAMPLES, FRAME, HOP, RATE = 192, 64, 64, 4000.0


def signals(count: int, seed: int) -> NDArray[np.float32]:
    return np.clip(0.7 * tones(count, SAMPLES, seed) + 0.1 * noise(count, SAMPLES, seed), -1, 1).astype(np.float32)


def magnitudes(x: NDArray[np.float32]) -> NDArray[np.float64]:
    """The magnitudes of the bins of each frame, of shape (signals, frames, bins)."""
    frames = np.stack([x[:, at : at + FRAME] for at in range(0, SAMPLES - FRAME + 1, HOP)], 1).astype(np.float64)
    return np.abs(np.fft.rfft(frames * filters.get_window("hann", FRAME)))[..., :-1]


def test_bands_are_those_of_tensorflow():
    """The weights equal those of `tf.signal.linear_to_mel_weight_matrix`. The test computes each weight as the
    documentation of this function specifies.
    """
    matrix = features.mel_matrix(5, 32, 4000.0, 100.0, 1800.0)
    mel = [1127.0 * np.log(1 + frequency / 700.0) for frequency in (100.0, 1800.0)]
    corners = [mel[0] + (mel[1] - mel[0]) * i / 6 for i in range(7)]
    for band in range(5):
        left, middle, right = corners[band : band + 3]
        for k in range(1, 32):
            at = 1127.0 * np.log(1 + k * 4000.0 / 64 / 700.0)
            weight = max(0.0, min((at - left) / (middle - left), (right - at) / (right - middle)))
            assert matrix[band, k] == pytest.approx(weight, abs=1e-6)
    assert not matrix[:, 0].any()


def test_float_twins_of_spectrograms():
    x = signals(6, 1)
    shape: dict[str, Any] = {"samples": SAMPLES, "frame": FRAME, "hop": HOP, "rate": RATE}
    wanted = magnitudes(x)
    found = features.float_features(features.Spectrogram(**shape), x).reshape(wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=0.03)
    powers = features.Spectrogram(**shape, power=True, bands=8, low=60.0, floor=0.1, coefficients=6)
    bands = wanted**2 @ features.mel_matrix(8, FRAME // 2, RATE, 60.0, RATE / 2).T
    cepstra = dct(np.log(bands + 0.1), norm="ortho")[..., :6]
    np.testing.assert_allclose(features.float_features(powers, x).reshape(cepstra.shape), cepstra, atol=1e-5)


def test_frames_are_filled_with_zeros():
    x, front_end = signals(3, 7), features.Spectrogram(samples=SAMPLES, frame=100, hop=92)
    frames = np.stack([x[:, :100], x[:, 92:]], 1).astype(np.float64) * filters.get_window("hann", 100)
    wanted = np.abs(np.fft.rfft(frames, 128))[..., :-1].reshape(3, -1)
    np.testing.assert_allclose(features.float_features(front_end, x), wanted, rtol=0.03)


def test_running_means_and_differences():
    """With `normalise` and `delta`, the features of each bin are its difference from a running mean, and the change of
    this difference since the previous frame. Both begin with zeros and do not depend on later frames.
    """
    x = signals(4, 2)
    shape: dict[str, Any] = {"samples": SAMPLES, "frame": FRAME, "hop": HOP}
    plain = features.float_features(features.Spectrogram(**shape), x).reshape(4, 3, -1)
    mean, before, wanted = np.zeros(plain[:, 0].shape), np.zeros(plain[:, 0].shape), list[NDArray[np.float64]]()
    for row in plain.swapaxes(0, 1):
        mean = mean + 0.25 * (row - mean)
        wanted += [row - mean, row - mean - before]
        before = row - mean
    front_end = features.Spectrogram(**shape, normalise=0.25, delta=True)
    np.testing.assert_allclose(features.float_features(front_end, x), np.concatenate(wanted, 1), atol=1e-6)


def test_running_means_of_square_waves():
    x = signals(4, 8)
    shape: dict[str, Any] = {"samples": SAMPLES, "rate": RATE, "frequencies": [200, 900], "floor": 0.01}
    rows = features.float_features(features.SquareWaves(**shape), x).reshape(4, 3, 2)
    mean, wanted = np.zeros((4, 2)), list[NDArray[np.float64]]()
    for row in rows.swapaxes(0, 1):
        mean = mean + 0.25 * (row - mean)
        wanted.append(row - mean)
    found = features.float_features(features.SquareWaves(**shape, normalise=0.25), x)
    np.testing.assert_allclose(found, np.concatenate(wanted, 1), atol=1e-6)


def test_motion():
    x = signals(5, 3).reshape(5, -1, 3)
    front_end = features.Motion(samples=SAMPLES, frame=SAMPLES, hop=3)
    deviations = x - x.mean(1, keepdims=True)
    turns = (deviations[:, 1:] * deviations[:, :-1] < 0).mean(1)
    wanted = np.concatenate([x.mean(1), x.var(1), turns], 1)
    np.testing.assert_allclose(features.float_features(front_end, x), wanted, atol=1e-6)


def test_energies_of_motion_in_bands():
    x, limits = signals(5, 3).reshape(5, -1, 3), (4.0, 10.0)
    front_end = features.Motion(samples=SAMPLES, frame=SAMPLES, hop=3, rate=50, bands=[limits, (1.0, 2.0)])
    found = features.float_features(front_end, x.reshape(5, -1)).reshape(5, 5, 3)
    b0, b1, b2, *poles = coefficients = band_pass(*limits, 50)
    filtered = filters.lfilter([b0, b1, b2], [1, *poles], x - x.mean(1, keepdims=True), axis=1)
    np.testing.assert_allclose(found[:, 3], (filtered**2).mean(1), atol=1e-6)
    _, gains = filters.freqz(coefficients[:3], [1, *poles], [*limits, 0.5, 24.0, 40**0.5], fs=50)
    np.testing.assert_allclose(np.abs(gains[[0, 1, 4]]), [0.7, 0.7, 1], atol=0.08)
    assert np.abs(gains[2:4]).max() < 0.1


@pytest.mark.long
@pytest.mark.parametrize(
    ("front_end", "error"),
    [
        (features.Spectrogram(samples=SAMPLES, frame=FRAME, rate=RATE, bands=8, floor=0.1, coefficients=6), 0.02),
        (features.SquareWaves(samples=SAMPLES, rate=RATE, frequencies=[200, 500, 900, 1500], floor=0.01), 0.01),
        (features.Motion(samples=SAMPLES, frame=FRAME - 1, hop=FRAME - 1, bands=[(4, 10)]), 0.02),
    ],
)
def test_the_device_is_near_the_float_twin(front_end: features.FrontEnd, error: float):
    device = features.for_device(front_end, signals(40, 4))
    x = signals(20, 5)
    found, wanted = device(x), features.float_features(front_end, x)
    assert found.shape == wanted.shape == (20, front_end.frames * front_end.features)
    # A few numbers beyond those of the profile saturate.
    assert np.quantile(np.abs(found - wanted), 0.97) < error * np.abs(wanted).max()


def test_a_model_follows_with_the_bits_that_it_was_trained_on():
    front_end = features.Motion(samples=SAMPLES, frame=SAMPLES, hop=3)
    x, y = signals(40, 6), np.arange(40) % 2
    device = features.for_device(front_end, x)
    model = LogisticRegression().fit(device(x), y)
    joined = device.followed_by(model)
    reals = evaluate_reals(tinyml.load(model).module, device(x).astype(np.float32))
    found = evaluate_as_it_is(joined.module, x, lambda value, values: None)
    assert found.scores is not None
    assert reals.scores is not None
    np.testing.assert_allclose(found.scores.reshape(40, -1), reals.scores.reshape(40, -1), atol=1e-5)
    with pytest.raises(tinyml.InputError, match="the front end gives 9 features, the model takes"):
        device.followed_by(LogisticRegression().fit(x, y))


@pytest.mark.long
def test_integers_of_a_microphone_are_those_of_a_front_end_with_formats():
    """With the input unit `q15`, integers of a microphone and the reals that they represent have the same scores;
    -32768 counts as -32767. Other units are rejected, since the input of the front end already has a format.
    """
    front_end = features.Motion(samples=SAMPLES, frame=SAMPLES // 2, hop=SAMPLES // 2)
    x, y = signals(40, 6), np.arange(40) % 2
    device = features.for_device(front_end, x)
    model = device.followed_by(LogisticRegression().fit(device(x), y))
    integers = np.round(x.astype(np.float64) * 2**15).clip(-(2**15), 2**15 - 1).astype(np.int16)
    integers[0, 0] = -(2**15)
    plain = tinyml.compile(model, integers / 2**15, board="host")
    taken = tinyml.compile(model, integers / 2**15, board="host", input_unit="q15", input="push")
    assert (taken.scores(integers) == taken.scores(integers / 2**15)).all()
    assert (taken.scores(integers) == plain.scores(integers / 2**15)).all()
    with pytest.raises(tinyml.InputError, match=r"the input has a format of its own, .*: quantization='anew' makes"):
        tinyml.compile(model, x, board="host", input_unit="adc10")


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (features.Motion, {"bands": 8}, r"bands of Motion: expected a list of pairs .*, got 8"),
        (features.Motion, {"bands": [5, 20]}, r"bands of Motion: expected a list of pairs .*, got \[5"),
        (features.Motion, {"bands": "ab"}, "bands of Motion: expected a list of pairs"),
        (features.Motion, {"axes": 2.5}, "axes of Motion: expected an integer, got 2.5"),
        (features.Spectrogram, {"samples": "a"}, "samples of Spectrogram: expected an integer, got 'a'"),
        (features.Spectrogram, {"bands": [3]}, "bands of Spectrogram: expected an integer"),
        (features.Spectrogram, {"power": 1}, "power of Spectrogram: expected True or False, got 1"),
        (features.SquareWaves, {"frequencies": 5}, "frequencies of SquareWaves: expected a list of numbers, got 5"),
    ],
)
def test_parameters_of_another_type_are_named(kind: Any, given: dict[str, Any], message: str):
    with pytest.raises(TypeError, match=message):
        kind(**{"samples": 768, **given})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: features.Spectrogram(samples=100), "frames of 256 samples, 128 apart, do not fit a signal of 100"),
        (lambda: features.Spectrogram(samples=100, frame=6), "has at least 8 samples, got 6"),
        (lambda: features.Spectrogram(samples=64, frame=64, bands=33), "there are from 1 to 32 bands, got 33"),
        (lambda: features.Spectrogram(samples=64, frame=64, coefficients=3), "there are from 1 to 0 coefficients"),
        (lambda: features.Spectrogram(samples=64, frame=64, bands=30), "some of 30 bands contain no bin"),
        (lambda: features.Spectrogram(samples=64, frame=64, high=5000.0), "do not fit 8000.0 samples per second"),
        (lambda: features.Spectrogram(samples=64, frame=64, floor=0.0), "the floor of a logarithm"),
        (lambda: features.Spectrogram(samples=64, frame=64, normalise=1.5), "moves by a share between 0 and 1"),
        (lambda: features.Motion(samples=64, frame=32, hop=32), "have whole readings of 3 axes"),
        (
            lambda: features.Motion(samples=96, frame=96, hop=3, bands=[(5, 25)]),
            "a band from 5 to 25 Hz does not fit 50.0",
        ),
        (
            lambda: features.for_device(
                features.Motion(samples=12, frame=12, hop=12), np.ones((2, 12)), widths=["rows:8"]
            ),
            "expected TENSOR:BITS with one of the tensors signal, .*, got 'rows:8'",
        ),
        (lambda: features.SquareWaves(samples=64, frequencies=[5000.0]), "frequencies are from 0.49 to 4000.0 Hz"),
        (lambda: features.SquareWaves(samples=32, frequencies=[500.0]), "32 samples have no chunk of 64"),
        (
            lambda: features.float_features(features.SquareWaves(samples=64, frequencies=[500.0]), np.zeros((2, 63))),
            "expected signals of 64 samples each, got an array of shape",
        ),
    ],
)
def test_parameters_that_do_not_fit(make: object, message: str):
    assert callable(make)
    with pytest.raises(tinyml.InputError, match=message):
        make()
