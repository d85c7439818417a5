"""The kernels for AVR, all of which are composed, and the costs of reading packed constants without a kernel.

A kernel that is listed by name may have a variant for weights anywhere in flash. This variant reads flash only by Z+,
and never sets Z: `elpm Rd,Z+` is as fast as `lpm Rd,Z+` and increments RAMPZ:Z, so that a run may cross a boundary of
64 KB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from tinyml.dialects.extensions import imported, part_on_call
from tinyml.dialects.formats.number_format import INTEGER
from tinyml.dialects.layouts.digits import Digits
from tinyml.dialects.layouts.trees import ForestCode
from tinyml.targets.avr.assembly import AVR, FAR_FLASH, FLASH, HEADER, RAM, statement
from tinyml.targets.avr.boards import ELPM, MUL
from tinyml.targets.avr.composer.channel_tiles import channels
from tinyml.targets.avr.composer.compose import compose, compose_far
from tinyml.targets.avr.composer.dot_tiles import AvrDotTile
from tinyml.targets.avr.composer.forest_branches import ForestRecords, plain_forest
from tinyml.targets.avr.composer.forest_keys import KeyedForest
from tinyml.targets.avr.composer.forest_leaves import AvrForest
from tinyml.targets.avr.composer.forest_registers import ForestRegisters
from tinyml.targets.avr.composer.forest_tables import ForestTables
from tinyml.targets.avr.composer.fragments import MAX_RIGHT, SUM_BITS, shared_functions
from tinyml.targets.avr.composer.regime import regime_dot
from tinyml.targets.avr.composer.sums import axpy, distance, dot, dot_in_chunks, sparse_dot, strided_dot
from tinyml.targets.c.composer.digit_sums import DigitTimes, digit_sum
from tinyml.targets.composer.tile_composer import TileComposer
from tinyml.targets.kernel import Kernel, PackedReads
from tinyml.targets.kernel_table import FarConstants, ForestCoder, ListedKernels, RowCoder, SumComposer

_MACHINE = TileComposer(
    HEADER, AVR, statement, call=16, needs=MUL, flash=True, enter=10.0, bits=SUM_BITS, limit=1 << SUM_BITS - 1
)


SHIFTED_DOTS = replace(_MACHINE.family("tm_dot_tile_s8", AvrDotTile, shifts=True), input_tile_bytes=384)
REQUANTISED_DOTS = replace(
    _MACHINE.family("tm_dot_requantised_s8", AvrDotTile, to_even=True, shared=shared_functions),
    max_right=MAX_RIGHT,
    input_tile_bytes=384,
)
"""Kernels that multiply rows of a matrix by windows."""

SHIFTED_CHANNELS = replace(
    _MACHINE.family("tm_channel_tile_s8", channels, channels=True, shifts=True), input_tile_bytes=512
)
REQUANTISED_CHANNELS = replace(
    _MACHINE.family("tm_channel_requantised_s8", channels, channels=True, to_even=True, shared=shared_functions),
    max_right=MAX_RIGHT,
    input_tile_bytes=512,
)
"""Kernels for depthwise filters: each channel has its own filter."""


_FORESTS = {"tables": ForestTables, "code": ForestRecords, "registers": ForestRegisters}


def _forests() -> Iterator[ForestCoder]:
    """Yield the kernel generators (coders) for decision forests.

    Each form of assembly code has a variant in which floats are compared as keys of one byte. Forests that no form
    supports are compiled to plain C.
    """
    for name, form in _FORESTS.items():
        yield ForestCoder(f"tm_avr_forest_{name}", partial(_forest_kernel, form))
        yield ForestCoder(f"tm_avr_forest_keyed_{name}", partial(_keyed_kernel, form))
    yield ForestCoder("tm_avr_forest_plain", plain_forest)


def _forest_kernel(form: type[AvrForest], symbol: str, forest: ForestCode) -> Kernel | None:
    return form(forest).kernel(symbol)


def _keyed_kernel(form: type[AvrForest], symbol: str, forest: ForestCode) -> Kernel | None:
    return KeyedForest(forest, form).kernel(symbol)


def _sign_rows(wanted: Kernel) -> Kernel | None:
    """The kernel for several rows of signs and a vector of bytes; None for other sums.

    Raises `InputError` without the extension: a program does not depend on what is installed.
    """
    signs = wanted.codings == (Digits.SIGNED, INTEGER) and wanted.weights == 1 and wanted.vector == 8 and wanted.flash
    rows = wanted.op == "num.dot_rows" and wanted.rows > 3
    return imported("tinyml.targets.avr.composer.sign_rows:sign_rows")(wanted) if signs and rows else None


def _sums(memory: str) -> Sequence[Kernel]:
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
    return {near.symbol: far for near, far in zip(_sums(FLASH), _sums(FAR_FLASH), strict=True)}


def far_kernel(near: Kernel) -> Kernel | None:
    """The kernel of the same sum for weights in far flash, whose address is a `tm_far`; None if there is none."""
    return _far_sums().get(near.symbol) or compose_far(near.wanted)


KERNEL_TABLE = (
    ListedKernels(KERNELS),
    SumComposer(_sign_rows),
    SumComposer(compose),
    SumComposer(partial(digit_sum, DigitTimes(sign=29.0, trit=33.0, lookup=4.5, row=2.5, table=55.0))),
    SHIFTED_DOTS,
    SHIFTED_CHANNELS,
    REQUANTISED_DOTS,
    REQUANTISED_CHANNELS,
    RowCoder("tm_avr_rows", part_on_call("tinyml.targets.avr.composer.coded_rows:coded_rows"), needs=MUL),
    *_forests(),
    FarConstants(ELPM, far_kernel, load=6.0, section=".text.tinyml_far"),
)
"""The chip's table of kernels, the best first."""

PACKED_READS = PackedReads(loop=1.6, kernel=5.0, call=12, code={4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66})
