"""The kernels for RISC-V, all composed."""

from tinyml.targets.riscv.composer.dense import channel_rows, dot, dot_rows
from tinyml.targets.riscv.composer.sparse import sparse_dot
from tinyml.targets.riscv.composer.tile_kernels import CHANNEL_TILES, DOT_TILES

KERNELS = (
    dot(8, 8, 32),
    dot(8, 16, 32),
    dot(16, 8, 32),
    dot(16, 16, 32),
    dot(16, 16, 64),
    dot_rows(8, 8),
    dot_rows(8, 16),
    dot_rows(16, 16),
    channel_rows(8, 8),
    channel_rows(8, 16),
    channel_rows(16, 16),
    sparse_dot(8, 8),
    sparse_dot(8, 16),
    sparse_dot(16, 16),
)
TILES = (DOT_TILES, CHANNEL_TILES)
