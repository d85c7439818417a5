"""The examples that are programs: a small version of LeNet, pruned, retrained and compiled; features of gestures; the
augmentation of spoken digits, and the measures of their recognition.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.paths import LENET, ROOT
from programs.streamed_networks import answers

from tinyml import features
from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals
from tinyml.tools.driver.stages import load_program
from tinyml.tools.main import main as tinyml


@pytest.fixture(scope="module", name="example")
def load_example() -> Any:
    file = ROOT / "examples/pruned-lenet/prune_lenet.py"
    spec = importlib.util.spec_from_file_location("prune_lenet", file)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_slopes_are_those_of_the_loss(example: Any):
    """In the example that prunes LeNet, the derivative of the loss equals a finite difference for one element of every
    tensor of weights.
    """
    read: dict[str, NDArray[np.float32]] = example.read_weights(example.LENET)
    weights = {name: value.astype(np.float64) for name, value in read.items()}
    x, y = (part[:3] for part in example.images())

    def loss() -> float:
        scores = example.forward(weights, x)[2]
        return float((np.log(np.exp(scores).sum(1)) - scores[np.arange(3), (y + 1) % 10]).mean())

    slopes = example.slopes(weights, x, (y + 1) % 10)
    for name, value in weights.items():
        place = tuple(extent // 2 for extent in value.shape)
        before = value[place]
        value[place] = before + 1e-5
        above = loss()
        value[place] = before - 1e-5
        below = loss()
        value[place] = before
        assert slopes[name][place] == pytest.approx((above - below) / 2e-5, rel=1e-3, abs=1e-6), name


@pytest.mark.long
def test_lenet_is_pruned_trained_and_compiled(example: Any, tmp_path: Path):
    figures = example.prune_lenet(tmp_path / "out", 850, 3, 400, "host")
    assert figures["accuracy before"] == 98.6
    assert figures["accuracy pruned"] < 80 < 90 < figures["accuracy trained"]
    before, after = (figures[f"compiled {name}"] for name in ("before", "trained"))
    assert after["ram_bytes"]["arena"] < before["ram_bytes"]["arena"] - 200
    assert after["accuracy"] > figures["accuracy trained"] - 2
    # The weights of the training loop are those of the compiled program.
    trained = example.read_weights(tmp_path / "out/trained.onnx")
    assert trained["conv1_W"].shape == (4, 1, 5, 5)
    assert trained["fc_W"].shape == (10, 192)
    x = example.images()[0][:5]
    scores = evaluate_reals(load_program(tmp_path / "out/trained.onnx", context()), x.reshape(5, -1)).scores
    assert scores is not None
    np.testing.assert_allclose(scores.reshape(5, -1), example.forward(trained, x)[2], rtol=1e-4, atol=1e-4)
    report = json.loads((tmp_path / "out/trained/report.json").read_text())
    assert report["segments"]


@pytest.mark.long
def test_lenet_in_seedots_language_is_the_network_of_onnx(example: Any, tmp_path: Path):
    """On reals, LeNet in SeeDot's language computes the scores of the ONNX model.

    In 16 bits it fits an MKR1000, computes the evaluator's outputs there, and classifies 98.6 % of 500 images
    correctly, as on reals. `prune_lenet.py` provides network and images.
    """
    images, labels = example.images()
    flat = images.reshape(len(images), -1)
    scores, of_onnx = (
        evaluate_reals(load_program(file, context()), flat[:50]).scores for file in (LENET, example.LENET)
    )
    assert scores is not None
    assert of_onnx is not None
    np.testing.assert_allclose(scores, of_onnx.reshape(50, -1), rtol=1e-6, atol=1e-6)
    for name, part in (("val", slice(1000)), ("test", slice(1000, 1500))):
        np.savez(tmp_path / f"{name}.npz", x=flat[part], y=labels[part])
    data = [f"--{name}={tmp_path / name}.npz" for name in ("val", "test")]
    options = ["--target", "mkr1000", "--width", "16", *data, "-o", str(tmp_path / "out")]
    assert tinyml(["compile", str(LENET), *options]) == 0
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert (report["accuracy"], report["accuracy_float"]) == (98.6, 98.6)
    assert report["mismatch"] is None
    assert report["fits"]


@pytest.mark.long
def test_features_of_gestures_are_exact_and_stream(monkeypatch: pytest.MonkeyPatch):
    """The features of generated readings are the same in numpy, in floating point, in formats, and streamed chunk by
    chunk. The readings contain runs, and numbers beyond the range.
    """
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "examples/gestures")])
    pod: Any = import_module("gesture_pod")
    readings: NDArray[np.int64] = pod.wandering(600, 5)
    exact = pod.numpy_features(readings)[::20]
    assert exact[:, 1].max() > 20 < exact[:, 2].max()
    x, front_end = pod.windows(readings, 20), pod.GesturePod()
    np.testing.assert_array_equal(features.float_features(front_end, x), exact)
    device = features.for_device(front_end, pod.for_scales()[::5], width=16, widths=["chunks:8"])
    np.testing.assert_array_equal(device(x), exact)
    raws = encode_inputs(device.program, readings.reshape(1, -1).astype(np.float32))
    streamed = answers(device.program, 1, raws)
    assert len(streamed) == len(x)
    whole = evaluate(device.program, encode_inputs(device.program, x.astype(np.float32))).scores
    assert whole is not None
    for answer, expected in zip(streamed, whole, strict=True):
        assert answer.scores is not None
        np.testing.assert_array_equal(answer.scores[0], expected)


@pytest.fixture(scope="module", name="spoken")
def spoken_digits() -> Iterator[None]:
    """Make the modules of the example importable."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(ROOT / "examples/spoken_digits")])
        yield


@pytest.mark.long
@pytest.mark.usefixtures("spoken")
def test_augmented_words_have_features_of_the_front_end():
    """Unchanged magnitudes have the features of the front end in floating point. A shift of formants moves a tone to
    the bands of the shifted frequency. Batches contain the expected share of noise, and masks hide up to two bands
    and five frames.
    """
    augmentation: Any = import_module("augmentation")
    front_end = augmentation.FRONT_END
    with np.load(ROOT / "examples/spoken_digits/clips/clips.npz") as data:
        clips, digits = data["theo"][::4].astype(np.float32) / 32768, data["theo_digits"][::4]
    expected = features.float_features(front_end, clips).reshape(len(clips), front_end.frames, -1)
    found = np.stack([augmentation.bands(clip, front_end.hop, 1.0) for clip in clips])
    found = augmentation.normalised(found, np.zeros((len(clips), front_end.features)))
    # The front end approximates magnitudes.
    np.testing.assert_allclose(found, expected, atol=0.05)
    time, bands = np.arange(5120) / 8000, list[int]()
    for shift in (augmentation.SHIFTS[0], augmentation.SHIFTS[-1]):
        shifted, tone = (
            augmentation.bands(np.sin(2 * np.pi * frequency * time).astype(np.float32), front_end.hop, factor)
            for frequency, factor in ((1000, shift), (1000 * shift, 1.0))
        )
        band = tone.mean(0).argmax()
        assert shifted.mean(0).argmax() == band
        bands.append(band)
    assert bands[1] > bands[0] + 1
    examples = augmentation.Augmentation(list(clips), digits)
    x, y = examples.batch(400, np.random.default_rng(0))
    assert x.shape == (400, front_end.frames, front_end.features)
    assert np.isfinite(x).all()
    # The class of noise has the silent examples, and those in running audio with only a part of a word.
    assert (y == augmentation.NOISE).mean() == pytest.approx(1 - (1 - 0.12) * (1 - 0.5 * 0.4), abs=0.06)
    assert {*y.tolist()} == {*digits.tolist(), augmentation.NOISE}
    hidden = augmentation.masked(np.ones((200, 39, 10)), np.random.default_rng(0)) == 0
    assert hidden.all(1).sum(1).max() == 2
    assert hidden.all(2).sum(1).max() == 5


@pytest.mark.usefixtures("spoken")
def test_own_samples_and_rules_of_spoken_digits():
    own: Any = import_module("own_samples")
    digits = np.repeat(np.arange(10), 8)
    values = np.eye(10)[digits] + np.random.default_rng(0).normal(size=(80, 10)) / 20
    random = np.random.default_rng(1)
    assert own.by_prototypes(values, digits, 1, random) == 1
    # The prototypes of 0 and 9 are equal, so that the six other clips of 9 are confused with 0.
    assert own.by_prototypes(np.eye(10)[digits % 9], digits, 2, random) == 54 / 60
    detect: Any = import_module("detect")
    counts = np.array([[0.9, 100, 30, 10], [0.8, 70, 4, 4], [0.7, 30, 6, 2]])
    assert [detect.best_rule(counts, *limit) for limit in detect.ALLOWED] == [0, 1, 2]
    assert detect.best_rule(counts, "clips", 20) == 2
