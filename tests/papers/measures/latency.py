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
    """Points lost by LeNet for MNIST in fixed point, and how many times as fast as floats it is, by width."""
    floats = measure("bench cnn-lenet-mnist10 --format f32 --target mkr1000", models)
    found: dict[str, float] = {}
    for width in (16, 32):
        fixed = measure(f"bench cnn-lenet-mnist10 --format fixed --width {width} --target mkr1000", models)
        found |= {
            f"lost_{width}": round(-fixed["change"], 2),
            f"times_{width}": round(floats["core_cycles"] / fixed["core_cycles"], 1),
        }
    return found
