"""The size of the product: passes that run, and lines of Python."""

from __future__ import annotations

from programs.paths import ROOT

from measured.store import Values
from tinyml.lowering.pipelines import flatten

TO_C = ("reals-to-c",)
TO_VERILOG = ("reals-to-formats", "formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-hardware")


def passes(target: str) -> Values:
    """The passes that run for a model with data, to C or for an FPGA to Verilog; several runs of one count each."""
    names = TO_VERILOG if target.startswith("ecp5") else TO_C
    return {"count": sum(len(flatten(name, {"data": "val.npz", "target": target})) for name in names)}


def lines(folder: str) -> Values:
    """The lines of the Python files in a folder of the repository, comments and blank ones among them."""
    files = [*(ROOT / folder).rglob("*.py")]
    assert files, folder
    return {"count": sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)}
