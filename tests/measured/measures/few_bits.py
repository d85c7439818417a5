"""Networks that were trained for few bits: one small network with many widths on a board, and networks of
qonnx_model_zoo as hardware modules.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from programs.paths import ROOT

import tinyml
from measured.commands import measure, of_report
from measured.store import Values

NETWORKS = ROOT / "tests/models/few_bits"

SAMPLES = 200
"""The random inputs that determine the format of a module's input."""


def on_board(bits: str, options: Sequence[str]) -> Values:
    """The figures of a network of `tests/models/few_bits` on a board.

    `torch` is the percentage of unseen digits that the network classifies correctly in PyTorch, and `equal` the
    percentage that the program classifies as PyTorch does.

    bits: the bits of weights and of activations, joined by ` | `.
    options: `--target BOARD`.
    """
    name, stored = "w{}a{}".format(*bits.split(" | ")), np.load(NETWORKS / "digits.npz")
    x, y = stored["x"], stored["y"].astype(np.int64)
    program = tinyml.compile(NETWORKS / f"{name}.onnx", x, y, board=options[1])
    shares = {"torch": stored[name] == y, "equal": stored[name] == program.predict(x)}
    return {**of_report(program.report.as_json()), **{key: 100 * float(each.mean()) for key, each in shares.items()}}


def packed_or_not(bits: str, options: Sequence[str]) -> Values:
    """The times of an inference with the weights that the compiler packs, and with unpacked ones (`never`).

    bits, options: as for `on_board`.
    """
    name, x = "w{}a{}".format(*bits.split(" | ")), np.load(NETWORKS / "digits.npz")["x"]
    choices = {"packed": "auto", "never": "never"}
    return {
        key: of_report(tinyml.compile(NETWORKS / f"{name}.onnx", x, board=options[1], packed=choice).report.as_json())[
            "time"
        ]
        for key, choice in choices.items()
    }


def module(model: Path, options: Sequence[str]) -> Values:
    """The figures of a hardware module that returns the class, with inputs of 16 bits.

    The inputs are random pixels from 0 to 1 for the networks TFC, and normally distributed for others, whose features
    are standardised.

    options: further options of `tinyml compile`.
    """
    random = np.random.default_rng(79)
    digits = model.stem.startswith("TFC")
    x = random.uniform(0, 1, (SAMPLES, 1, 28, 28)) if digits else random.normal(0, 1, (SAMPLES, 16))
    with tempfile.TemporaryDirectory() as folder:
        val = Path(folder, "val.npz")
        np.savez(val, x=np.round(x * 1024) / 1024)
        chosen = f"--val {val} --format fixed --width 16 --outputs class {' '.join(options)}"
        return measure(f"compile {model.name} {chosen}", model.parent)
