"""Models of `tinyml.models`, trained on letters and on the whole of MNIST."""

from __future__ import annotations

import time
from typing import Any

import tinyml
from measured.store import Values
from measured.trainings import Sets, digits, letters
from tinyml.models import Bonsai, ProtoNN


def _images() -> Sets:
    return digits(train=48_000, side=28)


MODELS: dict[str, tuple[Any, Any]] = {
    "Bonsai, letters": (Bonsai(14, 3, wv_density=0.6, random_state=0), letters),
    "ProtoNN, letters": (
        ProtoNN(16, 182, epochs=200, learning_rate=0.1, batch_size=128, alpha=0.0, random_state=0),
        letters,
    ),
    "Bonsai, digits": (
        Bonsai(22, 2, z_density=0.265, epochs=30, learning_rate=0.01, alpha=5e-4, random_state=0),
        _images,
    ),
}
"""Estimators with their data, by the names of rows."""


def trained(name: str, _options: list[str]) -> Values:
    """The figures of an estimator: the processor seconds of `fit`, the nonzero numbers, and the accuracies on the test
    samples in floating point and of the program in 16 bits, in percent.
    """
    model, data = MODELS[name]
    sets = data()
    start = time.process_time()
    model.fit(sets.train.x, sets.train.y)
    seconds = time.process_time() - start
    program = tinyml.compile(model, sets.val.x, sets.val.y, board="host", width=16)
    return {
        "seconds": round(seconds), "numbers": model.nonzeros_,
        "float": round(100 * model.score(sets.test.x, sets.test.y), 2),
        "program": round(100 * program.score(sets.test.x, sets.test.y), 2),
    }  # fmt: skip
