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

    sparse: the weights are a compressed row. flash: they lie in flash, else in working memory.
    """

    symbol: str
    sparse: bool
    flash: bool
    weights: int
    vector: int
    sum: int

    def computes(self, wanted: Kernel) -> bool:
        """Does it compute what another description asks for, in an accumulator at least as wide?"""
        same = (self.sparse, self.flash, self.weights, self.vector)
        return same == (wanted.sparse, wanted.flash, wanted.weights, wanted.vector) and self.sum == wanted.sum


_AVR = (
    Kernel("tm_dot_s16_s16_s32", sparse=False, flash=True, weights=16, vector=16, sum=32),
)

_KERNELS: dict[str, Sequence[Kernel]] = {"avr": _AVR, "cortex-m": (), "host": ()}


def kernels_of(target: str) -> Sequence[Kernel]:
    """The kernels of a target, best first; raises `InputError` for an unknown target."""
    if target not in _KERNELS:
        raise InputError(f"unknown target '{target}' (one of {', '.join(_KERNELS)})")
    return _KERNELS[target]
