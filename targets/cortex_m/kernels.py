"""The kernels for Cortex-M: composed ones for the M0+, the M3 and the M4, and plain C for all of them."""

from tinyml.targets.cortex_m.composer.coded.coded_rows import coded_rows
from tinyml.targets.cortex_m.composer.dot.channel_dots import channel_rows
from tinyml.targets.cortex_m.composer.dot.dense import dot, dot_rows
from tinyml.targets.cortex_m.composer.dot.packed_rows import packed_dot, packed_rows
from tinyml.targets.cortex_m.composer.dot.segments import segment_dot
from tinyml.targets.cortex_m.composer.dot.sparse import sparse_dot
from tinyml.targets.cortex_m.composer.tile_kernels import (
    CHANNEL_CODER,
    CHANNEL_TILES,
    DOT_TILES,
    SMALL_CHANNEL_CODER,
    SMALL_CHANNEL_TILES,
    SMALL_DOT_CODER,
    SMALL_DOT_TILES,
    WIDE_TILES,
    WINOGRAD_SQUARES,
    WINOGRAD_TILES,
)
from tinyml.targets.kernel import Kernel, PackedReads, RowCoder

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
    packed_dot(2, step=3.9, code=416),
    packed_dot(4, step=4.2, code=308),
    packed_rows(2, step=1.9, code=674),
    packed_rows(4, step=2.0, code=450),
    packed_rows(5, step=3.4, code=658),
    packed_rows(6, step=3.0, code=1096),
    packed_rows(7, step=3.0, code=1846),
    Kernel("tm_cm_distance_s16_s16_s32", 16, 16, 32, op="num.distance", flash=None, step=3.2),
    Kernel("tm_cm_distance_s8_s8_s32", 8, 8, 32, op="num.distance", flash=None, step=3.2),
    sparse_dot(8, 8, step=7.4),
    sparse_dot(8, 16, step=7.4),
    sparse_dot(16, 16, step=7.4),
)
CODER = RowCoder("tm_cm_rows", coded_rows, needs="dsp")
TILE_CODERS = (CHANNEL_CODER, SMALL_CHANNEL_CODER, SMALL_DOT_CODER)
TILES = (DOT_TILES, CHANNEL_TILES, WIDE_TILES, WINOGRAD_TILES, WINOGRAD_SQUARES, SMALL_DOT_TILES, SMALL_CHANNEL_TILES)
PACKED_READS = PackedReads(loop=1.6, kernel=5.0, call=12, code={4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66})
"""Unmeasured estimates, taken over from an 8-bit chip."""
