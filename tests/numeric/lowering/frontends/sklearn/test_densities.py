"""Gaussian densities keep their answers in 8 and 16 bits, although their terms differ in size by many orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from programs.estimators import Halves, halves, sk

import tinyml

BOARD = "nano33ble"
TABLES = "digits", "iris", "wine", "cancer", "whole numbers"


def table(name: str) -> Halves:
    """A data set in two halves. That of whole numbers has features that do not vary within some of its 12 classes."""
    if name != "whole numbers":
        return halves(name)
    random = np.random.default_rng(12)
    y = random.integers(0, 12, 1200)
    means, deviations = random.normal(0, 2, (12, 10)), np.exp(random.normal(-0.3, 0.8, (12, 10)))
    x = np.rint(np.clip(8 + means[y] + deviations[y] * random.normal(size=(1200, 10)), 0, 15)).astype("f4")
    x[y % 3 == 0, 4] = 3
    return Halves(x[::2], y[::2], x[1::2], y[1::2])


def shares(name: str, estimator: Any, width: int, **options: Any) -> tuple[float, float, float]:
    """The accuracy of the estimator, that of its program, and the share of equal answers, in percent, on samples that
    determined neither.
    """
    data = table(name)
    estimator = sk.clone(estimator).fit(data.x, data.y)
    middle = len(data.held_x) // 2
    x, y = data.held_x[middle:], data.held_y[middle:]
    program = tinyml.compile(
        estimator, data.held_x[:middle], data.held_y[:middle], board=BOARD, format="fixed", width=width, **options
    )
    exact, compiled = estimator.predict(x), np.asarray(program.predict(x))
    return 100 * (exact == y).mean(), 100 * (compiled == y).mean(), 100 * (compiled == exact).mean()


@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.long
@pytest.mark.parametrize("name", TABLES)
def test_naive_bayes_of_16_bits(name: str) -> None:
    exact, compiled, equal = shares(name, sk.GaussianNB(), 16)
    assert compiled >= exact - 1
    assert equal >= (95 if name == "cancer" else 97)


@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.long
@pytest.mark.parametrize("name", TABLES)
def test_naive_bayes_of_8_bits(name: str) -> None:
    """With a scale for each feature, as the warning about one scale for all features advises, 8 bits suffice."""
    exact, compiled, equal = shares(name, sk.GaussianNB(), 8, feature_scales=True)
    assert compiled >= exact - 2
    assert equal >= 94


@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.long
def test_features_that_one_scale_rounds_to_nothing_favour_no_class() -> None:
    """One scale of 8 bits for the features of breast_cancer resolves 2 of 30. The others are rounded to their centres,
    where the densities of both classes are equal.
    """
    exact, compiled, _ = shares("cancer", sk.GaussianNB(), 8)
    assert compiled >= exact - 10


@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.long
@pytest.mark.parametrize("width", [8, 16])
@pytest.mark.parametrize("name", ["iris", "wine", "cancer", "whole numbers"])
def test_quadratic_discriminants(name: str, width: int) -> None:
    discriminant = sk.QuadraticDiscriminantAnalysis(reg_param=0.1)
    exact, compiled, _ = shares(name, discriminant, width, feature_scales=True, row_scales=True)
    assert compiled >= exact - (1 if width == 16 else 3)


@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.long
@pytest.mark.parametrize("kind", ["diag", "spherical", "tied", "full"])
def test_mixtures_of_16_bits(kind: str) -> None:
    mixture = sk.GaussianMixture(2, covariance_type=kind, random_state=0)
    assert shares("wine", mixture, 16, feature_scales=True)[2] >= 97


@pytest.mark.parametrize("width", [8, 16])
def test_a_feature_that_is_constant_in_a_class(width: int) -> None:
    """A class whose second feature never varies is excluded by a sample in which it does, and by no other."""
    random = np.random.default_rng(0)
    x = random.normal(0, 1, (240, 2)).astype("f4")
    y = np.arange(240) % 2
    x[y == 0, 1] = 0
    estimator = sk.GaussianNB().fit(x, y)
    ratio = estimator.var_.max() / estimator.var_.min()
    assert ratio > 2.0**16
    program = tinyml.compile(estimator, x[:120], y[:120], board=BOARD, format="fixed", width=width)
    other = random.normal(0, 1, (200, 2)).astype("f4")
    other[::2, 1] = 0
    far = np.abs(other[:, 1]) > 0.1
    sure = far | (other[:, 1] == 0)
    np.testing.assert_array_equal(np.asarray(program.predict(other))[sure], estimator.predict(other)[sure])


def test_advice_on_one_scale_for_features_of_unlike_units() -> None:
    data = halves("wine")
    estimator = sk.GaussianNB().fit(data.x, data.y)
    with pytest.warns(tinyml.CompileWarning) as warned:
        tinyml.compile(estimator, data.x, data.y, board=BOARD, format="fixed", width=8)
    assert any("feature_scales=True gives each feature its own scale" in str(each.message) for each in warned)
