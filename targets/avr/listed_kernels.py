"""The kernels for AVR that are listed by name, and the variants of these kernels for weights anywhere in flash.

A variant for weights anywhere in flash reads flash only by Z+, and never sets Z: `elpm Rd,Z+` is as fast as `lpm Rd,Z+`
and increments RAMPZ:Z, so that a run may cross a boundary of 64 KB.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from tinyml.targets.avr.assembly import FAR_FLASH, FLASH, RAM
from tinyml.targets.avr.boards import MUL
from tinyml.targets.avr.composer.packed_sums import compose_far
from tinyml.targets.avr.composer.regime import regime_dot
from tinyml.targets.avr.composer.sums import axpy, distance, dot, dot_in_chunks, sparse_dot, strided_dot
from tinyml.targets.kernel import Kernel


def _sums(memory: str) -> Sequence[Kernel]:
    """The listed kernels for one memory of the weights. Each of these kernels has a variant for near and a variant
    for far flash.

    memory: the memory of the weights, near or far flash.
    """
    kernels = (
        *(dot(*widths, memory) for widths in ((16, 16, 32), (8, 16, 32), (16, 8, 32))),
        *(dot(8, 8, sum, memory) for sum in (16, 24, 32)),
        *(dot_in_chunks(sum, chunk, memory) for sum in (24, 32) for chunk in (4, 3)),
        *(sparse_dot(*widths, 32, memory) for widths in ((16, 16), (8, 16))),
        *(sparse_dot(8, 8, sum, memory) for sum in (16, 24, 32)),
        *(strided_dot(*widths, memory) for widths in ((16, 16), (8, 16), (8, 8))),
        *(distance(bits, sum, memory) for bits, sum in ((16, 32), (8, 24), (8, 32))),
    )
    return [replace(kernel, needs=MUL) for kernel in kernels]


_OTHERS = (
    dot(16, 16, 32, RAM),
    *(dot(8, 8, sum, RAM) for sum in (16, 24, 32)),
    *(axpy(*widths) for widths in ((16, 16), (8, 16), (8, 8))),
    regime_dot(),
)
KERNELS = (*_sums(FLASH), *(replace(kernel, needs=MUL) for kernel in _OTHERS))


@cache
def _far_sums() -> Mapping[str, Kernel]:
    """The kernels for far weights. The key is the C function of the corresponding kernel for near weights."""
    return {near.symbol: far for near, far in zip(_sums(FLASH), _sums(FAR_FLASH), strict=True)}


def far_kernel(near: Kernel) -> Kernel | None:
    """The kernel of the same sum for weights in far flash, whose address is a `tm_far`; None if there is none."""
    return _far_sums().get(near.symbol) or compose_far(near.wanted)
