"""`predict` and `score` warn about inputs beyond the input format of a program, and only about these."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import Array, sk

import tinyml


def weather(samples: int, seed: int) -> tuple[Array, Array]:
    """Samples of temperature, pressure and humidity, which have different units, and the classes of the samples."""
    x = np.random.default_rng(seed).normal([22, 1013, 45], [4, 8, 15], (samples, 3)).astype(np.float32)
    return x, ((x[:, 0] - 22) / 4 + (x[:, 1] - 1013) / 8 > 0).astype(int)


@pytest.fixture(scope="module")
def scaler() -> Any:
    return sk.StandardScaler().fit(weather(400, 0)[0])


@pytest.mark.long
@pytest.mark.parametrize("options", [{"width": 8}, {"width": 16}, {"format": "zeroskew", "width": 8}])
def test_a_scaler_that_was_forgotten(scaler: Any, options: tinyml.CompileKeywords) -> None:
    x, y = weather(400, 1)
    model = sk.LogisticRegression().fit(scaler.transform(x), y)
    program = tinyml.compile(model, scaler.transform(x), y, board="host", **options)
    unseen, wanted = weather(200, 2)
    # Nothing is said of normal samples, and none is an error here.
    assert program.score(scaler.transform(unseen), wanted) > 0.9
    said = r"X: \d+\.\d% of the numbers lie outside the range of the program's input format, such as .* in feature"
    with pytest.warns(tinyml.CompileWarning, match=f"{said} .*: scale X like X_val") as found:
        program.score(unseen, wanted)
    assert Path(found[0].filename) == Path(__file__)
    for call in (program.predict, program.scores, program.raw_scores):
        with pytest.warns(tinyml.CompileWarning, match=said):
            call(unseen[:1])


def test_features_that_were_scaled_twice(scaler: Any) -> None:
    """If the caller scales features that the program scales itself, the warning states one of the scaled numbers, and
    the limit of the feature's range as which it counts, in the unit of the feature.
    """
    x, y = weather(400, 1)
    program = tinyml.compile(
        sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression()).fit(x, y), x, y,
        board="host", width=8, feature_scales=True,
    )  # fmt: skip
    program.predict(weather(200, 2)[0])
    with pytest.warns(tinyml.CompileWarning, match=r"33\.3% .*, such as -?[0-3]\.\d+ in feature 1, which counts as 9"):
        program.predict(scaler.transform(weather(200, 2)[0]))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:RMSE", "ignore:the types of")
@pytest.mark.parametrize(("width", "most"), [(8, "32"), (16, r"(1|0\.9\d+)")])
def test_posits_reach_beyond_their_profile(width: int, most: str) -> None:
    """For inputs of 50 with a profile from 0 to 1, the warning states the number as which 50 counts: 32 in 8-bit
    posits, which reach beyond their profile, and about 1 in 16-bit posits, whose integers are limited to 16 bits.
    """
    x = np.random.default_rng(3).uniform(0, 1, (200, 2))
    y = x @ [2.0, 1.0]
    program = tinyml.compile(sk.LinearRegression().fit(x, y), x, y, board="host", format="posit", width=width)
    with pytest.warns(tinyml.CompileWarning, match=rf"such as 50 in feature 0, which counts as {most}: scale"):
        program.predict([[50.0, 0.5]])


@pytest.mark.long
def test_few_outliers_and_far_samples_of_a_detector_are_usual() -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=(300, 4)).astype(np.float32)
    y = (x[:, 0] > 0).astype(int)
    program = tinyml.compile(sk.LogisticRegression().fit(x, y), x, y, board="host", width=8)
    unseen = random.normal(size=(1000, 4))
    unseen[:30, 2] = 100
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program.predict(unseen)
        program.predict(1.02 * np.abs(x).max() * np.sign(x))
    detector = tinyml.compile(
        sk.IsolationForest(n_estimators=5, random_state=0).fit(x), x, board="host", false_alarms=0.02
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (detector.predict(np.full((9, 4), 1e4)) == -1).all()


def test_programs_in_floats_have_no_ends() -> None:
    x, y = weather(400, 5)
    forest = sk.RandomForestClassifier(3, max_depth=4, random_state=0).fit(x, y)
    program = tinyml.compile(forest, x, y, board="host", width=8, float_features=True)
    assert program.predict(np.full((4, 3), 1e6)).shape == (4,)
