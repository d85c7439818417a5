"""Compiled detectors of anomalies in Python: decisions, thresholds by a rate of false alarms, advice that fits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import sk, skl2onnx

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.tools.driver.choice.statistics import Detector, Judge
from tinyml.tools.driver.detection import FAR

RANDOM = np.random.default_rng(5)
USUAL = RANDOM.normal(size=(500, 4)).astype(np.float32)
STRANGE = (RANDOM.normal(size=(100, 4)) * 3).astype(np.float32)
BOTH = np.vstack([USUAL[200:400], STRANGE[:50]]), np.repeat([1, -1], [200, 50])
HELD = np.vstack([USUAL[400:], STRANGE[50:]]), np.repeat([1, -1], [100, 50])


def test_a_choice_keeps_decisions_and_the_rate_of_false_alarms() -> None:
    detector = sk.IsolationForest(n_estimators=10, random_state=0).fit(USUAL[:200])
    program = tinyml.compile(detector, *BOTH, X_test=HELD[0], y_test=HELD[1], board="host", false_alarms=0.05)
    assert program.threshold is not None
    exact = detector.score_samples(HELD[0])
    assert (detector.score_samples(BOTH[0][:200]) < program.threshold).mean() == pytest.approx(0.05)
    np.testing.assert_allclose(program.decision_function(HELD[0]), program.score_samples(HELD[0]) - program.threshold)
    far = np.abs(exact - program.threshold) > FAR * np.ptp(exact)
    found = program.predict(HELD[0])
    assert (found != np.where(exact < program.threshold, -1, 1))[far].mean() <= 0.005
    detection: Any = program.report.detection
    right = float((found == HELD[1]).mean())
    assert program.score(*HELD) == right
    assert program.report.accuracy == pytest.approx(100 * right, abs=1e-3)
    assert detection["formats"]["alarms"] == (found[:100] < 0).mean()
    assert detection["reals"]["auc"] == pytest.approx(sk.roc_auc_score(HELD[1], exact))


def test_what_does_not_fit_names_a_value_that_fits() -> None:
    """An ATtiny85 has 512 bytes of RAM."""
    x = np.vstack([USUAL, STRANGE])[:, :1]
    with pytest.raises(InputError, match=r"about \d+ would fit: fit it with nu=") as refused:
        tinyml.compile(sk.OneClassSVM(nu=0.95, gamma=0.5).fit(x), x[::6], board="attiny85")
    found = re.search(r"nu=([0-9.]+\d)", str(refused.value))
    assert found is not None
    tinyml.compile(sk.OneClassSVM(nu=float(found[1]), gamma=0.5).fit(x), x[::6], board="attiny85", width=8)


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
        judge = Judge(own * 0, None, scores[:, None], own, numbers=True, detector=Detector(threshold, anomalous))
        assert judge.loss(own * 0, scores[:, None]).points == 0
        found = judge.loss(own * 0, noisy[:, None])
        assert found.bound > found.points
        return found.points

    area = [float(sk.roc_auc_score(~bad, each)) for each in (scores, noisy)]
    assert points(bad, -100.0) == pytest.approx(100 * (area[0] - area[1]))
    first, second = (each.argsort().argsort() for each in (scores, noisy))
    assert points(None, -100.0) == pytest.approx(100 * (1 - np.corrcoef(first, second)[0, 1]))
    decided = ((scores < 0) != (noisy < 0)) & (np.abs(scores) > FAR / 2 * np.ptp(scores))
    assert points(bad, 0.0) == pytest.approx(max(100 * (area[0] - area[1]), 100 * decided.mean()))


def correlated(seed: int) -> Any:
    """Samples near a plane of two dimensions, and as many around it."""
    random = np.random.default_rng(seed)
    plane = random.normal(size=(2, 6))
    near, beside = (random.normal(size=(300, 2)) @ plane for _ in range(2))
    return tuple((x + random.normal(0, noise, x.shape)).astype(np.float32) for x, noise in ((near, 0.1), (beside, 1.0)))


def test_distances_become_detectors(tmp_path: Path) -> None:
    """To the centres of a k-means, to the components of a PCA, and to what an autoencoder makes of its input."""
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
        far = np.abs(errors + program.threshold) > FAR * np.ptp(errors)
        found = np.where(-errors < program.threshold, -1, 1)
        assert (program.predict(beside) != found)[far].mean() <= 0.005
    with pytest.raises(InputError, match="all components are kept"):
        tinyml.load(sk.PCA(6).fit(near), detector=True)
