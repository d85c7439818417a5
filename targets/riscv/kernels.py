"""The kernels for RISC-V: those for tiles, which are composed."""

from tinyml.targets.riscv.composer.families import CHANNEL_TILES, DOT_TILES

TILES = (DOT_TILES, CHANNEL_TILES)
