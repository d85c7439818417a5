"""A kernel: a C function of the runtime that computes an exact sum of integer products.

A chip lists its kernels in `targets/NAME/kernels.py`. The functions stand in the headers of the chip, or in those of
all chips in `runtime/include/tinyml/`, with a reference implementation in plain C wherever they are written in
assembly, so that the same generated file gives the same bits everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tinyml.dialects.formats.coding import INTEGER


@dataclass(frozen=True)
class Kernel:
    """A C function and the sum that it computes.

    symbol: the function. op: the num op that it stands for; the factor of `num.axpy` counts as the vector.
    weights, vector: bits of the stored integers, fewer than a multiple of 8 where they are packed; sum: bits of the
    accumulator. gaps: bits beside the weight of each entry of a sparse row that is one stream of bytes: 8 in the layout
    of `row_stream`, 4 in that of `delta_row_stream`. fetches: the vector is packed, too; its bits are an argument.
    flash: the weights lie in flash, or in working memory; None where that is one. rows: rows of the matrix that it
    takes at once. step: the time of one entry of a sum, in cycles of an AVR or in instructions of other chips, and
    code: bytes of flash; `make kernels` measures both. codings: how it gets integers from weights and vector; tables
    are its first arguments. segments: they are those of `Coding.segments`, and a vector of which 16 bits hold the
    integers is decoded for it.
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
        """Is it the sum that another description asks for?"""
        ours, theirs = (
            (kernel.weights, kernel.vector, kernel.fetches, kernel.sum, kernel.op, kernel.codings)
            for kernel in (self, wanted)
        )
        return ours == theirs and self.flash in (None, wanted.flash)


def slowest(kernels: Iterable[Kernel], vector: int, codings: tuple[str, ...]) -> Sequence[Kernel]:
    """For vectors of so many bits, the kernel of the widest sum for each op, layout and width of weights."""
    slowest: dict[tuple[str, int, int], Kernel] = {}
    for kernel in sorted(kernels, key=lambda kernel: kernel.step):
        if (kernel.vector, kernel.codings, kernel.fetches) == (vector, codings, False):
            slowest[kernel.op, kernel.gaps, kernel.weights] = kernel
    return list(slowest.values())


UNPACKED_LOOP, UNPACKED_KERNEL = 1.6, 5.0
"""How much longer an element of a packed constant takes where no kernel reads it: in a loop that was one before, and
in one in place of a kernel."""

FETCHED = {8: (4, 6), 16: (9, 10, 12)}
"""Bits of the packed vectors that kernels fetch elements from, by those of an element in memory."""


def packed_reader(bits: int, *, flash: bool = True) -> tuple[str, int]:
    """The function that reads single packed elements, of constants or of working memory, and its bytes of code."""
    code = {4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66}[bits]
    return f"tm_packed_s{bits}{'' if flash else '_ram'}", code


def packed_writer(bits: int) -> str:
    """The function that writes single packed elements, of the width of memory around them."""
    return f"tm_pack_s{bits}"


def packed_copier(bits: int) -> str:
    """The function that unpacks groups of working memory into an array of whole elements."""
    return f"tm_unpack_s{bits}"
