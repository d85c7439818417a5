"""Times of classifiers on an Arduino Due (MinUn, table 11), and of LeNet on an MKR1000 (SeeDot, table 1)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from figures.commands import measure
from programs.untrained_networks import Layers

from papers.row import Values
from tinyml.tools.driver.stages import print_ir

DUE = 84e6
"""Hertz of an Arduino Due."""


def on_due(models: Path | None) -> Values:
    """Milliseconds of an inference in 16 bits, by the published timing of a Cortex-M3, of each family, on USPS."""
    names = {"fastgrnn": "fastgrnn-usps10-genuine", "protonn": "protonn-usps10", "bonsai": "bonsai-usps10"}
    found = {family: measure(f"compile {name} --width 16 --target due", models) for family, name in names.items()}
    return {family: round(1e3 * values["core_cycles"] / DUE, 2) for family, values in found.items()}


CIFAR = {"50K": 112, "105K": 250}
"""Hidden elements of LeNets for 32 x 32 pixels of three colours, by the number of their parameters."""


def lenets(_models: Path | None) -> Values:
    """Flash and RAM of LeNets for CIFAR-10 on an MKR1000, and how many times as fast as floats they are, by width.

    Their weights are random, on which neither memory nor, but for constants that are powers of two, time depends.
    `fits_{name}_{bits}` is 1 for a program that fits, with 0 bits for floats.
    """
    found: dict[str, float] = {}
    formats = {0: "f32", 32: "fixed --width 32", 16: "fixed --width 16"}
    with tempfile.TemporaryDirectory() as folder:
        for name, hidden in CIFAR.items():
            _write_lenet(hidden, Path(folder), name)
            options = f"--val {folder}/val.npz --target mkr1000"
            programs = {
                bits: measure(f"compile {name} {options} --format {format}", Path(folder))
                for bits, format in formats.items()
            }
            for bits, program in programs.items():
                found[f"fits_{name}_{bits}"] = int("error" not in program)
                if "error" not in program:
                    found |= {f"ram_{name}_{bits}": program["ram"], f"flash_{name}_{bits}": program["flash"]}
                if bits and not {"error"} & (programs[0].keys() | program.keys()):
                    found[f"times_{name}_{bits}"] = round(programs[0]["core_cycles"] / program["core_cycles"], 1)
    return found


def _write_lenet(hidden: int, folder: Path, name: str) -> None:
    """Write LeNet with random weights as NAME.mlir, and random pixels to profile it on as val.npz."""
    net = Layers((1, 32, 32, 3), 1).convolution(6, 5).pool(2).convolution(16, 5).pool(2)
    program = print_ir(net.dense(hidden).relu().dense(10).program())
    Path(folder, f"{name}.mlir").write_text(program, encoding="utf-8")
    pixels = np.random.default_rng(1).uniform(0, 1, (20, 32 * 32 * 3)).astype(np.float32)
    np.savez(folder / "val.npz", x=pixels, y=np.zeros(len(pixels), np.int64))


def lenet(models: Path | None) -> Values:
    """Points lost by LeNet for MNIST in fixed point of 16 bits, and how many times as fast as floats it is."""
    floats, fixed = (
        measure(f"bench cnn-lenet-mnist10 --format {format} --target mkr1000", models)
        for format in ("f32", "fixed --width 16")
    )
    return {"lost": round(0.0 - fixed["change"], 2), "times": round(floats["core_cycles"] / fixed["core_cycles"], 1)}
