"""How often the bound on the loss of a program that `--format auto` chose covers the loss on unseen data.

`python -m measured.judged_losses --jobs 16` generates 300 data sets and trains a classifier on each. `--format auto`
then chooses a program for an Uno on 50 to 1,000 samples. The program and the model on reals are evaluated on unseen
samples. This takes about half an hour on one processor and needs neither cross compilers nor simulators.

`--out FILE` writes the rows to a file; `--beside FILE` first prints the rows of such a file from an earlier version.
Kinds of models in `HELD_OUT` did not influence any decision about the statistic, and have separate rows.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from measured.store import Values

UNSEEN = 4000
"""The unseen samples by which a true loss is known to some 0.1 points."""

SIZES = (50, 100, 200, 400, 1000)
"""The samples to choose by."""

LOSS = 0.5
"""The points that may be lost."""

TRAINED = 600
"""The samples to fit a model to."""


def _sklearn(module: str) -> Any:
    """A module of scikit-learn, imported without types."""
    return import_module(f"sklearn.{module}")


def _after_scaling(estimator: Any) -> Any:
    return _sklearn("pipeline").make_pipeline(_sklearn("preprocessing").StandardScaler(), estimator)


def _perceptron(seed: int, *layers: int, **options: Any) -> Any:
    return _sklearn("neural_network").MLPClassifier(layers, max_iter=150, random_state=seed, **options)


KINDS: Mapping[str, Callable[[int], Any]] = {
    "logistic regression": lambda seed: _sklearn("linear_model").LogisticRegression(max_iter=500),
    "logistic regression, scaled": lambda seed: _after_scaling(KINDS["logistic regression"](seed)),
    "perceptron": lambda seed: _after_scaling(_perceptron(seed, 16)),
    "perceptron, deep": lambda seed: _after_scaling(_perceptron(seed, 24, 12, 8)),
    "support vectors": lambda seed: _after_scaling(_sklearn("svm").SVC(C=2.0)),
    "naive Bayes": lambda seed: _sklearn("naive_bayes").GaussianNB(),
    "discriminant": lambda seed: _sklearn("discriminant_analysis").LinearDiscriminantAnalysis(),
    "forest": lambda seed: _sklearn("ensemble").RandomForestClassifier(12, max_depth=7, random_state=seed),
    "boosting": lambda seed: _sklearn("ensemble").GradientBoostingClassifier(n_estimators=12, random_state=seed),
    "ridge": lambda seed: _sklearn("linear_model").RidgeClassifier(),
    "perceptron, wide": lambda seed: _perceptron(seed, 48, activation="tanh"),
    "quadratic discriminant": lambda seed: _sklearn("discriminant_analysis").QuadraticDiscriminantAnalysis(
        reg_param=0.05
    ),
    "extra trees": lambda seed: _sklearn("ensemble").ExtraTreesClassifier(15, max_depth=8, random_state=seed),
    "nearest centroid": lambda seed: _sklearn("neighbors").NearestCentroid(),
    "support vectors, cubic": lambda seed: _after_scaling(_sklearn("svm").SVC(kernel="poly", coef0=1.0)),
}
"""The kinds of models: an estimator that is not fitted, for a seed."""

HELD_OUT = ("perceptron, wide", "quadratic discriminant", "extra trees", "nearest centroid", "support vectors, cubic")
"""Kinds of models on which nothing was settled."""

SEEDS = 4
"""The splits of each kind and each number of samples."""


def drawn(seed: int, samples: int) -> tuple[Any, Any]:
    """Samples (samples, features) of a random classification problem with clusters, and their classes.

    Some problems have features of very different scale.
    """
    random = np.random.default_rng(seed)
    features, classes = int(random.integers(5, 21)), int(random.integers(2, 7))
    useful = min(features, int(random.integers(4, 9)))
    x, y = _sklearn("datasets").make_classification(
        samples,
        features,
        n_informative=useful,
        n_redundant=min(2, features - useful),
        n_classes=classes,
        n_clusters_per_class=int(random.integers(1, 3)),
        class_sep=float(random.uniform(0.5, 2.5)),
        flip_y=float(random.choice([0.0, 0.03])),
        random_state=seed,
    )
    units = 10.0 ** random.integers(-1, 3, features) if seed % 3 == 0 else np.ones(features)
    return (x * units).astype(np.float32).astype(float), y


def judged(kind: str, seed: int, size: int) -> Values:
    """The choice of `--format auto` for one data set, and its loss on unseen samples. `others` contains the losses of
    the alternatives that were not chosen.

    kind: the kind of model.
    seed: determines the data set.
    size: the number of samples on which the program is chosen.
    """
    from tinyml.dialects.context import context
    from tinyml.lowering.options import PipelineOptions
    from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals
    from tinyml.runtime.model.program_data import load_program_data
    from tinyml.tools.api.loading import load
    from tinyml.tools.driver.choice.choose import Bounds, choose

    x, y = drawn(seed, TRAINED + size + UNSEEN)
    given, chosen_by, unseen = slice(TRAINED), slice(TRAINED, TRAINED + size), slice(TRAINED + size, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = load(KINDS[kind](seed).fit(x[given], y[given])).module
    row: Values = {"kind": kind, "seed": seed, "samples": size}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "val.npz")
        np.savez(file, x=x[chosen_by], y=y[chosen_by])
        options = PipelineOptions(data=str(file), target="uno", outputs="class")
        data = load_program_data(program, str(file))
        choice = choose(program, context(), options, data, Bounds(inf, inf, LOSS))
        classes = evaluate_reals(program, x[unseen]).classes
        right = float((classes == y[unseen]).mean())

        def lost(tried: Any) -> float:
            module = tried.trial.program(tried.schedule)
            found = evaluate(module, encode_inputs(module, x[unseen])).classes
            return 100 * (right - float((found == y[unseen]).mean()))

        taken = choice.taken
        judgement = taken.loss
        assert judgement is not None
        row |= {"chosen": taken.alternative.name, "points": judgement.points, "bound": judgement.bound}
        row |= {"lost": judgement.lost, "gained": judgement.gained, "qualifies": choice.qualifies}
        row |= {"true": lost(taken), "time": taken.cost.time, "usual": choice.usual and choice.usual.cost.time}
        others = [tried for tried in choice.tried if tried.loss is not None and tried is not taken]
        row["others"] = [
            {"name": tried.alternative.name, "points": tried.loss.points, "bound": tried.loss.bound,
             "lost": tried.loss.lost, "gained": tried.loss.gained, "true": lost(tried)}
            for tried in others if tried.loss is not None
        ]  # fmt: skip
    return row


def splits() -> list[tuple[str, int, int]]:
    """All cases: the kind of model, the seed, and the number of samples on which the program is chosen."""
    return [
        (kind, 1000 * number + 10 * index + seed, size)
        for number, kind in enumerate(KINDS)
        for index, size in enumerate(SIZES)
        for seed in range(SEEDS)
    ]


def _judged(split: tuple[str, int, int]) -> Values:
    return judged(*split)


COLUMNS = (
    "splits", "splits", "covered %", "8 bits %", "time of 16 bits", "mean loss", "greatest", "> 0.5", "> 1", "bound",
)  # fmt: skip


def summary(name: str, rows: Sequence[Values]) -> list[str]:
    """A line of the table for the given rows: the share of cases whose bound covers the true loss, the choices, and
    their losses.
    """
    true, bound = (np.array([row[key] for row in rows]) for key in ("true", "bound"))
    narrow = np.mean(["8" in row["chosen"].replace("fixed 16, weights fixed:8", "") for row in rows])
    times = [row["time"] / row["usual"] for row in rows if row["time"] and row["usual"]]
    return [
        name,
        str(len(rows)),
        f"{100 * np.mean(true <= bound + 1e-9):.1f}",
        f"{100 * narrow:.0f}",
        f"{np.mean(times):.2f}",
        f"{true.mean():.2f}",
        f"{true.max():.2f}",
        str(int((true > 0.5).sum())),
        str(int((true > 1).sum())),
        f"{np.median(bound):.2f}",
    ]


def table(rows: Sequence[Values]) -> list[list[str]]:
    """The lines of the table: for all cases, for held-out kinds, and for each number of samples used for the choice."""
    parts = {
        "all": rows,
        "kinds held out": [row for row in rows if row["kind"] in HELD_OUT],
        **{f"{size:,} samples": [row for row in rows if row["samples"] == size] for size in SIZES},
    }
    return [summary(name, part) for name, part in parts.items() if part]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m measured.judged_losses", description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: all)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th split")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the rows as JSON")
    parser.add_argument("--beside", type=Path, metavar="FILE", help="rows of an earlier version, shown in front")
    arguments = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        rows = pool.map(_judged, splits()[:: arguments.every], chunksize=1)
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(rows, indent=1) + "\n")
    tables = [table(json.loads(arguments.beside.read_text()))] if arguments.beside else []
    for lines in [*tables, table(rows)]:
        widths = [max(map(len, column)) for column in zip(COLUMNS, *lines, strict=True)]
        for line in [COLUMNS, *lines]:
            print("  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)))
        print()


if __name__ == "__main__":
    main()
