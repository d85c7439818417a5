"""The kernels for AVR, all of them composed, and the costs of reading packed constants without kernels."""

from dataclasses import replace

from tinyml.targets.avr.boards import ELPM, MUL
from tinyml.targets.avr.composer.far_kernels import far_kernel
from tinyml.targets.avr.composer.forests.branch_code import forest_code, plain_forest
from tinyml.targets.avr.composer.forests.forest_tables import forest_tables
from tinyml.targets.avr.composer.fragments.fetch import FLASH, RAM
from tinyml.targets.avr.composer.sums.axpy import axpy
from tinyml.targets.avr.composer.sums.dense import dot, dot_in_chunks, strided_dot
from tinyml.targets.avr.composer.sums.distance import distance
from tinyml.targets.avr.composer.sums.regime import regime_dot
from tinyml.targets.avr.composer.sums.sparse import sparse_dot
from tinyml.targets.avr.composer.tiles.coded_rows import coded_rows
from tinyml.targets.avr.composer.tiles.tile_kernels import (
    REQUANTISED_CHANNELS,
    REQUANTISED_DOTS,
    SHIFTED_CHANNELS,
    SHIFTED_DOTS,
)
from tinyml.targets.kernel import FarConstants, ForestCoder, PackedReads, RowCoder

_KERNELS = (
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
    regime_dot(),
)
KERNELS = tuple(replace(kernel, needs=MUL) for kernel in _KERNELS)
TILES = (SHIFTED_DOTS, SHIFTED_CHANNELS, REQUANTISED_DOTS, REQUANTISED_CHANNELS)
FORESTS = (
    ForestCoder("tm_avr_forest_tables", forest_tables),
    ForestCoder("tm_avr_forest_code", forest_code),
    # For what the others have no instructions for: floats, integers of four bytes, many results.
    ForestCoder("tm_avr_forest_plain", plain_forest),
)
CODER = RowCoder("tm_avr_rows", coded_rows, needs=MUL)
PACKED_READS = PackedReads(loop=1.6, kernel=5.0, call=12, code={4: 26, 5: 124, 6: 94, 9: 76, 10: 78, 12: 66})
FAR = FarConstants(ELPM, far_kernel, load=6.0)
