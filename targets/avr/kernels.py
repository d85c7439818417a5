"""The kernels for AVR, all of which are composed, and the costs of reading packed constants without a kernel.

The composer of a kernel is imported when a program requests a kernel of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tinyml.dialects.extensions import imported, part_on_call
from tinyml.dialects.formats.number_format import INTEGER
from tinyml.dialects.layouts.digits import Digits
from tinyml.dialects.modules import OnUse, on_call
from tinyml.targets.avr.assembly import AVR, HEADER, statement
from tinyml.targets.avr.boards import ELPM, MUL
from tinyml.targets.avr.composer.fragments import MOST_RIGHT, REQUANTISE, SUM_BITS
from tinyml.targets.c.composer.digit_kernels import DigitTimes, digit_sum
from tinyml.targets.composer.tile_composer import TileComposer
from tinyml.targets.kernel import Kernel, PackedReads
from tinyml.targets.makers import FarConstants, ForestCoder, ListedKernels, RowCoder, SumComposer

if TYPE_CHECKING:
    from tinyml.dialects.layouts.trees import ForestCode

_COMPOSER = "tinyml.targets.avr.composer"
"""The package of the code of kernels, which is imported when one is composed."""

_DOTS, _CHANNELS = on_call(f"{_COMPOSER}.dot_tiles:AvrDotTile"), on_call(f"{_COMPOSER}.channel_tiles:channels")

_MACHINE = TileComposer(
    HEADER, AVR, statement, call=16, needs=MUL, flash=True, enter=10.0, bits=SUM_BITS, limit=1 << SUM_BITS - 1
)


SHIFTED_DOTS = replace(_MACHINE.family("tm_dot_tile_s8", _DOTS, shifts=True), input_tile_bytes=384)
REQUANTISED_DOTS = replace(
    _MACHINE.family("tm_dot_requantised_s8", _DOTS, shared=[REQUANTISE]), max_right=MOST_RIGHT, input_tile_bytes=384
)
"""Kernels that multiply rows of a matrix by windows."""

SHIFTED_CHANNELS = replace(
    _MACHINE.family("tm_channel_tile_s8", _CHANNELS, channels=True, shifts=True), input_tile_bytes=512
)
REQUANTISED_CHANNELS = replace(
    _MACHINE.family("tm_channel_requantised_s8", _CHANNELS, channels=True, shared=[REQUANTISE]),
    max_right=MOST_RIGHT,
    input_tile_bytes=512,
)
"""Kernels for depthwise filters: each channel has its own filter."""


_FORESTS = {
    "tables": "forest_tables:ForestTables",
    "code": "forest_branches:ForestRecords",
    "registers": "forest_registers:ForestRegisters",
}


def _forests() -> Iterator[ForestCoder]:
    """Yield the kernel generators (coders) for decision forests.

    Each form of assembly code has a variant in which floats are compared as keys of one byte. Forests that no form
    supports are compiled to plain C.
    """
    for name, form in _FORESTS.items():
        yield ForestCoder(f"tm_avr_forest_{name}", partial(_forest_kernel, form))
        yield ForestCoder(f"tm_avr_forest_keyed_{name}", partial(_keyed_kernel, form))
    yield ForestCoder("tm_avr_forest_plain", on_call(f"{_COMPOSER}.forest_branches:plain_forest"))


def _forest_kernel(form: str, symbol: str, forest: ForestCode) -> Kernel | None:
    return imported(f"{_COMPOSER}.{form}")(forest).kernel(symbol)


def _keyed_kernel(form: str, symbol: str, forest: ForestCode) -> Kernel | None:
    return imported(f"{_COMPOSER}.forest_keys:KeyedForest")(forest, imported(f"{_COMPOSER}.{form}")).kernel(symbol)


def _sign_rows(wanted: Kernel) -> Kernel | None:
    """The kernel for several rows of signs and a vector of bytes; None for other sums.

    Raises `InputError` without the extension: a program does not depend on what is installed.
    """
    signs = wanted.codings == (Digits.SIGNED, INTEGER) and wanted.weights == 1 and wanted.vector == 8 and wanted.flash
    rows = wanted.op == "num.dot_rows" and wanted.rows > 3
    return imported(f"{_COMPOSER}.sign_rows:sign_rows")(wanted) if signs and rows else None


MAKERS = (
    ListedKernels(OnUse[Kernel]("tinyml.targets.avr.listed_kernels:KERNELS")),
    SumComposer(_sign_rows),
    SumComposer(on_call(f"{_COMPOSER}.packed_sums:compose")),
    SumComposer(partial(digit_sum, DigitTimes(sign=29.0, trit=33.0, lookup=4.5, row=2.5, table=55.0))),
    SHIFTED_DOTS,
    SHIFTED_CHANNELS,
    REQUANTISED_DOTS,
    REQUANTISED_CHANNELS,
    RowCoder("tm_avr_rows", part_on_call(f"{_COMPOSER}.coded_rows:coded_rows"), needs=MUL),
    *_forests(),
    FarConstants(ELPM, on_call("tinyml.targets.avr.listed_kernels:far_kernel"), load=6.0, section=".text.tinyml_far"),
)
"""The chip's table of makers, the best first."""

PACKED_READS = PackedReads(loop=1.6, kernel=5.0, call=12, code={4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66})
