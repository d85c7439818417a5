"""The alternatives of `--format auto` with weights of 4 bits, in a codebook or in groups with common scales."""

from __future__ import annotations

from tinyml.tools.driver.choice.alternatives import Alternative


def _with_weights(format: str) -> Alternative:
    """Values in 8-bit fixed point with weights of 4 bits in a format."""
    options = {"format": "fixed", "width": 8, "weights": f"{format}:4"}
    return Alternative(f"fixed 8, weights {format}:4", options, compact=True)


CODEBOOK, MXINT, MXFP = map(_with_weights, ("codebook", "mxint", "mxfp"))
