"""Names of composed kernels, made of their operands: `tm_dot_near_s11_s16_s32`, `tm_c_dot_t4_s8_s32`.

Weights, vector and sum follow `tm_` (and `c_`, in plain C), each as the letter of its coding and its width.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.targets.kernel import Kernel

PLAIN = "tm_c_"
"""The prefix of kernels in plain C."""

LETTERS: Mapping[str, str] = {INTEGER: "s", TABLE: "t"}
"""The abbreviations of codings in names."""


def name_of(kernel: Kernel, prefix: str) -> str:
    """The name of a kernel that computes the described sums."""
    first, second = (LETTERS[coding] for coding in kernel.codings)
    near = "near_" if kernel.gaps else ""
    return f"{prefix}dot_{near}{first}{kernel.weights}_{second}{kernel.vector}_s{kernel.sum}"
