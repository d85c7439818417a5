"""A convolutional network over time with overlapping windows of its input, computed whole and frame by frame."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import tinyml

FRAMES, CHANNELS, HIDDEN, TAPS, CLASSES = 64, 4, 16, 4, 4
STRIDE = 4
"""The frames from one window to the next."""

PROGRAM = f"""let X = ({FRAMES * CHANNELS}, 1) in [-1.0, 1.0] in
let F = (1, {TAPS}, 1, {CHANNELS}, {HIDDEN}) in [-2.0, 2.0] in
let G = (1, {TAPS}, 1, {HIDDEN}, {HIDDEN}) in [-2.0, 2.0] in
let W = ({CLASSES}, {HIDDEN}) in [-2.0, 2.0] in
let I = reshape(X, (1, {FRAMES}, 1, {CHANNELS}), (1, 2)) in
let A = relu(conv2d(I, F, {{s 1 1}}, {{p 0 0 0 0}}, {{d 1 1}}, {{g 1}})) in
let D = relu(conv2d(A, G, {{s 1 1}}, {{p 0 0 0 0}}, {{d 1 1}}, {{g 1}})) in
let M = maxpool(D, {{k {FRAMES - 2 * (TAPS - 1)} 1}}, {{p 0 0 0 0}}, {{s {FRAMES} 1}}) in
argmax(W * reshape(M, ({HIDDEN}, 1), (1, 2, 3, 4)))
"""
"""Two convolutions over time, the greatest value of each channel over all frames, and a dense layer."""


def overlapping_windows(_models: Path | None) -> dict[str, Any]:
    """The bytes of RAM and the instructions for an answer on a Cortex-M4, in 8-bit fixed point with random weights.

    `whole_ram`, `streamed_ram`: with stack and input, for a program that reads the whole window, and for one to which
    frames are passed. `whole`, `streamed`: the instructions for each answer if windows are `STRIDE` frames apart; those
    of the second program are the mean over the hops of the first answer, once for each hop but the last, and the
    longest hop, which computes the answer.
    """
    random, found = np.random.default_rng(0), dict[str, Any]()
    shapes = {"F": (1, TAPS, 1, CHANNELS, HIDDEN), "G": (1, TAPS, 1, HIDDEN, HIDDEN), "W": (CLASSES, HIDDEN)}
    x = random.uniform(-1, 1, (40, FRAMES * CHANNELS)).astype(np.float32)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "net.sd").write_text(PROGRAM)
        for parameter, shape in shapes.items():
            weights = random.normal(size=shape) / np.sqrt(TAPS * shape[-2])
            np.save(folder / f"{parameter}.npy", np.clip(weights, -2, 2).astype(np.float32))
        ways: dict[str, dict[str, Any]] = {"whole": {}, "streamed": {"input": "push", "stride": STRIDE}}
        for kind, options in ways.items():
            program = tinyml.compile(str(folder / "net.sd"), x, board="cortex-m4", width=8, **options)
            report = json.loads((program.folder / "report.json").read_text())
            assert report["mismatch"] is None
            found[f"{kind}_ram"] = report["ram_bytes"]["total"]
            found[kind] = time = round(report["instructions_per_inference"])
            if (stream := report["stream"]) is not None:
                found[kind] = round((STRIDE - 1) * time / FRAMES + stream["longest_hop"])
    return found
