"""The kernels for AVR: composed ones, and assembly in headers for packed and coded weights."""

from tinyml.dialects.formats.coding import INTEGER, TABLE
from tinyml.targets.avr.composer.axpy import axpy
from tinyml.targets.avr.composer.dense import dot, dot_in_chunks, strided_dot
from tinyml.targets.avr.composer.distance import distance
from tinyml.targets.avr.composer.dot_strips import DOT_STRIPS
from tinyml.targets.avr.composer.fetch import FLASH, RAM
from tinyml.targets.avr.composer.sparse import sparse_dot
from tinyml.targets.kernel import Kernel, PackedReads

KERNELS = (
    dot(16, 16, 32),
    dot(16, 16, 32, RAM),
    dot(8, 16, 32),
    dot(16, 8, 32),
    *(dot(8, 8, sum, memory) for sum in (16, 24, 32) for memory in (FLASH, RAM)),
    *(dot_in_chunks(sum, chunk) for sum in (24, 32) for chunk in (4, 3)),
    sparse_dot(16, 16, 32),
    sparse_dot(8, 16, 32),
    *(sparse_dot(8, 8, sum) for sum in (16, 24, 32)),
    strided_dot(16, 16),
    strided_dot(8, 16),
    strided_dot(8, 8),
    distance(16, 32),
    distance(8, 24),
    distance(8, 32),
    axpy(16, 16),
    axpy(8, 16),
    axpy(8, 8),
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
)
TILES = (DOT_STRIPS,)
PACKED_READS = PackedReads(loop=1.6, kernel=5.0, call=12, code={4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66})
