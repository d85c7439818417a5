"""The table of kernels for Cortex-M cores with Helium: composed kernels, followed by those of the Cortex-M4."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from tinyml.targets.composer.instructions import cycles_of_runs
from tinyml.targets.composer.tile_code import LoopedCode
from tinyml.targets.composer.tile_composer import TileComposer
from tinyml.targets.cortex_m import kernels as cortex_m
from tinyml.targets.helium.boards import CORTEX_M55_TIMING
from tinyml.targets.helium.composer.channel_strips import ChannelStrips, ShiftedStrips
from tinyml.targets.helium.composer.depthwise import Channels, ShiftedChannels
from tinyml.targets.helium.composer.dots import distance, dot, dot_rows, packed_dots, sparse_dot
from tinyml.targets.helium.composer.elements import Elements
from tinyml.targets.helium.composer.rows import Rows, ShiftedRows
from tinyml.targets.helium.composer.shared_pixels import SharedPixels, ShiftedPixels
from tinyml.targets.helium.mve import CORE, HEADER, naked
from tinyml.targets.kernel import Kernel
from tinyml.targets.kernel_table import CACHED_KERNELS, ListedKernels
from tinyml.targets.tiles import Tile, TileFamily

_CALL = 16
"""The flash of a call, in bytes."""

_MVE = TileComposer(HEADER, CORE, naked, call=_CALL, needs="mve")


def _fastest(*kinds: Callable[[Tile], LoopedCode]) -> Callable[[Tile], LoopedCode]:
    """A function that chooses the code for a tile: the code with the least product of modelled cycles and instructions.

    kinds: functions that return code for a tile.

    The number of instructions is included, because a core may issue several in a cycle. If none of the functions
    supports a tile, the result of the last one is chosen.
    """

    @lru_cache(CACHED_KERNELS)
    def code(tile: Tile) -> LoopedCode:
        *others, last = (kind(tile) for kind in kinds)
        fitting = [kernel for kernel in (*others, last) if kernel.fits]
        return min(
            fitting, key=lambda kernel: kernel.time * cycles_of_runs(CORTEX_M55_TIMING, kernel.runs), default=last
        )

    return code


DOT_TILES = _MVE.family("tm_mve_dot_tile_s8", _fastest(SharedPixels, Rows), to_even=True)
"""Kernels that multiply rows of a matrix by windows."""

CHANNEL_TILES = _MVE.family(
    "tm_mve_channel_tile_s8", _fastest(ChannelStrips, Channels), channels=True, several=True, to_even=True
)
"""Kernels for depthwise filters."""

_SHIFTED_CHANNELS = _MVE.family(
    "tm_mve_shift_channel_s8", _fastest(ShiftedStrips, ShiftedChannels), channels=True, shifts=True, several=True
)
"""Kernels for depthwise filters, with sums in fixed point."""

_MIN_SHIFTED_WINDOW = 1 << 14
"""The fewest products of an inference for which a kernel for a single window, with sums in fixed point, is worth its
flash. It is hardly faster than a kernel for four rows.
"""

_SHIFTED_DOTS = replace(
    _MVE.family("tm_mve_shift_tile_s8", _fastest(ShiftedPixels, ShiftedRows), shifts=True),
    least=cortex_m.MIN_SHIFTED,
    least_alone=_MIN_SHIFTED_WINDOW,
)
"""Kernels that multiply rows of a matrix by windows, with sums in fixed point."""


ELEMENTS = _MVE.lanes("tm_mve_elements", Elements)
"""Kernels for lane functions."""

KERNELS = (
    dot(8, 8, 32),
    dot(8, 16, 32),
    dot(16, 8, 32),
    dot(16, 16, 32),
    dot(16, 16, 64),
    dot_rows(8, 8),
    dot_rows(8, 16),
    dot_rows(16, 16),
    packed_dots(1),
    packed_dots(4),
    distance(8),
    distance(16),
    sparse_dot(8, 8),
    sparse_dot(8, 16),
    sparse_dot(16, 16),
)


def _narrow_paired_sum(wanted: Kernel) -> Kernel | None:
    """The kernel for weights that are packed as pairs. None for vectors of 16 bits: packed weights would have no vector
    unit, which makes their products about four times as slow.
    """
    return None if wanted.vector > 8 else cortex_m.PAIRED_SUMS.composed(wanted)


KERNEL_TABLE = (
    ListedKernels(KERNELS, "mve"),
    DOT_TILES,
    CHANNEL_TILES,
    _SHIFTED_DOTS,
    _SHIFTED_CHANNELS,
    ELEMENTS,
    *(
        replace(cortex_m.PAIRED_SUMS, composed=_narrow_paired_sum) if entry is cortex_m.PAIRED_SUMS else entry
        for entry in cortex_m.KERNEL_TABLE
        # Rows that have too few products for a tile are faster by four than in tiles of the Cortex-M4.
        if not (isinstance(entry, TileFamily) and entry.shifts and not entry.channels)
    ),
)
"""The chip's table of kernels, the best first."""

PACKED_READS = replace(cortex_m.PACKED_READS, kernel=32.0)
"""The costs of reading packed constants. Without a kernel, 3 rows of 256 weights of 4 bits and a vector of 16 bits take
14,651 instructions. The kernel of plain weights takes 452. The other costs are those of the Cortex-M4.
"""
