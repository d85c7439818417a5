"""Encoders of categories before estimators: results equal scikit-learn's, also for unknown values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.estimators import Halves, answers, in_format, sk
from programs.on_boards import difference, printed
from programs.spread import spread_product

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.sklearn.importer import import_estimator
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, in_reals

RANDOM = np.random.default_rng(5)
COUNT = 400
X = np.stack(
    [
        RANDOM.integers(0, 7, COUNT),
        RANDOM.choice([-4, 1, 2, 9], COUNT, p=[0.5, 0.3, 0.15, 0.05]),
        RANDOM.integers(0, 2, COUNT),
        RANDOM.choice([0.1, 0.5, 2.5], COUNT),
        RANDOM.normal(21, 4, COUNT),
    ],
    axis=1,
)
Y = (X[:, 0] > 3) ^ (X[:, 1] == 1) ^ (X[:, 4] > 21)
KNOWN = X[300:]
UNKNOWN = X[300:].copy()
"""Values beyond the categories, between whole ones, and between others."""
UNKNOWN[::3, 0], UNKNOWN[1::4, 1], UNKNOWN[2::5, 3], UNKNOWN[3::7, 0] = 11, 5, 0.3, 2.5

ENCODERS: dict[str, Any] = {
    "one hot": sk.OneHotEncoder(sparse_output=False),
    "without the first": sk.OneHotEncoder(drop="first", sparse_output=False),
    "without those of two": sk.OneHotEncoder(drop="if_binary", handle_unknown="ignore", sparse_output=False),
    "unknown as zeros": sk.OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    "rare ones together": sk.OneHotEncoder(min_frequency=40, sparse_output=False),
    "unknown among the rare": sk.OneHotEncoder(
        max_categories=3, handle_unknown="infrequent_if_exist", sparse_output=False
    ),
    "numbers": sk.OrdinalEncoder(),
    "unknown as a number": sk.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    "rare ones as one number": sk.OrdinalEncoder(min_frequency=50),
}
ESTIMATORS: dict[str, Any] = {
    "logistic regression": sk.LogisticRegression(max_iter=200),
    "forest": sk.RandomForestClassifier(6, max_depth=5, random_state=0),
    "boosting": sk.HistGradientBoostingClassifier(max_iter=5),
    "SVC": sk.SVC(),
    "network": sk.MLPClassifier((6,), max_iter=20, random_state=0),
}


def behind(encoder: Any, estimator: Any) -> Any:
    """A pipeline of two steps: a transformer with an encoder for some columns and a scaler for another column, and an
    estimator.
    """
    columns = sk.make_column_transformer((encoder, [0, 1, 2, 3]), (sk.StandardScaler(), [4]))
    return sk.make_pipeline(columns, estimator).fit(X[:300], Y[:300])


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("encoder", "estimator"), spread_product(20, ENCODERS, ESTIMATORS))
def test_answers_are_those_of_predict(encoder: str, estimator: str):
    model = behind(ENCODERS[encoder], ESTIMATORS[estimator])
    module = import_estimator(model)
    for x in (KNOWN, UNKNOWN) if ENCODERS[encoder].handle_unknown != "error" else (KNOWN,):
        found = answers(module, evaluate_reals(module, x))
        np.testing.assert_array_equal(found, model.predict(x))


def columns_of(model: Any, x: Any) -> None:
    """Fit a model, and assert that the outputs of its program equal the columns of its `transform`."""
    expected = model.fit(x).transform(x)
    found = np.asarray(evaluate_reals(import_estimator(model), X[:, :4]).tensors[0])
    np.testing.assert_array_equal(found.reshape(expected.shape), expected.astype(np.float32))


@pytest.mark.parametrize("name", ENCODERS)
def test_columns_are_those_of_transform(name: str):
    """The columns of each encoder, alone and after an imputer, equal those of `transform`."""
    columns_of(ENCODERS[name], X[:, :4])
    columns_of(sk.make_pipeline(sk.SimpleImputer(), ENCODERS[name]), X[:, :4])


def test_columns_of_frames_keep_their_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X[:, :4], columns=["day", "mode", "on", "gain"])
    columns_of(ENCODERS["unknown as zeros"], frame)
    columns_of(sk.make_pipeline(sk.SimpleImputer(), ENCODERS["numbers"]), frame)


FORMATS = (("fixed", 8), ("fixed", 16), ("posit", 16), ("zeroskew", 8), ("f32", None))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("device", "format", "encoder"),
    spread_product(10, DEVICES, FORMATS, ["unknown as zeros", "unknown as a number", "without the first"]),
)
def test_devices_compute_the_same_bits(device: str, format: tuple[str, int | None], encoder: str, tmp_path: Path):
    """Devices compute the evaluator's bits for an encoder before a classifier. More than 95 % of the classes equal
    scikit-learn's: categories that a format does not represent may become unknown.
    """
    model = sk.make_pipeline(ENCODERS[encoder], sk.LogisticRegression()).fit(X[:, :3], Y)
    data = Halves(X[:300, :3], Y[:300], KNOWN[:, :3], Y[300:])
    module = in_format(import_estimator(model), data, *format)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": "host"}))
    raws = encode_inputs(module, data.held_x)
    expected = model.predict(data.held_x)
    assert (answers(module, in_reals(module, evaluate(module, raws))) == expected).mean() > 0.95
    assert difference(module, raws[:8], printed(module, device, tmp_path / "c"), runner_for(device), tmp_path) is None


@pytest.mark.parametrize(
    ("encoder", "categories", "message"),
    [
        (sk.OneHotEncoder(), ["heat", "eco"], r"column 1 has texts .* by .map\({'eco': 0, 'heat': 1}\) of the column"),
        (sk.OrdinalEncoder(), ["d", "a", "b", "c"], r"\.map\({'a': 0, 'b': 1, 'c': 2, ...}\)"),
        (
            sk.OneHotEncoder(),
            [1.0, np.nan],
            r"column 1 has missing values as a category: put SimpleImputer\(\) in front",
        ),
        (sk.OrdinalEncoder(), [None, 3], "column 1 has missing values as a category"),
    ],
)
def test_what_is_no_number_is_refused_in_one_line(encoder: Any, categories: list[Any], message: str):
    x = np.empty((20, 2), object)
    x[:, 0] = 1
    x[:, 1] = [categories[number % len(categories)] for number in range(20)]
    model = sk.make_pipeline(encoder, sk.LogisticRegression()).fit(x, np.arange(20) % 3 > 0)
    with pytest.raises(InputError, match=message) as error:
        import_estimator(model)
    assert "\n" not in str(error.value)


def test_unknown_values_are_not_nan():
    encoder = sk.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan).fit(X[:, :2])
    with pytest.raises(InputError, match="give it a number as unknown_value, such as -1"):
        import_estimator(encoder)
