"""Anomaly detectors: scores, thresholds and decisions equal scikit-learn's, on reals, in formats and on boards."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.estimators import Halves, in_format, scores_of, sk
from programs.on_boards import difference, printed

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, in_reals
from tinyml.tools.driver.detection import FAR_DISTANCE, anomalies

Array = NDArray[Any]


def drawn(seed: int, features: int = 5, samples: int = 400) -> Halves:
    """Samples of a random normal distribution, and held-out samples, every second of which is scaled by a random factor
    from 1 to 4 and labelled as an outlier.
    """
    random = np.random.default_rng(seed)
    shape, centre = random.normal(size=(features, features)), random.normal(0, 3, features)
    x, held = (random.normal(size=(samples, features)) for _ in range(2))
    held[::2] *= random.uniform(1, 4, (len(held[::2]), 1))
    usual = np.arange(samples) % 2
    one, other = ((each @ shape + centre).astype(np.float32) for each in (x, held))
    return Halves(one, np.ones(samples), other, np.where(usual, 1, -1))


DETECTORS = {
    "forest": sk.IsolationForest(n_estimators=10, random_state=0),
    "forest of some features": sk.IsolationForest(
        n_estimators=12, max_samples=64, max_features=3, contamination=0.1, random_state=0
    ),
    "support vectors": sk.make_pipeline(sk.StandardScaler(), sk.OneClassSVM(nu=0.1)),
    "support vectors of powers": sk.make_pipeline(sk.StandardScaler(), sk.OneClassSVM(kernel="poly", degree=2, nu=0.1)),
    "linear on kernels": sk.make_pipeline(
        sk.StandardScaler(), sk.Nystroem(n_components=12, random_state=0), sk.SGDOneClassSVM(nu=0.1, random_state=0)
    ),
    "ellipse": sk.make_pipeline(sk.StandardScaler(), sk.EllipticEnvelope(contamination=0.05, random_state=0)),
    "local densities": sk.make_pipeline(
        sk.StandardScaler(), sk.LocalOutlierFactor(n_neighbors=8, novelty=True, contamination=0.05)
    ),
}


def fitted(name: str, data: Halves) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return sk.clone(DETECTORS[name]).fit(data.x)


@pytest.mark.long
@pytest.mark.parametrize("name", DETECTORS)
def test_scores_and_decisions_are_those_of_the_estimator(name: str, tmp_path: Path) -> None:
    """Scores on reals equal those of `score_samples`. In 16 bits, decisions equal those of `predict` for at least 99.5
    % of the samples whose distance to the threshold is more than 1 % of the range of scores. Devices compute the
    evaluator's bits.
    """
    data = drawn(1)
    detector = fitted(name, data)
    module, expected = import_estimator(detector), detector.score_samples(data.held_x)
    threshold = tdsl.read_interface(module).threshold
    assert threshold is not None
    exact = scores_of(evaluate_reals(module, data.held_x))[:, 0]
    np.testing.assert_allclose(exact, expected, rtol=1e-4, atol=1e-5 * np.ptp(expected))
    np.testing.assert_allclose(exact - threshold, detector.decision_function(data.held_x), atol=1e-4 * np.ptp(expected))
    formats = in_format(module, Halves(np.vstack([data.x, data.held_x]), data.y, data.held_x, data.y), "fixed", 16)
    outputs = evaluate(formats, encode_inputs(formats, data.held_x))
    far = np.abs(expected - threshold) > FAR_DISTANCE * np.ptp(expected)
    found = np.where(anomalies(formats, outputs, threshold), -1, 1)
    assert (found != detector.predict(data.held_x))[far].mean() <= 0.005
    errors = np.abs(scores_of(in_reals(formats, outputs))[:, 0] - expected)
    assert np.quantile(errors, 0.99) < 0.025 * np.ptp(expected)
    for target in ("uno", "cortex-m4"):
        source = printed(formats, target, tmp_path / target)
        raws = encode_inputs(formats, data.held_x[:3])
        assert difference(formats, raws, source, runner_for(target), tmp_path / f"{target}-build") is None


def test_a_covariance_measures_distances_and_has_no_threshold() -> None:
    data = drawn(2)
    covariance = sk.MinCovDet(random_state=0).fit(data.x)
    module = import_estimator(covariance)
    found = scores_of(evaluate_reals(module, data.held_x))[:, 0]
    np.testing.assert_allclose(found, -covariance.mahalanobis(data.held_x), rtol=1e-4)
    assert tdsl.read_interface(module).threshold is None


def test_copies_of_samples_keep_densities_within_formats() -> None:
    """For samples near ten copies of a training sample, where scikit-learn's densities are about 10^10, magnitudes of
    scores stay below 10^4. The scores of all other samples equal scikit-learn's.
    """
    data = drawn(3)
    x = np.vstack([data.x, np.repeat(data.x[:5], 10, axis=0)])
    with warnings.catch_warnings(action="ignore"):
        detector = sk.LocalOutlierFactor(n_neighbors=8, novelty=True, contamination=0.05).fit(x)
    found = scores_of(evaluate_reals(import_estimator(detector), data.held_x))[:, 0]
    expected = detector.score_samples(data.held_x)
    untouched = np.abs(expected) < 100
    assert untouched.mean() > 0.8
    np.testing.assert_allclose(found[untouched], expected[untouched], rtol=1e-3)
    assert np.abs(found).max() < 1e4
    assert (found < -2)[~untouched].all()
