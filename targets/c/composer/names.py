"""The names of kernels that are composed of what they read: `tm_dot_near_s11_s16_s32`, `tm_c_dot_t4_s8_s32`.

Weights, vector and sum follow `tm_` (and `c_`, in plain C), each as the letter of its coding and its width.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tinyml.dialects.formats.coding import INTEGER, TABLE
from tinyml.dialects.layouts.packed_bits import GAP_BITS
from tinyml.targets.kernel import Kernel

PLAIN = "tm_c_"
"""The prefix of kernels in plain C."""

LETTERS: Mapping[str, str] = {INTEGER: "s", TABLE: "t"}
"""Codings, as names abbreviate them."""

_CODINGS = {letter: coding for coding, letter in LETTERS.items()}
_NAME = re.compile(rf"tm_(?:c_)?dot_(near_)?([{''.join(_CODINGS)}])(\d+)_([{''.join(_CODINGS)}])(\d+)_s(16|24|32|64)")


def name_of(kernel: Kernel, prefix: str) -> str:
    """The name of a kernel that computes what another one describes."""
    first, second = (LETTERS[coding] for coding in kernel.codings)
    near = "near_" if kernel.gaps else ""
    return f"{prefix}dot_{near}{first}{kernel.weights}_{second}{kernel.vector}_s{kernel.sum}"


def described(name: str) -> Kernel | None:
    """What a name says of a kernel; None if it is no name of a composed one."""
    if (match := _NAME.fullmatch(name)) is None:
        return None
    near, first, weights, second, vector, sum = match.groups()
    op, gaps = ("num.sparse_dot", GAP_BITS) if near else ("num.dot", 0)
    codings = _CODINGS[first], _CODINGS[second]
    return Kernel(name, int(weights), int(vector), int(sum), op=op, gaps=gaps, codings=codings)
