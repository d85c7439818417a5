"""Bonsai, ProtoNN and FastGRNN follow the rules of scikit-learn's estimators."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from programs.estimators import datasets, halves, sk

from tinyml import models
from tinyml.models import Bonsai, FastGRNN, ProtoNN

BOTH = pytest.mark.parametrize("made", [Bonsai, ProtoNN])
IRIS = datasets.load_iris(return_X_y=True)
checks: Any = import_module("sklearn.utils.estimator_checks")
clone: Any = import_module("sklearn.base").clone


@pytest.mark.filterwarnings("ignore")
@checks.parametrize_with_checks([Bonsai(3, 1, epochs=30), ProtoNN(3, 6, epochs=30)])
def test_rules_of_scikit_learn(estimator: Any, check: Callable[[Any], None]):
    check(estimator)


@BOTH
def test_digits_are_learned(made: Any):
    """Both find the classes of new samples about as well as a linear model, which reaches 95 %."""
    data = halves("digits")
    model = made(epochs=30, random_state=0).fit(data.x, data.y)
    assert model.score(data.held_x, data.held_y) > 0.92
    assert np.allclose(model.predict_proba(data.held_x).sum(1), 1)


@BOTH
def test_a_search_finds_parameters_in_a_pipeline(made: Any):
    pipeline = sk.make_pipeline(sk.MinMaxScaler(), made(epochs=30, random_state=0))
    step = made.__name__.lower()
    search = sk.GridSearchCV(pipeline, {f"{step}__projection": [1, 3]}, cv=2).fit(*IRIS)
    assert search.best_score_ > 0.8


@BOTH
def test_a_seed_determines_the_model(made: Any):
    first, second, other = (
        made(epochs=5, random_state=seed).fit(*IRIS).decision_function(IRIS[0]) for seed in (1, 1, 2)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


@BOTH
def test_a_weight_is_a_repetition(made: Any):
    x, y = IRIS
    weights = np.arange(len(x)) % 3
    weighted = made(epochs=5, random_state=0).fit(x, y, weights)
    repeated = made(epochs=5, random_state=0).fit(np.repeat(x, weights, 0), np.repeat(y, weights))
    assert np.array_equal(weighted.decision_function(x), repeated.decision_function(x))


@BOTH
def test_pickle_keeps_the_model(made: Any):
    model = made(epochs=5, random_state=0).fit(*IRIS)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(IRIS[0]), model.decision_function(IRIS[0]))


def test_thresholding_keeps_the_number_of_entries():
    data = halves("digits")
    x, y = data.x[:, data.x.any(0)], data.y
    bonsai = Bonsai(8, 1, z_density=0.2, wv_density=0.5, epochs=6, random_state=0).fit(x, y)
    with_offset = np.count_nonzero(bonsai.Z_) + np.count_nonzero(bonsai.offset_)
    # The offset is a column of the sparse matrix and the mean of the features: it has no zeros.
    assert round(0.2 * 8 * (x.shape[1] + 1)) - 8 <= np.count_nonzero(bonsai.Z_) <= with_offset
    assert np.count_nonzero(bonsai.W_) == np.count_nonzero(bonsai.V_) == 3 * 10 * 8 // 2
    protonn = ProtoNN(8, 20, w_density=0.25, epochs=6, random_state=0).fit(x, y)
    assert np.count_nonzero(protonn.W_) == round(0.25 * protonn.W_.size)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (Bonsai(0), ValueError, r"^projection == 0, must be >= 1\.$"),
        (Bonsai(depth=-1), ValueError, r"^depth == -1, must be >= 0\.$"),
        (Bonsai(z_density=0), ValueError, r"^z_density == 0, must be > 0\.$"),
        (Bonsai(wv_density=1.5), ValueError, r"^wv_density == 1\.5, must be <= 1\.$"),
        (ProtoNN().set_params(prototypes=2.5), TypeError, r"^prototypes must be an instance of int, not float\.$"),
        (ProtoNN(gamma=float("inf")), ValueError, r"^gamma == inf, must be finite\.$"),
        (ProtoNN(learning_rate=0), ValueError, r"^learning_rate == 0, must be > 0\.$"),
    ],
)
def test_parameters_are_checked(model: Any, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        clone(model).fit(*IRIS)


def test_data_is_checked():
    x, y = IRIS
    with pytest.raises(ValueError, match=r"Bonsai needs samples of at least 2 classes in the data.*one class: 0$"):
        Bonsai().fit(x[:50], y[:50])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        Bonsai().fit(np.where(x > 7, np.nan, x), y)
    with pytest.raises(ValueError, match="sample_weight contains negative numbers"):
        Bonsai().fit(x, y, -np.ones(len(x)))
    few = Bonsai(epochs=2).fit(x[[0, 60, 120]], ["a", "b", "c"])
    assert few.predict(x).dtype.kind == "U"


def test_fastgrnn_learns_sequences():
    """The rows of an image are the steps of a sequence. A constant channel has no weights."""
    data = halves("digits")
    rows = (images.reshape(len(images), 8, 8) for images in (data.x, data.held_x))
    x, held = (np.insert(images, 0, 7.0, 2).reshape(len(images), -1) for images in rows)
    model = FastGRNN(8, 24, epochs=30, random_state=0).fit(x, data.y)
    assert model.score(held, data.held_y) > 0.9
    assert not model.W_[0][0].any()
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(held), model.decision_function(held))
    assert clone(model).fit(x, data.y).score(held, data.held_y) == model.score(held, data.held_y)
    with pytest.raises(ValueError, match=r"^X has 72 features, which are not 7 steps of equal length$"):
        FastGRNN(7).fit(x, data.y)


def test_a_wrong_name_is_no_attribute():
    with pytest.raises(AttributeError, match=r"^module 'tinyml\.models' has no attribute 'Tree'$"):
        models.Tree  # noqa: B018
