"""A small classifier of six sensor values, which is suitable for every sketch, and its packages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tinyml.dialects.context import context
from tinyml.dialects.tdsl.interface import update_interface
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import load_program

NAME = "gestures"
PROGRAM = """\
let X = (6, 1) in [-1.0, 1.0] in
let W = (3, 6) in [-2.0, 2.0] in
let B = (3, 1) in [-1.0, 1.0] in
let H = tanh(W * X + B) in
argmax(H)
"""
CLASSES = ("rest", "wave", "turn")


@dataclass(frozen=True)
class SensorModel:
    """The output folder of the classifier for a board."""

    out: Path

    def classes(self, x: np.ndarray) -> list[int]:
        """The classes of inputs (samples, 6) according to the evaluator."""
        formats = load_program(self.out / "ir" / "1-formats.mlir", context())
        return evaluate(formats, encode_inputs(formats, x.astype(np.float32))).classes.tolist()

    def words(self, x: np.ndarray) -> list[str]:
        """The names of the classes of inputs (samples, 6) according to the evaluator."""
        return [CLASSES[label] for label in self.classes(x)]


def inputs(count: int) -> np.ndarray:
    """Random inputs (count, 6) in steps of 1/1024, which text in a sketch represents exactly."""
    return np.random.default_rng(7).integers(-1000, 1000, (count, 6)) / 1024


def sensor_model(folder: Path, target: str, *, name: str = NAME, **options: Any) -> SensorModel:
    """Compile the classifier to a subfolder of `folder`, with options of `tinyml compile`.

    name: the name of the model.
    """
    random = np.random.default_rng(3)
    folder.mkdir(exist_ok=True)
    model = folder / f"{name}.sd"
    model.write_text(PROGRAM)
    np.save(folder / "W.npy", random.uniform(-2, 2, (3, 6)))
    np.save(folder / "B.npy", random.uniform(-0.5, 0.5, (3, 1)))
    np.savez(folder / "val.npz", x=inputs(50))
    module = load_program(model, context())
    update_interface(module, classes=CLASSES)
    options = {"format": "fixed", "width": 8, "module": module} | options
    request = Request(model=model, val=folder / "val.npz", target=target, out=folder / "out", **options)
    compile_model(request)
    return SensorModel(folder / "out")
