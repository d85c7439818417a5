"""The table of estimators: each row is imported with default options, and the documentation lists all rows."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
from programs.estimators import answers, halves, sk
from programs.paths import ROOT

from tinyml.lowering.frontends.sklearn.estimators import COMPOSITES, FAMILIES, HANDLERS
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.evaluator.evaluator import evaluate_reals

PAGE = ROOT / "docs/scikit-learn.md"
TABLE = re.compile(r"(?s)(?<=<!-- table of estimators -->\n).*?(?=\n\n)")


GIVEN: dict[str, dict[str, Any]] = {
    "LocalOutlierFactor": {"novelty": True},
    "OneHotEncoder": {"handle_unknown": "ignore"},
    "OrdinalEncoder": {"handle_unknown": "use_encoded_value", "unknown_value": -1},
}
"""Parameters of estimators that otherwise answer for no new samples."""


@pytest.mark.long
@pytest.mark.parametrize("name", HANDLERS)
def test_every_estimator_answers_as_fitted_by_default(name: str):
    """For every estimator with default options, except those in `GIVEN`, results on standardised features equal
    scikit-learn's; with such features, all estimators converge sufficiently. Nearest neighbours may differ for one
    sample.
    """
    estimator: Any = getattr(sk, name)(**GIVEN.get(name, {}))
    is_regressor = hasattr(estimator, "predict") and not hasattr(estimator, "predict_proba") and not is_classifier(name)
    data = halves("diabetes" if is_regressor else "wine")
    scale = sk.StandardScaler().fit(data.x)
    x, held = (scale.transform(each).astype(np.float32) for each in (data.x, data.held_x))
    if name in ("MultinomialNB", "ComplementNB"):
        x, held = np.abs(x), np.abs(held)
    y = np.c_[data.y, data.y + x[:, 0]] if name.startswith("MultiTask") else data.y
    with warnings.catch_warnings(action="ignore"):
        estimator.fit(x, y)
    if name in FAMILIES["Anomaly detectors"]:
        covariance = hasattr(estimator, "mahalanobis")
        expected = -estimator.mahalanobis(held) if covariance else estimator.score_samples(held)
    else:
        expected = estimator.predict(held) if hasattr(estimator, "predict") else estimator.transform(held)
        expected = expected.toarray() if hasattr(expected, "toarray") else expected
    module = import_estimator(estimator)
    found = answers(module, evaluate_reals(module, held))
    if found.ndim == 1:
        assert np.count_nonzero(found != expected) <= (1 if name.startswith("KNeighbors") else 0)
    else:
        np.testing.assert_allclose(found, np.reshape(expected, found.shape), rtol=1e-4, atol=1e-3)


def is_classifier(name: str) -> bool:
    return name in FAMILIES["Linear classifiers"] or "SVC" in name or "KMeans" in name


def test_the_page_has_the_table(pytestconfig: pytest.Config):
    rows = [f"| {family} | {', '.join(handlers)} |" for family, handlers in {**FAMILIES, **COMPOSITES}.items()]
    written = "\n".join(["| family | classes |", "|---|---|", *rows])
    page = PAGE.read_text()
    if pytestconfig.getoption("--update-docs"):
        PAGE.write_text(TABLE.sub(lambda _: written, page))
        return
    found = TABLE.search(page)
    assert found is not None
    assert found.group() == written, "run pytest --update-docs"


def test_tensors_are_named_after_the_steps():
    """The name of a tensor begins with the class of its step, or with the name that the user has chosen for the
    step.
    """
    data, pipeline = halves("iris"), sk.make_pipeline(sk.PCA(2), sk.LogisticRegression())
    named = sk.Pipeline([("reduce", sk.PCA(2)), ("model", pipeline)])
    for fitted, first in ((pipeline, "PCA"), (named, "reduce")):
        module = import_estimator(fitted.fit(data.x, data.y))
        hints = {result.name_hint for op in module.walk() for result in op.results} - {None}
        assert {first, "LogisticRegression"} <= hints
