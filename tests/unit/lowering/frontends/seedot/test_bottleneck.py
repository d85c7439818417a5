"""MobileNet's bottleneck in SeeDot's language is imported as three convolutions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.seedot.importer import import_seedot
from tinyml.runtime.evaluator.evaluator import evaluate_reals

Reals = NDArray[np.float64]
RANDOM = np.random.default_rng(5)
PROGRAM = """
let X = (1, 5, 4, 2) in [-1.0, 1.0] in
let F1 = (1, 1, 1, 2, 6) in
let W1 = (6) in [-2.0, 2.0] in
let B1 = (6) in [-2.0, 2.0] in
let F2 = (6, 3, 3, 1, 1) in
let W2 = (6) in [-2.0, 2.0] in
let B2 = (6) in [-2.0, 2.0] in
let F3 = (1, 1, 1, 6, 3) in
let W3 = (3) in [-2.0, 2.0] in
let B3 = (3) in [-2.0, 2.0] in
mbconv(X, [F1, {W1}, B1], [F2, W2, B2], [F3, W3, B3], {{s 2 1}}, {{p 1 1 0 1}})
"""
SHAPES = {"F1": (1, 1, 1, 2, 6), "F2": (6, 3, 3, 1, 1), "F3": (1, 1, 1, 6, 3)}


def expected(x: Reals, p: dict[str, Reals]) -> Reals:
    wide = (x.reshape(-1, 5, 4, 2) @ p["F1"][0, 0, 0] + p["B1"]) * p["W1"]
    wide = np.pad(np.clip(wide, 0, 6), ((0, 0), (1, 1), (0, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), (1, 2))[:, ::2]
    spread = np.einsum("nyxcij,cij->nyxc", windows, p["F2"][..., 0, 0])
    spread = np.clip((spread + p["B2"]) * p["W2"], 0, 6)
    return ((spread @ p["F3"][0, 0, 0] + p["B3"]) * p["W3"]).reshape(len(x), -1)


def test_three_convolutions(tmp_path: Path):
    """Factors of a bottleneck that are parameters are multiplied into the filters. Other factors remain separate
    multiplications.
    """
    shapes = SHAPES | {f"{name}{i}": (channels,) for name in "WB" for i, channels in ((1, 6), (2, 6), (3, 3))}
    parameters = {name: RANDOM.uniform(-2, 2, shape).astype(np.float32) for name, shape in shapes.items()}
    for name, raws in parameters.items():
        np.save(tmp_path / f"{name}.npy", raws)
    x = RANDOM.uniform(-1, 1, (7, 40))
    for weight, products in (("W1", 0), ("relu(W1)", 1)):
        module = import_seedot(PROGRAM.format(W1=weight), str(tmp_path / "bottleneck.sd"))
        module.verify()
        ops = [op for op in module.walk() if isinstance(op, tdsl.Conv2dOp | tdsl.MulOp)]
        assert len(ops) == 3 + products
        reals = {name: raws.astype("f8") for name, raws in parameters.items()}
        if products:
            reals["W1"] = np.maximum(reals["W1"], 0)
        scores = evaluate_reals(module, x).scores
        assert scores is not None
        np.testing.assert_allclose(scores, expected(x, reals), rtol=1e-5, atol=1e-5)
