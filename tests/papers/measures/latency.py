"""Times of classifiers on an Arduino Due (MinUn, table 11), and of LeNet on an MKR1000 (SeeDot, table 1)."""

from __future__ import annotations

from pathlib import Path

from figures.commands import measure

from papers.row import Values

DUE = 84e6
"""Hertz of an Arduino Due."""


def on_due(models: Path | None) -> Values:
    """Milliseconds of an inference in 16 bits, by the published timing of a Cortex-M3, of each family, on USPS."""
    names = {"fastgrnn": "fastgrnn-usps10-genuine", "protonn": "protonn-usps10", "bonsai": "bonsai-usps10"}
    found = {family: measure(f"compile {name} --width 16 --target due", models) for family, name in names.items()}
    return {family: round(1e3 * values["core_cycles"] / DUE, 2) for family, values in found.items()}


def lenet(models: Path | None) -> Values:
    """Points lost by LeNet for MNIST in fixed point of 16 bits, and how many times as fast as floats it is."""
    floats, fixed = (
        measure(f"bench cnn-lenet-mnist10 --format {format} --target mkr1000", models)
        for format in ("f32", "fixed --width 16")
    )
    return {"lost": round(0.0 - fixed["change"], 2), "times": round(floats["core_cycles"] / fixed["core_cycles"], 1)}
