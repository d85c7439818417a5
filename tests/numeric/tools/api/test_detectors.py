"""Compiled anomaly detectors in Python: their decisions, their thresholds for a rate of false alarms, and advice in
error messages that leads to a program that fits.
"""

from __future__ import annotations

import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from hypothesis.strategies import integers
from numpy.typing import NDArray
from programs.estimators import sk, skl2onnx
from programs.spread import spread

import tinyml
from tinyml import features
from tinyml.dialects.errors import InputError
from tinyml.tools.driver.choice.statistics import Detector, LossModel
from tinyml.tools.driver.detection import FAR_DISTANCE, rank_losses, ranks

RANDOM = np.random.default_rng(5)
USUAL = RANDOM.normal(size=(500, 4)).astype(np.float32)
STRANGE = (RANDOM.normal(size=(100, 4)) * 3).astype(np.float32)
SPREAD = np.array([1, 100, 0.01, 3], np.float32)
ALONE = np.tile(np.arange(4) == 0, (100, 1))
BOTH = np.vstack([USUAL[200:400], STRANGE[:50]]), np.repeat([1, -1], [200, 50])
HELD = np.vstack([USUAL[400:], STRANGE[50:]]), np.repeat([1, -1], [100, 50])


@pytest.mark.long
def test_a_choice_keeps_decisions_and_the_rate_of_false_alarms() -> None:
    detector = sk.IsolationForest(n_estimators=10, random_state=0).fit(USUAL[:200])
    program = tinyml.compile(detector, *BOTH, X_test=HELD[0], y_test=HELD[1], board="host", false_alarms=0.05)
    assert program.threshold is not None
    exact = detector.score_samples(HELD[0])
    assert (detector.score_samples(BOTH[0][:200]) < program.threshold).mean() == pytest.approx(0.05)
    decisions = program.score_samples(HELD[0]) - program.threshold
    np.testing.assert_allclose(program.decision_function(HELD[0]), decisions, atol=1e-4)
    far = np.abs(exact - program.threshold) > FAR_DISTANCE * np.ptp(exact)
    found = program.predict(HELD[0])
    assert (found != np.where(exact < program.threshold, -1, 1))[far].mean() <= 0.005
    detection: Any = program.report.detection
    right = float((found == HELD[1]).mean())
    assert program.score(*HELD) == right
    assert program.report.accuracy == pytest.approx(100 * right, abs=1e-3)
    assert detection["threshold"] == program.threshold
    assert detection["formats"]["alarms"] == (found[:100] < 0).mean()
    assert detection["formats"]["found"] == (found[100:] < 0).mean()
    rates = (
        f"false alarms {100 * (found[:100] < 0).mean():.2f} %",
        f"anomalies found {100 * (found[100:] < 0).mean():.2f} %",
    )
    said = str(program.report)
    assert all(rate in said for rate in (f"a score below {program.threshold:.4g} is an anomaly", *rates))
    page = (program.folder / "report.html").read_text("utf-8")
    assert "of the normal samples anomalies" in page
    assert f"below the threshold, {program.threshold:.4g}, is an anomaly" in page
    assert detection["reals"]["auc"] == pytest.approx(sk.roc_auc_score(HELD[1], exact))


@pytest.mark.long(seconds=5)
def test_what_does_not_fit_names_a_value_that_fits() -> None:
    """The error for a detector that exceeds the memory of an ATtiny85 proposes a value of `nu`. A detector with this
    value fits.
    """
    x = np.vstack([USUAL, STRANGE])[:, :1]
    with pytest.raises(InputError, match=r"about \d+ would fit: fit it with nu=") as refused:
        tinyml.compile(sk.OneClassSVM(nu=0.95, gamma=0.5).fit(x), x[::6], board="attiny85")
    found = re.search(r"nu=([0-9.]+\d)", str(refused.value))
    assert found is not None
    with warnings.catch_warnings(action="ignore"):
        tinyml.compile(sk.OneClassSVM(nu=float(found[1]), gamma=0.5).fit(x), x[::6], board="attiny85", width=8)


@pytest.mark.long
def test_other_models_detect_nothing() -> None:
    regressor = sk.LinearRegression().fit(USUAL, USUAL[:, 0])
    program = tinyml.compile(regressor, USUAL, board="host")
    with pytest.raises(InputError, match="detects no anomalies: false_alarms="):
        program.decision_function(USUAL)
    two = sk.LinearRegression().fit(USUAL, USUAL[:, :2])
    with pytest.raises(InputError, match="a detector gives one score"):
        tinyml.compile(two, USUAL, board="host", false_alarms=0.1)


def test_a_judge_counts_what_the_area_and_the_order_lose() -> None:
    scores = RANDOM.normal(size=300)
    bad = RANDOM.permutation(300) < 60
    scores[bad] -= 1.5
    noisy = scores + RANDOM.normal(size=300) * 0.5
    own = np.arange(300)

    def points(anomalous: Any, threshold: float) -> float:
        detector = Detector(threshold, anomalous, own[:0], scores[:0])
        judge = LossModel(own * 0, None, scores[:, None], own, numbers=True, detector=detector)
        assert judge.loss(own * 0, scores[:, None]).points == 0
        found = judge.loss(own * 0, noisy[:, None])
        assert found.bound > found.points
        return found.points

    area = [float(sk.roc_auc_score(~bad, each)) for each in (scores, noisy)]
    assert points(bad, -100.0) == pytest.approx(100 * (area[0] - area[1]))
    first, second = (each.argsort().argsort() for each in (scores, noisy))
    assert points(None, -100.0) == pytest.approx(100 * (1 - np.corrcoef(first, second)[0, 1]))
    decided = ((scores < 0) != (noisy < 0)) & (np.abs(scores) > FAR_DISTANCE / 2 * np.ptp(scores))
    assert points(bad, 0.0) == pytest.approx(max(100 * (area[0] - area[1]), 100 * decided.mean()))


def test_a_judge_counts_decisions_far_from_the_data_and_the_rarer_kind() -> None:
    own, scores = np.arange(200), np.linspace(-1, 1, 200)
    bad = own < 20
    judge = LossModel(
        own * 0, None, scores[:, None], own, True, Detector(-0.8, bad, own[:4], np.array([-9.0, -9, 0, 0]))
    )
    found = judge.loss(own * 0, scores[:, None])
    # Twenty anomalies are few: the bound decides.
    assert (found.points, found.groups) == (0, 20)
    assert judge.with_far(found, np.array([-9.0, 0.5, 0, 0])).points == 25


@given(arrays(np.int64, (2, 12), elements=integers(0, 4)))
def test_losses_of_ranks_are_those_of_spearman(scores: NDArray[np.int64]) -> None:
    one, other = scores
    lost = float(rank_losses(one, other).mean())
    if np.ptp(scores, axis=1).all():
        assert lost == pytest.approx(1 - float(np.corrcoef(ranks(one), ranks(other))[0, 1]))
    else:
        assert lost == float(np.ptp(scores, axis=1).any())


ON_USUAL = {
    "support vectors": sk.OneClassSVM(nu=0.1),
    "local densities": sk.LocalOutlierFactor(n_neighbors=8, novelty=True, contamination=0.05),
    "ellipse": sk.EllipticEnvelope(contamination=0.05, random_state=0),
    "components": sk.PCA(2),
}


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("name", spread(ON_USUAL, 2))
def test_detectors_compiled_on_usual_samples_tell_far_anomalies(name: str) -> None:
    detector = sk.make_pipeline(sk.StandardScaler(), sk.clone(ON_USUAL[name])).fit(USUAL[:200] * SPREAD)
    usual, held = USUAL[200:400] * SPREAD, USUAL[400:] * SPREAD
    exact, program = (
        tinyml.compile(detector, usual, board="host", false_alarms=0.02, format=format) for format in ("f32", "auto")
    )
    threshold, detection = exact.threshold, program.report.detection
    assert threshold is not None
    assert detection is not None
    assert detection["far"] <= 0.01
    alone = held + np.where(RANDOM.permuted(ALONE, axis=1), 8, 0) * SPREAD
    samples = np.vstack([held, 2 * held, 5 * held, 50 * held, alone]).astype(np.float32)
    scores = exact.score_samples(samples)
    far = np.abs(scores - threshold) > FAR_DISTANCE * np.ptp(exact.score_samples(usual))
    assert (program.predict(samples) != np.where(scores < threshold, -1, 1))[far].mean() <= 0.005


@pytest.mark.long
def test_a_program_that_misses_far_anomalies_says_so() -> None:
    detector = sk.make_pipeline(sk.StandardScaler(), sk.OneClassSVM(nu=0.1)).fit(USUAL[:200])
    with pytest.warns(tinyml.CompileWarning, match="of the samples far from the data are classified differently"):
        tinyml.compile(detector, USUAL[200:400], board="host", false_alarms=0.02, format="fixed", width=4)


@pytest.mark.long(seconds=5)
def test_a_front_end_saturates_beyond_the_samples_of_its_scales() -> None:
    random = np.random.default_rng(5)
    turns = np.sin(np.arange(64) * random.uniform(0.5, 0.6, (300, 1)))
    signals = (turns + random.normal(0, 0.05, (300, 64))).astype(np.float32)
    front_end = features.Spectrogram(samples=64, frame=32, hop=32, rate=1000, bands=4, floor=0.01)

    def compiled(known: NDArray[Any]) -> tinyml.Program:
        device = features.for_device(front_end, known)
        means = sk.KMeans(3, n_init=1, random_state=0).fit(device(signals[:150]))
        whole = device.followed_by(tinyml.load(means, detector=True))
        return tinyml.compile(whole, signals[150:], board="host", false_alarms=0.02)

    with pytest.warns(tinyml.CompileWarning, match="choose its scales for four times the range of these samples"):
        compiled(signals)
    found = compiled(np.vstack([signals, 4 * signals])).report.detection
    assert found is not None
    assert found["far"] < 0.01


@pytest.mark.long
def test_a_rate_of_false_alarms_counts_samples() -> None:
    detector = sk.EllipticEnvelope(contamination=0.05, random_state=0).fit(USUAL[:200])
    for rate, below in ((0, 0), (0.29, 29), (0.5, 50)):
        program = tinyml.compile(detector, USUAL[200:300], board="host", false_alarms=rate, format="f32")
        assert (program.predict(USUAL[200:300]) < 0).sum() == below
        np.testing.assert_array_equal(program.decision_function(USUAL) < 0, program.predict(USUAL) < 0)


@pytest.mark.long
def test_a_threshold_below_all_samples_is_within_the_format() -> None:
    """Decisions about outliers equal the estimator's even if no sample given to compilation is near the threshold,
    because the format of the scores always contains the threshold.
    """
    detector = sk.EllipticEnvelope(contamination=0.001, random_state=0).fit(USUAL)
    near = USUAL[np.abs(USUAL).max(1) < 0.5]
    with pytest.warns(tinyml.CompileWarning, match=r"^X_val: the formats are chosen by 16 samples"):
        program = tinyml.compile(detector, near, board="host", format="fixed", width=16)
    np.testing.assert_array_equal(program.predict(STRANGE * 3), detector.predict(STRANGE * 3))


@pytest.mark.long(seconds=10)
def test_loaded_models_and_trusted_files_become_detectors(tmp_path: Path) -> None:
    means = sk.KMeans(4, n_init=1, random_state=0).fit(USUAL)
    file = tmp_path / "means.pkl"
    file.write_bytes(pickle.dumps(means))
    expected = tinyml.compile(means, USUAL, board="host", false_alarms=0.1).score_samples(USUAL)
    loaded = tinyml.load(means)
    found = tinyml.compile(loaded, USUAL, board="host", false_alarms=0.1)
    np.testing.assert_array_equal(found.score_samples(USUAL), expected)
    with pytest.raises(InputError, match="runs the code that it holds"):
        tinyml.compile(file, USUAL, board="host", false_alarms=0.1)
    found = tinyml.compile(file, USUAL, board="host", false_alarms=0.1, trust_pickle=True)
    np.testing.assert_array_equal(found.score_samples(USUAL), expected)


@pytest.mark.parametrize("name", ["IsolationForest", "OneClassSVM", "KMeans", "PCA"])
@pytest.mark.parametrize("options", [{}, {"format": "fixed"}, {"format": "zeroskew", "width": 8}], ids=str)
def test_a_detector_has_no_class_to_ask_for(name: str, options: dict[str, Any]) -> None:
    given = {"IsolationForest": {"n_estimators": 3}, "PCA": {"n_components": 2}}.get(name, {})
    detector = getattr(sk, name)(**given).fit(USUAL[:100])
    with pytest.raises(InputError, match=r"^leave out outputs='class': a detector of anomalies gives a score"):
        tinyml.compile(detector, USUAL[:100], board="host", outputs="class", false_alarms=0.05, **options)


def test_labels_of_another_kind_are_explained() -> None:
    detector = sk.IsolationForest(n_estimators=5, random_state=0).fit(USUAL)
    with pytest.raises(InputError, match=r"got 0 in sample 0: np.where\(y == 1, -1, 1\)"):
        tinyml.compile(detector, BOTH[0], (BOTH[1] < 0).astype(int), board="host")


def correlated(seed: int) -> Any:
    """Samples near a two-dimensional plane, followed by as many samples away from it."""
    random = np.random.default_rng(seed)
    plane = random.normal(size=(2, 6))
    near, beside = (random.normal(size=(300, 2)) @ plane for _ in range(2))
    return tuple((x + random.normal(0, noise, x.shape)).astype(np.float32) for x, noise in ((near, 0.1), (beside, 1.0)))


@pytest.mark.long(seconds=5)
def test_distances_become_detectors(tmp_path: Path) -> None:
    """Three kinds of models can be compiled to detectors: a k-means by the distance to the nearest centre, a PCA by the
    distance to its subspace, and an autoencoder by its reconstruction error.
    """
    near, beside = correlated(3)
    scaler = sk.StandardScaler().fit(near)
    means = sk.KMeans(4, n_init=1, random_state=0).fit(near)
    pca = sk.PCA(2).fit(scaler.transform(near))
    network = sk.MLPRegressor(hidden_layer_sizes=(2,), activation="identity", solver="lbfgs", random_state=0)
    file = tmp_path / "autoencoder.onnx"
    file.write_bytes(skl2onnx.to_onnx(network.fit(near, near), near[:1]).SerializeToString())
    scaled = scaler.transform(beside)
    cases: list[tuple[Any, Any]] = [
        (means, means.transform(beside).min(1) ** 2),
        (sk.make_pipeline(scaler, pca), ((pca.inverse_transform(pca.transform(scaled)) - scaled) ** 2).sum(1)),
        (file, ((network.predict(beside) - beside) ** 2).mean(1)),
    ]
    for model, errors in cases:
        both = np.vstack([near, beside])
        program = tinyml.compile(model, both, board="host", format="fixed", width=16, false_alarms=0.4)
        np.testing.assert_allclose(program.score_samples(beside), -errors, atol=0.01 * np.ptp(errors))
        assert program.threshold is not None
        far = np.abs(errors + program.threshold) > FAR_DISTANCE * np.ptp(errors)
        found = np.where(-errors < program.threshold, -1, 1)
        assert (program.predict(beside) != found)[far].mean() <= 0.005
    with pytest.raises(InputError, match="all components are kept"):
        tinyml.load(sk.PCA(6).fit(near), detector=True)
