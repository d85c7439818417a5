"""The kernels of each target: C functions of the runtime that compute exact sums of integer products.

They live in `runtime/include/tinyml/`, with a twin in plain C wherever they are written in assembly, so that the same
generated file gives the same bits everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.coding import INTEGER, TABLE


@dataclass(frozen=True)
class Kernel:
    """symbol: the C function. weights, vector: bits of the stored integers, fewer than a multiple of 8 where they are
    packed; sum: bits of the accumulator.

    op: the num op that it computes; the factor of `num.axpy` counts as the vector. gaps: of a sparse row that is one
    stream of bytes, bits that each entry has beside its weight: 8 in the layout of `row_stream`, 4 in
    that of `delta_row_stream`. fetches: the vector is packed, too; its bits are an argument. flash: the
    weights lie in flash, or in working memory; None where that is one. rows: of the matrix that it takes at once. step:
    what one entry of a sum takes, in cycles of an AVR or instructions of a Cortex-M4, and code its bytes; `make
    kernels` measures both. codings: how it gets integers from weights and vector; tables are its first arguments.
    segments: they are those of `Coding.segments`, and a vector of which 16 bits hold the integers is decoded for it.
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
        ours, theirs = ((one.weights, one.vector, one.fetches, one.sum, one.op, one.codings) for one in (self, wanted))
        return ours == theirs and self.flash in (None, wanted.flash)


_AVR = (
    Kernel("tm_dot_s16_s16_s32", 16, 16, 32, step=32.0),
    Kernel("tm_dot_s16_s16_s32_ram", 16, 16, 32, flash=False, step=30.0),
    Kernel("tm_dot_s8_s16_s32", 8, 16, 32, step=19.75),
    Kernel("tm_dot_s16_s8_s32", 16, 8, 32, step=20.75),
    Kernel("tm_dot_s8_s8_s16", 8, 8, 16, step=9.4),
    Kernel("tm_dot_s8_s8_s16_ram", 8, 8, 16, flash=False, step=8.4),
    Kernel("tm_dot_s8_s8_s24", 8, 8, 24, step=11.4),
    Kernel("tm_dot_s8_s8_s24_ram", 8, 8, 24, flash=False, step=10.4),
    Kernel("tm_dot_s8_s8_s32", 8, 8, 32, step=11.4),
    Kernel("tm_dot_s8_s8_s32_ram", 8, 8, 32, flash=False, step=10.4),
    Kernel("tm_dot_row_s16_s16_s32", 16, 16, 32, op="num.sparse_dot", gaps=8, step=37.0, code=228),
    Kernel("tm_dot_row_s8_s16_s32", 8, 16, 32, op="num.sparse_dot", gaps=8, step=25.0, code=180),
    Kernel("tm_dot_row_s8_s8_s16", 8, 8, 16, op="num.sparse_dot", gaps=8, step=14.75, code=98),
    Kernel("tm_dot_row_s8_s8_s24", 8, 8, 24, op="num.sparse_dot", gaps=8, step=16.75, code=114),
    Kernel("tm_dot_row_s8_s8_s32", 8, 8, 32, op="num.sparse_dot", gaps=8, step=16.75, code=124),
    Kernel("tm_dot_near_s4_s8_s16", 4, 8, 16, op="num.sparse_dot", gaps=4, step=17.0, code=126),
    Kernel("tm_dot_near_s6_s8_s16", 6, 8, 16, op="num.sparse_dot", gaps=4, step=18.25, code=132),
    Kernel("tm_dot_near_s8_s8_s16", 8, 8, 16, op="num.sparse_dot", gaps=4, step=15.5, code=106),
    Kernel("tm_dot_near_s8_s8_s24", 8, 8, 24, op="num.sparse_dot", gaps=4, step=17.5, code=122),
    Kernel("tm_dot_near_s4_s8_s32", 4, 8, 32, op="num.sparse_dot", gaps=4, step=19.0, code=152),
    Kernel("tm_dot_near_s6_s8_s32", 6, 8, 32, op="num.sparse_dot", gaps=4, step=20.25, code=158),
    Kernel("tm_dot_near_s8_s8_s32", 8, 8, 32, op="num.sparse_dot", gaps=4, step=17.5, code=132),
    Kernel("tm_dot_near_s9_s8_s32", 9, 8, 32, op="num.sparse_dot", gaps=4, step=26.25, code=360),
    Kernel("tm_dot_near_s10_s8_s32", 10, 8, 32, op="num.sparse_dot", gaps=4, step=29.25, code=220),
    Kernel("tm_dot_near_s12_s8_s32", 12, 8, 32, op="num.sparse_dot", gaps=4, step=29.0, code=214),
    Kernel("tm_dot_near_s4_s16_s32", 4, 16, 32, op="num.sparse_dot", gaps=4, step=28.0, code=214),
    Kernel("tm_dot_near_s6_s16_s32", 6, 16, 32, op="num.sparse_dot", gaps=4, step=29.25, code=220),
    Kernel("tm_dot_near_s8_s16_s32", 8, 16, 32, op="num.sparse_dot", gaps=4, step=26.5, code=194),
    Kernel("tm_dot_near_s9_s16_s32", 9, 16, 32, op="num.sparse_dot", gaps=4, step=38.25, code=488),
    Kernel("tm_dot_near_s10_s16_s32", 10, 16, 32, op="num.sparse_dot", gaps=4, step=41.25, code=276),
    Kernel("tm_dot_near_s12_s16_s32", 12, 16, 32, op="num.sparse_dot", gaps=4, step=41.0, code=270),
    Kernel("tm_dot_near_s16_s16_s32", 16, 16, 32, op="num.sparse_dot", gaps=4, step=38.5, code=242),
    Kernel("tm_dot_near_packed_s4_s8_s32", 4, 8, 32, op="num.sparse_dot", gaps=4, fetches=True, step=40.5, code=416),
    Kernel("tm_dot_near_packed_s6_s8_s32", 6, 8, 32, op="num.sparse_dot", gaps=4, fetches=True, step=41.75, code=422),
    Kernel("tm_dot_near_packed_s8_s8_s32", 8, 8, 32, op="num.sparse_dot", gaps=4, fetches=True, step=39.0, code=396),
    Kernel("tm_dot_near_packed_s8_s16_s32", 8, 16, 32, op="num.sparse_dot", gaps=4, fetches=True, step=43.5, code=330),
    Kernel("tm_dot_near_packed_s9_s16_s32", 9, 16, 32, op="num.sparse_dot", gaps=4, fetches=True, step=55.25, code=760),
    Kernel(
        "tm_dot_near_packed_s10_s16_s32", 10, 16, 32, op="num.sparse_dot", gaps=4, fetches=True, step=58.25, code=412
    ),
    Kernel(
        "tm_dot_near_packed_s12_s16_s32", 12, 16, 32, op="num.sparse_dot", gaps=4, fetches=True, step=58.0, code=406
    ),
    Kernel(
        "tm_dot_near_packed_s16_s16_s32", 16, 16, 32, op="num.sparse_dot", gaps=4, fetches=True, step=55.5, code=378
    ),
    Kernel("tm_dot_strided_s16_s16_s32", 16, 16, 32, op="num.strided_dot", step=34.0),
    Kernel("tm_dot_strided_s8_s16_s32", 8, 16, 32, op="num.strided_dot", step=21.75),
    Kernel("tm_dot_strided_s8_s8_s32", 8, 8, 32, op="num.strided_dot", step=13.75),
    Kernel("tm_dot_t8_s16_s32", 8, 16, 32, step=45.0, codings=(TABLE, INTEGER)),
    Kernel("tm_dot_t8_s8_s32", 8, 8, 32, step=36.0, codings=(TABLE, INTEGER)),
    Kernel("tm_dot_t8_t8_s32", 8, 8, 32, step=54.0, codings=(TABLE, TABLE)),
    Kernel("tm_dot_t4_s16_s32", 4, 16, 32, step=44.5, codings=(TABLE, INTEGER), code=198),
    Kernel("tm_dot_t4_s8_s32", 4, 8, 32, step=35.5, codings=(TABLE, INTEGER), code=174),
    Kernel("tm_dot_t6_s16_s32", 6, 16, 32, step=44.75, codings=(TABLE, INTEGER), code=336),
    Kernel("tm_dot_t6_s8_s32", 6, 8, 32, step=35.75, codings=(TABLE, INTEGER), code=288),
    Kernel("tm_dot_p16_s16_s32", 16, 16, 32, step=153.6, codings=("p16", INTEGER)),
    Kernel("tm_dot_p16_s16_s64", 16, 16, 64, step=153.6, codings=("p16", INTEGER)),
    Kernel("tm_dot_s4_s8_s16", 4, 8, 16, step=11.0, code=130),
    Kernel("tm_dot_s4_s8_s24", 4, 8, 24, step=13.0, code=162),
    Kernel("tm_dot_s4_s8_s32", 4, 8, 32, step=13.0, code=172),
    Kernel("tm_dot_s4_s16_s32", 4, 16, 32, step=21.0, code=274),
    Kernel("tm_dot_s5_s16_s32", 5, 16, 32, step=26.7, code=350),
    Kernel("tm_dot_s6_s8_s16", 6, 8, 16, step=12.25, code=142),
    Kernel("tm_dot_s6_s8_s24", 6, 8, 24, step=14.25, code=174),
    Kernel("tm_dot_s6_s8_s32", 6, 8, 32, step=14.25, code=184),
    Kernel("tm_dot_s6_s16_s32", 6, 16, 32, step=22.25, code=286),
    Kernel("tm_dot_s9_s8_s32", 9, 8, 32, step=21.5, code=268),
    Kernel("tm_dot_s9_s16_s32", 9, 16, 32, step=32.3, code=380),
    Kernel("tm_dot_s10_s8_s32", 10, 8, 32, step=24.4, code=164),
    Kernel("tm_dot_s10_s16_s32", 10, 16, 32, step=35.2, code=212),
    Kernel("tm_dot_s12_s8_s32", 12, 8, 32, step=23.0, code=154),
    Kernel("tm_dot_s12_s16_s32", 12, 16, 32, step=33.5, code=198),
    Kernel("tm_distance_s16_s16_s32", 16, 16, 32, op="num.distance"),
    Kernel("tm_distance_s8_s8_s24", 8, 8, 24, op="num.distance"),
    Kernel("tm_distance_s8_s8_s32", 8, 8, 32, op="num.distance"),
    Kernel("tm_axpy_s16_s16_s32", 16, 16, 32, op="num.axpy"),
    Kernel("tm_axpy_s8_s16_s32", 8, 16, 32, op="num.axpy"),
    Kernel("tm_axpy_s8_s8_s32", 8, 8, 32, op="num.axpy"),
)

_CORTEX_M = (
    Kernel("tm_cm_dot_p16_s16_s32", 16, 16, 32, flash=None, step=9.0, codings=("p16", INTEGER), segments=True),
    Kernel("tm_cm_dot_p16_s16_s64", 16, 16, 64, flash=None, step=9.0, codings=("p16", INTEGER), segments=True),
    Kernel("tm_dot_t4_s16_s32", 4, 16, 32, flash=None, step=6.3, codings=(TABLE, INTEGER), code=60),
    Kernel("tm_dot_t4_s8_s32", 4, 8, 32, flash=None, step=6.3, codings=(TABLE, INTEGER), code=60),
    Kernel("tm_dot_t6_s16_s32", 6, 16, 32, flash=None, step=13.0, codings=(TABLE, INTEGER), code=90),
    Kernel("tm_dot_t6_s8_s32", 6, 8, 32, flash=None, step=13.0, codings=(TABLE, INTEGER), code=90),
    Kernel("tm_dot_t8_s16_s32", 8, 16, 32, flash=None, step=7.0, codings=(TABLE, INTEGER)),
    Kernel("tm_dot_t8_s8_s32", 8, 8, 32, flash=None, step=7.0, codings=(TABLE, INTEGER)),
    Kernel("tm_dot_t8_t8_s32", 8, 8, 32, flash=None, step=9.0, codings=(TABLE, TABLE)),
    Kernel("tm_dot_s4_s8_s32", 4, 8, 32, flash=None, step=6.7, code=56),
    Kernel("tm_dot_s4_s16_s32", 4, 16, 32, flash=None, step=6.7, code=56),
    Kernel("tm_dot_s5_s8_s32", 5, 8, 32, flash=None, step=6.4, code=306),
    Kernel("tm_dot_s5_s16_s32", 5, 16, 32, flash=None, step=6.4, code=306),
    Kernel("tm_dot_s6_s8_s32", 6, 8, 32, flash=None, step=7.5, code=100),
    Kernel("tm_dot_s6_s16_s32", 6, 16, 32, flash=None, step=7.5, code=100),
    Kernel("tm_dot_s9_s8_s32", 9, 8, 32, flash=None, step=7.0, code=298),
    Kernel("tm_dot_s9_s16_s32", 9, 16, 32, flash=None, step=7.0, code=298),
    Kernel("tm_dot_s10_s8_s32", 10, 8, 32, flash=None, step=7.6, code=236),
    Kernel("tm_dot_s10_s16_s32", 10, 16, 32, flash=None, step=7.6, code=236),
    Kernel("tm_dot_s12_s8_s32", 12, 8, 32, flash=None, step=9.2, code=72),
    Kernel("tm_dot_s12_s16_s32", 12, 16, 32, flash=None, step=9.2, code=72),
    Kernel("tm_cm_dot_s8_s8_s32", 8, 8, 32, flash=None, step=2.9),
    Kernel("tm_cm_dot_s8_s16_s32", 8, 16, 32, flash=None, step=3.1),
    Kernel("tm_cm_dot_s16_s8_s32", 16, 8, 32, flash=None, step=3.1),
    Kernel("tm_cm_dot_s16_s16_s32", 16, 16, 32, flash=None, step=2.2),
    Kernel("tm_cm_dot_s16_s16_s64", 16, 16, 64, flash=None, step=2.2),
    Kernel("tm_cm_dot4_s8_s8_s32", 8, 8, 32, op="num.dot_rows", flash=None, rows=4, step=1.8),
    Kernel("tm_cm_dot4_s8_s16_s32", 8, 16, 32, op="num.dot_rows", flash=None, rows=4, step=1.8),
    Kernel("tm_cm_dot4_s16_s16_s32", 16, 16, 32, op="num.dot_rows", flash=None, rows=4, step=1.2),
    Kernel("tm_cm_distance_s16_s16_s32", 16, 16, 32, op="num.distance", flash=None, step=3.2),
    Kernel("tm_cm_distance_s8_s8_s32", 8, 8, 32, op="num.distance", flash=None, step=3.2),
    Kernel("tm_cm_dot_sparse_s8_s8_s32", 8, 8, 32, op="num.sparse_dot", step=7.4),
    Kernel("tm_cm_dot_sparse_s8_s16_s32", 8, 16, 32, op="num.sparse_dot", step=7.4),
    Kernel("tm_cm_dot_sparse_s16_s16_s32", 16, 16, 32, op="num.sparse_dot", step=7.4),
    Kernel("tm_dot_near_s4_s8_s32", 4, 8, 32, op="num.sparse_dot", gaps=4, step=8.6, code=136),
    Kernel("tm_dot_near_s4_s16_s32", 4, 16, 32, op="num.sparse_dot", gaps=4, step=8.6, code=146),
    Kernel("tm_dot_near_s6_s8_s32", 6, 8, 32, op="num.sparse_dot", gaps=4, step=9.6, code=160),
    Kernel("tm_dot_near_s6_s16_s32", 6, 16, 32, op="num.sparse_dot", gaps=4, step=9.6, code=162),
    Kernel("tm_dot_near_s9_s8_s32", 9, 8, 32, op="num.sparse_dot", gaps=4, step=9.8, code=306),
    Kernel("tm_dot_near_s9_s16_s32", 9, 16, 32, op="num.sparse_dot", gaps=4, step=9.8, code=316),
    Kernel("tm_dot_near_s10_s8_s32", 10, 8, 32, op="num.sparse_dot", gaps=4, step=10.6, code=170),
    Kernel("tm_dot_near_s10_s16_s32", 10, 16, 32, op="num.sparse_dot", gaps=4, step=10.6, code=176),
    Kernel("tm_dot_near_s12_s8_s32", 12, 8, 32, op="num.sparse_dot", gaps=4, step=10.6, code=168),
    Kernel("tm_dot_near_s12_s16_s32", 12, 16, 32, op="num.sparse_dot", gaps=4, step=10.6, code=180),
)

_KERNELS: dict[str, Sequence[Kernel]] = {"avr": _AVR, "cortex-m": _CORTEX_M, "host": ()}

SYMBOLS = {kernel.symbol: kernel for kernels in _KERNELS.values() for kernel in kernels}
"""The kernels of all targets by the C functions that they are."""


def kernels_of(target: str) -> Sequence[Kernel]:
    """The kernels of a target, best first; raises `InputError` for an unknown target."""
    if target not in _KERNELS:
        raise InputError(f"unknown target '{target}' (one of {', '.join(_KERNELS)})")
    return _KERNELS[target]


UNPACKED_LOOP, UNPACKED_KERNEL = 1.6, 5.0
"""How much longer an element of a packed constant takes where no kernel reads it: in a loop that was one before, and
in one in place of a kernel."""


def packed_reader(bits: int, *, flash: bool = True) -> tuple[str, int]:
    """The function that reads single packed elements, of constants or of working memory, and its bytes of code."""
    code = {4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66}[bits]
    return f"tm_packed_s{bits}{'' if flash else '_ram'}", code


def packed_writer(bits: int) -> str:
    """The function that writes single packed elements, of the width of memory around them."""
    return f"tm_pack_s{bits}"


FETCHED = {8: (4, 6), 16: (9, 10, 12)}
"""Bits of the packed vectors that kernels fetch elements from, by those of an element in memory."""


def packed_copier(bits: int) -> str:
    """The function that unpacks groups of working memory into an array of whole elements."""
    return f"tm_unpack_s{bits}"


def slowest(target: str, vector: int, codings: tuple[str, ...]) -> Sequence[Kernel]:
    """For vectors of so many bits, of each op, layout and width of weights the kernel of the widest sum."""
    found: dict[tuple[str, int, int], Kernel] = {}
    for one in sorted(kernels_of(target), key=lambda kernel: kernel.step):
        if (one.vector, one.codings, one.fetches) == (vector, codings, False):
            found[one.op, one.gaps, one.weights] = one
    return list(found.values())


def kernel_named(symbol: str) -> Kernel:
    """The kernel that is a C function; raises `InputError` where none is."""
    if (kernel := SYMBOLS.get(symbol)) is None:
        raise InputError(f"no kernel is called '{symbol}'")
    return kernel
