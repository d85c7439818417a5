"""The kernels of each target: C functions of the runtime that compute exact integer sums of products.

They live in `runtime/include/tinyml/`, with a twin in plain C wherever they are written in assembly, so that the same
generated file gives the same bits everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.dialects.errors import InputError


@dataclass(frozen=True)
class Kernel:
    """symbol: the C function. weights, vector: bits of the stored integers; sum: bits of the accumulator.

    sparse: the weights are a compressed row; packed: of the layout of `tinyml.dialects.packed_rows`. flash: they lie
    in flash, or in working memory; None where that is one.
    """

    symbol: str
    weights: int
    vector: int
    sum: int
    sparse: bool = False
    packed: bool = False
    flash: bool | None = True

    def computes(self, wanted: Kernel) -> bool:
        """Is it the sum that another description asks for?"""
        same = (self.weights, self.vector, self.sum, self.sparse)
        return same == (wanted.weights, wanted.vector, wanted.sum, wanted.sparse) and self.flash in (None, wanted.flash)


_AVR = (
    Kernel("tm_dot_s16_s16_s32", 16, 16, 32),
    Kernel("tm_dot_s16_s16_s32_ram", 16, 16, 32, flash=False),
    Kernel("tm_dot_s8_s16_s32", 8, 16, 32),
    Kernel("tm_dot_s16_s8_s32", 16, 8, 32),
    Kernel("tm_dot_s8_s8_s32", 8, 8, 32),
    Kernel("tm_dot_s8_s8_s32_ram", 8, 8, 32, flash=False),
    Kernel("tm_dot_row_s16_s16_s32", 16, 16, 32, sparse=True, packed=True),
    Kernel("tm_dot_row_s8_s16_s32", 8, 16, 32, sparse=True, packed=True),
    Kernel("tm_dot_row_s8_s8_s32", 8, 8, 32, sparse=True, packed=True),
)

_CORTEX_M = (
    Kernel("tm_cm_dot_s8_s8_s32", 8, 8, 32, flash=None),
    Kernel("tm_cm_dot_s8_s16_s32", 8, 16, 32, flash=None),
    Kernel("tm_cm_dot_s16_s8_s32", 16, 8, 32, flash=None),
    Kernel("tm_cm_dot_s16_s16_s32", 16, 16, 32, flash=None),
    Kernel("tm_cm_dot_s16_s16_s64", 16, 16, 64, flash=None),
    Kernel("tm_cm_dot_sparse_s8_s8_s32", 8, 8, 32, sparse=True),
    Kernel("tm_cm_dot_sparse_s8_s16_s32", 8, 16, 32, sparse=True),
    Kernel("tm_cm_dot_sparse_s16_s16_s32", 16, 16, 32, sparse=True),
)

_KERNELS: dict[str, Sequence[Kernel]] = {"avr": _AVR, "cortex-m": _CORTEX_M, "host": ()}


def kernels_of(target: str) -> Sequence[Kernel]:
    """The kernels of a target, best first; raises `InputError` for an unknown target."""
    if target not in _KERNELS:
        raise InputError(f"unknown target '{target}' (one of {', '.join(_KERNELS)})")
    return _KERNELS[target]
