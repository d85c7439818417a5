"""A network whose outputs are compared with outputs that are stored with it, such as the networks in
`DeeployTest/Tests/Models` of pulp-platform/Deeploy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import tinyml
from measured.commands import of_report

SAMPLES, MEASURED = 64, 5


def beside_outputs(folder: Path, format: str, width: int | None) -> dict[str, Any]:
    """The figures of `network.onnx` on a Cortex-M4, and `off`, the greatest difference between the evaluator's outputs
    and those in `outputs.npz` for the sample in `inputs.npz`.

    Formats are chosen on this sample and on `SAMPLES` samples of Gaussian noise. For the first `MEASURED` of these
    samples, the board must compute the evaluator's bits.

    format, width: the number format; None for the width of `f32`.
    """
    with np.load(folder / "inputs.npz") as inputs, np.load(folder / "outputs.npz") as outputs:
        (x,), (y,) = inputs.values(), outputs.values()
    x = x.reshape(1, -1).astype(np.float32)
    noise = np.random.default_rng(0).normal(size=(SAMPLES, x.shape[1])).astype(np.float32)
    data = np.concatenate([x, noise])
    program = tinyml.compile(str(folder / "network.onnx"), data, board="cortex-m4", format=format, width=width)
    scores = np.asarray(program.scores(x))
    program.measure(data, limit=MEASURED)
    return {**of_report(program.report.as_json()), "off": float(np.abs(scores.ravel() - y.ravel()).max())}
