"""Gural and Murmann's trained network on MNIST's test images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from figures.commands import model_path
from programs import gural_murmann

from papers.row import Values
from tinyml.runtime.evaluator.evaluator import evaluate

BATCH = 500


def accuracy(models: Path | None) -> Values:
    """Percent of the images of `cnn-gural-mnist10-4bit/test.npz`, all 10,000, that get the right label."""
    data = np.load(model_path("cnn-gural-mnist10-4bit", models) / "test.npz")
    raws, labels = gural_murmann.images(data["x"]), data["y"]
    program, right = gural_murmann.program(), 0
    for first in range(0, len(raws), BATCH):
        scores = evaluate(program, raws[first : first + BATCH]).scores
        assert scores is not None
        right += int((np.asarray(scores).reshape(-1, 10).argmax(1) == labels[first : first + BATCH]).sum())
    return {"accuracy": round(100 * right / len(raws), 4), "images": len(raws)}
