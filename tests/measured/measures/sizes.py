"""The size of the project: the number of passes that run in a compilation, and the lines of Python."""

from __future__ import annotations

from programs.paths import ROOT

from measured.store import Values
from tinyml.lowering.pipelines import flatten

PASSES = {
    "passes of reals-to-c for an Uno": ("uno", ["reals-to-c"]),
    "passes to Verilog": (
        "ecp5-25k",
        ["reals-to-formats", "formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-hardware"],
    ),
}
"""Targets and pipelines by the labels of the page."""


def size(label: str) -> Values:
    """For a key of `PASSES`, the number of passes that run for a model with data. For a folder of the repository, the
    number of its lines of Python.

    A pass that runs twice counts twice; comments and blank lines count as lines.
    label: a key of `PASSES`, or the path of the folder relative to the root of the repository.
    """
    if label in PASSES:
        target, names = PASSES[label]
        return {"count": sum(len(flatten(name, {"data": "val.npz", "target": target})) for name in names)}
    files = [*(ROOT / label).rglob("*.py")]
    assert files, label
    return {"count": sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)}
