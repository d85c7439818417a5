"""The table of kernels for Cortex-M: composed kernels for three instruction sets, those of the M0, the M3 and the M4
(also of the M7 and the M33), and kernels in plain C for all cores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from tinyml.dialects.extensions import imported, part_on_call
from tinyml.dialects.layouts.digits import Digits
from tinyml.targets.c.composer.compose import compose
from tinyml.targets.c.composer.digit_sums import DigitTimes, digit_sum
from tinyml.targets.c.composer.forests_in_c import FORESTS
from tinyml.targets.composer.tile_composer import TileComposer
from tinyml.targets.cortex_m.boards import ARMV6M, DSP
from tinyml.targets.cortex_m.composer.common_factor import WindowToHalfwords, channels_s8, channels_s16
from tinyml.targets.cortex_m.composer.depthwise import SlidingWindow
from tinyml.targets.cortex_m.composer.depthwise_armv6m import ChannelsArmv6m
from tinyml.targets.cortex_m.composer.dot import channel_rows, dot, dot_rows, sparse_dot
from tinyml.targets.cortex_m.composer.fragments import naked
from tinyml.targets.cortex_m.composer.packed_dot import packed_rows
from tinyml.targets.cortex_m.composer.paired_rows import ByOneFactor, PairedWindow, fit_pairs, have_one_factor
from tinyml.targets.cortex_m.composer.rows import WidenedRows, dots
from tinyml.targets.cortex_m.composer.rows_armv6m import RowsArmv6m
from tinyml.targets.cortex_m.composer.segment_dot import segment_dot
from tinyml.targets.cortex_m.composer.shifted_depthwise import ShiftedSlidingWindow
from tinyml.targets.cortex_m.composer.shifted_rows import ShiftedPairedWindow, shifted_dots
from tinyml.targets.kernel import REQUANTISED_LIMIT, Kernel, PackedReads
from tinyml.targets.kernel_table import ListedKernels, RowCoder, SumComposer
from tinyml.targets.tiles import Widths


def _in_spare_flash(what: str) -> Callable[..., Any]:
    """The function `what` of the composer, from the extension that uses spare flash. A call raises `InputError` if the
    extension is not installed.
    """
    return part_on_call(f"tinyml.targets.cortex_m.composer.{what}")


_ARMV7EM = TileComposer("tinyml/cores.h", DSP, naked, call=16, needs="dsp")
_ARMV6M = TileComposer("tinyml/cores.h", ARMV6M, naked, call=16, needs="armv6-m", limit=1 << 30)


_PAIR_TILES = [
    _ARMV7EM.family("tm_cm_factor_tile_s8", ByOneFactor, to_even=True, admits=have_one_factor),
    _ARMV7EM.family("tm_cm_pair_tile_s8", PairedWindow, to_even=True, admits=fit_pairs),
]
"""Kernels that multiply rows of a matrix by a single window, two at a time; the first requantises all rows by one
factor.
"""

DOT_TILES = _ARMV7EM.family("tm_cm_dot_tile_s8", dots, to_even=True)
"""Kernels that multiply rows of a matrix by windows."""

CHANNEL_TILES = _ARMV7EM.family("tm_cm_channel_tile_s8", SlidingWindow, channels=True, to_even=True)
"""Kernels for depthwise filters."""

MIN_SHIFTED, _MIN_SHIFTED_WINDOW = 1 << 10, 1 << 13
"""The fewest products of an inference for which a kernel with sums in fixed point is worth its flash, for several
windows and for a single window. For several windows, each product takes one to three instructions less, the more the
shorter the windows are; for a single window, 0.7 less. A kernel takes up to one KB.
"""

_SHIFTED_PAIRS = replace(
    _ARMV7EM.family("tm_cm_shift_pair_s8", ShiftedPairedWindow, shifts=True, admits=fit_pairs),
    least_alone=_MIN_SHIFTED_WINDOW,
)
"""Kernels that multiply rows of a matrix by a single window, two at a time, with sums in fixed point."""

_SHIFTED_DOTS = replace(
    _ARMV7EM.family("tm_cm_shift_tile_s8", shifted_dots, shifts=True),
    least=MIN_SHIFTED,
    least_alone=_MIN_SHIFTED_WINDOW,
)
"""Kernels that multiply rows of a matrix by windows, with sums in fixed point."""

_SHIFTED_CHANNELS = _ARMV7EM.family("tm_cm_shift_channel_s8", ShiftedSlidingWindow, channels=True, shifts=True)
"""Kernels for depthwise filters, with sums in fixed point."""

_HALFWORD_TILES = [
    _ARMV7EM.family(
        "tm_cm_pair_tile_s16",
        WindowToHalfwords,
        widths=Widths(results=16),
        common=True,
        admits=fit_pairs,
    ),
    *(
        _ARMV7EM.family(f"tm_cm_channel_tile_s{bits}_s16", code, channels=True, widths=Widths(bits, 16), common=True)
        for bits, code in ((8, channels_s8), (16, channels_s16))
    ),
]
"""Kernels that multiply rows of a matrix by a single window, two at a time, with results of two bytes, and kernels that
multiply channels of two bytes by rows of weights, which have one or two bytes.
"""

_CHANNEL_CODER = _ARMV7EM.coder("tm_cm_channels", CHANNEL_TILES, _in_spare_flash("coded_depthwise:CodedDepthwise"))
"""Kernels that embed depthwise filters in code."""

_WIDE_TILES = _ARMV7EM.family("tm_cm_wide_tile_s8", WidenedRows, large=True, to_even=True)
"""Kernels that multiply rows of a matrix by windows, with weights of two bytes."""

_WINOGRAD_TILES = replace(_ARMV7EM, limit=REQUANTISED_LIMIT // 2).family(
    "tm_cm_winograd_1d_s8", _in_spare_flash("winograd_1d:Winograd1d"), large=True, to_even=True
)
"""Kernels by Winograd's F(2, 3), for windows one pixel apart; twice every sum must fit 32 bits."""

WINOGRAD_LINES = 2
"""The number of rows of windows in a square."""

_WINOGRAD_SQUARES = replace(_ARMV7EM, limit=REQUANTISED_LIMIT // 4).family(
    "tm_cm_winograd_2d_s8", _in_spare_flash("winograd_2d:Winograd2d"), large=True, lines=WINOGRAD_LINES, to_even=True
)
"""Kernels by Winograd's F(2x2, 3x3), for squares of windows one pixel apart; four times every sum must fit 32 bits."""

_SMALL_DOT_TILES = _ARMV6M.family("tm_cm_small_dot_tile_s8", RowsArmv6m, to_even=True)
"""Kernels that multiply rows of a matrix by windows, for ARMv6-M."""

_SMALL_CHANNEL_TILES = _ARMV6M.family("tm_cm_small_channel_tile_s8", ChannelsArmv6m, channels=True, to_even=True)
"""Kernels for depthwise filters, for ARMv6-M."""

_MIN_SMALL_SHIFTED_WINDOW = 1 << 12
"""The fewest products as above for a single window on ARMv6-M."""

_SMALL_SHIFTED_DOTS = replace(
    _ARMV6M.family("tm_cm_small_shift_tile_s8", RowsArmv6m, shifts=True),
    least=MIN_SHIFTED,
    least_alone=_MIN_SMALL_SHIFTED_WINDOW,
)
"""Kernels that multiply rows of a matrix by windows, with sums in fixed point, for ARMv6-M."""

_SMALL_SHIFTED_CHANNELS = _ARMV6M.family("tm_cm_small_shift_channel_s8", ChannelsArmv6m, channels=True, shifts=True)
"""Kernels for depthwise filters, with sums in fixed point, for ARMv6-M."""

_SMALL_CHANNEL_CODER = _ARMV6M.coder(
    "tm_cm_small_channels", _SMALL_CHANNEL_TILES, _in_spare_flash("coded_depthwise_armv6m:CodedDepthwiseArmv6m")
)
"""Kernels that embed depthwise filters in code, for ARMv6-M."""

_SMALL_DOT_CODER = _ARMV6M.coder(
    "tm_cm_small_rows", _SMALL_DOT_TILES, _in_spare_flash("coded_rows_armv6m:CodedRowsArmv6m")
)
"""Kernels that embed the rows of a matrix in code and multiply them by windows, for ARMv6-M."""


def _paired_sum(wanted: Kernel) -> Kernel | None:
    """The kernel for weights of few bits that are packed as pairs; None for other sums.

    Raises `InputError` without the extension: a program does not depend on what is installed.
    """
    where = "tinyml.targets.cortex_m.composer.paired_weights:paired_sum"
    return imported(where)(wanted) if wanted.codings[0] == Digits.PAIRED else None


PAIRED_SUMS = SumComposer(_paired_sum, needs="dsp")
"""Kernels for weights of few bits that are packed as pairs."""

KERNELS = (
    segment_dot(),
    dot(8, 8, 32, step=2.9),
    dot(8, 16, 32, step=3.1),
    dot(16, 8, 32, step=3.1),
    dot(16, 16, 32, step=2.2),
    dot(16, 16, 64, step=2.2),
    channel_rows(8, 8, step=3.8),
    channel_rows(8, 16, step=3.8),
    channel_rows(16, 16, step=3.8),
    dot_rows(8, 8, step=1.8),
    dot_rows(8, 16, step=1.8),
    dot_rows(16, 16, step=1.2),
    packed_rows(5, step=3.4, code=658),
    packed_rows(6, step=3.0, code=1096),
    packed_rows(7, step=3.0, code=1846),
    Kernel("tm_cm_distance_s16_s16_s32", 16, 16, 32, op="num.distance", flash=None, step=3.2),
    Kernel("tm_cm_distance_s8_s8_s32", 8, 8, 32, op="num.distance", flash=None, step=3.2),
    sparse_dot(8, 8, step=7.4),
    sparse_dot(8, 16, step=7.4),
    sparse_dot(16, 16, step=7.4),
)

KERNEL_TABLE = (
    ListedKernels(KERNELS),
    SumComposer(compose),
    PAIRED_SUMS,
    SumComposer(partial(digit_sum, DigitTimes(sign=16.0, trit=14.0, lookup=1.8, row=0.5, table=20.0))),
    *_PAIR_TILES,
    DOT_TILES,
    CHANNEL_TILES,
    *_HALFWORD_TILES,
    _SHIFTED_PAIRS,
    _SHIFTED_DOTS,
    _SHIFTED_CHANNELS,
    _WIDE_TILES,
    _WINOGRAD_TILES,
    _WINOGRAD_SQUARES,
    _SMALL_DOT_TILES,
    _SMALL_CHANNEL_TILES,
    _SMALL_SHIFTED_DOTS,
    _SMALL_SHIFTED_CHANNELS,
    _CHANNEL_CODER,
    _SMALL_CHANNEL_CODER,
    _SMALL_DOT_CODER,
    RowCoder("tm_cm_rows", _in_spare_flash("coded_rows:coded_rows"), needs="dsp"),
    *FORESTS,
)
"""The chip's table of kernels, the best first."""

PACKED_READS = PackedReads(loop=1.6, kernel=5.0, call=12, code={4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66})
"""The costs of reading packed constants: estimates taken over from an 8-bit chip, not measured."""
