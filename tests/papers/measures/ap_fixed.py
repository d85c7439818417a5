"""The fixed point of Vivado HLS, one format for all numbers (SeeDot 7.3.2): it cuts off, and wraps around."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from figures.commands import Unmeasured, model_path
from numpy.typing import NDArray

from papers.row import Values

Raws = NDArray[np.int64]
Reals = NDArray[np.floating]
Parameters = dict[str, Any]

BATCH = 100


@dataclass(frozen=True)
class ApFixed:
    """`ap_fixed<width, integer>`: raws of `width` bits, `integer` of them above the point, the sign among them."""

    width: int
    integer: int

    @property
    def fraction(self) -> int:
        return self.width - self.integer

    def of(self, reals: Reals) -> Raws:
        raws = np.floor(np.clip(np.asarray(reals, np.float64) * 2.0**self.fraction, -(2.0**62), 2.0**62))
        return self.wrapped(raws.astype(np.int64))

    def wrapped(self, raws: Raws) -> Raws:
        half = 1 << (self.width - 1)
        return ((raws + half) & (2 * half - 1)) - half

    def dot(self, left: Raws, right: Raws, axis: int) -> Raws:
        """Sums over an axis of products, each cut off as it is added."""
        return self.wrapped((left * right >> self.fraction).sum(axis))

    def function(self, function: Callable[[Reals], Reals], raws: Raws) -> Raws:
        """Of what is at most 40, so that exp is a number."""
        return self.of(function(np.minimum(raws * 2.0**-self.fraction, 40)))


def loss(family: str, names: tuple[str, ...], width: int) -> Callable[[Path | None], Values]:
    """Measures the points that the best of all formats of a width loses on the test set, on average of some models."""
    forward = {"protonn": _protonn, "bonsai": _bonsai}[family]

    def measure(models: Path | None) -> Values:
        losses = {name: _loss(forward, model_path(name, models), width) for name in names}
        return {**losses, "mean": round(sum(losses.values()) / len(losses), 2)}

    return measure


def _loss(forward: Callable[[ApFixed, Reals, Parameters], Raws], folder: Path, width: int) -> float:
    if not (folder / "meta.json").exists():
        raise Unmeasured(f"no meta.json in {folder}")
    given: Parameters = {
        **json.loads((folder / "meta.json").read_text()),
        **{file.stem: np.load(file) for file in folder.glob("*.npy")},
    }
    data = np.load(folder / "test.npz")
    formats = [ApFixed(width, integer) for integer in range(width)]
    right = {
        format: sum(
            int((forward(format, data["x"][i : i + BATCH], given).argmax(1) == data["y"][i : i + BATCH]).sum())
            for i in range(0, len(data["x"]), BATCH)
        )
        for format in formats
    }
    return round(100 * (given["accuracy"]["test"] - max(right.values()) / len(data["x"])), 2)


def _protonn(to: ApFixed, x: Reals, given: Parameters) -> Raws:
    weights, prototypes, scores = (to.of(given[name]) for name in "WBZ")
    projected = to.dot(to.of(x)[:, :, None], weights[None], 1)
    distances = to.wrapped(projected[:, :, None] - prototypes[None])
    squared = to.dot(distances, distances, 1)
    arguments = to.dot(np.asarray(to.of(-(given["gamma"] ** 2)))[None], squared[None], 0)
    return to.dot(to.function(np.exp, arguments)[:, None], scores[None], 2)


def _bonsai(to: ApFixed, x: Reals, given: Parameters) -> Raws:
    classes, depth = given["L"], given["depth"]
    projected = to.dot(to.of(x)[:, None], to.of(given["Z"])[None], 2)
    size = projected.shape[1]
    weights, gates = (to.of(given[name]).reshape(-1, classes, size) for name in "WV")
    branches = to.of(given["T"])
    node, scores = np.zeros(len(x), int), np.zeros((len(x), classes), np.int64)
    for level in range(depth + 1):
        sums = to.dot(gates[node], projected[:, None], 2)
        gate = to.function(np.tanh, to.dot(np.asarray(to.of(given["sigma"]))[None], sums[None], 0))
        parts = to.dot(weights[node], projected[:, None], 2)
        scores = to.wrapped(scores + to.dot(parts[None], gate[None], 0))
        if level < depth:
            right = to.dot(branches[node], projected, 1) > 0
            node = np.where(right, 2 * node + 1, 2 * node + 2)
    return scores
