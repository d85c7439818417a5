"""The kernels for Cortex-M: composed ones for the M0+, the M3 and the M4, and plain C for every chip."""

from tinyml.dialects.formats.coding import INTEGER, TABLE
from tinyml.targets.cortex_m.composer.channel_rows import channel_rows
from tinyml.targets.cortex_m.composer.channel_strips import CHANNEL_STRIPS
from tinyml.targets.cortex_m.composer.dense import dot, dot_rows
from tinyml.targets.cortex_m.composer.dot_strips import DOT_STRIPS
from tinyml.targets.cortex_m.composer.sparse import sparse_dot
from tinyml.targets.kernel import Kernel, PackedReads

KERNELS = (
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
    Kernel("tm_cm_distance_s16_s16_s32", 16, 16, 32, op="num.distance", flash=None, step=3.2),
    Kernel("tm_cm_distance_s8_s8_s32", 8, 8, 32, op="num.distance", flash=None, step=3.2),
    sparse_dot(8, 8, step=7.4),
    sparse_dot(8, 16, step=7.4),
    sparse_dot(16, 16, step=7.4),
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
TILES = (DOT_STRIPS, CHANNEL_STRIPS)
PACKED_READS = PackedReads(loop=1.6, kernel=5.0, call=12, code={4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66})
"""Estimates, not measured here: the figures are those of an 8-bit chip."""
