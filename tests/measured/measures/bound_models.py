"""Classifiers whose weights are in the program, and in a blob that the program reads in place."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

import tinyml

MODELS: dict[str, Callable[[], Any]] = {
    "forest": lambda: cast(Any, RandomForestClassifier)(10, max_leaf_nodes=16, random_state=0),
    "logistic regression": lambda: cast(Any, LogisticRegression)(max_iter=100),
    "sparse": lambda: cast(Any, LogisticRegression)(C=0.003, l1_ratio=1, solver="saga", max_iter=200, random_state=0),
    "neighbours": lambda: cast(Any, KNeighborsClassifier)(3),
    "MLP of 16 units": lambda: cast(Any, MLPClassifier)((16,), random_state=0),
    "MLP of 32 and 16 units": lambda: cast(Any, MLPClassifier)((32, 16), random_state=0),
}
BOARDS = {"Uno": "uno", "Mega": "mega", "M4": "cortex-m4"}
WAYS: dict[str, dict[str, Any]] = {
    "in the program": {},
    "as code, --flash": {"flash": 32_000},
    "--weights-at": {"weights_at": ".weights"},
    "--weights-at 0x20000": {"weights_at": "0x20000"},
    "and --weights-margin 2": {"weights_at": ".weights", "weights_margin": 2.0},
}
STORED = 100
"""The images that an estimator of neighbours stores."""
TRAINED, CALIBRATED = 1000, 1400
"""The images before the first number train the model; those before the second choose formats, and the rest test."""


def bound_model(row: str) -> dict[str, Any]:
    """The figures of a classifier of digits of 8 x 8 pixels, in 8-bit fixed point.

    row: a model, a board and a way, separated by commas.

    The figures are `flash` and `ram` in bytes, the `cycles` of an inference, and the `accuracy` in percent. Flash
    includes the blob. The accuracy is measured on images that are used neither for training nor for calibration.
    """
    name, board, way = row.split(", ", 2)
    x, y = cast(Any, load_digits)(return_X_y=True)
    parts = [slice(0, TRAINED), slice(TRAINED, CALIBRATED), slice(CALIBRATED, None)]
    (train, labels), (val, val_labels), (test, test_labels) = ((x[part], y[part]) for part in parts)
    options: dict[str, Any] = {"format": "fixed", "width": 8, "board": BOARDS[board], **WAYS[way]}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", tinyml.CompileWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        given = slice(STORED) if name == "neighbours" else slice(None)
        model = MODELS[name]().fit(train[given], labels[given])
        tinyml.compile(model, val, val_labels, X_test=test, y_test=test_labels, **options).save(folder)
        report = json.loads(Path(folder, "report.json").read_text())
    cycles = report.get("core_cycles_per_inference") or report["cycles_per_inference"]
    figures = {"flash": report["flash_bytes"], "cycles": round(cycles), "ram": report["ram_bytes"]["total"]}
    return figures | {"accuracy": report["accuracy"]}
