"""The host computer again, with kernels in the fields that chips of former versions had."""

from dataclasses import replace

from tinyml.targets.board import Board
from tinyml.targets.c.composer.compose import compose
from tinyml.targets.host.chip import CHIP as HOST
from tinyml.targets.riscv.kernels import DOT_TILES, KERNELS

CHIP = replace(
    HOST,
    name="former",
    boards=(Board("former", "native", unit="cycles"),),
    kernels=KERNELS,
    compose=compose,
    tiles=(DOT_TILES,),
)
