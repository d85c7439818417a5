"""Kernels: C functions of the runtime that compute an exact sum of integer products.

A chip lists its kernels in `targets/NAME/kernels.py`. The functions are defined in the chip's own headers or in the
shared ones in `runtime/include/tinyml/`. Assembly always comes with a reference implementation in plain C, so that a
generated file gives the same bits everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tinyml.dialects.formats.coding import INTEGER


@dataclass(frozen=True)
class Kernel:
    """A C function and the sum that it computes.

    symbol: the function. op: the num op that it implements; the factor of `num.axpy` counts as the vector. weights,
    vector: bits of the stored integers, not a multiple of 8 if they are packed; sum: bits of the accumulator. gaps:
    bits stored beside each weight of a sparse row that is one stream of bytes: 8 in the layout of `row_stream`, 4 in
    that of `delta_row_stream`. fetches: the vector is packed, too, and its bits are an argument. flash: true if the
    weights lie in flash, false for working memory, None if the chip has a single address space. rows: matrix rows
    processed at once. step: the time of one entry of a sum, in cycles on an AVR and in instructions on other chips;
    code: bytes of flash; `make kernels` measures both. codings: the codings of weights and vector; tables are the first
    arguments. segments: the tables are those of `Coding.segments`, and a vector whose integers fit 16 bits is decoded
    beforehand.
    """

    symbol: str
    weights: int
    vector: int
    sum: int
    op: str = "num.dot"
    gaps: int = 0
    fetches: bool = False
    flash: bool | None = True
    rows: int = 1
    step: float = 0.0
    codings: tuple[str, ...] = (INTEGER, INTEGER)
    code: int = 0
    segments: bool = False

    def computes(self, wanted: Kernel) -> bool:
        """True if it computes the sum that another description asks for."""
        ours, theirs = (
            (kernel.weights, kernel.vector, kernel.fetches, kernel.sum, kernel.op, kernel.codings)
            for kernel in (self, wanted)
        )
        return ours == theirs and self.flash in (None, wanted.flash)


def slowest(kernels: Iterable[Kernel], vector: int, codings: tuple[str, ...]) -> Sequence[Kernel]:
    """The slowest kernels, those of the widest sums: one per op, layout and width of weights.

    vector: bits of the vector elements.
    """
    slowest: dict[tuple[str, int, int], Kernel] = {}
    for kernel in sorted(kernels, key=lambda kernel: kernel.step):
        if (kernel.vector, kernel.codings, kernel.fetches) == (vector, codings, False):
            slowest[kernel.op, kernel.gaps, kernel.weights] = kernel
    return list(slowest.values())


UNPACKED_LOOP, UNPACKED_KERNEL = 1.6, 5.0
"""Slowdown per element of a packed constant that no kernel reads: in a loop that was a loop before, and in a loop that
takes the place of a kernel."""

FETCHED = {8: (4, 6), 16: (9, 10, 12)}
"""Widths in bits of the packed vectors that kernels can fetch from, by the width of an unpacked element."""


def packed_reader(bits: int, *, flash: bool = True) -> tuple[str, int]:
    """The function that reads single packed elements from flash or from working memory, and its bytes of code."""
    code = {4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66}[bits]
    return f"tm_packed_s{bits}{'' if flash else '_ram'}", code


def packed_writer(bits: int) -> str:
    """The function that writes single packed elements."""
    return f"tm_pack_s{bits}"


def packed_copier(bits: int) -> str:
    """The function that unpacks groups of elements from working memory into a plain array."""
    return f"tm_unpack_s{bits}"
