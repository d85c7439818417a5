"""Files of XGBoost, LightGBM and CatBoost: imports compute the libraries' predictions (tests/models/boosted), and
invalid files are rejected.

Some of the random combinations run with the other tests; EXHAUSTIVE=1 runs all of them.
"""

from __future__ import annotations

import io
import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.estimators import Array, Halves, answers, in_format, scores_of
from programs.on_boards import difference, printed
from programs.paths import ROOT
from programs.spread import spread

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.importers import FRONTENDS
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate_reals

FOLDER = ROOT / "tests/models/boosted"
FILES = [
    f"{library}_{data}.{suffix}"
    for data in ("iris", "cancer", "diabetes")
    for library, suffix in (("xgboost", "json"), ("lightgbm", "txt"), ("lightgbm", "json"))
]


def read(content: str | bytes, suffix: str) -> Any:
    data = content.encode() if isinstance(content, str) else content
    return FRONTENDS.get(suffix)(data, f"model.{suffix}")


@pytest.mark.parametrize("file", FILES)
def test_predictions(file: str):
    name, _, suffix = file.partition(".")
    library, _, data = name.partition("_")
    wanted = np.load(FOLDER / "predictions.npz")
    module = read((FOLDER / file).read_text(), suffix)
    module.verify()
    outputs = evaluate_reals(module, wanted[data])
    if data == "diabetes":
        np.testing.assert_allclose(scores_of(outputs)[:, 0], wanted[name], rtol=1e-5)
    else:
        np.testing.assert_array_equal(answers(module, outputs), wanted[f"{library}_{data}"])


ARCHIVE = "combinations.tar.xz"


@cache
def combinations() -> dict[str, bytes]:
    """Random small models by name. Each has a file NAME.npz with inputs, the result of `predict`, and `classified`,
    which is true if this result consists of classes.
    """
    with tarfile.open(FOLDER / ARCHIVE) as archive:
        opened = {member.name: archive.extractfile(member) for member in archive.getmembers()}
        return {name: file.read() for name, file in opened.items() if file is not None}


COMBINATIONS = [name for name in combinations() if not name.endswith(".npz")]

NOT_SUPPORTED = {
    "gblinear": "the booster 'gblinear' is not supported",
    "labels": "several labels for a sample are not supported",
    "zero_as_missing": "zeros as missing values are not supported",
    "linear_tree": "linear trees are not supported",
    "reg_sqrt": "square roots of targets are not supported",
    "categorical_feature": "categorical splits are not supported",
    "cross_entropy_lambda": "the objective 'cross_entropy_lambda' is not supported",
    "Poisson": "CatBoost's loss Poisson is not supported",
    "Tweedie": "CatBoost's loss Tweedie is not supported",
    "MultiRMSE": "needs the attribute classlabels",
}
"""Words in the names of combinations that may be refused, since some of these options change no tree; the message."""


def wanted_of(name: str) -> tuple[Array, Array, bool]:
    """The inputs of a combination, the result of `predict`, and whether this result consists of classes."""
    with np.load(io.BytesIO(combinations()[f"{name}.npz"])) as stored:
        return stored["x"], stored["y"], bool(stored["classified"])


def imported(name: str) -> Any:
    """The program of a combination, or the error message if the import rejects it."""
    try:
        return read(combinations()[name], name.rpartition(".")[2])
    except InputError as error:
        return str(error)


@pytest.mark.long
@pytest.mark.parametrize("name", spread(COMBINATIONS, 60))
def test_every_option(name: str):
    """For every combination, the import is rejected in one line, or the program computes the result of `predict`.

    Classes are equal unless the two greatest scores are equal within 1e-6. Values are equal within 2e-5.
    """
    x, expected, classified = wanted_of(name)
    module = imported(name)
    if isinstance(module, str):
        assert "\n" not in module
        assert any(word in name and message in module for word, message in NOT_SUPPORTED.items()), module
        return
    outputs = evaluate_reals(module, x)
    assert (outputs.labels is not None) == classified
    scores = scores_of(outputs).reshape(len(x), -1)
    if classified:
        ordered = np.sort(np.abs(scores) if scores.shape[1] == 1 else scores, 1)
        clear = ordered[:, -1] - (ordered[:, -2] if scores.shape[1] > 1 else 0) > 1e-6
        np.testing.assert_array_equal(answers(module, outputs)[clear], expected[clear])
    else:
        expected = expected.reshape(len(x), -1)
        np.testing.assert_allclose(scores, expected, rtol=2e-5, atol=2e-5 * np.abs(expected).max())


def test_combinations_have_all_objectives():
    """The combinations contain all objectives of XGBoost and LightGBM, multiclass CatBoost, dropout, random forests,
    early stopping before the last tree, files of a `Booster`, and everything in `NOT_SUPPORTED`.
    """
    from tinyml.lowering.frontends.boosted import lightgbm, xgboost

    names = "\n".join(COMBINATIONS)
    for objective in xgboost.OBJECTIVES:
        assert f"-xgboost-{objective.replace(':', '_')}-" in names
    for objective in lightgbm.OBJECTIVES:
        assert f"-lightgbm-{objective}-" in names
    for word in ("-dart-", "-booster-early.", "-classifier-early.", "-rf", "catboost-MultiClass", *NOT_SUPPORTED):
        assert word in names


@pytest.mark.long
@pytest.mark.parametrize(
    "words", [("count_poisson", "regressor"), ("logitraw", "classifier"), ("lightgbm-tweedie", "")]
)
def test_devices_compute_the_same_bits(words: tuple[str, str], tmp_path: Path):
    """In 16-bit fixed point, the host computes the evaluator's bits: for sums with a link function, and for a class
    chosen by a threshold.
    """
    name = next(name for name in COMBINATIONS if all(word in name for word in words))
    x, expected, _ = wanted_of(name)
    module = in_format(
        read(combinations()[name], name.rpartition(".")[2]), Halves(x, expected, x, expected), "fixed", 16
    )
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": "host"}))
    source, raws = printed(module, "host", tmp_path / "c"), encode_inputs(module, x)
    assert difference(module, raws, source, runner_for("host"), tmp_path) is None


def changed(model: Any, changes: dict[tuple[str | int, ...], Any]) -> str:
    """The JSON text of an XGBoost model with some fields of its learner replaced.

    changes: the new values of fields, each by the keys and indices that lead to it.
    """
    for where, value in changes.items():
        inner = model["learner"]
        for name in where[:-1]:
            inner = inner[name]
        inner[where[-1]] = value
    return json.dumps(model)


def xgboost_model(data: str = "iris") -> Any:
    return json.loads((FOLDER / f"xgboost_{data}.json").read_text())


BEST, WROTE = ("attributes", "best_iteration"), ("attributes", "scikit_learn")


def test_a_booster_adds_all_trees_and_an_estimator_those_of_the_best_iteration():
    wanted = np.load(FOLDER / "predictions.npz")["iris"]
    whole, first = xgboost_model(), xgboost_model()
    model = first["learner"]["gradient_booster"]["model"]
    model["trees"], model["tree_info"] = model["trees"][:3], model["tree_info"][:3]

    def scores(text: str) -> Array:
        return scores_of(evaluate_reals(read(text, "json"), wanted))

    said = changed(xgboost_model(), {BEST: "0"})
    np.testing.assert_array_equal(scores(said), scores(json.dumps(first)))
    native = json.loads(said)
    del native["learner"]["attributes"]["scikit_learn"]
    np.testing.assert_array_equal(scores(json.dumps(native)), scores(json.dumps(whole)))
    old = json.loads(said)
    del old["learner"]["gradient_booster"]["model"]["iteration_indptr"]
    np.testing.assert_array_equal(scores(json.dumps(old)), scores(said))


def test_a_classifier_answers_with_the_second_class_beyond_one_half():
    """With an objective that does not transform the sum, also one for regression, a classifier returns its second class
    if the sum exceeds 0.5. If a file with the classifier's own objective states that it is a regressor, the program
    returns the probability, and no class.
    """
    wanted = np.load(FOLDER / "predictions.npz")["cancer"]
    for name in ("binary:logitraw", "reg:squarederror"):
        outputs = evaluate_reals(read(changed(xgboost_model("cancer"), {("objective", "name"): name}), "json"), wanted)
        np.testing.assert_array_equal(outputs.labels, scores_of(outputs)[:, 0] > 0.5)
    regressor = changed(xgboost_model("cancer"), {WROTE: '{"_estimator_type": "regressor"}'})
    shares = evaluate_reals(read(regressor, "json"), wanted)
    sums = scores_of(evaluate_reals(read(json.dumps(xgboost_model("cancer")), "json"), wanted))
    assert shares.labels is None
    np.testing.assert_allclose(scores_of(shares), 1 / (1 + np.exp(-sums)), rtol=1e-6)


BOOSTER, TREE = ("gradient_booster",), ("gradient_booster", "model", "trees", 0)


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        ((*BOOSTER, "name"), "gblinear", "the booster 'gblinear' is not supported"),
        (("objective", "name"), "survival:cox", "the objective 'survival:cox' is not supported"),
        (("learner_model_param", "base_score"), "much", "base_score"),
        (("objective",), 3, "learner.objective: expected an object"),
        ((*TREE, "split_type", 0), 1, "categorical splits are not supported"),
        ((*TREE, "tree_param", "size_leaf_vector"), "3", "multi_strategy"),
        ((*TREE, "split_conditions"), [1.0], r"expected \d numbers as split_conditions"),
        ((*TREE, "left_children", 0), 99, "node 99 of a tree"),
        ((*TREE, "left_children", 0), 0, "node 0 of a tree has several parents"),
        ((*TREE, "split_indices", 0), 99, "beyond the 4 of the input"),
        ((*TREE, "split_indices", 0), 0.7, "expected integers of 32 bits as split_indices, got 0.7"),
        ((*TREE, "split_conditions", 0), 10**400, "expected finite numbers as split_conditions, got inf"),
        ((*TREE, "split_conditions", 0), float("nan"), "expected finite numbers as split_conditions, got nan"),
        ((*TREE, "split_conditions", 0), 1e39, "expected split_conditions in single precision, got 1e[+]39"),
        ((*TREE, "left_children", 0), -2, "expected two children of each node, or -1 for both of a leaf"),
        (("learner_model_param", "num_class"), 10**9, "1000000000 results need as many trees, the file has 6"),
        (("learner_model_param", "num_class"), 10**400, "expected a finite number as num_class, got inf"),
        (("learner_model_param", "num_feature"), "-1", "expected an index as num_feature, got -1"),
        (("learner_model_param", "base_score"), f"[{10**400},1]", "expected a base_score that fits multi:softprob"),
        (("learner_model_param", "base_score"), [], r"expected a text as base_score, got \[\]"),
        (("objective", "name"), "two\nlines", r"the objective 'two\\nlines' is not supported"),
        (("objective", "name"), "binary:logistic", "several labels for a sample are not supported"),
        (BEST, "99", "best_iteration is 99, and the model has 2 iterations"),
        (WROTE, "no JSON", "expected JSON as attributes.scikit_learn"),
        (WROTE, '{"_estimator_type": "regressor"}', "the objective multi:softprob of a regressor is not supported"),
    ],
)
def test_wrong_files_of_xgboost(where: tuple[str | int, ...], value: Any, message: str):
    """A file in which a field of the learner has a wrong value is rejected."""
    with pytest.raises(InputError, match=message) as error:
        read(changed(xgboost_model(), {where: value}), "json")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("objective=multiclass", "objective=custom", "the objective 'custom'"),
        ("decision_type=2", "decision_type=1", "categorical splits are not supported"),
        ("decision_type=2", "decision_type=6", "zero_as_missing=false"),
        ("is_linear=0", "is_linear=1", "linear_tree=false"),
        ("split_feature=", "split_feature=7 ", "expected 3 numbers as split_feature|expected 2 numbers|expected 1"),
        ("num_tree_per_iteration=3", "num_tree_per_iteration=4", "6 trees are not a whole number of iterations of 4"),
        ("max_feature_idx=3", "max_feature_idx=inf", "expected finite numbers as max_feature_idx, got inf"),
        ("split_feature=2 1", "split_feature=nan 1", "expected finite numbers as split_feature, got nan"),
        ("left_child=1 -1", "left_child=2 -1", "expected 2 nodes and 3 leaves as left_child, got 2"),
        ("num_leaves=3", "num_leaves=1000000000", "expected 1000000000 numbers as leaf_value, got 3"),
        ("objective=multiclass", "objective=binary", "the objective binary has one result, and the file trees for 3"),
        ("tree\n", "forest\n", "expected a model as LightGBM's save_model"),
    ],
)
def test_wrong_files_of_lightgbm(old: str, new: str, message: str):
    content = (FOLDER / "lightgbm_iris.txt").read_text()
    assert old in content
    with pytest.raises(InputError, match=message):
        read(content.replace(old, new, 1), "txt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not a JSON file"),
        ("[]", "expected a model as XGBoost's save_model"),
        ('{"oblivious_trees": []}', r"CatBoost's JSON is not supported: save_model\('model.cbm'\), .*format='onnx'"),
        ('{"learner": 3}', "learner: expected an object"),
        (f'{{"learner": {"1" * 5000}}}', "learner: expected an object"),
        ('{"tree_info": [], "num_tree_per_iteration": 1, "average_output": true}', "the model has no trees"),
        ('{"tree_info": [], "num_tree_per_iteration": "x"}', "expected a number as num_tree_per_iteration"),
    ],
)
def test_other_json(content: str, message: str):
    with pytest.raises(InputError, match=message):
        read(content, "json")


@cache
def with_missing_values() -> dict[str, bytes]:
    """The model files, by name, for which `missing.npz` contains predictions."""
    with tarfile.open(FOLDER / "missing.tar.xz") as archive:
        opened = {member.name: archive.extractfile(member) for member in archive.getmembers()}
        return {name: file.read() for name, file in opened.items() if file is not None}


@pytest.mark.parametrize("file", with_missing_values())
def test_missing_values_go_where_the_library_sends_them(file: str):
    """The results for missing values equal the library's. Depending on the model, a missing value takes the branch
    chosen in training, or counts as zero, or as less or greater than all numbers.
    """
    name, _, suffix = file.partition(".")
    data, wanted = np.load(FOLDER / "missing.npz"), name.removesuffix("_missing")
    x = data["iris_less" if name.endswith("complete") else "diabetes" if "diabetes" in name else "iris"]
    module = read(with_missing_values()[file], suffix)
    assert np.isnan(x).any()
    assert tdsl.read_input(module).missing
    outputs = evaluate_reals(module, x)
    if outputs.labels is None:
        np.testing.assert_allclose(scores_of(outputs)[:, 0], data[wanted], rtol=1e-6)
    else:
        np.testing.assert_array_equal(outputs.labels, data[wanted])
