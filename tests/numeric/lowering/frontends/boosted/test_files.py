"""Files of XGBoost and LightGBM: what the libraries predict (tests/models/boosted), and what is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from programs.estimators import answers, scores_of
from programs.paths import ROOT

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.importers import importers
from tinyml.runtime.evaluator.evaluator import evaluate_reals

FOLDER = ROOT / "tests/models/boosted"
FILES = [
    f"{library}_{data}.{suffix}"
    for data in ("iris", "cancer", "diabetes")
    for library, suffix in (("xgboost", "json"), ("lightgbm", "txt"), ("lightgbm", "json"))
]


def read(content: str, suffix: str) -> Any:
    return importers()[suffix]()(content.encode(), f"model.{suffix}")


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
    ],
)
def test_wrong_files_of_xgboost(where: tuple[str | int, ...], value: Any, message: str):
    """A field of the learner with a wrong value."""
    model = json.loads((FOLDER / "xgboost_iris.json").read_text())
    inner = model["learner"]
    for name in where[:-1]:
        inner = inner[name]
    inner[where[-1]] = value
    with pytest.raises(InputError, match=message):
        read(json.dumps(model), "json")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("objective=multiclass", "objective=custom", "the objective 'custom'"),
        ("decision_type=2", "decision_type=1", "categorical splits are not supported"),
        ("decision_type=2", "decision_type=6", "zero_as_missing=false"),
        ("is_linear=0", "is_linear=1", "linear_tree=false"),
        ("split_feature=", "split_feature=7 ", "expected 3 numbers as split_feature|expected 2 numbers|expected 1"),
        ("num_tree_per_iteration=3", "num_tree_per_iteration=4", "6 trees are no whole number of iterations of 4"),
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
        ('{"learner": 3}', "learner: expected an object"),
        ('{"tree_info": [], "num_tree_per_iteration": "x"}', "expected a number as num_tree_per_iteration"),
    ],
)
def test_other_json(content: str, message: str):
    with pytest.raises(InputError, match=message):
        read(content, "json")
