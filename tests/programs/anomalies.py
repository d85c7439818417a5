"""Anomaly detectors on scikit-learn's data sets, trained and compiled on normal samples as a user would."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import tinyml
from programs.estimators import Array, datasets, sk
from tinyml.tools.driver.detection import FAR_DISTANCE

FALSE_ALARMS = 0.05


@dataclass(frozen=True)
class Samples:
    """Normal samples for training and for compilation, and normal samples and anomalies for the test.

    usual: the normal samples for the test.
    """

    train: Array
    val: Array
    usual: Array
    anomalies: Array

    @property
    def test(self) -> Array:
        return np.vstack([self.usual, self.anomalies])


DATA = {"breast cancer": ("load_breast_cancer", 1), "digits": ("load_digits", 3), "wine": ("load_wine", 1)}
"""The function that loads each data set, and the class whose samples are usual."""


@cache
def samples(name: str) -> Samples:
    """The samples of a data set: half of the normal samples for training, a quarter for compilation, and the last
    quarter for the test. The samples of all other classes are anomalies.
    """
    load, usual = DATA[name]
    x, y = getattr(datasets, load)(return_X_y=True)
    x = x.astype(np.float32)
    those = np.random.default_rng(0).permutation(x[y == usual])
    quarter = len(those) // 4
    return Samples(those[: 2 * quarter], those[2 * quarter : 3 * quarter], those[3 * quarter :], x[y != usual])


DETECTORS = {
    "isolation forest": lambda: sk.IsolationForest(n_estimators=20, max_samples=32, random_state=0),
    "support vectors": lambda: sk.OneClassSVM(nu=0.1),
    "ellipse of 5 components": lambda: sk.make_pipeline(
        sk.PCA(5), sk.EllipticEnvelope(contamination=0.05, random_state=0)
    ),
    "local densities": lambda: sk.LocalOutlierFactor(n_neighbors=8, novelty=True),
    "k-means": lambda: sk.KMeans(4, n_init=1, random_state=0),
    "PCA": lambda: sk.PCA(5),
}
"""Detectors behind a scaler."""


@cache
def detector(data: str, name: str) -> Any:
    """A detector, trained on the normal samples of a data set.

    data, name: keys of `DATA` and `DETECTORS`.
    """
    return sk.make_pipeline(sk.StandardScaler(), DETECTORS[name]()).fit(samples(data).train)


def exact_scores(data: str, name: str) -> Array:
    """The scores that scikit-learn's detector assigns to the test samples, greater for more normal samples.

    data, name: as for `detector`.
    """
    scaler, made = detector(data, name)
    scaled = scaler.transform(samples(data).test)
    if name == "k-means":
        return -(made.transform(scaled).min(1) ** 2)
    if name == "PCA":
        return -((made.inverse_transform(made.transform(scaled)) - scaled) ** 2).sum(1)
    return made.score_samples(scaled)


def compiled(data: str, name: str, board: str) -> tinyml.Program:
    """The program that `auto` chooses for a detector on a board.

    data, name: as for `detector`.
    """
    return tinyml.compile(detector(data, name), samples(data).val, board=board, false_alarms=FALSE_ALARMS)


def figures(data: str, name: str) -> dict[str, Any]:
    """The figures of the programs that `auto` chooses for a detector, on an Uno and on a Cortex-M4. Their raw scores
    must be the evaluator's.

    `float`, `auc`: the area under the ROC curve, of scikit-learn and of the Uno's program.
    `far`: the number of test samples whose distance from the threshold exceeds 1 % of the range of scores.
    `other`: the number of these samples for which the decision differs from scikit-learn's.
    `chosen`: the name and width of the Uno's number format.
    `flash`, `ram`, `time`: the bytes and the time that the Uno's program needs.
    `instructions`: the time on the Cortex-M4.
    """
    test, exact = samples(data), exact_scores(data, name)
    usual = np.arange(len(exact)) < len(test.usual)
    uno, m4 = (compiled(data, name, board) for board in ("uno", "cortex-m4"))
    measured, on_m4 = uno.measure(test.test[:: len(exact) // 20]), m4.measure(test.test[:: len(exact) // 20])
    threshold = uno.threshold
    assert threshold is not None
    far = np.abs(exact - threshold) > FAR_DISTANCE * np.ptp(exact)
    other = (uno.predict(test.test) < 0) != (exact < threshold)
    return {
        "float": float(sk.roc_auc_score(usual, exact)),
        "auc": float(sk.roc_auc_score(usual, uno.score_samples(test.test))),
        "far": int(far.sum()),
        "other": int(other[far].sum()),
        "chosen": f"{uno.report.format} {uno.report.width}",
        "flash": measured.flash_bytes,
        "ram": measured.static_bytes + measured.stack_bytes,
        "time": measured.time,
        "instructions": on_m4.time,
    }
