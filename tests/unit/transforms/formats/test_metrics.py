"""Metrics have scikit-learn's values, including zeros for 0/0, and reject outputs to which they do not apply."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from programs.estimators import sk
from programs.paths import ROOT

from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.evaluation.answers import Answers
from tinyml.transforms.formats.evaluation.metrics import CLASSES, DECLARED_METRICS, NUMBERS, measure_of, metric_named

LABELS = np.array([0, 0, 1, 1, 2, 2, 2, 4])
CASES = {
    "some wrong": (LABELS, np.array([0, 1, 1, 1, 2, 0, 2, 4])),
    "class 1 is never predicted": (LABELS, np.array([0, 0, 2, 2, 2, 2, 0, 4])),
    "class 3 is predicted, and there is none": (LABELS, np.array([0, 3, 1, 3, 2, 2, 2, 4])),
    "all wrong": (LABELS, (LABELS + 1) % 5),
    "all right": (LABELS, LABELS),
    "two classes": (np.array([0, 1, 1, 0, 1]), np.array([0, 1, 0, 1, 1])),
    "no positive prediction": (np.array([0, 1, 1, 0, 1]), np.zeros(5, int)),
}
"""Labels and predicted classes."""


def figure(metric: str, answers: Answers) -> float:
    name, _, one = metric.partition(":")
    declared = metric_named(name).figure
    assert declared is not None
    return declared(answers, int(one) if one else None)


@pytest.fixture(autouse=True)
def undefined_metrics() -> Iterator[None]:
    """Ignore scikit-learn's warnings about 0/0, which it issues even if the value for 0/0 is specified."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["recall", "precision", "f1"])
def test_figures_of_classes(name: str, case: str):
    labels, classes = CASES[case]
    expected = {"recall": sk.recall_score, "precision": sk.precision_score, "f1": sk.f1_score}[name]
    answers = Answers(classes, None, labels)
    assert figure(name, answers) == pytest.approx(expected(labels, classes, average="macro", zero_division=0))
    for one in range(6):
        known = expected(labels, classes, labels=[one], average="macro", zero_division=0)
        assert figure(f"{name}:{one}", answers) == pytest.approx(known)


@pytest.mark.parametrize("case", CASES)
def test_balanced_accuracy(case: str):
    labels, classes = CASES[case]
    expected = sk.balanced_accuracy_score(labels, classes)
    assert figure("balanced-accuracy", Answers(classes, None, labels)) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(4))
def test_areas_under_curves(seed: int):
    """The area under the ROC curve equals scikit-learn's for one, two and several scores. Scores with few different
    values have many ties.
    """
    random = np.random.default_rng(seed)
    labels = np.arange(60) % 2
    single = random.integers(0, 4, 60) / 4 + 0.2 * labels
    expected = sk.roc_auc_score(labels, single)
    one = Answers(None, single[:, None], labels)
    two = Answers(None, np.stack([1 - single, single], 1), labels)
    for answers in (one, two):
        assert figure("auc", answers) == figure("auc:1", answers) == pytest.approx(expected)
        assert figure("auc:0", answers) == pytest.approx(expected)
    labels = np.arange(60) % 3
    scores = random.integers(1, 5, (60, 3)).astype(float)
    scores /= scores.sum(1, keepdims=True)
    several = Answers(None, scores, labels)
    assert figure("auc", several) == pytest.approx(sk.roc_auc_score(labels, scores, multi_class="ovr"))
    assert figure("auc:2", several) == pytest.approx(sk.roc_auc_score(labels == 2, scores[:, 2]))
    assert figure("auc:2", Answers(None, np.ones((60, 3)), labels)) == 0.5


@pytest.mark.parametrize("targets", [[[1.0], [2.0], [4.0]], [[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]])
def test_figures_of_numbers(targets: list[list[float]]):
    """Metrics of regressors equal scikit-learn's, also for a constant output."""
    right = np.array(targets)
    for values in (right, right + 0.5, right * [[1.0], [1.5], [-1.0]]):
        answers = Answers(None, values, None, right)
        assert figure("r2", answers) == pytest.approx(sk.r2_score(right, values))
        assert figure("mae", answers) == pytest.approx(sk.mean_absolute_error(right, values))


def test_no_samples():
    none = np.zeros(0, int)
    answers = Answers(none, None, none)
    for name in ("recall", "precision", "f1", "f1:1", "balanced-accuracy"):
        assert figure(name, answers) == 0


def test_losses_are_points_and_errors_their_unit():
    labels, classes = CASES["some wrong"]
    reals = Answers(labels, None, labels)
    measure = measure_of("recall:2", reals)
    assert measure.loss(measure.figure(Answers(classes, None, labels))) == pytest.approx(100 / 3)
    targets = np.array([[1.0], [3.0]])
    errors = measure_of("mae", Answers(None, targets + 0.25, None, targets))
    assert errors.loss(errors.figure(Answers(None, targets + 1, None, targets))) == pytest.approx(0.75)


@pytest.mark.parametrize("name", [metric.name for metric in DECLARED_METRICS if metric.figure is not None])
def test_a_bound_holds_whatever_follows(name: str):
    """The bound on a metric after some samples holds for any answers to the other samples, since it assumes that these
    are right.
    """
    random = np.random.default_rng(3)
    declared = metric_named(name)
    assert declared.figure is not None
    labels = random.integers(0, 3, 40)
    if declared.of == NUMBERS:
        scores = random.normal(size=(40, 2))
        right = Answers(None, scores, None, random.normal(size=(40, 2)))
        seen = Answers(None, scores[:25], None, right.targets)
    else:
        scores = random.normal(size=(40, 3))
        classes = random.integers(0, 3, 40) if declared.of == CLASSES else None
        right = Answers(classes, scores, labels)
        seen = Answers(None if classes is None else classes[:25], scores[:25], labels)
    bound, found = declared.figure(seen.completed(right), None), declared.figure(right, None)
    assert bound <= found if declared.falls else bound >= found


NAMED = Answers(np.array([0, 1, 1]), np.ones((3, 3)), np.array([0, 1, 0]), names=("cat", "dog", "owl"))
REGRESSOR = Answers(None, np.ones((2, 1)), None, np.zeros((2, 1)))
REFUSED = {
    "f1:fox": (NAMED, "unknown class 'fox' (one of cat, dog, owl)"),
    "f1:owl": (NAMED, "the metric 'f1:owl' needs samples of the class owl, and the data have none"),
    "f1:7": (Answers(np.array([0, 1]), None, np.array([0, 1])), "unknown class '7' (one of 0, 1)"),
    "r2:1": (REGRESSOR, "the metric 'r2' is not of a class: leave out ':1'"),
    "r2": (NAMED, "the metric 'r2' compares numbers, but the model returns classes"),
    "mae": (Answers(None, np.ones((2, 1)), None), "the metric 'mae' needs targets `y`"),
    "f1": (REGRESSOR, "the metric 'f1' compares classes, but the model returns numbers"),
    "recall": (Answers(np.array([0, 1]), None, None), "the metric 'recall' needs data with labels `y`"),
    "auc": (Answers(np.array([0, 1]), None, np.array([0, 1])), "the metric 'auc' needs a program that returns scores"),
    "auc:cat": (
        Answers(np.array([0]), np.ones((1, 2)), np.array([0]), names=("cat", "dog")),
        "the metric 'auc:cat' needs other samples, and the data have none",
    ),
    "f": (NAMED, "unknown metric 'f' (one of disagreement, accuracy,"),
}


@pytest.mark.parametrize("metric", REFUSED)
def test_refusals(metric: str):
    answers, message = REFUSED[metric]
    with pytest.raises(InputError) as error:
        measure_of(metric, answers)
    assert message in error.value.message


def test_classes_have_the_names_of_the_model():
    assert measure_of("recall:dog", NAMED).on_reals == measure_of("recall:cat", NAMED).on_reals * 2 == 1


def test_the_page_names_each():
    page = (ROOT / "docs" / "searches.md").read_text()
    rows = dict(re.findall(r"^\| `([^`]*)` \| (.*) \|$", page, re.MULTILINE))
    for metric in DECLARED_METRICS:
        assert re.sub(r"\[(.*?)\]\(.*?\)", r"\1", rows[metric.spelled]) == metric.loss
